/* The functions of libibverbs that the program calls, and no more. */
#include "config.h"
#include "fake_verbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_nic.h"
#include "verbs/gids.h"

#undef ibv_query_port

struct fake_verbs fake_verbs;

struct nic_context {
	struct verbs_context verbs;	/* ends in the struct ibv_context */
	int event_fd;		/* the end that is written */
};

static struct nic_context *nic_context_of(struct ibv_context *context)
{
	return (struct nic_context *)((char *)context -
				      offsetof(struct nic_context,
					       verbs.context));
}

static struct ibv_device devices[FAKE_DEVICES] = {
	{ .name = "fake0", .dev_name = "uverbs900" },
	{ .name = "fake1", .dev_name = "uverbs901" },
};

void fake_verbs_reset(void)
{
	static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0,
					 1 };

	/* not what this machine has */
	setenv("SYSFS_PATH", "/no such sysfs", 1);

	fake_verbs = (struct fake_verbs){
		.n_devices = 1,
		.attr = {
			.fw_ver = "1.2.3",
			.phys_port_cnt = 1,
			.max_qp = 256,
			.max_qp_wr = 16384,
			.max_cqe = 65536,
			.max_qp_rd_atom = 16,
			.max_qp_init_rd_atom = 16,
			.max_mr = 512,
			.max_srq = 16,
			.max_srq_wr = 16384,
			.max_mw = 512,
			.device_cap_flags = IBV_DEVICE_XRC |
					    IBV_DEVICE_MEM_WINDOW |
					    IBV_DEVICE_MEM_WINDOW_TYPE_2B,
			.max_mcast_grp = 16,
			.max_mcast_qp_attach = 64,
			.max_sge = FAKE_MAX_SGE,
			.max_sge_rd = FAKE_MAX_SGE - 1,
			.max_srq_sge = FAKE_MAX_SGE - 2,
		},
		.port = {
			.state = IBV_PORT_ACTIVE,
			.active_mtu = IBV_MTU_1024,
			.max_msg_sz = 1U << 31,
			.link_layer = IBV_LINK_LAYER_ETHERNET,
			.pkey_tbl_len = 1,
			.active_speed = 32,
			.active_width = 2,
		},
		.n_gids = 1,
		.pkeys = { 0xffff },
		.n_vectors = 4,
		.max_inline = 256,
		.errnum = EIO,
	};
	fake_verbs.gids[0].gid_index = 1;
	fake_verbs.gids[0].port_num = 1;
	fake_verbs.gids[0].gid_type = GID_TYPE_ROCE_V2;
	memcpy(fake_verbs.gids[0].gid.raw, gid, sizeof(gid));
}

uint32_t fake_verbs_alive(void)
{
	const struct fake_verbs *f = &fake_verbs;

	return f->lists + f->contexts + f->pds + f->mrs + f->cqs + f->qps +
	       f->ahs + f->srqs + f->channels + f->dms + f->xrcds + f->mws;
}

/* Called first by each verb that can fail: true when this one shall. */
bool nic_call_fails(void)
{
	static __thread uint32_t failed;
	bool yes;

	pthread_mutex_lock(&nic_lock);
	yes = ++fake_verbs.calls == fake_verbs.fail_call;
	if (yes)
		failed = fake_verbs.fail_call;
	else if (failed && failed == fake_verbs.fail_call)
		fake_verbs.calls_after++;
	pthread_mutex_unlock(&nic_lock);
	if (yes)
		errno = fake_verbs.errnum;
	return yes;
}

static void note_most(struct fake_verbs *f)
{
#define X(kind) \
	if (f->kind > f->most.kind) \
		f->most.kind = f->kind;
	FAKE_KINDS(X)
#undef X
}

void nic_count(uint32_t *alive, int by)
{
	pthread_mutex_lock(&nic_lock);
	*alive += (uint32_t)by;
	note_most(&fake_verbs);
	pthread_mutex_unlock(&nic_lock);
}

void nic_misuse(bool is)
{
	pthread_mutex_lock(&nic_lock);
	fake_verbs.misuses += is;
	pthread_mutex_unlock(&nic_lock);
}

/* Zeroed memory for an object that now is alive. */
void *nic_create(size_t size, uint32_t *alive)
{
	void *object = calloc(1, size);

	if (!object)
		abort();
	nic_count(alive, 1);
	return object;
}

struct ibv_device **ibv_get_device_list(int *n)
{
	struct ibv_device **list;

	if (nic_call_fails())
		return NULL;
	list = nic_create((FAKE_DEVICES + 1) * sizeof(*list), &fake_verbs.lists);
	for (int i = 0; i < fake_verbs.n_devices; i++) {
		list[i] = &devices[i];
		list[i]->transport_type = fake_verbs.iwarp ?
						  IBV_TRANSPORT_IWARP :
						  IBV_TRANSPORT_IB;
		snprintf(list[i]->dev_path, sizeof(list[i]->dev_path), "%s",
			 fake_verbs.dev_path ? fake_verbs.dev_path : "");
	}
	*n = fake_verbs.n_devices;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	nic_count(&fake_verbs.lists, -1);
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	(void)input;
	memset(attr, 0, size);
	attr->odp_caps = fake_verbs.odp;
	attr->xrc_odp_caps = fake_verbs.xrc_odp;
	attr->max_dm_size = fake_verbs.dm_size;
	attr->packet_pacing_caps = fake_verbs.pacing;
	return ibv_query_device(context, &attr->orig_attr);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct nic_context *c;
	int fds[2];

