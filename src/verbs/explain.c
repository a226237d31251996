#include "config.h"
#include "verbs/explain.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct explanation {
	const char *name;
	const char *cause;
	const char *advice;
};

#define STATUS(id, cause, advice) [id] = { #id, cause, advice }

static const struct explanation statuses[] = {
	STATUS(IBV_WC_SUCCESS, "success", NULL),
	STATUS(IBV_WC_LOC_LEN_ERR,
	       "the message is longer than the receive or the MTU",
	       "try a smaller --size"),
	STATUS(IBV_WC_LOC_QP_OP_ERR,
	       "this end could not send it: the queue pair does not allow the "
	       "operation or, on Soft-RoCE, link or route are gone",
	       "check 'ip link' and 'ip route get' towards the peer's GID"),
	STATUS(IBV_WC_LOC_EEC_OP_ERR, "the local EE context failed", NULL),
	STATUS(IBV_WC_LOC_PROT_ERR,
	       "local memory is not registered for this, which is a bug here",
	       NULL),
	STATUS(IBV_WC_WR_FLUSH_ERR,
	       "an earlier error put the queue pair in the error state", NULL),
	STATUS(IBV_WC_MW_BIND_ERR, "a memory window could not be bound", NULL),
	STATUS(IBV_WC_BAD_RESP_ERR, "the peer sent an answer out of order",
	       NULL),
	STATUS(IBV_WC_LOC_ACCESS_ERR,
	       "the peer's message could not be put into local memory", NULL),
	STATUS(IBV_WC_REM_INV_REQ_ERR,
	       "the peer's queue pair does not allow this operation or length",
	       "compare the versions of both ends"),
	STATUS(IBV_WC_REM_ACCESS_ERR,
	       "the peer refused the rkey, the range or the permission",
	       "the peer's memory may have gone away: look at its output"),
	STATUS(IBV_WC_REM_OP_ERR, "the peer could not complete the operation",
	       "look at the peer's output"),
	STATUS(IBV_WC_RETRY_EXC_ERR,
	       "the peer never acknowledged: wrong GID, no route, UDP port "
	       "4791 filtered, MTU above the path's, or the peer died",
	       "compare both GIDs above, try 'ip neigh', -x, -m, "
	       "--qp-timeout"),
	STATUS(IBV_WC_RNR_RETRY_EXC_ERR,
	       "the peer had no receive posted in time", "try a larger -r"),
	STATUS(IBV_WC_LOC_RDD_VIOL_ERR, "wrong RD domain", NULL),
	STATUS(IBV_WC_REM_INV_RD_REQ_ERR, "wrong RD request", NULL),
	STATUS(IBV_WC_REM_ABORT_ERR, "the peer aborted the operation", NULL),
	STATUS(IBV_WC_INV_EECN_ERR, "wrong EE context number", NULL),
	STATUS(IBV_WC_INV_EEC_STATE_ERR, "wrong EE context state", NULL),
	STATUS(IBV_WC_FATAL_ERR, "the device failed", "see the kernel's log"),
	STATUS(IBV_WC_RESP_TIMEOUT_ERR, "the peer did not answer in time",
	       NULL),
	STATUS(IBV_WC_GENERAL_ERR, "the transport failed",
	       "see the kernel's log"),
};

#define EVENT(id, fatal, cause) [id] = { #id, fatal, cause }

