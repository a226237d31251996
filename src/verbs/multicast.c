/* Makes multicast addresses, and joins and leaves groups. */
#include "config.h"
#include "verbs/multicast.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/ip.h"
#include "traffic/flow.h"
#include "verbs/qp_attr.h"

/* 239.255.x.y, which no router passes on, and ff12::x:y of one link. */
static const uint8_t site_ipv4[14] = { [10] = 0xff, [11] = 0xff, 239, 255 };
static const uint8_t link_ipv6[12] = { 0xff, 0x12 };

union ibv_gid multicast_group(const struct plan *plan, const struct path *path,
			      uint32_t qkey)
{
	union ibv_gid group = { .raw = { 0 } };

	if (plan->mcast.given)
		return plan->mcast.gid;
	if (gid_is_ipv4(&path->local.raw)) {
		memcpy(group.raw, site_ipv4, sizeof(site_ipv4));
	} else {
		memcpy(group.raw, link_ipv6, sizeof(link_ipv6));
		group.raw[12] = (uint8_t)(qkey >> 24);
		group.raw[13] = (uint8_t)(qkey >> 16);
	}
	group.raw[14] = (uint8_t)(qkey >> 8);
	group.raw[15] = (uint8_t)qkey;
	return group;
}

struct ibv_ah_attr multicast_address(uint8_t port, const struct plan *plan,
				     const struct path *path,
				     const union ibv_gid *group)
{
	const uint32_t label = addressing_flow_label(plan, 0);
	struct ibv_ah_attr av = qp_attr_address(port, plan, path, label);

	av.grh.dgid = *group;
	return av;
}

int multicast_attach(const struct device *device, struct ibv_qp *qp,
		     const struct ibv_ah_attr *av, struct multicast *m,
		     struct error *err)
{
	const uint16_t lid = port_is_ethernet(&device->port) ? 0 : av->dlid;
	char text[GID_TEXT_SIZE];
	int ret = ibv_attach_mcast(qp, &av->grh.dgid, lid);

	if (ret)
		return fail_errno(err, ret, m->n ? "use fewer --receivers" :
				  "choose a device that has multicast with -d",
				  "%s port %u: cannot attach queue pair %u to "
				  "the multicast group %s",
				  device->port.device, device->port.number,
				  m->n + 1, gid_format(&av->grh.dgid, text));
	if (!m->n++)
		*m = (struct multicast){ av->grh.dgid, lid, 1, -1, 0 };
	return 0;
}

/* A membership lasts as long as its socket. */
static int join_ip(const struct path *path, struct multicast *m)
{
	const int level = gid_is_ipv4(&m->group) ? IPPROTO_IP : IPPROTO_IPV6;
	struct group_req request = {
		.gr_interface = path->local.ifindex,
	};

	if (path->local.type != GID_TYPE_ROCE_V2 || !path->local.ifindex)
		return 0;
	ip_to_socket(m->group.raw, 0, &request.gr_group);
	m->fd = socket(request.gr_group.ss_family, SOCK_DGRAM | SOCK_CLOEXEC,
		       0);
	if (m->fd < 0 || setsockopt(m->fd, level, MCAST_JOIN_GROUP, &request,
				    sizeof(request)))
		return -errno;
	return 0;
}

int multicast_join(const struct device *device, const struct path *path,
		   struct multicast *m, struct error *err)
{
	const int ret = join_ip(path, m);
	char text[GID_TEXT_SIZE];

	return ret ? fail(err, ret, NULL,
			  "%s port %u: cannot join the multicast group %s on "
			  "its network interface: %s", device->port.device,
			  device->port.number, gid_format(&m->group, text),
			  strerror(-ret)) : 0;
}

void multicast_leave(struct multicast *m, const struct flow_qp *qps)
{
	if (m->n && m->fd >= 0)
		close(m->fd);
	while (m->n)
		ibv_detach_mcast(qps[--m->n].qp, &m->group, m->lid);
}
