#include "config.h"
#include "verbs/cm_event.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>

int cm_event_open(const struct cm_end *end, struct rdma_event_channel **channel,
		  struct error *err)
{
	int ret;

	*channel = rdma_create_event_channel();
	if (!*channel)
		return cm_call_failed(end, "rdma_create_event_channel", err);
	if (!fcntl((*channel)->fd, F_SETFL, O_NONBLOCK) &&
	    !fcntl((*channel)->fd, F_SETFD, FD_CLOEXEC))
		return 0;
	ret = cm_call_failed(end, "fcntl", err);
	rdma_destroy_event_channel(*channel);
	*channel = NULL;
	return ret;
}

/* Where EVENT has its private data. */
static const void *private_data(bool datagram,
				const struct rdma_cm_event *event,
				uint8_t *length)
{
	if (datagram) {
		*length = event->param.ud.private_data_len;
		return event->param.ud.private_data;
	}
	*length = event->param.conn.private_data_len;
	return event->param.conn.private_data;
}

static struct cm_event copy_event(bool datagram,
				  const struct rdma_cm_event *event)
{
	struct cm_event copy = {
		.id = event->id,
		.type = event->event,
		.status = event->status,
	};
	const void *data;
	uint8_t length;

	if (datagram)
		copy.ud = event->param.ud;
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST &&
	    event->event != RDMA_CM_EVENT_CONNECT_RESPONSE &&
	    event->event != RDMA_CM_EVENT_ESTABLISHED)
		return copy;
	data = private_data(datagram, event, &length);
	/* padded with zeros to the size of the manager's message */
	copy.marked = data && length >= sizeof(copy.mark);
	if (copy.marked)
		memcpy(&copy.mark, data, sizeof(copy.mark));
	return copy;
}

int cm_event_take(const struct cm_end *end, struct rdma_event_channel *channel,
		  struct cm_event *event, struct error *err)
{
	struct rdma_cm_event *got;

	if (rdma_get_cm_event(channel, &got)) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return cm_call_failed(end, "rdma_get_cm_event", err);
	}
	*event = copy_event(plan_is_datagram(end->plan), got);
	/* an id cannot be destroyed before that */
	rdma_ack_cm_event(got);
	return 1;
}

struct cm_mark cm_mark_of(const struct cm_end *end, uint32_t index,
			  uint64_t took)
{
	const uint32_t big_index = htobe32(index);
	const uint64_t big_took = htobe64(took);
	struct cm_mark mark;

	memcpy(mark.token, end->token, sizeof(mark.token));
	memcpy(mark.index, &big_index, sizeof(mark.index));
	memcpy(mark.took, &big_took, sizeof(mark.took));
	return mark;
}

bool cm_mark_is_known(const struct cm_end *end, const struct cm_event *event,
		      uint32_t *index, uint64_t *took)
{
	uint32_t big_index;
	uint64_t big_took;

	if (!event->marked || sodium_memcmp(event->mark.token, end->token,
					    sizeof(event->mark.token)))
		return false;
	memcpy(&big_index, event->mark.index, sizeof(big_index));
	memcpy(&big_took, event->mark.took, sizeof(big_took));
	*index = be32toh(big_index);
	if (took)
		*took = be64toh(big_took);
	return true;
}
