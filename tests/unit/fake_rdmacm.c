/* See fake_rdmacm.h.  Empty in a build without librdmacm. */
#include "config.h"

#if HAVE_RDMACM
#include "fake_rdmacm.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "fake_nic.h"
#include "fake_verbs.h"

#define EVENTS 4096
#define IDS 2048
#define FIRST_PORT 40000
#define DATA_SIZE 56
/* Of struct cm_mark's index in them. */
#define INDEX_AT 16

struct fake_rdmacm fake_rdmacm;

struct fake_id {
	struct rdma_cm_id id;
	struct fake_id *other;	/* at the other end of the connection */
	bool listens;
	bool answered;		/* what else comes is ignored */
	bool member;		/* of a group */
	bool leaves;		/* the connection: awaits the other end */
	uint16_t port;
	uint32_t qpn;
	uint32_t unacked;
	uint8_t asked[DATA_SIZE];	/* of the request */
};

struct fake_event {
	struct rdma_cm_event event;
	bool asks;		/* its id is known to nobody else */
	uint8_t data[];		/* of no more bytes than there are */
};

struct fake_channel {
	struct rdma_event_channel channel;
	struct fake_event *queue[EVENTS];
	uint32_t put, got;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_id *ids[IDS];
static uint16_t next_port = FIRST_PORT;
static uint32_t psn;
static struct ibv_device device = { .name = "fake0" };
static struct ibv_context context = { .device = &device };

void fake_rdmacm_reset(void)
{
	fake_rdmacm = (struct fake_rdmacm){ .errnum = EIO };
}

bool fake_rdmacm_is_clean(void)
{
	const struct fake_rdmacm *f = &fake_rdmacm;

	return !f->channels && !f->ids && !f->unacked && !f->members &&
	       !f->misuses;
}

/* Every call begins with it, and with the lock. */
static bool call_fails(void)
{
	pthread_mutex_lock(&lock);
	if (++fake_rdmacm.calls != fake_rdmacm.fail_call)
		return false;
	pthread_mutex_unlock(&lock);
	errno = fake_rdmacm.errnum;
	return true;
}

static int done(void)
{
	pthread_mutex_unlock(&lock);
	return 0;
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct fake_channel *c;

	if (call_fails())
		return NULL;
	c = calloc(1, sizeof(*c));
	c->channel.fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	fake_rdmacm.channels++;
	done();
	return &c->channel;
}

static void forget(struct fake_id *f)
{
	for (uint32_t i = 0; i < IDS; i++) {
		if (ids[i] == f)
			ids[i] = NULL;
		else if (ids[i] && ids[i]->other == f)
			ids[i]->other = NULL;
	}
	free(f);
	fake_rdmacm.ids--;
}

/* An event for ID, with DATA, as the test wants it. */
static struct fake_event *put(struct rdma_cm_id *id,
			      enum rdma_cm_event_type type,
			      const uint8_t *data, uint8_t length);

/* Those of OF, or all; with a listener go the requests nobody saw yet. */
static void drop_events(struct fake_channel *c, const struct rdma_cm_id *of)
{
	for (uint32_t i = c->got; i != c->put; i++) {
		struct fake_event *e = c->queue[i % EVENTS];

		if (!e || (of && e->event.id != of &&
			   !(e->asks && ((const struct fake_id *)of)->listens)))
			continue;
		if (e->asks)
			forget((struct fake_id *)e->event.id);
		c->queue[i % EVENTS] = NULL;
		free(e);
	}
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct fake_channel *c = (struct fake_channel *)channel;

	pthread_mutex_lock(&lock);
	drop_events(c, NULL);
	for (uint32_t i = 0; i < IDS; i++)
		fake_rdmacm.misuses += ids[i] && ids[i]->id.channel == channel;
	close(channel->fd);
	free(c);
	fake_rdmacm.channels--;
	done();
}

static struct fake_id *new_id(struct rdma_event_channel *channel,
			      void *id_context, enum rdma_port_space ps)
{
	struct fake_id *f = calloc(1, sizeof(*f));
	uint32_t i = 0;

	f->id.channel = channel;
	f->id.context = id_context;
	f->id.ps = ps;
	while (ids[i])
		i++;
	ids[i] = f;
	fake_rdmacm.ids++;
	if (fake_rdmacm.ids > fake_rdmacm.most_ids)
		fake_rdmacm.most_ids = fake_rdmacm.ids;
	return f;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *id_context, enum rdma_port_space ps)
{
	if (call_fails())
		return -1;
	*id = &new_id(channel, id_context, ps)->id;
	return done();
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct fake_id *f = (struct fake_id *)id;

	pthread_mutex_lock(&lock);
	fake_rdmacm.misuses += f->unacked > 0 || f->member;
	if (f->other && f->other->leaves)
		put(&f->other->id, RDMA_CM_EVENT_DISCONNECTED, NULL, 0);
	drop_events((struct fake_channel *)id->channel, id);
	forget(f);
	return done();
}

/* The device leads anywhere. */
static void attach(struct fake_id *f)
{
	const char *name = fake_rdmacm.device ? fake_rdmacm.device : "fake0";

	if (strcmp(device.name, name) != 0)
		strcpy(device.name, name);
	f->id.verbs = &context;
	f->id.port_num = 1;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	if (call_fails())
		return -1;
	(void)address;
	attach((struct fake_id *)id);
	((struct fake_id *)id)->port = next_port;
	next_port = next_port < UINT16_MAX ? next_port + 1 : FIRST_PORT;
	return done();
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	if (call_fails())
		return -1;
	(void)backlog;
	((struct fake_id *)id)->listens = true;
	return done();
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return htons(((struct fake_id *)id)->port);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value,
		    size_t length)
{
	if (call_fails())
		return -1;
	(void)id;
	if (level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_TOS &&
	    length == 1)
		fake_rdmacm.tos = *(uint8_t *)value;
	return done();
}

static struct fake_event *put(struct rdma_cm_id *id,
			      enum rdma_cm_event_type type,
			      const uint8_t *data, uint8_t length)
{
	struct fake_channel *c = (struct fake_channel *)id->channel;
	struct fake_event *e = calloc(1, sizeof(*e) + length);
	const uint32_t number = ++fake_rdmacm.events;
	const uint64_t one = 1;

	e->event.id = id;
	e->event.event = type;
	if (data)
		memcpy(e->data, data, length);
	if (number == fake_rdmacm.spoil_event) {
		e->event.event = (enum rdma_cm_event_type)fake_rdmacm.type;
		e->event.status = fake_rdmacm.status;
	}
	if (id->ps == RDMA_PS_UDP) {
		e->event.param.ud.private_data = data ? e->data : NULL;
		e->event.param.ud.private_data_len = length;
	} else {
		e->event.param.conn.private_data = data ? e->data : NULL;
		e->event.param.conn.private_data_len = length;
	}
	if (number == fake_rdmacm.lose_event) {
		e->event.event = (enum rdma_cm_event_type)-1;
		e->event.id = NULL;
	}
	c->queue[c->put++ % EVENTS] = e;
	if (write(c->channel.fd, &one, sizeof(one)) < 0)
		abort();
	return e;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from,
		      struct sockaddr *to, int ms)
{
	if (call_fails())
		return -1;
	fake_rdmacm.misuses += ms <= 0 || from->sa_family != to->sa_family;
	fake_rdmacm.family = to->sa_family;
	if (fake_rdmacm.hurry)
		*fake_rdmacm.hurry = SECOND;
	attach((struct fake_id *)id);
	((struct fake_id *)id)->port =
		ntohs(to->sa_family == AF_INET ?
			      ((struct sockaddr_in *)to)->sin_port :
			      ((struct sockaddr_in6 *)to)->sin6_port);
	put(id, RDMA_CM_EVENT_ADDR_RESOLVED, NULL, 0);
	return done();
}

int rdma_resolve_route(struct rdma_cm_id *id, int ms)
{
	if (call_fails())
		return -1;
	fake_rdmacm.misuses += ms <= 0;
	put(id, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL, 0);
	return done();
}

/* CLIENT, or a stranger without one, asks LISTENER. */
static void ask(struct fake_id *listener, struct fake_id *client,
		const uint8_t *data, uint8_t length)
{
	struct fake_id *f = new_id(listener->id.channel, NULL,
				   listener->id.ps);
	struct fake_event *e;

	attach(f);
	f->other = client;
	e = put(&f->id, RDMA_CM_EVENT_CONNECT_REQUEST, data, length);
	e->asks = e->event.event == RDMA_CM_EVENT_CONNECT_REQUEST;
	if (e->asks)
		return;
	/* another event is the listener's */
	if (e->event.id)
		e->event.id = &listener->id;
	forget(f);
}

static struct fake_id *listener_at(uint16_t port)
{
	for (uint32_t i = 0; i < IDS; i++)
		if (ids[i] && ids[i]->listens && ids[i]->port == port)
			return ids[i];
	return NULL;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_id *f = (struct fake_id *)id, *listener;

