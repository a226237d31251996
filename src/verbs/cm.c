/* Connects the queue pairs of a session by librdmacm. */
#include "config.h"
#include "verbs/cm.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>

#include "base/xalloc.h"

/* Connections requested at once. */
#define AT_ONCE 16

int cm_open(struct cm *cm, struct error *err)
{
	cm->qps = xcalloc(cm->end.plan->qps, sizeof(*cm->qps));
	return cm_end_open(&cm->end, err);
}

static int begin_next(struct cm *cm, struct error *err)
{
	const uint32_t i = cm->n_begun++;

	return cm_resolve_address(&cm->end, (void *)(uintptr_t)i,
				  &cm->qps[i].id, err);
}

int cm_connect(struct cm *cm, const struct sockaddr_storage *remote,
	       struct error *err)
{
	int ret = 0;

	cm_end_aim(&cm->end, remote);
	while (!ret && cm->n_begun < cm->end.plan->qps &&
	       cm->n_begun < AT_ONCE)
		ret = begin_next(cm, err);
	return ret;
}

int cm_join(struct cm *cm, struct error *err)
{
	return cm_group_join(&cm->end, &cm->group, err);
}

/* True when EVENT is of this session; *I becomes its queue pair. */
static bool knows_session(const struct cm *cm, const struct cm_event *event,
			  uint32_t *i)
{
	return cm_mark_is_known(&cm->end, event, i, NULL) &&
	       *i < cm->end.plan->qps;
}

/* Connect QP I along LINK, or along the path without one.  The manager must
 * have found the queue pair that the peer's ENDPOINT names. */
static int connect_qp(struct cm *cm, uint32_t i,
		      const struct resources_link *link, struct error *err)
{
	const struct cm_end *end = &cm->end;

	if (end->device->port.iwarp)
		link = NULL;
	if (link && link->qpn != end->peer->qps[i].qpn)
		return fail(err, -EPROTO, NULL,
			    "rdma_cm found QP 0x%06x at %s: expected QP "
			    "0x%06x", link->qpn, cm->end.name,
			    end->peer->qps[i].qpn);
	return resources_connect_qp(end->res, end->path, end->peer, i, link,
				    err);
}

/* Connect QP I of the server, which the client requested with ID. */
static int connect_server_qp(struct cm *cm, uint32_t i, struct rdma_cm_id *id,
			     struct error *err)
{
	struct resources_link link = { .group = false };
	int ret = cm_check_device(&cm->end, id, cm->end.name, err);

	if (!ret && plan_is_datagram(cm->end.plan))
		return connect_qp(cm, i, NULL, err);
	if (!ret)
		ret = cm_find_link(&cm->end, i, id, &link, err);
	return ret ?: connect_qp(cm, i, &link, err);
}

/* The server: accept a request, or reject a stranger's.  Over UD a client whose
 * answer got lost requests it again, and gets it again. */
static int accept_request(struct cm *cm, const struct cm_event *event,
			  struct error *err)
{
	struct cm_connection *q;
	bool again;
	uint32_t i;
	int ret = 0;

	if (!knows_session(cm, event, &i))
		return cm_reject(event->id);
	q = &cm->qps[i];
	again = q->id != NULL;
	if (again && !plan_is_datagram(cm->end.plan))
		return cm_reject(event->id);
	if (again)
		rdma_destroy_id(q->id);
	q->id = event->id;
	if (!again)
		ret = connect_server_qp(cm, i, q->id, err);
	ret = ret ?: cm_accept(&cm->end, q->id, cm->end.res->qps[i].qp, i, 0,
			       err);
	if (ret)
		return ret;
	q->step = CM_CONNECTED;
	cm->n_done += !again;
	return 1;
}

