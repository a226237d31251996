/* perftest's list of samples, from the file that the recorder wrote. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "report/perftest.h"
#include "run/recorder.h"

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double to_double(uint64_t little_endian)
{
	uint64_t bits = le64toh(little_endian);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Read at most MOST samples of SIZE bytes, in us.  Returns their number. */
static uint64_t read_samples(FILE *in, uint64_t size, double *us,
			     uint64_t most)
{
	uint64_t words[RECORD_WORDS], n = 0;

	while (n < most && fread(words, sizeof(words), 1, in) == 1)
		if (le64toh(words[0]) == size)
			us[n++] = to_double(words[2]);
	return n;
}

bool perftest_print_samples(FILE *out, const struct result *r,
			    const struct result_row *row)
{
	const uint64_t most = row->latency.samples;
	FILE *in = r->params.samples ? fopen(r->params.samples, "r") : NULL;
	double *us;
	uint64_t n;

	/* a server has none */
	if (!r->params.samples)
		return false;
	if (!in) {
		log_warning("cannot read the samples: %s", strerror(errno));
		return false;
	}
	us = xcalloc(most + 1, sizeof(*us));
	n = read_samples(in, row->size, us, most);
	fclose(in);
	if (r->params.perftest_samples == PERFTEST_SORTED)
		qsort(us, n, sizeof(*us), compare);
	fputs("#, usec\n", out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "%llu, %g\n", (unsigned long long)i + 1, us[i]);
	free(us);
	return true;
}
