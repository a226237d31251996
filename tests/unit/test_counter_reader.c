/* Counters read from a made-up /sys, and from a made-up driver. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>

#include "base/time.h"
#include "host/counters.h"
#include "host/netdev.h"
#include "host/route.h"
#include "made_up_host.h"

#define PORT "/sys/class/infiniband/mlx5_0/ports/1/"
#define DEVICE "/sys/class/infiniband/mlx5_0/"

static struct port port = {
	.device = "mlx5_0",
	.number = 1,
	.link_layer = IBV_LINK_LAYER_ETHERNET,
};
static const struct gid gid = { .index = 3 };

/* What the driver of eth0 has. */
static struct {
	uint32_t n;
	const char *names[40];
	uint64_t values[40];
	int broken;		/* the command that fails; 0: none */
} driver;

static void copy_names(struct ethtool_gstrings *to)
{
	to->len = driver.n;
	for (uint32_t i = 0; i < driver.n; i++)
		strncpy((char *)to->data + i * ETH_GSTRING_LEN,
			driver.names[i], ETH_GSTRING_LEN);
}

/* In place of that in host/netdev_query.c. */
int ethtool_query(const char *netdev, void *request)
{
	uint32_t *command = request;

	if (strcmp(netdev, "eth0") != 0 || (int)*command == driver.broken)
		return -EOPNOTSUPP;
	if (*command == ETHTOOL_GSSET_INFO) {
		struct ethtool_sset_info *info = (void *)command;

		info->sset_mask = driver.n ? 1ULL << ETH_SS_STATS : 0;
		memcpy(info->data, &driver.n, sizeof(driver.n));
	} else if (*command == ETHTOOL_GSTRINGS) {
		copy_names((void *)command);
	} else {
		struct ethtool_stats *stats = (void *)command;

		assert_int_equal(*command, ETHTOOL_GSTATS);
		stats->n_stats = driver.n;
		memcpy(stats->data, driver.values, driver.n * 8);
	}
	return 0;
}

static int begin(void **state)
{
	memset(&driver, 0, sizeof(driver));
	return host_begin(state);
}

static struct counters read_twice(const struct gid *of,
				  enum counter_scope scope,
				  void (*between)(void))
{
	struct counter_reader *r = counter_reader_new(&port, of, scope);
	struct counters counters;

	counter_reader_begin(r);
	if (between)
		between();
	counter_reader_end(r);
	counters = counter_reader_take(r);
	counter_reader_free(r);
	return counters;
}

static void check(const struct counters *counters, const char *name,
		  uint64_t value)
{
	const struct counter *counter = counters_find(counters, name);

	if (!counter || !counter->known || counter->value != value)
		fail_msg("%s is %s", name, !counter ? "missing" :
			 counter->known ? "another" : "unknown");
}

static void check_unknown(const struct counters *counters, const char *name)
{
	const struct counter *counter = counters_find(counters, name);

	if (!counter || counter->known)
		fail_msg("%s is %s", name, counter ? "known" : "missing");
}

static void files_rise(void)
{
	host_file(PORT "counters/symbol_error", "7\n");
	host_file(PORT "counters/port_xmit_wait", "N/A (no PMA)\n");
	host_file(PORT "hw_counters/out_of_sequence", "1000\n");
	host_file(PORT "hw_counters/rdma_sends", "18\n");
	host_file(DEVICE "hw_counters/rx_icrc_encapsulated", "5\n");
	host_file("/sys/class/net/eth0/statistics/rx_crc_errors", "9\n");
}

static void make_files(void)
{
	host_file(PORT "counters/symbol_error", "5\n");
	host_file(PORT "counters/port_xmit_wait", "N/A (no PMA)\n");
	host_file(PORT "hw_counters/out_of_sequence", "900\n");
	host_file(PORT "hw_counters/rdma_sends", "8\n");
	host_file(PORT "hw_counters/lifespan", "0\n");
	host_file(DEVICE "hw_counters/rx_icrc_encapsulated", "5\n");
	host_file(PORT "gid_attrs/ndevs/3", "eth0\n");
	host_file("/sys/class/net/eth0/statistics/rx_crc_errors", "8\n");
	host_file("/sys/class/net/eth0/statistics/rx_packets", "8\n");
}

