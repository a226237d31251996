/* Reads the state, link and physical state of a port. */
#include "config.h"
#include "watch/devices.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sysfs.h"
#include "host/netdev.h"
#include "model/port.h"
#include "verbs/device.h"

/* PortPhysicalState of the InfiniBand specification. */
static const char *physical_name(uint8_t state)
{
	static const char *const names[] = {
		NULL,	    "Sleep",  "Polling",	   "Disabled",
		"Training", "LinkUp", "LinkErrorRecovery", "PhyTest",
	};

	return state < sizeof(names) / sizeof(*names) && names[state] ?
		       names[state] :
		       "";
}

static void set(struct port_status *status, enum port_status_field field,
		const char *text)
{
	snprintf(status->text[field], PORT_STATUS_TEXT_SIZE, "%s", text);
}

static void set_number(struct port_status *status, enum port_status_field field,
		       double value)
{
	snprintf(status->text[field], PORT_STATUS_TEXT_SIZE, "%.10g", value);
}

/* What the kernel says of the interface, in the files of its folder. */
static void read_link(const char *interface, struct port_status *status)
{
	sysfs_read(status->text[PORT_STATUS_LINK], PORT_STATUS_TEXT_SIZE,
		   "/sys/class/net/%s/operstate", interface);
	sysfs_read(status->text[PORT_STATUS_LINK_MTU], PORT_STATUS_TEXT_SIZE,
		   "/sys/class/net/%s/mtu", interface);
	sysfs_read(status->text[PORT_STATUS_LINK_DOWNS], PORT_STATUS_TEXT_SIZE,
		   "/sys/class/net/%s/carrier_down_count", interface);
}

static void read_port(const struct ibv_device *device,
		      const struct ibv_port_attr *attr, uint32_t mbps,
		      struct port_status *status)
{
	struct port port = { .state = (uint8_t)attr->state };

	device_kind(device, attr, &port);
	set(status, PORT_STATUS_STATE, port_state_name(&port));
	set(status, PORT_STATUS_PHYSICAL, physical_name(attr->phys_state));
	set_number(status, PORT_STATUS_MTU,
		   mtu_bytes((uint8_t)attr->active_mtu));
	if (mbps)
		set_number(status, PORT_STATUS_RATE, mbps / 1000.0);
	if (!port_has_lids(&port))
		return;
	set_number(status, PORT_STATUS_LID, attr->lid);
	set_number(status, PORT_STATUS_SM_LID, attr->sm_lid);
}

int port_status_read(struct ibv_context *context, uint8_t number,
		     struct port_status *status)
{
	const char *device = ibv_get_device_name(context->device);
	char interface[NETDEV_NAME_SIZE];
	struct ibv_port_attr attr;
	struct port_status now = { 0 };
	int ret = ibv_query_port(context, number, &attr);

	if (ret)
		return -abs(ret);
	read_port(context->device, &attr, device_rate(context, number, &attr),
		  &now);
	/* a port without GIDs for a while still has its interface */
	set(&now, PORT_STATUS_INTERFACE,
	    netdev_of_gid(device, number, 0, interface) ?
		    interface : status->text[PORT_STATUS_INTERFACE]);
	if (now.text[PORT_STATUS_INTERFACE][0])
		read_link(now.text[PORT_STATUS_INTERFACE], &now);
	*status = now;
	return 0;
}
