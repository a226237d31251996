#include "config.h"
#include "cli/perftest.h"

#include <errno.h>
#include <getopt.h>
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
#include "model/tests.h"

/* The version of perftest whose output this is. */
#define PERFTEST_VERSION "6.06"
#define PREFIX "ib_"
#define PERFTEST_TX_DEPTH 128
#define JSON_FILE "perftest_out.json"
#define GBPS_PER_MIBPS (8 * 1048576 / 1e9)

/* getopt_long() returns a letter, or LONG_OPTION + the row of the table. */
#define LONG_OPTION 1000

struct perftest {
	struct given given;
	bool help;
	bool version;
	/* what only the whole command line can tell */
	bool json;
	bool forever;
	const struct perftest_option *refused;	/* of the device; NULL: none */
	double rate;		/* in rate_unit; NAN: not given */
	char rate_unit;
	double limit_bw;	/* in the unit of the table; NAN: not given */
	double limit_msgrate;	/* Mpps; NAN: not given */
	uint64_t mmap_offset;	/* in the file of --mmap, in bytes */
	struct option *longs;
	char shorts[256];
};

static struct parameters *params_of(struct perftest *p)
{
	return &p->given.options->params;
}

/* Set the option NAME of ours as if SHOWN had said TEXT. */
static int set(struct perftest *p, const char *name, const char *shown,
	       const char *text)
{
	const struct param *row = param_find(name);

	p->given.row[row - param_table] = true;
	if (row->kind == PARAM_FLAG) {
		param_set(params_of(p), row, true);
		return 0;
	}
	return param_parse(params_of(p), row, shown, text, p->given.err);
}

static void not_given(struct perftest *p, const char *name)
{
	p->given.row[param_find(name) - param_table] = false;
}

/* Parse TEXT, the value of SHOWN, as a number above 0. */
static int take_number(struct perftest *p, const char *shown, const char *text,
		       double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value > 0 && isfinite(*value))
		return 0;
	return fail(p->given.err, -EINVAL, NULL,
		    "%s '%s': expected a number above 0", shown, text);
}

static int take_size(struct perftest *p, const char *shown, const char *text)
{
	/* an atomic has 8 bytes, whatever is asked for */
	if (op_is_atomic(params_of(p)->plan.op))
		return 0;
	return set(p, "size", shown, text);
}

static int take_iterations(struct perftest *p, const char *shown,
			   const char *text)
{
	return set(p, "iterations", shown, text);
}

static int take_duration(struct perftest *p, const char *shown,
			 const char *text)
{
	return set(p, "duration", shown, text);
}

static int take_margin(struct perftest *p, const char *shown, const char *text)
{
	return set(p, "warmup", shown, text);
}

static int take_forever(struct perftest *p, const char *shown, const char *text)
{
	(void)text;
	if (params_of(p)->plan.metric == METRIC_LATENCY)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s: only for bandwidth", shown);
	p->forever = true;
	return 0;
}

/* The gap is in whole microseconds. */
static int take_gap(struct perftest *p, const char *shown, const char *text)
{
	char own_text[64];

	if (params_of(p)->plan.metric != METRIC_LATENCY)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s: only for latency", shown);
	if (strspn(text, "0123456789") != strlen(text) || !*text ||
	    snprintf(own_text, sizeof(own_text), "%sus", text) >=
		    (int)sizeof(own_text))
		return fail(p->given.err, -EINVAL, NULL,
			    "%s '%s': expected microseconds", shown, text);
	/* none */
	if (strspn(text, "0") == strlen(text))
		return 0;
	return set(p, "gap", shown, own_text);
}

static int take_both(struct perftest *p, const char *shown, const char *text)
{
	(void)shown;
	(void)text;
	params_of(p)->perftest_both = true;
	return 0;
}

static int take_ordering(struct perftest *p, const char *shown,
			 const char *text)
{
	(void)shown;
	(void)text;
	params_of(p)->plan.relaxed_ordering = false;
	return 0;
}

static int take_rate(struct perftest *p, const char *shown, const char *text)
{
	return take_number(p, shown, text, &p->rate);
}

static int take_rate_unit(struct perftest *p, const char *shown,
			  const char *text)
{
	if (strlen(text) != 1 || !strchr("Mgp", text[0]))
		return fail(p->given.err, -EINVAL, NULL,
			    "%s '%s': expected M (MiB/s), g (Gb/s) or p "
			    "(messages per second)", shown, text);
	p->rate_unit = text[0];
	return 0;
}