TEST(test_all_sources)
{
	struct counters c;

	make_files();
	driver.n = 3;
	driver.names[0] = "rx_prio3_pause";
	driver.names[1] = "rx3_packets";
	/* as long as can be: without a final NUL */
	driver.names[2] = "a2345678901234567890123456789012";
	c = read_twice(&gid, COUNTERS_ALL, files_rise);
	assert_int_equal(c.n, 10);
	check(&c, "symbol_error", 2);
	check_unknown(&c, "port_xmit_wait");
	check(&c, "out_of_sequence", 100);
	check(&c, "rdma_sends", 10);
	check(&c, "rx_icrc_encapsulated", 0);
	check(&c, "netdev.rx_crc_errors", 1);
	check(&c, "netdev.rx_packets", 0);
	check(&c, "ethtool.rx_prio3_pause", 0);
	check(&c, "ethtool.rx3_packets", 0);
	check(&c, "ethtool.a2345678901234567890123456789012", 0);
	for (uint32_t i = 1; i < c.n; i++)
		assert_true(strcmp(c.list[i - 1].name, c.list[i].name) < 0);
	counters_free(&c);
}

TEST(test_glance)
{
	struct counter_reader *r;
	struct counters c;

	make_files();
	r = counter_reader_new(&port, &gid, COUNTERS_ALL);
	c = counter_reader_glance(r);
	check(&c, "out_of_sequence", 900);
	check(&c, "netdev.rx_crc_errors", 8);
	assert_null(counters_find(&c, "rdma_sends"));
	assert_null(counters_find(&c, "netdev.rx_packets"));
	counters_free(&c);
	counter_reader_free(r);
	c = counter_reader_glance(NULL);
	assert_int_equal(c.n, 0);
}

TEST(test_rise_until_now)
{
	struct counter_reader *r;
	uint64_t rise = 4711;

	make_files();
	r = counter_reader_new(&port, &gid, COUNTERS_ALL);
	assert_false(counter_reader_rise(r, "symbol_error", &rise));
	counter_reader_begin(r);
	files_rise();
	assert_true(counter_reader_rise(r, "out_of_sequence", &rise));
	assert_int_equal(rise, 100);
	assert_true(counter_reader_rise(r, "netdev.rx_crc_errors", &rise));
	assert_int_equal(rise, 1);
	assert_false(counter_reader_rise(r, "port_xmit_wait", &rise));
	assert_false(counter_reader_rise(r, "send_err", &rise));
	assert_false(counter_reader_rise(NULL, "send_err", &rise));
	assert_int_equal(rise, 1);
	counter_reader_free(r);
}

/* What passed, if all four are counted, and none was reset. */
TEST(test_packets)
{
	struct packet_counts before, after, rise;
	struct counter_reader *r;

	make_files();
	host_file(PORT "hw_counters/sent_pkts", "10\n");
	host_file(PORT "hw_counters/rcvd_pkts", "20\n");
	r = counter_reader_new(&port, &gid, COUNTERS_INTEREST);
	assert_false(counter_reader_packets(r).known);
	counter_reader_free(r);
	host_file("/sys/class/net/eth0/statistics/tx_packets", "30\n");
	r = counter_reader_new(&port, &gid, COUNTERS_INTEREST);
	before = counter_reader_packets(r);
	assert_true(before.known);
	host_file(PORT "hw_counters/sent_pkts", "11\n");
	host_file(PORT "hw_counters/rcvd_pkts", "22\n");
	host_file("/sys/class/net/eth0/statistics/tx_packets", "33\n");
	host_file("/sys/class/net/eth0/statistics/rx_packets", "12\n");
	after = counter_reader_packets(r);
	rise = packet_counts_rise(&before, &after);
	assert_true(rise.known && rise.sent == 1 && rise.came == 2 &&
		    rise.out == 3 && rise.in == 4);
	assert_false(packet_counts_rise(&after, &before).known);
	before.known = false;
	assert_false(packet_counts_rise(&before, &after).known);
	counter_reader_free(r);
	assert_false(counter_reader_packets(NULL).known);
}

