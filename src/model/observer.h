/* Callbacks that report on a run while it goes on, at this end. */
#ifndef MODEL_OBSERVER_H
#define MODEL_OBSERVER_H

#include "model/result.h"

/* One interval of a run, as this end counts it. */
struct observed {
	uint64_t size;		/* message size in bytes */
	struct interval interval;
	bool from_client;	/* direction of the messages */
	bool received;		/* counted at the receiver */
};

/* Each function gets the observer itself, and only one thread at a time calls
 * it. */
struct observer {
	/* Both ends are connected, and traffic is about to begin. */
	void (*begin)(struct observer *o, const struct result *r);
	/* PART is over.  The monitor calls this, so it must not block. */
	void (*interval)(struct observer *o, const struct result *r,
			 const struct observed *part);
	/* ROW of R is complete. */
	void (*row)(struct observer *o, const struct result *r,
		    const struct result_row *row);
};

#endif