static int take_rate_type(struct perftest *p, const char *shown,
			  const char *text)
{
	if (strcmp(text, "SW") != 0 && strcmp(text, "HW") != 0 &&
	    strcmp(text, "PP") != 0)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s '%s': expected HW, SW or PP", shown, text);
	return set(p, "pacing", shown, strcmp(text, "SW") ? "device" : "loop");
}

/* perftest's words for the number that --output prints. */
static int take_output(struct perftest *p, const char *shown, const char *text)
{
	const bool latency = params_of(p)->plan.metric == METRIC_LATENCY;
	const char *format = !strcmp(text, "message_rate") ? "message-rate" :
			     text;

	if (strcmp(text, "latency") != 0 && strcmp(text, "bandwidth") != 0 &&
	    strcmp(text, "message_rate") != 0)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s '%s': expected bandwidth, message_rate or "
			    "latency", shown, text);
	if (latency != !strcmp(text, "latency"))
		return fail(p->given.err, -EINVAL, NULL,
			    "%s %s: only for %s", shown, text,
			    latency ? "bandwidth" : "latency");
	return set(p, "format", shown, format);
}

static int take_json(struct perftest *p, const char *shown, const char *text)
{
	(void)shown;
	(void)text;
	p->json = true;
	return 0;
}

static int take_json_file(struct perftest *p, const char *shown,
			  const char *text)
{
	(void)shown;
	params_of(p)->perftest_json = text;
	return 0;
}

static int take_limit_bw(struct perftest *p, const char *shown,
			 const char *text)
{
	return take_number(p, shown, text, &p->limit_bw);
}

static int take_limit_msgrate(struct perftest *p, const char *shown,
			      const char *text)
{
	return take_number(p, shown, text, &p->limit_msgrate);
}

static int take_samples(struct perftest *p, enum perftest_samples samples)
{
	struct parameters *params = params_of(p);

	p->given.row[param_find("samples") - param_table] = true;
	/* -U is the same as -H -U */
	if (params->perftest_samples != PERFTEST_UNSORTED)
		params->perftest_samples = samples;
	return 0;
}

static int take_sorted(struct perftest *p, const char *shown, const char *text)
{
	(void)shown;
	(void)text;
	return take_samples(p, PERFTEST_SORTED);
}

static int take_unsorted(struct perftest *p, const char *shown,
			 const char *text)
{
	(void)shown;
	(void)text;
	return take_samples(p, PERFTEST_UNSORTED);
}

static int take_gpu(struct perftest *p, const char *kind, const char *shown,
		    const char *text)
{
	char ours[64];

	snprintf(ours, sizeof(ours), "%s:%s", kind, text);
	if (!set(p, "memory", shown, ours))
		return 0;
	error_clear(p->given.err);
	error_stage(p->given.err, "options");
	return fail(p->given.err, -EINVAL, NULL,
		    "%s '%s': expected the number of a GPU", shown, text);
}

static int take_cuda(struct perftest *p, const char *shown, const char *text)
{
	return take_gpu(p, memory_kind_name(MEMORY_CUDA), shown, text);
}

static int take_rocm(struct perftest *p, const char *shown, const char *text)
{
	return take_gpu(p, memory_kind_name(MEMORY_HIP), shown, text);
}

static int take_mmap(struct perftest *p, const char *shown, const char *text)
{
	struct memory_choice *memory = &params_of(p)->memory;

	if (!*text || strlen(text) >= MEMORY_PATH_SIZE)
		return fail(p->given.err, -EINVAL, NULL,
			    "%s '%s': expected a file", shown, text);
	p->given.row[param_find("memory") - param_table] = true;
	memory->kind = MEMORY_FILE;
	memory->path = text;
	memory->path_length = strlen(text);
	return 0;
}

/* Of no effect without --mmap, in whichever order. */
static int take_mmap_offset(struct perftest *p, const char *shown,
			    const char *text)
{
	if (!units_parse_size(text, &p->mmap_offset))
		return 0;
	return fail(p->given.err, -EINVAL, NULL,
		    "%s '%s': expected a number of bytes", shown, text);
}

