/* Path selection: arrays of GIDs in, the pair that is chosen out. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>

#include "model/gid.h"

#define V1 GID_TYPE_ROCE_V1
#define V2 GID_TYPE_ROCE_V2
#define IWARP GID_TYPE_IWARP
#define GIDS 6

struct entry {
	const char *text;	/* NULL: no more */
	uint8_t type;
	uint32_t index;
};

static void set_gid(union ibv_gid *gid, const char *text)
{
	assert_int_equal(inet_pton(AF_INET6, text, gid->raw), 1);
}

static struct port ethernet(const struct entry *entries, bool forced)
{
	struct port port = {
		.device = "rxe0",
		.hostname = "host",
		.number = 1,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.gid_forced = forced,
	};

	for (; port.n_gids < GIDS && entries->text; entries++) {
		struct gid *gid = &port.gids[port.n_gids++];

		set_gid(&gid->raw, entries->text);
		gid->type = entries->type;
		gid->index = entries->index;
	}
	return port;
}

static struct subnet subnet_of(const char *text, uint32_t prefix)
{
	struct subnet subnet = { .prefix = prefix };

	set_gid(&subnet.address, text);
	return subnet;
}

struct row {
	const char *why;
	struct entry mine[GIDS];
	struct entry peer[GIDS];
	const char *subnet;	/* of TCP at this end, /24; NULL: unknown */
	int forced;		/* 1: mine, 2: the peer's */
	uint32_t local, remote;	/* indices chosen */
};

#define A "::ffff:10.0.0."
#define B "::ffff:10.1.1."
#define LOCAL6 "fe80::"
#define GLOBAL6 "2001:db8::"

// clang-format off
static const struct row rows[] = {
	{ "one each", { { A "1", V2, 1 } }, { { A "2", V2, 5 } }, NULL, 0, 1, 5 },
	{ "v2 over v1",
	  { { A "1", V1, 0 }, { A "1", V2, 1 } },
	  { { A "2", V1, 2 }, { A "2", V2, 3 } }, NULL, 0, 1, 3 },
	{ "v1 when that is all", { { A "1", V1, 0 } },
	  { { A "2", V2, 2 }, { A "2", V1, 3 } }, NULL, 0, 0, 3 },
	{ "v2 link-local over v1 global",
	  { { A "1", V1, 0 }, { LOCAL6 "1", V2, 1 } },
	  { { A "2", V1, 0 }, { LOCAL6 "2", V2, 1 } }, NULL, 0, 1, 1 },
	{ "v2 over v1 on the subnet of TCP",
	  { { B "1", V1, 0 }, { A "1", V2, 1 } },
	  { { B "2", V1, 0 }, { A "2", V2, 1 } }, B "1", 0, 1, 1 },
	{ "one family", { { GLOBAL6 "1", V2, 0 }, { A "1", V2, 1 } },
	  { { A "2", V2, 0 } }, NULL, 0, 1, 0 },
	{ "the subnet of TCP over others",
	  { { A "1", V2, 0 }, { B "1", V2, 1 } },
	  { { A "2", V2, 0 }, { B "2", V2, 1 } }, B "1", 0, 1, 1 },
	{ "the subnet of TCP over the longest prefix",
	  { { A "1", V2, 0 }, { B "1", V2, 1 } },
	  { { A "0", V2, 0 }, { B "200", V2, 1 } }, B "1", 0, 1, 1 },
	{ "a subnet that only one end is on is none",
	  { { A "1", V2, 0 }, { B "1", V2, 1 } },
	  { { A "2", V2, 0 } }, B "1", 0, 0, 0 },
	{ "a link-local subnet of TCP over global",
	  { { GLOBAL6 "1", V2, 0 }, { "::ffff:169.254.0.1", V2, 1 } },
	  { { GLOBAL6 "2", V2, 0 }, { "::ffff:169.254.0.2", V2, 1 } },
	  "::ffff:169.254.0.1", 0, 1, 1 },
	{ "global over link-local, whatever the prefix",
	  { { LOCAL6 "1", V2, 0 }, { GLOBAL6 "1", V2, 1 } },
	  { { LOCAL6 "2", V2, 0 }, { GLOBAL6 "8000:0:0:1", V2, 1 } }, NULL, 0, 1, 1 },
	{ "IPv4 over IPv6, whatever the prefix and the index",
	  { { GLOBAL6 "1", V2, 0 }, { A "1", V2, 1 } },
	  { { GLOBAL6 "1", V2, 0 }, { B "9", V2, 1 } }, NULL, 0, 1, 1 },
	{ "IPv4 over link-local IPv6",
	  { { LOCAL6 "1", V2, 0 }, { A "1", V2, 1 } },
	  { { LOCAL6 "2", V2, 0 }, { A "2", V2, 1 } }, NULL, 0, 1, 1 },
	{ "link-local with link-local only",
	  { { LOCAL6 "1", V2, 0 }, { GLOBAL6 "1", V2, 1 } },
	  { { LOCAL6 "2", V2, 4 } }, NULL, 0, 0, 4 },
	{ "the longest common prefix",
	  { { A "1", V2, 0 }, { B "1", V2, 1 } },
	  { { "::ffff:10.9.0.1", V2, 0 }, { B "2", V2, 1 } }, NULL, 0, 1, 1 },
	{ "the lowest index of equals",
	  { { A "1", V2, 3 }, { A "1", V2, 7 } },
	  { { A "2", V2, 2 }, { A "2", V2, 9 } }, NULL, 0, 3, 2 },
	{ "the addresses of iWARP", { { A "1", IWARP, 0 }, { B "1", IWARP, 1 } },
	  { { GLOBAL6 "2", IWARP, 0 }, { B "2", IWARP, 1 } }, NULL, 0, 1, 1 },
	{ "forced here", { { A "1", V1, 4 } },
	  { { A "2", V2, 0 }, { A "2", V1, 1 } }, NULL, 1, 4, 1 },
	{ "forced there", { { A "1", V2, 0 }, { A "1", V1, 1 } },
	  { { A "2", V1, 8 } }, NULL, 2, 1, 8 },
	{ "forced: the scope need not match", { { LOCAL6 "1", V2, 0 } },
	  { { GLOBAL6 "2", V2, 0 } }, NULL, 1, 0, 0 },
	{ "forced on both ends", { { LOCAL6 "1", V2, 5 } },
	  { { GLOBAL6 "2", V2, 6 } }, NULL, 3, 5, 6 },
};
// clang-format on

