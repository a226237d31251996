/* Finds and opens a device, and reads its port, limits and GIDs. */
#include "config.h"
#include "verbs/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/xalloc.h"
#include "verbs/advice.h"
#include "verbs/device_list.h"
#include "verbs/gids.h"

/* sgid_index in an address vector has 8 bits. */
#define GID_INDEX_MAX 255

/* Read entry INDEX of PORT's P_Key table into port->pkey. */
static int pkey_read(struct ibv_context *context, uint32_t index,
		     struct port *port, struct error *err)
{
	__be16 pkey;

	if (port->iwarp)
		return index ? port_lacks(port, "P_Keys (--pkey-index)", err) :
			       0;
	if (index >= port->n_pkeys)
		return fail(err, -EINVAL, NULL,
			    "--pkey-index %u: %s port %u has a table of %u "
			    "P_Key%s, from index 0", index, port->device,
			    port->number, port->n_pkeys,
			    port->n_pkeys == 1 ? "" : "s");
	errno = 0;
	if (ibv_query_pkey(context, port->number, (int)index, &pkey))
		return fail_errno(err, errno ? errno : EIO, NULL,
				  "--pkey-index %u: cannot read that P_Key of "
				  "%s port %u", index, port->device,
				  port->number);
	/* an empty entry has no partition bits set */
	if (!(ntohs(pkey) & PORT_PKEY_PARTITION))
		return fail(err, -EINVAL, "choose an index with a P_Key",
			    "--pkey-index %u: that entry of %s port %u is "
			    "empty", index, port->device, port->number);
	port->pkey = ntohs(pkey);
	return 0;
}

/* The rate of port NUMBER, which has ATTR, in Mb/s: what the device says it is,
 * or that of its lanes; 0: unknown. */
static uint32_t read_port_rate(struct ibv_context *context, uint8_t number,
			       const struct ibv_port_attr *attr)
{
	uint64_t tenths = 0;	/* of a Gb/s */
	uint32_t speed = 0;

	(void)context, (void)number;
#ifdef HAVE_IBV_QUERY_PORT_SPEED
	if (ibv_query_port_speed(context, number, &tenths) ||
	    tenths > UINT32_MAX / 100)
		tenths = 0;
#endif
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	speed = attr->active_speed_ex;
#endif
	if (tenths)
		return (uint32_t)tenths * 100;
	return port_rate(attr->active_width, speed ? speed :
						     attr->active_speed);
}

void device_look(const struct device *device, uint8_t *state, uint32_t *mtu)
{
	struct ibv_port_attr attr;

	*state = 0;
	*mtu = 0;
	if (ibv_query_port(device->context, device->port.number, &attr))
		return;
	*state = (uint8_t)attr.state;
	*mtu = mtu_bytes((uint8_t)attr.active_mtu);
}

/* Read the port's GIDs or, with a forced index, only that one.  Only for
 * --check may it be missing. */
static int read_gids(struct ibv_context *context,
		     const struct parameters *params, struct port *port,
		     struct error *err)
{
	const uint32_t forced = params->gid_index;
	struct gid *gids = xcalloc(GIDS_MAX, sizeof(*gids));
	ssize_t n = gids_read(context, port->number, gids);

	for (ssize_t i = 0; i < n && port->n_gids < PORT_GIDS_MAX; i++)
		if (forced == PLAN_AUTO ? gids[i].index <= GID_INDEX_MAX :
					  gids[i].index == forced)
			port->gids[port->n_gids++] = gids[i];
	free(gids);
	if (n < 0)
		return fail_errno(err, (int)n, NULL, "%s: cannot read the GIDs",
				  port->device);
	port->gid_forced = forced != PLAN_AUTO;
	if (port->gid_forced && !port->n_gids && !params->plan.check)
		return fail(err, -ENOENT, "'verbsperf devices' lists them",
			    "--gid-index %u: %s port %u has no GID there",
			    forced, port->device, port->number);
	return 0;
}

static void read_limits(const struct ibv_device_attr_ex *extended,
			const struct ibv_port_attr *port_attr,
			struct port_limits *limits)
{
	const struct ibv_device_attr *attr = &extended->orig_attr;
	const struct ibv_odp_caps *odp = &extended->odp_caps;
	const struct ibv_packet_pacing_caps *pacing =
		&extended->packet_pacing_caps;

