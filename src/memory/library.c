#include "config.h"
#include "memory/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* The first of the names that loads; NULL when none does. */
static void *open_any(const struct library *library)
{
	void *handle = NULL;

	for (size_t i = 0; library->names[i] && !handle; i++)
		handle = dlopen(library->names[i], RTLD_NOW | RTLD_LOCAL);
	return handle;
}

int library_load(const struct library *library,
		 const struct library_symbol *symbols, size_t n, void *calls,
		 const char *option, struct error *err)
{
	void *handle = open_any(library);

	if (!handle)
		return fail(err, -ENOENT, library->advice,
			    "%s: cannot load %s", option, library->names[0]);
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(handle, symbols[i].name);

		if (!function && !symbols[i].optional)
			return fail(err, -ENOSYS, "install a newer driver",
				    "%s: %s has no %s", option,
				    library->names[0], symbols[i].name);
		memcpy((char *)calls + symbols[i].offset, &function,
		       sizeof(function));
	}
	return 0;
}
