#include "config.h"
#include "traffic/op.h"

#include <string.h>

enum op op_choose(enum op op, bool imm, enum atomic_type type)
{
	enum op_variant wanted = imm ? HAS_IMM : PLAIN;

	if (op_is_atomic(op))
		wanted = type == ATOMIC_CMP_AND_SWAP ? SWAPS : ADDS;
	for (int o = 0; o < OP_COUNT; o++)
		if (op_table[o].variant == wanted &&
		    !strcmp(op_table[o].name, op_table[op].name))
			return (enum op)o;
	return op;
}
