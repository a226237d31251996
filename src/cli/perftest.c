/* Turns a command line of perftest's programs into our own options. */
#include "config.h"
#include "cli/perftest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "cli/perftest_table.h"
#include "cli/rules.h"
#include "cli/suggest.h"
#include "model/plan.h"
#include "perftest/limits.h"
#include "perftest/message.h"

/* Names the version of perftest whose output this is, and which there are. */
#define VERSION_VARIABLE "VERBSPERF_PERFTEST"
#define VERSION_USUAL 606
#define VERSION_NEWEST 629
#define PREFIX "ib_"
#define PERFTEST_TX_DEPTH 128
/* Bytes of --perftest, and most words in it. */
#define LINE_SIZE 512
#define WORDS_MAX (LINE_SIZE / 2)
#define JSON_FILE "perftest_out.json"
#define GBPS_PER_MIBPS (8 * 1048576 / 1e9)

struct perftest {
	struct given given;
	char **words;		/* of the command line, not yet looked at */
	char *host;
	/* The line is read twice: what has no effect depends on all of it. */
	bool again;
	bool seen[PERFTEST_OPTIONS_MAX];	/* row of perftest_options */
	double rate;		/* in rate_unit; 0: not given */
	char rate_unit;		/* 0: 'g' */
	double limit_bw;	/* in the unit of the table; 0: not given */
	double limit_msgrate;	/* Mpps; 0: not given */
	uint64_t burst;		/* messages; 0: not given */
	uint64_t mmap_offset;	/* in the file of --mmap, in bytes */
};

/* An option as it was given. */
struct use {
	const struct perftest_option *option;
	char shown[64];		/* "-s", "--size" */
	const char *text;	/* its value; NULL: takes none */
};

static struct parameters *params_of(struct perftest *p)
{
	return &p->given.options->params;
}

/* True when perftest's option NAME is on the command line. */
static bool seen(const struct perftest *p, const char *name)
{
	return p->seen[perftest_find(name) - perftest_options];
}

/* Room for an integer in decimal, and a unit. */
#define DECIMAL_SIZE 32

/* TEXT, if it is an integer, in decimal: perftest reads integers as C does,
 * "0x10" and "020" are 16.  A size may have K or M behind it. */
static const char *to_decimal(const char *text, char decimal[DECIMAL_SIZE])
{
	char *end;

	if (text[0] != '0' || !isalnum((unsigned char)text[1]))
		return text;
	snprintf(decimal, DECIMAL_SIZE, "%llu", strtoull(text, &end, 0));
	return strlen(end) > strspn(end, "KM") || strlen(end) > 1 ?
		       text : strcat(decimal, end);
}

/* Set the option NAME of ours as if SHOWN had said TEXT.  A text is kept by
 * reference; of others, numbers are read as perftest reads them. */
static int set(struct perftest *p, const char *name, const char *shown,
	       const char *text)
{
	const struct param *row = param_find(name);
	char decimal[DECIMAL_SIZE];

	*given_option(&p->given, name) = true;
	if (row->kind == PARAM_FLAG) {
		param_set(params_of(p), row, true);
		return 0;
	}
	if (row->kind != PARAM_STRING)
		text = to_decimal(text, decimal);
	return param_parse(params_of(p), row, shown, text, p->given.err);
}

static int expected(struct perftest *p, const struct use *u, const char *what)
{
	error_clear(p->given.err);
	error_stage(p->given.err, "options");
	return fail(p->given.err, -EINVAL, NULL, "%s '%s': expected %s",
		    u->shown, u->text, what);
}

/* Take the number that the text begins with, as perftest does. */
static int take_number(struct perftest *p, const struct use *u, double *value)
{
	char *end;

	*value = strtod(u->text, &end);
	if (end == u->text || *value < 0 || !isfinite(*value))
		return expected(p, u, "a number");
	if (*end)
		log_info("%s %s: only the number is read, %.9g", u->shown,
			 u->text, *value);
	return 0;
}

/* Read the value of U, an integer in any form that perftest reads. */
static int read_integer(const struct use *u, uint64_t *value)
{
	char decimal[DECIMAL_SIZE];

	return units_parse_number(to_decimal(u->text, decimal), value);
}