static int take_server_event(struct cm *cm, const struct cm_event *event,
			     struct error *err)
{
	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return accept_request(cm, event, err);
	if (event->type == RDMA_CM_EVENT_ESTABLISHED ||
	    event->type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
		return 0;
	return cm_unexpected(&cm->end, event, CM_CONNECTED, err);
}

/* The client's events, in their order. */

static int resolve_route(struct cm *cm, uint32_t i,
			 const struct cm_event *event, struct error *err)
{
	cm->qps[i].step = CM_ROUTE;
	return cm_check_device(&cm->end, event->id, cm->end.name, err) ?:
	       cm_resolve_route(&cm->end, event->id, err) ?: 1;
}

static int request_connection(struct cm *cm, uint32_t i,
			      const struct cm_event *event, struct error *err)
{
	cm->qps[i].step = CM_ANSWER;
	return cm_request(&cm->end, event->id, cm->end.res->qps[i].qp, i,
			  err) ?: 1;
}

static int take_answer(struct cm *cm, uint32_t i, const struct cm_event *event,
		       struct error *err)
{
	struct resources_link link = { .qpn = event->ud.qp_num };
	uint32_t index;
	int ret;

	if (!knows_session(cm, event, &index) || index != i)
		return cm_answer_is_strange(&cm->end, err);
	if (plan_is_datagram(cm->end.plan))
		ret = cm_take_address(&cm->end, i, &event->ud.ah_attr, &link,
				      err);
	else
		ret = cm_find_link(&cm->end, i, event->id, &link, err);
	ret = ret ?: connect_qp(cm, i, &link, err);
	if (ret)
		return ret;
	ret = cm_establish(&cm->end, event->id, err);
	if (ret)
		return ret;
	cm->qps[i].step = CM_CONNECTED;
	cm->n_done++;
	if (cm->n_begun < cm->end.plan->qps)
		ret = begin_next(cm, err);
	return ret ?: 1;
}

static int take_client_event(struct cm *cm, const struct cm_event *event,
			     struct error *err)
{
	const struct {
		enum rdma_cm_event_type awaited;
		int (*next)(struct cm *cm, uint32_t i,
			    const struct cm_event *event, struct error *err);
	} steps[] = {
		[CM_ADDRESS] = { RDMA_CM_EVENT_ADDR_RESOLVED, resolve_route },
		[CM_ROUTE] = { RDMA_CM_EVENT_ROUTE_RESOLVED,
			       request_connection },
		[CM_ANSWER] = { cm_answer(&cm->end), take_answer },
	};
	const uint32_t i = (uint32_t)(uintptr_t)event->id->context;
	const enum cm_step step = cm->qps[i].step;

	if (step < CM_CONNECTED && event->type == steps[step].awaited &&
	    !event->status)
		return steps[step].next(cm, i, event, err);
	return cm_unexpected(&cm->end, event, step, err);
}

int cm_take(struct cm *cm, struct error *err)
{
	struct cm_event event;
	int ret = cm_event_take(&cm->end, &event, err);

	if (ret <= 0)
		return ret;
	if (cm->group)
		return cm_group_take(cm->group, &event, err);
	return cm->end.client ? take_client_event(cm, &event, err) :
				take_server_event(cm, &event, err);
}

bool cm_is_done(const struct cm *cm)
{
	return cm->group ? cm_group_is_joined(cm->group) :
			   cm->n_done == cm->end.plan->qps;
}

int cm_timed_out(const struct cm *cm, struct error *err)
{
	enum cm_step step = CM_CONNECTED;

	if (cm->group)
		return cm_late(&cm->end, CM_GROUP, err);
	for (uint32_t i = 0; i < cm->n_begun; i++)
		if (cm->qps[i].step < step)
			step = cm->qps[i].step;
	if (!cm->end.client)
		return fail(err, -ETIMEDOUT, NULL,
			    "the client requested only %u of %u connections "
			    "from rdma_cm in time", cm->n_done,
			    cm->end.plan->qps);
	return cm_late(&cm->end, step, err);
}

void cm_close(struct cm *cm)
{
	cm_group_leave(cm->group);
	for (uint32_t i = 0; i < cm->end.plan->qps; i++)
		if (cm->qps[i].id)
			rdma_destroy_id(cm->qps[i].id);
	cm_end_close(&cm->end);
	free(cm->qps);
}
