/* Small files of the host, as the kernel writes them and as it does not. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <net/if.h>

#include "base/sysfs.h"
#include "base/xalloc.h"
#include "made_up_host.h"
#include "verbs/gids.h"

TEST(test_lines)
{
	char line[8];

	assert_false(sysfs_read(line, sizeof(line), "/sys/missing"));
	assert_string_equal(line, "");
	host_file("/sys/a/b", "first\nsecond\n");
	assert_true(sysfs_read(line, sizeof(line), "/sys/%s/b", "a"));
	assert_string_equal(line, "first");
	host_file("/sys/a/b", "no newline");
	assert_true(sysfs_read(line, sizeof(line), "/sys/a/b"));
	assert_string_equal(line, "no newl");
	host_file("/sys/a/b", "\n");
	assert_true(sysfs_read(line, sizeof(line), "/sys/a/b"));
	assert_string_equal(line, "");
	host_file("/sys/a/b", "");
	assert_false(sysfs_read(line, sizeof(line), "/sys/a/b"));
	assert_false(sysfs_read(line, sizeof(line), "/sys/a"));
}

TEST(test_counts)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
	} rows[] = {
		{ "0\n", true, 0 },
		{ "7", true, 7 },
		{ "18446744073709551615\n", true, UINT64_MAX },
		{ "18446744073709551616\n", false, 0 },
		{ "2048 kB\n", true, 2048 },
		{ "-1\n", false, 0 },
		{ " 1\n", false, 0 },
		{ "1x\n", false, 0 },
		{ "N/A (no PMA)\n", false, 0 },
		{ "\n", false, 0 },
		{ "", false, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t value = 99;

		host_file("/proc/n", rows[i].text);
		if (sysfs_count(&value, "/proc/n") != rows[i].ok)
			fail_msg("'%s'", rows[i].text);
		assert_int_equal(value, rows[i].ok ? rows[i].value : 99);
	}
}

TEST(test_a_path_too_long_is_no_file)
{
	char name[SYSFS_PATH_SIZE + 1], path[SYSFS_PATH_SIZE], line[8];

	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	sysfs_path(path, "/%s", name);
	assert_string_equal(path, "");
	/* and its longest with its final NUL */
	sysfs_path(path, "%s", name + sizeof(made_up_root));
	assert_int_equal(strlen(path), SYSFS_PATH_SIZE - 1);
	sysfs_path(path, "%s", name + sizeof(made_up_root) - 1);
	assert_string_equal(path, "");
	assert_false(sysfs_read(line, sizeof(line), "/%s", name));
}

TEST(test_keys)
{
	char text[8];

	assert_false(sysfs_find(text, sizeof(text), "B", "/proc/n"));
	assert_string_equal(text, "");
	host_file("/proc/n", "AB: 1\nB\t: = two\nB: 3\nC\n");
	assert_true(sysfs_find(text, sizeof(text), "B", "/proc/%s", "n"));
	assert_string_equal(text, "two");
	assert_true(sysfs_find(text, sizeof(text), "C", "/proc/n"));
	assert_string_equal(text, "");
	assert_false(sysfs_find(text, sizeof(text), "D", "/proc/n"));
}

TEST(test_choices)
{
	static const struct {
		const char *text, *chosen;
	} rows[] = {
		{ "[always] never\n", "always" }, { "always [never]", "never" },
		{ "always never\n", "" }, { "always [never\n", "" },
		{ "]always[\n", "" }, { "", "" },
	};
	char text[16];

	for (size_t i = 0; i < COUNT(rows); i++) {
		host_file("/sys/choice", rows[i].text);
		assert_int_equal(sysfs_chosen(text, sizeof(text),
					      "/sys/choice"),
				 rows[i].chosen[0] != '\0');
		assert_string_equal(text, rows[i].chosen);
	}
	assert_false(sysfs_chosen(text, sizeof(text), "/sys/missing"));
}

TEST(test_bytes)
{
	char bytes[4] = "";

	host_file("/sys/config", "a\nbc");
	assert_true(sysfs_bytes(bytes, 2, 1, "/sys/%s", "config"));
	assert_string_equal(bytes, "\nb");
	assert_false(sysfs_bytes(bytes, 2, 3, "/sys/config"));
	assert_false(sysfs_bytes(bytes, 1, 0, "/sys/missing"));
}

TEST(test_links)
{
	char path[SYSFS_PATH_SIZE];

	host_file("/sys/devices/a/x", "1\n");
	host_link("/sys/class/b", "../devices/a");
	assert_true(sysfs_resolve(path, "/sys/class/%s", "b"));
	assert_string_equal(path, "/sys/devices/a");
	assert_string_equal(sysfs_name(path), "a");
	assert_string_equal(sysfs_name("a"), "a");
	assert_true(sysfs_exists("%s/x", path));
	assert_false(sysfs_exists("%s/y", path));
	host_link("/sys/class/c", "../devices/missing");
	assert_false(sysfs_resolve(path, "/sys/class/c"));
	assert_string_equal(path, "");
}

#define GID_FILE(name) "/sys/class/infiniband/old0/ports/2/" name

static void check_gid(const struct gid *gid, uint32_t index, uint8_t type,
		      uint32_t ifindex, uint8_t last)
{
	assert_int_equal(gid->index, index);
	assert_int_equal(gid->type, type);
	assert_int_equal(gid->ifindex, ifindex);
	assert_int_equal(gid->raw.raw[0], 0xfe);
	assert_int_equal(gid->raw.raw[15], last);
}

TEST(test_gids)
{
	struct gid *gids = xcalloc(GIDS_MAX, sizeof(*gids));

	assert_int_equal(gid_files_read("old0", 2, gids), -ENOENT);
	host_file(GID_FILE("gids/0"),
		  "fe80:0000:0000:0000:0000:0000:0000:0001\n");
	/* an empty entry, of which the kernel has no type */
	host_file(GID_FILE("gids/1"),
		  "0000:0000:0000:0000:0000:0000:0000:0000\n");
	host_file(GID_FILE("gids/2"),
		  "fe80:0000:0000:0000:0000:0000:0000:0003\n");
	assert_int_equal(gid_files_read("old0", 2, gids), 2);
	check_gid(&gids[0], 0, GID_TYPE_IB, 0, 1);
	host_file(GID_FILE("link_layer"), "Ethernet\n");
	host_file(GID_FILE("gid_attrs/types/0"), "IB/RoCE v1\n");
	host_file(GID_FILE("gid_attrs/types/2"), "RoCE v2\n");
	host_file(GID_FILE("gid_attrs/ndevs/0"), "gone0\n");
	host_file(GID_FILE("gid_attrs/ndevs/2"), "lo\n");
	assert_int_equal(gid_files_read("old0", 2, gids), 2);
	check_gid(&gids[0], 0, GID_TYPE_ROCE_V1, 0, 1);
	check_gid(&gids[1], 2, GID_TYPE_ROCE_V2, if_nametoindex("lo"), 3);
	free(gids);
}

TEST(test_the_hosts_own)
{
	char line[64];

	sysfs_set_root("");
	assert_true(sysfs_read(line, sizeof(line), "/proc/self/comm"));
	assert_string_equal(line, "test_sysfs");
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_counts, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_keys, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_choices, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_bytes, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_links, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_gids, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_a_path_too_long_is_no_file,
						host_begin, host_end),
		cmocka_unit_test(test_the_hosts_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
