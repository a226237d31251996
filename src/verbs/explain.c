/* The tables of completion statuses, verbs' errors and events, each with its
 * cause and advice. */
#include "config.h"
#include "verbs/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define CAUSE_SIZE 300
#define ADVICE_SIZE sizeof(((struct error *)NULL)->advice)

/* Conditions of a row; all of them must hold. */
enum condition {
	ETHERNET = 1 << 0,
	INFINIBAND = 1 << 1,
	NEVER = 1 << 2,		/* nothing was acknowledged in this run */
	AFTER = 1 << 3,		/* something was acknowledged */
	RECEIVE = 1 << 4,	/* a receive failed, not a send */
	SHARED = 1 << 5,	/* the receives are shared */
	DATAGRAM = 1 << 6,
	ATOMIC = 1 << 7,
	READ = 1 << 8,
	WRITE = 1 << 9,
	PACKETS = 1 << 10,	/* a message has several packets */
	IWARP = 1 << 11,	/* which is not ETHERNET here */
	GPU = 1 << 12,		/* this end's messages are in GPU memory */
};

struct explanation {
	int status;		/* enum ibv_wc_status */
	unsigned int when;
	const char *cause;	/* with {words}, see explain_words.c */
	const char *advice;
};

/* Where nothing but this program can be wrong. */
#define BUG "report it, with the versions of both ends"
/* Where the platform can be, too: the memory was registered before. */
#define PLATFORM \
	"look at this host's kernel log (dmesg){own-reason}; if nothing is " \
	"there, report it, with the versions of both ends"
#define GPU_PLATFORM \
	"look at this host's kernel log (dmesg){own-reason}; give the GPU a " \
	"large BAR (above 4G decoding, Resizable BAR), look for ACS and an " \
	"IOMMU between both ('verbsperf devices --topology'), try a smaller " \
	"-s or another GPU"
#define HOST_PLATFORM \
	"look at this host's kernel log (dmesg) for its IOMMU and PCIe" \
	"{own-reason}; try iommu=pt, --hugepages, or a smaller -s"

#define IWARP_ENDED \
	"the connection ended, and iWARP does not tell why: the {peer} died, " \
	"reset it or, with a Terminate message, refused what came: no " \
	"receive was posted there, or the memory was not to be accessed", \
	"look at the {peer}'s output and at the kernel's log of both ends; if " \
	"receives ran out, try a larger -r"

