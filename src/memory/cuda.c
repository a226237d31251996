/*
 * NVIDIA's driver library.  Types and numbers are those of its documentation
 * (CUDA Driver API), so that no header of it is needed to build.
 */
#include "config.h"
#include "memory/gpu.h"

#include <errno.h>
#include <inttypes.h>

enum { CUDA_OUT_OF_MEMORY = 2 };
enum { POINTER_SYNC_MEMOPS = 6 };
enum { HANDLE_DMA_BUF_FD = 1 };

static struct {
	int (*init)(unsigned int flags);
	int (*error_name)(int error, const char **name);
	int (*count)(int *n);
	int (*get)(int *device, int n);
	int (*find)(int *device, const char *pci);
	int (*address)(char *pci, int size, int device);
	int (*retain)(void **context, int device);
	int (*give_back)(int device);
	int (*use)(void *context);
	int (*allocate)(uint64_t *address, size_t bytes);
	int (*free)(uint64_t address);
	int (*set)(uint64_t address, unsigned char value, size_t n);
	int (*synchronize)(void);
	int (*set_attribute)(const void *value, int attribute,
			     uint64_t address);
	int (*to_device)(uint64_t to, const void *from, size_t n);
	int (*to_host)(void *to, uint64_t from, size_t n);
	int (*handle)(void *handle, uint64_t address, size_t size, int type,
		      unsigned long long flags);
} cu;

#define CALL(name, member) { name, offsetof(__typeof__(cu), member), false }

static const struct library_symbol symbols[] = {
	CALL("cuInit", init),
	CALL("cuGetErrorName", error_name),
	CALL("cuDeviceGetCount", count),
	CALL("cuDeviceGet", get),
	CALL("cuDeviceGetByPCIBusId", find),
	{ "cuDeviceGetPCIBusId",
	  offsetof(__typeof__(cu), address), true },
	CALL("cuDevicePrimaryCtxRetain", retain),
	CALL("cuDevicePrimaryCtxRelease_v2", give_back),
	CALL("cuCtxSetCurrent", use),
	CALL("cuMemAlloc_v2", allocate),
	CALL("cuMemFree_v2", free),
	CALL("cuMemsetD8_v2", set),
	CALL("cuCtxSynchronize", synchronize),
	CALL("cuPointerSetAttribute", set_attribute),
	CALL("cuMemcpyHtoD_v2", to_device),
	CALL("cuMemcpyDtoH_v2", to_host),
	/* since CUDA 11.7 */
	{ "cuMemGetHandleForAddressRange",
	  offsetof(__typeof__(cu), handle), true },
};

static const char *const names[] = { "libcuda.so.1", NULL };

static const struct library library = {
	names, "install NVIDIA's driver, or use another --memory"
};

static const char *name_of(int error)
{
	const char *name = NULL;

	return cu.error_name(error, &name) || !name ? "unknown error" : name;
}

/* CALL returned ERROR, or 0. */
static int check(const char *option, const char *call, int error,
		 struct error *err)
{
	if (!error)
		return 0;
	return fail_code(err, -EIO, name_of(error),
			 "see nvidia-smi, or use another --memory",
			 "%s: %s: %s", option, call, name_of(error));
}

static int find_gpu(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err)
{
	const uint32_t n = choice->gpu;
	int count = 0;
	int ret = library_load(&library, symbols,
			       sizeof(symbols) / sizeof(*symbols), &cu,
			       option, err) ?:
		  check(option, "cuInit", cu.init(0), err);

	if (!ret && choice->pci[0])
		return check(option, "cuDeviceGetByPCIBusId",
			     cu.find(&g->device, choice->pci), err);
	ret = ret ?: check(option, "cuDeviceGetCount", cu.count(&count), err);
	if (ret)
		return ret;
	if (n >= (uint32_t)count)
		return fail(err, -ENODEV, "nvidia-smi -L lists them",
			    "%s: there is no GPU %u: the driver has %d, from "
			    "GPU 0 on", option, n, count);
	return check(option, "cuDeviceGet", cu.get(&g->device, (int)n), err);
}

static int address_of(const struct gpu *g, char address[GPU_ADDRESS_SIZE])
{
	return cu.address ? cu.address(address, GPU_ADDRESS_SIZE, g->device) :
			    -EOPNOTSUPP;
}

static int open_gpu(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err)
{
	int ret = find_gpu(g, choice, option, err) ?:
		  check(option, "cuDevicePrimaryCtxRetain",
			cu.retain(&g->context, g->device), err);

	if (ret)
		return ret;
	g->open = true;
	return check(option, "cuCtxSetCurrent", cu.use(g->context), err);
}

static int allocate(struct gpu *g, uint64_t size, const char *option,
		    struct error *err)
{
	int error = cu.allocate(&g->base, size);
	const unsigned int yes = 1;

	if (error == CUDA_OUT_OF_MEMORY)
		return fail_code(err, -ENOMEM, name_of(error),
				 "use fewer --qps or a smaller --size",
				 "%s: GPU %d cannot allocate %" PRIu64
				 " bytes: %s", option, g->device, size,
				 name_of(error));
	/* whatever follows a copy must see it; an RDMA device is not in the
	 * order of the GPU's own work */
	return check(option, "cuMemAlloc", error, err) ?:
	       check(option, "cuPointerSetAttribute",
		     cu.set_attribute(&yes, POINTER_SYNC_MEMOPS, g->base),
		     err) ?:
	       check(option, "cuMemsetD8",
		     cu.set(g->base, 0, size) ?: cu.synchronize(), err);
}

static int export_dmabuf(const struct gpu *g, uint64_t address, uint64_t size,
			 uint64_t *offset)
{
	int fd = -1;

	(void)g;
	*offset = 0;
	if (!cu.handle || cu.handle(&fd, address, size, HANDLE_DMA_BUF_FD, 0))
		return -EOPNOTSUPP;
	return fd;
}

static int copy_in(const struct gpu *g, uint64_t to, const void *from,
		   uint64_t n)
{
	return cu.use(g->context) || cu.to_device(to, from, n) ? -EIO : 0;
}

static int copy_out(const struct gpu *g, void *to, uint64_t from, uint64_t n)
{
	return cu.use(g->context) || cu.to_host(to, from, n) ? -EIO : 0;
}

static void close_gpu(struct gpu *g)
{
	if (!cu.use(g->context) && g->base)
		cu.free(g->base);
	cu.give_back(g->device);
}

const struct gpu_driver gpu_cuda = {
	.maker = "NVIDIA",
	.find = find_gpu,
	.address = address_of,
	.open = open_gpu,
	.allocate = allocate,
	.export_dmabuf = export_dmabuf,
	.in = copy_in,
	.out = copy_out,
	.close = close_gpu,
};
