/* Writes the events of verbsperf watch, as text or as lines of JSON. */
#include "config.h"
#include "report/events.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/xalloc.h"
#include "report/json_value.h"
#include "report/sink.h"
#include "verbs/explain.h"

#define SCHEMA "verbsperf-events/1"

struct events {
	struct watch_taker taker;
	struct sink sink;
	bool json;
	char hostname[PORT_NAME_SIZE];
	uint64_t number;	/* events so far */
	uint64_t missing;	/* left out since the last line */
	uint64_t lost;		/* left out in all */
};

static struct events *events_of(const struct watch_taker *taker)
{
	return (struct events *)((char *)taker -
				 offsetof(struct events, taker));
}

static json_t *make_line(const struct events *e, const char *type,
			 const struct timespec *when)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "schema", SCHEMA, "type",
			 type, "time", json_time(when), "hostname",
			 json_text(e->hostname));
}

static json_t *make_line_now(const struct events *e, const char *type)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return make_line(e, type, &now);
}

/* Write WHEN in the form that the JSON has. */
static void put_time(FILE *out, const struct timespec *when)
{
	json_t *time = json_time(when);

	fprintf(out, "%s ", json_string_value(time));
	json_decref(time);
}

static void print_device(FILE *out, const struct watch_event *event)
{
	fprintf(out, ": %s", watch_change_names[event->change]);
	if (event->change != CHANGE_FAILED)
		return;
	fprintf(out, ": %s", event->error.message);
	if (event->error.advice[0])
		fprintf(out, " -> %s", event->error.advice);
}

static void print_value(FILE *out, const char *text, int field)
{
	fprintf(out, " %s%s", text[0] ? text : "none",
		text[0] ? port_status_table[field].unit : "");
}

static void print_port(FILE *out, const struct watch_event *event)
{
	const char *separator = ":";

	for (int i = 0; i < PORT_STATUS_FIELDS; i++) {
		const char *before = event->before.text[i];
		const char *now = event->now.text[i];

		if (event->first ? !now[0] : !strcmp(before, now))
			continue;
		fprintf(out, "%s %s", separator, port_status_table[i].words);
		if (!event->first) {
			print_value(out, before, i);
			fputs(" ->", out);
		}
		print_value(out, now, i);
		separator = ",";
	}
}

static const char *interface_of(const struct gid *gid, char name[IF_NAMESIZE])
{
	name[0] = '\0';
	if (gid->ifindex && !if_indextoname(gid->ifindex, name))
		name[0] = '\0';
	return name;
}

static void print_gid(FILE *out, const struct watch_event *event)
{
	char text[GID_TEXT_SIZE], name[IF_NAMESIZE];

	interface_of(&event->gid, name);
	fprintf(out, ": GID %u %s (%s)%s%s %s", event->gid.index,
		gid_show(&event->gid, text),
		gid_type_name(event->gid.type), name[0] ? " of " : "", name,
		watch_change_names[event->change]);
}

static void print_async(FILE *out, const struct watch_event *event)
{
	const struct explain_event_row *row = explain_event_of(event->async);

	fprintf(out, ": %s: %s", row->name, row->cause);
}

static void put_device(json_t *line, const struct watch_event *event)
{
	json_put(line, "change",
		 json_string(watch_change_names[event->change]));
	json_put(line, "message", json_text(event->error.message));
	json_put(line, "advice", json_text(event->error.advice));
}

static json_t *field_value(const char *text, int field)
{
	if (!port_status_table[field].number || !text[0])
		return json_text(text);
	if (strchr(text, '.'))
		return json_real(strtod(text, NULL));
	return json_integer(strtoll(text, NULL, 10));
}

static json_t *make_status(const struct port_status *status)
{
	json_t *object = json_object();

	for (int i = 0; i < PORT_STATUS_FIELDS; i++)
		json_put(object, port_status_table[i].key,
			 field_value(status->text[i], i));
	return object;
}

static json_t *changed_keys(const struct watch_event *event)
{
	json_t *array = json_array();

	for (int i = 0; i < PORT_STATUS_FIELDS; i++)
		if (!event->first &&
		    strcmp(event->before.text[i], event->now.text[i]) != 0)
			json_add(array, json_string(port_status_table[i].key));
	return array;
}

static void put_port(json_t *line, const struct watch_event *event)
{
	json_put(line, "changed", changed_keys(event));
	json_put(line, "before",
		 event->first ? json_null() : make_status(&event->before));
	json_put(line, "now", make_status(&event->now));
}

static void put_gid(json_t *line, const struct watch_event *event)
{
	char text[GID_TEXT_SIZE], name[IF_NAMESIZE];
	const struct gid *gid = &event->gid;

	json_put(line, "change",
		 json_string(watch_change_names[event->change]));
	json_put(line, "index", json_count(gid->index));
	json_put(line, "gid", json_text(gid_format(&gid->raw, text)));
	json_put(line, "gid_type", json_text(gid_type_name(gid->type)));
	json_put(line, "interface", json_text(interface_of(gid, name)));
}