/* The first row whose status and conditions match is used. */
static const struct explanation statuses[] = {
	{ IBV_WC_LOC_LEN_ERR, RECEIVE,
	  "the {peer}'s message is longer than the receive posted for it",
	  "compare the versions of both ends" },
	{ IBV_WC_LOC_LEN_ERR, DATAGRAM,
	  "a message of {size} bytes is larger than the path MTU, {mtu}",
	  "use a --size of at most {mtu}" },
	{ IBV_WC_LOC_LEN_ERR, ATOMIC,
	  "an atomic reads and writes exactly 8 bytes", BUG },
	{ IBV_WC_LOC_LEN_ERR, 0,
	  "a message of {size} bytes is longer than this device, or the "
	  "{peer}'s receive, allows", "try a smaller --size" },
	/* siw says so of what it was sending */
	{ IBV_WC_LOC_QP_OP_ERR, IWARP, IWARP_ENDED },
	{ IBV_WC_LOC_QP_OP_ERR, RECEIVE,
	  "a receive could not be used: its memory is not registered for it, "
	  "or the queue pair does not allow it", PLATFORM },
	{ IBV_WC_LOC_QP_OP_ERR, ETHERNET,
	  "this end could not send it: the queue pair does not allow the "
	  "operation or, on Soft-RoCE, the link or the route is gone",
	  "check 'ip link' and 'ip route get' towards the {peer}'s GID" },
	{ IBV_WC_LOC_QP_OP_ERR, 0,
	  "this end could not send it: the queue pair does not allow the "
	  "operation", PLATFORM },
	{ IBV_WC_LOC_EEC_OP_ERR, 0, "the local EE context failed", NULL },
	{ IBV_WC_LOC_PROT_ERR, GPU,
	  "the device could not reach the GPU's memory, which was registered: "
	  "the GPU's BAR does not show all of it, its mapping went away, or "
	  "ACS or an IOMMU is between both", GPU_PLATFORM },
	{ IBV_WC_LOC_PROT_ERR, AFTER,
	  "the device could no longer reach this end's memory, which worked "
	  "for {acknowledged}: an IOMMU, address translation (ATS) or the "
	  "mapping of the memory failed", HOST_PLATFORM },
	{ IBV_WC_LOC_PROT_ERR, RECEIVE,
	  "the device could not use the memory of a receive, which was "
	  "registered: lkey, range or LOCAL_WRITE, or an IOMMU is between "
	  "both, as in a virtual machine", HOST_PLATFORM },
	{ IBV_WC_LOC_PROT_ERR, 0,
	  "the device could not use the memory of the message, which was "
	  "registered: lkey, range or permission, or an IOMMU is between "
	  "both, as in a virtual machine", HOST_PLATFORM },
	{ IBV_WC_WR_FLUSH_ERR, IWARP, IWARP_ENDED },
	{ IBV_WC_WR_FLUSH_ERR, 0,
	  "the queue pair was already in the error state, for an unknown "
	  "reason",
	  "look at the {peer}'s output and at the kernel's log" },
	{ IBV_WC_MW_BIND_ERR, 0, "a memory window could not be bound", NULL },
	{ IBV_WC_BAD_RESP_ERR, 0, "the {peer} sent an answer out of order",
	  "look at the {peer}'s output" },
	{ IBV_WC_LOC_ACCESS_ERR, 0,
	  "the {peer}'s write was refused here: its rkey, range or permission",
	  "compare the versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, RECEIVE,
	  "the {peer}'s message was refused here: it is longer than the "
	  "receive, or the queue pair does not allow it",
	  "compare the versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, ATOMIC,
	  "the {peer} refused the atomic: its address is not a multiple of 8, "
	  "or the queue pair there does not allow atomics",
	  "compare the versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, READ,
	  "the {peer} refused the read: the queue pair there does not allow "
	  "reads, or fewer than {outstanding-reads} at once",
	  "try -o 1, and compare the versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, ETHERNET | PACKETS | AFTER,
	  "the {peer} refused a {operation} of {size} bytes after it took "
	  "{acknowledged} like it: Soft-RoCE does so when a message of several "
	  "packets is sent again, as after {ack-time} without an "
	  "acknowledgement (--qp-timeout {qp-timeout})",
	  "try --qp-timeout {longer}, or fewer outstanding (-q, -t); look for "
	  "lost packets ('ip -s link'); with other devices compare the "
	  "versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, ETHERNET | PACKETS | WRITE,
	  "the {peer} refused the first write: its queue pair does not allow "
	  "writes, its path MTU is not {mtu}, or it is Soft-RoCE, and the "
	  "message of several packets was sent again after {ack-time} without "
	  "an acknowledgement (--qp-timeout {qp-timeout})",
	  "try --qp-timeout {longer}; compare the versions of both ends, and "
	  "the path MTU in their reports (-m)" },
	{ IBV_WC_REM_INV_REQ_ERR, ETHERNET | PACKETS,
	  "the {peer} refused the first message: it is longer than the receive "
	  "there, or the {peer} is Soft-RoCE, and the message of several "
	  "packets was sent again after {ack-time} without an acknowledgement "
	  "(--qp-timeout {qp-timeout})",
	  "try --qp-timeout {longer}; compare the versions of both ends" },
	{ IBV_WC_REM_INV_REQ_ERR, WRITE,
	  "the {peer} refused the write: the queue pair there does not allow "
	  "writes, or its path MTU is not {mtu}",
	  "compare the versions of both ends, and the path MTU in their "
	  "reports (-m)" },
	{ IBV_WC_REM_INV_REQ_ERR, 0,
	  "the {peer} refused a message of {size} bytes: it is longer than "
	  "the receive there, or the queue pair does not allow it",
	  "compare the versions of both ends" },
	{ IBV_WC_REM_ACCESS_ERR, RECEIVE,
	  "the {peer}'s message was refused here: its rkey, range or "
	  "permission", "compare the versions of both ends" },
	{ IBV_WC_REM_ACCESS_ERR, 0,
	  "the {peer} refused the rkey, the range or the permission",
	  "the {peer}'s memory may have gone away: look at its output" },
	{ IBV_WC_REM_OP_ERR, 0,
	  "the {peer} could not complete the operation: its receive or its "
	  "memory failed", "look at the {peer}'s output" },
	{ IBV_WC_RETRY_EXC_ERR, INFINIBAND | NEVER,
	  "the {peer} never acknowledged anything, so that the path never "
	  "worked: {lids}, service level {sl}, P_Key {pkey}",
	  "ask the subnet manager for that path ('ibstat', 'sminfo', "
	  "'ibtracert'), try another -S or --pkey-index" },
	{ IBV_WC_RETRY_EXC_ERR, INFINIBAND,
	  "the {peer} acknowledged {acknowledged} and then nothing more: it "
	  "died, or its link went down ({lids})",
	  "look at the {peer}'s output and at 'ibstat' of both ends; "
	  "{patience} can be raised" },
	{ IBV_WC_RETRY_EXC_ERR, NEVER,
	  "the {peer} never acknowledged anything, so that the path never "
	  "worked: {gids}",
	  "look for a GID of the wrong index or type (-x), no route or "
	  "neighbour ('ip route get', 'ip neigh'), UDP port 4791 filtered, a "
	  "path that does not carry {mtu} bytes (-m)" },
	{ IBV_WC_RETRY_EXC_ERR, AFTER,
	  "the {peer} acknowledged {acknowledged} and then nothing more: it "
	  "died, its link went down, or packets are lost; {gids}",
	  "look at the {peer}'s output, 'ip -s link' and the drops of the "
	  "switches; {patience} can be raised" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, SHARED,
	  "the {peer} had no receive posted in time: {rx-depth} are shared "
	  "(--rx-depth), tried again {rnr-retry} times (--rnr-retry), timer "
	  "code {min-rnr-timer} (--min-rnr-timer)",
	  "try a larger -r, which all queue pairs share, a longer "
	  "--min-rnr-timer, or --rnr-retry 7: for ever" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, 0,
	  "the {peer} had no receive posted in time: {rx-depth} of each queue "
	  "pair (--rx-depth), tried again {rnr-retry} times (--rnr-retry), "
	  "timer code {min-rnr-timer} (--min-rnr-timer)",
	  "try a larger -r, a longer --min-rnr-timer, or --rnr-retry 7: for "
	  "ever" },
	{ IBV_WC_LOC_RDD_VIOL_ERR, 0, "wrong RD domain", NULL },
	{ IBV_WC_REM_INV_RD_REQ_ERR, 0, "wrong RD request", NULL },
	{ IBV_WC_REM_ABORT_ERR, 0, "the {peer} aborted the operation",
	  "look at the {peer}'s output" },
	{ IBV_WC_INV_EECN_ERR, 0, "wrong EE context number", NULL },
	{ IBV_WC_INV_EEC_STATE_ERR, 0, "wrong EE context state", NULL },
	{ IBV_WC_FATAL_ERR, 0, "the device failed", "see the kernel's log" },
	{ IBV_WC_RESP_TIMEOUT_ERR, 0, "the {peer} did not answer in time",
	  "look at the {peer}'s output" },
	{ IBV_WC_GENERAL_ERR, 0, "the transport failed",
	  "see the kernel's log" },
};