/* Take the largest value for one that is larger. */
static int take_most(struct perftest *p, const struct use *u)
{
	const char *ours = u->option->ours;
	const uint64_t most = param_find(ours)->max;
	char text[32];
	uint64_t value;

	if (read_integer(u, &value) || value <= most)
		return set(p, ours, u->shown, u->text);
	log_info("%s %s: reduced to %" PRIu64, u->shown, u->text, most);
	snprintf(text, sizeof(text), "%" PRIu64, most);
	return set(p, ours, u->shown, text);
}

static int take_burst(struct perftest *p, const struct use *u)
{
	return read_integer(u, &p->burst) ?
		       expected(p, u, "a number of messages") : 0;
}

static int only_for(struct perftest *p, const struct use *u, enum metric metric)
{
	if (params_of(p)->plan.metric == metric)
		return 0;
	return fail(p->given.err, -EINVAL, NULL, "%s: only for %s", u->shown,
		    metric == METRIC_LATENCY ? "latency" : "bandwidth");
}

static int take_mtu(struct perftest *p, const struct use *u)
{
	uint64_t value;

	if (read_integer(u, &value) ||
	    (value <= UINT32_MAX && mtu_from_bytes((uint32_t)value)))
		return set(p, "mtu", u->shown, u->text);
	log_info("%s %s: no MTU of a path: the active one is used", u->shown,
		 u->text);
	return 0;
}

static int take_forever(struct perftest *p, const struct use *u)
{
	return only_for(p, u, METRIC_BANDWIDTH);
}

/* Take --latency_gap, in whole microseconds. */
static int take_gap(struct perftest *p, const struct use *u)
{
	char text[64];
	uint64_t us;

	if (only_for(p, u, METRIC_LATENCY))
		return -EINVAL;
	if (read_integer(u, &us))
		return expected(p, u, "microseconds");
	/* none */
	if (!us)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64 "us", us);
	return set(p, "gap", u->shown, text);
}

static int take_both(struct perftest *p, const struct use *u)
{
	(void)u;
	params_of(p)->perftest_both = true;
	return 0;
}

/* A fork's number of messages in a sample of the bandwidth. */
static int take_min_bw(struct perftest *p, const struct use *u)
{
	uint64_t n;

	if (read_integer(u, &n) || !n)
		return expected(p, u, "a number of messages");
	log_info("%s %s: the worst interval of the result counts, however many "
		 "messages it has", u->shown, u->text);
	params_of(p)->perftest_min_bw = true;
	return 0;
}

static int take_ordering(struct perftest *p, const struct use *u)
{
	(void)u;
	params_of(p)->plan.relaxed_ordering = false;
	return 0;
}

/* In latency tests our --rate is an open loop. */
static int take_rate(struct perftest *p, const struct use *u)
{
	if (only_for(p, u, METRIC_BANDWIDTH) || take_number(p, u, &p->rate))
		return -EINVAL;
	return p->rate > 0 ? 0 : expected(p, u, "a number above 0");
}

static int take_rate_unit(struct perftest *p, const struct use *u)
{
	if (strlen(u->text) != 1 || !strchr("Mgp", u->text[0]))
		return expected(p, u, "M (MiB/s), g (Gb/s) or p (messages per "
				"second)");
	p->rate_unit = u->text[0];
	return 0;
}

static int take_rate_type(struct perftest *p, const struct use *u)
{
	const bool loop = !strcmp(u->text, "SW");

	if (!loop && strcmp(u->text, "HW") != 0 && strcmp(u->text, "PP") != 0)
		return expected(p, u, "HW, SW or PP");
	return set(p, "pacing", u->shown, loop ? "loop" : "device");
}

