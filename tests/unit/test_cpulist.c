/* Lists of CPUs as the kernel writes them, in and out. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/units.h"

TEST(test_there_and_back)
{
	static const struct {
		const char *text;
		int n;
		const char *again;
	} rows[] = {
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ "0", 1, "0" },
		{ "0-3,8\n", 5, "0-3,8" },
		{ "0-1,2-3", 4, "0-3" },
		{ "5,1,5", 2, "1,5" },
		{ "7-7", 1, "7" },
		{ "0-63,128-191\n", 128, "0-63,128-191" },
		{ "1023", 1, "1023" },
		{ "0-1023", 1024, "0-1023" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cpu_set_t set;
		char text[64];

		assert_int_equal(cpulist_parse(rows[i].text, &set), 0);
		assert_int_equal(CPU_COUNT(&set), rows[i].n);
		cpulist_format(&set, text, sizeof(text));
		assert_string_equal(text, rows[i].again);
	}
}

TEST(test_no_lists)
{
	static const struct {
		const char *text;
		int ret;
	} rows[] = {
		{ ",", -EINVAL },	{ "0,", -EINVAL },
		{ "0-", -EINVAL },	{ "-1", -EINVAL },
		{ "3-2", -EINVAL },	{ "0 1", -EINVAL },
		{ " 0", -EINVAL },	{ "+1", -EINVAL },
		{ "0x1", -EINVAL },	{ "0-2-4", -EINVAL },
		{ "1024", -ERANGE },	{ "0-1024", -ERANGE },
		{ "99999999999999999999", -ERANGE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cpu_set_t set;

		if (cpulist_parse(rows[i].text, &set) != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text,
				 cpulist_parse(rows[i].text, &set));
	}
}

TEST(test_what_does_not_fit_is_cut_off)
{
	char text[6];
	cpu_set_t set;

	assert_int_equal(cpulist_parse("0,2,4,6,8", &set), 0);
	cpulist_format(&set, text, sizeof(text));
	assert_string_equal(text, "0,2,4");
	cpulist_format(&set, text, 1);
	assert_string_equal(text, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_there_and_back),
	cmocka_unit_test(test_no_lists),
	cmocka_unit_test(test_what_does_not_fit_is_cut_off),
};

TEST_MAIN(tests, 10)