#define NAME(id) [id] = #id

static const char *const status_names[] = {
	NAME(IBV_WC_SUCCESS), NAME(IBV_WC_LOC_LEN_ERR),
	NAME(IBV_WC_LOC_QP_OP_ERR), NAME(IBV_WC_LOC_EEC_OP_ERR),
	NAME(IBV_WC_LOC_PROT_ERR), NAME(IBV_WC_WR_FLUSH_ERR),
	NAME(IBV_WC_MW_BIND_ERR), NAME(IBV_WC_BAD_RESP_ERR),
	NAME(IBV_WC_LOC_ACCESS_ERR), NAME(IBV_WC_REM_INV_REQ_ERR),
	NAME(IBV_WC_REM_ACCESS_ERR), NAME(IBV_WC_REM_OP_ERR),
	NAME(IBV_WC_RETRY_EXC_ERR), NAME(IBV_WC_RNR_RETRY_EXC_ERR),
	NAME(IBV_WC_LOC_RDD_VIOL_ERR), NAME(IBV_WC_REM_INV_RD_REQ_ERR),
	NAME(IBV_WC_REM_ABORT_ERR), NAME(IBV_WC_INV_EECN_ERR),
	NAME(IBV_WC_INV_EEC_STATE_ERR), NAME(IBV_WC_FATAL_ERR),
	NAME(IBV_WC_RESP_TIMEOUT_ERR), NAME(IBV_WC_GENERAL_ERR),
};

