/* Lists of words, each of which is there once. */
#include "config.h"
#include "test.h"

#include "base/units.h"

TEST(test_add)
{
	static const struct {
		const char *word, *list;
	} rows[] = {
		{ "", "" },
		{ "powersave", "powersave" },
		{ "powersave", "powersave" },
		{ "save", "powersave, save" },
		{ "power", "powersave, save, power" },
		{ "", "powersave, save, power" },
		{ "save", "powersave, save, power" },
		{ "performance", "powersave, save, power, perform" },
	};
	char list[32] = "";

	for (size_t i = 0; i < COUNT(rows); i++) {
		list_add(list, sizeof(list), rows[i].word);
		assert_string_equal(list, rows[i].list);
	}
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
