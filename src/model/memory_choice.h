/* What an end puts its messages into: --memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * X(symbol, name, argument, copied): the kinds of memory; what follows the name
 * in --memory; and whether the host cannot read and write it, but only have it
 * copied.  A name that is the start of another comes after it.
 */
#define MEMORY_LIST(X) \
	X(ANONYMOUS, "anonymous", NOTHING, false) \
	X(HUGE_PAGES, "hugepages", PAGE_SIZE, false) \
	X(SHARED, "shared", NOTHING, false) \
	X(FILE, "file", PATH, false) \
	X(DEVICE, "device", NOTHING, true) \
	X(UDMABUF, "dmabuf:udmabuf", NOTHING, false) \
	X(CUDA, "cuda", GPU, true) \
	X(HIP, "hip", GPU, true)

enum memory_kind {
#define X(symbol, ...) MEMORY_##symbol,
	MEMORY_LIST(X)
#undef X
	MEMORY_KINDS,
};

struct memory_choice {
	enum memory_kind kind;
	uint64_t page_size;	/* of huge pages, in bytes; 0: the kernel's
				 * default */
	uint64_t offset;	/* in the file, in bytes */
	uint32_t gpu;		/* its number */
	bool automatic;		/* the GPU is the nearest to the RDMA device
				 * (host/place.h) */
	char pci[20];		/* its PCI address, which then counts; empty:
				 * not given */
	const char *path;	/* of the file; not ended by a zero */
	size_t path_length;
};

/* What both ends call the memory that an end used: "cuda:0 (dma-buf)". */
#define MEMORY_TEXT_SIZE 64

/* Longest path of a file, with its final zero. */
#define MEMORY_PATH_SIZE 1024

/* The words of --memory, for messages and --help. */
#define MEMORY_WORDS \
	"anonymous, hugepages[=2M|1G], shared, file:PATH[,offset=BYTES], " \
	"device, dmabuf:udmabuf, cuda[:N] or hip[:N]; N may be a PCI address " \
	"or auto"

/* "anonymous", "cuda", ... */
const char *memory_kind_name(enum memory_kind kind);

/* True when the host cannot touch memory of KIND, but only have it copied. */
bool memory_kind_is_copied(enum memory_kind kind);

/* Parse TEXT, the value of --memory, which must outlive CHOICE.  Returns 0 or
 * -EINVAL. */
int memory_choice_parse(const char *text, struct memory_choice *choice);

/* Write CHOICE as --memory would take it into TEXT of SIZE bytes.  Returns
 * TEXT. */
const char *memory_choice_format(const struct memory_choice *choice,
				 char *text, size_t size);

/* True when TEXT, the memory that an end used, can only be copied to and
 * from. */
bool memory_text_is_copied(const char *text);
