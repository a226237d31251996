#include "config.h"
#include "memory/kinds.h"

const struct memory_ops *memory_ops_of(enum memory_kind kind)
{
	static const struct memory_ops *const table[MEMORY_KINDS] = {
		[MEMORY_ANONYMOUS] = &memory_anonymous,
		[MEMORY_HUGE_PAGES] = &memory_huge_pages,
		[MEMORY_SHARED] = &memory_shared,
		[MEMORY_FILE] = &memory_file,
		[MEMORY_DEVICE] = &memory_on_device,
		[MEMORY_UDMABUF] = &memory_udmabuf,
		[MEMORY_CUDA] = &memory_cuda,
		[MEMORY_HIP] = &memory_hip,
	};

	return table[kind];
}