	if (call_fails())
		return -1;
	listener = listener_at(f->port);
	f->qpn = param->qp_num;
	memcpy(f->asked, param->private_data, param->private_data_len);
	for (; listener && fake_rdmacm.strangers; fake_rdmacm.strangers--) {
		uint8_t strange[DATA_SIZE] = { 0 };

		ask(listener, NULL, strange,
		    (uint8_t)fake_rdmacm.stranger_bytes);
	}
	if (listener && fake_rdmacm.beyond) {
		uint8_t data[DATA_SIZE];
		const uint32_t index = htobe32(fake_rdmacm.beyond);

		memcpy(data, f->asked, sizeof(data));
		memcpy(data + INDEX_AT, &index, sizeof(index));
		ask(listener, NULL, data, param->private_data_len);
	}
	for (int i = 0; listener && i <= fake_rdmacm.twice; i++)
		/* a real one is padded, as answers are here */
		ask(listener, f, f->asked, param->private_data_len);
	if (!listener)
		put(id, RDMA_CM_EVENT_REJECTED, NULL, 0)->event.status = 8;
	return done();
}

static void fill_address(struct ibv_ah_attr *av)
{
	av->is_global = fake_verbs.port.link_layer ==
			IBV_LINK_LAYER_ETHERNET;
	av->port_num = 1;
	av->dlid = fake_verbs.port.lid;
	av->grh.dgid = fake_verbs.gids[0].gid;
	av->grh.sgid_index = (uint8_t)(fake_rdmacm.sgid_index ?
					       fake_rdmacm.sgid_index :
					       fake_verbs.gids[0].gid_index);
	av->grh.traffic_class = fake_rdmacm.tos;
	av->grh.hop_limit = 1;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_id *f = (struct fake_id *)id;
	const bool ud = id->ps == RDMA_PS_UDP;
	uint8_t data[DATA_SIZE] = { 0 };
	struct fake_event *e;

	if (call_fails())
		return -1;
	fake_rdmacm.accepted++;
	f->qpn = param->qp_num + fake_rdmacm.wrong_qpn;
	memcpy(data, param->private_data, param->private_data_len);
	data[0] ^= fake_rdmacm.wrong_answer;
	/* of struct cm_mark */
	if (fake_rdmacm.wrong_index)
		data[19]++;
	if (fake_rdmacm.took_byte)
		data[28 - fake_rdmacm.took_byte] = 0xff;
	if (!f->other || f->other->answered)
		return done();
	f->other->answered = true;
	f->other->other = f;
	if (fake_verbs.iwarp) {
		nic_connect(f->qpn, f->other->qpn);
		nic_connect(f->other->qpn, f->qpn);
	}
	e = put(&f->other->id, ud || fake_verbs.iwarp ?
			RDMA_CM_EVENT_ESTABLISHED :
			RDMA_CM_EVENT_CONNECT_RESPONSE,
		data, DATA_SIZE);
	if (!ud)
		return done();
	e->event.param.ud.qp_num = f->qpn;
	e->event.param.ud.qkey = 0x01234567;
	fill_address(&e->event.param.ud.ah_attr);
	return done();
}

/* The group at ADDRESS, as the manager puts it into a GID. */
static union ibv_gid group_of(const struct sockaddr *address, bool ethernet)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in = (const void *)address;
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (address->sa_family == AF_INET6)
		memcpy(gid.raw, &in6->sin6_addr, 16);
	else
		memcpy(gid.raw + 12, &in->sin_addr, 4);
	if (!ethernet)
		memcpy(gid.raw, "\xff\x12\x60\x1b", 4);
	return gid;
}

