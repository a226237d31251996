/* What the fuzzers share: libFuzzer's entry, and what must hold. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Called by libFuzzer, which has main(), with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding, when CONDITION is false. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
				__LINE__, #condition); \
			abort(); \
		} \
	} while (0)
