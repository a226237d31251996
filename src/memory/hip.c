/*
 * AMD's runtime library, and the one below it, which makes dma-bufs.  Types and
 * numbers are those of their documentation (HIP, ROCr), so that no header of
 * them is needed to build.
 */
#include "config.h"
#include "memory/gpu.h"

#include <errno.h>
#include <inttypes.h>

enum { HIP_OUT_OF_MEMORY = 2 };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

static struct {
	int (*init)(unsigned int flags);
	const char *(*error_name)(int error);
	int (*count)(int *n);
	int (*find)(int *device, const char *pci);
	int (*address)(char *pci, int size, int device);
	int (*use)(int device);
	int (*allocate)(void **address, size_t bytes);
	int (*free)(void *address);
	int (*set)(void *address, int value, size_t n);
	int (*synchronize)(void);
	int (*copy)(void *to, const void *from, size_t n, int direction);
} hip;

static struct {
	int (*export_dmabuf)(const void *address, size_t size, int *fd,
			     uint64_t *offset);
} hsa;

#define CALL(name, member) { name, offsetof(__typeof__(hip), member), false }

static const struct library_symbol symbols[] = {
	CALL("hipInit", init),
	CALL("hipGetErrorName", error_name),
	CALL("hipGetDeviceCount", count),
	CALL("hipDeviceGetByPCIBusId", find),
	{ "hipDeviceGetPCIBusId",
	  offsetof(__typeof__(hip), address), true },
	CALL("hipSetDevice", use),
	CALL("hipMalloc", allocate),
	CALL("hipFree", free),
	CALL("hipMemset", set),
	CALL("hipDeviceSynchronize", synchronize),
	CALL("hipMemcpy", copy),
};

static const struct library_symbol hsa_symbols[] = {
	{ "hsa_amd_portable_export_dmabuf",
	  offsetof(__typeof__(hsa), export_dmabuf), true },
};

static const char *const names[] = { "libamdhip64.so", "libamdhip64.so.7",
				     "libamdhip64.so.6", "libamdhip64.so.5",
				     NULL };
static const char *const hsa_names[] = { "libhsa-runtime64.so.1", NULL };

static const struct library library = {
	names, "install ROCm, or use another --memory"
};
static const struct library hsa_library = { hsa_names, NULL };

/* CALL returned ERROR, or 0. */
static int check(const char *option, const char *call, int error,
		 struct error *err)
{
	if (!error)
		return 0;
	return fail_code(err, -EIO, hip.error_name(error),
			 "see rocm-smi, or use another --memory",
			 "%s: %s: %s", option, call, hip.error_name(error));
}

static int find_gpu(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err)
{
	const uint32_t n = choice->gpu;
	int count = 0;
	int ret = library_load(&library, symbols,
			       sizeof(symbols) / sizeof(*symbols), &hip,
			       option, err) ?:
		  check(option, "hipInit", hip.init(0), err);

	g->device = (int)n;
	if (!ret && choice->pci[0])
		ret = check(option, "hipDeviceGetByPCIBusId",
			    hip.find(&g->device, choice->pci), err);
	ret = ret ?: check(option, "hipGetDeviceCount", hip.count(&count), err);
	if (ret)
		return ret;
	if (n >= (uint32_t)count)
		return fail(err, -ENODEV, "rocm-smi lists them",
			    "%s: there is no GPU %u: the driver has %d, from "
			    "GPU 0 on", option, n, count);
	return check(option, "hipSetDevice", hip.use(g->device), err);
}

static int address_of(const struct gpu *g, char address[GPU_ADDRESS_SIZE])
{
	return hip.address ? hip.address(address, GPU_ADDRESS_SIZE, g->device) :
			     -EOPNOTSUPP;
}

static int open_gpu(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err)
{
	struct error ignored = { 0 };
	int ret = find_gpu(g, choice, option, err);

	if (ret)
		return ret;
	/* without it there are no dma-bufs */
	library_load(&hsa_library, hsa_symbols,
		     sizeof(hsa_symbols) / sizeof(*hsa_symbols), &hsa, option,
		     &ignored);
	g->open = true;
	return 0;
}

static int allocate(struct gpu *g, uint64_t size, const char *option,
		    struct error *err)
{
	void *address = NULL;
	int error = hip.allocate(&address, size);

	if (error == HIP_OUT_OF_MEMORY)
		return fail_code(err, -ENOMEM, hip.error_name(error),
				 "use fewer --qps or a smaller --size",
				 "%s: GPU %d cannot allocate %" PRIu64
				 " bytes: %s", option, g->device, size,
				 hip.error_name(error));
	g->base = (uintptr_t)address;
	return check(option, "hipMalloc", error, err) ?:
	       check(option, "hipMemset",
		     hip.set(address, 0, size) ?: hip.synchronize(), err);
}

static int export_dmabuf(const struct gpu *g, uint64_t address, uint64_t size,
			 uint64_t *offset)
{
	int fd = -1;

	(void)g;
	*offset = 0;
	if (!hsa.export_dmabuf ||
	    hsa.export_dmabuf((const void *)(uintptr_t)address, size, &fd,
			      offset))
		return -EOPNOTSUPP;
	return fd;
}

/* A copy from pageable memory may return before its end. */
static int copy_in(const struct gpu *g, uint64_t to, const void *from,
		   uint64_t n)
{
	return hip.use(g->device) ||
	       hip.copy((void *)(uintptr_t)to, from, n, HOST_TO_DEVICE) ||
	       hip.synchronize() ? -EIO : 0;
}

static int copy_out(const struct gpu *g, void *to, uint64_t from, uint64_t n)
{
	return hip.use(g->device) ||
	       hip.copy(to, (const void *)(uintptr_t)from, n,
			DEVICE_TO_HOST) ? -EIO : 0;
}

static void close_gpu(struct gpu *g)
{
	if (!hip.use(g->device) && g->base)
		hip.free((void *)(uintptr_t)g->base);
}

const struct gpu_driver gpu_hip = {
	.maker = "AMD",
	.find = find_gpu,
	.address = address_of,
	.open = open_gpu,
	.allocate = allocate,
	.export_dmabuf = export_dmabuf,
	.in = copy_in,
	.out = copy_out,
	.close = close_gpu,
};
