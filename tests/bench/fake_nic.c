/* The calls of libibverbs that open, describe, create and destroy. */
#include "fake_nic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_query_port

/* What the port is, from the environment:
 *   FAKE_LINK     "infiniband": an InfiniBand port; "efa": one of AWS EFA, with
 *                 UD, of which each send is signaled; else Ethernet, with
 *                 RoCE v2
 *   FAKE_MTU      256 to 4096, by default 4096 */
static bool link_is(const char *name)
{
	const char *text = getenv("FAKE_LINK");

	return text && !strcmp(text, name);
}

static bool slots[FAKE_QPS];	/* queue pair numbers in use */

static struct ibv_device fake_device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = "fake0",
	.dev_name = "uverbs0",
};

/* Before it in the list when FAKE_BROKEN_DEVICE is set: it does not open. */
static struct ibv_device broken_device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = "broken0",
	.dev_name = "uverbs900",
};

/* FAKE_ADDRESS: the IPv4 address in it; by default the one that both ends reach
 * each other at over TCP, 127.0.0.1. */
static union ibv_gid fake_gid(void)
{
	const char *text = getenv("FAKE_ADDRESS");
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text ? text : "127.0.0.1", &gid.raw[12]) != 1)
		abort();
	return gid;
}

struct ibv_device **ibv_get_device_list(int *n)
{
	struct ibv_device **list = calloc(3, sizeof(*list));
	/* what is there as long as the device is */
	const char *path = getenv("FAKE_DEVICE_PATH");
	int used = 0;

	if (!list)
		return NULL;
	snprintf(fake_device.dev_path, sizeof(fake_device.dev_path), "%s",
		 path ? path : "");
	if (link_is("efa")) {
		fake_device.node_type = IBV_NODE_UNSPECIFIED;
		fake_device.transport_type = IBV_TRANSPORT_UNSPECIFIED;
	}
	if (getenv("FAKE_BROKEN_DEVICE"))
		list[used++] = &broken_device;
	list[used++] = &fake_device;
	if (n)
		*n = used;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

__be64 ibv_get_device_guid(struct ibv_device *device)
{
	(void)device;
	return 1;
}

/* Nothing ever happens to the device. */
int ibv_get_async_event(struct ibv_context *context,
			struct ibv_async_event *event)
{
	(void)context;
	(void)event;
	return -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}

/* FAKE_XRC: the device has XRC. */
static bool has_xrc(void)
{
	return getenv("FAKE_XRC");
}

/* The name of a domain, which has nothing of its own. */
static struct ibv_xrcd *open_xrcd(struct ibv_context *context,
				  struct ibv_xrcd_init_attr *attr)
{
	struct ibv_xrcd *domain = calloc(1, sizeof(*domain));

	(void)attr;
	if (domain)
		domain->context = context;
	return domain;
}

static int close_xrcd(struct ibv_xrcd *domain)
{
	free(domain);
	return 0;
}

/* No message ever comes to take a receive. */
static struct ibv_srq *create_srq_ex(struct ibv_context *context,
				     struct ibv_srq_init_attr_ex *attr)
{
	struct fake_srq *srq;

	if (attr->srq_type != IBV_SRQT_XRC || !attr->xrcd || !attr->cq) {
		errno = EINVAL;
		return NULL;
	}
	if (fake_data_moves())
		return ibv_create_srq(attr->pd, NULL);
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	srq->srq.context = context;
	srq->srq.pd = attr->pd;
	return &srq->srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	(void)srq;
	*number = FAKE_SRQN;
	return 0;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	fake_data_release_srq(srq);
	free(srq);
	return 0;
}

/* What receives over XRC; others are created by ibv_create_qp(). */
static struct ibv_qp *create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_pd pd = { .context = context };
	struct ibv_qp_init_attr basic = { .qp_type = attr->qp_type };

	if (attr->qp_type != IBV_QPT_XRC_RECV || !attr->xrcd) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return ibv_create_qp(&pd, &basic);
}

/* A NULL abi_compat says that there are no extended verbs. */
struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context;
	struct verbs_context *verbs;

	if (device == &broken_device) {
		errno = EACCES;
		return NULL;
	}
	verbs = calloc(1, sizeof(*verbs));
	if (!verbs)
		return NULL;
	context = &verbs->context;
	if (has_xrc()) {
		context->abi_compat = __VERBS_ABI_IS_EXTENDED;
		verbs->sz = sizeof(*verbs);
		verbs->open_xrcd = open_xrcd;
		verbs->close_xrcd = close_xrcd;
		verbs->create_srq_ex = create_srq_ex;
		verbs->get_srq_num = get_srq_num;
		verbs->create_qp_ex = create_qp_ex;
	}
	context->device = device;
	context->cmd_fd = -1;
	context->async_fd = eventfd(0, EFD_CLOEXEC);
	context->num_comp_vectors = 1;
	pthread_mutex_init(&context->mutex, NULL);
	fake_path_ops(&context->ops);
	fake_data_open(&context->ops);
	fake_time_open();
	return context;
}