/* The options that are more than another name for one of ours. */
static const struct {
	const char *name;
	int (*take)(struct perftest *p, const char *shown, const char *text);
} own[] = {
	{ "size", take_size },
	{ "iters", take_iterations },
	{ "duration", take_duration },
	{ "margin", take_margin },
	{ "run_infinitely", take_forever },
	{ "latency_gap", take_gap },
	{ "disable_pcie_relaxed", take_ordering },
	{ "rate_limit", take_rate },
	{ "rate_units", take_rate_unit },
	{ "rate_limit_type", take_rate_type },
	{ "output", take_output },
	{ "out_json", take_json },
	{ "out_json_file", take_json_file },
	{ "limit_bw", take_limit_bw },
	{ "limit_msgrate", take_limit_msgrate },
	{ "report-histogram", take_sorted },
	{ "report-histogrm", take_sorted },
	{ "report-unsorted", take_unsorted },
	{ "use_cuda", take_cuda },
	{ "use_rocm", take_rocm },
	{ "mmap", take_mmap },
	{ "mmap-offset", take_mmap_offset },
	{ "report-both", take_both },
};

#define N_OWN (sizeof(own) / sizeof(*own))

/* Take an option that this program has as well. */
static int take_same(struct perftest *p, const struct perftest_option *o,
		     const char *shown, const char *text)
{
	for (size_t i = 0; i < N_OWN; i++)
		if (!strcmp(own[i].name, o->name))
			return own[i].take(p, shown, text);
	return set(p, o->ours, shown, o->value ? o->value : text);
}

static int take(struct perftest *p, const struct perftest_option *o,
		const char *shown, const char *text)
{
	switch (o->class) {
	case PERFTEST_NOTHING:
		return 0;
	case PERFTEST_DEVICE:
		if (!p->refused)
			p->refused = o;
		return 0;
	case PERFTEST_OTHER_TOOL:
		return fail(p->given.err, -EINVAL, NULL, "%s: %s", shown,
			    o->note);
	default:
		return take_same(p, o, shown, text);
	}
}

/* Build the arguments of getopt_long() from the table. */
static void build_tables(struct perftest *p)
{
	char *letter = p->shorts;

	p->longs = xcalloc(perftest_option_count + 3, sizeof(*p->longs));
	*letter++ = ':';
	*letter++ = 'h';
	*letter++ = 'V';
	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *o = &perftest_options[i];

		p->longs[i] = (struct option){
			o->name, o->argument ? required_argument : no_argument,
			NULL, LONG_OPTION + (int)i };
		if (o->letter)
			*letter++ = o->letter;
		if (o->letter && o->argument)
			*letter++ = ':';
	}
	p->longs[perftest_option_count] =
		(struct option){ "help", no_argument, NULL, 'h' };
	p->longs[perftest_option_count + 1] =
		(struct option){ "version", no_argument, NULL, 'V' };
}

/* The option for VALUE from getopt_long(), and its name as the user sees it. */
static const struct perftest_option *find(int value, char shown[64])
{
	if (value >= LONG_OPTION) {
		const struct perftest_option *o =
			&perftest_options[value - LONG_OPTION];

		snprintf(shown, 64, "--%s", o->name);
		return o;
	}
	snprintf(shown, 64, "-%c", value);
	return perftest_find_letter((char)value);
}

/* Report a refused option.  WHY ':' means that its argument is missing. */
static int bad_option(struct perftest *p, int why, char **argv)
{
	char shown[64], advice[ADVICE_SIZE], name[64];
	const struct perftest_option *o;
	const char *word = argv[optind - 1];

	if (!optopt) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="),
			 word);
		return fail(p->given.err, -EINVAL,
			    suggest_perftest(name + 2, advice),
			    "unknown or ambiguous option '%s'", name);
	}
	o = find(optopt, shown);
	if (o && why == ':')
		return fail(p->given.err, -EINVAL, NULL,
			    "%s needs a value: %s", shown, o->argument);
	if (o)
		return fail(p->given.err, -EINVAL, NULL, "%s takes no value",
			    shown);
	return fail(p->given.err, -EINVAL, "see --help",
		    "unknown option '%s'", shown);
}

