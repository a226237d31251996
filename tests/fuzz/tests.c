#include "config.h"
#include "tests.h"

#include <string.h>

#include "cli/options.h"
#include "fuzz.h"
#include "traffic/clock.h"

#define WORDS_MAX 16

static const char *const lines[] = {
	"write_bw -n 4 -s 64 host",
	"write_lat -n 4 -s 64 host",
	"read_bw -n 4 -s 64 -q 2 --threads 2 host",
	"read_lat -n 4 -s 64 host",
	"send_bw -n 4 -s 2..8 -q 2 -t 16 -r 16 host",
	"send_lat -n 4 -s 64 host",
	"atomic_bw -n 4 host",
	"atomic_lat -n 4 --atomic-type CMP_AND_SWAP host",
	"send_bw -n 4 -s 64 -b host",
	"write_bw -n 4 -s 64 --reversed host",
	"send_bw -n 4 -s 64 -c UD host",
	"send_lat -n 4 -s 64 -c UD host",
	"write_bw -n 4 -s 64 -c UC --imm host",
	"send_bw -n 4 -s 64 --reversed -c UD host",
	"send_bw -n 4 -s 64 --srq -q 2 --recv-post-list 4 host",
	"send_bw -n 4 -s 64 --verify host",
	"write_bw -n 4 -s 64 --verify host",
	"send_bw -D 1 -s 64 --events host",
	"send_bw -n 4 -s 64 --rate 1mpps --burst 2 host",
	"send_lat -n 4 -s 64 --rate 1kpps host",
	"send_bw -D 2 -s 64 --interval 1 --reversed host",
};

bool tests_get(unsigned int index, struct options *options)
{
	char line[128] = "verbsperf ", *argv[WORDS_MAX + 1] = { NULL };
	struct error err = { 0 };
	int argc = 0;

	if (index >= sizeof(lines) / sizeof(*lines))
		return false;
	strncat(line, lines[index], sizeof(line) - 12);
	for (char *word = strtok(line, " "); word && argc < WORDS_MAX;
	     word = strtok(NULL, " "))
		argv[argc++] = word;
	if (options_parse(argc, argv, options, &err)) {
		fprintf(stderr, "%s: %s\n", lines[index], err.message);
		abort();
	}
	/* it needs no time to be measured; and the line is gone */
	options->params.clock = CLOCK_RAW;
	options->server = NULL;
	return true;
}
