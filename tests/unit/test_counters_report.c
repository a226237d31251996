/* Counters in JSON, in the table for people and in perftest's. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "base/xalloc.h"
#include "json_checks.h"
#include "model/counters.h"
#include "report/parts.h"
#include "report/report.h"
#include "results.h"

struct one {
	const char *name;
	int64_t value;		/* -1: not known */
};

static void set(struct counters *counters, const struct one *list, uint32_t n)
{
	counters_free(counters);
	counters->ns = 1500000000;
	counters->n = n;
	counters->list = xcalloc(n, sizeof(*counters->list));
	for (uint32_t i = 0; i < n; i++) {
		strcpy(counters->list[i].name, list[i].name);
		counters->list[i].known = list[i].value >= 0;
		if (list[i].value >= 0)
			counters->list[i].value = (uint64_t)list[i].value;
	}
}

static const struct one clients[] = {
	{ "completer_retry_err", 153 },
	{ "link_downed", -1 },
	{ "np_cnp_sent", 7 },
	{ "rdma_sends", 1000 },
	{ "sent_pkts", 2000 },
};
static const struct one servers[] = {
	{ "completer_retry_err", 0 },
	{ "out_of_seq_request", 99 },
	{ "rdma_sends", 0 },
};

static struct result *make(const char *choice)
{
	struct result *r = result_bandwidth();

	assert_int_equal(counter_choice_parse(choice,
					      &r->params.plan.counters), 0);
	set(&r->rows[0].at[1].counters, clients, COUNT(clients));
	set(&r->rows[0].at[0].counters, servers, COUNT(servers));
	return r;
}

static json_t *json_of(struct result *r)
{
	json_t *root = json_pack("{s:o}", "counters",
				 counters_json(&r->params, &r->rows[0]));

	result_free(r);
	assert_non_null(root);
	return root;
}

TEST(test_json_of_interest)
{
	json_t *root = json_of(make("interest"));

	check_number(root, "counters.client.seconds", 1.5);
	check_keys(root, "counters.client.values",
		   "completer_retry_err link_downed np_cnp_sent sent_pkts");
	check_number(root, "counters.client.values.completer_retry_err", 153);
	check_null(root, "counters.client.values.link_downed");
	check_keys(root, "counters.server.values",
		   "completer_retry_err out_of_seq_request");
	assert_int_equal(json_array_size(at(root, "counters.rose")), 3);
	check_string(root, "counters.rose.0.end", "client");
	check_string(root, "counters.rose.0.counter", "completer_retry_err");
	check_number(root, "counters.rose.0.value", 153);
	check_string(root, "counters.rose.0.kind", "trouble");
	check_string(root, "counters.rose.0.meaning",
		     "packets were sent again");
	check_string(root, "counters.rose.1.kind", "congestion");
	check_string(root, "counters.rose.2.end", "server");
	check_number(root, "counters.rose.2.value", 99);
	json_decref(root);
}

TEST(test_json_of_others)
{
	json_t *root = json_of(make("all"));
	struct result *r;

	check_keys(root, "counters.client.values",
		   "completer_retry_err link_downed np_cnp_sent rdma_sends "
		   "sent_pkts");
	json_decref(root);
	root = json_of(make("sent_pkts,counters/nothing"));
	check_keys(root, "counters.client.values", "sent_pkts nothing");
	check_null(root, "counters.client.values.nothing");
	check_null(root, "counters.server.values.sent_pkts");
	assert_int_equal(json_array_size(at(root, "counters.rose")), 3);
	json_decref(root);
	root = json_of(make("none"));
	check_null(root, "counters");
	json_decref(root);
	r = make("interest");
	counters_free(&r->rows[0].at[0].counters);
	root = json_of(r);
	check_null(root, "counters.server");
	assert_int_equal(json_array_size(at(root, "counters.rose")), 2);
	json_decref(root);
}

/* What --verbose says of R. */
static char *text_of(struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	r->params.verbose = true;
	counters_print(out, r);
	fclose(out);
	result_free(r);
	return text;
}

static void check_text(struct result *r, const char *due)
{
	char *text = text_of(r);

	assert_string_equal(text, due);
	free(text);
}

#define RETRIES "packets were sent again; look for discards at both ends and " \
	"at the switches between\n"
