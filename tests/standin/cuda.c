/* A stand-in for libcuda.so.1, found by LD_LIBRARY_PATH: the calls that
 * verbsperf makes, as NVIDIA documents them. */
#define _GNU_SOURCE
#include "memory.h"

#include <string.h>

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NO_DEVICE = 100,
	INVALID_CONTEXT = 201,
	NOT_SUPPORTED = 801,
	FAILED = 999,
};

static int contexts[DEVICES];
static _Thread_local int *current;

int cuInit(unsigned int flags)
{
	if (flags)
		return INVALID_VALUE;
	return standin_fails("cuInit") ? NO_DEVICE : SUCCESS;
}

int cuGetErrorName(int error, const char **name)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
		{ INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE" },
		{ OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY" },
		{ NO_DEVICE, "CUDA_ERROR_NO_DEVICE" },
		{ INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT" },
		{ NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED" },
		{ FAILED, "CUDA_ERROR_UNKNOWN" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].error == error) {
			*name = names[i].name;
			return SUCCESS;
		}
	return INVALID_VALUE;
}

int cuDeviceGetCount(int *n)
{
	*n = DEVICES;
	return standin_fails("cuDeviceGetCount") ? FAILED : SUCCESS;
}

int cuDeviceGet(int *device, int n)
{
	*device = n;
	return standin_fails("cuDeviceGet") ? FAILED : SUCCESS;
}

int cuDeviceGetByPCIBusId(int *device, const char *address)
{
	return standin_at(address, device) ? SUCCESS : NO_DEVICE;
}

int cuDeviceGetPCIBusId(char *address, int size, int device)
{
	if (standin_fails("cuDeviceGetPCIBusId"))
		return FAILED;
	return standin_address(device, address, size) ? SUCCESS :
							INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	if (standin_fails("cuDevicePrimaryCtxRetain"))
		return OUT_OF_MEMORY;
	standin_use(1);
	*context = &contexts[device];
	return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	standin_use(-1);
	return SUCCESS;
}

int cuCtxSetCurrent(void *context)
{
	current = context;
	return standin_fails("cuCtxSetCurrent") ? FAILED : SUCCESS;
}

int cuCtxSynchronize(void)
{
	return current ? SUCCESS : INVALID_CONTEXT;
}

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
	if (!current)
		return INVALID_CONTEXT;
	if (standin_fails("cuMemAlloc"))
		return FAILED;
	*address = standin_allocate(size);
	return *address ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFree_v2(uint64_t address)
{
	if (!current)
		return INVALID_CONTEXT;
	standin_free(address);
	return SUCCESS;
}

/* The N bytes at ADDRESS, in *BYTES, as CALL needs them. */
static int reach(uint64_t address, size_t n, const char *call, void **bytes)
{
	*bytes = standin_memory(address, n);
	if (!current || standin_fails(call))
		return INVALID_CONTEXT;
	return *bytes ? SUCCESS : INVALID_VALUE;
}

int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t n)
{
	void *bytes;
	int error = reach(address, n, "cuMemsetD8", &bytes);

	if (!error)
		memset(bytes, value, n);
	return error;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
	void *bytes;
	int error = reach(to, n, "cuMemcpyHtoD", &bytes);

	if (!error)
		memcpy(bytes, from, n);
	return error;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
	void *bytes;
	int error = reach(from, n, "cuMemcpyDtoH", &bytes);

	if (!error)
		memcpy(to, bytes, n);
	return error;
}

/* Of the attributes, SYNC_MEMOPS is the only one to set here. */
int cuPointerSetAttribute(const void *value, int attribute, uint64_t address)
{
	if (standin_fails("cuPointerSetAttribute"))
		return FAILED;
	return attribute == 6 && *(const unsigned int *)value == 1 &&
			       standin_memory(address, 1) ? SUCCESS :
							    INVALID_VALUE;
}

int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t size,
				  int type, unsigned long long flags)
{
	int fd = type == 1 && !flags ? standin_export(address, size) : -1;

	memcpy(handle, &fd, sizeof(fd));
	return fd < 0 ? NOT_SUPPORTED : SUCCESS;
}
