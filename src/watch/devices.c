/* Keeps the devices of 'verbsperf watch' open, and finds what changed. */
#include "config.h"
#include "watch/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/xalloc.h"
#include "model/plan.h"
#include "verbs/device_list.h"
#include "verbs/gids.h"

void devices_init(struct watched_devices *devices, const char *only,
		  uint32_t only_port, struct watch_taker *taker)
{
	*devices = (struct watched_devices){
		.only = only,
		.only_port = only_port,
		.taker = taker,
	};
}

static struct watch_event begin_event(enum watch_kind kind,
				      const struct watched *d, uint8_t port)
{
	struct watch_event event = { .kind = kind, .port = port };

	clock_gettime(CLOCK_REALTIME, &event.when);
	memcpy(event.device, d->name, sizeof(event.device));
	return event;
}

static void tell(struct watched_devices *devices,
		 const struct watch_event *event)
{
	devices->taker->take(devices->taker, event);
}

static void tell_change(struct watched_devices *devices,
			const struct watched *d, enum watch_change change,
			const struct error *why)
{
	struct watch_event event = begin_event(WATCH_DEVICE, d, 0);

	event.change = change;
	if (why)
		event.error = *why;
	tell(devices, &event);
}

static bool is_watched(const struct watched_devices *devices, uint8_t port)
{
	return devices->only_port == PLAN_AUTO || devices->only_port == port;
}

static void close_watched(struct watched *d)
{
	if (d->context)
		ibv_close_device(d->context);
	d->context = NULL;
	for (unsigned int i = 1; d->ports && i <= d->n_ports; i++)
		free(d->ports[i].gids);
	free(d->ports);
	d->ports = NULL;
}

/* D is there, but cannot be watched: tell why, once. */
static void note_unusable(struct watched_devices *devices, struct watched *d,
			  const struct error *why)
{
	close_watched(d);
	if (!d->failed)
		tell_change(devices, d, CHANGE_FAILED, why);
	d->failed = true;
}

static int query(const struct watched_devices *devices, struct watched *d,
		 struct error *err)
{
	struct ibv_device_attr attr;
	int ret = ibv_query_device(d->context, &attr);

	if (ret)
		return fail_errno(err, ret, NULL, "cannot query %s", d->name);
	/* asynchronous events are only polled for */
	fcntl(d->context->async_fd, F_SETFL, O_NONBLOCK);
	d->n_ports = attr.phys_port_cnt;
	if (devices->only_port == PLAN_AUTO || devices->only_port <= d->n_ports)
		return 0;
	return fail(err, -ENODEV, NULL, "--ib-port %u: %s has ports 1 to %u",
		    devices->only_port, d->name, d->n_ports);
}

/* True when sysfs shows the file that D was opened by. */
static bool has_file(const struct watched *d)
{
	return !access(d->context->device->dev_path, F_OK);
}

static void open_watched(struct watched_devices *devices,
			 const struct listed *listed, struct watched *d)
{
	struct error err = { 0 };

	if (device_list_open(listed, &d->context, &err) ||
	    query(devices, d, &err)) {
		note_unusable(devices, d, &err);
		return;
	}
	if (d->failed)
		tell_change(devices, d, CHANGE_USABLE, NULL);
	d->failed = false;
	d->shown = has_file(d);
	d->ports = xcalloc(d->n_ports + 1U, sizeof(*d->ports));
}

static void refresh_port(struct watched_devices *devices, struct watched *d,
			 uint8_t port)
{
	struct port_status *status = &d->ports[port].status;
	struct port_status before = *status;
	struct watch_event event;

	if (port_status_read(d->context, port, status) ||
	    !memcmp(&before, status, sizeof(before)))
		return;
	event = begin_event(WATCH_PORT, d, port);
	event.first = !before.text[PORT_STATUS_STATE][0];
	event.before = before;
	event.now = *status;
	tell(devices, &event);
}

static bool has_gid(const struct watched_port *port, const struct gid *gid)
{
	for (size_t i = 0; i < port->n_gids; i++) {
		const struct gid *one = &port->gids[i];

		if (one->index == gid->index && one->type == gid->type &&
		    one->ifindex == gid->ifindex &&
		    !memcmp(&one->raw, &gid->raw, sizeof(one->raw)))
			return true;
	}
	return false;
}

/* Tell CHANGE of each GID that port NUMBER had, or has, at ONE of two times
 * only. */
static void tell_gids(struct watched_devices *devices, const struct watched *d,
		      uint8_t number, const struct watched_port *one,
		      const struct watched_port *other,
		      enum watch_change change)
{
	for (size_t i = 0; i < one->n_gids; i++) {
		struct watch_event event = begin_event(WATCH_GID, d, number);

		event.change = change;
		event.gid = one->gids[i];
		if (!has_gid(other, &event.gid))
			tell(devices, &event);
	}
}

static void refresh_gids(struct watched_devices *devices, struct watched *d,
			 uint8_t number)
{
	struct watched_port *now = &d->ports[number], before = *now;
	struct gid *gids = xcalloc(GIDS_MAX, sizeof(*gids));
	ssize_t n = gids_read(d->context, number, gids);

	if (n < 0) {
		free(gids);
		return;
	}
	now->gids = gids;
	now->n_gids = (size_t)n;
	/* 'verbsperf devices' lists the GIDs of the beginning, and nearly
	 * always nothing has changed */
	if (before.gids && (before.n_gids != now->n_gids ||
			    memcmp(before.gids, gids,
				   now->n_gids * sizeof(*gids)))) {
		tell_gids(devices, d, number, &before, now, CHANGE_REMOVED);
		tell_gids(devices, d, number, now, &before, CHANGE_ADDED);
	}
	free(before.gids);
}

