/* Memory of a GPU: what its vendor's driver library does for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "memory/kind.h"

/* A vendor's library, which may not be installed. */
struct library {
	const char *const *names;	/* tried in order; the last is NULL */
	const char *advice;	/* how to get it */
};

struct library_symbol {
	const char *name;
	size_t offset;		/* of the function's pointer in the table */
	bool optional;		/* NULL in the table when it is not there */
};

/*
 * Load LIBRARY, which stays for good, and set the N SYMBOLS in CALLS, a struct
 * of pointers to functions.  OPTION names the option that needs it, for
 * messages.  Returns 0, or a negative errno with what is missing in ERR.
 */
int library_load(const struct library *library,
		 const struct library_symbol *symbols, size_t n, void *calls,
		 const char *option, struct error *err);

/* The GPU memory of one end: the state OWN of its struct allocation. */
struct gpu {
	const struct gpu_driver *driver;
	uint64_t base;		/* what was allocated; 0: nothing */
	void *context;		/* the driver's */
	int device;
	bool open;		/* close() has something to do */
	const char *way;	/* how it was registered; NULL: not yet */
};

/* A PCI address as a driver writes it, with its final NUL. */
#define GPU_ADDRESS_SIZE 20

struct gpu_driver {
	const char *maker;
	/* Load the library and find the GPU of CHOICE.  Returns as open(). */
	int (*find)(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err);
	/* Put the PCI address of the GPU that was found into ADDRESS.  Returns
	 * 0, or anything else if that is not known. */
	int (*address)(const struct gpu *g, char address[GPU_ADDRESS_SIZE]);
	/* Load the library and use the GPU of CHOICE.  OPTION is for
	 * messages.  Returns 0, or a negative errno with the reason in ERR. */
	int (*open)(struct gpu *g, const struct memory_choice *choice,
		    const char *option, struct error *err);
	/* Allocate SIZE zeroed bytes as g->base.  Returns as open(). */
	int (*allocate)(struct gpu *g, uint64_t size, const char *option,
			struct error *err);
	/* A dma-buf of SIZE bytes at ADDRESS: its descriptor, and where in it
	 * they begin in *OFFSET.  Returns a negative errno when there is
	 * none. */
	int (*export_dmabuf)(const struct gpu *g, uint64_t address,
			     uint64_t size, uint64_t *offset);
	/* Like those of struct copier, from any thread. */
	int (*in)(const struct gpu *g, uint64_t to, const void *from,
		  uint64_t n);
	int (*out)(const struct gpu *g, void *to, uint64_t from, uint64_t n);
	/* Free the memory and what open() made. */
	void (*close)(struct gpu *g);
};

extern const struct gpu_driver gpu_cuda, gpu_hip;

/* What makes memory of KIND; NULL: it is not that of a GPU. */
const struct gpu_driver *gpu_driver_of(enum memory_kind kind);

/* Who makes the GPUs of KIND: "NVIDIA", "AMD"; NULL: it is not the memory of a
 * GPU. */
const char *gpu_maker(enum memory_kind kind);

/* Put the PCI address of the GPU of CHOICE, which is not automatic, into
 * ADDRESS: what its driver's library says of a number.  False if CHOICE is no
 * GPU, or the library does not say.  A process that forks must not ask
 * before. */
bool gpu_find_address(const struct memory_choice *choice,
		      char address[GPU_ADDRESS_SIZE]);
