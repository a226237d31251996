#include "config.h"
#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int list_read(const char *text, list_reader *read, void *into)
{
	for (;;) {
		int ret = read(&text, into);

		if (ret || !*text)
			return ret;
		if (*text++ != ',')
			return -EINVAL;
	}
}

void list_add(char *list, size_t size, const char *word)
{
	const size_t length = strlen(word), used = strlen(list);

	if (!length)
		return;
	for (const char *at = list; (at = strstr(at, word)); at++)
		if ((at == list || at[-1] == ' ') &&
		    (!at[length] || at[length] == ','))
			return;
	snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}