	*limits = (struct port_limits){
		.max_msg_sz = port_attr->max_msg_sz,
		.max_qp = (uint32_t)attr->max_qp,
		.max_qp_wr = (uint32_t)attr->max_qp_wr,
		.max_cqe = (uint32_t)attr->max_cqe,
		.max_qp_rd_atom = (uint32_t)attr->max_qp_rd_atom,
		.max_qp_init_rd_atom = (uint32_t)attr->max_qp_init_rd_atom,
		.max_srq = (uint32_t)attr->max_srq,
		.max_srq_wr = (uint32_t)attr->max_srq_wr,
		.max_mr = (uint32_t)attr->max_mr,
		.xrc = attr->device_cap_flags & IBV_DEVICE_XRC,
		.max_mcast_grp = (uint32_t)attr->max_mcast_grp,
		/* not every driver says it */
		.max_mcast_qp_attach =
			(uint32_t)(attr->max_mcast_qp_attach > 0 ?
					   attr->max_mcast_qp_attach : -1),
		.max_sge = (uint32_t)attr->max_sge,
		/* not every driver says it */
		.max_sge_rd = (uint32_t)(attr->max_sge_rd > 0 ?
						 attr->max_sge_rd :
						 attr->max_sge),
		.max_srq_sge = (uint32_t)attr->max_srq_sge,
		.pacing_known = true,
		.min_kbps = pacing->qp_rate_limit_min,
		.max_kbps = pacing->qp_rate_limit_max,
		.paced_types = pacing->supported_qpts,
	};
	if (!(odp->general_caps & IBV_ODP_SUPPORT))
		return;
	for (int i = 0; i < TRANSPORTS; i++)
		limits->odp[i] = *(const uint32_t *)((const char *)extended +
						     transport_table[i].paging);
}

/* Set what kind of port of DEVICE has ATTR: its transport, link layer and
 * driver (port_kind_name()) in PORT.  Where the transport is InfiniBand's, an
 * unspecified link layer is InfiniBand, which kernels before 2.6.37 did not
 * say. */
static void read_kind(const struct ibv_device *device,
		      const struct ibv_port_attr *attr, struct port *port)
{
	const int transport = device->transport_type;
	char driver[FACT_TEXT_SIZE];

	port->iwarp = transport == IBV_TRANSPORT_IWARP;
	if (transport > IBV_TRANSPORT_IWARP)
		port->transport = (uint8_t)transport;
	if (transport < 0 || transport > IBV_TRANSPORT_UNSPECIFIED)
		port->transport = PORT_TRANSPORT_UNKNOWN;
	port->link_layer = attr->link_layer;
	if (transport == IBV_TRANSPORT_IB &&
	    attr->link_layer == IBV_LINK_LAYER_UNSPECIFIED)
		port->link_layer = IBV_LINK_LAYER_INFINIBAND;
	if (sysfs_driver(device->name, driver, sizeof(driver)))
		facts_set_text(&port->facts, FACT_DRIVER, driver);
}

static int read_port(struct ibv_context *context, uint8_t number,
		     const struct parameters *params, struct port *port,
		     struct error *err)
{
	struct ibv_device_attr_ex extended;
	const struct ibv_device_attr *attr = &extended.orig_attr;
	struct ibv_port_attr port_attr;
	const char *name = ibv_get_device_name(context->device);
	int ret = ibv_query_device_ex(context, NULL, &extended);

	memset(port, 0, sizeof(*port));
	port->numa_node = PORT_NO_NODE;
	if (ret)
		return fail_errno(err, ret, NULL, "cannot query %s", name);
	if (number == 0 || number > attr->phys_port_cnt)
		return fail(err, -ENODEV, NULL,
			    "--ib-port %u: %s has ports 1 to %u", number, name,
			    attr->phys_port_cnt);
	ret = ibv_query_port(context, number, &port_attr);
	if (ret)
		return fail_errno(err, ret, NULL, "cannot query port %u of %s",
				  number, name);
	gethostname(port->hostname, sizeof(port->hostname) - 1);
	snprintf(port->device, sizeof(port->device), "%s", name);
	snprintf(port->firmware, sizeof(port->firmware), "%.63s", attr->fw_ver);
	read_limits(&extended, &port_attr, &port->limits);
	port->number = number;
	read_kind(context->device, &port_attr, port);
	port->state = (uint8_t)port_attr.state;
	port->active_mtu = (uint8_t)port_attr.active_mtu;
	port->lid = port_attr.lid;
	port->n_pkeys = port_attr.pkey_tbl_len;
	port->grh_required = port_attr.flags & IBV_QPF_GRH_REQUIRED;
	port->rate_mbps = read_port_rate(context, number, &port_attr);
	return read_gids(context, params, port, err);
}

static int open_context(const struct listed *listed,
			struct ibv_context **context, struct error *err)
{
	int ret = device_list_open(listed, context, err);

	/* asynchronous events are only polled for */
	if (!ret)
		fcntl((*context)->async_fd, F_SETFL, O_NONBLOCK);
	return ret;
}

static uint8_t port_count(struct ibv_context *context)
{
	struct ibv_device_attr attr;

	return ibv_query_device(context, &attr) ? 0 : attr.phys_port_cnt;
}

/* Read the requested port; by default the first active one, else port 1. */
static int read_chosen_port(struct ibv_context *context,
			    const struct parameters *params, struct port *port,
			    struct error *err)
{
	uint8_t n = port_count(context);
	struct ibv_port_attr attr;

	if (params->ib_port != PLAN_AUTO)
		return read_port(context, (uint8_t)params->ib_port, params,
				 port, err);
	for (uint8_t i = 1; i <= n; i++)
		if (!ibv_query_port(context, i, &attr) &&
		    attr.state == IBV_PORT_ACTIVE)
			return read_port(context, i, params, port, err);
	return read_port(context, 1, params, port, err);
}