static int take_options(struct perftest *p, int argc, char **argv)
{
	char shown[64];
	int value, ret = 0;

	optind = 0;
	opterr = 0;
	while (!ret) {
		value = getopt_long(argc, argv, p->shorts, p->longs, NULL);
		if (value == -1)
			break;
		if (value == '?' || value == ':') {
			ret = bad_option(p, value, argv);
		} else if (value == 'h' || value == 'V') {
			*(value == 'h' ? &p->help : &p->version) = true;
		} else {
			const struct perftest_option *o = find(value, shown);

			ret = take(p, o, shown, optarg);
		}
	}
	return ret;
}

/* perftest's defaults, where they are not ours. */
static void set_defaults(struct parameters *params)
{
	struct plan *plan = &params->plan;
	const bool bandwidth = plan->metric == METRIC_BANDWIDTH;
	const bool write = op_table[plan->op].access && bandwidth &&
			   !op_table[plan->op].fetches;

	params->perftest = true;
	params->format = TABLE_PERFTEST;
	plan->perftest_defaults = true;
	plan->counters.read = plan->counters.shown = COUNTERS_NONE;
	plan->warmup = 0;
	plan->iterations = write ? 5000 : 1000;
	plan->retry_count = 7;
	/* a ping-pong looks at the last byte, which must come last */
	plan->relaxed_ordering = bandwidth || op_table[plan->op].fetches;
	if (!bandwidth)
		plan->tx_depth = 1;
}

/* perftest takes UD for a multicast group, whatever -c says. */
static void choose_transport(struct perftest *p)
{
	struct plan *plan = &params_of(p)->plan;

	if (plan->mcast.wanted)
		plan->transport = TRANSPORT_UD;
}

/* By a count or by time: perftest lets time win. */
static void choose_length(struct perftest *p)
{
	struct parameters *params = params_of(p);
	struct plan *plan = &params->plan;
	const struct param *interval = param_find("interval");
	const bool timed = p->given.row[param_find("duration") - param_table];

	if (p->forever) {
		plan->interval = timed ? plan->duration : 5 * SECOND;
		plan->interval = larger(smaller(plan->interval,
						interval->max), interval->min);
		plan->duration = 86400 * SECOND;
	} else if (!timed) {
		plan->duration = 0;
	}
	params->timed = timed || p->forever;
	if (params->timed)
		plan->iterations = 0;
	not_given(p, "iterations");
	/* nothing bounds the memory that samples of such a run would take;
	 * perftest prints none, either */
	if (params->timed) {
		params->perftest_samples = PERFTEST_NO_SAMPLES;
		not_given(p, "samples");
	}
	/* perftest says so and goes on, too */
	if (params->cpu && !params->timed) {
		log_warning("--cpu_util has no effect without -D");
		params->cpu = false;
		not_given(p, "cpu");
	}
}