/* Errors that a verb returned immediately, without doing anything. */
static const struct {
	const char *verb;	/* NULL: any other verb */
	int errnum;
	const char *cause;
	const char *advice;
} immediate[] = {
	{ "ibv_post_send", ENOMEM, "the send queue is full", BUG },
	{ "ibv_wr_complete", ENOMEM, "the send queue is full", BUG },
	{ "ibv_wr_complete", ENOSPC, "the send queue is full", BUG },
	{ "ibv_post_send", EINVAL,
	  "the queue pair is in no state to send, or the request has more SGEs "
	  "or inline bytes than it allows", BUG },
	{ "ibv_wr_complete", EINVAL,
	  "the queue pair is in no state to send, or the request has more SGEs "
	  "or inline bytes than it allows", BUG },
	{ "ibv_post_recv", ENOMEM, "the receive queue is full", BUG },
	{ "ibv_post_srq_recv", ENOMEM, "the shared receive queue is full",
	  BUG },
	{ "ibv_poll_cq", EIO, "the completion queue cannot be read any more",
	  "see the kernel's log" },
	{ NULL, 0, NULL, NULL },
};

static unsigned int conditions(const struct explain_context *c, bool receive)
{
	const struct op_info *op = &op_table[c->plan->op];
	unsigned int holds = c->iwarp ? IWARP :
			     c->ethernet ? ETHERNET : INFINIBAND;

	holds |= c->acknowledged ? AFTER : NEVER;
	holds |= c->on_gpu ? GPU : 0;
	if (receive)
		return holds | RECEIVE;
	if (plan_shares_receives(c->plan))
		holds |= SHARED;
	if (c->size > c->plan->mtu && !op->fetches)
		holds |= PACKETS;
	if (plan_is_datagram(c->plan))
		holds |= DATAGRAM;
	if (op_is_atomic(c->plan->op))
		return holds | ATOMIC;
	return holds | (op->fetches ? READ : op->access ? WRITE : 0);
}

static const struct explanation *find_status(int status, unsigned int holds)
{
	static const struct explanation unknown = {
		0, 0, "an unknown status",
		"see the documentation of the device's driver",
	};

	for (size_t i = 0; i < COUNT(statuses); i++)
		if (statuses[i].status == status &&
		    (statuses[i].when & holds) == statuses[i].when)
			return &statuses[i];
	return &unknown;
}

const char *explain_status_name(enum ibv_wc_status status)
{
	if ((size_t)status >= COUNT(status_names))
		return "IBV_WC_?";
	return status_names[status];
}

