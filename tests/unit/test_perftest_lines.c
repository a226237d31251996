/* Command lines as they stand in bring-up guides, vendors' test suites, wrappers
 * and issue threads, with names filled in: each is taken at both ends. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "command_line.h"

// clang-format off
static const char *const lines[] = {
	"ib_write_bw",
	"ib_write_bw 192.168.1.1",
	"ib_write_bw -F -d mlx5_0 192.168.1.1",
	"ib_write_bw -d mlx5_0 -i 1 -F --report_gbits node1",
	"ib_write_bw -a -F -d mlx5_0 node1",
	"ib_write_bw -a --report_gbits -d mlx5_0 -x 3 node1",
	"ib_write_bw -R -F node1",
	"ib_write_bw -d mlx5_2 -x 3 -F --report_gbits -D 10 10.0.0.2",
	"ib_write_bw --ib-dev=mlx5_bond_0 --report_gbits --duration=30 -q 8 node1",
	"ib_write_bw -b -d mlx5_0 -F --report_gbits -D 60 --CPU-freq node1",
	"ib_write_bw -s 1048576 -n 5000 -q 4 -d mlx5_0 node1",
	"ib_write_bw -d rocep1s0f0 -x 1 -m 4096 -s 65536 -D 20 --run_infinitely node1",
	"ib_write_bw -d irdma0 -p 18516 -q 16 -t 256 -l 32 --report_gbits -F node1",
	"ib_write_bw -d bnxt_re0 -x 3 -S 3 --tclass=106 -F -D 30 node1",
	"ib_write_bw -d mlx5_0 -c UC -s 8192 -n 100000 -N node1",
	"ib_write_bw --connection=RC --qp=2 --size=4194304 --iters=1000 --gid-index=3 node1",
	"ib_write_bw -d mlx5_1 -F -q 4 --mr_per_qp --report-both -b node1",
	"ib_write_bw -d mlx5_0 -w 90 --report_gbits -D 5 node1",
	"ib_write_bw -d mlx5_0 --out_json --out_json_file=/tmp/out.json -D 10 node1",
	"ib_write_bw --output=bandwidth -D 5 -d mlx5_0 node1",
	"ib_write_bw -D 10 -f 2 -d mlx5_0 --cqe_poll=16 node1",
	"ib_write_bw --use_hugepages -s 2M -q 8 -D 15 node1",
	"ib_write_bw --bind_source_ip 10.1.1.1 -d mlx5_0 10.1.1.2",
	"ib_write_bw -d mlx5_0 --rate_limit=50 --rate_limit_type=SW -D 10 node1",
	"ib_write_bw -d mlx5_0 --rate_limit=10 --burst_size=16 --rate_units=g node1",
	"ib_write_bw -I 64 -s 64 -t 128 -n 1000000 -d hfi1_0 node1",
	"ib_write_bw -d erdma_0 -x 1 -q 2 --report_gbits -p 18515 -D 30 172.16.0.4",
	"ib_write_bw -d efa_0 -x 0 --write_with_imm -s 8192 node1",
	"ib_write_bw -d mlx5_0 --ipv6 --gid-index=0 fe80::2",
	"ib_write_bw -d mlx5_0 --ipv6-addr fd00::2",
	"ib_write_bw -d mlx4_0 -i 2 -Q 50 -t 300 node1",
	"ib_write_bw -d qedr0 --disable_pcie_relaxed -a node1",
	"ib_write_bw --use_old_post_send -a -d mlx5_0 node1",
	"ib_write_bw -d mlx5_0 --flow_label 7,8,9 -q 3 node1",
	"ib_write_bw -d mlx5_0 --perform_warm_up -n 20000 node1",
	"ib_write_bw -d mlx5_0 -u 18 --retry_count=7 -D 60 node1",
	"ib_write_bw --force-link=Ethernet -d mlx5_0 --dont_xchg_versions node1",
	"ib_write_lat 192.168.1.1",
	"ib_write_lat -F -d mlx5_0 -s 2 -n 10000 node1",
	"ib_write_lat -a -d mlx5_0 -F node1",
	"ib_write_lat -d mlx5_0 -I 220 -s 64 -n 100000 -C node1",
	"ib_write_lat -d mlx5_0 -D 10 -F node1",
	"ib_write_lat --ib-dev=mlx5_0 --ib-port=1 --gid-index=3 --iters=5000 node1",
	"ib_write_lat -d mlx5_0 -x 3 --tclass 96 -s 8 --output=latency node1",
	"ib_send_bw",
	"ib_send_bw -d mlx5_0 -i 1 -a 192.168.1.1",
	"ib_send_bw -d rxe0 -x 1 10.0.0.1",
	"ib_send_bw -d mlx5_0 -c UD -s 1024 -F node1",
	"ib_send_bw -d mlx5_0 -g node1",
	"ib_send_bw -d mlx5_0 -g -M ff12::1 -R -c UD -s 512 node1",
	"ib_send_bw -d mlx5_0 --use-srq -q 8 -r 1024 node1",
	"ib_send_bw -d mlx5_0 -e -n 5000 node1",
	"ib_send_bw -d siw0 -s 65536 -b --report_gbits node1",
	"ib_send_bw -d mlx5_0 -l 8 --recv_post_list 8 -r 512 node1",
	"ib_send_bw -F --no_lock -d mlx5_0 -D 10 node1",
	"ib_send_bw --pkey_index=1 -d mlx5_0 node1",
	"ib_send_lat -d mlx5_0 -F -s 4 node1",
	"ib_send_lat -d mlx5_0 -c UD -n 1000 node1",
	"ib_send_lat -d rxe0 -x 1 -e 10.0.0.1",
	"ib_send_lat -d mlx5_0 -S 5 --hop_limit=16 node1",
	"ib_send_lat --connection=UC -d mlx5_0 -D 5 node1",
	"ib_read_bw -d mlx5_0 -a -F --report_gbits node1",
	"ib_read_bw -d mlx5_0 -o 16 -s 65536 -D 10 node1",
	"ib_read_bw -d mlx5_0 --outs=4 --qp-timeout=20 -n 1000 node1",
	"ib_read_bw -q 2 -b -F node1",
	"ib_read_bw --disable_numa -d mlx5_0 -D 3 node1",
	"ib_read_lat -d mlx5_0 -F node1",
	"ib_read_lat -d mlx5_0 -a -n 2000 node1",
	"ib_read_lat -D 2 -s 64 -d mlx5_0 node1",
	"ib_atomic_bw -d mlx5_0 -A FETCH_AND_ADD -F node1",
	"ib_atomic_bw --atomic_type=CMP_AND_SWAP -q 4 -d mlx5_0 node1",
	"ib_atomic_bw -o 8 -n 1000 node1",
	"ib_atomic_lat -d mlx5_0 -A CMP_AND_SWAP node1",
	"ib_atomic_lat -n 5000 -F node1",
	"./ib_write_bw -d mlx5_3 -D 120 -q 32 --report_gbits -F node2",
	"/usr/bin/ib_write_bw -d mlx5_0 -p 20001 -D 30 --pin_cores 3 node2",
	"/usr/bin/ib_send_bw -d mlx5_0 --numa_node 1 node2",
};
// clang-format on

static bool has_host(const char *line)
{
	const char *word = strrchr(line, ' ');

	return word && word[1] != '-';
}

/* A build without librdmacm refuses it. */
static bool needs_rdmacm(const char *line)
{
	return !HAVE_RDMACM && strstr(line, " -R ");
}

TEST(test_the_client)
{
	char copy[COMMAND_LINE_SIZE];

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct options o;
		struct error err;

		if (needs_rdmacm(lines[i]))
			continue;
		if (parse(lines[i], copy, &o, &err))
			fail_msg("'%s': %s", lines[i], err.message);
		assert_int_equal(o.command, has_host(lines[i]) ?
				 COMMAND_CLIENT : COMMAND_SERVE);
	}
	assert_true(COUNT(lines) > 60);
}

/* The same line without the host. */
TEST(test_the_server)
{
	char line[COMMAND_LINE_SIZE], copy[COMMAND_LINE_SIZE];

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct options o;
		struct error err;

		if (needs_rdmacm(lines[i]) || !has_host(lines[i]))
			continue;
		snprintf(line, sizeof(line), "%.*s",
			 (int)(strrchr(lines[i], ' ') - lines[i]), lines[i]);
		if (parse(line, copy, &o, &err))
			fail_msg("'%s': %s", line, err.message);
		assert_int_equal(o.command, COMMAND_SERVE);
		assert_true(o.params.once);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_client),
	cmocka_unit_test(test_the_server),
};

TEST_MAIN(tests, 10)
