/* Inline receive: what the driver of mlx5 is told, and who cannot be told. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "host/place.h"
#include "made_up_host.h"

#define CLASS "/sys/class/infiniband/"
/* What the user's environment has before. */
#define OWN "own"

static const char *const names[] = { "MLX5_SCATTER_TO_CQE", "MLX5_CQE_SIZE" };

static int make_host(void **state)
{
	if (host_begin(state))
		return -1;
	host_file("/sys/bus/pci/drivers/mlx5_core/bind", "");
	host_file("/sys/bus/pci/drivers/bnxt_en/bind", "");
	host_link(CLASS "mlx5_0/device/driver",
		  "../../../../bus/pci/drivers/mlx5_core");
	host_link(CLASS "bnxt_re0/device/driver",
		  "../../../../bus/pci/drivers/bnxt_en");
	host_file(CLASS "rxe0/parent", "eth0");
	return 0;
}

static int choose(enum inline_receive asked, enum memory_kind memory,
		  const char *device, uint32_t *told, struct error *err)
{
	struct parameters params = {
		.inline_recv = asked,
		.memory.kind = memory,
	};
	int ret;

	for (size_t i = 0; i < COUNT(names); i++)
		setenv(names[i], OWN, 1);
	ret = inline_receive_choose(&params, device, err);
	*told = params.inline_recv;
	return ret;
}

TEST(test_what_mlx5_is_told)
{
	static const struct {
		enum inline_receive asked;
		enum memory_kind memory;
		const char *scatter, *size;
		enum inline_receive told;
	} rows[] = {
		{ INLINE_RECEIVE_AUTO, MEMORY_ANONYMOUS, OWN, OWN,
		  INLINE_RECEIVE_AUTO },
		{ INLINE_RECEIVE_OFF, MEMORY_ANONYMOUS, "0", OWN,
		  INLINE_RECEIVE_OFF },
		{ INLINE_RECEIVE_32, MEMORY_SHARED, "1", "64",
		  INLINE_RECEIVE_32 },
		{ INLINE_RECEIVE_64, MEMORY_UDMABUF, "1", "128",
		  INLINE_RECEIVE_64 },
		/* the driver would copy to where the host must not write */
		{ INLINE_RECEIVE_AUTO, MEMORY_CUDA, "0", OWN,
		  INLINE_RECEIVE_OFF },
		{ INLINE_RECEIVE_AUTO, MEMORY_DEVICE, "0", OWN,
		  INLINE_RECEIVE_OFF },
		{ INLINE_RECEIVE_OFF, MEMORY_HIP, "0", OWN,
		  INLINE_RECEIVE_OFF },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		uint32_t told;

		assert_int_equal(choose(rows[i].asked, rows[i].memory,
					"mlx5_0", &told, &err), 0);
		assert_string_equal(getenv(names[0]), rows[i].scatter);
		assert_string_equal(getenv(names[1]), rows[i].size);
		assert_int_equal(told, rows[i].told);
	}
}

TEST(test_memory_of_others)
{
	struct error err = { 0 };
	uint32_t told;

	assert_int_equal(choose(INLINE_RECEIVE_32, MEMORY_CUDA, "mlx5_0", &told,
				&err), -EINVAL);
	assert_message(&err, "--inline-recv 32: the driver cannot copy "
		       "messages into --memory cuda");
	assert_string_equal(getenv(names[0]), OWN);
}

TEST(test_other_drivers)
{
	static const struct {
		enum inline_receive asked;
		const char *device, *why;
	} rows[] = {
		{ INLINE_RECEIVE_OFF, "rxe0", "--inline-recv off: rxe0 "
		  "(rdma_rxe) has no inline receive that can be chosen: only "
		  "mlx5 has" },
		{ INLINE_RECEIVE_64, "bnxt_re0", "--inline-recv 64: bnxt_re0 "
		  "(bnxt_en) has no inline receive that can be chosen: only "
		  "mlx5 has" },
		{ INLINE_RECEIVE_32, "fake0", "--inline-recv 32: fake0 (of an "
		  "unknown driver) has no inline receive that can be chosen: "
		  "only mlx5 has" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		uint32_t told;

		assert_int_equal(choose(rows[i].asked, MEMORY_ANONYMOUS,
					rows[i].device, &told, &err),
				 -EOPNOTSUPP);
		assert_message(&err, rows[i].why);
		assert_int_equal(choose(INLINE_RECEIVE_AUTO, MEMORY_CUDA,
					rows[i].device, &told, &err), 0);
		assert_int_equal(told, INLINE_RECEIVE_AUTO);
		assert_string_equal(getenv(names[0]), OWN);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_mlx5_is_told),
	cmocka_unit_test(test_memory_of_others),
	cmocka_unit_test(test_other_drivers),
};

TEST_FILE()
{
	alarm(patient(30));
	return cmocka_run_group_tests(tests, make_host, host_end);
}