/* perftest's words for the number that --output prints. */
static int take_output(struct perftest *p, const struct use *u)
{
	const bool latency = params_of(p)->plan.metric == METRIC_LATENCY;
	const bool rate = !strcmp(u->text, "message_rate");

	if (strcmp(u->text, "latency") != 0 &&
	    strcmp(u->text, "bandwidth") != 0 && !rate)
		return expected(p, u, "bandwidth, message_rate or latency");
	if (latency != !strcmp(u->text, "latency"))
		return fail(p->given.err, -EINVAL, NULL,
			    "%s %s: only for %s", u->shown, u->text,
			    latency ? "bandwidth" : "latency");
	return set(p, "format", u->shown, rate ? "message-rate" : u->text);
}

/* --out_json_file has no effect without --out_json, wherever that stands. */
static int take_json(struct perftest *p, const struct use *u)
{
	if (u->text)
		params_of(p)->perftest_json = u->text;
	return 0;
}

static int take_limit(struct perftest *p, const struct use *u)
{
	return take_number(p, u, u->option->letter == 'w' ?
				 &p->limit_bw : &p->limit_msgrate);
}

/* -U is the same as -H -U. */
static int take_samples(struct perftest *p, const struct use *u)
{
	struct parameters *params = params_of(p);

	*given_option(&p->given, "samples") = true;
	if (u->option->letter == 'U')
		params->perftest_samples = PERFTEST_UNSORTED;
	else if (params->perftest_samples != PERFTEST_UNSORTED)
		params->perftest_samples = PERFTEST_SORTED;
	return 0;
}

static int take_gpu(struct perftest *p, const struct use *u)
{
	char ours[64];

	snprintf(ours, sizeof(ours), "%s:%s", u->option->value, u->text);
	if (!set(p, "memory", u->shown, ours))
		return 0;
	return expected(p, u, "the number of a GPU, or its PCI address");
}

static int take_mmap(struct perftest *p, const struct use *u)
{
	struct memory_choice *memory = &params_of(p)->memory;

	if (!*u->text || strlen(u->text) >= MEMORY_PATH_SIZE)
		return expected(p, u, "a file");
	*given_option(&p->given, "memory") = true;
	memory->kind = MEMORY_FILE;
	memory->path = u->text;
	memory->path_length = strlen(u->text);
	return 0;
}

/* The offset has no effect without --mmap, wherever that stands. */
static int take_mmap_offset(struct perftest *p, const struct use *u)
{
	return units_parse_size(u->text, &p->mmap_offset) ?
		       expected(p, u, "a number of bytes") : 0;
}

/* Only what cuMemAlloc() allocates is supported. */
static int take_memory_type(struct perftest *p, const struct use *u)
{
	return strcmp(u->text, "0") != 0 ?
		       expected(p, u, "0, what cuMemAlloc allocates") : 0;
}

/* The options that are more than another name for one of ours. */
static const struct {
	const char *name;
	int (*take)(struct perftest *p, const struct use *u);
} own[] = {
	{ "mtu", take_mtu },
	{ "retry_count", take_most },
	{ "burst_size", take_burst },
	{ "run_infinitely", take_forever },
	{ "latency_gap", take_gap },
	{ "disable_pcie_relaxed", take_ordering },
	{ "rate_limit", take_rate },
	{ "rate_units", take_rate_unit },
	{ "rate_limit_type", take_rate_type },
	{ "output", take_output },
	{ "out_json", take_json },
	{ "out_json_file", take_json },
	{ "limit_bw", take_limit },
	{ "limit_msgrate", take_limit },
	{ "report-histogram", take_samples },
	{ "report-histogrm", take_samples },
	{ "report-unsorted", take_samples },
	{ "use_cuda", take_gpu },
	{ "use_cuda_bus_id", take_gpu },
	{ "use_rocm", take_gpu },
	{ "cuda_mem_type", take_memory_type },
	{ "mmap", take_mmap },
	{ "mmap-offset", take_mmap_offset },
	{ "report-both", take_both },
	{ "report-min-bw", take_min_bw },
};

/* Take an option that this program has as well. */
static int take_same(struct perftest *p, const struct use *u)
{
	const struct perftest_option *o = u->option;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(own[i].name, o->name))
			return own[i].take(p, u);
	/* --help and --version: see parse() */
	return o->ours ? set(p, o->ours, u->shown, o->value ?: u->text) : 0;
}

