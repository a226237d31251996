/* What every unit test includes: cmocka, and a few words on top of it. */
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

/* base/error.h has a function of that name, and tests have one of the other,
 * which cmocka 2 adds. */
#undef fail
#undef stop
#undef fail_msg
#define fail_msg(...) \
	do { \
		print_error(__VA_ARGS__); \
		print_error("\n"); \
		_fail(__FILE__, __LINE__); \
	} while (0)

/* cmocka 2 has another name for the first, which it deprecates. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A test: cmocka's parameter is not used. */
#define TEST(name) static void name(void **state __attribute__((unused)))

/*
 * TEST_PATIENCE times as long as usual, where all is slow: under valgrind, or
 * beside other work.
 */
static inline unsigned int patient(unsigned int seconds)
{
	const char *times = getenv("TEST_PATIENCE");

	return times ? seconds * (unsigned int)atoi(times) : seconds;
}

/* The tests of a source file: main.c runs those of the file that its program is
 * called after. */
struct test_file {
	const char *path;	/* __FILE__ */
	int (*run)(void);	/* returns what main() is to return */
	struct test_file *next;
};

/* FILE is one to choose from; called before main(). */
void add_test_file(struct test_file *file);

/* What is main() where a file is a program of its own. */
#define TEST_FILE() \
	static int run_file(void); \
	__attribute__((constructor)) static void add_file(void) \
	{ \
		static struct test_file file = { __FILE__, run_file, NULL }; \
\
		add_test_file(&file); \
	} \
	static int run_file(void)

/* The tests of this file must be over in SECONDS, whatever hangs. */
#define TEST_MAIN(tests, seconds) \
	TEST_FILE() \
	{ \
		alarm(patient(seconds)); \
		return cmocka_run_group_tests(tests, NULL, NULL); \
	}

/* GOT is within the part TOLERANCE of WANTED. */
#define assert_close(got, wanted, tolerance) \
	assert_true(fabs((got) - (wanted)) <= \
		    fabs((double)(wanted)) * (tolerance))

/* What --verbose shows of ERR, if there is more than its message. */
#define error_text(err) ((err)->detail[0] ? (err)->detail : (err)->message)
/* ERR holds exactly this text. */
#define assert_message(err, text) assert_string_equal(error_text(err), text)

/* The part FRAGMENT is in TEXT; shows both when it is not. */
#define assert_contains(text, fragment) \
	do { \
		const char *text_ = (text), *fragment_ = (fragment); \
		if (!strstr(text_, fragment_)) \
			fail_msg("'%s' is not in '%s'", fragment_, text_); \
	} while (0)

/* A reproducible source of numbers (xorshift64). */
static inline uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}
