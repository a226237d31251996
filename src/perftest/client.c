/* The client of a server that is perftest or verbsperf. */
#include "config.h"
#include "perftest/perftest.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/wire.h"
#include "perftest/steps.h"
#include "perftest/talk.h"

/* What sent BYTES instead of a version. */
static int refuse_stranger(struct session *s, const uint8_t *bytes)
{
	struct error *err = session_error(s);
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	if (be32toh(magic) == WIRE_MAGIC)
		return fail(err, -EPROTO, "upgrade it, or use 'verbsperf TEST'",
			    "the server is a verbsperf that does not know "
			    "clients of perftest's");
	return fail(err, -EPROTO, "check the port",
		    "the server is neither perftest nor verbsperf: it sent "
		    "bytes 0x%08x", (unsigned int)be32toh(magic));
}

static int check_version(struct session *s)
{
	const struct talk *t = talk_of(s);
	struct error *err = session_error(s);

	if (t->version.number < VERSION_LEAST)
		return fail(err, -EPROTONOSUPPORT, "upgrade perftest there",
			    "the server is %s: 5.80 or later is needed",
			    t->name);
	if (op_has_imm(s->run.plan->op) &&
	    t->version.number < VERSION_WRITE_IMM)
		return fail(err, -EPROTONOSUPPORT, "upgrade perftest there",
			    "the server is %s, which has no immediate data",
			    t->name);
	return 0;
}

/* Learn who is there: a verbsperf goes on with frames. */
static int meet(struct session *s)
{
	struct talk *t = s->talk = xcalloc(1, sizeof(*t));
	uint8_t mine[VERSION_SIZE], theirs[VERSION_SIZE];
	int ret;

	session_stage(s, "hello");
	snprintf(t->name, sizeof(t->name), "perftest");
	version_encode(VERSION_SAID, mine);
	/* perftest sleeps for a second first */
	ret = talk_swap(s, "version", SECOND, mine, theirs, sizeof(mine));
	if (ret)
		return ret;
	if (version_decode(theirs, &t->version))
		return refuse_stranger(s, theirs);
	if (t->version.is_verbsperf) {
		session_continue(s, &session_client_dialogue);
		return 0;
	}
	snprintf(t->name, sizeof(t->name), "perftest %s", t->version.text);
	t->has_sixth = t->version.number == VERSION_OF_FORK;
	log_info("the server is %s", t->name);
	oob_probe_host(s->run.conn);
	return check_version(s);
}

static session_step *const steps[] = {
	session_open_samples, meet, perftest_agree, perftest_choose_gid,
	perftest_connect, perftest_measure, NULL,
};

const struct dialogue perftest_client_dialogue = {
	.steps = steps,
	.start = perftest_start,
	.swap = perftest_swap,
};
