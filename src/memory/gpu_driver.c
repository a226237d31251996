/* The driver libraries of GPUs, without their memory. */
#include "config.h"
#include "memory/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int library_load(const struct library *library,
		 const struct library_symbol *symbols, size_t n, void *calls,
		 const char *option, struct error *err)
{
	void *handle = NULL;

	for (size_t i = 0; library->names[i] && !handle; i++)
		handle = dlopen(library->names[i], RTLD_NOW | RTLD_LOCAL);
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

const struct gpu_driver *gpu_driver_of(enum memory_kind kind)
{
	return kind == MEMORY_CUDA ? &gpu_cuda :
	       kind == MEMORY_HIP  ? &gpu_hip : NULL;
}

const char *gpu_maker(enum memory_kind kind)
{
	return gpu_driver_of(kind) ? gpu_driver_of(kind)->maker : NULL;
}

bool gpu_find_address(const struct memory_choice *choice,
		      char address[GPU_ADDRESS_SIZE])
{
	const struct gpu_driver *driver = gpu_driver_of(choice->kind);
	struct error ignored = { 0 };
	struct gpu g = { 0 };

	if (!driver)
		return false;
	snprintf(address, GPU_ADDRESS_SIZE, "%s", choice->pci);
	return address[0] || (!driver->find(&g, choice, "--memory", &ignored) &&
			      !driver->address(&g, address));
}