TEST(test_ethernet)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct port mine = ethernet(r->mine, r->forced & 1);
		struct port peer = ethernet(r->peer, r->forced & 2);
		struct ways ways = { .n = r->subnet != NULL };
		struct error err = { 0 };
		struct path path;

		if (r->subnet)
			ways.list[0] = subnet_of(r->subnet, 96 + 24);
		if (path_choose(&mine, &peer, &ways, &path, &err))
			fail_msg("%s: %s", r->why, err.message);
		if (path.local.index != r->local ||
		    path.remote.index != r->remote)
			fail_msg("%s: chose %u and %u", r->why,
				 path.local.index, path.remote.index);
		assert_true(path.global);
		assert_int_equal(path.mtu, 0);
		assert_int_equal(path.local.type, path.remote.type);
	}
}

/* Which of a server's addresses answers first does not matter: the networks of
 * all of them count, in any order, and -4 and -6 decide. */
TEST(test_ways)
{
	static const struct entry client[GIDS] = {
		{ GLOBAL6 "1", V2, 0 }, { A "1", V2, 1 }, { B "1", V2, 2 },
		{ LOCAL6 "1", V2, 3 },
	};
	static const struct entry server[GIDS] = {
		{ GLOBAL6 "2", V2, 0 }, { A "9", V2, 1 }, { B "2", V2, 2 },
		{ LOCAL6 "2", V2, 3 },
	};
	const struct subnet a = subnet_of(A "1", 96 + 24),
			    b = subnet_of(B "1", 96 + 24),
			    far = subnet_of("::ffff:192.0.2.1", 96 + 24),
			    six = subnet_of(GLOBAL6 "1", 64),
			    local = subnet_of(LOCAL6 "1", 64);
	const struct {
		struct ways ways;
		uint32_t chosen;	/* index at both ends */
	} cases[] = {
		{ { 0 }, 2 },
		{ { 0, 1, { six } }, 0 },
		{ { 0, 1, { a } }, 1 },
		{ { 0, 2, { a, six } }, 1 },
		{ { 0, 2, { six, a } }, 1 },
		{ { 0, 2, { six, far } }, 0 },
		{ { 0, 2, { far, six } }, 0 },
		{ { 0, 2, { a, b } }, 2 },
		{ { 0, 2, { b, a } }, 2 },
		{ { 0, 2, { local, six } }, 0 },
		{ { 0, 2, { six, local } }, 0 },
		{ { 0, 1, { local } }, 3 },
		{ { AF_INET, 0, { { .prefix = 0 } } }, 2 },
		{ { AF_INET, 1, { six } }, 2 },
		{ { AF_INET6, 0, { { .prefix = 0 } } }, 0 },
		{ { AF_INET6, 1, { a } }, 0 },
	};
	const struct port mine = ethernet(client, false);
	const struct port peer = ethernet(server, false);

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = { 0 };
		struct path path;

		assert_int_equal(path_choose(&mine, &peer, &cases[i].ways,
					     &path, &err), 0);
		if (path.local.index != cases[i].chosen ||
		    path.remote.index != cases[i].chosen)
			fail_msg("case %zu: chose %u and %u", i,
				 path.local.index, path.remote.index);
	}
}

