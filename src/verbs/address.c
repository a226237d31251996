#include "config.h"
#include "verbs/address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/addressing.h"
#include "verbs/advice.h"
#include "verbs/explain.h"
#include "verbs/qp_attr.h"

static int create_failed(const struct device *device, const struct path *path,
			 int errnum, struct error *err)
{
	char towards[GID_TEXT_SIZE + 4];

	if (path->global)
		gid_format(&path->remote.raw, towards);
	else
		snprintf(towards, sizeof(towards), "LID %u", path->dlid);
	return fail(err, -errnum,
		    verb_advice("ibv_modify_qp", errnum,
				   port_is_ethernet(&device->port)),
		    "%s port %u: cannot make an address handle towards %s: %s",
		    device->port.device, device->port.number, towards,
		    strerror(errnum));
}

int addresses_get(struct addresses *list, const struct device *device,
		  struct ibv_pd *pd, const struct plan *plan,
		  const struct path *path, uint32_t index,
		  const struct ibv_ah_attr *av, struct ibv_ah **ah,
		  struct error *err)
{
	uint32_t label = av ? av->grh.flow_label :
			      addressing_flow_label(plan, index);
	struct ibv_ah_attr attr;
	struct ibv_ah *made;

	for (uint32_t i = 0; i < list->n; i++)
		if (list->list[i].flow_label == label || i + 1 == LABELS_MAX) {
			*ah = list->list[i].ah;
			return 0;
		}
	attr = av ? *av : qp_attr_address(device->port.number, plan, path,
					  label);
	made = ibv_create_ah(pd, &attr);
	if (!made)
		return create_failed(device, path, errno, err);
	list->list[list->n].flow_label = label;
	list->list[list->n++].ah = made;
	*ah = made;
	return 0;
}

void addresses_destroy(struct addresses *list)
{
	while (list->n)
		ibv_destroy_ah(list->list[--list->n].ah);
}
