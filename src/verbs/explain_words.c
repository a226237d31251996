/* Fills the words in braces of an explanation: GIDs, times, options. */
#include "config.h"
#include "verbs/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "model/rule.h"

/* ms; an acknowledge timeout is 4.096 us x 2^N. */
#define ACK_UNIT 4.096e-3
/* The field has 3 bits. */
#define MOST_RETRIES 7
/* N of about a second, and the largest N. */
#define PATIENT_TIMEOUT 18
#define LONGEST_TIMEOUT 31

/* Suggest an acknowledge timeout for slower links. */
static uint32_t longer(const struct plan *plan)
{
	return (uint32_t)smaller(larger(plan->qp_timeout + 2, PATIENT_TIMEOUT),
				 LONGEST_TIMEOUT);
}

static void put_lids(const struct explain_context *c, char *text)
{
	if (c->path)
		snprintf(text, RULE_WORD_SIZE, "from LID %u to LID %u", c->lid,
			 c->path->dlid);
	else
		snprintf(text, RULE_WORD_SIZE, "from LID %u", c->lid);
}

static bool same_network(const struct gid *a, const struct gid *b)
{
	/* compare 24 bits of an IPv4 address, else the 64-bit prefix */
	size_t bytes = gid_is_ipv4(&a->raw) ? 15 : 8;

	return !memcmp(a->raw.raw, b->raw.raw, bytes);
}

/* What looks wrong with the two GIDs of PATH; "": nothing. */
static const char *oddity(const struct path *path)
{
	const struct gid *a = &path->local, *b = &path->remote;

	if (a->type != b->type)
		return ", which are of different types";
	if (gid_is_ipv4(&a->raw) != gid_is_ipv4(&b->raw))
		return ", of which only one is of an IPv4 address";
	if (!same_network(a, b))
		return ", which are of different subnets";
	return "";
}

static void put_gids(const struct explain_context *c, char *text)
{
	char local[GID_TEXT_SIZE], remote[GID_TEXT_SIZE], index[16] = "";
	const struct path *path = c->path;

	if (!path || !path->global) {
		put_lids(c, text);
		return;
	}
	/* perftest does not say which index its GID has */
	if (path->remote.index != PLAN_AUTO)
		snprintf(index, sizeof(index), "%u ", path->remote.index);
	snprintf(text, RULE_WORD_SIZE, "from GID %u %s (%s) to GID %s%s (%s)%s",
		 path->local.index, gid_show(&path->local, local),
		 gid_type_name(path->local.type), index,
		 gid_show(&path->remote, remote),
		 gid_type_name(path->remote.type), oddity(path));
}

/* How to make the device's library say what it knows of a failed completion:
 * libmlx5 of distributions writes the device's own report only into a file. */
static const char *own_reason(const struct explain_context *c)
{
	return c->driver && !strncmp(c->driver, "mlx5", 4) ?
		       " and run with MLX5_DEBUG_FILE=/dev/stderr, which shows "
		       "the device's own reason" : "";
}

/* What decides how long the device waits for an ACK, and can be raised. */
static void put_patience(const struct plan *plan, char *text)
{
	const int n = snprintf(text, RULE_WORD_SIZE, "--qp-timeout %u (%.3g ms)",
			       plan->qp_timeout,
			       ACK_UNIT * (double)(1ULL << plan->qp_timeout));

	if (plan->retry_count < MOST_RETRIES)
		snprintf(text + n, RULE_WORD_SIZE - (size_t)n,
			 " and --retry-count %u", plan->retry_count);
}

/* A rule_word about a struct explain_context. */
static bool put_word(const void *about, const char *name,
		     char text[RULE_WORD_SIZE])
{
	const struct explain_context *c = about;

	if (!strcmp(name, "peer"))
		snprintf(text, RULE_WORD_SIZE, "%s", c->peer);
	else if (!strcmp(name, "size"))
		snprintf(text, RULE_WORD_SIZE, "%" PRIu64, c->size);
	else if (!strcmp(name, "acknowledged"))
		snprintf(text, RULE_WORD_SIZE, "%" PRIu64 " message%s",
			 c->acknowledged, c->acknowledged == 1 ? "" : "s");
	else if (!strcmp(name, "pkey"))
		snprintf(text, RULE_WORD_SIZE, "0x%04x", c->pkey);
	else if (!strcmp(name, "ack-time"))
		snprintf(text, RULE_WORD_SIZE, "%.3g ms",
			 ACK_UNIT * (double)(1ULL << c->plan->qp_timeout));
	else if (!strcmp(name, "longer"))
		snprintf(text, RULE_WORD_SIZE, "%u", longer(c->plan));
	else if (!strcmp(name, "own-reason"))
		snprintf(text, RULE_WORD_SIZE, "%s", own_reason(c));
	else if (!strcmp(name, "port-state") && c->signs)
		snprintf(text, RULE_WORD_SIZE, "%s",
			 port_state_word(c->signs->port_state));
	else if (!strcmp(name, "mtu-now") && c->signs)
		snprintf(text, RULE_WORD_SIZE, "%u", c->signs->mtu_now);
	else if (!strcmp(name, "patience"))
		put_patience(c->plan, text);
	else if (!strcmp(name, "lids"))
		put_lids(c, text);
	else if (!strcmp(name, "gids"))
		put_gids(c, text);
	else
		return rule_word_of_plan(c->plan, name, text);
	return true;
}

void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size)
{
	rule_expand(template, put_word, c, text, size);
}