static bool is_timed(const struct perftest *p)
{
	return seen(p, "duration") || seen(p, "run_infinitely");
}

/* Why an option has no effect on this command line; NULL: it has. */
static const char *idle(const struct perftest *p, enum perftest_idle when)
{
	const struct plan *plan = &p->given.options->params.plan;
	const bool latency = plan->metric == METRIC_LATENCY;
	const bool receives = !op_table[plan->op].access ||
			      seen(p, "write_with_imm");
	const struct {
		bool holds;
		const char *why;
	} reasons[PERFTEST_IDLES] = {
		[PERFTEST_IDLE_LATENCY] = { latency, "in latency tests" },
		[PERFTEST_IDLE_RECEIVES] = {
			latency || !receives,
			"where receives are not posted in lists" },
		[PERFTEST_IDLE_UNRATED] = { !seen(p, "rate_limit"),
					    "without --rate_limit" },
		[PERFTEST_IDLE_TIMED] = { is_timed(p), "with -D" },
		[PERFTEST_IDLE_COUNTED] = { !is_timed(p), "without -D" },
		[PERFTEST_IDLE_SIZED] = {
			seen(p, "all") || op_is_atomic(plan->op),
			seen(p, "all") ? "with -a" :
					 "on atomics, which have 8 bytes" },
		[PERFTEST_IDLE_GPU] = {
			seen(p, "use_cuda") || seen(p, "use_rocm") ||
				seen(p, "use_cuda_bus_id"),
			"on the memory of a GPU" },
	};

	return reasons[when].holds ? reasons[when].why : NULL;
}

static int take(struct perftest *p, const struct use *u)
{
	const struct perftest_option *o = u->option;
	const char *why;

	p->seen[o - perftest_options] = true;
	if (!p->again)
		return 0;
	why = idle(p, o->idle);
	if (why)
		log_info("%s has no effect %s", u->shown, why);
	else if (o->class == PERFTEST_SAID)
		log_info("%s: %s", u->shown, o->note);
	else if (o->class == PERFTEST_OTHER_TOOL)
		return fail(p->given.err, -EINVAL, NULL, "%s: %s", u->shown,
			    o->note);
	else if (o->class == PERFTEST_SAME)
		return take_same(p, u);
	return 0;
}

/* Take the option U.  TEXT is what follows it in its word; NULL: nothing
 * does. */
static int take_value(struct perftest *p, struct use *u, const char *text)
{
	if (u->option->argument && !text)
		text = *p->words ? *p->words++ : NULL;
	if (u->option->argument && !text)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s needs a value: %s", u->shown,
			    u->option->argument);
	if (!u->option->argument && text)
		return fail(p->given.err, -EINVAL, NULL, "%s takes no value",
			    u->shown);
	u->text = text;
	return take(p, u);
}

/* Take the option WORD: a name without dashes, perhaps with its value. */
static int take_long(struct perftest *p, const char *word)
{
	const char *equals = strchr(word, '=');
	char name[64], advice[ADVICE_SIZE];
	struct use u;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	u.option = perftest_match(name);
	if (!u.option)
		return fail(p->given.err, -EINVAL,
			    suggest_perftest(name, advice),
			    "unknown or ambiguous option '--%s'", name);
	snprintf(u.shown, sizeof(u.shown), "--%s", u.option->name);
	return take_value(p, &u, equals ? equals + 1 : NULL);
}

/* Take the option letters of WORD, the last of which may have a value behind
 * it. */
static int take_letters(struct perftest *p, const char *word)
{
	struct use u;
	int ret = 0;

	while (*word && !ret) {
		snprintf(u.shown, sizeof(u.shown), "-%c", *word);
		u.option = perftest_find_letter(*word++);
		if (!u.option)
			return fail(p->given.err, -EINVAL, "see --help",
				    "unknown option '%s'", u.shown);
		if (u.option->argument)
			return take_value(p, &u, *word ? word : NULL);
		ret = take_value(p, &u, NULL);
	}
	return ret;
}