	if (nic_call_fails() || pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return NULL;
	if (fake_verbs.no_open && !strcmp(fake_verbs.no_open, device->name)) {
		close(fds[0]);
		close(fds[1]);
		errno = EACCES;
		return NULL;
	}
	c = nic_create(sizeof(*c), &fake_verbs.contexts);
	c->verbs.context.device = device;
	c->verbs.context.async_fd = fds[0];
	c->event_fd = fds[1];
	c->verbs.context.num_comp_vectors = fake_verbs.n_vectors;
	nic_set_ops(&c->verbs.context.ops);
	c->verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	c->verbs.sz = sizeof(c->verbs);
	c->verbs.create_qp_ex = nic_create_qp_ex;
	nic_set_xrc_ops(&c->verbs);
	if (fake_verbs.extended)
		c->verbs.query_device_ex = query_device_ex;
	if (fake_verbs.extended && fake_verbs.dm_size)
		nic_set_memory_ops(&c->verbs);
	return &c->verbs.context;
}

int ibv_close_device(struct ibv_context *context)
{
	struct nic_context *c = nic_context_of(context);

	close(context->async_fd);
	close(c->event_fd);
	nic_count(&fake_verbs.contexts, -1);
	free(c);
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	if (nic_call_fails())
		return fake_verbs.errnum;
	*attr = fake_verbs.attr;
	return 0;
}

#ifdef HAVE_IBV_QUERY_PORT_SPEED
int ibv_query_port_speed(struct ibv_context *context, uint32_t number,
			 uint64_t *tenths)
{
	(void)context, (void)number;
	*tenths = fake_verbs.port_speed;
	return fake_verbs.no_port_speed ? EPROTONOSUPPORT : 0;
}
#endif

int ibv_query_port(struct ibv_context *context, uint8_t number,
		   struct _compat_ibv_port_attr *attr)
{
	struct ibv_port_attr port = fake_verbs.port;

	(void)context;
	if (nic_call_fails())
		return fake_verbs.errnum;
	if (fake_verbs.active_port && fake_verbs.active_port != number)
		port.state = IBV_PORT_DOWN;
	memcpy(attr, &port, sizeof(port));
	return 0;
}

#ifdef HAVE__IBV_QUERY_GID_TABLE
ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max,
			     uint32_t flags, size_t entry_size)
{
	size_t n = (size_t)fake_verbs.n_gids;

	(void)context;
	(void)flags;
	if (nic_call_fails())
		return -fake_verbs.errnum;
	if (n > max || entry_size != sizeof(*entries))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		entries[i] = (struct ibv_gid_entry){
			.gid = fake_verbs.gids[i].gid,
			.gid_index = fake_verbs.gids[i].gid_index,
			.port_num = fake_verbs.gids[i].port_num,
			.gid_type = fake_verbs.gids[i].gid_type,
		};
	return (ssize_t)n;
}
#else
/* Instead of the program's own: there are no files. */
ssize_t gid_files_read(const char *device, uint8_t number,
		       struct gid gids[GIDS_MAX])
{
	ssize_t n = 0;

	(void)device;
	if (nic_call_fails())
		return -fake_verbs.errnum;
	for (int i = 0; i < fake_verbs.n_gids; i++)
		if (fake_verbs.gids[i].port_num == number)
			gids[n++] = (struct gid){
				.raw = fake_verbs.gids[i].gid,
				.index = fake_verbs.gids[i].gid_index,
				.type = (uint8_t)fake_verbs.gids[i].gid_type,
			};
	return n;
}
#endif

int ibv_query_pkey(struct ibv_context *context, uint8_t number, int index,
		   __be16 *pkey)
{
	(void)context;
	(void)number;
	if (nic_call_fails())
		return -1;
	if (index < 0 || index >= fake_verbs.port.pkey_tbl_len)
		abort();
	*pkey = htons(fake_verbs.pkeys[index]);
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;

	if (nic_call_fails())
		return NULL;
	pd = nic_create(sizeof(*pd), &fake_verbs.pds);
	pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	bool used = false;

	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < nic_places; i++)
		if ((nic_mrs[i] && nic_mrs[i]->mr.pd == pd) ||
		    (nic_qps[i] && nic_qps[i]->qp.pd == pd) ||
		    (nic_ahs[i] && nic_ahs[i]->ah.pd == pd))
			used = true;
	fake_verbs.misuses += used;
	pthread_mutex_unlock(&nic_lock);
	nic_count(&fake_verbs.pds, -1);
	nic_misuse(pd->handle != 0);	/* shared receive queues */
	free(pd);
	return 0;
}

uint32_t nic_places;

/* A free place in TABLE for OBJECT. */
uint32_t nic_enter(void **table, void *object)
{
	uint32_t i = 0;

	pthread_mutex_lock(&nic_lock);
	while (table[i])
		if (++i == NIC_OBJECTS)
			abort();
	table[i] = object;
	if (i >= nic_places)
		nic_places = i + 1;
	pthread_mutex_unlock(&nic_lock);
	return i;
}

void nic_leave(void **table, uint32_t i)
{
	pthread_mutex_lock(&nic_lock);
	table[i] = NULL;
	pthread_mutex_unlock(&nic_lock);
}

void fake_verbs_raise(struct ibv_context *context, enum ibv_event_type type)
{
	if (write(nic_context_of(context)->event_fd, &type,
		  sizeof(type)) < 0)
		perror("fake_verbs_raise");
}

int ibv_get_async_event(struct ibv_context *context,
			struct ibv_async_event *event)
{
	event->element.port_num = 1;
	return read(context->async_fd, &event->event_type,
		    sizeof(event->event_type)) < 0 ? -1 : 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}
