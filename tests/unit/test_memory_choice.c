/* --memory: what is understood, what is not, and how it is written again. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "model/memory_choice.h"

static void check_same(const char *text, enum memory_kind kind)
{
	struct memory_choice choice;
	char again[100];

	assert_int_equal(memory_choice_parse(text, &choice), 0);
	assert_int_equal(choice.kind, kind);
	assert_string_equal(memory_choice_format(&choice, again,
						 sizeof(again)), text);
}

TEST(test_every_kind)
{
	check_same("anonymous", MEMORY_ANONYMOUS);
	check_same("hugepages", MEMORY_HUGE_PAGES);
	check_same("hugepages=2M", MEMORY_HUGE_PAGES);
	check_same("hugepages=64K", MEMORY_HUGE_PAGES);
	check_same("hugepages=1G", MEMORY_HUGE_PAGES);
	check_same("shared", MEMORY_SHARED);
	check_same("file:/dev/shm", MEMORY_FILE);
	check_same("file:a:b", MEMORY_FILE);
	check_same("file:/dev/dax0.0,offset=2097152", MEMORY_FILE);
	check_same("device", MEMORY_DEVICE);
	check_same("dmabuf:udmabuf", MEMORY_UDMABUF);
	check_same("cuda:0", MEMORY_CUDA);
	check_same("cuda:7", MEMORY_CUDA);
	check_same("hip:1", MEMORY_HIP);
	check_same("cuda:0000:19:00.0", MEMORY_CUDA);
	check_same("hip:00000000:1A:00.0", MEMORY_HIP);
	check_same("cuda:auto", MEMORY_CUDA);
	check_same("hip:auto", MEMORY_HIP);
}

TEST(test_values)
{
	struct memory_choice choice;

	assert_int_equal(memory_choice_parse("hugepages=1G", &choice), 0);
	assert_int_equal(choice.page_size, 1 << 30);
	assert_int_equal(memory_choice_parse("hugepages=2MB", &choice), 0);
	assert_int_equal(choice.page_size, 2 << 20);
	assert_int_equal(memory_choice_parse("hip", &choice), 0);
	assert_int_equal(choice.gpu, 0);
	assert_int_equal(memory_choice_parse("cuda:12", &choice), 0);
	assert_int_equal(choice.gpu, 12);
	assert_int_equal(memory_choice_parse("file:/x,offset=4K", &choice),
			 0);
	assert_int_equal(choice.path_length, 2);
	assert_memory_equal(choice.path, "/x", 2);
	assert_int_equal(choice.offset, 4096);
}

TEST(test_what_is_refused)
{
	static const char *const texts[] = {
		"", "none", "anonymous:0", "anonymousx", "hugepages=",
		"hugepages=3M", "hugepages=4K", "hugepages=32G",
		"hugepages=2MX", "hugepages:2M", "shared=1", "file", "file:",
		"file:,offset=4K", "file:/x,offset=", "file:/x,offset=-1",
		"device:0", "dmabuf", "dmabuf:", "dmabuf:heap", "cuda:",
		"cuda:x", "cuda:-1", "cuda0", "cuda:4294967296", "hip:1.5",
		"CUDA", "cuda:autos", "cuda:aut",
		 "cuda:0000:19:0g.0", "cuda:1:2", "cuda:19:00.0,1",
		"cuda:00000000000000:19:00.0",
	};
	struct memory_choice choice = { .gpu = 4711 };
	char path[MEMORY_PATH_SIZE + 8] = "file:";

	for (size_t i = 0; i < COUNT(texts); i++)
		if (memory_choice_parse(texts[i], &choice) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
	memset(path + 5, 'x', MEMORY_PATH_SIZE);
	assert_int_equal(memory_choice_parse(path, &choice), -EINVAL);
	assert_int_equal(choice.gpu, 4711);
	path[5 + MEMORY_PATH_SIZE - 1] = '\0';
	assert_int_equal(memory_choice_parse(path, &choice), 0);
}

/* Nothing is written behind the end of the text. */
TEST(test_a_short_text)
{
	struct memory_choice choice;
	char text[8];

	assert_int_equal(memory_choice_parse("file:/a/long/path,offset=4K",
					     &choice), 0);
	assert_string_equal(memory_choice_format(&choice, text, sizeof(text)),
			    "file:/a");
	assert_int_equal(memory_choice_parse("hugepages=2M", &choice), 0);
	assert_string_equal(memory_choice_format(&choice, text, sizeof(text)),
			    "hugepag");
}

TEST(test_what_is_copied)
{
	assert_true(memory_text_is_copied("cuda:0 (dma-buf)"));
	assert_true(memory_text_is_copied("hip:3 (peer memory)"));
	assert_true(memory_text_is_copied("device"));
	assert_false(memory_text_is_copied("dmabuf:udmabuf"));
	assert_false(memory_text_is_copied("hugepages=2M"));
	assert_false(memory_text_is_copied("file"));
	assert_false(memory_text_is_copied(""));
	assert_false(memory_text_is_copied("something new"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_kind),
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_what_is_refused),
	cmocka_unit_test(test_a_short_text),
	cmocka_unit_test(test_what_is_copied),
};

TEST_MAIN(tests, 30)