#define SEQUENCE "packets arrived out of sequence: others before them were " \
	"lost or late; look for discards at both ends and at the switches " \
	"between\n"
#define CNP "the sender was told to slow down (CNP); the network is " \
	"congested: look at the switches' queues and ECN settings\n"

TEST(test_lines)
{
	struct result *r = make("interest");

	r->n_rows = 1;
	check_text(r, " client: completer_retry_err rose by 153: " RETRIES
		   " server: out_of_seq_request rose by 99: " SEQUENCE
		   " client: np_cnp_sent rose by 7: " CNP);
	r = make("interest");
	set(&r->rows[1].at[0].counters, servers, COUNT(servers));
	check_text(r, " client: completer_retry_err rose by 153 at size 64: "
		   RETRIES " server: out_of_seq_request rose by 198, most at "
		   "size 64: " SEQUENCE " client: np_cnp_sent rose by 7 at "
		   "size 64: " CNP);
	check_text(make("none"), "");
	r = make("interest");
	r->n_rows = 0;
	check_text(r, "");
}

/* A run of which ROWS rows were measured when the next one failed in its
 * warm-up, with this end's counters of that. */
static struct result *make_unmeasured(uint32_t rows)
{
	struct result *r = make("all");

	r->n_rows = rows;
	r->params.verbose = true;
	set(&r->unmeasured, clients, COUNT(clients));
	return r;
}

TEST(test_nothing_measured)
{
	struct result *r = make_unmeasured(0);
	char *text = report_json(r);
	json_t *root = parsed(text);

	free(text);
	check_number(root, "unmeasured.size", 64);
	check_number(root, "unmeasured.counters.client.values."
			   "completer_retry_err", 153);
	check_null(root, "unmeasured.counters.server");
	json_decref(root);
	text = text_of(r);
	assert_contains(text, " client: completer_retry_err rose by 153: ");
	assert_contains(text, "   sent_pkts  ");
	free(text);
	text = text_of(make_unmeasured(1));
	assert_contains(text, "completer_retry_err rose by 306, most at size");
	assert_contains(text, "   counter, size 65536 ");
	free(text);
}

/* Without --verbose it is the one line. */
TEST(test_nothing_measured_in_one_line)
{
	struct result *r = make_unmeasured(0);
	char *text;

	r->params.verbose = r->params.plan.counters.given = false;
	text = caveats_first(r);
	assert_contains(text, "client: completer_retry_err rose by 153: ");
	free(text);
	r->at_server = true;
	text = caveats_first(r);
	assert_contains(text, "server: completer_retry_err rose by 153: ");
	free(text);
	result_free(r);
}