/* F is a member now, but may hear that it is none. */
static void join(struct fake_id *f, const struct sockaddr *address,
		 bool refused)
{
	const bool ethernet = fake_verbs.port.link_layer ==
			      IBV_LINK_LAYER_ETHERNET;
	struct fake_event *e =
		put(&f->id, refused ? RDMA_CM_EVENT_MULTICAST_ERROR :
				      RDMA_CM_EVENT_MULTICAST_JOIN, NULL, 0);
	struct rdma_ud_param *ud = &e->event.param.ud;

	fake_rdmacm.misuses += f->member || !f->id.verbs ||
			       f->id.ps != RDMA_PS_UDP;
	f->member = true;
	fake_rdmacm.members++;
	if (refused)
		e->event.status = -EINVAL;
	ud->qp_num = 0xffffff;
	ud->qkey = fake_rdmacm.qkey ? fake_rdmacm.qkey : 0x01234567;
	fill_address(&ud->ah_attr);
	ud->ah_attr.is_global = 1;
	ud->ah_attr.grh.dgid = group_of(address, ethernet);
	ud->ah_attr.dlid = ethernet ? 0 : 0xc001;
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *address,
			void *id_context)
{
	usleep(fake_rdmacm.slow_ms * 1000);
	if (call_fails())
		return -1;
	(void)id_context;
	if (fake_rdmacm.no_ipv6 && address->sa_family == AF_INET6) {
		done();
		errno = 524;
		return -1;
	}
	fake_rdmacm.joined++;
	join((struct fake_id *)id, address, false);
	return done();
}

