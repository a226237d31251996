/* Creates a queue pair, and moves it through RESET, INIT, RTR and RTS. */
#include "config.h"
#include "verbs/qp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/units.h"
#include "verbs/advice.h"

/* Advice for a QP with ibv_wr_start(), which the device may not have. */
static const char *advice_of_wr(const struct device *device, int errnum,
				char text[VERB_ADVICE_SIZE])
{
	if (errnum == EAGAIN || errnum == ENOMEM)
		return verb_advice(&device->port, "ibv_create_qp", errnum,
				   text);
	return "use --post legacy or auto";
}

/* Without EXTENDED this is ibv_create_qp(3): many providers lack what the other
 * one needs.  *INLINE_SIZE becomes what is granted. */
static struct ibv_qp *create_once(const struct device *device,
				  const struct qp_parts *parts, bool extended,
				  uint32_t *inline_size)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = parts->send_cq,
		.recv_cq = parts->recv_cq,
		.srq = parts->srq,
		.cap = { .max_send_wr = parts->send_depth,
			 .max_send_sge = parts->send_entries,
			 .max_inline_data = *inline_size },
		.qp_type = transport_table[parts->transport].qp_type,
		.pd = parts->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_qp *qp;

	if (extended) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = op_table[parts->op].builder;
	}
	if (!parts->srq && !transport_table[parts->transport].target) {
		attr.cap.max_recv_wr = parts->receive_depth ?: 1;
		attr.cap.max_recv_sge = parts->receive_entries;
	}
	qp = ibv_create_qp_ex(device->context, &attr);
	if (qp)
		*inline_size = attr.cap.max_inline_data;
	return qp;
}

/*
 * The device refuses *INLINE_SIZE.  Create a queue pair with the most bytes
 * that it grants, which may depend on the depth and the entries, and put them
 * there.  Of a size that is granted all smaller ones are, so that each try
 * halves what is left between the two: as many tries as the size has bits, and
 * only for the first queue pair of a run.  NULL, with errno, where it refuses a
 * queue pair without inline data, too.
 */
static struct ibv_qp *create_smaller(const struct device *device,
				     const struct qp_parts *parts,
				     bool extended, uint32_t *inline_size)
{
	uint32_t refused = *inline_size, granted = 0;
	struct ibv_qp *best = create_once(device, parts, extended, &granted);

	if (!best)
		return NULL;
	while (granted + 1 < refused) {
		const uint32_t asked = granted + (refused - granted) / 2;
		uint32_t got = asked;
		struct ibv_qp *qp = create_once(device, parts, extended, &got);

		if (!qp) {
			refused = asked;
			continue;
		}
		ibv_destroy_qp(best);
		best = qp;
		granted = got;
		/* some grant less than was asked for: that is the most */
		if (got < asked)
			break;
	}
	*inline_size = (uint32_t)smaller(granted, refused - 1);
	return best;
}

static struct ibv_qp *create(const struct device *device,
			     const struct qp_parts *parts, bool extended,
			     uint32_t *inline_size)
{
	uint32_t granted = *inline_size;
	struct ibv_qp *qp = create_once(device, parts, extended, &granted);

	if (!qp && *inline_size)
		return create_smaller(device, parts, extended, inline_size);
	/* never use more than was requested */
	*inline_size = (uint32_t)smaller(*inline_size, granted);
	return qp;
}

/* Write what makes a queue pair of PARTS smaller into TEXT: of the options that
 * were asked for. */
static void name_options(const struct qp_parts *parts, uint32_t inline_size,
			 char text[VERB_ADVICE_SIZE])
{
	const struct {
		bool asked;
		const char *name;
	} options[] = {
		{ parts->send_entries > 1 || parts->receive_entries > 1,
		  "--sge" },
		{ inline_size, "-I" },
		{ parts->send_depth > 1, "-t" },
		{ !parts->srq && parts->receive_depth > 1, "-r" },
	};

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].asked)
			text_append(text, VERB_ADVICE_SIZE, "%s%s",
				    text[0] ? " or " : "try a smaller ",
				    options[i].name);
	if (parts->send_entries > 1 || inline_size)
		text_append(text, VERB_ADVICE_SIZE,
			    ": a device may count a send of several entries, "
			    "or with inline data, as several");
}

/* A queue pair of PARTS could not be created, because of ERRNUM. */
static int refused(const struct device *device, const struct qp_parts *parts,
		   uint32_t inline_size, int errnum, struct error *err)
{
	const struct port *port = &device->port;
	char what[128], advice[VERB_ADVICE_SIZE];

	snprintf(what, sizeof(what), "a queue pair over %s of %u sends",
		 transport_table[parts->transport].name, parts->send_depth);
	if (parts->send_entries > 1)
		text_append(what, sizeof(what), " of %u entries",
			    parts->send_entries);
	if (inline_size)
		text_append(what, sizeof(what), " with %u bytes inline, or without,",
			    inline_size);
	if (errnum != EINVAL)
		return verb_failed(port, "ibv_create_qp", errnum, err,
				   "cannot create %s and %u receives", what,
				   parts->receive_depth);
	name_options(parts, inline_size, advice);
	return fail_errno(err, errnum, advice[0] ? advice : NULL,
			  "%s: cannot create %s and %u receives",
			  port->device, what, parts->receive_depth);
}

