/*
 * Makes text that comes from elsewhere harmless: names of hosts, devices and
 * firmware, what a peer, a kernel or a user's title says.  Each function is for
 * a form of output, works in place, and returns TEXT, which gets no longer.
 */
#pragma once

#include <stdbool.h>

/*
 * For terminals and files that people read.  Every character that could do
 * something there becomes '?': control characters of ASCII (ESC, BEL,
 * DEL) and of Unicode (U+0080 to U+009F, also as single bytes), those that turn
 * the direction of what follows (U+202E and others), separators of lines, and
 * what is not UTF-8.  Tabs and line ends stay.
 */
char *plain_text(char *text);

/* The same for a single line: what would end it becomes a space. */
char *plain_line(char *text);

/* The same for a value of JSON, which writes control characters of ASCII but
 * DEL as \u001b: they stay. */
char *plain_json(char *text);

/* Would a spreadsheet take TEXT, which is no number, for a formula? */
bool plain_is_formula(const char *text);