static void put_async(json_t *line, const struct watch_event *event)
{
	const struct explain_event_row *row = explain_event_of(event->async);

	json_put(line, "event", json_string(row->name));
	json_put(line, "fatal", json_boolean(row->fatal));
	json_put(line, "message", json_text(row->cause));
	json_put(line, "advice", json_text(row->advice));
}

static const struct {
	const char *type;
	void (*print)(FILE *out, const struct watch_event *event);
	void (*put)(json_t *line, const struct watch_event *event);
} kinds[WATCH_KINDS] = {
	[WATCH_DEVICE] = { "device", print_device, put_device },
	[WATCH_PORT] = { "port", print_port, put_port },
	[WATCH_GID] = { "gid", print_gid, put_gid },
	[WATCH_ASYNC] = { "async", print_async, put_async },
};

static char *event_json(const struct events *e, const struct watch_event *event)
{
	json_t *line = make_line(e, kinds[event->kind].type, &event->when);

	json_put(line, "number", json_count(e->number));
	json_put(line, "device", json_text(event->device));
	json_put(line, "port",
		 event->port ? json_count(event->port) : json_null());
	kinds[event->kind].put(line, event);
	return json_to_line(line);
}

static char *event_text(const struct watch_event *event)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	put_time(out, &event->when);
	fputs(event->device, out);
	if (event->port)
		fprintf(out, " port %u", event->port);
	kinds[event->kind].print(out, event);
	fputc('\n', out);
	fclose(out);
	return text;
}

static char *lost_json(const struct events *e)
{
	json_t *line = make_line_now(e, "lost");

	json_put(line, "count", json_count(e->missing));
	return json_to_line(line);
}

static char *lost_text(const struct events *e)
{
	struct timespec now;
	char *text = NULL;
	FILE *out = xmemstream(&text);

	clock_gettime(CLOCK_REALTIME, &now);
	put_time(out, &now);
	fprintf(out, "%" PRIu64 " event%s left out: what was before was read "
		"too slowly\n", e->missing,
		e->missing == 1 ? " was" : "s were");
	fclose(out);
	return text;
}

/* Free TEXT.  False if it was not taken. */
static bool put(struct events *e, char *text)
{
	const size_t length = strlen(plain_text(text));
	const bool taken = sink_has_room(&e->sink, length);

	if (taken)
		sink_put(&e->sink, text, length);
	free(text);
	return taken;
}

/* Write how many events were left out, once half of the room is free again: not
 * for each of a few.  False if it is not. */
static bool put_missing(struct events *e)
{
	if (!e->missing)
		return true;
	if (!sink_has_room(&e->sink, e->sink.most_kept / 2) ||
	    !put(e, e->json ? lost_json(e) : lost_text(e)))
		return false;
	e->missing = 0;
	return true;
}

static void on_take(struct watch_taker *taker, const struct watch_event *event)
{
	struct events *e = events_of(taker);

	e->number++;
	sink_flush(&e->sink);
	if (put_missing(e) &&
	    put(e, e->json ? event_json(e, event) : event_text(event)))
		return;
	e->missing++;
	e->lost++;
}

static int on_flush(struct watch_taker *taker)
{
	struct events *e = events_of(taker);

	sink_flush(&e->sink);
	put_missing(e);
	return e->sink.errnum ? -e->sink.errnum : !sink_flush(&e->sink);
}

static int on_fd(const struct watch_taker *taker)
{
	return events_of(taker)->sink.fd;
}

struct watch_taker *events_new(const struct parameters *params)
{
	struct events *e = xcalloc(1, sizeof(*e));
	json_t *line;

	e->taker = (struct watch_taker){ on_take, on_flush, on_fd };
	e->json = params->json_lines;
	gethostname(e->hostname, sizeof(e->hostname) - 1);
	sink_init(&e->sink, e->json ? params->json_lines : "-");
	e->sink.lines = true;
	/* this opens the place, which shows whether its reader goes */
	sink_flush(&e->sink);
	if (e->json) {
		line = make_line_now(e, "start");
		json_put(line, "watched", json_text(params->device));
		json_put(line, "tool", json_tool());
		put(e, json_to_line(line));
	}
	return &e->taker;
}

void events_keep(struct watch_taker *taker, size_t bytes)
{
	events_of(taker)->sink.most_kept = bytes;
}

void events_free(struct watch_taker *taker)
{
	struct events *e = events_of(taker);

	sink_free(&e->sink);
	free(e);
}

int events_end(struct watch_taker *taker, struct error *err)
{
	struct events *e = events_of(taker);
	json_t *line;
	int ret;

	ret = sink_finish(&e->sink, err);
	if (ret)
		return ret == -EPIPE ? 0 : ret;
	put_missing(e);
	if (e->json) {
		line = make_line_now(e, "end");
		json_put(line, "events", json_count(e->number));
		json_put(line, "lost", json_count(e->lost));
		put(e, json_to_line(line));
	}
	ret = sink_finish(&e->sink, err);
	return ret == -EPIPE ? 0 : ret;
}
