#include "config.h"
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "model/param.h"

/* No option has a longer name. */
#define NAME_SIZE 64

/* perftest's options that have another name here; NULL: nothing to set. */
static const struct {
	const char *name;
	char letter;
	const char *ours;
} perftest[] = {
	{ "CPU-freq", 'F', NULL },
	{ "noPeak", 'N', NULL },
	{ "cqe_poll", 0, NULL },
	{ "disable_dynamic_polling", 0, NULL },
	{ "disable_pcie_relaxed", 0, NULL },
	{ "dont_xchg_versions", 0, NULL },
	{ "no_lock", 0, NULL },
	{ "report-both", 0, NULL },
	{ "disable_numa", 0, "--numa none" },
	{ "hop_limit", 'L', "--hop-limit" },
	{ "limit_bw", 'w', "--min-gbps" },
	{ "limit_msgrate", 'y', "--min-mpps" },
	{ "margin", 'f', "--warmup" },
	{ "out_json", 0, "--json" },
	{ "out_json_file", 0, "--json=FILE" },
	{ "perform_warm_up", 0, "--warmup" },
	{ "pin_cores", 0, "--cpus" },
	{ "report-histogram", 'H', "--histogram, or --samples FILE" },
	{ "report-unsorted", 'U', "--samples FILE" },
	{ "run_infinitely", 0, "--duration with --interval" },
	{ "source_ip", 0, "--bind" },
	{ "tos", 'T', "--tclass" },
	{ "use_old_post_send", 0, "--post legacy" },
	{ "vector", 'X', "--vector" },
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Fill row I of the distance table from the two rows above. */
static void fill_row(const char *a, const char *b, size_t i,
		     uint64_t d[NAME_SIZE][NAME_SIZE])
{
	d[i][0] = i;
	for (size_t k = 1; b[k - 1]; k++) {
		uint64_t n = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);

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
	char text[NAME_SIZE];	/* what to write; empty: no guess */
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

/* Consider that NAME misspells the LENGTH characters of CANDIDATE; the user
 * should then write TEXT. */
static void consider(struct guess *g, const char *candidate, size_t length,
		     const char *text)
{
	char copy[NAME_SIZE];
	uint32_t distance;

	snprintf(copy, sizeof(copy), "%.*s", (int)length, candidate);
	distance = suggest_distance(g->name, copy);
	if (distance >= g->distance)
		return;
	g->distance = distance;
	snprintf(g->text, sizeof(g->text), "%s", text);
}

/* Consider ROW's own name and perftest's names for it. */
static void consider_row(struct guess *g, const struct param *row)
{
	char text[NAME_SIZE];
	const char *alias;
	int length;

	if (row->who & PARAM_HIDDEN)
		return;
	snprintf(text, sizeof(text), "--%s", row->name);
	consider(g, row->name, strlen(row->name), text);
	for (uint64_t i = 0; (alias = param_alias(row, i, &length)); i++)
		consider(g, alias, (size_t)length, text);
}

static const char *say_perftest(size_t i, char advice[ADVICE_SIZE])
{
	if (perftest[i].ours)
		snprintf(advice, ADVICE_SIZE, "perftest's --%s is %s here",
			 perftest[i].name, perftest[i].ours);
	else
		snprintf(advice, ADVICE_SIZE, "leave it out: perftest's --%s "
			 "has nothing to do here", perftest[i].name);
	return advice;
}

/* Returns false when there is no guess. */
static bool say_guess(const struct guess *g, char advice[ADVICE_SIZE])
{
	if (g->text[0])
		snprintf(advice, ADVICE_SIZE, "did you mean %s?", g->text);
	return g->text[0];
}

const char *suggest_option(const char *name, char advice[ADVICE_SIZE])
{
	struct guess g = make_guess(name);

	for (size_t i = 0; i < COUNT(perftest); i++)
		if (!strcmp(name, perftest[i].name))
			return say_perftest(i, advice);
	for (size_t i = 0; i < param_count; i++)
		consider_row(&g, &param_table[i]);
	consider(&g, "help", 4, "--help");
	consider(&g, "version", 7, "--version");
	return say_guess(&g, advice) ? advice : "see --help";
}

const char *suggest_letter(char letter, char advice[ADVICE_SIZE])
{
	for (size_t i = 0; i < COUNT(perftest); i++)
		if (letter == perftest[i].letter)
			return say_perftest(i, advice);
	return "see --help";
}

bool suggest_command(const char *word, const char *words,
		     char advice[ADVICE_SIZE])
{
	struct guess g = make_guess(word);
	char one[NAME_SIZE];

	while (*words) {
		size_t length = strcspn(words, " ");

		snprintf(one, sizeof(one), "%.*s", (int)length, words);
		consider(&g, words, length, one);
		words += length + strspn(words + length, " ");
	}
	return say_guess(&g, advice);
}
