/* Sealed frames: what opens, and that nothing else does. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "net/seal.h"

#define TAMPERED \
	"a frame from the client was changed on its way, or the connection " \
	"was taken over"

/* What the client seals on its way to the server. */
struct way {
	struct seal *out, *in;
};

static void open_way_with(struct way *w, const struct auth_key *out,
			  const struct auth_key *in)
{
	uint8_t stream[AUTH_STREAM_SIZE];
	struct error err = { 0 };

	assert_int_equal(auth_init(&err), 0);
	w->out = seal_outgoing(out, stream);
	w->in = seal_incoming(in, stream);
}

static void open_way(struct way *w)
{
	const struct auth_key key = { { 1, 2, 3 } };

	open_way_with(w, &key, &key);
}

static void close_way(struct way *w)
{
	seal_free(w->out);
	seal_free(w->in);
}

/* START of SIZE, sealed. */
static struct frame sealed_start(struct way *w, uint64_t size)
{
	struct frame frame, sealed;

	frame = encode_start(size);
	seal_frame(w->out, &frame, &sealed);
	frame_free(&frame);
	return sealed;
}

/* As oob_receive() takes SIZE bytes: a header, and what it announces.
 * frame_free() FRAME when 0 is returned. */
static int receive(struct seal *in, const uint8_t *bytes, size_t size,
		   struct frame *frame, struct error *err)
{
	struct frame f = { 0 };
	int ret = seal_read_header(in, bytes, "client", &f, err);

	if (ret)
		return ret;
	assert_true(WIRE_HEADER_SIZE + f.length <= size);
	f.bytes = malloc(WIRE_HEADER_SIZE + f.length);
	memcpy(f.bytes, bytes, WIRE_HEADER_SIZE + f.length);
	ret = seal_open(in, "client", &f, err);
	if (ret)
		frame_free(&f);
	else
		*frame = f;
	return ret;
}

static int receive_frame(struct seal *in, const struct frame *sealed,
			 struct frame *frame, struct error *err)
{
	return receive(in, sealed->bytes, WIRE_HEADER_SIZE + sealed->length,
		       frame, err);
}

static void check_opens(struct way *w, const struct frame *sealed,
			uint64_t size)
{
	struct frame wanted, frame;
	struct error err = { 0 };

	assert_int_equal(receive_frame(w->in, sealed, &frame, &err), 0);
	wanted = encode_start(size);
	assert_int_equal(frame.type, wanted.type);
	assert_int_equal(frame.length, wanted.length);
	assert_memory_equal(frame.bytes, wanted.bytes,
			    WIRE_HEADER_SIZE + wanted.length);
	frame_free(&wanted);
	frame_free(&frame);
}

static void check_tampered(struct way *w, const struct frame *sealed)
{
	struct error err = { 0 };
	struct frame frame;

	assert_int_equal(receive_frame(w->in, sealed, &frame, &err), -EPROTO);
	assert_message(&err, TAMPERED);
	assert_contains(err.advice, "an attacker");
}

TEST(test_frames_in_order)
{
	struct way w;

	open_way(&w);
	for (uint64_t size = 0; size < 1000; size++) {
		struct frame sealed = sealed_start(&w, size);

		assert_int_equal(sealed.type, FRAME_START);
		assert_int_equal(sealed.length, 8 + SEAL_SIZE);
		check_opens(&w, &sealed, size);
		frame_free(&sealed);
	}
	close_way(&w);
}

