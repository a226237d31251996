/* Sessions whose ends have the same key, others, or none. */
#include "config.h"
#include "test.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "fake_verbs.h"
#include "pair.h"
#include "session/dialogue.h"

#define KEY "test_handshake.key"
#define OTHER_KEY "test_handshake.other"
#define NO_KEY "test_handshake.none"

static int write_keys(void **state)
{
	static const char *const names[] = { KEY, OTHER_KEY };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		FILE *file = fopen(names[i], "w");

		assert_non_null(file);
		fprintf(file, "a key with the number %zu\n", i);
		fclose(file);
		assert_int_equal(chmod(names[i], 0600), 0);
	}
	return 0;
}

static int remove_keys(void **state)
{
	(void)state;
	unlink(KEY);
	unlink(OTHER_KEY);
	return 0;
}

static void open_pair(struct pair *p, const char *client, const char *server)
{
	fake_verbs_reset();
	pair_open(p, OP_WRITE, METRIC_BANDWIDTH);
	pair_hurry(p);
	p->client.result->params.key_file = client;
	p->server.result->params.key_file = server;
}

static void check_failed(const struct end *e, const char *message)
{
	pair_check_failed(e, message);
	assert_contains(error_text(&e->result->error), message);
	assert_string_equal(e->result->error.stage, "key");
	/* nothing was said of the plan, nothing was made for it */
	assert_false(e->result->connected);
}

/* Both fail, with what each says, before anything is registered. */
static void finish(struct pair *p, const char *client, const char *server)
{
	pair_wait(p);
	check_failed(&p->client, client);
	check_failed(&p->server, server);
	assert_int_equal(fake_verbs.access, 0);
	pair_close_clean(p);
}

static void run_badly(const char *client_key, const char *server_key,
		      const char *client, const char *server)
{
	struct pair p;

	open_pair(&p, client_key, server_key);
	pair_start(&p);
	finish(&p, client, server);
}

TEST(test_the_same_key)
{
	struct pair p;

	for (int key = 0; key < 2; key++) {
		open_pair(&p, key ? KEY : NULL, key ? KEY : NULL);
		pair_run_well(&p, "with a key or without");
		pair_close_clean(&p);
	}
}

TEST(test_other_keys)
{
	run_badly(KEY, OTHER_KEY, "the server: the keys of client and server",
		  "the keys of client and server differ");
}

TEST(test_one_end_without_a_key)
{
	run_badly(NULL, KEY, "the server requires a key, this client has none",
		  "this server requires a key, the client has none");
	run_badly(KEY, NULL, "this client requires a key, the server has none",
		  "the client requires a key, this server has none");
}

/* The server's is gone: the client is not told where it was. */
TEST(test_a_key_that_cannot_be_read)
{
	struct pair p;

	open_pair(&p, KEY, NO_KEY);
	pair_run(&p);
	pair_check_failed(&p.client, "client");
	pair_check_failed(&p.server, "server");
	assert_string_equal(p.client.result->error.message,
			    "the server: this server cannot read its key");
	assert_null(strstr(p.client.result->error.advice, NO_KEY));
	pair_close_clean(&p);
}

/* A stranger is gone before it proves anything: the key is forgotten before
 * the report, which may take long. */
TEST(test_the_key_of_a_session_that_failed)
{
	struct session *session;
	struct pair p;
	int fds[2];

	open_pair(&p, KEY, KEY);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	oob_adopt(fds[0], -1, "client", &p.server.conn);
	close(fds[1]);
	assert_true(pair_serve(&p, &session) < 0);
	assert_string_equal(p.server.result->error.stage, "hello");
	assert_null(session->handshake);
	session_free(session);
	oob_close(&p.server.conn);
	pair_close_clean(&p);
}

struct change {
	const char *what;
	bool to_client;
	int nth;
	size_t offset;		/* in the payload */
	const char *client, *server;
};

