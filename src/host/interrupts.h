/* How often a device interrupted this machine. */
#ifndef HOST_INTERRUPTS_H
#define HOST_INTERRUPTS_H

#include <stdint.h>

/*
 * Interrupts since the machine began, of all vectors that the PCI function of
 * DEVICE ("mlx5_0") has, on all CPUs; its Ethernet port uses some of them.
 * CPU_UNKNOWN (model/cpu_cost.h) for a device without vectors, such as a
 * software device, and where the kernel does not tell.
 */
uint64_t interrupts_of(const char *device);

#endif
