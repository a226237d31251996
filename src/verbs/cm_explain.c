/* Explains what librdmacm's events and statuses mean, with advice. */
#include "config.h"
#include "verbs/cm_id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The status that librdmacm gives to an event when it could not open the device
 * or allocate a protection domain. */
#define OWN_FAILURE (-1)

#define EITHER(text) { text, text, text }
#define NO_ANSWER \
	"see that no firewall stops UDP port 4791, that both ends have the " \
	"module rdma_cm, and ping the address", \
	"see that the subnet manager knows both ends, and that both have the " \
	"module rdma_cm", \
	"see that no firewall stops TCP to that port, and ping the address"

/* Advice for Ethernet, for InfiniBand and, if it is another than the first, for
 * iWARP. */
static const struct {
	enum rdma_cm_event_type event;
	const char *name;
	int errnum;
	const char *what;
	const char *advice[3];
} events[] = {
#define EVENT(id, ...) \
	{ RDMA_CM_EVENT_##id, "RDMA_CM_EVENT_" #id, __VA_ARGS__ }
	EVENT(ADDR_RESOLVED, EPROTO, "found an address once more",
	  EITHER(NULL)),
	EVENT(ADDR_ERROR, EHOSTUNREACH,
	  "found no RDMA device that leads there",
	  { "no route or no neighbour entry: ping it, and see 'ip route get' "
	    "and 'ip neigh'; try another -x",
	    "name the server by the address of its IPoIB interface, and give "
	    "this end one in the same network" }),
	EVENT(ROUTE_RESOLVED, EPROTO, "found a route once more", EITHER(NULL)),
	EVENT(ROUTE_ERROR, EHOSTUNREACH, "found no route there",
	  { "see 'ip route get', and the MTU and state of the interface",
	    "the subnet manager knows no path: 'ibstat', 'sminfo'" }),
	EVENT(CONNECT_REQUEST, EPROTO, "was asked for a connection",
	  EITHER(NULL)),
	EVENT(CONNECT_RESPONSE, EPROTO, "got an answer too early",
	  EITHER(NULL)),
	EVENT(CONNECT_ERROR, ECONNABORTED, "could not complete the connection",
	  { NO_ANSWER }),
	EVENT(UNREACHABLE, EHOSTUNREACH, "got no answer to its requests",
	  { NO_ANSWER }),
	EVENT(REJECTED, ECONNREFUSED, "was refused the connection",
	  EITHER("see what the server says, and there whether 'ip route get' "
		 "of this end's address leads by the interface that was asked; "
		 "something between both ends may have taken its place")),
	EVENT(ESTABLISHED, EPROTO, "was connected too early", EITHER(NULL)),
	EVENT(DISCONNECTED, ECONNRESET, "lost the connection",
	  EITHER("see what the other end says")),
	EVENT(DEVICE_REMOVAL, ENODEV, "lost the device",
	  EITHER("the device was removed or its driver reset: see 'dmesg'")),
	EVENT(ADDR_CHANGE, ENETDOWN,
	  "lost the address, which moved to another device",
	  EITHER("keep a bonded interface on one port meanwhile")),
	EVENT(MULTICAST_JOIN, EPROTO, "joined it once more", EITHER(NULL)),
	EVENT(MULTICAST_ERROR, ECONNREFUSED, "was refused",
	  { "choose another group, or leave --rdma-cm out",
	    "see the log of the subnet manager, and 'saquery -g': it may have "
	    "no room, or a group of that address with another P_Key or "
	    "Q_Key" }),
};

/* Reasons of a rejection, from the InfiniBand specification, 12.6.7.2. */
static const struct {
	int reason;
	const char *text;
} reasons[] = {
	{ 1, "no queue pair is left" },
	{ 3, "no resources are left" },
	{ 4, "it took too long" },
	{ 5, "the request is not supported" },
	{ 6, "the connection is not known" },
	{ 8, "nobody listens there" },
	{ 9, "the transport does not fit" },
	{ 10, "an older connection of the queue pair is not over" },
	{ 12, "the GID is not that of the port" },
	{ 13, "the LID is not that of the port" },
	{ 14, "the service level is not allowed" },
	{ 15, "the traffic class is not allowed" },
	{ 16, "the hop limit is not allowed" },
	{ 17, "the packet rate is not allowed" },
	{ 26, "the MTU is not allowed" },
	{ 27, "resources of the queue pair do not suffice" },
	/* the kernel there says so, too */
	{ 28, "the listener there does not know this session, or its kernel "
	      "has no way back by that interface" },
};

static const char *const steps[CM_STEPS] = {
	[CM_ADDRESS] = "looking for the device that leads to",
	[CM_ROUTE] = "looking for the route to",
	[CM_ANSWER] = "asking for a connection with",
	[CM_CONNECTED] = "connected with",
	[CM_GROUP] = "joining",
};

static const char *advice_for(const char *const advice[3],
			      enum cm_network network)
{
	if (network == CM_IWARP && advice[2])
		return advice[2];
	return advice[network == CM_INFINIBAND];
}

static size_t row_of(enum rdma_cm_event_type event)
{
	size_t row = 0;

	while (row < sizeof(events) / sizeof(*events) &&
	       events[row].event != event)
		row++;
	return row;
}

const char *cm_event_name(enum rdma_cm_event_type event)
{
	const size_t row = row_of(event);

	return row < sizeof(events) / sizeof(*events) ? events[row].name :
							"RDMA_CM_EVENT_?";
}

/* "status 8: nobody listens there" */
static const char *status_text(enum rdma_cm_event_type event, int status,
			       char *text, size_t size)
{
	const char *meaning = NULL;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (event == RDMA_CM_EVENT_REJECTED &&
		    reasons[i].reason == status)
			meaning = reasons[i].text;
	if (status < 0)
		meaning = strerror(-status);
	snprintf(text, size, "status %d%s%s", status, meaning ? ": " : "",
		 meaning ? meaning : "");
	return text;
}

int cm_explain(enum rdma_cm_event_type event, int status, enum cm_step step,
	       const char *peer, enum cm_network network, struct error *err)
{
	const size_t row = row_of(event);
	char text[120];

	if (event == RDMA_CM_EVENT_ADDR_ERROR && status == OWN_FAILURE)
		return fail_code(err, -EIO, events[row].name,
				 "see that 'verbsperf devices' can open it, "
				 "and the limits of the process (ulimit -n, "
				 "rdma.max of its control group)",
				 "rdma_cm, %s %s, found the device, but "
				 "librdmacm cannot use it", steps[step], peer);
	status_text(event, status, text, sizeof(text));
	if (row == sizeof(events) / sizeof(*events))
		return fail_code(err, -EPROTO, "RDMA_CM_EVENT_?", NULL,
				 "rdma_cm, %s %s, reported event %d (%s)",
				 steps[step], peer, (int)event, text);
	return fail_code(err, -events[row].errnum, events[row].name,
			 advice_for(events[row].advice, network),
			 "rdma_cm, %s %s, %s: %s (%s)", steps[step], peer,
			 events[row].what, events[row].name, text);
}

int cm_explain_silence(enum cm_step step, const char *peer,
		       enum cm_network network, struct error *err)
{
	static const char *const advice[][3] = {
		{ NO_ANSWER },
		{ "see 'dmesg': the kernel joins it without asking anybody",
		  "see that the subnet manager is up and knows this port: "
		  "'sminfo', 'saquery -g'" },
	};

	return fail(err, -ETIMEDOUT,
		    advice_for(advice[step == CM_GROUP], network),
		    "rdma_cm, %s %s, took too long (--timeout)", steps[step],
		    peer);
}