/* Offsets: the version begins both HELLOs at 2. */
static const struct change changes[] = {
	{ "client's version", false, 0, 2,
	  "the server: the keys", "the keys of client and server differ" },
	{ "server's version", true, 0, 2,
	  "the server: the keys", "the keys of client and server differ" },
	{ "client's proof", false, 1, 31,
	  "the server: the keys", "the keys of client and server differ" },
	{ "server's proof", true, 1, 0,
	  "the keys of client and server differ", "the client: the keys" },
	{ "header of the client's stream", false, 1, 32,
	  "the server: the keys", "the keys of client and server differ" },
	{ "header of the server's stream", true, 1, 55,
	  "the keys of client and server differ", "the client: the keys" },
	{ "PLAN", false, 2, 100,
	  "the server: a frame from the client was changed",
	  "a frame from the client was changed" },
	{ "ACCEPT", true, 2, 100, "a frame from the server was changed",
	  "the client: a frame from the server was changed" },
	{ "client's ENDPOINT", false, 3, 0,
	  "the server: a frame from the client was changed",
	  "a frame from the client was changed" },
	{ "server's ENDPOINT", true, 3, 0,
	  "a frame from the server was changed",
	  "the client: a frame from the server was changed" },
};

TEST(test_changed_on_the_way)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		const struct change *c = &changes[i];
		struct pair p;

		open_pair(&p, KEY, KEY);
		p.relay = (struct relay){
			.spoil = SPOIL_BIT, .to_client = c->to_client,
			.nth = c->nth, .offset = c->offset,
		};
		p.relayed = true;
		pair_run(&p);
		pair_check_failed(&p.client, c->what);
		pair_check_failed(&p.server, c->what);
		assert_contains(error_text(&p.client.result->error), c->client);
		assert_contains(error_text(&p.server.result->error), c->server);
		assert_int_equal(p.client.result->n_rows, 0);
		assert_int_equal(p.server.result->n_rows, 0);
		pair_close_clean(&p);
	}
}

/* PLAN or anything else in place of the proof is no way in. */
TEST(test_another_frame_than_the_proof)
{
	static const enum frame_type types[] = {
		FRAME_HELLO, FRAME_PLAN, FRAME_ENDPOINT, FRAME_START,
		FRAME_BYE,
	};

	for (size_t i = 0; i < COUNT(types); i++) {
		char wanted[80];
		struct pair p;

		open_pair(&p, KEY, KEY);
		p.relay = (struct relay){ .spoil = SPOIL_TYPE, .nth = 1,
					  .type = types[i] };
		p.relayed = true;
		pair_start(&p);
		snprintf(wanted, sizeof(wanted),
			 "the client sent %s where AUTH was expected",
			 frame_name(types[i]));
		finish(&p, "the client's answer does not fit this run", wanted);
	}
}

/* After the proofs have passed: a frame in the clear, which would have been
 * taken, is not. */
TEST(test_another_frame_than_a_sealed_one)
{
	static const enum frame_type types[] = {
		FRAME_PLAN, FRAME_ABORT, FRAME_BYE, FRAME_HELLO,
	};

	for (size_t i = 0; i < COUNT(types); i++)
		for (int to_client = 0; to_client < 2; to_client++) {
			struct pair p;

			open_pair(&p, KEY, KEY);
			p.relay = (struct relay){
				.spoil = SPOIL_TYPE, .to_client = to_client,
				.nth = 2, .type = types[i],
			};
			p.relayed = true;
			pair_run(&p);
			pair_check_both_failed(&p, "in the clear");
			assert_contains((to_client ? &p.client : &p.server)
						->result->error.message,
					"was changed on its way");
			pair_close_clean(&p);
		}
}

/* A client without a key is not asked for a proof, and one that comes is
 * not waited for. */
TEST(test_a_proof_that_nobody_wanted)
{
	struct pair p;

	open_pair(&p, NULL, NULL);
	p.relay = (struct relay){ .spoil = SPOIL_TYPE, .nth = 1,
				  .type = FRAME_AUTH };
	p.relayed = true;
	pair_run(&p);
	pair_check_failed(&p.server, "server");
	assert_contains(error_text(&p.server.result->error),
			"the client sent AUTH where PLAN was expected");
	pair_close_clean(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_same_key),
	cmocka_unit_test(test_other_keys),
	cmocka_unit_test(test_one_end_without_a_key),
	cmocka_unit_test(test_a_key_that_cannot_be_read),
	cmocka_unit_test(test_the_key_of_a_session_that_failed),
	cmocka_unit_test(test_changed_on_the_way),
	cmocka_unit_test(test_another_frame_than_the_proof),
	cmocka_unit_test(test_another_frame_than_a_sealed_one),
	cmocka_unit_test(test_a_proof_that_nobody_wanted),
};

TEST_FILE()
{
	alarm(60);
	return cmocka_run_group_tests(tests, write_keys, remove_keys);
}