/* "RDMA write", "receive", ...; names both candidates when unsure which
 * failed. */
static const char *work_name(const struct explain_context *c, bool receive,
			     char text[40])
{
	if (receive)
		return "receive";
	if (c->notices && !c->sends)
		return "credit";
	explain_words(c->notices ? "RDMA {operation} or its notice" :
				   "RDMA {operation}", c, text, 40);
	return text;
}

static int explain_immediate(const struct flow_failure *failure,
			     const char *work,
			     const struct explain_context *c,
			     struct error *err)
{
	const char *name = errno_name(failure->errnum);
	size_t i = 0;

	while (immediate[i].verb &&
	       (strcmp(immediate[i].verb, failure->verb) != 0 ||
		immediate[i].errnum != failure->errnum))
		i++;
	return fail(err, -failure->errnum, immediate[i].advice,
		    "%s on QP 0x%06x: %s returned %s (%s)%s%s", work, c->qpn,
		    failure->verb, name ? name : "an unknown errno",
		    strerror(failure->errnum), immediate[i].verb ? ": " : "",
		    immediate[i].verb ? immediate[i].cause : "");
}

/* What ended a queue pair may be seen at this host: a request that cannot leave
 * is flushed by Soft-RoCE of Linux 6.12 and later, fails in earlier ones, and
 * is sent again in vain by a NIC. */
static bool is_of_path(const struct flow_failure *failure,
		       const struct explain_context *c)
{
	const enum ibv_wc_status status = failure->status;

	return c->signs && !c->iwarp &&
	       path_fault_is_local(path_fault_of(c->signs)) &&
	       (status == IBV_WC_WR_FLUSH_ERR ||
		status == IBV_WC_RETRY_EXC_ERR ||
		(status == IBV_WC_LOC_QP_OP_ERR && !failure->receive));
}

int explain_failure(const struct flow_failure *failure,
		    const struct explain_context *c, struct error *err)
{
	char work[40], vendor[24] = "", cause[CAUSE_SIZE], advice[ADVICE_SIZE];
	const char *name = work_name(c, failure->receive, work);
	const struct explanation *why;
	struct explanation of_path;

	if (failure->status == IBV_WC_SUCCESS)
		return explain_immediate(failure, name, c, err);
	why = find_status((int)failure->status,
			  conditions(c, failure->receive));
	if (is_of_path(failure, c)) {
		of_path = (struct explanation){
			.cause = explain_path(c)->cause,
			.advice = explain_path(c)->advice,
		};
		why = &of_path;
	}
	if (failure->vendor_err)
		snprintf(vendor, sizeof(vendor), ", vendor 0x%x",
			 failure->vendor_err);
	explain_words(why->cause, c, cause, sizeof(cause));
	explain_words(why->advice ? why->advice : "", c, advice,
		      sizeof(advice));
	return fail_code(err, -EIO, explain_status_name(failure->status),
			 advice, "%s on QP 0x%06x: completion with %s (%d%s): "
			 "%s", name, c->qpn,
			 explain_status_name(failure->status), failure->status,
			 vendor, cause);
}

#define EVENT(id, fatal, cause, advice) [id] = { #id, fatal, cause, advice }
#define LINK "look at 'ip link' or 'ibstat' of both ends"

