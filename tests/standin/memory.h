/*
 * The "GPU memory" of the stand-ins for vendors' driver libraries: its
 * addresses have no access rights, and the bytes are reached by another
 * mapping, in the copy calls alone.  A program that touches a message with the
 * CPU ends by a signal.
 *
 * The environment says what is wrong: STANDIN_FAULT is the name of the call
 * that fails, and STANDIN_NO_DMABUF that no dma-buf is exported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICES 2
#define LIMIT (1ULL << 32)	/* bytes of a GPU */

/* The bytes at ADDRESS, N of them, for whoever may touch them: a copy, or the
 * RDMA device of the tests, as peer memory.  NULL: there are none. */
void *standin_memory(uint64_t address, size_t n);

/* Set *DEVICE to the GPU at this PCI ADDRESS: the first is 0000:19:00.0, the
 * second 0000:1a:00.0.  Returns false when there is none. */
bool standin_at(const char *address, int *device);

/* The reverse.  ADDRESS has SIZE bytes. */
bool standin_address(int device, char *address, int size);

/* Pieces that were not freed, and contexts. */
int standin_alive(void);

/* Is CALL the one that fails? */
bool standin_fails(const char *call);

/* One more or, BY being negative, fewer users of a context. */
void standin_use(int by);

/* SIZE bytes, at an address of a GPU's page; 0: no memory. */
uint64_t standin_allocate(size_t size);

/* ADDRESS must be that of a whole piece. */
void standin_free(uint64_t address);

/* A descriptor of a whole piece, at its ADDRESS; -1: none. */
int standin_export(uint64_t address, size_t size);
