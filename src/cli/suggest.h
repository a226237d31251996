/* Guesses what the user meant by an unknown name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the advice texts made here, for a struct error. */
#define ADVICE_SIZE 160

/* Number of insertions, deletions, replacements and swaps of neighbours that
 * turn A into B.  Both have at most 63 characters, else UINT32_MAX. */
uint32_t suggest_distance(const char *a, const char *b);

/*
 * Advice for the unknown option NAME (without dashes): the option it misspells,
 * this program's counterpart of perftest's option, or "see --help".  Returns
 * ADVICE or a constant.
 */
const char *suggest_option(const char *name, char advice[ADVICE_SIZE]);

/* Likewise for a LETTER after one dash. */
const char *suggest_letter(char letter, char advice[ADVICE_SIZE]);

/* Likewise for the unknown option NAME of one of perftest's programs, where all
 * of perftest's names are known. */
const char *suggest_perftest(const char *name, char advice[ADVICE_SIZE]);

/* What a user may have meant by the option NAME, or a letter, that only other
 * programs have.  NULL: nothing known. */
const char *suggest_strange(const char *name);

/* What a user who gives the option NAME a wrong value, or none, may have meant
 * by it.  NULL: just that. */
const char *suggest_meaning(const char *name);

/* Write into ADVICE which tests or commands WORD is a part of, or misspells.
 * Returns false when it resembles none. */
bool suggest_command(const char *word, char advice[ADVICE_SIZE]);