static int take_word(struct perftest *p, char *word)
{
	if (word[0] == '-' && word[1] == '-')
		return take_long(p, word + 2);
	if (word[0] == '-' && word[1])
		return take_letters(p, word + 1);
	if (p->host)
		return fail(p->given.err, -EINVAL, "see --help",
			    "unexpected argument '%s'", word);
	p->host = word;
	return 0;
}

/* Take all words; the host may stand between the options. */
static int take_line(struct perftest *p, char **words)
{
	int ret = 0;

	p->words = words;
	p->host = NULL;
	while (*p->words && !ret)
		ret = take_word(p, *p->words++);
	return ret;
}

/* Set perftest's defaults, where they differ from ours. */
static void set_defaults(struct parameters *params)
{
	struct plan *plan = &params->plan;
	const bool bandwidth = plan->metric == METRIC_BANDWIDTH;

	params->perftest = true;
	params->format = TABLE_PERFTEST;
	plan->perftest_defaults = true;
	plan->counters.read = plan->counters.shown = COUNTERS_NONE;
	plan->warmup = 0;
	limits_complete(params);
	plan->retry_count = 7;
	/* a ping-pong looks at the last byte, which must come last */
	plan->relaxed_ordering = bandwidth || op_table[plan->op].fetches;
	if (!bandwidth)
		plan->tx_depth = 1;
}

/* Choose between a count and a time: perftest lets time win. */
static void choose_length(struct perftest *p)
{
	struct parameters *params = params_of(p);
	struct plan *plan = &params->plan;
	const struct param *interval = param_find("interval");

	params->timed = is_timed(p);
	if (seen(p, "run_infinitely")) {
		plan->interval = seen(p, "duration") ? plan->duration :
						       5 * SECOND;
		plan->interval = larger(smaller(plan->interval,
						interval->max), interval->min);
		plan->duration = PLAN_LONGEST;
	}
	if (params->timed)
		plan->iterations = 0;
	else
		plan->duration = 0;
	*given_option(&p->given, "iterations") = false;
}

/* perftest makes depths fit each other; verbsperf refuses those that do not. */
static void fit_depths(struct perftest *p)
{
	struct plan *plan = &params_of(p)->plan;
	uint32_t depth;

	/* no more than there are messages; 128 is the default */
	if (plan->metric == METRIC_BANDWIDTH && plan->iterations &&
	    plan->iterations < PERFTEST_TX_DEPTH &&
	    (plan->tx_depth == PLAN_AUTO ||
	     plan->tx_depth > plan->iterations))
		plan->tx_depth = (uint32_t)plan->iterations;
	if (plan->tx_depth != PLAN_AUTO && plan->tx_depth < plan->post_list)
		plan->tx_depth = plan->post_list;
	if (plan->post_list > 1 && plan->cq_mod == PLAN_AUTO)
		plan->cq_mod = plan->post_list;
	depth = plan_send_queue(plan);
	if (plan->cq_mod != PLAN_AUTO)
		plan->cq_mod = (uint32_t)smaller(plan->cq_mod, depth);
	if (p->burst > depth)
		log_info("--burst_size %" PRIu64 ": reduced to the send "
			 "queue's %u", p->burst, depth);
	if (p->burst)
		plan->burst = (uint32_t)smaller(p->burst, depth);
	if (plan->rx_depth != PLAN_AUTO &&
	    plan->rx_depth < plan->recv_post_list)
		plan->rx_depth = plan->recv_post_list;
}

/* --rate_limit in --rate_units, as our --rate.  A rate that the device keeps is
 * that of each queue pair, and has no bursts. */
static int set_rate(struct perftest *p)
{
	struct plan *plan = &params_of(p)->plan;
	char text[64];

	if (p->rate == 0) {
		plan->pacing = PACING_LOOP;
		*given_option(&p->given, "pacing") = false;
		return 0;
	}
	if (plan->pacing == PACING_DEVICE) {
		p->rate *= plan->qps;
		plan->burst = 1;
	}
	if (p->rate_unit == 'p')
		snprintf(text, sizeof(text), "%.9gpps", p->rate);
	else
		snprintf(text, sizeof(text), "%.9gGb/s", p->rate *
			 (p->rate_unit == 'M' ? GBPS_PER_MIBPS : 1));
	return set(p, "rate", "--rate_limit", text);
}

