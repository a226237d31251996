/* The order of the steps of perftest's dialogue, by test and version. */
#include "config.h"
#include "perftest/schedule.h"

/* The operations that have the same schedules. */
enum kind { SEND, WRITE, WRITE_IMM, FETCH, KINDS };

enum { LATENCY, ONE_WAY, BOTH_WAYS, WAYS };

// clang-format off
static const struct schedule schedules[KINDS][WAYS] = {
	/*		   connect  begin  end  end_all  close */
	[SEND] = {
		[LATENCY] =   { "NCKN",  "K", "",  "",   "K" },
		[ONE_WAY] =   { "NCKN",  "K", "",  "K",  "K" },
		[BOTH_WAYS] = { "NCKN",  "K", "r", "rK", "K" },
	},
	[WRITE] = {
		[LATENCY] =   { "KNCNK", "",  "",  "",   "" },
		[ONE_WAY] =   { "NCNK",  "",  "",  "",   "KRK" },
		[BOTH_WAYS] = { "NCNK",  "K", "R", "KR", "K" },
	},
	[WRITE_IMM] = {
		[LATENCY] =   { "KNCNK", "K", "",  "",   "" },
		[ONE_WAY] =   { "NCNK",  "K", "",  "K",  "K" },
		[BOTH_WAYS] = { "NCNK",  "K", "r", "Kr", "K" },
	},
	[FETCH] = {
		[LATENCY] =   { "KNCNK", "",  "",  "",   "K" },
		[ONE_WAY] =   { "NCNK",  "",  "",  "",   "KRK" },
		[BOTH_WAYS] = { "NCNK",  "K", "R", "KR", "K" },
	},
};
// clang-format on

static enum kind kind_of(enum op op)
{
	const struct op_info *info = &op_table[op];

	if (info->fetches)
		return FETCH;
	if (!info->access)
		return SEND;
	return info->receives ? WRITE_IMM : WRITE;
}

const struct schedule *schedule_of(const struct plan *plan)
{
	const int way = plan->metric == METRIC_LATENCY ? LATENCY :
			plan->bidirectional ? BOTH_WAYS : ONE_WAY;

	return &schedules[kind_of(plan->op)][way];
}

bool schedule_server_begins(const struct plan *plan)
{
	return plan_is_pingpong(plan) && kind_of(plan->op) != SEND;
}