TEST(test_nothing_rose)
{
	static const struct one still[] = { { "link_downed", 0 } };
	static const struct {
		bool client, server;
		const char *asked;
	} rows[] = {
		{ true, true, " counters: none that indicates trouble or "
			      "congestion rose at either end\n" },
		{ true, false, " counters: none that indicates trouble or "
			       "congestion rose at the client\n"
			       " counters: none can be read at the server\n" },
		{ false, true, " counters: none that indicates trouble or "
			       "congestion rose at the server\n"
			       " counters: none can be read at the client\n" },
		{ false, false, " counters: none can be read at either end\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int given = 0; given < 2; given++) {
			struct result *r = result_bandwidth();

			if (rows[i].client)
				set(&r->rows[0].at[1].counters, still, 1);
			if (rows[i].server)
				set(&r->rows[0].at[0].counters, still, 1);
			r->params.plan.counters.given = given;
			check_text(r, given ? rows[i].asked : "");
		}
}

/* Of a kind one is said, unless all of them are. */
TEST(test_first)
{
	struct result *r = make("interest");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(counters_risen(r, COUNTER_CONGESTION, NULL), 1);
	assert_int_equal(counters_risen(r, COUNTER_TROUBLE, out), 2);
	counters_print(out, r);
	fclose(out);
	assert_string_equal(text, "client: completer_retry_err rose by 153 at "
			    "size 64: packets were sent again; look for "
			    "discards at both ends and at the switches "
			    "between");
	free(text);
	text = report_text(r);
	assert_contains(text, "client: completer_retry_err rose by 153 ");
	free(text);
	r->params.plan.counters.given = true;
	assert_int_equal(counters_risen(r, COUNTER_TROUBLE, NULL), 0);
	result_free(r);
	r = make("none");
	assert_int_equal(counters_risen(r, COUNTER_TROUBLE, NULL), 0);
	result_free(r);
}

static void check_missing(struct result *r, const char *wanted)
{
	char *text = report_text(r);

	if (wanted) {
		assert_contains(text, wanted);
	} else {
		assert_null(strstr(text, "did not arrive"));
		assert_null(strstr(text, "arrived damaged"));
	}
	free(text);
}

/* Packets that an end sent and that the other did not receive, but for an ACK of
 * each queue pair and what went by in 20 ms of 1.5 s; those that reached the
 * other's interface, which others pass, too, were damaged. */
TEST(test_packets_that_did_not_arrive)
{
	static const struct {
		enum op op;
		uint64_t sent, out, in, came;	/* of the client's packets */
		const char *said;
	} rows[] = {
		{ OP_SEND, 10000, 10000, 9000, 9000,
		  " packets did not arrive: 10% of the client's data (its "
		  "sent_pkts, rcvd_pkts of the other end): look for discards "
		  "on the way" },
		{ OP_READ, 10000, 10000, 9000, 9000, "client's requests (" },
		{ OP_SEND, 10000, 10000, 10000, 9000,
		  " packets arrived damaged: 10% of the client's data reached "
		  "the other end's interface (its netdev.rx_packets) and not "
		  "its device (rcvd_pkts)" },
		/* others pass, too */
		{ OP_SEND, 10000, 12000, 11000, 9000, "did not arrive: 10%" },
		{ OP_SEND, 10000, 12000, 12000, 9000, "damaged: 10%" },
		/* half of each, and more of one */
		{ OP_SEND, 10000, 10000, 9400, 9000, "did not arrive: 10%" },
		{ OP_SEND, 10000, 10000, 9600, 9000, "damaged: 10%" },
		/* dropped before they left */
		{ OP_SEND, 10000, 9000, 9000, 9000, "did not arrive: 10%" },
		/* what goes by in 20 ms, and an ACK */
		{ OP_SEND, 10000, 10000, 9868, 9868, NULL },
		{ OP_SEND, 20, 20, 19, 19, NULL },
		{ OP_SEND, 20, 20, 18, 18, "did not arrive: 10%" },
		{ OP_SEND, 10000, 10000, 10000, 10000, NULL },
		{ OP_SEND, 10000, 10000, 10500, 10400, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = result_bandwidth();
		struct packet_counts *client = &r->rows[0].at[1].packets;
		struct packet_counts *server = &r->rows[0].at[0].packets;

		r->n_rows = 1;
		r->params.plan.qps = 1;
		r->params.plan.op = rows[i].op;
		set(&r->rows[0].at[1].counters, clients, COUNT(clients));
		set(&r->rows[0].at[0].counters, servers, COUNT(servers));
		*client = (struct packet_counts){ true, rows[i].sent, 100,
						  rows[i].out, 100 };
		*server = (struct packet_counts){ true, 100, rows[i].came, 100,
						  rows[i].in };
		check_missing(r, rows[i].said);
		/* what a run has left may be on its way */
		r->rows[0].total.left = 1;
		r->rows[0].tx_depth = 10000;
		check_missing(r, NULL);
		r->rows[0].total.left = 0;
		server->known = false;
		check_missing(r, NULL);
		result_free(r);
	}
}

/* Of the other direction, and with two ends of one port. */
TEST(test_acknowledgements_that_did_not_arrive)
{
	struct result *r = result_bandwidth();

	r->n_rows = 1;
	set(&r->rows[0].at[0].counters, servers, COUNT(servers));
	r->rows[0].at[1].packets =
		(struct packet_counts){ true, 17755, 4258, 17755, 4258 };
	r->rows[0].at[0].packets =
		(struct packet_counts){ true, 4453, 17755, 4453, 17755 };
	check_missing(r, ": 4.4% of the server's acknowledgements (");
	r->server = r->client;
	r->path.remote.raw = r->path.local.raw;
	check_missing(r, NULL);
	result_free(r);
}

TEST(test_one_port)
{
	struct result *r = make("interest");

	r->n_rows = 1;
	r->server = r->client;
	set(&r->rows[0].at[0].counters, clients, 1);
	r->path.remote.raw = r->path.local.raw;
	check_text(r, " both ends, on one port: completer_retry_err rose by "
		   "153: " RETRIES " both ends, on one port: np_cnp_sent rose "
		   "by 7: " CNP);
	/* two hosts may have the same name */
	r = make("interest");
	r->n_rows = 1;
	r->server = r->client;
	check_text(r, " client: completer_retry_err rose by 153: " RETRIES
		   " server: out_of_seq_request rose by 99: " SEQUENCE
		   " client: np_cnp_sent rose by 7: " CNP);
}

TEST(test_values)
{
	struct result *r = make("all");

	r->n_rows = 1;
	set(&r->rows[0].at[1].counters, clients + 3, 2);
	set(&r->rows[0].at[0].counters, servers, 3);
	check_text(r, " server: out_of_seq_request rose by 99: " SEQUENCE
		   "   counter                                            c"
		   "lient           server\n"
		   "   out_of_seq_request                                  "
		   "    -               99\n"
		   "   rdma_sends                                          "
		   " 1000                0\n"
		   "   sent_pkts                                           "
		   " 2000                -\n");
	r = make("rdma_sends,hw_counters/none");
	set(&r->rows[0].at[1].counters, clients + 3, 2);
	set(&r->rows[0].at[0].counters, servers + 2, 1);
	check_text(r,
		   "   counter, size 64                                   c"
		   "lient           server\n"
		   "   rdma_sends                                          "
		   " 1000                0\n"
		   "   none                                                "
		   "    -                -\n");
}

/* A hostile server has a counter of another name at each size. */
TEST(test_many_lines)
{
	struct result *r = result_bandwidth();
	struct one list[100];
	char names[100][20], *text;

	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "res_%03d", i);
		list[i] = (struct one){ names[i], 1 };
	}
	set(&r->rows[0].at[0].counters, list, 100);
	text = text_of(r);
	assert_contains(text, "server: res_063 rose by 1");
	assert_null(strstr(text, "res_064"));
	assert_contains(text, " more counters rose; --json has all of them\n");
	free(text);
}

