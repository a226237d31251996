#include "config.h"
#include "run/meter.h"

#include "base/time.h"

void meter_begin(struct meter *meter, const char *device)
{
	meter->opened = meter->closed = 0;
	cpu_meter_begin(&meter->cpu, device);
}

/* The window's times lie inside the two readings of CPU time. */
void meter_open(struct meter *meter)
{
	cpu_meter_open(&meter->cpu);
	meter->opened = time_now();
}

void meter_close(struct meter *meter)
{
	if (!meter_is_open(meter))
		return;
	meter->closed = time_now();
	cpu_meter_close(&meter->cpu);
}

bool meter_is_open(const struct meter *meter)
{
	return meter->opened && !meter->closed;
}

void meter_real_time(const struct meter *meter, struct timespec *when)
{
	uint64_t ago;

	*when = (struct timespec){ 0 };
	if (!meter->opened)
		return;
	clock_gettime(CLOCK_REALTIME, when);
	ago = time_since(meter->opened);
	when->tv_sec -= (time_t)(ago / SECOND);
	when->tv_nsec -= (long)(ago % SECOND);
	if (when->tv_nsec < 0) {
		when->tv_nsec += (long)SECOND;
		when->tv_sec--;
	}
}
