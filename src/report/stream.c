/* A report that is written row by row. */
#include "config.h"
#include "report/stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "base/xalloc.h"
#include "report/sink.h"

struct stream {
	const struct row_format *format;
	bool to_log;		/* instead of the sink */
	struct sink sink;
	/* what the report has, and how much of it is written */
	bool begun, headed;
	uint32_t rows;
};

static char *render(const struct row_format *format, const struct result *r,
		    bool head, uint32_t first, bool tail)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	if (head && format->head)
		format->head(out, r);
	for (uint32_t i = first; i < r->n_rows; i++)
		format->row(out, r, &r->rows[i]);
	if (tail && format->tail)
		format->tail(out, r);
	fclose(out);
	return plain_text(text);
}

static bool shows(const struct row_format *format, const struct result *r)
{
	return !format->shows || format->shows(r);
}

char *row_format_name(const struct row_format *format, const struct result *r,
		      int fd, char *text)
{
	char *named = NULL, *rest = text, *line;
	FILE *out;

	if (!format->table || !r->at_server || !isatty(fd))
		return text;
	out = xmemstream(&named);
	while ((line = strsep(&rest, "\n")) && (rest || *line))
		fprintf(out, "server:%s%s\n", *line == ' ' ? "" : " ", line);
	fclose(out);
	free(text);
	return named;
}

char *row_format_render(const struct row_format *format, const struct result *r)
{
	return shows(format, r) ? render(format, r, r->n_rows, 0, true) :
				  xcheck(strdup(""));
}

struct stream *stream_new(const struct row_format *format, const char *path)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->format = format;
	s->to_log = !path;
	sink_init(&s->sink, path);
	s->sink.lines = format->lines;
	s->sink.anew = !format->lines;
	s->sink.patient = path && !strcmp(path, "-") && !format->lines;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	sink_free(&s->sink);
	free(s);
}

/* False if TEXT was neither written nor kept. */
static bool put(struct stream *s, const char *text, bool end)
{
	if (!s->to_log)
		sink_put(&s->sink, text, strlen(text));
	else if (end)
		log_text(text);
	else
		return log_text_now(text);
	return true;
}

/* The lines TEXT as they are written. */
static char *as_written(const struct stream *s, const struct result *r,
			char *text)
{
	return row_format_name(s->format, r, s->to_log ? STDERR_FILENO :
						      STDOUT_FILENO, text);
}

/* Write what is new since the last call. */
static void advance(struct stream *s, const struct result *r, bool end)
{
	char *text;

	if (!shows(s->format, r))
		return;
	text = render(s->format, r, s->begun && !s->headed, s->rows, end);
	text = as_written(s, r, text);
	if (put(s, text, end)) {
		s->headed = s->begun;
		s->rows = r->n_rows;
	}
	free(text);
}

void stream_begin(struct stream *s, const struct result *r)
{
	s->begun = true;
	advance(s, r, false);
}

void stream_rows(struct stream *s, const struct result *r)
{
	advance(s, r, false);
}

bool stream_interval(struct stream *s, const struct result *r,
		     const struct observed *part)
{
	char *text = NULL;
	FILE *out;

	if (!s->format->interval)
		return true;
	out = xmemstream(&text);
	s->format->interval(out, r, part);
	fclose(out);
	put(s, plain_text(text), false);
	free(text);
	return !s->sink.errnum || s->format->lines ||
	       !plan_is_endless(&r->params.plan);
}

int stream_end(struct stream *s, const struct result *r, struct error *err)
{
	advance(s, r, true);
	return s->to_log ? 0 : sink_finish(&s->sink, err);
}
