/*
 * Link-time fakes of the functions of librdmacm that the program calls: a
 * manager that connects both ends in one process, and does wrong what the test
 * wants.  They come with the fake verbs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fake_rdmacm {
	/* set by the test */
	uint32_t fail_call;	/* this call, from 1, fails */
	int errnum;		/* with that */
	uint32_t spoil_event;	/* instead of this event, from 1, comes */
	int type;		/* an enum rdma_cm_event_type */
	int status;		/* with that */
	uint32_t lose_event;	/* this event does not come */
	uint32_t strangers;	/* so many other requests precede the first */
	uint32_t stranger_bytes;	/* of private data in each */
	uint32_t beyond;	/* one of the session for this queue pair, which
				 * there is not, precedes each; 0: none */
	bool twice;		/* each request comes twice */
	bool wrong_answer;	/* who accepts does not know the token */
	bool wrong_index;	/* or answers another request */
	uint32_t took_byte;	/* counts too much time: 0xff in this byte,
				 * from 1, from the lowest; 0: no */
	bool wrong_qpn;		/* another queue pair is found */
	uint32_t sgid_index;	/* of all address vectors; 0: the first GID */
	const char *device;	/* that leads to all addresses; NULL: fake0 */
	uint16_t pkey_index;
	bool no_send_only;	/* nobody can join a group only to send */
	bool no_ipv6;		/* nor any group of IPv6 */
	bool refuse_send_only;	/* likewise, but the subnet manager says so */
	uint32_t qkey;		/* of all groups; 0: that of librdmacm */
	uint32_t slow_ms;	/* what a full member's call to join takes */
	uint64_t *hurry;	/* becomes a second when the client looks for an
				 * address, in its thread */
	/* to be read */
	uint32_t calls;
	uint32_t events;	/* that were made */
	uint32_t accepted;
	uint32_t rejected;
	uint32_t established;
	uint32_t joined;	/* as a full member */
	uint32_t joined_to_send;
	uint8_t tos;		/* the latest that was set */
	uint16_t family;	/* of the latest address called */
	/* alive: */
	uint32_t channels, ids, unacked;
	uint32_t most_ids;	/* at once */
	uint32_t members;	/* of groups */
	uint32_t misuses;	/* destroyed too early, ... */
};

extern struct fake_rdmacm fake_rdmacm;

/* A manager that does all well. */
void fake_rdmacm_reset(void);

/* Nothing is left, and nothing was misused. */
bool fake_rdmacm_is_clean(void);
