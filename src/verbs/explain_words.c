#include "config.h"
#include "verbs/explain_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD_SIZE 256
/* ms; an acknowledge timeout is 4.096 us x 2^N. */
#define ACK_UNIT 4.096e-3
/* N of about a second, and the largest N. */
#define PATIENT_TIMEOUT 18
#define LONGEST_TIMEOUT 31

/* Numbers of the plan, under the names of their options. */
static const struct {
	const char *word;
	size_t offset;		/* of a uint32_t in struct plan */
} numbers[] = {
	{ "qps", offsetof(struct plan, qps) },
	{ "mtu", offsetof(struct plan, mtu) },
	{ "rx-depth", offsetof(struct plan, rx_depth) },
	{ "rnr-retry", offsetof(struct plan, rnr_retry) },
	{ "min-rnr-timer", offsetof(struct plan, min_rnr_timer) },
	{ "retry-count", offsetof(struct plan, retry_count) },
	{ "qp-timeout", offsetof(struct plan, qp_timeout) },
	{ "outstanding-reads", offsetof(struct plan, outstanding_reads) },
	{ "sl", offsetof(struct plan, sl) },
};

static void put_peer(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "%s", c->peer);
}

static void put_op(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "%s", op_table[c->plan->op].name);
}

static void put_size(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "%" PRIu64, c->size);
}

static void put_acknowledged(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "%" PRIu64 " message%s", c->acknowledged,
		 c->acknowledged == 1 ? "" : "s");
}

static void put_pkey(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "0x%04x", c->pkey);
}

static void put_ack_time(const struct explain_context *c, char *text)
{
	snprintf(text, WORD_SIZE, "%.3g ms",
		 ACK_UNIT * (double)(1ULL << c->plan->qp_timeout));
}

/* Suggest an acknowledge timeout for slower links. */
static void put_longer(const struct explain_context *c, char *text)
{
	uint32_t n = c->plan->qp_timeout + 2;

	n = n < PATIENT_TIMEOUT ? PATIENT_TIMEOUT : n;
	snprintf(text, WORD_SIZE, "%u",
		 n < LONGEST_TIMEOUT ? n : LONGEST_TIMEOUT);
}

static void put_lids(const struct explain_context *c, char *text)
{
	if (c->path)
		snprintf(text, WORD_SIZE, "from LID %u to LID %u", c->lid,
			 c->path->dlid);
	else
		snprintf(text, WORD_SIZE, "from LID %u", c->lid);
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
	char local[GID_TEXT_SIZE], remote[GID_TEXT_SIZE];
	const struct path *path = c->path;

	if (!path || !path->global) {
		put_lids(c, text);
		return;
	}
	snprintf(text, WORD_SIZE, "from GID %u %s (%s) to GID %u %s (%s)%s",
		 path->local.index, gid_format(&path->local.raw, local),
		 gid_type_name(path->local.type), path->remote.index,
		 gid_format(&path->remote.raw, remote),
		 gid_type_name(path->remote.type), oddity(path));
}

static const struct {
	const char *word;
	void (*put)(const struct explain_context *c, char *text);
} others[] = {
	{ "peer", put_peer },
	{ "op", put_op },
	{ "size", put_size },
	{ "acknowledged", put_acknowledged },
	{ "pkey", put_pkey },
	{ "ack-time", put_ack_time },
	{ "longer", put_longer },
	{ "lids", put_lids },
	{ "gids", put_gids },
};

static bool is_word(const char *word, const char *name, size_t length)
{
	return strlen(word) == length && !strncmp(word, name, length);
}

/* Write the value of word NAME into TEXT; false when the word is unknown. */
static bool put_word(const char *name, size_t length,
		     const struct explain_context *c, char *text)
{
	const char *plan = (const char *)c->plan;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (is_word(numbers[i].word, name, length)) {
			snprintf(text, WORD_SIZE, "%u",
				 *(const uint32_t *)(plan +
						     numbers[i].offset));
			return true;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (is_word(others[i].word, name, length)) {
			others[i].put(c, text);
			return true;
		}
	return false;
}

void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size)
{
	char word[WORD_SIZE];
	size_t used = 0;

	while (*template && used + 1 < size) {
		size_t length = strcspn(template + 1, "}");
		int n;

		if (*template != '{' || !template[1 + length] ||
		    !put_word(template + 1, length, c, word)) {
			text[used++] = *template++;
			continue;
		}
		n = snprintf(text + used, size - used, "%s", word);
		used += (size_t)n < size - used ? (size_t)n : size - used - 1;
		template += length + 2;
	}
	text[used] = '\0';
}
