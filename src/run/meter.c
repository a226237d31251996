#include "config.h"
#include "run/meter.h"

#include "base/time.h"

void meter_open(struct meter *meter)
{
	meter->opened = time_now();
}

void meter_close(struct meter *meter)
{
	if (meter_is_open(meter))
		meter->closed = time_now();
}

bool meter_is_open(const struct meter *meter)
{
	return meter->opened && !meter->closed;
}
