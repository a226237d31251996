#include "config.h"
#include "traffic/slow.h"

#include "traffic/copier.h"
#include "traffic/verify.h"

void slow_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
	       uint8_t count, int *ret)
{
	if (f->verify)
		verify_post(f, q, r, 1, 1, ret);
	else
		*ret = copier_post(f, q, r, count);
}