/* Of the kernel's neighbours only one that did not answer is a sign. */
TEST(test_neighbours)
{
	static const struct {
		uint8_t last;
		bool lacks;
	} rows[] = { { 1, false }, { 2, true }, { 3, false }, { 12, false } };
	union ibv_gid one = { .raw = { [10] = 0xff, [11] = 0xff, 10 } };

	host_file("/proc/net/arp",
		  "IP address HW type Flags HW address Mask Device\n"
		  "10.0.0.1    0x1    0x2    02:fc:00:00:00:05    *    eth0\n"
		  "10.0.0.2    0x1    0x0    00:00:00:00:00:00    *    eth0\n"
		  "10.0.0.12   0x1    0x6    02:fc:00:00:00:06    *    eth0\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		one.raw[15] = rows[i].last;
		assert_int_equal(route_lacks_neighbour(&one), rows[i].lacks);
	}
	one.raw[12] = 127;
	one.raw[15] = 1;
	assert_int_equal(route_find(&one), 0);
	one.raw[0] = 0xfe;
	one.raw[1] = 0x80;
	assert_int_equal(route_find(&one), 0);
	assert_false(route_lacks_neighbour(&one));
}

TEST(test_those_of_interest)
{
	struct counters c;

	make_files();
	driver.n = 2;
	driver.names[0] = "rx_prio3_pause";
	driver.names[1] = "rx3_packets";
	c = read_twice(&gid, COUNTERS_INTEREST, NULL);
	assert_int_equal(c.n, 7);
	assert_null(counters_find(&c, "rdma_sends"));
	assert_null(counters_find(&c, "ethtool.rx3_packets"));
	counters_free(&c);
	c = read_twice(&gid, COUNTERS_NONE, NULL);
	assert_int_equal(c.n, 0);
}

/* InfiniBand. */
TEST(test_without_an_interface)
{
	struct counters c;

	make_files();
	driver.n = 1;
	driver.names[0] = "rx_prio3_pause";
	c = read_twice(NULL, COUNTERS_ALL, NULL);
	assert_int_equal(c.n, 5);
	counters_free(&c);
	port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	c = read_twice(&gid, COUNTERS_ALL, NULL);
	port.link_layer = IBV_LINK_LAYER_ETHERNET;
	assert_int_equal(c.n, 5);
	counters_free(&c);
}

TEST(test_nothing_there)
{
	struct counters c = read_twice(&gid, COUNTERS_ALL, NULL);

	assert_int_equal(c.n, 0);
	assert_null(c.list);
	host_file(PORT "hw_counters/lifespan", "10\n");
	assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
}

static void vanish(void)
{
	char path[SYSFS_PATH_SIZE];

	host_path(path, PORT "hw_counters/out_of_sequence");
	unlink(path);
	host_file(PORT "hw_counters/appeared", "1\n");
	host_file(PORT "hw_counters/rdma_sends", "7\n");
	host_file(PORT "counters/symbol_error", "\n");
}

TEST(test_vanished_reset_and_new)
{
	struct counters c;

	make_files();
	c = read_twice(&gid, COUNTERS_ALL, vanish);
	check_unknown(&c, "out_of_sequence");
	check_unknown(&c, "rdma_sends");
	check_unknown(&c, "symbol_error");
	assert_null(counters_find(&c, "appeared"));
	check(&c, "netdev.rx_crc_errors", 0);
	counters_free(&c);
}

static void more_queues(void)
{
	driver.names[driver.n++] = "rx1_packets";
}

static void driver_rises(void)
{
	driver.values[0] += 12;
	driver.values[1] = 0;
}

static void driver_breaks(void)
{
	driver.broken = ETHTOOL_GSTATS;
}

