/* Parses and formats --memory: the kind of memory, and which of it. */
#include "config.h"
#include "model/memory_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define OFFSET ",offset="
#define AUTO ":auto"
#define PCI_LETTERS "0123456789abcdefABCDEF:."

/* What may follow the name of a kind. */
enum argument { NOTHING, PAGE_SIZE, PATH, GPU };

static const struct {
	const char *name;
	enum argument argument;
	bool copied;
} kinds[MEMORY_KINDS] = {
#define X(symbol, name, argument, copied) { name, argument, copied },
	MEMORY_LIST(X)
#undef X
};

/* The sizes that huge pages may have on any processor. */
#define PAGE_LEAST (64ULL << 10)
#define PAGE_MOST (16ULL << 30)

const char *memory_kind_name(enum memory_kind kind)
{
	return kinds[kind].name;
}

bool memory_kind_is_copied(enum memory_kind kind)
{
	return kinds[kind].copied;
}

static int parse_page_size(const char *text, struct memory_choice *choice)
{
	uint64_t size;

	if (!*text)
		return 0;
	if (*text != '=' || units_parse_size(text + 1, &size) ||
	    size < PAGE_LEAST || size > PAGE_MOST || size & (size - 1))
		return -EINVAL;
	choice->page_size = size;
	return 0;
}

static int parse_path(const char *text, struct memory_choice *choice)
{
	const char *offset = strstr(text, OFFSET);

	if (*text != ':')
		return -EINVAL;
	choice->path = text + 1;
	choice->path_length = strlen(text + 1);
	if (offset) {
		choice->path_length = (size_t)(offset - choice->path);
		if (units_parse_size(offset + strlen(OFFSET), &choice->offset))
			return -EINVAL;
	}
	return choice->path_length &&
		       choice->path_length < MEMORY_PATH_SIZE ? 0 : -EINVAL;
}

static int parse_gpu(const char *text, struct memory_choice *choice)
{
	uint64_t n = 0;

	if (!*text)
		return 0;
	if (*text != ':')
		return -EINVAL;
	choice->automatic = !strcmp(text, AUTO);
	if (choice->automatic)
		return 0;
	if (strchr(text + 1, ':') && strchr(text, '.')) {
		snprintf(choice->pci, sizeof(choice->pci), "%s", text + 1);
		return choice->pci[strspn(choice->pci, PCI_LETTERS)] ||
			       strlen(choice->pci) != strlen(text + 1) ?
			-EINVAL : 0;
	}
	if (units_parse_digits(text + 1, &n) || n > INT32_MAX)
		return -EINVAL;
	choice->gpu = (uint32_t)n;
	return 0;
}

static int parse_nothing(const char *text, struct memory_choice *choice)
{
	(void)choice;
	return *text ? -EINVAL : 0;
}

int memory_choice_parse(const char *text, struct memory_choice *choice)
{
	static int (*const parsers[])(const char *, struct memory_choice *) = {
		[NOTHING] = parse_nothing,
		[PAGE_SIZE] = parse_page_size,
		[PATH] = parse_path,
		[GPU] = parse_gpu,
	};

	for (enum memory_kind kind = 0; kind < MEMORY_KINDS; kind++) {
		struct memory_choice c = { .kind = kind };
		size_t length = strlen(kinds[kind].name);

		if (strncmp(text, kinds[kind].name, length) != 0 ||
		    parsers[kinds[kind].argument](text + length, &c))
			continue;
		*choice = c;
		return 0;
	}
	return -EINVAL;
}

/* 2M, 64K */
static void append_page_size(uint64_t bytes, char *text, size_t size)
{
	static const char units[] = "\0KMG";
	int i = 0;

	for (; i < 3 && bytes % 1024 == 0; i++)
		bytes /= 1024;
	text_append(text, size, "=%" PRIu64 "%c", bytes, units[i]);
}

const char *memory_choice_format(const struct memory_choice *choice,
				 char *text, size_t size)
{
	snprintf(text, size, "%s", kinds[choice->kind].name);
	if (choice->page_size)
		append_page_size(choice->page_size, text, size);
	if (choice->automatic)
		text_append(text, size, AUTO);
	else if (choice->pci[0])
		text_append(text, size, ":%s", choice->pci);
	else if (kinds[choice->kind].argument == GPU)
		text_append(text, size, ":%u", choice->gpu);
	if (kinds[choice->kind].argument == PATH)
		text_append(text, size, ":%.*s", (int)choice->path_length,
			    choice->path);
	if (choice->offset)
		text_append(text, size, OFFSET "%" PRIu64, choice->offset);
	return text;
}

bool memory_text_is_copied(const char *text)
{
	for (int kind = 0; kind < MEMORY_KINDS; kind++) {
		const char *name = kinds[kind].name;

		if (!strncmp(text, name, strlen(name)))
			return kinds[kind].copied;
	}
	return false;
}