int qp_create(const struct device *device, const struct qp_parts *parts,
	      enum post_method *method, uint32_t *inline_size,
	      struct ibv_qp **qp, struct ibv_qp_ex **qpx, struct error *err)
{
	const uint32_t asked = *inline_size;
	char advice[VERB_ADVICE_SIZE];
	int ret = port_check_transport(&device->port, parts->transport, err);

	*qpx = NULL;
	if (ret)
		return ret;
	if (parts->sends && *method != POST_LEGACY) {
		*qp = create(device, parts, true, inline_size);
		if (*qp) {
			*qpx = ibv_qp_to_qp_ex(*qp);
			*method = POST_WR;
			return 0;
		}
		if (*method == POST_WR)
			return fail_errno(
				err, errno, advice_of_wr(device, errno, advice),
				"%s: cannot create a queue pair of %u sends "
				"that has ibv_wr_start for %s",
				device->port.device, parts->send_depth,
				op_table[parts->op].name);
	}
	*qp = create(device, parts, false, inline_size);
	if (!*qp)
		return refused(device, parts, asked, errno, err);
	if (parts->sends)
		*method = POST_LEGACY;
	return 0;
}

int qp_create_target(const struct device *device, enum transport transport,
		     struct ibv_xrcd *domain, struct ibv_qp **qp,
		     struct error *err)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = (enum ibv_qp_type)transport_table[transport].target,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = domain,
	};

	*qp = ibv_create_qp_ex(device->context, &attr);
	if (*qp)
		return 0;
	return verb_failed(&device->port, "ibv_create_qp", errno, err,
			   "cannot create a queue pair that receives over %s",
			   transport_table[transport].name);
}

static int modify(const struct device *device, struct ibv_qp *qp,
		  struct ibv_qp_attr *attr, int mask, const char *state,
		  const char *towards, struct error *err)
{
	int ret = ibv_modify_qp(qp, attr, mask);
	const char *advice = NULL;
	char text[VERB_ADVICE_SIZE];

	if (!ret)
		return 0;
	if (mask & IBV_QP_RATE_LIMIT)
		advice = "use --pacing loop, if the device has no packet "
			 "pacing";
	if (attr->qp_state == IBV_QPS_RTR)
		advice = verb_advice(&device->port, "ibv_modify_qp", abs(ret),
				     text);
	return fail_errno(err, ret, advice,
			  "%s port %u: cannot move QP 0x%06x to %s%s%s",
			  device->port.device, device->port.number, qp->qp_num,
			  state, towards[0] ? " towards " : "", towards);
}

int qp_to_init(const struct device *device, struct ibv_qp *qp,
	       const struct qp_local *local, struct error *err)
{
	struct ibv_qp_attr attr;
	int mask = qp_attr_init(&attr, device->port.number, device->pkey_index,
				local);

	if (device->port.iwarp) {
		/* what the kernel's iw_cm gives every queue pair: the answer
		 * to a read is a kind of write */
		attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ;
		mask &= ~IBV_QP_PKEY_INDEX;
	}
	return modify(device, qp, &attr, mask, "INIT", "", err);
}

/* Refuse a device that does not take the static rate of the path: some ignore
 * it. */
static int check_static_rate(const struct device *device, struct ibv_qp *qp,
			     const struct plan *plan, struct error *err)
{
	struct ibv_qp_init_attr init = { .qp_context = NULL };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int ret;

	if (!plan->static_rate || plan_is_datagram(plan))
		return 0;
	ret = ibv_query_qp(qp, &attr, IBV_QP_AV, &init);
	if (!ret && attr.ah_attr.static_rate == plan->static_rate)
		return 0;
	return fail(err, -EOPNOTSUPP, "use --pacing loop",
		    "--pacing device: %s port %u does not take a static rate",
		    device->port.device, device->port.number);
}

int qp_connect(const struct device *device, struct ibv_qp *qp,
	       const struct plan *plan, const struct qp_remote *remote,
	       struct error *err)
{
	char gid[GID_TEXT_SIZE] = "";
	struct ibv_qp_attr attr;
	int ret, mask;

	/* rdma_cm does the rest when the request is accepted */
	if (device->port.iwarp)
		return plan->rdma_cm ? 0 :
		       port_lacks(&device->port,
				  "queue pairs that are connected without "
				  "rdma_cm", err);
	if (remote->path->global && !plan_is_datagram(plan))
		gid_format(&remote->path->remote.raw, gid);
	mask = qp_attr_rtr(&attr, device->port.number, plan, remote);
	ret = modify(device, qp, &attr, mask, "RTR", gid, err) ?:
	      check_static_rate(device, qp, plan, err);
	if (ret)
		return ret;
	mask = qp_attr_rts(&attr, plan, remote);
	return modify(device, qp, &attr, mask, "RTS", "", err);
}
