/* Starts a server. */
#include "config.h"
#include "serve/serve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "host/affinity.h"
#include "host/numa.h"
#include "verbs/device.h"

static int check_device(struct parameters *params, struct port *port,
			struct error *err)
{
	struct device device = { 0 };
	int ret = affinity_check(params, err);

	if (!ret)
		ret = device_open(params, &device, err);
	if (!ret)
		ret = numa_place(params, &device, err);
	*port = device.port;
	device_close(&device);
	return ret;
}

/* Whoever started this server with --port 0 needs to know its port. */
static int say_port(const struct parameters *params, struct error *err)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u\n", params->port);
	int fd = (int)params->ready_fd;
	ssize_t written;

	if (!params->ready_fd)
		return 0;
	written = write(fd, text, (size_t)length);
	if (written != length)
		return fail(err, written < 0 ? -errno : -EIO, NULL,
			    "--ready-fd %d: cannot write the port: %s", fd,
			    written < 0 ? strerror(errno) : "not all of it");
	close(fd);
	return 0;
}

static void announce(const struct parameters *params, const struct port *port)
{
	char more[48] = "";

	if (params->once)
		snprintf(more, sizeof(more), ", one client");
	if (params->parallel > 1)
		snprintf(more, sizeof(more), ", %u clients at once",
			 params->parallel);
	log_info("serving on TCP port %u with %s port %u%s", params->port,
		 port->device, port->number, more);
}

int serve_open(struct parameters *params, int cancel_fd, struct port *port,
	       struct error *err)
{
	int listener, ret = check_device(params, port, err);

	if (ret)
		return ret;
	listener = oob_listen(params->bind, &params->port, cancel_fd, err);
	if (listener < 0)
		return listener;
	ret = say_port(params, err);
	if (ret) {
		close(listener);
		return ret;
	}
	/* every client gets these, even if more devices appear */
	params->device = port->device;
	params->ib_port = port->number;
	announce(params, port);
	return listener;
}
