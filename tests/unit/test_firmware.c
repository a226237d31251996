/* Counting the commands to a device's firmware. */
#include "config.h"
#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "host/firmware.h"

static char root[] = "/tmp/firmware.XXXXXX";

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

#define DEVICE "0000:3b:00.0"

/* As mlx5 has them. */
static void set(const char *command, const char *n, const char *average)
{
	char folder[200];

	snprintf(folder, sizeof(folder),
		 "%s/sys/kernel/debug/mlx5/" DEVICE "/commands/%s", root,
		 command);
	mkdir(folder, 0700);
	write_file(folder, "n", n);
	write_file(folder, "average", average);
}

static void make_folders(void)
{
	static const char *const folders[] = {
		"sys", "sys/class", "sys/class/infiniband",
		"sys/class/infiniband/mlx5_0", "sys/" DEVICE, "sys/kernel",
		"sys/kernel/debug", "sys/kernel/debug/mlx5",
		"sys/kernel/debug/mlx5/" DEVICE,
		"sys/kernel/debug/mlx5/" DEVICE "/commands",
	};
	char path[200];

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < COUNT(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/sys/class/infiniband/mlx5_0/device",
		 root);
	assert_int_equal(symlink("../../../" DEVICE, path), 0);
	sysfs_set_root(root);
}

static void remove_folders(void)
{
	char command[60];

	sysfs_set_root("");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

TEST(test_firmware)
{
	struct control_commands given = { 0 };
	struct firmware_counts *before, *after;

	make_folders();
	set("CREATE_MKEY", "10\n", "2000\n");
	set("DESTROY_MKEY", "4\n", "1000\n");
	set("QUERY_QP", "7\n", "5\n");
	before = firmware_read("mlx5_0");
	set("CREATE_MKEY", "110\n", "3000\n");
	set("DESTROY_MKEY", "204\n", "1000\n");
	set("MODIFY_CQ", "1\n", "50\n");
	after = firmware_read("mlx5_0");
	assert_true(firmware_between(before, after, &given));
	assert_int_equal(given.given, 100 + 200 + 1);
	assert_int_equal(given.ns, 110 * 3000 - 10 * 2000 + 200 * 1000 + 50);
	assert_int_equal(given.n, 3);
	assert_string_equal(given.named[0].name, "DESTROY_MKEY");
	assert_int_equal(given.named[0].n, 200);
	assert_string_equal(given.named[1].name, "CREATE_MKEY");
	assert_string_equal(given.named[2].name, "MODIFY_CQ");
	assert_int_equal(given.named[2].n, 1);
	free(before);
	free(after);
	remove_folders();
}

/* Only as many as there is room for, the most frequent ones. */
TEST(test_many_commands)
{
	struct control_commands given = { 0 };
	struct firmware_counts *before, *after;
	char name[20], number[20];

	strcpy(root, "/tmp/firmware.XXXXXX");
	make_folders();
	set("FIRST", "1\n", "1\n");
	before = firmware_read("mlx5_0");
	for (int i = 0; i < 3 * CONTROL_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "COMMAND_%d", i);
		snprintf(number, sizeof(number), "%d\n", i + 1);
		set(name, number, "10\n");
	}
	after = firmware_read("mlx5_0");
	assert_true(firmware_between(before, after, &given));
	assert_int_equal(given.n, CONTROL_NAMES_MAX);
	for (uint32_t i = 0; i < CONTROL_NAMES_MAX; i++)
		assert_int_equal(given.named[i].n,
				 3 * CONTROL_NAMES_MAX - i);
	free(before);
	free(after);
	remove_folders();
}

TEST(test_no_firmware)
{
	struct control_commands given = { 0 };

	strcpy(root, "/tmp/firmware.XXXXXX");
	make_folders();
	assert_null(firmware_read("mlx5_0"));
	assert_null(firmware_read("rxe0"));
	assert_false(firmware_between(NULL, NULL, &given));
	assert_string_not_equal(given.reason, "");
	assert_int_equal(given.given, 0);
	remove_folders();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_firmware),
	cmocka_unit_test(test_many_commands),
	cmocka_unit_test(test_no_firmware),
};

TEST_MAIN(tests, 20)
