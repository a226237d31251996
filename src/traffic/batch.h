/*
 * Batches: requests of many sizes that are posted together and are complete
 * when all of them are, as an inference engine moves its KV cache.  A batch
 * counts as one message, of the bytes of all its requests.  They are dealt to
 * the queue pairs in turn, and each queue pair gets its share in one list.
 */
#pragma once

#include "base/units.h"
#include "traffic/flow.h"

/* Requests of B, and their bytes in all. */
uint64_t batch_requests(const struct batch *b);
uint64_t batch_bytes(const struct batch *b);

/* Bytes of the largest request of B. */
uint64_t batch_largest(const struct batch *b);

/* Most requests of B that one of QPS queue pairs gets, and most memory, in
 * bytes, that they need when each has its own place. */
uint64_t batch_share(const struct batch *b, uint32_t qps);
uint64_t batch_extent(const struct batch *b, uint32_t qps);

/*
 * After flow_prepare() with lists of batch_share() sends: make them the
 * requests of B.  Their places are scattered over the region of the queue pair:
 * which requests are neighbours there has nothing to do with their order.
 */
void batch_prepare(struct flow *f, const struct batch *b);

/*
 * Post one batch after the other, each when the one before is complete.  A
 * sample lasts from just before the first post of a batch to just after the
 * poll that found its last completion.  The window opens and closes at ends of
 * batches, or opens before the first one if there is no warm-up.  Ends after
 * shape.iterations batches or, when that is 0, at PHASE_DRAIN.  Returns as
 * bandwidth_run().
 */
int batch_run(struct flow *f, enum op op);
