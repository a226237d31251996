#include "config.h"
#include "verbs/cm_end.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "model/addressing.h"

bool cm_is_ethernet(const struct cm_end *end)
{
	return port_is_ethernet(&end->device->port);
}

int cm_call_failed(const struct cm_end *end, const char *call,
		   struct error *err)
{
	const int errnum = errno;
	const char *advice = NULL;

	/* the first call; later ones show that it is there */
	if (!strcmp(call, "rdma_create_event_channel"))
		advice = "load the module rdma_ucm (modprobe rdma_ucm), and "
			 "see the permissions of /dev/infiniband/rdma_cm";
	else if (errnum == ENODEV)
		advice = "the address of the GID leads to no RDMA device: "
			 "choose another GID with -x";
	if (errnum == EADDRNOTAVAIL)
		advice = "the address of the GID is on no interface: see 'ip "
			 "address', or choose another GID with -x";
	return fail(err, errnum ? -errnum : -EIO, advice, "%s: %s: %s",
		    end->device->port.device, call, strerror(errnum));
}

int cm_set_service(const struct cm_end *end, struct rdma_cm_id *id,
		   struct error *err)
{
	uint8_t tos = addressing_traffic_class(end->plan);

	if (tos && rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS,
				   &tos, sizeof(tos)))
		return cm_call_failed(end, "rdma_set_option", err);
	return 0;
}

int cm_check_device(const struct cm_end *end, struct rdma_cm_id *id,
		    const char *peer, struct error *err)
{
	const struct device *device = end->device;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	const char *name = id->verbs ? ibv_get_device_name(id->verbs->device) :
				       "no device";
	int mask = 0;

	if (strcmp(name, device->port.device) != 0 ||
	    id->port_num != device->port.number)
		return fail(err, -EXDEV,
			    "name the server by an address of the network that "
			    "this device is on, or choose another -d, -i or -x",
			    "rdma_cm reaches %s by %s port %u, not by %s port "
			    "%u", peer, name, id->port_num,
			    device->port.device, device->port.number);
	if (rdma_init_qp_attr(id, &attr, &mask))
		return cm_call_failed(end, "rdma_init_qp_attr to INIT", err);
	if (attr.pkey_index == device->pkey_index)
		return 0;
	return fail(err, -EXDEV, "give --pkey-index that of the interface",
		    "rdma_cm reaches %s with the P_Key at index %u, not at %u",
		    peer, attr.pkey_index, device->pkey_index);
}

int cm_take_address(const struct cm_end *end, uint32_t i,
		    const struct ibv_ah_attr *av, struct resources_link *link,
		    struct error *err)
{
	const struct plan *plan = end->plan;
	const struct gid *mine = &end->path->local;

	link->av = *av;
	if (plan->sl)
		link->av.sl = (uint8_t)plan->sl;
	if (plan->flow_labels.n)
		link->av.grh.flow_label = addressing_flow_label(plan, i);
	if (plan->hop_limit != ADDRESSING_HOP_LIMIT)
		link->av.grh.hop_limit = (uint8_t)plan->hop_limit;
	if (!av->is_global || !end->path->global ||
	    av->grh.sgid_index == mine->index)
		return 0;
	return fail(err, -EXDEV,
		    "choose that with -x; of RoCE v1 and v2 rdma_cm takes what "
		    "default_roce_mode in configfs says",
		    "rdma_cm uses the GID at index %u, and the path that at %u",
		    av->grh.sgid_index, mine->index);
}
