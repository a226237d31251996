/* What somebody meant who wrote a name that there is not. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stdbool.h>
#include <stdint.h>

/* Of text made here: advice for a struct error. */
#define ADVICE_SIZE 160

/* How many characters of A must be inserted, removed, replaced or swapped with
 * their neighbour to make B of it; both of at most 63 characters, else
 * UINT32_MAX. */
uint32_t suggest_distance(const char *a, const char *b);

/*
 * Which option of this program NAME, without its dashes, is a misspelling of,
 * or what is written here for perftest's option of that name; else to see
 * --help.  Returns ADVICE, or a constant.
 */
const char *suggest_option(const char *name, char advice[ADVICE_SIZE]);

/* The same for a LETTER after one dash. */
const char *suggest_letter(char letter, char advice[ADVICE_SIZE]);

/* Which of WORDS, that have blanks between them, WORD is a misspelling of, into
 * ADVICE.  False when it seems to be none. */
bool suggest_command(const char *word, const char *words,
		     char advice[ADVICE_SIZE]);

#endif
