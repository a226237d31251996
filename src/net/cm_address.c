#include "config.h"
#include "net/cm_address.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "base/ip.h"
#include "model/gid.h"

/* The address of an end, without a port: GID, or that of the socket TCP. */
static void choose_address(const struct path *path, const struct gid *gid,
			   const struct sockaddr_storage *tcp,
			   struct sockaddr_storage *address)
{
	struct sockaddr_in6 *in6 = (void *)address;
	struct sockaddr_in *in = (void *)address;
	uint8_t ip[IP_SIZE] = { 0 };
	const bool by_gid = path->global && gid_names_host(gid);

	memset(address, 0, sizeof(*address));
	ip_from_socket((const struct sockaddr *)tcp, ip);
	if (by_gid)
		memcpy(ip, gid->raw.raw, sizeof(ip));
	if (ip_is_ipv4(ip)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, ip + IPV4_AT, sizeof(in->sin_addr));
		return;
	}
	in6->sin6_family = AF_INET6;
	memcpy(&in6->sin6_addr, ip, sizeof(in6->sin6_addr));
	if (!by_gid)
		in6->sin6_scope_id =
			((const struct sockaddr_in6 *)tcp)->sin6_scope_id;
}

void cm_address_local(const struct connection *conn, const struct path *path,
		      struct sockaddr_storage *address)
{
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getsockname(conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->local, &tcp, address);
}

void cm_address_remote(const struct connection *conn, const struct path *path,
		       uint16_t port, struct sockaddr_storage *address)
{
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getpeername(conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->remote, &tcp, address);
	if (address->ss_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}
