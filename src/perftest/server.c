/* The beginning of a server's dialogue, and all of it with a perftest. */
#include "config.h"
#include "perftest/perftest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/wait.h"
#include "perftest/limits.h"
#include "perftest/steps.h"
#include "perftest/talk.h"

/* The peer closed the connection before it sent anything: no client. */
static int leave_unused(struct session *s)
{
	s->unused = true;
	return fail(session_error(s), -ECONNRESET, NULL,
		    "the %s closed the connection before it sent anything",
		    s->run.conn->peer);
}

/* Look at the client's first byte: a version begins with a digit, and a frame
 * does not.  Returns 1 for a version, 0, or a negative errno. */
static int sends_version(struct session *s)
{
	struct connection *conn = s->run.conn;
	struct error *err = session_error(s);
	int ret = oob_wait(conn->fd, POLLIN, &conn->cancel_fd,
			   time_after(run_peer_timeout(&s->run)), err);
	uint8_t byte;
	ssize_t n;

	if (ret == -ETIMEDOUT)
		return fail(err, ret, NULL,
			    "the %s said nothing in time: waited for %s",
			    conn->peer, frame_name(FRAME_HELLO));
	if (ret)
		return ret;
	n = recv(conn->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (!n || (n < 0 && errno == ECONNRESET))
		return leave_unused(s);
	return n == 1 && isdigit(byte);
}

/* The time that a turn may have which begins before the test is known. */
#define LONGEST_UNKNOWN (3600 * SECOND)

/* perftest cannot prove that it has a key. */
static int check_permission(const struct session *s, struct error *err)
{
	const struct parameters *params = &s->run.result->params;
	const struct networks *allow = &params->allow_perftest;

	if (allow->n && !networks_contain(allow, &s->run.conn->host))
		return fail(err, -EACCES, NULL,
			    "the client is %s, which this server does not "
			    "accept from there (--allow-perftest)",
			    talk_of(s)->name);
	if (allow->n || !params->key_file)
		return 0;
	return fail(err, -EACCES,
		    "--allow-perftest names the networks where it needs none",
		    "the client is %s, which cannot prove the key of this "
		    "server", talk_of(s)->name);
}

static int check_version(const struct session *s, struct error *err)
{
	const struct parameters *params = &s->run.result->params;
	const struct talk *t = talk_of(s);

	if (t->version.number < VERSION_LEAST)
		return fail(err, -EPROTONOSUPPORT, "upgrade perftest there",
			    "the client is %s: 5.80 or later is needed",
			    t->name);
	if (params->perftest || params->perftest_test ||
	    perftest_has_settings(s))
		return 0;
	return fail(err, -EPROTONOSUPPORT,
		    "start this server with --perftest TEST",
		    "the client is %s, and does not say which test it is",
		    t->name);
}

/* Take what this server's command line says of the test. */
static int take_own(struct session *s)
{
	struct parameters *params = &s->run.result->params;
	const struct parameters *test = params->perftest_test;

	params->key_file = NULL;
	params->plan.quiet = true;
	if (test) {
		params->plan = test->plan;
		params->timed = test->timed;
		params->gbits = test->gbits;
	}
	if (!perftest_has_settings(s))
		return limits_check(params, session_error(s));
	if (!params->max_duration)
		params->max_duration = params->once ? 2 * PLAN_LONGEST :
						      LONGEST_UNKNOWN;
	return 0;
}

/* Serve a perftest: it waits for its turn as long as it must, for the answer to
 * its version. */
static int admit(struct session *s)
{
	struct error *err = session_error(s);
	uint8_t mine[VERSION_SIZE];
	struct talk *t = talk_of(s);
	int ret;

	snprintf(t->name, sizeof(t->name), "perftest %s", t->version.text);
	ret = check_permission(s, err) ?: check_version(s, err) ?: take_own(s);
	if (ret)
		return ret;
	log_info("the client is %s", t->name);
	ret = session_take_turn(s) ?: session_open_device(s);
	session_stage(s, "hello");
	version_encode(perftest_has_settings(s) ? VERSION_TOLD : VERSION_SAID,
		       mine);
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
	ret = talk_receive(s, "version", theirs, sizeof(theirs), deadline);
	if (ret)
		return ret;
	if (version_decode(theirs, &t->version))
		return talk_refuse(s, "version");
	if (!t->version.is_verbsperf)
		return admit(s);
	version_encode(VERSION_SAID, mine);
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
};
