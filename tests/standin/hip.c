/* A stand-in for libamdhip64.so and libhsa-runtime64.so.1, as cuda.c is one for
 * libcuda.so.1: the calls that verbsperf makes, as AMD documents them. */
#define _GNU_SOURCE
#include "memory.h"

#include <string.h>

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NO_DEVICE = 100,
	FAILED = 999,
};

static _Thread_local int current = -1;

int hipInit(unsigned int flags)
{
	if (flags)
		return INVALID_VALUE;
	return standin_fails("hipInit") ? NO_DEVICE : SUCCESS;
}

const char *hipGetErrorName(int error)
{
	return error == OUT_OF_MEMORY ? "hipErrorOutOfMemory" :
	       error == NO_DEVICE ? "hipErrorNoDevice" :
	       error == INVALID_VALUE ? "hipErrorInvalidValue" :
					"hipErrorUnknown";
}

int hipGetDeviceCount(int *n)
{
	*n = DEVICES;
	return standin_fails("hipGetDeviceCount") ? FAILED : SUCCESS;
}

int hipDeviceGetByPCIBusId(int *device, const char *address)
{
	return standin_at(address, device) ? SUCCESS : FAILED;
}

int hipDeviceGetPCIBusId(char *address, int size, int device)
{
	return standin_address(device, address, size) ? SUCCESS : FAILED;
}

int hipSetDevice(int device)
{
	current = device;
	return standin_fails("hipSetDevice") ? FAILED : SUCCESS;
}

int hipMalloc(void **address, size_t size)
{
	if (current < 0 || standin_fails("hipMalloc"))
		return FAILED;
	*address = (void *)(uintptr_t)standin_allocate(size);
	return *address ? SUCCESS : OUT_OF_MEMORY;
}

int hipFree(void *address)
{
	if (current < 0)
		return FAILED;
	standin_free((uintptr_t)address);
	return SUCCESS;
}

int hipMemset(void *address, int value, size_t n)
{
	void *bytes = standin_memory((uintptr_t)address, n);

	if (current < 0 || !bytes || standin_fails("hipMemset"))
		return FAILED;
	memset(bytes, value, n);
	return SUCCESS;
}

int hipDeviceSynchronize(void)
{
	return SUCCESS;
}

int hipMemcpy(void *to, const void *from, size_t n, int direction)
{
	void *into = direction == 1 ? standin_memory((uintptr_t)to, n) : to;
	const void *out = direction == 2 ?
				  standin_memory((uintptr_t)from, n) : from;

	if (current < 0 || !into || !out || standin_fails("hipMemcpy"))
		return FAILED;
	memcpy(into, out, n);
	return SUCCESS;
}

int hsa_amd_portable_export_dmabuf(const void *address, size_t size, int *fd,
				   uint64_t *offset)
{
	*offset = 0;
	*fd = standin_export((uintptr_t)address, size);
	return *fd < 0 ? FAILED : SUCCESS;
}
