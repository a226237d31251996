#include "config.h"
#include "perftest/perftest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/frames.h"
#include "net/wait.h"
#include "perftest/limits.h"
#include "perftest/steps.h"
#include "perftest/talk.h"
#include "session/session.h"

/* Look at the client's first byte: a version begins with a digit, and a frame
 * does not.  Returns 1 for a version, 0, or a negative errno. */
static int sends_version(struct session *s)
{
	struct connection *conn = s->run.conn;
	const uint64_t deadline = time_after(run_peer_timeout(&s->run));
	struct error *err = &s->run.result->error;
	uint8_t byte;
	int ret;

	do {
		ret = oob_wait(conn->fd, POLLIN, &conn->cancel_fd, deadline,
			       err);
	} while (ret == 1);
	if (ret == -ETIMEDOUT)
		return fail(err, ret, NULL,
			    "the %s said nothing in time: waited for %s",
			    conn->peer, frame_name(FRAME_HELLO));
	if (ret)
		return ret;
	return recv(conn->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1 &&
	       isdigit(byte);
}

/* perftest says nothing of its test: it must be on this server's own command
 * line. */
static int check_client(struct session *s)
{
	const struct parameters *params = &s->run.result->params;
	struct error *err = &s->run.result->error;
	const struct talk *t = talk_of(s);

	if (!params->server_options)
		return fail(err, -EPROTONOSUPPORT,
			    "run ib_write_bw of verbsperf or another such name "
			    "here, without a host, or measure from here with "
			    "--peer perftest",
			    "the client is %s, and does not say which test "
			    "it is", t->name);
	if (t->version.number < VERSION_LEAST ||
	    t->version.number == VERSION_PARAMETERS)
		return fail(err, -EPROTONOSUPPORT, "upgrade perftest there",
			    "the client is %s: 5.80 or later is needed, but "
			    "not 6.28", t->name);
	return limits_check(params, err);
}

/* Serve a perftest: it waits for its turn as long as it must, for the answer to
 * its version. */
static int admit(struct session *s, const uint8_t *mine)
{
	struct talk *t = talk_of(s);
	int ret;

	snprintf(t->name, sizeof(t->name), "perftest %s", t->version.text);
	ret = check_client(s);
	if (ret)
		return ret;
	log_info("the client is %s", t->name);
	s->run.result->params.plan.quiet = true;
	ret = session_take_turn(s);
	if (!ret)
		ret = session_open_device(s);
	session_stage(s, "hello");
	return ret ? ret : talk_send(s, "version", mine, VERSION_SIZE,
				     time_after(run_peer_timeout(&s->run)));
}

/* Learn who is there: a verbsperf goes on with frames. */
static int meet(struct session *s)
{
	struct talk *t = s->talk = xcalloc(1, sizeof(*t));
	const uint64_t deadline = time_after(run_peer_timeout(&s->run));
	uint8_t mine[VERSION_SIZE], theirs[VERSION_SIZE];
	int ret;

	session_stage(s, "hello");
	snprintf(t->name, sizeof(t->name), "perftest");
	ret = sends_version(s);
	if (ret <= 0) {
		session_continue(s, &session_server_dialogue);
		return ret;
	}
	version_encode(mine);
	ret = talk_receive(s, "version", theirs, sizeof(theirs), deadline);
	if (ret)
		return ret;
	if (version_decode(theirs, &t->version))
		return talk_refuse(s, "version");
	if (!t->version.is_verbsperf)
		return admit(s, mine);
	session_continue(s, &session_server_dialogue);
	return talk_send(s, "version", mine, sizeof(mine), deadline);
}

static session_step *const steps[] = {
	meet, perftest_agree, perftest_connect, perftest_measure, NULL,
};

const struct dialogue perftest_server_dialogue = {
	.steps = steps,
	.start = perftest_start,
	.swap = perftest_swap,
	.give_up = perftest_give_up,
};