static const struct {
	const char *name;
	bool fatal;
	const char *cause;
} events[] = {
	EVENT(IBV_EVENT_CQ_ERR, true, "a completion queue overflowed"),
	EVENT(IBV_EVENT_QP_FATAL, true, "a queue pair failed"),
	EVENT(IBV_EVENT_QP_REQ_ERR, true,
	      "the peer sent a request that is not valid"),
	EVENT(IBV_EVENT_QP_ACCESS_ERR, true,
	      "the peer reached for memory it may not access"),
	EVENT(IBV_EVENT_COMM_EST, false, "communication is established"),
	EVENT(IBV_EVENT_SQ_DRAINED, false, "a send queue is drained"),
	EVENT(IBV_EVENT_PATH_MIG, false, "the path migrated"),
	EVENT(IBV_EVENT_PATH_MIG_ERR, true, "the path could not migrate"),
	EVENT(IBV_EVENT_DEVICE_FATAL, true, "the device failed"),
	EVENT(IBV_EVENT_PORT_ACTIVE, false, "the port became active"),
	EVENT(IBV_EVENT_PORT_ERR, true, "the port went down"),
	EVENT(IBV_EVENT_LID_CHANGE, true, "the port's LID changed"),
	EVENT(IBV_EVENT_PKEY_CHANGE, false, "the P_Key table changed"),
	EVENT(IBV_EVENT_SM_CHANGE, false, "the subnet manager changed"),
	EVENT(IBV_EVENT_SRQ_ERR, true, "a shared receive queue failed"),
	EVENT(IBV_EVENT_SRQ_LIMIT_REACHED, false,
	      "a shared receive queue runs low"),
	EVENT(IBV_EVENT_QP_LAST_WQE_REACHED, false,
	      "a queue pair took its last receive"),
	EVENT(IBV_EVENT_CLIENT_REREGISTER, false,
	      "the subnet manager asks to register again"),
	EVENT(IBV_EVENT_GID_CHANGE, false, "the GID table changed"),
	EVENT(IBV_EVENT_WQ_FATAL, true, "a work queue failed"),
};

static const struct explanation *status_of(enum ibv_wc_status status)
{
	static const struct explanation unknown = {
		"IBV_WC_?", "a status this program does not know", NULL
	};

	if ((size_t)status >= COUNT(statuses) || !statuses[status].name)
		return &unknown;
	return &statuses[status];
}

const char *explain_status_name(enum ibv_wc_status status)
{
	return status_of(status)->name;
}

static bool event_known(enum ibv_event_type event)
{
	return (size_t)event < COUNT(events) && events[event].name;
}

const char *explain_event_name(enum ibv_event_type event)
{
	return event_known(event) ? events[event].name : "IBV_EVENT_?";
}

bool explain_event_is_fatal(enum ibv_event_type event)
{
	return event_known(event) && events[event].fatal;
}

static const char *post_advice(int errnum)
{
	return errnum == ENOMEM ? "the send queue is full, which is a bug here" :
				  NULL;
}

int explain_failure(const struct flow_failure *failure, enum op op,
		    uint32_t qpn, struct error *err)
{
	const struct explanation *why = status_of(failure->status);
	const char *name = op_table[op].name;

	if (failure->status == IBV_WC_SUCCESS)
		return fail(err, -failure->errnum,
			    post_advice(failure->errnum),
			    "RDMA %s on QP 0x%06x: %s failed: %s", name, qpn,
			    failure->verb, strerror(failure->errnum));
	return fail_code(err, -EIO, why->name, why->advice,
			 "RDMA %s on QP 0x%06x completed with %s (%d, vendor "
			 "0x%x): %s", name, qpn, why->name, failure->status,
			 failure->vendor_err, why->cause);
}

int explain_event(enum ibv_event_type event, const char *device,
		  struct error *err)
{
	return fail_code(err, -EIO, explain_event_name(event), NULL,
			 "%s reported %s: %s", device,
			 explain_event_name(event),
			 event_known(event) ? events[event].cause :
					      "an event nobody knows");
}

const char *explain_rtr_advice(int errnum)
{
	switch (errnum) {
	case EINVAL:
		return "the GID index or the MTU may not suit the peer: "
		       "'verbsperf devices', -x, -m";
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ETIMEDOUT:
		return "no route or no neighbour entry towards the peer's "
		       "GID: ping it, try another -x";
	default:
		return NULL;
	}
}
