/* How reports show addresses and service: what was asked above the table,
 * what came of it in the JSON. */
#include "config.h"
#include "test.h"

#include "json_checks.h"
#include "report/report.h"
#include "results.h"

/* The line between the test's and the client's; NULL: there must be none. */
static void check_line(struct result *r, const char *wanted)
{
	char *text = report_text(r);
	const char *line = strstr(text, " service:");

	if (wanted) {
		char whole[200];

		snprintf(whole, sizeof(whole), "rx depth 512\n%s\n client: ",
			 wanted);
		assert_contains(text, whole);
	} else if (line) {
		fail_msg("there is '%s'", line);
	}
	free(text);
}

TEST(test_service_line)
{
	struct result *r = result_bandwidth();
	struct plan *plan = &r->params.plan;

	check_line(r, NULL);
	plan->dscp = 0;
	check_line(r, NULL);
	plan->dscp = 24;
	check_line(r, " service: traffic class 96, DSCP 24");
	plan->dscp = PLAN_AUTO;
	plan->sl = 3;
	check_line(r, " service: SL 3");
	plan->tclass = 255;
	plan->flow_labels = (struct labels){ 1, { 0 } };
	check_line(r, " service: SL 3, traffic class 255, DSCP 63, "
		      "flow label 0x00000");
	plan->tclass = plan->sl = 0;
	plan->flow_labels = (struct labels){ 4, { 1, 2, 0xfffff, 4 } };
	plan->hop_limit = 1;
	check_line(r, " service: flow labels 0x00001/0x00002/0xfffff/0x00004, "
		      "hop limit 1");
	plan->flow_labels.n = 64;
	check_line(r, " service: 64 flow labels, hop limit 1");
	plan->sl = 3;
	r->client_qp = (struct effective){ .known = true, .sl = 3,
					   .hop_limit = 64 };
	check_line(r, " service: SL 3, 64 flow labels, hop limit 1 "
		      "(the QP says 64)");
	r->client_qp.sl = 0;
	r->client_qp.hop_limit = EFFECTIVE_NONE;
	check_line(r, " service: SL 3 (the QP says 0), 64 flow labels, "
		      "hop limit 1");
	result_free(r);
}

TEST(test_pkey_in_the_table)
{
	struct result *r = result_bandwidth();
	char *text;

	r->client.pkey = 0xffff;
	r->server.pkey = 0x8001;
	text = report_text(r);
	assert_contains(text, "client: alpha rxe0 port 1, Ethernet, GID");
	assert_contains(text, "server: beta rxe0 port 1, Ethernet, "
			      "P_Key 0x8001, GID");
	free(text);
	result_free(r);
}

TEST(test_queue_pairs_in_json)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->client.pkey = 0x8001;
	r->client_qp = (struct effective){
		true, 1, 2, 3, 4, 5, 1024, 6, 7, 8, 9, EFFECTIVE_NONE, 11, 12,
		13, 14, 15, 16,
	};
	root = document(r);
	check_number(root, "client.qp.sl", 1);
	check_number(root, "client.qp.path_mtu", 1024);
	check_null(root, "client.qp.max_rd_atomic");
	check_number(root, "client.qp.max_inline_data", 16);
	check_string(root, "client.pkey", "0x8001");
	check_null(root, "server.qp");
	check_null(root, "server.pkey");
	json_decref(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_service_line),
	cmocka_unit_test(test_pkey_in_the_table),
	cmocka_unit_test(test_queue_pairs_in_json),
};

TEST_MAIN(tests, 10)