/* A hostile server's counters rise by as much as they may, at each size. */
TEST(test_large_sums)
{
	static const struct one most[] = {
		{ "link_downed", COUNTER_RISE_MAX },
	};
	struct result *r = result_bandwidth();
	char *text;

	r->n_rows = 17;
	for (uint32_t i = 0; i < r->n_rows; i++)
		set(&r->rows[i].at[0].counters, most, 1);
	text = text_of(r);
	assert_contains(text, "server: link_downed rose by "
			"18446744073709551615, most at size");
	free(text);
}

static void check_perftest(struct result *r, const char *due)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	counters_print_perftest(out, r, &r->rows[0]);
	fclose(out);
	assert_string_equal(text, due);
	free(text);
	result_free(r);
}

TEST(test_perftest)
{
	struct result *r = make("hw_counters/rdma_sends,link_downed,x");
	struct ignored_options options = { 0 };

	check_perftest(r, "\thw_counters/rdma_sends=1000\n\tlink_downed=-\n"
		       "\tx=-\n\n");
	check_perftest(make("all"), "");
	/* what the server's own command line says */
	r = make("none");
	r->at_server = true;
	r->params.ignored_options = &options;
	counter_choice_parse("out_of_seq_request", &options.plan.counters);
	check_perftest(r, "\tout_of_seq_request=99\n\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_json_of_interest),
	cmocka_unit_test(test_json_of_others),
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_nothing_measured),
	cmocka_unit_test(test_nothing_measured_in_one_line),
	cmocka_unit_test(test_nothing_rose),
	cmocka_unit_test(test_first),
	cmocka_unit_test(test_packets_that_did_not_arrive),
	cmocka_unit_test(test_acknowledgements_that_did_not_arrive),
	cmocka_unit_test(test_one_port),
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_many_lines),
	cmocka_unit_test(test_large_sums),
	cmocka_unit_test(test_perftest),
};

TEST_MAIN(tests, 10)