static int set_limits(struct perftest *p)
{
	const double unit = params_of(p)->gbits ? 1 : GBPS_PER_MIBPS;
	char text[64];
	int ret = 0;

	if (p->limit_bw > 0) {
		snprintf(text, sizeof(text), "%.9g", p->limit_bw * unit);
		ret = set(p, "min-gbps", "--limit_bw", text);
	}
	if (!ret && p->limit_msgrate > 0) {
		snprintf(text, sizeof(text), "%.9g", p->limit_msgrate);
		ret = set(p, "min-mpps", "--limit_msgrate", text);
	}
	return ret;
}

/* Keep what this server's own command line asks of the test. */
static void keep_ignored_options(struct perftest *p)
{
	static struct ignored_options options;

	options.plan = params_of(p)->plan;
	memcpy(options.given, p->given.row, sizeof(options.given));
	params_of(p)->ignored_options = &options;
}

static int finish(struct perftest *p)
{
	struct options *o = p->given.options;
	int ret = p->host ? rules_take_server(&p->given, p->host) : 0;

	o->command = p->host ? COMMAND_CLIENT : COMMAND_SERVE;
	o->params.once = p->host ? 0 : PARAM_FOREVER;
	o->params.peer = p->host ? PEER_PERFTEST : PEER_VERBSPERF;
	if (!seen(p, "out_json"))
		o->params.perftest_json = NULL;
	else if (!o->params.perftest_json)
		o->params.perftest_json = JSON_FILE;
	if (o->params.memory.kind == MEMORY_FILE)
		o->params.memory.offset = p->mmap_offset;
	/* perftest takes UD for a multicast group, whatever -c says */
	if (seen(p, "mcg") || seen(p, "MGID"))
		o->params.plan.transport = TRANSPORT_UD;
	choose_length(p);
	fit_depths(p);
	/* an error of the test is the same at either end */
	if (!ret)
		ret = set_rate(p) ?: set_limits(p) ?: rules_complete(&p->given);
	if (!ret && o->command == COMMAND_SERVE)
		keep_ignored_options(p);
	return ret;
}

int perftest_choose_version(struct parameters *params, struct error *err)
{
	const char *text = getenv(VERSION_VARIABLE);
	uint8_t bytes[VERSION_SIZE] = { 0 };
	struct version version = { 0 };

	params->perftest_version = VERSION_USUAL;
	if (!text || !*text)
		return 0;
	if (strlen(text) < sizeof(bytes))
		memcpy(bytes, text, strlen(text));
	if (version_decode(bytes, &version) ||
	    version.number < VERSION_USUAL || version.number > VERSION_NEWEST)
		return fail(err, -EINVAL, NULL,
			    "%s=%.40s in the environment: expected the version "
			    "of perftest whose table is printed, 6.06 to 6.29",
			    VERSION_VARIABLE, text);
	params->perftest_version = version.number;
	return 0;
}

bool perftest_is_named(const char *path, enum op *op, enum metric *metric)
{
	const char *name = basename(path);

	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       test_find(name + strlen(PREFIX), op, metric);
}

/* Parse WORDS, the first of which names the test. */
static int parse(struct perftest *p, char **words)
{
	struct parameters *params = params_of(p);
	int ret;

	error_stage(p->given.err, "options");
	param_defaults(params);
	perftest_is_named(words[0], &params->plan.op, &params->plan.metric);
	set_defaults(params);
	ret = perftest_choose_version(params, p->given.err) ?:
	      take_line(p, words + 1);
	if (!ret && (seen(p, "help") || seen(p, "version"))) {
		p->given.options->command =
			seen(p, "help") ? COMMAND_HELP : COMMAND_VERSION;
	} else if (!ret) {
		p->again = true;
		ret = take_line(p, words + 1) ?: finish(p);
	}
	return ret;
}

int perftest_parse(char **argv, struct options *options, struct error *err)
{
	struct options o = { 0 };
	struct perftest p = { .given = { .options = &o, .err = err } };
	int ret = parse(&p, argv);

	if (!ret)
		*options = o;
	return ret;
}

