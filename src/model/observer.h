/* Who is told of a run while it goes on, at this end. */
#ifndef MODEL_OBSERVER_H
#define MODEL_OBSERVER_H

#include "model/result.h"

/* A part of a run, as this end counts it. */
struct observed {
	uint64_t size;		/* of the messages, in bytes */
	struct interval interval;
	bool from_client;	/* which way they went */
	bool received;		/* they were counted where they arrived */
};

/* Each is called with the observer itself, by one thread at a time. */
struct observer {
	/* Both ends are connected, and traffic is about to begin. */
	void (*begin)(struct observer *o, const struct result *r);
	/* PART is over.  Called by the monitor: it must not wait. */
	void (*interval)(struct observer *o, const struct result *r,
			 const struct observed *part);
	/* ROW of R is complete. */
	void (*row)(struct observer *o, const struct result *r,
		    const struct result_row *row);
};

#endif
