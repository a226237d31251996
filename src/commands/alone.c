/* The commands that measure or examine this end alone. */
#include "config.h"
#include "commands/commands.h"

#include "base/log.h"
#include "control/control.h"
#include "host/affinity.h"
#include "host/facts.h"
#include "report/report.h"
#include "traffic/calibrate.h"

int command_check(const struct options *options)
{
	struct result *result = test_begin(options, true);
	struct device device = { 0 };
	int status;

	result->alone = true;
	/* all is known of the port: as if the other end were like it */
	if (!test_prepare(options, &device, result))
		plan_choose(&result->params.plan, &result->client,
			    &result->client);
	else
		facts_read(&result->client, &options->params);
	result_note_effective(result, &device.port);
	status = test_finish(result);
	device_close(&device);
	test_free(result);
	return status;
}

int command_control(const struct options *options, int cancel_fd)
{
	struct result *result = test_begin(options, true);
	struct device device = { 0 };
	int status;

	result->alone = true;
	if (!test_prepare(options, &device, result))
		control_run(&device, cancel_fd, NULL, result);
	result_note_effective(result, &device.port);
	status = test_finish(result);
	device_close(&device);
	test_free(result);
	return status;
}

int command_calibrate(const struct options *options)
{
	const struct parameters *params = &options->params;
	struct error err = { .stage = "calibrate" };
	struct calibration c;
	int ret = affinity_check(params, &err);

	if (!ret) {
		affinity_pin(&params->cpus, 0);
		ret = calibrate(params->clock, &c);
		if (ret)
			fail_errno(&err, ret, NULL, "the null provider failed");
		else
			ret = outputs_write_calibration(params, &c, &err);
		calibration_free(&c);
	}
	if (ret)
		log_error(&err);
	return ret ? EXIT_FAILED : EXIT_MEASURED;
}
