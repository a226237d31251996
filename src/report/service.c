#include "config.h"
#include "report/service.h"

#include "model/addressing.h"

/* Most flow labels shown; further ones are only counted. */
#define LABELS_SHOWN 4

/* "," between items, " service:" before the first. */
static const char *before(int *n)
{
	return (*n)++ ? "," : " service:";
}

static void print_labels(FILE *out, const struct labels *labels, int *n)
{
	if (!labels->n)
		return;
	if (labels->n > LABELS_SHOWN) {
		fprintf(out, "%s %u flow labels", before(n), labels->n);
		return;
	}
	fprintf(out, "%s flow label%s", before(n), labels->n > 1 ? "s" : "");
	for (uint32_t i = 0; i < labels->n; i++)
		fprintf(out, "%s0x%05x", i ? "/" : " ", labels->value[i]);
}

/* The QP may differ: on RoCE the kernel uses the route's hop limit, and a
 * device without service levels drops them. */
static void print_effective(FILE *out, const struct effective *qp,
			    uint32_t asked, uint32_t got)
{
	if (qp->known && got != EFFECTIVE_NONE && got != asked)
		fprintf(out, " (the QP says %u)", got);
}

void service_print(FILE *out, const struct plan *plan,
		   const struct effective *qp)
{
	uint8_t class = addressing_traffic_class(plan);
	int n = 0;

	if (plan->sl) {
		fprintf(out, "%s SL %u", before(&n), plan->sl);
		print_effective(out, qp, plan->sl, qp->sl);
	}
	if (class) {
		fprintf(out, "%s traffic class %u, DSCP %u", before(&n),
			class, class >> 2);
		print_effective(out, qp, class, qp->traffic_class);
	}
	print_labels(out, &plan->flow_labels, &n);
	if (plan->hop_limit != ADDRESSING_HOP_LIMIT) {
		fprintf(out, "%s hop limit %u", before(&n), plan->hop_limit);
		print_effective(out, qp, plan->hop_limit, qp->hop_limit);
	}
	if (n)
		fputs("\n", out);
}
