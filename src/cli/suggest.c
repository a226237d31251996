/* Guesses what the user meant by an unknown option, test or command. */
#include "config.h"
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/numbers.h"
#include "cli/commands.h"
#include "cli/perftest_table.h"
#include "model/param.h"

/* No option has a longer name. */
#define NAME_SIZE 64

/* Fill row I of the distance table from the two rows above. */
static void fill_row(const char *a, const char *b, size_t i,
		     uint64_t d[NAME_SIZE][NAME_SIZE])
{
	d[i][0] = i;
	for (size_t k = 1; b[k - 1]; k++) {
		uint64_t n = d[i - 1][k - 1] +
			     (strncasecmp(&a[i - 1], &b[k - 1], 1) != 0);

		n = smaller(n, smaller(d[i - 1][k], d[i][k - 1]) + 1);
		if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
		    a[i - 2] == b[k - 1])
			n = smaller(n, d[i - 2][k - 2] + 1);
		d[i][k] = n;
	}
}

uint32_t suggest_distance(const char *a, const char *b)
{
	uint64_t d[NAME_SIZE][NAME_SIZE];

	if (strlen(a) >= NAME_SIZE || strlen(b) >= NAME_SIZE)
		return UINT32_MAX;
	for (uint32_t k = 0; k <= strlen(b); k++)
		d[0][k] = k;
	for (size_t i = 1; a[i - 1]; i++)
		fill_row(a, b, i, d);
	return (uint32_t)d[strlen(a)][strlen(b)];
}

/* The best guess so far for NAME. */
struct guess {
	const char *name;
	uint32_t distance;	/* a better guess has a smaller one */
	const char *meant;	/* NULL: no guess */
};

/* Allow a third of the characters to be wrong: at least one, at most three. */
static struct guess make_guess(const char *name)
{
	size_t most = strlen(name) / 3;

	return (struct guess){
		.name = name,
		.distance = most < 1 ? 2 : most > 3 ? 4 : (uint32_t)most + 1,
	};
}

/* Consider that NAME misspells CANDIDATE; the user should then write MEANT. */
static void consider(struct guess *g, const char *candidate, const char *meant)
{
	const uint32_t distance = suggest_distance(g->name, candidate);

	if (distance >= g->distance)
		return;
	g->distance = distance;
	g->meant = meant;
}

/* Consider that NAME misspells an option of ours, or perftest's name of one. */
static void consider_options(struct guess *g)
{
	for (size_t i = 0; i < param_count; i++)
		if (!(param_table[i].who & PARAM_HIDDEN))
			consider(g, param_table[i].name, param_table[i].name);
	for (size_t i = 0; i < perftest_option_count; i++)
		if (perftest_options[i].ours)
			consider(g, perftest_options[i].name,
				 perftest_options[i].ours);
}

/* Names that have another meaning in other programs, and none here. */
static const struct habit {
	const char *name;
	const char *advice;
} unknown[] = {
	{ "max-gbps", "there is no upper limit for bandwidth; use --min-gbps" },
	{ "max-mpps", "there is no upper limit for a rate; use --min-mpps" },
	{ "min-p50", "there is no lower limit for latency; use --max-p50" },
	{ "min-p99", "there is no lower limit for latency; use --max-p99" },
	{ "client", "name the server as the last word: verbsperf TEST SERVER" },
	{ "host", "name the server as the last word: verbsperf TEST SERVER" },
	{ "server", "'verbsperf serve' is a server" },
	{ "len", "use --size" },
	{ "length", "use --size" },
	{ "msg_size", "use --size" },
	{ "udp", "use --transport UD" },
	{ "list", "'verbsperf devices' lists devices and their GIDs" },
	{ "version", "use --version" },
	{ "time", "use --duration" },
	{ "count", "use --iterations" },
	/* letters of iperf3 and netperf, and perftest's where they differ */
	{ "P", "several streams are --qps here" },
	{ "J", "use --json" },
	{ "v", "use --verbose" },
	{ "B", "use --bind" },
	{ "R", "iperf's -R is --reversed here, perftest's is --rdma-cm" },
	{ "O", "iperf's -O is --warmup here; one port is measured: run a test "
	  "for each" },
	{ "w", "iperf's -w, the window, is -t here, perftest's is --min-gbps" },
	{ "H", "name the server as the last word: verbsperf TEST SERVER; "
	  "perftest's -H is --samples" },
	{ "1", "use 'verbsperf serve --once'" },
	/* tests of qperf and netperf */
	{ "rc_bw", "use send_bw" },
	{ "rc_bi_bw", "use send_bw -b" },
	{ "rc_lat", "use send_lat" },
	{ "rc_rdma_write_bw", "use write_bw" },
	{ "rc_rdma_write_lat", "use write_lat" },
	{ "rc_rdma_read_bw", "use read_bw" },
	{ "rc_rdma_read_lat", "use read_lat" },
	{ "rc_compare_swap_mr", "use atomic_bw -A CMP_AND_SWAP" },
	{ "rc_fetch_add_mr", "use atomic_bw" },
	{ "uc_bw", "use send_bw -c UC" },
	{ "uc_lat", "use send_lat -c UC" },
	{ "uc_rdma_write_bw", "use write_bw -c UC" },
	{ "uc_rdma_write_lat", "use write_lat -c UC" },
	{ "ud_bw", "use send_bw -c UD" },
	{ "ud_lat", "use send_lat -c UD" },
	{ "TCP_STREAM", "RDMA has write_bw; TCP is not measured" },
	{ "TCP_RR", "RDMA has send_lat; TCP is not measured" },
};

