/* The facts of data centre bridging. */
#include "config.h"
#include "host/facts_of.h"

#include <stdio.h>

#include "base/list.h"
#include "host/dcb.h"

static void note_pfc(const struct dcb *dcb, struct facts *facts)
{
	char list[FACT_TEXT_SIZE] = "", word[8];

	for (unsigned int i = 0; i < 8; i++) {
		snprintf(word, sizeof(word), "%u", i);
		if (dcb->pfc >> i & 1)
			list_add(list, sizeof(list), word);
	}
	facts_set_text(facts, FACT_PFC, list[0] ? list : "none");
}

static void note_priorities(const struct dcb *dcb, struct facts *facts)
{
	char digits[DCB_DSCPS + 1] = "";

	facts_set_text(facts, FACT_PRIORITY_TRUST,
		       dcb->trusts_dscp ? "dscp" : "pcp");
	if (!dcb->trusts_dscp)
		return;
	for (int i = 0; i < DCB_DSCPS; i++)
		digits[i] = (char)('0' + dcb->priority[i]);
	facts_set_text(facts, FACT_DSCP_PRIORITIES, digits);
}

void facts_of_dcb(const char *netdev, struct facts *facts)
{
	_Alignas(8) char reply[DCB_REPLY_SIZE];
	long size = dcb_ask(netdev, reply);
	struct dcb dcb;

	if (size < 0)
		return;
	dcb_read(reply, (size_t)size, &dcb);
	if (!dcb.has_pfc)
		return;
	note_pfc(&dcb, facts);
	note_priorities(&dcb, facts);
}