TEST(test_the_driver)
{
	struct counters c;

	host_file(PORT "gid_attrs/ndevs/3", "eth0\n");
	driver.n = 2;
	driver.names[0] = "rx_prio3_pause";
	driver.names[1] = "tx_prio3_pause";
	driver.values[0] = driver.values[1] = 3;
	c = read_twice(&gid, COUNTERS_ALL, driver_rises);
	check(&c, "ethtool.rx_prio3_pause", 12);
	check_unknown(&c, "ethtool.tx_prio3_pause");
	counters_free(&c);
	c = read_twice(&gid, COUNTERS_ALL, driver_breaks);
	check_unknown(&c, "ethtool.rx_prio3_pause");
	counters_free(&c);
	driver.broken = 0;
	c = read_twice(&gid, COUNTERS_ALL, more_queues);
	check_unknown(&c, "ethtool.rx_prio3_pause");
	assert_null(counters_find(&c, "ethtool.rx1_packets"));
	counters_free(&c);
}

/* As many as there is room for. */
TEST(test_a_driver_with_many)
{
	struct counters c;
	char names[40][ETH_GSTRING_LEN];

	host_file(PORT "gid_attrs/ndevs/3", "eth0\n");
	driver.n = COUNT(names);
	for (uint32_t i = 0; i < driver.n; i++) {
		snprintf(names[i], sizeof(names[i]), "rx_prio%u_pause", i);
		driver.names[i] = names[i];
	}
	c = read_twice(&gid, COUNTERS_ALL, NULL);
	assert_int_equal(c.n, COUNT(names));
	check(&c, "ethtool.rx_prio39_pause", 0);
	counters_free(&c);
}

TEST(test_a_driver_without_any)
{
	static const int broken[] = { ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS };

	host_file(PORT "gid_attrs/ndevs/3", "eth0\n");
	assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
	driver.n = 1;
	driver.names[0] = "rx_prio3_pause";
	for (size_t i = 0; i < COUNT(broken); i++) {
		driver.broken = broken[i];
		assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
	}
	driver.broken = 0;
	driver.names[0] = "";
	assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
	driver.names[0] = "with,comma";
	assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
	driver.names[0] = "not \xc3\xa4scii";
	assert_null(counter_reader_new(&port, &gid, COUNTERS_ALL));
}

/* The one of the port, which comes first. */
TEST(test_one_name_in_two_places)
{
	struct counters c;

	host_file(PORT "counters/link_downed", "7\n");
	host_file(PORT "hw_counters/link_downed", "x\n");
	host_file(DEVICE "hw_counters/link_downed", "y\n");
	c = read_twice(NULL, COUNTERS_ALL, NULL);
	assert_int_equal(c.n, 1);
	check(&c, "link_downed", 0);
	counters_free(&c);
}

/* Names too long for the wire, and more than there can be. */
TEST(test_too_many)
{
	char name[200];
	struct counters c;

	host_file(PORT "counters/a23456789012345678901234567890123456789012345"
		  "6789012345678901234", "1\n");
	assert_null(counter_reader_new(&port, NULL, COUNTERS_ALL));
	for (int i = 0; i < COUNTERS_MAX + 5; i++) {
		snprintf(name, sizeof(name), PORT "counters/n%d", i);
		host_file(name, "1\n");
	}
	c = read_twice(NULL, COUNTERS_ALL, NULL);
	assert_int_equal(c.n, COUNTERS_MAX);
	counters_free(&c);
}

