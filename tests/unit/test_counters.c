/* What counters mean, by how much they rose, and which are shown. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "model/counters.h"

static const struct counter_row *known(const char *name)
{
	const struct counter_row *row = counter_row(name);

	if (!row)
		fail_msg("'%s' is not in the table", name);
	return row;
}

TEST(test_names_of_all_drivers)
{
	static const struct {
		const char *name;
		enum counter_kind kind;
		const char *meaning;	/* part of it */
	} rows[] = {
		{ "local_ack_timeout_err", COUNTER_TROUBLE, "sent again" },
		{ "to_retransmits", COUNTER_TROUBLE, "sent again" },
		{ "RTO", COUNTER_TROUBLE, "sent again" },
		{ "retrans_timeout_events", COUNTER_TROUBLE, "sent again" },
		{ "completer_retry_err", COUNTER_TROUBLE, "sent again" },
		{ "packet_seq_err", COUNTER_TROUBLE, "NAK" },
		{ "Nak Sequence Error", COUNTER_TROUBLE, "NAK" },
		{ "Nak Sequence Error Implied", COUNTER_TROUBLE, "responses" },
		{ "out_of_sequence", COUNTER_TROUBLE, "out of sequence" },
		{ "out_of_seq_request", COUNTER_TROUBLE, "out of sequence" },
		{ "rcvd_rnr_err", COUNTER_TROUBLE, "RNR NAK" },
		{ "rnr_nak_retry_err", COUNTER_TROUBLE, "RNR NAK" },
		{ "send_rnr_err", COUNTER_TROUBLE, "no receive" },
		{ "ethtool.rx_out_of_buffer", COUNTER_TROUBLE, "no receive" },
		{ "np_ecn_marked_roce_packets", COUNTER_CONGESTION, "ECN" },
		{ "RxECNMrkd", COUNTER_CONGESTION, "ECN" },
		{ "np_cnp_sent", COUNTER_CONGESTION, "CNP" },
		{ "cnpHandled", COUNTER_CONGESTION, "CNP" },
		{ "tx_cnp_pkt", COUNTER_CONGESTION, "CNP" },
		{ "ethtool.rx_prio3_pause", COUNTER_CONGESTION, "arrived" },
		{ "ethtool.rx_pfc_ena_frames_pri7", COUNTER_CONGESTION,
		  "arrived" },
		{ "ethtool.tx_priority_12_xoff.nic", COUNTER_CONGESTION,
		  "sent" },
		{ "ethtool.mac_tx_pfc_pri0_pkt_num", COUNTER_CONGESTION,
		  "sent" },
		{ "ethtool.rx_prio3_pause_duration", COUNTER_CONGESTION, "us" },
		{ "rx_drops", COUNTER_TROUBLE, "dropped" },
		{ "tx_bps_limit_drop_cnt", COUNTER_TROUBLE, "rate limit" },
		{ "ethtool.brb_discards", COUNTER_TROUBLE, "dropped" },
		{ "netdev.rx_crc_errors", COUNTER_TROUBLE, "damaged" },
		{ "symbol_error", COUNTER_TROUBLE, "damaged" },
		{ "link_downed", COUNTER_TROUBLE, "link" },
		{ "port_xmit_wait", COUNTER_CONGESTION, "credits" },
		{ "rx_icrc_encapsulated", COUNTER_TROUBLE, "ICRC" },
		{ "req_cqe_error", COUNTER_TROUBLE, "error" },
		{ "res_rx_range_err", COUNTER_TROUBLE, "refused" },
		{ "rx_err_pkt", COUNTER_TROUBLE, "errors" },
		{ "tx_rdma_ack_timeout", COUNTER_TROUBLE, "sent again" },
		{ "tx_rdma_retx_bytes", COUNTER_TROUBLE, "bytes" },
		{ "req_rx_dup_response", COUNTER_TROUBLE, "twice" },
		{ "resp_rx_outof_buf", COUNTER_TROUBLE, "no receive" },
		{ "resp_rx_outouf_seq", COUNTER_TROUBLE, "out of sequence" },
		{ "rx_rdma_mtu_discard_pkts", COUNTER_TROUBLE, "MTU" },
		{ "ethtool.rx_pripause_3_1us_count", COUNTER_CONGESTION,
		  "us" },
		{ "ethtool.frames_tx_pause", COUNTER_CONGESTION, "sent" },
		{ "requester_timeout", COUNTER_TROUBLE, "sent again" },
		{ "responder_oos", COUNTER_TROUBLE, "out of sequence" },
		{ "received_ecns", COUNTER_CONGESTION, "ECN" },
		{ "qp_congested_events", COUNTER_CONGESTION, "slowed" },
		{ "rx_rdma_ucast_bytes", COUNTER_TRAFFIC, "bytes" },
		{ "tx_rdma_ucast_pkts", COUNTER_TRAFFIC, "packets" },
		{ "sent_pkts", COUNTER_TRAFFIC, "packets" },
		{ "port_rcv_data", COUNTER_TRAFFIC, "4-byte words" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct counter_row *row = known(rows[i].name);

		if (row->kind != rows[i].kind)
			fail_msg("%s is of %s", rows[i].name,
				 counter_kind_names[row->kind]);
		assert_contains(row->meaning, rows[i].meaning);
	}
}

