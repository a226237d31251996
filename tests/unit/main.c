/* A program of tests runs those of the source file that it is called after. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

/* Both ends of a test are threads of one process, and both store the same
 * pointers to a GPU's library.  Real ends are two processes. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:library_load\n";
}

static struct test_file *files;

void add_test_file(struct test_file *file)
{
	file->next = files;
	files = file;
}

/* FILE is test_NAME.c in some folder. */
static bool is_called(const struct test_file *file, const char *test_name)
{
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;
	size_t length = strlen(test_name);

	return !strncmp(base, test_name, length) &&
	       !strcmp(base + length, ".c");
}

int main(void)
{
	const char *name = program_invocation_short_name;

	for (const struct test_file *f = files; f; f = f->next)
		if (is_called(f, name))
			return f->run();
	fprintf(stderr, "%s is no test: call it by a link to it, as "
			"'make check' makes them\n", name);
	return 2;
}