TEST(test_one_reading_is_none)
{
	struct counter_reader *r;
	struct counters c;

	make_files();
	r = counter_reader_new(&port, &gid, COUNTERS_ALL);
	c = counter_reader_take(r);
	assert_int_equal(c.n, 0);
	counter_reader_end(r);
	c = counter_reader_take(r);
	assert_int_equal(c.n, 0);
	counter_reader_begin(r);
	c = counter_reader_take(r);
	assert_int_equal(c.n, 0);
	counter_reader_begin(r);
	counter_reader_end(r);
	/* each reading counts once */
	files_rise();
	counter_reader_end(r);
	c = counter_reader_take(r);
	check(&c, "rdma_sends", 0);
	counters_free(&c);
	c = counter_reader_take(r);
	assert_int_equal(c.n, 0);
	counter_reader_free(r);
	counter_reader_begin(NULL);
	counter_reader_end(NULL);
	counter_reader_free(NULL);
	c = counter_reader_take(NULL);
	assert_int_equal(c.n, 0);
}

/* The kernel's values are as old as it says: the second reading waits for new
 * ones, or is not known where that would take long. */
TEST(test_old_values)
{
	static const struct {
		const char *lifespan;
		bool known;
	} rows[] = {
		{ "0\n", true }, { "1\n", true }, { "1000\n", false },
		{ "99999999999999\n", true },
	};

	make_files();
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t then = time_now();
		struct counters c;

		host_file(PORT "hw_counters/lifespan", rows[i].lifespan);
		c = read_twice(&gid, COUNTERS_ALL, NULL);
		assert_int_equal(counters_find(&c, "rdma_sends")->known,
				 rows[i].known);
		check(&c, "symbol_error", 0);
		assert_true(c.ns <= time_since(then));
		counters_free(&c);
	}
}

TEST(test_interfaces)
{
	char name[NETDEV_NAME_SIZE] = "bond0.7";

	assert_false(netdev_of_gid("mlx5_0", 1, 3, name));
	assert_string_equal(name, "");
	host_file(PORT "gid_attrs/ndevs/3", "bond0.7\n");
	assert_true(netdev_of_gid("mlx5_0", 1, 3, name));
	assert_string_equal(name, "bond0.7");
	assert_false(netdev_of_gid("mlx5_0", 1, 2, name));
	/* a VLAN over a bond of two */
	host_link("/sys/class/net/bond0.7/lower_bond0", "../bond0");
	host_link("/sys/class/net/bond0/lower_eth0", "../eth0");
	host_link("/sys/class/net/bond0/lower_eth1", "../eth1");
	strcpy(name, "bond0.7");
	netdev_go_down(name);
	assert_string_equal(name, "bond0");
	/* a circle, which the kernel does not allow */
	host_link("/sys/class/net/a/lower_b", "../b");
	host_link("/sys/class/net/b/lower_a", "../a");
	strcpy(name, "a");
	netdev_go_down(name);
	assert_int_equal(strlen(name), 1);
}

static void count_entry(const char *name, void *into)
{
	assert_true(*name != '.');
	++*(int *)into;
}

TEST(test_folders)
{
	int n = 0;

	sysfs_list(count_entry, &n, "/sys/class");
	assert_int_equal(n, 0);
	host_file("/sys/class/net/eth0/mtu", "1\n");
	host_file("/sys/class/net/.hidden", "1\n");
	host_file("/sys/class/net/eth1/mtu", "1\n");
	sysfs_list(count_entry, &n, "/sys/class/%s", "net");
	assert_int_equal(n, 2);
	sysfs_list(count_entry, &n, "/sys/class/net/eth0/mtu");
	assert_int_equal(n, 2);
}

#define ONE(test) cmocka_unit_test_setup_teardown(test, begin, host_end)

static const struct CMUnitTest tests[] = {
	ONE(test_all_sources),
	ONE(test_glance),
	ONE(test_rise_until_now),
	ONE(test_packets),
	ONE(test_neighbours),
	ONE(test_those_of_interest),
	ONE(test_without_an_interface),
	ONE(test_nothing_there),
	ONE(test_vanished_reset_and_new),
	ONE(test_the_driver),
	ONE(test_a_driver_with_many),
	ONE(test_a_driver_without_any),
	ONE(test_one_name_in_two_places),
	ONE(test_too_many),
	ONE(test_one_reading_is_none),
	ONE(test_old_values),
	ONE(test_interfaces),
	ONE(test_folders),
};

TEST_MAIN(tests, 30)
