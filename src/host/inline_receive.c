/*
 * Chooses inline receive: --inline-recv.  libibverbs has no call for it.  The
 * driver of mlx5 reads variables of the environment when it makes a completion
 * queue or a queue pair; no other driver can be told.
 *
 * A driver that copies a message to the receive's memory must be able to touch
 * it.  So it is off for memory that cannot be (--memory).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "host/place.h"

/* The environment variables that the driver of mlx5 reads; NULL: stays as it
 * is. */
static const struct {
	const char *word;
	const char *scatter_to_cqe;
	const char *cqe_size;	/* half of it holds a message */
} choices[INLINE_RECEIVES] = {
	[INLINE_RECEIVE_AUTO] = { "auto", NULL, NULL },
	[INLINE_RECEIVE_OFF] = { "off", "0", NULL },
	[INLINE_RECEIVE_32] = { "32", "1", "64" },
	[INLINE_RECEIVE_64] = { "64", "1", "128" },
};

static int set(const char *name, const char *value, struct error *err)
{
	if (!value || !setenv(name, value, 1))
		return 0;
	return fail_errno(err, errno, NULL, "cannot set %s", name);
}

static int check(const struct parameters *params, const char *device,
		 const char *driver, bool is_mlx5, struct error *err)
{
	const char *word = choices[params->inline_recv].word;
	const enum memory_kind kind = params->memory.kind;

	if (params->inline_recv == INLINE_RECEIVE_AUTO)
		return 0;
	if (!is_mlx5)
		return fail(err, -EOPNOTSUPP, "leave --inline-recv out",
			    "--inline-recv %s: %s (%s) has no inline receive "
			    "that can be chosen: only mlx5 has", word, device,
			    driver[0] ? driver : "of an unknown driver");
	if (params->inline_recv == INLINE_RECEIVE_OFF ||
	    !memory_kind_is_copied(kind))
		return 0;
	return fail(err, -EINVAL, "use --inline-recv off, or other memory",
		    "--inline-recv %s: the driver cannot copy messages into "
		    "--memory %s", word, memory_kind_name(kind));
}

int inline_receive_choose(struct parameters *params, const char *device,
			  struct error *err)
{
	char driver[FACT_TEXT_SIZE];
	bool is_mlx5;
	int ret;

	sysfs_driver(device, driver, sizeof(driver));
	is_mlx5 = !strcmp(driver, "mlx5_core");
	ret = check(params, device, driver, is_mlx5, err);
	if (ret || !is_mlx5)
		return ret;
	if (memory_kind_is_copied(params->memory.kind))
		params->inline_recv = INLINE_RECEIVE_OFF;
	return set("MLX5_SCATTER_TO_CQE",
		   choices[params->inline_recv].scatter_to_cqe, err) ?:
	       set("MLX5_CQE_SIZE", choices[params->inline_recv].cqe_size, err);
}
