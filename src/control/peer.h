/* What a test of the control path sends to its server, and receives from it.
 * Functions that return int return 0, or a negative errno set in the error of
 * thread T. */
#pragma once

#include "control/link.h"
#include "control/op.h"
#include "model/endpoint.h"
#include "net/wire.h"

/* The shared part of all connections of T's end, for link_open(). */
struct link_end peer_link_end(const struct control_thread *t);

/* The server did not answer in time, over TCP or through the manager, or broke
 * the protocol: what is left is undone without it.  Returns RET. */
int peer_is_lost(struct control_thread *t, int ret);

/* Fail if the server was lost before: each wait could be as long as that
 * one. */
int peer_check(struct control_thread *t);

/* Send FRAME and free it, unless the server is lost. */
int peer_send(struct control_thread *t, struct frame frame);

/* Receive the answer, of TYPE, within --timeout.  REFUSE is the server's error,
 * and not the end of the dialogue; any other failure is. */
int peer_receive(struct control_thread *t, enum frame_type type,
		 struct frame *frame);

/* Receive what the server sends while no answer is due: an error, or the end of
 * the connection. */
int peer_receive_trouble(struct control_thread *t);

/* Exchange ENDPOINTs of one queue pair.  THEIRS becomes the server's, without
 * qps, and QP its queue pair. */
int peer_exchange(struct control_thread *t, const struct endpoint *mine,
		  struct endpoint_qp *qp, struct endpoint *theirs);

/* PART is over.  TOOK ns of it, which the server's calls took, are the part
 * SERVER. */
void peer_lap(struct control_thread *t, uint32_t part, uint32_t server,
	      uint64_t took);
