#include "config.h"
#include "watch/look.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/netdev.h"
#include "host/sysfs.h"
#include "model/port.h"
#include "verbs/device.h"

/* PortPhysicalState of the InfiniBand specification. */
static const char *physical_name(uint8_t state)
{
	static const char *const names[] = {
		NULL, "Sleep", "Polling", "Disabled",
		"Training", "LinkUp", "LinkErrorRecovery", "PhyTest",
	};

	return state < sizeof(names) / sizeof(*names) && names[state] ?
		       names[state] : "";
}

static void set(struct look *look, enum look_field field, const char *text)
{
	snprintf(look->text[field], LOOK_TEXT_SIZE, "%s", text);
}

static void set_number(struct look *look, enum look_field field, double value)
{
	snprintf(look->text[field], LOOK_TEXT_SIZE, "%.10g", value);
}

/* What the kernel says of the interface, in the files of its folder. */
static void look_at_link(const char *interface, struct look *look)
{
	static const struct {
		enum look_field field;
		const char *file;
	} files[] = {
		{ LOOK_LINK, "operstate" },
		{ LOOK_LINK_MTU, "mtu" },
		{ LOOK_LINK_DOWNS, "carrier_down_count" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		sysfs_read(look->text[files[i].field], LOOK_TEXT_SIZE,
			   "/sys/class/net/%s/%s", interface, files[i].file);
}

static void look_at_port(const struct ibv_port_attr *attr, uint32_t mbps,
			 struct look *look)
{
	const struct port port = { .state = (uint8_t)attr->state };

	set(look, LOOK_STATE, port_state_name(&port));
	set(look, LOOK_PHYSICAL, physical_name(attr->phys_state));
	set_number(look, LOOK_MTU, mtu_bytes((uint8_t)attr->active_mtu));
	if (mbps)
		set_number(look, LOOK_RATE, mbps / 1000.0);
	if (attr->link_layer == IBV_LINK_LAYER_ETHERNET)
		return;
	set_number(look, LOOK_LID, attr->lid);
	set_number(look, LOOK_SM_LID, attr->sm_lid);
}

int look_read(struct ibv_context *context, uint8_t number, struct look *look)
{
	const char *device = ibv_get_device_name(context->device);
	char interface[NETDEV_NAME_SIZE];
	struct ibv_port_attr attr;
	struct look now = { 0 };
	int ret = ibv_query_port(context, number, &attr);

	if (ret)
		return -abs(ret);
	look_at_port(&attr, device_rate(context, number, &attr), &now);
	/* a port without GIDs for a while still has its interface */
	set(&now, LOOK_INTERFACE,
	    netdev_of_gid(device, number, 0, interface) ?
		    interface : look->text[LOOK_INTERFACE]);
	if (now.text[LOOK_INTERFACE][0])
		look_at_link(now.text[LOOK_INTERFACE], &now);
	*look = now;
	return 0;
}
