#include "config.h"
#include "test.h"

#include "json_checks.h"

#include <stdio.h>

#include "report/report.h"

/* For tests/scripts/test_schema.py, which holds it against the schema. */
static void keep(const char *text)
{
	const char *path = getenv("VERBSPERF_DOCUMENTS");
	FILE *out = path ? fopen(path, "a") : NULL;

	if (!out)
		return;
	fputs(text, out);
	fclose(out);
}

json_t *parsed(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	keep(text);
	return root;
}

json_t *document(struct result *r)
{
	char *text = report_json(r);
	json_t *root;

	assert_non_null(text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	root = parsed(text);
	free(text);
	result_free(r);
	return root;
}

json_t *at(json_t *value, const char *path)
{
	char copy[100], *rest = strcpy(copy, path), *key;

	while ((key = strsep(&rest, "."))) {
		value = json_is_array(value) ?
				json_array_get(value, (size_t)atoi(key)) :
				json_object_get(value, key);
		if (!value)
			fail_msg("%s: there is no %s", path, key);
	}
	return value;
}

void check_keys(json_t *root, const char *where, const char *keys)
{
	char copy[400], path[200], *rest = strcpy(copy, keys), *key;
	size_t n = 0;

	while ((key = strsep(&rest, " "))) {
		snprintf(path, sizeof(path), "%s%s%s", where,
			 where[0] ? "." : "", key);
		at(root, path);
		n++;
	}
	/* and no others */
	assert_int_equal(json_object_size(where[0] ? at(root, where) : root),
			 n);
}

void check_string(json_t *root, const char *path, const char *wanted)
{
	assert_true(json_is_string(at(root, path)));
	assert_string_equal(json_string_value(at(root, path)), wanted);
}

void check_number(json_t *root, const char *path, double wanted)
{
	assert_true(json_is_number(at(root, path)));
	assert_true(fabs(json_number_value(at(root, path)) - wanted) <=
		    1e-9 * fabs(wanted));
}

void check_null(json_t *root, const char *path)
{
	if (!json_is_null(at(root, path)))
		fail_msg("%s is not null", path);
}
