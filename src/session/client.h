/* The client's half of the dialogue. */
#ifndef SESSION_CLIENT_H
#define SESSION_CLIENT_H

#include "session/dialogue.h"

/* The client's steps, in order, up to a NULL. */
extern session_step *const client_steps[];

#endif
