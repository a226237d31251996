/* The tables of operations and transports. */
#include "config.h"
#include "traffic/op.h"

#include <string.h>

enum op op_choose(enum op op, bool imm, enum atomic_type type)
{
	for (int o = 0; o < OP_COUNT; o++)
		if (!strcmp(op_table[o].name, op_table[op].name) &&
		    (op_is_atomic(op) ? op_table[o].atomic == type :
					op_table[o].imm == imm))
			return (enum op)o;
	return op;
}
