/* What a look at a port and at the network interface behind it shows. */
#ifndef WATCH_LOOK_H
#define WATCH_LOOK_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define LOOK_TEXT_SIZE 24

/* X(name, key in the JSON, words and unit for people, is a number) */
#define LOOK_LIST(X) \
	X(STATE, "state", "state", "", false) \
	X(PHYSICAL, "physical_state", "physical state", "", false) \
	X(MTU, "mtu", "MTU", "", true) \
	X(RATE, "rate_gbps", "rate", " Gb/s", true) \
	X(LID, "lid", "LID", "", true) \
	X(SM_LID, "sm_lid", "SM LID", "", true) \
	X(INTERFACE, "interface", "interface", "", false) \
	X(LINK, "link", "link", "", false) \
	X(LINK_MTU, "link_mtu", "link MTU", "", true) \
	X(LINK_DOWNS, "link_downs", "link downs", "", true)

enum look_field {
#define X(name, key, words, unit, number) LOOK_##name,
	LOOK_LIST(X)
#undef X
	LOOKS,
};

/* Each field as text; "": unknown, or the port has none. */
struct look {
	char text[LOOKS][LOOK_TEXT_SIZE];
};

/* The key of FIELD, and whether its text is a number. */
const char *look_key(enum look_field field);
bool look_is_number(enum look_field field);

/* What FIELD is called in a sentence, and what follows its value there. */
const char *look_words(enum look_field field);
const char *look_unit(enum look_field field);

/*
 * Look at port NUMBER of CONTEXT.  LOOK is what the last look showed, or empty,
 * and becomes what this one shows.  Returns 0, or a negative errno with LOOK as
 * it was.
 */
int look_read(struct ibv_context *context, uint8_t number, struct look *look);

/* Does any field of A differ from B? */
bool look_differs(const struct look *a, const struct look *b);

#endif
