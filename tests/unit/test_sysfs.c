/* Small files of the host, as the kernel writes them and as it does not. */
#include "config.h"
#include "test.h"

#include "host/sysfs.h"
#include "made_up_host.h"

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
	assert_false(sysfs_read(line, sizeof(line), "/%s", name));
}

TEST(test_the_hosts_own)
{
	char line[64];

	sysfs_set_root("");
	assert_true(sysfs_read(line, sizeof(line), "/proc/self/comm"));
	assert_string_equal(line, "test_sysfs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_counts, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_a_path_too_long_is_no_file,
						host_begin, host_end),
		cmocka_unit_test(test_the_hosts_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