TEST(test_names_that_mean_nothing)
{
	static const char *const names[] = {
		"", "ack_deferred", "active_qps", "netdev.multicast",
		"rx_prio3_pause", "ethtool.rx_prio_pause",
		"ethtool.rx_prio3x_pause", "ethtool.rx_prio3_paus",
		"ethtool.rx_prio3_pause_", "RTO|", "RNR sent|ethtool",
		"current_rate", "rx_write_requests", "ethtool.rx_new_err",
		/* some drivers count broadcasts in it */
		"recoverable_errors",
		/* of queue pairs that are destroyed */
		"req_cqe_flush_error", "resp_rx_cqe_flush",
		/* also packets of protocols that nobody wants */
		"netdev.rx_dropped",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (counter_row(names[i]))
			fail_msg("'%s' is in the table", names[i]);
}

/* A counter that no row knows is shown by its name, if that says what it is. */
TEST(test_unknown_trouble)
{
	static const char *const names[] = {
		"local_ack_timeout_err2", "new_firmware_errors", "rx_oos_pkts",
		"some_drops", "tx_retx_2", "Out of order NAK",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct counter_row *row = known(names[i]);

		assert_int_equal(row->kind, COUNTER_TROUBLE);
		assert_contains(row->meaning, "no more is known");
		assert_true(row < counter_table ||
			    row >= counter_table + counter_row_count);
	}
}

/* Each row has a sentence, and no name is in two rows. */
TEST(test_every_row)
{
	char name[200];

	for (size_t i = 0; i < counter_row_count; i++) {
		const struct counter_row *row = &counter_table[i];

		assert_true(*row->meaning);
		assert_true(row->kind == COUNTER_TRAFFIC || *row->advice);
		assert_true(row->bits < 64);
		for (const char *p = row->names; *p;) {
			size_t n = strcspn(p, "|");

			assert_true(n && n < sizeof(name));
			memcpy(name, p, n);
			name[n] = '\0';
			for (char *c = name; *c; c++)
				*c = *c == '#' || *c == '*' ? '1' : *c;
			assert_true(counter_name_is_valid(name));
			if (counter_row(name) != row)
				fail_msg("'%s' is in another row", name);
			p += n + (p[n] == '|');
		}
	}
}

/* "12", or "-" for what is not known. */
static struct counter reading(const char *name, const char *text)
{
	struct counter counter = { .known = strcmp(text, "-") != 0 };

	strcpy(counter.name, name);
	if (counter.known)
		counter.value = strtoull(text, NULL, 10);
	return counter;
}

TEST(test_rises)
{
	static const struct {
		const char *name, *before, *after, *rise;
	} rows[] = {
		{ "any", "7", "7", "0" },
		{ "any", "7", "12", "5" },
		{ "any", "12", "7", "-" },
		{ "any", "7", "0", "-" },
		{ "any", "4294967295", "3", "-" },
		{ "any", "-", "12", "-" },
		{ "any", "12", "-", "-" },
		{ "any", "-", "-", "-" },
		{ "any", "0", "1152921504606846976", "1152921504606846976" },
		{ "any", "0", "1152921504606846977", "-" },
		{ "any", "18446744073709551615", "18446744073709551615", "-" },
		/* it stops at its largest value */
		{ "symbol_error", "65535", "65535", "-" },
		{ "symbol_error", "65530", "65535", "5" },
		{ "symbol_error", "65534", "65534", "0" },
		{ "link_downed", "255", "255", "-" },
		{ "local_link_integrity_errors", "15", "15", "-" },
		{ "port_xmit_wait", "4294967295", "4294967295", "-" },
		{ "port_rcv_packets", "65535", "65535", "0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct counter before = reading(rows[i].name, rows[i].before);
		struct counter after = reading(rows[i].name, rows[i].after);
		struct counter due = reading(rows[i].name, rows[i].rise);
		struct counter rise = counter_rise(&before, &after);

		if (rise.known != due.known || rise.value != due.value)
			fail_msg("%s from %s to %s", rows[i].name,
				 rows[i].before, rows[i].after);
		assert_string_equal(rise.name, rows[i].name);
	}
}

TEST(test_find)
{
	struct counter list[] = {
		{ "a", true, 1 }, { "b", true, 2 }, { "d", false, 0 },
	};
	struct counters counters = { 5, 3, list }, none = { 0 };

	assert_int_equal(counters_find(&counters, "b")->value, 2);
	assert_false(counters_find(&counters, "d")->known);
	assert_null(counters_find(&counters, "c"));
	assert_null(counters_find(&counters, ""));
	assert_null(counters_find(&none, "a"));
}

TEST(test_choices)
{
	static const struct {
		const char *text;
		enum counter_scope read;
		const char *shown, *hidden;
	} rows[] = {
		{ "interest", COUNTERS_INTEREST, "link_downed", "rdma_sends" },
		{ "all", COUNTERS_ALL, "rdma_sends", NULL },
		{ "none", COUNTERS_NONE, NULL, "link_downed" },
		{ "rdma_sends", COUNTERS_ALL, "rdma_sends", "link_downed" },
		{ "rdma_sends,link_downed", COUNTERS_ALL, "link_downed",
		  "rdma_send" },
		{ "RNR sent,RTO", COUNTERS_ALL, "RNR sent", "RNR" },
		{ "counters/link_downed", COUNTERS_ALL, "link_downed",
		  "counters/link_downed" },
		{ "hw_counters/rdma_sends,all", COUNTERS_ALL, "rdma_sends",
		  "link_downed" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct counter_choice choice = { 0 };

		assert_int_equal(counter_choice_parse(rows[i].text, &choice),
				 0);
		assert_int_equal(choice.read, rows[i].read);
		if (rows[i].shown)
			assert_true(counter_is_shown(&choice, rows[i].shown));
		if (rows[i].hidden)
			assert_false(counter_is_shown(&choice,
						      rows[i].hidden));
	}
}

TEST(test_choices_that_are_none)
{
	static const char *const texts[] = {
		"", ",", "a,", ",a", "a,,b", "counters/", "a\tb", "\xc3\xa4",
		("a23456789012345678901234567890123456789012345678901234567890"
		 "1234"),
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct counter_choice choice = { 0 };

		if (counter_choice_parse(texts[i], &choice) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
		assert_null(choice.names);
	}
}

TEST(test_limits)
{
	struct counter_limits limits = { 0 };

	assert_int_equal(counter_limits_parse("a=1", &limits), 0);
	assert_int_equal(counter_limits_parse("a=1M", &limits), 0);
	assert_int_equal(limits.list[0].most, 1000000);
	assert_int_equal(counter_limits_parse("a=1", &limits), 0);
	assert_int_equal(counter_limits_parse("RNR sent=0,counters/b=7,a=3",
					      &limits), 0);
	assert_int_equal(limits.n, 3);
	assert_string_equal(limits.list[0].name, "a");
	assert_int_equal(limits.list[0].most, 3);
	assert_string_equal(limits.list[1].name, "RNR sent");
	assert_int_equal(limits.list[1].most, 0);
	assert_string_equal(limits.list[2].name, "b");
	assert_int_equal(limits.list[2].most, 7);
}

TEST(test_limits_that_are_none)
{
	static const char *const texts[] = {
		"", "a", "a=", "=1", "a=-1", "a=1.5", "a=x", "a=1,", ",a=1",
		"a=1152921504606846977", "a=123456789012345678901234567890",
		"a=1,b", "a,b=1", "a=1=2",
	};
	struct counter_limits limits = { 0 };
	char text[20];

	for (size_t i = 0; i < COUNT(texts); i++)
		if (counter_limits_parse(texts[i], &limits) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
	limits.n = 0;
	for (int i = 0; i < COUNTER_LIMITS_MAX; i++) {
		snprintf(text, sizeof(text), "n%d=1", i);
		assert_int_equal(counter_limits_parse(text, &limits), 0);
	}
	assert_int_equal(counter_limits_parse("one_more=1", &limits), -E2BIG);
	assert_int_equal(counter_limits_parse("n5=2", &limits), 0);
	assert_int_equal(limits.list[5].most, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names_of_all_drivers),
	cmocka_unit_test(test_names_that_mean_nothing),
	cmocka_unit_test(test_unknown_trouble),
		cmocka_unit_test(test_every_row),
	cmocka_unit_test(test_rises),
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_choices),
	cmocka_unit_test(test_choices_that_are_none),
	cmocka_unit_test(test_limits),
	cmocka_unit_test(test_limits_that_are_none),
};

TEST_MAIN(tests, 10)
