#include "config.h"
#include "base/list.h"

#include <errno.h>

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