/* perftest makes depths fit each other; verbsperf refuses those that do not. */
static void fit_depths(struct perftest *p)
{
	struct plan *plan = &params_of(p)->plan;

	if (plan->metric == METRIC_LATENCY)
		return;
	/* no more than there are; 128 is the default */
	if (plan->iterations && plan->iterations < PERFTEST_TX_DEPTH &&
	    (plan->tx_depth == PLAN_AUTO ||
	     plan->tx_depth > plan->iterations))
		plan->tx_depth = (uint32_t)plan->iterations;
	if (plan->tx_depth != PLAN_AUTO && plan->tx_depth < plan->post_list)
		plan->tx_depth = plan->post_list;
	if (plan->post_list > 1 && plan->cq_mod == PLAN_AUTO)
		plan->cq_mod = plan->post_list;
	if (plan->tx_depth != PLAN_AUTO && plan->cq_mod != PLAN_AUTO)
		plan->cq_mod = (uint32_t)smaller(plan->cq_mod, plan->tx_depth);
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

	if (isnan(p->rate)) {
		plan->pacing = PACING_LOOP;
		not_given(p, "pacing");
		return 0;
	}
	if (plan->pacing == PACING_DEVICE) {
		p->rate *= plan->qps;
		plan->burst = 1;
		not_given(p, "burst");
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

	if (!isnan(p->limit_bw)) {
		snprintf(text, sizeof(text), "%.9g", p->limit_bw * unit);
		ret = set(p, "min-gbps", "--limit_bw", text);
	}
	if (!ret && !isnan(p->limit_msgrate)) {
		snprintf(text, sizeof(text), "%.9g", p->limit_msgrate);
		ret = set(p, "min-mpps", "--limit_msgrate", text);
	}
	return ret;
}

/* What this server's own command line says of the test. */
static void tell(struct perftest *p)
{
	static struct told told;

	told.plan = params_of(p)->plan;
	memcpy(told.given, p->given.row, sizeof(told.given));
	params_of(p)->told = &told;
}

/* Refuse what only some devices have, when the whole line has named one. */
static int check_device(struct perftest *p)
{
	const char *device = params_of(p)->device;

	if (!p->refused)
		return 0;
	return fail(p->given.err, -EINVAL, "leave it out",
		    "--%s: verbsperf does not use %s of %s", p->refused->name,
		    p->refused->note, device ? device : "the device");
}

static int finish(struct perftest *p)
{
	struct options *o = p->given.options;
	int ret = check_device(p);

	if (ret)
		return ret;
	if (!p->json)
		o->params.perftest_json = NULL;
	else if (!o->params.perftest_json)
		o->params.perftest_json = JSON_FILE;
	if (o->params.memory.kind == MEMORY_FILE)
		o->params.memory.offset = p->mmap_offset;
	choose_transport(p);
	choose_length(p);
	fit_depths(p);
	ret = set_rate(p);
	if (!ret)
		ret = set_limits(p);
	/* what is wrong with the test is wrong at either end */
	if (!ret)
		ret = rules_complete(&p->given);
	if (!ret && o->command == COMMAND_SERVE)
		tell(p);
	return ret;
}

static int take_words(struct perftest *p, int argc, char **argv)
{
	struct options *o = p->given.options;

	if (optind < argc - 1)
		return fail(p->given.err, -EINVAL, "see --help",
			    "unexpected argument '%s'", argv[optind + 1]);
	if (optind < argc) {
		o->command = COMMAND_CLIENT;
		o->server = argv[optind];
	} else {
		o->command = COMMAND_SERVE;
		o->params.once = true;
	}
	return 0;
}

bool perftest_is_named(const char *path, enum op *op, enum metric *metric)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       test_find(name + strlen(PREFIX), op, metric);
}

int perftest_parse(int argc, char **argv, struct options *options,
		   struct error *err)
{
	struct options o = { 0 };
	struct perftest p = {
		.given = { .options = &o, .err = err },
		.rate = NAN, .rate_unit = 'g',
		.limit_bw = NAN, .limit_msgrate = NAN,
	};
	int ret;

	error_stage(err, "options");
	param_defaults(&o.params);
	perftest_is_named(argv[0], &o.params.plan.op, &o.params.plan.metric);
	set_defaults(&o.params);
	build_tables(&p);
	ret = take_options(&p, argc, argv);
	if (!ret && (p.help || p.version))
		o.command = p.help ? COMMAND_HELP : COMMAND_VERSION;
	else if (!ret)
		ret = take_words(&p, argc, argv);
	if (!ret && !p.help && !p.version)
		ret = finish(&p);
	free(p.longs);
	if (!ret)
		*options = o;
	return ret;
}

/* What OPTION does, for --help. */
static const char *help_of(const struct perftest_option *option)
{
	return option->note ? option->note : param_find(option->ours)->help;
}

char *perftest_usage(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "Usage:\n"
		"  %s [options]         serve one client\n"
		"  %s [options] HOST    run the test against HOST\n\n"
		"perftest's options that verbsperf has as well; see "
		"verbsperf-perftest(7):\n", name, name);
	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *o = &perftest_options[i];
		char left[80];

		if (o->class != PERFTEST_SAME)
			continue;
		snprintf(left, sizeof(left), "  %c%c%c --%s%s%s",
			 o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
			 o->letter ? ',' : ' ', o->name,
			 o->argument ? "=" : "",
			 o->argument ? o->argument : "");
		fprintf(out, "%-34s %s\n", left, help_of(o));
	}
	fputs("  -h, --help                       this text\n"
	      "  -V, --version                    version\n", out);
	fclose(out);
	return text;
}

char *perftest_version(void)
{
	char *text;

	if (asprintf(&text, "Version: %s\n%s %s\n", PERFTEST_VERSION,
		     PACKAGE_NAME, PACKAGE_VERSION) < 0)
		return NULL;
	return text;
}
