#include "config.h"
#include "net/done_counters.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "net/frames.h"

void done_put_counters(struct cursor *c, const struct counters *counters)
{
	wire_put(c, 8, counters->ns);
	wire_put(c, 2, counters->n);
	for (uint32_t i = 0; i < counters->n; i++) {
		wire_put_string(c, counters->list[i].name);
		wire_put(c, 1, counters->list[i].known);
		wire_put(c, 8, counters->list[i].value);
	}
}

/* The names ascend, so that none comes twice. */
static int check_name(const struct frame *frame, const char *name,
		      const char *before, struct error *err)
{
	if (counter_name_is_valid(name) && strcmp(name, before) > 0)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent %s %s with counter '%s' after '%s'",
		    frame_article(frame->type), frame_name(frame->type), name,
		    before);
}

static int get_counter(const struct frame *frame, struct cursor *c,
		       struct counter *counter, const char *before,
		       struct error *err)
{
	uint64_t known;
	int ret;

	wire_get_string(c, counter->name, sizeof(counter->name));
	known = wire_get(c, 1);
	counter->known = known;
	counter->value = wire_get(c, 8);
	/* the caller reports what is too short */
	if (c->failed)
		return 0;
	ret = check_name(frame, counter->name, before, err);
	if (!ret)
		ret = wire_check(frame, "known counter", known, 0, 1, err);
	return ret ? ret : wire_check(frame, "counter", counter->value, 0,
				      known ? COUNTER_RISE_MAX : 0, err);
}

int done_get_counters(const struct frame *frame, struct cursor *c,
		      struct counters *counters, struct error *err)
{
	const char *before = "";
	uint64_t n;
	int ret;

	counters->ns = wire_get(c, 8);
	n = wire_get(c, 2);
	ret = wire_check(frame, "time of the counters", counters->ns, 0,
			 COUNT_MAX, err);
	if (!ret)
		ret = wire_check(frame, "number of counters", n, 1,
				 COUNTERS_MAX, err);
	if (ret)
		return c->failed ? 0 : ret;
	counters->list = xcalloc(n, sizeof(*counters->list));
	counters->n = (uint32_t)n;
	for (uint32_t i = 0; i < n && !ret && !c->failed; i++) {
		ret = get_counter(frame, c, &counters->list[i], before, err);
		before = counters->list[i].name;
	}
	return ret;
}