TEST(test_family_that_an_end_lacks)
{
	static const struct entry only[GIDS] = { { A "1", V2, 0 } };
	const struct ways ways = { .family = AF_INET6 };
	const struct port port = ethernet(only, false);
	struct error err = { 0 };
	struct path path;

	assert_int_equal(path_choose(&port, &port, &ways, &path, &err),
			 -ENOENT);
	assert_contains(err.message, "--ipv6: no GID");
}

static const struct row hopeless[] = {
	{ "10.0.0.1 v2", { { A "1", V2, 0 } }, { { A "2", V1, 0 } }, NULL, 0,
	  0, 0 },
	{ "no GIDs here", { { NULL, 0, 0 } }, { { A "2", V1, 0 } }, NULL, 0,
	  0, 0 },
	{ "none at all", { { NULL, 0, 0 } }, { { NULL, 0, 0 } }, NULL, 0, 0,
	  0 },
	{ "families", { { A "1", V2, 0 } }, { { GLOBAL6 "2", V2, 0 } }, NULL,
	  0, 0, 0 },
	{ "scopes", { { LOCAL6 "1", V2, 0 } }, { { GLOBAL6 "2", V2, 0 } },
	  NULL, 0, 0, 0 },
	{ "families of iWARP", { { A "1", IWARP, 0 } },
	  { { GLOBAL6 "2", IWARP, 0 } }, NULL, 0, 0, 0 },
	{ "forced, but another family", { { A "1", V2, 0 } },
	  { { GLOBAL6 "2", V2, 0 } }, NULL, 3, 0, 0 },
};

static const char *const hopeless_kinds[] = {
	"RoCE v2 IPv4 against RoCE v1 IPv4",
	"none against RoCE v1 IPv4",
	"none against none",
	"RoCE v2 IPv4 against RoCE v2 IPv6",
	"RoCE v2 IPv6 against RoCE v2 IPv6",
	"iWARP IPv4 against iWARP IPv6",
	"RoCE v2 IPv4 against RoCE v2 IPv6",
};

TEST(test_no_pair)
{
	static const struct ways nowhere = { 0 };
	static const char head[] = "no GID of the client's rxe0 port 1 on host "
				   "fits one of the server's rxe0 port 1 on "
				   "host: ";

	for (size_t i = 0; i < COUNT(hopeless); i++) {
		const struct row *r = &hopeless[i];
		struct port mine = ethernet(r->mine, r->forced & 1);
		struct port peer = ethernet(r->peer, r->forced & 2);
		struct path path = { .dlid = 99 };
		struct error err = { 0 };

		assert_int_equal(path_choose(&mine, &peer, &nowhere, &path,
					     &err), -ENOENT);
		assert_int_equal(strncmp(err.message, head, strlen(head)), 0);
		assert_string_equal(err.message + strlen(head),
				    hopeless_kinds[i]);
		assert_true(err.advice[0]);
		assert_int_equal(path.dlid, 99);	/* untouched */
	}
}

static struct port infiniband(const char *gid, uint16_t lid)
{
	struct port port = {
		.device = "mlx4_0",
		.hostname = "host",
		.number = 2,
		.link_layer = IBV_LINK_LAYER_INFINIBAND,
		.lid = lid,
	};

	if (gid) {
		port.n_gids = 1;
		set_gid(&port.gids[0].raw, gid);
	}
	return port;
}

