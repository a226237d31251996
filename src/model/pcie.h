/* What a PCIe link carries. */
#ifndef MODEL_PCIE_H
#define MODEL_PCIE_H

#include <stdint.h>

/* Data rate in Gb/s, after encoding, of WIDTH lanes of SPEED_GT GT/s each: 8b10b
 * up to 5 GT/s, 128b130b up to 32, flits above.  Headers of packets, about a
 * tenth of it, are not taken off. */
static inline double pcie_gbps(double speed_gt, uint64_t width)
{
	/* a flit has 236 bytes of packets in 256 */
	const double share = speed_gt <= 5 ? 8.0 / 10 :
			     speed_gt <= 32 ? 128.0 / 130 : 236.0 / 256;

	return speed_gt * (double)width * share;
}

#endif