/* Options that mean something else in other programs. */
static const struct habit known[] = {
	{ "transport", "name the server as the last word: verbsperf TEST "
	  "SERVER" },
	{ "size", "-s is the message size; 'verbsperf serve' is a server" },
	{ "tx-depth", "-t is how many sends are outstanding; the time is -D" },
	{ "iterations", "-n is a number of messages; the time is -D" },
	{ "post-list", "-l is how many sends a call posts; the message size is "
	  "-s, the time -D" },
	{ "qp-timeout", "-u is the ACK timeout; datagrams are -c UD" },
	{ "atomic-type", "-A is for atomic_bw and atomic_lat; CPUs are "
	  "--cpus" },
	{ "sl", "-S is the service level; the traffic class is --tclass" },
	{ "bidirectional", "-b sends in both directions; a rate is --rate" },
	{ "format", "other forms are --json, --json-lines and --csv" },
	{ "ib-port", "-i is the port of the device; --interval is a time" },
	{ "mtu", "-m is the MTU of a path: 256, 512, 1024, 2048 or 4096; that "
	  "of an interface is larger, and the message size is -s" },
};

static const char *meaning_of(const struct habit *habits, size_t n,
			      const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(habits[i].name, name))
			return habits[i].advice;
	return NULL;
}

const char *suggest_strange(const char *name)
{
	return meaning_of(unknown, sizeof(unknown) / sizeof(*unknown), name);
}

const char *suggest_meaning(const char *name)
{
	return meaning_of(known, sizeof(known) / sizeof(*known), name);
}

/* Write what this program does with perftest's option O into ADVICE. */
static const char *say_perftest(const struct perftest_option *o,
				char advice[ADVICE_SIZE])
{
	if (o->class == PERFTEST_NOTHING)
		snprintf(advice, ADVICE_SIZE, "leave it out: perftest's --%s "
			 "has no effect here", o->name);
	else if (o->ours)
		snprintf(advice, ADVICE_SIZE, "perftest's --%s is --%s%s%s "
			 "here", o->name, o->ours, o->value ? " " : "",
			 o->value ? o->value : "");
	else
		snprintf(advice, ADVICE_SIZE, "leave perftest's --%s out: %s",
			 o->name, o->note);
	return advice;
}

static const char *say_option(const struct guess *g, char advice[ADVICE_SIZE])
{
	if (!g->meant)
		return "see --help";
	snprintf(advice, ADVICE_SIZE, "did you mean --%s?", g->meant);
	return advice;
}

const char *suggest_option(const char *name, char advice[ADVICE_SIZE])
{
	const char *meaning = suggest_strange(name);
	const struct perftest_option *o = perftest_find(name);
	struct guess g = make_guess(name);

	if (meaning)
		return meaning;
	if (o)
		return say_perftest(o, advice);
	consider_options(&g);
	consider(&g, "help", "help");
	consider(&g, "version", "version");
	return say_option(&g, advice);
}

const char *suggest_letter(char letter, char advice[ADVICE_SIZE])
{
	const struct perftest_option *o = perftest_find_letter(letter);
	const char *meaning = suggest_strange((char[]){ letter, 0 });

	if (meaning)
		return meaning;
	return o ? say_perftest(o, advice) : "see --help";
}

const char *suggest_perftest(const char *name, char advice[ADVICE_SIZE])
{
	struct guess g = make_guess(name);

	for (size_t i = 0; i < perftest_option_count; i++)
		consider(&g, perftest_options[i].name,
			 perftest_options[i].name);
	return say_option(&g, advice);
}

bool suggest_command(const char *word, char advice[ADVICE_SIZE])
{
	const char *meaning = suggest_strange(word), *one;
	char parts[ADVICE_SIZE] = "";
	struct guess g = make_guess(word);

	if (meaning) {
		snprintf(advice, ADVICE_SIZE, "%s", meaning);
		return true;
	}
	for (size_t i = 0; (one = command_name(i)); i++) {
		consider(&g, one, one);
		if (word[0] && word[1] && strstr(one, word))
			text_append(parts, sizeof(parts), "%s%s",
				    *parts ? ", " : "", one);
	}
	if (*parts)
		snprintf(advice, ADVICE_SIZE, "did you mean %.140s?", parts);
	else if (g.meant)
		snprintf(advice, ADVICE_SIZE, "did you mean %s?", g.meant);
	return *parts || g.meant;
}
