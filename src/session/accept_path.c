#include "config.h"
#include "session/accept_path.h"

#include <errno.h>

#include "model/gid.h"
#include "run/peer_check.h"

int accept_path(struct session *s, const struct endpoint *peer,
		struct error *err)
{
	struct result *r = s->run.result;
	struct path mine;
	int ret = path_accept(&r->server, &r->client, peer->global,
			      peer->gid_index, peer->peer_gid_index, &mine,
			      err);

	if (ret)
		return ret;
	mine.mtu = peer->mtu;
	mine.dlid = peer->lid;
	ret = peer_check_endpoint(&r->client, &mine, peer, err);
	if (ret)
		return ret;
	r->path = mine;
	r->has_path = true;
	return 0;
}

int accept_path_of_one(struct session *s, const struct endpoint *peer,
		       struct error *err)
{
	const uint32_t mtu = s->run.plan->mtu;

	if (peer->n == 1 && mtu_bytes(peer->mtu) == mtu)
		return accept_path(s, peer, err);
	return fail(err, -EPROTO, NULL,
		    "the client sent an ENDPOINT of %u QPs and MTU %u where 1 "
		    "and %u were agreed", peer->n, mtu_bytes(peer->mtu), mtu);
}