int rdma_join_multicast_ex(struct rdma_cm_id *id,
			   struct rdma_cm_join_mc_attr_ex *attr,
			   void *id_context)
{
	if (call_fails())
		return -1;
	(void)id_context;
	if (fake_rdmacm.no_send_only || fake_rdmacm.no_ipv6) {
		done();
		errno = EOPNOTSUPP;
		return -1;
	}
	fake_rdmacm.misuses +=
		attr->comp_mask != (RDMA_CM_JOIN_MC_ATTR_ADDRESS |
				    RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS) ||
		attr->join_flags != RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
	fake_rdmacm.joined_to_send++;
	join((struct fake_id *)id, attr->addr, fake_rdmacm.refuse_send_only);
	return done();
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *address)
{
	struct fake_id *f = (struct fake_id *)id;

	(void)address;
	pthread_mutex_lock(&lock);
	fake_rdmacm.misuses += f->unacked > 0 || !f->member;
	f->member = false;
	fake_rdmacm.members--;
	return done();
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	struct fake_id *f = (struct fake_id *)id;

	(void)data;
	(void)length;
	pthread_mutex_lock(&lock);
	fake_rdmacm.rejected++;
	/* a copy of a request was answered already */
	if (f->other && !f->other->answered)
		put(&f->other->id, RDMA_CM_EVENT_REJECTED, NULL,
		    0)->event.status = 28;
	return done();
}

int rdma_establish(struct rdma_cm_id *id)
{
	struct fake_id *f = (struct fake_id *)id;

	if (call_fails())
		return -1;
	fake_rdmacm.established++;
	if (f->other)
		put(&f->other->id, RDMA_CM_EVENT_ESTABLISHED, NULL, 0);
	return done();
}

/* Until the other end has done it, too. */
int rdma_disconnect(struct rdma_cm_id *id)
{
	struct fake_id *f = (struct fake_id *)id;

	if (call_fails())
		return -1;
	f->leaves = true;
	put(f->other ? &f->other->id : id, RDMA_CM_EVENT_DISCONNECTED, NULL, 0);
	return done();
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr,
		      int *mask)
{
	struct fake_id *f = (struct fake_id *)id;

	if (call_fails())
		return -1;
	*mask = IBV_QP_STATE;
	attr->pkey_index = fake_rdmacm.pkey_index;
	attr->port_num = 1;
	attr->dest_qp_num = f->other ? f->other->qpn : 0;
	attr->rq_psn = ++psn & 0xffffff;
	attr->sq_psn = ++psn & 0xffffff;
	fill_address(&attr->ah_attr);
	return done();
}

int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event)
{
	struct fake_channel *c = (struct fake_channel *)channel;
	struct fake_event *e = NULL;

	if (call_fails())
		return -1;
	while (!e && c->got != c->put) {
		uint64_t one;

		if (read(channel->fd, &one, sizeof(one)) < 0)
			abort();
		e = c->queue[c->got++ % EVENTS];
		if (e && !e->event.id) {
			free(e);
			e = NULL;
		}
	}
	if (e) {
		fake_rdmacm.unacked++;
		((struct fake_id *)e->event.id)->unacked++;
		*event = &e->event;
		return done();
	}
	done();
	errno = EAGAIN;
	return -1;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	pthread_mutex_lock(&lock);
	fake_rdmacm.unacked--;
	((struct fake_id *)event->id)->unacked--;
	free(event);
	return done();
}
#endif