/* Refuse what is not about the test: it is this server's own business. */
static int check_about_test(const struct perftest *p)
{
	const struct param *unit = param_find("report-gbits");

	if (p->host || p->given.options->command != COMMAND_SERVE)
		return fail(p->given.err, -EINVAL, NULL,
			    "--perftest: expected a test and its options, "
			    "without a host");
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (p->given.row[i] && !(row->who & PARAM_PLAN) && row != unit)
			return fail(p->given.err, -EINVAL,
				    "give it to the server itself",
				    "--perftest: --%s is not an option of the "
				    "test", row->name);
	}
	return limits_check(&p->given.options->params, p->given.err);
}

/* Cut LINE into WORDS, with a NULL behind the last one. */
static void split(char *line, char *words[WORDS_MAX + 1])
{
	size_t n = 0;
	char *rest;

	for (char *word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	words[n] = NULL;
}

int perftest_parse_test(struct parameters *params, struct error *err)
{
	static struct options test;
	static char line[LINE_SIZE];
	const char *text = params->perftest_line;
	struct perftest p = { .given = { .options = &test, .err = err } };
	char *words[WORDS_MAX + 1];
	int ret;

	if (!text)
		return 0;
	if (strlen(text) >= sizeof(line) - sizeof(PREFIX))
		return fail(err, -EINVAL, NULL,
			    "--perftest: expected at most %zu characters",
			    sizeof(line) - sizeof(PREFIX) - 1);
	sprintf(line, "%s%s", strncmp(text, PREFIX, strlen(PREFIX)) ?
				      PREFIX : "", text);
	split(line, words);
	if (!words[0] || !perftest_is_named(words[0], NULL, NULL))
		return fail(err, -EINVAL, NULL,
			    "--perftest '%.40s': expected a test and its "
			    "options, such as 'write_bw -q 2'", text);
	ret = parse(&p, words) ?: check_about_test(&p);
	params->perftest_test = &test.params;
	return ret;
}

/* "<RC/UC>": scripts that try all transports of OP read them there. */
static const char *list_transports(enum op op, char list[32])
{
	char *end = list;

	for (int i = 0; i < TRANSPORTS; i++)
		if (op_table[op].transports & 1U << i)
			end += sprintf(end, "%c%s", end == list ? '<' : '/',
				       transport_table[i].name);
	strcpy(end, ">");
	return list;
}

static void print_options(FILE *out, enum perftest_class class, enum op op)
{
	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *o = &perftest_options[i];
		const char *argument = o->argument;
		char left[80], list[32];

		if (o->class != class)
			continue;
		if (o->letter == 'c')
			argument = list_transports(op, list);
		snprintf(left, sizeof(left), "  %c%c%c --%s%s%s",
			 o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
			 o->letter ? ',' : ' ', o->name,
			 argument ? "=" : "", argument ? argument : "");
		fprintf(out, "%-34s %s\n", left,
			o->note ? o->note : param_find(o->ours)->help);
	}
}

char *perftest_usage(const char *path)
{
	const char *name = basename(path);
	enum op op = OP_WRITE;
	char *text = NULL;
	FILE *out = xmemstream(&text);

	perftest_is_named(path, &op, NULL);
	fprintf(out, "Usage:\n" "  %s [options]         serve one client\n"
		"  %s [options] HOST    run the test against HOST\n\n"
		"perftest's options; see verbsperf-perftest(7):\n",
		name, name);
	print_options(out, PERFTEST_SAME, op);
	fputs("\nTaken, and one line says what they do not do:\n", out);
	print_options(out, PERFTEST_SAID, op);
	fputs("\nTaken, with nothing to do:\n", out);
	print_options(out, PERFTEST_NOTHING, op);
	fclose(out);
	return text;
}

char *perftest_version(const struct parameters *params)
{
	const uint32_t number = params->perftest_version;
	char *text;

	if (asprintf(&text, "Version: %u.%02u\n%s %s\n", number / 100,
		     number % 100, PACKAGE_NAME, PACKAGE_VERSION) < 0)
		text = NULL;
	return xcheck(text);
}