/* The inode of device NAME in sysfs; 0: none. */
static ino_t identify(const char *name)
{
	char path[SYSFS_PATH_SIZE];
	struct stat status;

	sysfs_path(path, "/sys/class/infiniband/%s", name);
	return stat(path, &status) ? 0 : status.st_ino;
}

static struct watched *find(struct watched_devices *devices, const char *name)
{
	for (size_t i = 0; i < devices->n; i++)
		if (!strcmp(devices->list[i].name, name))
			return &devices->list[i];
	return NULL;
}

static struct watched *append(struct watched_devices *devices, const char *name)
{
	struct watched *d;

	devices->list = xrealloc(devices->list, devices->n + 1, sizeof(*d));
	d = &devices->list[devices->n++];
	*d = (struct watched){ .identity = identify(name) };
	snprintf(d->name, sizeof(d->name), "%s", name);
	return d;
}

/* Forget the devices that are no longer listed, or were replaced. */
static void drop_gone(struct watched_devices *devices)
{
	size_t kept = 0;

	for (size_t i = 0; i < devices->n; i++) {
		struct watched *d = &devices->list[i];

		if (d->listed) {
			devices->list[kept++] = *d;
			continue;
		}
		close_watched(d);
		if (!d->leaving)
			tell_change(devices, d, CHANGE_REMOVED, NULL);
	}
	devices->n = kept;
}

/* The kernel takes the file away first, and then some drivers wait until nobody
 * has the device open: close it. */
static void release_removed(struct watched_devices *devices, struct watched *d)
{
	if (!d->context || !d->shown || has_file(d))
		return;
	close_watched(d);
	d->leaving = true;
	tell_change(devices, d, CHANGE_REMOVED, NULL);
}

static void note_listed(struct watched_devices *devices,
			const struct device_list *list)
{
	for (size_t i = 0; i < devices->n; i++)
		devices->list[i].listed = false;
	for (size_t i = 0; i < list->n; i++) {
		struct watched *d = find(devices, list->listed[i].name);

		if (d)
			d->listed = d->identity == identify(d->name);
	}
	drop_gone(devices);
	for (size_t i = 0; i < devices->n; i++)
		release_removed(devices, &devices->list[i]);
}

static void refresh_device(struct watched_devices *devices,
			   const struct listed *listed)
{
	struct watched *d = find(devices, listed->name);

	if (!d) {
		d = append(devices, listed->name);
		tell_change(devices, d, devices->begun ? CHANGE_ADDED :
							 CHANGE_PRESENT, NULL);
	}
	if (!d->context && !d->leaving)
		open_watched(devices, listed, d);
	if (!d->context)
		return;
	for (unsigned int port = 1; port <= d->n_ports; port++)
		if (is_watched(devices, (uint8_t)port)) {
			refresh_port(devices, d, (uint8_t)port);
			refresh_gids(devices, d, (uint8_t)port);
		}
}

void devices_refresh(struct watched_devices *devices)
{
	struct device_list list = { 0 };
	struct error none = { 0 };

	/* that there is no device, or none any more, is no failure here */
	if (device_list_read(&list, &none))
		list.n = 0;
	note_listed(devices, &list);
	for (size_t i = 0; i < list.n; i++)
		if (!devices->only ||
		    !strcmp(list.listed[i].name, devices->only))
			refresh_device(devices, &list.listed[i]);
	device_list_free(&list);
	devices->begun = true;
}

static bool has_port(enum ibv_event_type type)
{
	return type == IBV_EVENT_PORT_ACTIVE || type == IBV_EVENT_PORT_ERR ||
	       type == IBV_EVENT_LID_CHANGE || type == IBV_EVENT_PKEY_CHANGE ||
	       type == IBV_EVENT_SM_CHANGE || type == IBV_EVENT_GID_CHANGE ||
	       type == IBV_EVENT_CLIENT_REREGISTER;
}

static void take_event(struct watched_devices *devices, struct watched *d,
		       struct ibv_async_event *async)
{
	const bool ported = has_port(async->event_type);
	struct watch_event event =
		begin_event(WATCH_ASYNC, d,
			    ported ? (uint8_t)async->element.port_num : 0);

	event.async = async->event_type;
	ibv_ack_async_event(async);
	if (!ported || is_watched(devices, event.port))
		tell(devices, &event);
}

void devices_take_events(struct watched_devices *devices, struct watched *d)
{
	struct ibv_async_event async = { .element = { .port_num = 0 } };
	struct error err = { 0 };

	while (!ibv_get_async_event(d->context, &async))
		take_event(devices, d, &async);
	if (errno == EAGAIN || errno == EINTR)
		return;
	fail_errno(&err, errno, NULL, "%s: cannot read its events", d->name);
	note_unusable(devices, d, &err);
}

void devices_close(struct watched_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		close_watched(&devices->list[i]);
	free(devices->list);
	devices->list = NULL;
	devices->n = 0;
}