int ibv_close_device(struct ibv_context *context)
{
	fake_time_close();
	close(context->async_fd);
	free((char *)context - offsetof(struct verbs_context, context));
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	*attr = (struct ibv_device_attr){
		.fw_ver = "0.0.0",	/* or FAKE_FIRMWARE */
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 4096,
		.max_qp = FAKE_QPS,
		.max_qp_wr = FAKE_MAX_WR,
		.max_sge = FAKE_MAX_SGE,
		.max_sge_rd = FAKE_MAX_SGE,
		.max_cq = 65536,
		.max_cqe = FAKE_MAX_CQE,
		.max_mr = 65536,
		.max_pd = 65536,
		.max_qp_rd_atom = 16,
		.max_res_rd_atom = 16 * FAKE_QPS,
		.max_qp_init_rd_atom = 16,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_pkeys = 1,
		.phys_port_cnt = 1,
		.max_srq = 1024,
		.max_srq_wr = FAKE_MAX_WR,
		.device_cap_flags = has_xrc() ? IBV_DEVICE_XRC : 0,
	};
	if (getenv("FAKE_FIRMWARE"))
		snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%s",
			 getenv("FAKE_FIRMWARE"));
	return 0;
}

/* Of a lane, as ibv_query_port() codes it: 25, 50 or 100 Gb/s. */
static uint8_t lane_speed(void)
{
	const char *text = getenv("FAKE_GBPS");
	double gbps = text ? strtod(text, NULL) : 0;

	return gbps <= 100 ? 32 : gbps <= 200 ? 64 : 128;
}

static enum ibv_mtu port_mtu(void)
{
	const char *text = getenv("FAKE_MTU");
	int bytes = text ? atoi(text) : 4096, mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && 128 << mtu < bytes)
		mtu++;
	return (enum ibv_mtu)mtu;
}

/* 4 lanes.  The caller's structure may be one of an older header:
 * it ends with flags. */
int ibv_query_port(struct ibv_context *context, uint8_t number,
		   struct _compat_ibv_port_attr *attr)
{
	const struct ibv_port_attr port = {
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = port_mtu(),
		.gid_tbl_len = 1,
		.max_msg_sz = 1U << 31,
		.pkey_tbl_len = 1,
		.active_width = 2,
		.active_speed = lane_speed(),
		.phys_state = 5,
		.lid = link_is("infiniband") ? 7 : 0,
		.link_layer = link_is("infiniband") ? IBV_LINK_LAYER_INFINIBAND :
			      link_is("efa") ? IBV_LINK_LAYER_UNSPECIFIED :
					       IBV_LINK_LAYER_ETHERNET,
	};

	(void)context;
	if (number != 1)
		return EINVAL;
	memcpy(attr, &port, offsetof(struct ibv_port_attr, port_cap_flags2));
	return 0;
}

/* Of rdma-core 62, whose header may not be here. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t number,
			 uint64_t *tenths)
{
	(void)context, (void)number, (void)tenths;
	return EOPNOTSUPP;
}

int ibv_query_gid(struct ibv_context *context, uint8_t number, int index,
		  union ibv_gid *gid)
{
	(void)context;
	if (number != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*gid = fake_gid();
	return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t number, int index,
		   __be16 *pkey)
{
	(void)context;
	(void)number;
	(void)index;
	*pkey = 0xffff;
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t number,
		      uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	const bool of_ethernet = !link_is("infiniband") && !link_is("efa");
	const struct ibv_gid_entry only = {
		.gid = fake_gid(),
		.port_num = 1,
		.gid_type = of_ethernet ? IBV_GID_TYPE_ROCE_V2 :
					  IBV_GID_TYPE_IB,
		.ndev_ifindex = of_ethernet,
	};

	(void)context;
	(void)flags;
	if (number != 1 || entry_size > sizeof(only))
		return EINVAL;
	if (index != 0)
		return ENODATA;
	memcpy(entry, &only, entry_size);
	return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max,
			     uint32_t flags, size_t entry_size)
{
	if (max == 0)
		return -EINVAL;
	return _ibv_query_gid_ex(context, 1, 0, entries, flags, entry_size) ?
		       -EINVAL : 1;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	if (pd)
		pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

/* FAKE_REG_MS: how long a registration takes, as that of many pages does. */
static void take_time(void)
{
	const char *ms = getenv("FAKE_REG_MS");

	if (ms)
		usleep((useconds_t)strtoul(ms, NULL, 10) * 1000);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	(void)iova;
	(void)access;
	take_time();
	if (mr)
		*mr = (struct ibv_mr){
			.context = pd->context,
			.pd = pd,
			.addr = addr,
			.length = length,
			.lkey = 0x1234,
			/* else no process has this ID */
			.rkey = fake_data_moves() ? (uint32_t)getpid() :
						    0x56780000,
		};
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
				(unsigned int)access);
}

