/*
 * One end of a session, on the fake NIC, against a peer whose every word is
 * written before it begins.  Time runs fast in it.
 *
 * An input is four bytes that say how the device is (dialogue.c) and which
 * test a client runs, then records: u8 type, u16 length and as many bytes.  A
 * record becomes the frame of that type; with the top bit of the type set it is
 * sent as it is, with no header.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/param.h"

#define DIALOGUE_SETTINGS 4
#define DIALOGUE_RAW 0x80
/* Every random byte of the session. */
#define DIALOGUE_RANDOM 0x72

/* Bits of the first byte of an input. */
enum {
	DIALOGUE_BUILDERS = 1,	/* queue pairs have ibv_wr_start(3) */
	DIALOGUE_ODP = 2,	/* and memory need not be pinned */
	DIALOGUE_INFINIBAND = 4,
	DIALOGUE_LOSES = 8,	/* every other datagram */
	DIALOGUE_STRAY = 16,	/* a packet of zeros comes: a challenge */
};

/*
 * Run one end over the input of SIZE bytes at DATA: a client, or a server; with
 * PARAMS.  What it allocates it must free, and it must say why when it fails.
 */
void dialogue_run(const uint8_t *data, size_t size, bool client,
		  const struct parameters *params);
