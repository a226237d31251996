/* The server's half of the dialogue. */
#ifndef SESSION_SERVER_H
#define SESSION_SERVER_H

#include "session/dialogue.h"

/* The server's steps, in order, up to a NULL. */
extern session_step *const server_steps[];

#endif
