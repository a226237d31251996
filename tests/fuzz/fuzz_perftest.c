/*
 * The messages of perftest.  The first byte of an input chooses the message,
 * the rest is its bytes.  What is read is in its range and, written again,
 * reads the same.
 */
#include "config.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "perftest/message.h"

static void check_version(const uint8_t *bytes)
{
	struct version version;
	uint8_t said[VERSION_SIZE] = { 0 };

	if (version_decode(bytes, &version))
		return;
	MUST(version.number < 10000);
	MUST(strlen(version.text) >= 3 && strlen(version.text) <= 5);
	memcpy(said, version.text, strlen(version.text));
	MUST(!memcmp(said, bytes, strlen(version.text) + 1));
}

static void check_size(const uint8_t *bytes)
{
	uint8_t again[SIZE_SIZE];
	uint32_t size;

	if (size_decode(bytes, &size))
		return;
	MUST(size && size <= SIZE_MOST);
	size_encode(size, again);
	MUST(!memcmp(again, bytes, sizeof(again)));
}

static void check_mtu(const uint8_t *bytes)
{
	uint8_t again[MTU_SIZE], mtu;

	if (mtu_decode(bytes, &mtu))
		return;
	MUST(mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096);
	mtu_encode(mtu, again);
	MUST(!memcmp(again, bytes, sizeof(again)));
}

static void check_key(const uint8_t *bytes, bool global)
{
	uint8_t written[KEY_SIZE_GID];
	struct key key, again;

	if (key_decode(bytes, global, &key))
		return;
	MUST(key.lid <= 0xffff && key.reads <= 0xffff);
	MUST(key.qp.qpn <= 0xffffff && key.qp.psn <= 0xffffff);
	key_encode(&key, global, written);
	MUST(!key_decode(written, global, &again));
	MUST(!memcmp(&again, &key, sizeof(key)));
}

static void check_key_gid(const uint8_t *bytes)
{
	check_key(bytes, true);
}

static void check_key_lid(const uint8_t *bytes)
{
	check_key(bytes, false);
}

static void check_report(const uint8_t *bytes)
{
	struct report report = { 0 };
	uint8_t again[REPORT_SIZE];

	for (int i = 0; i < REPORT_VALUES; i++, bytes += REPORT_SIZE) {
		if (report_decode(bytes, i, &report))
			return;
		report_encode(&report, i, again);
		MUST(!memcmp(again, bytes, sizeof(again)));
	}
	MUST(!report.iterations ||
	     (isfinite(report.average) && report.average >= 0));
}

static void check_settings(const uint8_t *bytes)
{
	static struct parameters params;
	struct settings settings, again;
	uint8_t written[SETTINGS_SIZE];

	settings_decode(bytes, VERSION_VALIDATION, &settings);
	settings_encode(&settings, 0, written);
	settings_decode(written, VERSION_VALIDATION, &again);
	MUST(!settings_difference(&settings, &again));
	param_defaults(&params);
	if (settings_take(&settings, &params))
		return;
	MUST(params.plan.qps && params.plan.sizes.n);
	MUST(params.plan.iterations || params.plan.duration);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		size_t size;
		void (*check)(const uint8_t *bytes);
	} messages[] = {
		{ VERSION_SIZE, check_version },
		{ SIZE_SIZE, check_size },
		{ MTU_SIZE, check_mtu },
		{ KEY_SIZE_GID, check_key_gid },
		{ KEY_SIZE_LID, check_key_lid },
		{ REPORT_VALUES * REPORT_SIZE, check_report },
		{ SETTINGS_SIZE_SHORT, check_settings },
	};
	const size_t n = sizeof(messages) / sizeof(*messages);
	uint8_t *bytes;

	if (!size || size - 1 != messages[data[0] % n].size)
		return 0;
	/* on the heap, and no longer: what reads beyond it is found */
	bytes = malloc(size - 1);
	MUST(bytes);
	memcpy(bytes, data + 1, size - 1);
	messages[data[0] % n].check(bytes);
	free(bytes);
	return 0;
}