/* The largest of each type, which none may be refused for its length. */
TEST(test_the_largest_of_each_type)
{
	static const enum frame_type types[] = {
#define X(name, type, ...) FRAME_##name,
		FRAME_LIST(X)
#undef X
	};
	struct way w;

	open_way(&w);
	for (size_t i = 0; i < COUNT(types); i++) {
		struct cursor c = wire_begin(types[i]);
		struct frame plain, sealed, got;
		struct error err = { 0 };

		memset(c.bytes, 0xa5, c.size);
		c.at = c.size;
		plain = wire_end(&c);
		seal_frame(w.out, &plain, &sealed);
		assert_int_equal(receive_frame(w.in, &sealed, &got, &err), 0);
		assert_int_equal(got.type, types[i]);
		assert_int_equal(got.length, plain.length);
		assert_memory_equal(got.bytes, plain.bytes,
				    WIRE_HEADER_SIZE + plain.length);
		frame_free(&plain);
		frame_free(&sealed);
		frame_free(&got);
	}
	close_way(&w);
}

/* Nothing of what is sealed is in what is sent, and never the same twice. */
TEST(test_nothing_is_seen)
{
	static const uint8_t payload[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct frame sealed[2];
	struct way w;

	open_way(&w);
	for (int i = 0; i < 2; i++)
		sealed[i] = sealed_start(&w, 0x0102030405060708);
	for (size_t at = 0; at <= sealed[0].length - sizeof(payload); at++)
		assert_memory_not_equal(sealed[0].bytes + WIRE_HEADER_SIZE + at,
					payload, sizeof(payload));
	assert_memory_not_equal(sealed[0].bytes + WIRE_HEADER_SIZE,
				sealed[1].bytes + WIRE_HEADER_SIZE,
				sealed[0].length);
	frame_free(&sealed[0]);
	frame_free(&sealed[1]);
	close_way(&w);
}

TEST(test_every_bit_flipped)
{
	const size_t bits = 8 * (WIRE_HEADER_SIZE + 8 + SEAL_SIZE);

	for (size_t bit = 0; bit < bits; bit++) {
		struct frame sealed;
		struct way w;

		open_way(&w);
		sealed = sealed_start(&w, 4711);
		sealed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check_tampered(&w, &sealed);
		frame_free(&sealed);
		close_way(&w);
	}
}

/* One whose lengths fit together, but that was cut or is longer. */
TEST(test_every_truncation)
{
	const uint32_t whole = 8 + SEAL_SIZE;

	for (uint32_t length = 0; length < whole; length++) {
		struct frame sealed;
		struct way w;

		open_way(&w);
		sealed = sealed_start(&w, 4711);
		sealed.length = length;
		wire_write_header(&sealed);
		check_tampered(&w, &sealed);
		frame_free(&sealed);
		close_way(&w);
	}
}

TEST(test_a_byte_more)
{
	struct frame plain, sealed, longer;
	struct way w;

	open_way(&w);
	plain = encode_error(FRAME_ABORT, &(struct error){ .stage = "x" });
	seal_frame(w.out, &plain, &sealed);
	longer = (struct frame){
		.type = FRAME_ABORT,
		.length = sealed.length + 1,
		.bytes = calloc(1, WIRE_HEADER_SIZE + sealed.length + 1),
	};
	memcpy(longer.bytes, sealed.bytes, WIRE_HEADER_SIZE + sealed.length);
	wire_write_header(&longer);
	check_tampered(&w, &longer);
	frame_free(&plain);
	frame_free(&sealed);
	frame_free(&longer);
	close_way(&w);
}

static void make_three(struct way *w, struct frame sealed[3])
{
	open_way(w);
	for (uint64_t i = 0; i < 3; i++)
		sealed[i] = sealed_start(w, i);
}

static void free_three(struct way *w, struct frame sealed[3])
{
	for (int i = 0; i < 3; i++)
		frame_free(&sealed[i]);
	close_way(w);
}

/* What went wrong stays wrong: the frame that was left out is too late. */
TEST(test_a_frame_dropped)
{
	struct frame sealed[3];
	struct way w;

	make_three(&w, sealed);
	check_opens(&w, &sealed[0], 0);
	check_tampered(&w, &sealed[2]);
	check_tampered(&w, &sealed[1]);
	check_tampered(&w, &sealed[2]);
	free_three(&w, sealed);
}

TEST(test_a_frame_replayed)
{
	struct frame sealed[3];
	struct way w;

	make_three(&w, sealed);
	check_opens(&w, &sealed[0], 0);
	check_opens(&w, &sealed[1], 1);
	check_tampered(&w, &sealed[0]);
	free_three(&w, sealed);
	make_three(&w, sealed);
	check_opens(&w, &sealed[0], 0);
	check_tampered(&w, &sealed[0]);
	check_tampered(&w, &sealed[1]);
	free_three(&w, sealed);
}

TEST(test_frames_reordered)
{
	struct frame sealed[3];
	struct way w;

	make_three(&w, sealed);
	check_tampered(&w, &sealed[1]);
	check_tampered(&w, &sealed[0]);
	free_three(&w, sealed);
}

/* One in the clear, of any type. */
TEST(test_a_frame_put_in)
{
	struct frame clear;
	struct way w;

	open_way(&w);
	clear = encode_start(4711);
	check_tampered(&w, &clear);
	frame_free(&clear);
	clear = encode_empty(FRAME_BYE);
	check_tampered(&w, &clear);
	frame_free(&clear);
	close_way(&w);
	open_way(&w);
	clear = encode_error(FRAME_ABORT,
		     &(struct error){ .message = "I am the client" });
	check_tampered(&w, &clear);
	frame_free(&clear);
	close_way(&w);
}

/* An end's own frames sent back to it: the keys of both directions differ. */
TEST(test_directions_mixed_up)
{
	const struct auth_key client = { { 1 } }, server = { { 2 } };
	struct frame sealed;
	struct way w;

	open_way_with(&w, &client, &server);
	sealed = sealed_start(&w, 1);
	check_tampered(&w, &sealed);
	frame_free(&sealed);
	close_way(&w);
}

/* The same key and another stream: a session that was recorded. */
TEST(test_a_frame_of_another_stream)
{
	struct frame sealed;
	struct way one, other;

	open_way(&one);
	open_way(&other);
	sealed = sealed_start(&one, 1);
	check_tampered(&other, &sealed);
	frame_free(&sealed);
	close_way(&one);
	close_way(&other);
}

/* What does not open is left as it came, for its owner to release. */
TEST(test_nothing_is_used_of_what_does_not_open)
{
	struct error err = { 0 };
	struct frame sealed, copy;
	struct way w;
	size_t size;

	open_way(&w);
	sealed = sealed_start(&w, 4711);
	size = WIRE_HEADER_SIZE + sealed.length;
	sealed.bytes[size - 1] ^= 1;
	copy = sealed;
	copy.bytes = malloc(size);
	memcpy(copy.bytes, sealed.bytes, size);
	assert_int_equal(seal_open(w.in, "client", &copy, &err), -EPROTO);
	assert_int_equal(copy.length, sealed.length);
	assert_memory_equal(copy.bytes, sealed.bytes, size);
	frame_free(&sealed);
	frame_free(&copy);
	close_way(&w);
}

/* Limits are those of the type, and 17 bytes; nothing is allocated for more. */
TEST(test_headers)
{
	uint8_t bytes[WIRE_HEADER_SIZE];
	struct frame header = { .type = FRAME_START, .bytes = bytes }, got;
	struct error err = { 0 };
	struct way w;

	for (header.length = 0; header.length < 40; header.length++) {
		bool fits = header.length >= SEAL_SIZE &&
			    header.length <= 8 + SEAL_SIZE;

		open_way(&w);
		wire_write_header(&header);
		assert_int_equal(seal_read_header(w.in, bytes, "client", &got,
						  &err), fits ? 0 : -EPROTO);
		assert_true(!fits || got.length == header.length);
		close_way(&w);
	}
}

/* Without a seal all is as it was. */
TEST(test_in_the_clear)
{
	struct way w = { NULL, NULL };
	struct error err = { 0 };
	struct frame frame;

	frame = encode_start(4711);
	check_opens(&w, &frame, 4711);
	frame.length = 9;
	wire_write_header(&frame);
	assert_int_equal(seal_read_header(NULL, frame.bytes, "client", &frame,
					  &err), -EPROTO);
	assert_message(&err, "the client sent a START of 9 bytes: at most 8 "
			     "are allowed");
	frame_free(&frame);
	close_way(&w);
}

/*
 * As another program would seal it, from the comment in seal.h: START of size
 * 4711 and BYE under the client's key of test_auth.c, in a stream whose header
 * is 24 24 ...
 */
TEST(test_what_is_written_down)
{
	static const struct auth_key key = { {
		0x4b, 0x27, 0x4d, 0x2e, 0xc8, 0x70, 0x42, 0xc2, 0xb4, 0xba,
		0x90, 0x6f, 0xaa, 0x0c, 0xbb, 0xb2, 0xf0, 0xcb, 0xa0, 0x45,
		0x62, 0x0a, 0x4e, 0xa1, 0x61, 0x9e, 0xf9, 0xf1, 0x5d, 0x28,
		0x37, 0xa0,
	} };
	static const uint8_t start[] = {
		0x76, 0x62, 0x73, 0x70, 0x00, 0x07, 0x00, 0x07, 0x00, 0x00,
		0x00, 0x19, 0x44, 0xe7, 0x3c, 0x65, 0xb7, 0xbf, 0xeb, 0x02,
		0xd5, 0x6f, 0x6f, 0x60, 0xb9, 0x0b, 0x0d, 0x8d, 0x08, 0x21,
		0x04, 0xef, 0xf4, 0xe6, 0xe3, 0x77, 0x66,
	};
	static const uint8_t bye[] = {
		0x76, 0x62, 0x73, 0x70, 0x00, 0x07, 0x00, 0x09, 0x00, 0x00,
		0x00, 0x11, 0xc6, 0xb2, 0x05, 0x9a, 0xcd, 0xf0, 0xe2, 0x8e,
		0x32, 0xc9, 0xc6, 0x62, 0xba, 0xc6, 0xed, 0x1a, 0xc5,
	};
	uint8_t stream[AUTH_STREAM_SIZE];
	struct error err = { 0 };
	struct seal *in;
	struct frame frame;
	uint64_t size;

	memset(stream, 0x24, sizeof(stream));
	in = seal_incoming(&key, stream);
	assert_int_equal(receive(in, start, sizeof(start), &frame, &err), 0);
	assert_int_equal(decode_start(&frame, &size, &err), 0);
	assert_int_equal(size, 4711);
	frame_free(&frame);
	assert_int_equal(receive(in, bye, sizeof(bye), &frame, &err), 0);
	assert_int_equal(frame.type, FRAME_BYE);
	assert_int_equal(decode_empty(&frame, &err), 0);
	frame_free(&frame);
	seal_free(in);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_frames_in_order),
	cmocka_unit_test(test_the_largest_of_each_type),
	cmocka_unit_test(test_nothing_is_seen),
	cmocka_unit_test(test_every_bit_flipped),
	cmocka_unit_test(test_every_truncation),
	cmocka_unit_test(test_a_byte_more),
	cmocka_unit_test(test_a_frame_dropped),
	cmocka_unit_test(test_a_frame_replayed),
	cmocka_unit_test(test_frames_reordered),
	cmocka_unit_test(test_a_frame_put_in),
	cmocka_unit_test(test_directions_mixed_up),
	cmocka_unit_test(test_a_frame_of_another_stream),
	cmocka_unit_test(test_nothing_is_used_of_what_does_not_open),
	cmocka_unit_test(test_headers),
	cmocka_unit_test(test_in_the_clear),
	cmocka_unit_test(test_what_is_written_down),
};

TEST_MAIN(tests, 30)
