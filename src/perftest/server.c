/* The server of any client: who is there, and the turn of a perftest. */
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

/* The longest turn of a perftest that says how much it measures. */
#define LONGEST_TOLD (3600 * SECOND)
/* What a client with its turn may take for a message until its traffic begins,
 * and more for each of its queue pairs, which it connects meanwhile. */
#define SETUP_TIME (2 * SECOND)
#define SETUP_PER_QP (SECOND / 50)

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
	if (test) {
		params->plan = test->plan;
		params->timed = test->timed;
		params->gbits = test->gbits;
	}
	params->plan.quiet = true;
	/* nobody waits for its end */
	if (!params->max_duration && params->once)
		params->max_duration = 2 * PLAN_LONGEST;
	if (!perftest_has_settings(s))
		return limits_check(params, session_error(s));
	if (!params->max_duration)
		params->max_duration = LONGEST_TOLD;
	return 0;
}

/* The port, which a client is told of before its turn, and before anything is
 * made on the device. */
static int read_port(struct session *s)
{
	struct parameters any = s->run.result->params;
	struct device device = { 0 };
	int ret;

	if (s->run.device->context)
		return 0;
	session_stage(s, "device");
	/* perftest_agree() reports what is wrong with it */
	any.plan.check = true;
	ret = device_open(&any, &device, session_error(s));
	s->run.result->server = device.port;
	device_close(&device);
	return ret;
}

/* Answer a perftest that this server serves. */
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
	oob_probe_host(s->run.conn);
	version_encode(perftest_has_settings(s) ? VERSION_TOLD : VERSION_SAID,
		       mine);
	return talk_send(s, "version", mine, VERSION_SIZE,
			 time_after(run_peer_timeout(&s->run))) ?:
	       read_port(s);
}

/* It waits for its turn as long as it must, for the answer to its first key:
 * only then is it known what it wants, and that it wants it now.  Others wait
 * for it from here on. */
static int take_turn(struct session *s)
{
	struct result *r = s->run.result;
	const struct plan *plan = &r->params.plan;
	int ret = session_take_turn(s) ?: session_open_device(s);

	if (ret)
		return ret;
	if (mtu_bytes(r->server.active_mtu) < plan->mtu)
		return fail(&r->error, -EAGAIN, "try again",
			    "the MTU of %s became %u, and the client was told "
			    "%u before its turn", r->server.device,
			    mtu_bytes(r->server.active_mtu), plan->mtu);
	if (s->run.conn->turn_fd >= 0 && !r->params.once)
		talk_of(s)->most = SETUP_TIME + plan->qps * SETUP_PER_QP;
	return 0;
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
	meet, perftest_agree, perftest_await_ready, take_turn,
	perftest_choose_gid, perftest_connect, perftest_measure, NULL,
};

const struct dialogue perftest_server_dialogue = {
	.steps = steps,
	.start = perftest_start,
	.swap = perftest_swap,
};
