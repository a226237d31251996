/* Data centre bridging of a network interface, as dcbnl of the kernel has it:
 * priority flow control, and what a packet's priority is made of.  The four
 * attributes that are wanted are read here, without a library for netlink. */
#include "config.h"
#include "host/netdev.h"

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "host/facts.h"

/* The attribute of TYPE among SIZE bytes of attributes at FIRST; NULL: none. */
static const struct rtattr *find(const struct rtattr *first, size_t size,
				 unsigned int type)
{
	for (const struct rtattr *at = first; RTA_OK(at, size);
	     at = RTA_NEXT(at, size))
		if ((at->rta_type & NLA_TYPE_MASK) == type)
			return at;
	return NULL;
}

static void read_pfc(const struct rtattr *attribute, struct dcb *dcb)
{
	struct ieee_pfc pfc;

	if (RTA_PAYLOAD(attribute) < sizeof(pfc))
		return;
	memcpy(&pfc, RTA_DATA(attribute), sizeof(pfc));
	dcb->has_pfc = true;
	dcb->pfc = pfc.pfc_en;
}

static void read_entry(const struct rtattr *attribute, struct dcb *dcb)
{
	struct dcb_app app;

	if ((attribute->rta_type & NLA_TYPE_MASK) != DCB_ATTR_IEEE_APP ||
	    RTA_PAYLOAD(attribute) < sizeof(app))
		return;
	memcpy(&app, RTA_DATA(attribute), sizeof(app));
	if (app.selector != IEEE_8021QAZ_APP_SEL_DSCP ||
	    app.protocol >= DCB_DSCPS || app.priority > 7)
		return;
	dcb->trusts_dscp = true;
	dcb->priority[app.protocol] = app.priority;
}

static void read_table(const struct rtattr *table, struct dcb *dcb)
{
	size_t left = RTA_PAYLOAD(table);

	for (const struct rtattr *at = RTA_DATA(table); RTA_OK(at, left);
	     at = RTA_NEXT(at, left))
		read_entry(at, dcb);
}

void dcb_read(const void *reply, size_t size, struct dcb *dcb)
{
	const struct nlmsghdr *header = reply;
	const size_t head = NLMSG_SPACE(sizeof(struct dcbmsg));
	const struct rtattr *ieee, *found;

	memset(dcb, 0, sizeof(*dcb));
	if (size < head || header->nlmsg_len > size ||
	    header->nlmsg_len < head || header->nlmsg_type != RTM_GETDCB)
		return;
	ieee = find((const struct rtattr *)((const char *)reply + head),
		    header->nlmsg_len - head, DCB_ATTR_IEEE);
	if (!ieee)
		return;
	found = find(RTA_DATA(ieee), RTA_PAYLOAD(ieee), DCB_ATTR_IEEE_PFC);
	if (found)
		read_pfc(found, dcb);
	found = find(RTA_DATA(ieee), RTA_PAYLOAD(ieee),
		     DCB_ATTR_IEEE_APP_TABLE);
	if (found)
		read_table(found, dcb);
}

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
	long size = dcb_query(netdev, reply);
	struct dcb dcb;

	if (size < 0)
		return;
	dcb_read(reply, (size_t)size, &dcb);
	if (!dcb.has_pfc)
		return;
	note_pfc(&dcb, facts);
	note_priorities(&dcb, facts);
}
