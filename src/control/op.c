/* The table of control operations, and the advice for a verb that fails in one
 * of them. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/advice.h"

/* The limit on how many objects VERB can make, and advice. */
static const struct {
	const char *verb;
	size_t most;		/* of an int in struct ibv_device_attr */
	const char *name;	/* of that member */
} limits[] = {
#define LIMIT(verb, member) \
	{ verb, offsetof(struct ibv_device_attr, member), #member }
	LIMIT("ibv_reg_mr", max_mr),
	LIMIT("ibv_create_qp", max_qp),
	LIMIT("ibv_create_cq", max_cq),
	LIMIT("ibv_create_ah", max_ah),
	LIMIT("ibv_alloc_mw", max_mw),
};

/* How many objects of VERB the device says it has, into *MOST; NULL: not
 * known. */
static const char *limit_of(struct ibv_context *context, const char *verb,
			    uint64_t *most)
{
	struct ibv_device_attr attr;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (strcmp(limits[i].verb, verb) != 0)
			continue;
		if (ibv_query_device(context, &attr))
			return NULL;
		*most = (uint64_t)*(const int *)((const char *)&attr +
						 limits[i].most);
		return limits[i].name;
	}
	return NULL;
}

/* The advice if VERB failed because the device has no more of its objects: that
 * limit; else OTHER. */
static const char *advice_of_limit(const struct control_thread *t,
				   const char *verb, const char *other,
				   char text[VERB_ADVICE_SIZE])
{
	uint64_t most = 0;
	const char *name = limit_of(t->shared->device->context, verb, &most);

	if (!name || t->shared->existing + 8 < most)
		return other;
	snprintf(text, VERB_ADVICE_SIZE,
		 "the device has %" PRIu64 " at most (%s), of all processes "
		 "together", most, name);
	return text;
}

int control_refused_as(struct control_thread *t, const char *verb, int errnum,
		       const char *what, const char *why, const char *other)
{
	const uint64_t existing = t->shared->existing;
	char advice[VERB_ADVICE_SIZE], with[64] = "";

	/* this one is counted already */
	if (existing > 1)
		snprintf(with, sizeof(with), ", with %" PRIu64
			 " of them there already", existing - 1);
	return fail(&t->err, -errnum, advice_of_limit(t, verb, other, advice),
		    "%s: cannot %s%s: %s", t->shared->device->port.device,
		    what, with, why);
}

int control_check(struct control_thread *t, const char *verb, int result,
		  const char *what)
{
	const int errnum = abs(result);
	char advice[VERB_ADVICE_SIZE];

	if (!result)
		return 0;
	return control_refused_as(t, verb, errnum, what, strerror(errnum),
				  verb_advice(&t->shared->device->port, verb,
					      errnum, advice));
}

int control_end_part(struct control_thread *t, uint32_t part, const char *verb,
		     int result, const char *what)
{
	control_lap(t, part);
	return control_check(t, verb, result, what);
}

const struct control_op *control_op_of(enum control_test test, bool rdma_cm)
{
	static const struct control_op *const table[CONTROL_TESTS] = {
		[CONTROL_REG_MR] = &control_reg_mr,
		[CONTROL_CREATE_QP] = &control_create_qp,
		[CONTROL_CREATE_CQ] = &control_create_cq,
		[CONTROL_CREATE_AH] = &control_create_ah,
		[CONTROL_QP_SETUP] = &control_qp_setup,
		[CONTROL_POST_POLL] = &control_post_poll,
		[CONTROL_MW_BIND] = &control_mw_bind,
		[CONTROL_CONNECT] = &control_connect,
	};

	if (HAVE_RDMACM && rdma_cm && test == CONTROL_CONNECT)
		return &control_connect_cm;
	return table[test];
}