static void check_infiniband(const struct port *mine, const struct port *peer,
			     int ret, bool global)
{
	static const struct ways nowhere = { 0 };
	struct error err = { 0 };
	struct path path;

	assert_int_equal(path_choose(mine, peer, &nowhere, &path, &err), ret);
	if (ret) {
		assert_message(&err, "a GRH is needed between the client's "
				     "mlx4_0 and the server's mlx4_0, and the "
				     "server's has no GID");
		return;
	}
	assert_int_equal(path.global, global);
	assert_int_equal(path.dlid, peer->lid);
	if (global)
		assert_memory_equal(path.remote.raw.raw, peer->gids[0].raw.raw,
				    16);
}

TEST(test_infiniband)
{
	struct port mine = infiniband("fe80::1", 1);
	struct port peer = infiniband("fe80::2", 2);
	struct port other = infiniband("fec0::3", 3);
	struct port none = infiniband(NULL, 4);

	check_infiniband(&mine, &peer, 0, false);
	check_infiniband(&mine, &none, 0, false);
	check_infiniband(&mine, &other, 0, true);	/* another subnet */
	peer.grh_required = true;
	check_infiniband(&mine, &peer, 0, true);
	check_infiniband(&peer, &mine, 0, true);
	check_infiniband(&peer, &none, -ENOENT, true);
	peer.grh_required = false;
	mine.gid_forced = true;
	check_infiniband(&mine, &peer, 0, true);
	check_infiniband(&peer, &mine, 0, true);
}

TEST(test_different_link_layers)
{
	static const struct ways nowhere = { 0 };
	struct port mine = infiniband("fe80::1", 1);
	struct port peer = ethernet(rows[0].mine, false);
	struct error err = { 0 };
	struct path path;

	assert_int_equal(path_choose(&mine, &peer, &nowhere, &path, &err),
			 -EPROTOTYPE);
	assert_message(&err, "the client's mlx4_0 port 2 on host is InfiniBand, "
			     "the server's rxe0 port 1 on host is Ethernet");
}

TEST(test_accept)
{
	struct port mine = ethernet(rows[1].mine, false);
	struct port peer = ethernet(rows[1].peer, false);
	struct error err = { 0 };
	struct path path;

	assert_int_equal(path_accept(&mine, &peer, true, 3, 1, &path, &err),
			 0);
	assert_int_equal(path.local.index, 1);
	assert_int_equal(path.remote.index, 3);
	assert_true(path.global);
	assert_int_equal(path_accept(&mine, &peer, true, 4, 1, &path, &err),
			 -EINVAL);
	assert_message(&err, "the client asks for GID 1 here and 4 there, "
			     "which were not offered");
	error_clear(&err);
	assert_int_equal(path_accept(&mine, &peer, true, 3, 9, &path, &err),
			 -EINVAL);
	error_clear(&err);
	assert_int_equal(path_accept(&mine, &peer, false, 3, 1, &path, &err),
			 -EINVAL);
	assert_message(&err, "the client asks for a path without GID on "
			     "Ethernet");
	mine = infiniband("fe80::1", 1);
	peer = infiniband(NULL, 7);
	error_clear(&err);
	assert_int_equal(path_accept(&mine, &peer, false, 0, 0, &path, &err),
			 0);
	assert_false(path.global);
	assert_int_equal(path.dlid, 7);
}

TEST(test_best)
{
	static const struct entry entries[] = {
		{ LOCAL6 "1", V1, 0 }, { LOCAL6 "1", V2, 1 },
		{ A "1", V1, 2 },      { A "1", V2, 3 },
		{ A "1", V2, 4 },      { NULL, 0, 0 },
	};
	struct port port = ethernet(entries, false);

	assert_int_equal(gid_best(&port)->index, 3);
	port.n_gids = 3;
	assert_int_equal(gid_best(&port)->index, 1);
	port.n_gids = 0;
	assert_null(gid_best(&port));
	port = infiniband("fe80::1", 1);
	assert_ptr_equal(gid_best(&port), &port.gids[0]);
	port = infiniband(NULL, 1);
	assert_null(gid_best(&port));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ethernet),
	cmocka_unit_test(test_ways),
	cmocka_unit_test(test_family_that_an_end_lacks),
	cmocka_unit_test(test_no_pair),
	cmocka_unit_test(test_infiniband),
	cmocka_unit_test(test_different_link_layers),
	cmocka_unit_test(test_accept),
	cmocka_unit_test(test_best),
};

TEST_MAIN(tests, 10)