/* The descriptor is of no use to a NIC that moves no data. */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	(void)offset;
	(void)fd;
	return ibv_reg_mr_iova2(pd, (void *)(uintptr_t)iova, length, iova,
				(unsigned int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

/* The smallest power of two that is at least N. */
static uint32_t ring_size(uint32_t n)
{
	uint32_t size = 1;

	while (size < n)
		size <<= 1;
	return size;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	struct fake_cq *cq;
	uint32_t size;

	(void)vector;
	if (cqe < 1 || cqe > FAKE_MAX_CQE) {
		errno = EINVAL;
		return NULL;
	}
	size = ring_size((uint32_t)cqe);
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	cq->ring = calloc(size, sizeof(*cq->ring));
	if (!cq->ring) {
		free(cq);
		return NULL;
	}
	cq->mask = size - 1;
	cq->cq.context = context;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.cqe = cqe;
	return &cq->cq;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct fake_channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->channel.context = context;
	c->channel.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return &c->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context)
{
	uint64_t times;

	if (read(channel->fd, &times, sizeof(times)) != sizeof(times))
		return -1;
	*cq = ((struct fake_channel *)channel)->cq;
	*cq_context = (*cq)->cq_context;
	return 0;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	(void)cq;
	(void)cqe;
	return EOPNOTSUPP;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	free(((struct fake_cq *)cq)->ring);
	free(cq);
	return 0;
}

static bool acceptable(const struct ibv_qp_init_attr *attr)
{
	if (link_is("efa") && attr->qp_type != IBV_QPT_UD)
		return false;
	return (attr->qp_type == IBV_QPT_RC ||
		(fake_data_moves() && (attr->qp_type == IBV_QPT_UC ||
				       attr->qp_type == IBV_QPT_UD)) ||
		attr->qp_type == IBV_QPT_XRC_SEND ||
		attr->qp_type == IBV_QPT_XRC_RECV) &&
	       attr->cap.max_send_sge <= FAKE_MAX_SGE &&
	       attr->cap.max_send_wr <= FAKE_MAX_WR &&
	       attr->cap.max_recv_wr <= FAKE_MAX_WR;
}

/* The number of a queue pair less the first; FAKE_QPS if there is none. */
static uint32_t free_slot(struct fake_qp *q, struct ibv_srq *srq)
{
	uint32_t i = 0;

	if (fake_data_moves()) {
		int box = fake_data_take(q, srq);

		return box < 0 ? FAKE_QPS : (uint32_t)box;
	}

	while (i < FAKE_QPS && slots[i])
		i++;
	return i;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	uint32_t slot, size = ring_size(attr->cap.max_send_wr);
	struct fake_qp *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	slot = acceptable(attr) ? free_slot(q, attr->srq) : FAKE_QPS;
	if (slot == FAKE_QPS) {
		free(q);
		errno = EINVAL;
		return NULL;
	}
	q->wqes = aligned_alloc(64, size * sizeof(*q->wqes));
	q->wr_ids = calloc(size, sizeof(*q->wr_ids));
	if (!q->wqes || !q->wr_ids) {
		ibv_destroy_qp(&q->qp);
		errno = ENOMEM;
		return NULL;
	}
	q->mask = size - 1;
	q->depth = attr->cap.max_send_wr;
	q->cap = attr->cap;
	q->efa = link_is("efa");
	q->signal_all = attr->sq_sig_all ? IBV_SEND_SIGNALED : 0;
	q->qp.context = pd->context;
	q->qp.qp_context = attr->qp_context;
	q->qp.pd = pd;
	q->qp.send_cq = attr->send_cq;
	q->qp.recv_cq = attr->recv_cq;
	q->qp.qp_num = FAKE_FIRST_QPN + slot;
	q->qp.qp_type = attr->qp_type;
	q->control = q->qp.qp_num << 8 | 2;
	slots[slot] = true;
	return &q->qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	if (qp->qp_num)
		slots[qp->qp_num - FAKE_FIRST_QPN] = false;
	if (q->box)
		fake_data_release(q);
	free(q->wqes);
	free(q->wr_ids);
	free(q->route);
	free(q);
	return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = calloc(1, sizeof(*ah));

	(void)attr;
	if (ah)
		*ah = (struct ibv_ah){ .context = pd->context, .pd = pd };
	return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	free(ah);
	return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	if (mask & IBV_QP_DEST_QPN)
		((struct fake_qp *)qp)->dest = attr->dest_qp_num;
	if (mask & IBV_QP_AV)
		fake_fabric_join((struct fake_qp *)qp,
				 &attr->ah_attr.grh.dgid);
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	const struct fake_qp *q = (const struct fake_qp *)qp;

	(void)mask;
	*attr = (struct ibv_qp_attr){ .qp_state = qp->state, .cap = q->cap };
	*init = (struct ibv_qp_init_attr){
		.send_cq = qp->send_cq,
		.recv_cq = qp->recv_cq,
		.cap = q->cap,
		.qp_type = qp->qp_type,
	};
	return 0;
}

/* Queue pairs here have no ibv_wr_start() and its like. */
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	(void)qp;
	return NULL;
}
