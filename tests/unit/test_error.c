/* The first failure is kept, with its stage; what follows is consequence. */
#include "config.h"
#include "test.h"

#include <errno.h>

TEST(test_empty)
{
	struct error err = { 0 };

	assert_false(error_is_set(&err));
	error_stage(&err, "hello");
	assert_false(error_is_set(&err));
	assert_string_equal(err.stage, "hello");
}

TEST(test_first_is_kept)
{
	struct error err = { 0 };

	error_stage(&err, "plan");
	assert_int_equal(fail(&err, -ENODEV, "try %s", "no %s", "card"),
			 -ENODEV);
	assert_true(error_is_set(&err));
	assert_message(&err, "no card");
	assert_string_equal(err.code, "ENODEV");
	assert_string_equal(err.advice, "try %s");
	/* a later one returns its own errno and changes nothing */
	error_stage(&err, "bye");
	assert_int_equal(fail(&err, -EINVAL, "other", "later"), -EINVAL);
	assert_int_equal(fail_code(&err, -EIO, "X", NULL, "later"), -EIO);
	assert_message(&err, "no card");
	assert_string_equal(err.code, "ENODEV");
	assert_string_equal(err.stage, "plan");
	assert_false(err.from_peer);
}

/* Whoever runs out of descriptors can have more. */
TEST(test_usual_advice)
{
	struct error err = { 0 };

	fail(&err, -EMFILE, NULL, "cannot open it");
	assert_contains(err.advice, "ulimit -n");
	error_clear(&err);
	fail(&err, -EMFILE, "close some", "cannot open it");
	assert_string_equal(err.advice, "close some");
	error_clear(&err);
	fail(&err, -ENFILE, NULL, "cannot open it");
	assert_string_equal(err.advice, "");
	error_clear(&err);
	fail_advise(&err, -EINVAL, "%d is too much\nuse %d", 8, 7);
	assert_message(&err, "8 is too much");
	assert_string_equal(err.advice, "use 7");
}

TEST(test_own_code)
{
	struct error err = { 0 };

	assert_int_equal(fail_code(&err, -EIO, "IBV_WC_FATAL_ERR", NULL, "%d",
				   7), -EIO);
	assert_string_equal(err.code, "IBV_WC_FATAL_ERR");
	assert_message(&err, "7");
	assert_string_equal(err.advice, "");
}

TEST(test_never_success)
{
	static const int rets[] = { 0, 1, EINVAL };

	for (size_t i = 0; i < COUNT(rets); i++) {
		struct error err = { 0 };

		assert_int_equal(fail(&err, rets[i], NULL, "x"), -EIO);
		assert_string_equal(err.code, "EIO");
		error_clear(&err);
		assert_int_equal(fail_code(&err, rets[i], "C", NULL, "x"),
				 -EIO);
	}
}

TEST(test_unknown_errno)
{
	struct error err = { 0 };

	assert_int_equal(fail(&err, -99999, NULL, "x"), -99999);
	assert_string_equal(err.code, "EUNKNOWN");
}

TEST(test_long_texts_are_cut)
{
	struct error err = { 0 };
	char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_stage(&err, text);
	fail_code(&err, -EIO, text, text, "%s", text);
	assert_int_equal(strlen(err.stage), sizeof(err.stage) - 1);
	assert_int_equal(strlen(err.code), sizeof(err.code) - 1);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	assert_int_equal(strlen(err.advice), sizeof(err.advice) - 1);
}

TEST(test_clear)
{
	struct error err = { 0 };

	error_stage(&err, "x");
	fail(&err, -EIO, "y", "z");
	err.from_peer = true;
	error_clear(&err);
	assert_false(error_is_set(&err));
	assert_false(err.from_peer);
	assert_string_equal(err.stage, "");
	assert_int_equal(fail(&err, -EPERM, NULL, "next"), -EPERM);
	assert_message(&err, "next");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_first_is_kept),
	cmocka_unit_test(test_usual_advice),
	cmocka_unit_test(test_own_code),
	cmocka_unit_test(test_never_success),
	cmocka_unit_test(test_unknown_errno),
	cmocka_unit_test(test_long_texts_are_cut),
	cmocka_unit_test(test_clear),
};

TEST_MAIN(tests, 10)
