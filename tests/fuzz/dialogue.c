#include "config.h"
#include "dialogue.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "fake_verbs.h"
#include "fuzz.h"
#include "perftest/perftest.h"
#include "session/session.h"

#define SECOND 1000000000LL
/* In a session time runs so much faster and, when it has taken so many ns,
 * faster still: an hour of waiting is over in 4 ms. */
#define FAST 256
#define FAST_FOR (SECOND / 50)
#define FASTER (1 << 20)

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);

/* When the session began, in ns; 0: there is none, and time is as usual. */
static int64_t began_at;

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec * SECOND + ts->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){ ns / SECOND, ns % SECOND };
}

static int64_t speed_up(int64_t ns)
{
	int64_t passed = ns - began_at;

	if (passed < FAST_FOR)
		return began_at + passed * FAST;
	return began_at + FAST_FOR * FAST + (passed - FAST_FOR) * FASTER;
}

/* The other way round. */
static int64_t slow_down(int64_t ns)
{
	int64_t passed = ns - began_at;

	if (passed < FAST_FOR * FAST)
		return began_at + passed / FAST;
	return began_at + FAST_FOR + (passed - FAST_FOR * FAST) / FASTER;
}

/* The linker puts these two in the place of libc's. */
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = __real_clock_gettime(id, ts);

	if (began_at && id == CLOCK_MONOTONIC)
		*ts = from_ns(speed_up(to_ns(ts)));
	return ret;
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old)
{
	struct itimerspec when = *new;

	when.it_value = from_ns(slow_down(to_ns(&new->it_value)) + 1);
	return __real_timerfd_settime(fd, flags, &when, old);
}

void __wrap_randombytes_buf(void *bytes, size_t size);

/* A peer whose words are written before must know what is random. */
void __wrap_randombytes_buf(void *bytes, size_t size)
{
	memset(bytes, DIALOGUE_RANDOM, size);
}

/* As small as it may be, so that no input takes long. */
static void prepare_device(const uint8_t settings[DIALOGUE_SETTINGS])
{
	fake_verbs_reset();
	fake_verbs.attr.max_qp = 8;
	fake_verbs.attr.max_qp_wr = 512;
	fake_verbs.attr.max_cqe = 4096;
	fake_verbs.attr.max_srq_wr = 512;
	fake_verbs.port.max_msg_sz = 1 << 20;
	fake_verbs.builders = settings[0] & DIALOGUE_BUILDERS;
	fake_verbs.extended = settings[0] & DIALOGUE_ODP;
	if (settings[0] & DIALOGUE_ODP) {
		fake_verbs.odp.general_caps = IBV_ODP_SUPPORT;
		fake_verbs.odp.per_transport_caps.rc_odp_caps = 0x1f;
	}
	if (settings[0] & DIALOGUE_INFINIBAND) {
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = 1;
		fake_verbs.gids[0].gid_type = GID_TYPE_IB;
	}
	fake_verbs.stray = settings[0] & DIALOGUE_STRAY;
	fake_verbs.lose_every = settings[0] & DIALOGUE_LOSES ? 2 : 0;
	fake_verbs.fail_message = settings[2];
}

/* The bytes of all records, in order; to be freed. */
static uint8_t *make_bytes(const uint8_t *data, size_t size, size_t *total)
{
	/* a header of 12 bytes takes the place of 3, at most so often */
	uint8_t *bytes = xcalloc(1, size * (1 + WIRE_HEADER_SIZE / 3) + 1);
	size_t at = 0;

	while (size >= 3) {
		size_t length = (size_t)(data[1] << 8 | data[2]);
		struct cursor header = { .bytes = bytes + at,
					 .size = WIRE_HEADER_SIZE };

		length = length < size - 3 ? length : size - 3;
		if (!(data[0] & DIALOGUE_RAW)) {
			wire_put(&header, 4, WIRE_MAGIC);
			wire_put(&header, 2, WIRE_PROTOCOL);
			wire_put(&header, 2, data[0]);
			wire_put(&header, 4, length);
			at += WIRE_HEADER_SIZE;
		}
		memcpy(bytes + at, data + 3, length);
		at += length;
		data += 3 + length;
		size -= 3 + length;
	}
	*total = at;
	return bytes;
}

/* Says all it has to say at once, and nothing after that; returns the end for
 * the session. */
static int open_peer(const uint8_t *data, size_t size, int *peer)
{
	int room = 1 << 20, fds[2];
	size_t total;
	uint8_t *bytes = make_bytes(data, size, &total);

	MUST(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	for (int i = 0; i < 2; i++)
		setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	/* what does not fit is not said */
	if (total && send(fds[0], bytes, total, MSG_DONTWAIT) < 0)
		perror("send");
	shutdown(fds[0], SHUT_WR);
	free(bytes);
	*peer = fds[0];
	return fds[1];
}

static void run_session(struct connection *conn, struct device *device,
			struct result *result, bool client)
{
	struct session *session = NULL;
	struct timespec now;
	int ret;

	__real_clock_gettime(CLOCK_MONOTONIC, &now);
	began_at = to_ns(&now);
	ret = session_run(client, client ? &session_client_dialogue :
					   &perftest_server_dialogue,
			  conn, device, result, &session);
	session_free(session);
	began_at = 0;
	MUST(ret <= 0 && error_is_set(&result->error) == (ret != 0));
	MUST(!ret || (result->error.stage[0] && result->error.code[0] &&
		      result->error.message[0]));
}

void dialogue_run(const uint8_t *data, size_t size, bool client,
		  const struct parameters *params)
{
	struct result *result = xcalloc(1, sizeof(*result));
	struct error err = { 0 };
	struct connection conn;
	struct device device;
	int peer;

	log_set_level(LOG_QUIET);
	prepare_device(data);
	MUST(!device_open(params, &device, &err));
	fake_verbs.fail_call = data[1] ? fake_verbs.calls + data[1] : 0;
	oob_adopt(open_peer(data + DIALOGUE_SETTINGS,
			    size - DIALOGUE_SETTINGS, &peer), -1,
		  client ? "server" : "client", &conn);
	result->params = *params;
	run_session(&conn, &device, result, client);
	oob_close(&conn);
	close(peer);
	device_close(&device);
	result_free(result);
	MUST(!fake_verbs_alive());
	MUST(!fake_verbs.overflows);
}