static int require_active(const struct port *port, struct error *err)
{
	if (port->state == IBV_PORT_ACTIVE)
		return 0;
	return fail(err, -ENETDOWN,
		    "bring its network interface up (ip link set ... up), "
		    "check the cable, or choose another port with -d and -i",
		    "port %u of %s is %s", port->number, port->device,
		    port_state_name(port));
}

static int open_one(const struct listed *listed,
		    const struct parameters *params, struct device *opened,
		    struct error *err)
{
	struct device d = { .pkey_index = params->pkey_index };
	int ret = open_context(listed, &d.context, err);

	if (ret)
		return ret;
	ret = read_chosen_port(d.context, params, &d.port, err);
	/* --check reports an inactive port with everything else */
	if (!ret && !params->plan.check)
		ret = require_active(&d.port, err);
	if (!ret)
		ret = pkey_read(d.context, params->pkey_index, &d.port, err);
	if (ret)
		device_close(&d);
	else
		*opened = d;
	return ret;
}

static int open_named(const struct device_list *list,
		      const struct parameters *params, struct device *device,
		      struct error *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->listed[i].name, params->device))
			return open_one(&list->listed[i], params, device, err);
	return device_list_no_such(list, params->device, err);
}

/* Open the first device that opens.  A single device reports its own error. */
static int open_first(const struct device_list *list,
		      const struct parameters *params, struct device *device,
		      struct error *err)
{
	if (list->n == 1)
		return open_one(&list->listed[0], params, device, err);
	for (size_t i = 0; i < list->n; i++) {
		struct error why = { 0 };

		if (!open_one(&list->listed[i], params, device, &why))
			return 0;
	}
	return fail(err, -ENODEV, "'verbsperf devices' says why; -d NAME "
		    "chooses one", "none of the RDMA devices can be used");
}

int device_open(const struct parameters *params, struct device *device,
		struct error *err)
{
	struct device_list list;
	int ret = device_list_read(&list, err);

	if (ret)
		return ret;
	ret = params->device ? open_named(&list, params, device, err) :
			       open_first(&list, params, device, err);
	device_list_free(&list);
	return ret;
}

void device_close(struct device *device)
{
	if (device->context)
		ibv_close_device(device->context);
	device->context = NULL;
}

/* Append an empty entry to FOUND and return it. */
static struct found_port *append(struct found_port **found, size_t *n)
{
	*found = xrealloc(*found, *n + 1, sizeof(**found));
	memset(&(*found)[*n], 0, sizeof(**found));
	return &(*found)[(*n)++];
}

/* Append the ports of CONTEXT to FOUND, with the errors of unusable ones. */
static void scan_ports(struct ibv_context *context,
		       const struct parameters *params,
		       struct found_port **found, size_t *n)
{
	bool one = params->ib_port != PLAN_AUTO;
	uint32_t first = one ? params->ib_port : 1;
	uint32_t last = one ? params->ib_port : port_count(context);

	/* without ports, port 1 tells why the device cannot be queried */
	if (last < first)
		last = first;
	for (uint32_t i = first; i <= last; i++) {
		struct found_port *f = append(found, n);

		f->port.number = (uint8_t)i;
		read_port(context, (uint8_t)i, params, &f->port, &f->error);
	}
}

static void scan_one(const struct listed *listed,
		     const struct parameters *params,
		     struct found_port **found, size_t *n)
{
	const size_t first = *n;
	struct ibv_context *context;
	struct error err = { 0 };

	if (open_context(listed, &context, &err)) {
		append(found, n)->error = err;
	} else {
		scan_ports(context, params, found, n);
		ibv_close_device(context);
	}
	/* of a port that could not be read, too */
	for (size_t i = first; i < *n; i++)
		snprintf((*found)[i].port.device, PORT_NAME_SIZE, "%s",
			 listed->name);
}

int device_scan(const struct parameters *params, struct found_port **found,
		size_t *n, struct error *err)
{
	struct device_list list;
	int ret = device_list_read(&list, err);

	*found = NULL;
	*n = 0;
	if (ret)
		return ret;
	for (size_t i = 0; i < list.n; i++)
		if (!params->device ||
		    !strcmp(list.listed[i].name, params->device))
			scan_one(&list.listed[i], params, found, n);
	if (!*n)
		ret = device_list_no_such(&list, params->device, err);
	device_list_free(&list);
	if (*n == 1 && error_is_set(&(*found)->error)) {
		*err = (*found)->error;
		ret = -ENODEV;
	}
	if (ret) {
		free(*found);
		*found = NULL;
	}
	return ret;
}

int pd_alloc(const struct device *device, struct ibv_pd **pd, struct error *err)
{
	*pd = ibv_alloc_pd(device->context);
	return *pd ? 0 : verb_failed(&device->port, "ibv_alloc_pd", errno, err,
				     "cannot allocate a protection domain");
}