static const struct explain_event_row events[] = {
	EVENT(IBV_EVENT_CQ_ERR, true,
	      "completion queue overrun or failure: further completions are "
	      "lost",
	      "see the kernel's log; if nothing is there, report it, with the "
	      "versions of both ends"),
	EVENT(IBV_EVENT_QP_FATAL, true,
	      "a queue pair failed, and no completion tells why",
	      "see the kernel's log, and the other end's output"),
	EVENT(IBV_EVENT_QP_REQ_ERR, true,
	      "the peer sent a request that is not valid",
	      "compare the versions of both ends"),
	EVENT(IBV_EVENT_QP_ACCESS_ERR, true,
	      "the peer tried to access memory that it may not access",
	      "look at the other end's output"),
	EVENT(IBV_EVENT_COMM_EST, false, "communication is established", NULL),
	EVENT(IBV_EVENT_SQ_DRAINED, false, "a send queue is drained", NULL),
	EVENT(IBV_EVENT_PATH_MIG, false, "the path migrated", NULL),
	EVENT(IBV_EVENT_PATH_MIG_ERR, true, "the path could not migrate",
	      LINK),
	EVENT(IBV_EVENT_DEVICE_FATAL, true, "the device failed",
	      "see the kernel's log"),
	EVENT(IBV_EVENT_PORT_ACTIVE, false, "the port became active", NULL),
	EVENT(IBV_EVENT_PORT_ERR, true, "the port went down", LINK),
	EVENT(IBV_EVENT_LID_CHANGE, true, "the port's LID changed",
	      "try again: the subnet manager was at work"),
	EVENT(IBV_EVENT_PKEY_CHANGE, false, "the P_Key table changed", NULL),
	EVENT(IBV_EVENT_SM_CHANGE, false, "the subnet manager changed", NULL),
	EVENT(IBV_EVENT_SRQ_ERR, true, "a shared receive queue failed",
	      "see the kernel's log"),
	EVENT(IBV_EVENT_SRQ_LIMIT_REACHED, false,
	      "a shared receive queue runs low", NULL),
	EVENT(IBV_EVENT_QP_LAST_WQE_REACHED, false,
	      "a queue pair took its last receive", NULL),
	EVENT(IBV_EVENT_CLIENT_REREGISTER, false,
	      "the subnet manager asks to register again", NULL),
	EVENT(IBV_EVENT_GID_CHANGE, false, "the GID table changed", NULL),
	EVENT(IBV_EVENT_WQ_FATAL, true, "a work queue failed",
	      "see the kernel's log"),
};

const struct explain_event_row *explain_event_of(enum ibv_event_type event)
{
	static const struct explain_event_row unknown = {
		"IBV_EVENT_?", false, "an unknown event", NULL,
	};
	const bool known = (size_t)event < COUNT(events) && events[event].name;

	return known ? &events[event] : &unknown;
}

int explain_event(enum ibv_event_type event, const char *device,
		  struct error *err)
{
	const struct explain_event_row *row = explain_event_of(event);

	return fail_code(err, -EIO, row->name, row->advice,
			 "%s: asynchronous event %s: %s", device, row->name,
			 row->cause);
}

/* A ping-pong's end that waits for a byte which the other should have written:
 * the path works, as its own writes were acknowledged. */
static const struct explain_path_row unanswered = {
	"all {acknowledged} that this end wrote were acknowledged by the "
	"{peer}'s device, so that the path works, but the byte that answers "
	"the last one was not written",
	"look whether the {peer}'s process has a CPU, and whether its memory "
	"shows what arrives (on-demand paging, GPU memory); --poll completion "
	"and send_lat wait for no byte",
};

int explain_stall(const struct explain_context *c, const char *what,
		  struct error *err)
{
	const struct explain_path_row *why =
		c->unanswered ? &unanswered : explain_path(c);
	char cause[CAUSE_SIZE], advice[ADVICE_SIZE];

	explain_words(why->cause, c, cause, sizeof(cause));
	explain_words(explain_loss(c->plan, c->size, why->advice), c, advice,
		      sizeof(advice));
	return fail(err, -ETIMEDOUT, advice, "%s: %s", what, cause);
}

const char *explain_loss(const struct plan *plan, uint64_t size,
			 const char *otherwise)
{
	bool writes = op_table[plan->op].access == IBV_ACCESS_REMOTE_WRITE;

	if (plan->transport == TRANSPORT_UC && writes && size > plan->mtu)
		return "once a packet of a write of several packets is lost, "
		       "Soft-RoCE accepts no more of them on that UC queue "
		       "pair: try a --size of at most the path MTU, or -c RC";
	return otherwise;
}
