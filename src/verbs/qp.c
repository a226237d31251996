#include "config.h"
#include "verbs/qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/explain.h"

static const char *create_advice(int errnum)
{
	switch (errnum) {
	case EINVAL:
		return "try a smaller --tx-depth or --rx-depth";
	case ENOMEM:
		return "try fewer --qps, a smaller --tx-depth or --rx-depth, "
		       "or a higher limit on locked memory (ulimit -l)";
	default:
		return NULL;
	}
}

static struct ibv_qp_cap make_cap(const struct qp_parts *parts)
{
	return (struct ibv_qp_cap){
		.max_send_wr = parts->send_depth,
		.max_recv_wr = parts->receive_depth ? parts->receive_depth : 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
}

static int create_legacy(const struct device *device,
			 const struct qp_parts *parts, struct ibv_qp **qp,
			 struct error *err)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = parts->send_cq,
		.recv_cq = parts->recv_cq,
		.qp_type = qp_attr_type(parts->transport),
		.cap = make_cap(parts),
	};

	*qp = ibv_create_qp(parts->pd, &attr);
	if (*qp)
		return 0;
	return fail(err, -errno, create_advice(errno),
		    "%s: cannot create a queue pair of %u sends and %u "
		    "receives: %s", device->port.device, parts->send_depth,
		    parts->receive_depth, strerror(errno));
}

/* As ibv_create_qp_ex(3), which many providers do not have. */
static struct ibv_qp *create_extended(const struct device *device,
				      const struct qp_parts *parts)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = parts->send_cq,
		.recv_cq = parts->recv_cq,
		.qp_type = qp_attr_type(parts->transport),
		.cap = make_cap(parts),
		.pd = parts->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = op_table[parts->op].builder,
	};

	return ibv_create_qp_ex(device->context, &attr);
}

int qp_create(const struct device *device, const struct qp_parts *parts,
	      enum post_method *method, struct ibv_qp **qp,
	      struct ibv_qp_ex **qpx, struct error *err)
{
	int ret;

	*qpx = NULL;
	if (parts->sends && *method != POST_LEGACY) {
		*qp = create_extended(device, parts);
		if (*qp) {
			*qpx = ibv_qp_to_qp_ex(*qp);
			*method = POST_WR;
			return 0;
		}
		if (*method == POST_WR)
			return fail(err, -errno, "use --post legacy or auto",
				    "%s: cannot create a queue pair of %u "
				    "sends that has ibv_wr_start for %s: %s",
				    device->port.device, parts->send_depth,
				    op_table[parts->op].name, strerror(errno));
	}
	ret = create_legacy(device, parts, qp, err);
	if (!ret && parts->sends)
		*method = POST_LEGACY;
	return ret;
}

static int modify(const struct device *device, struct ibv_qp *qp,
		  struct ibv_qp_attr *attr, int mask, const char *state,
		  const char *towards, struct error *err)
{
	int ret = ibv_modify_qp(qp, attr, mask);
	const char *advice = NULL;

	if (!ret)
		return 0;
	if (attr->qp_state == IBV_QPS_RTR)
		advice = explain_rtr_advice(abs(ret));
	return fail(err, -abs(ret), advice,
		    "%s port %u: cannot move QP 0x%06x to %s%s%s: %s",
		    device->port.device, device->port.number, qp->qp_num,
		    state, towards[0] ? " towards " : "", towards,
		    strerror(abs(ret)));
}

int qp_to_init(const struct device *device, struct ibv_qp *qp,
	       const struct qp_local *local, struct error *err)
{
	struct ibv_qp_attr attr;
	int mask = qp_attr_init(&attr, local);

	return modify(device, qp, &attr, mask, "INIT", "", err);
}

int qp_connect(const struct device *device, struct ibv_qp *qp,
	       const struct plan *plan, const struct qp_remote *remote,
	       struct error *err)
{
	char gid[GID_TEXT_SIZE] = "";
	struct ibv_qp_attr attr;
	int ret, mask;

	if (remote->path->global && plan->transport != TRANSPORT_UD)
		gid_format(&remote->path->remote.raw, gid);
	mask = qp_attr_rtr(&attr, device->port.number, plan, remote);
	ret = modify(device, qp, &attr, mask, "RTR", gid, err);
	if (ret)
		return ret;
	mask = qp_attr_rts(&attr, plan, remote->psn);
	return modify(device, qp, &attr, mask, "RTS", "", err);
}

int qp_query(const struct device *device, struct ibv_qp *qp,
	     enum transport transport, const struct path *path,
	     struct effective *effective, struct error *err)
{
	struct ibv_qp_init_attr init = { .qp_context = NULL };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	int ret = ibv_query_qp(qp, &attr, qp_attr_query(transport), &init);

	if (ret)
		return fail(err, -abs(ret), NULL,
			    "%s port %u: cannot ask QP 0x%06x for its "
			    "attributes: %s", device->port.device,
			    device->port.number, qp->qp_num,
			    strerror(abs(ret)));
	*effective = qp_attr_effective(&attr, transport, path->global);
	return 0;
}
