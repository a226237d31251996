/* In place of cm.c in a build without librdmacm, where plan_check() refuses
 * --rdma-cm. */
#include "config.h"
#include "verbs/cm.h"

#include <errno.h>

int cm_open(const struct cm_end *end, struct cm **cm, struct error *err)
{
	(void)end;
	*cm = NULL;
	return fail(err, -EOPNOTSUPP, NULL, "there is no librdmacm");
}

int cm_listen(struct cm *cm, uint16_t *port, struct error *err)
{
	(void)cm;
	(void)port;
	return fail(err, -EOPNOTSUPP, NULL, "there is no librdmacm");
}

int cm_call(struct cm *cm, const struct sockaddr_storage *remote,
	    struct error *err)
{
	(void)cm;
	(void)remote;
	return fail(err, -EOPNOTSUPP, NULL, "there is no librdmacm");
}

int cm_join(struct cm *cm, struct error *err)
{
	(void)cm;
	return fail(err, -EOPNOTSUPP, NULL, "there is no librdmacm");
}

int cm_fd(const struct cm *cm)
{
	(void)cm;
	return -1;
}

int cm_take(struct cm *cm, struct error *err)
{
	(void)cm;
	return fail(err, -EOPNOTSUPP, NULL, "there is no librdmacm");
}

bool cm_is_done(const struct cm *cm)
{
	(void)cm;
	return false;
}

int cm_timed_out(const struct cm *cm, struct error *err)
{
	(void)cm;
	return fail(err, -ETIMEDOUT, NULL, "there is no librdmacm");
}

void cm_stop_listening(struct cm *cm)
{
	(void)cm;
}

void cm_close(struct cm *cm)
{
	(void)cm;
}
