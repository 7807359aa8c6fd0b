#include "harness/report/formats/stream.h"

#include "harness/base/text.h"

#include <string.h>

enum { INDENT = 2, DIGITS = 9 };

/* Makes whole numbers integers, as reals are written with fewer digits than counts have. Takes the value, and returns
 * it or what takes its place; NULL when memory is short. */
static json_t *exact(json_t *json)
{
    bool complete = json != NULL;
    json_t *value;
    const char *name;
    size_t i;
    if (json_is_real(json) && text_is_whole(json_real_value(json))) {
        value = json_integer((json_int_t)json_real_value(json));
        json_decref(json);
        return value;
    }
    json_object_foreach (json, name, value)
        complete &= json_object_set_new_nocheck(json, name, exact(json_incref(value))) == 0;
    json_array_foreach (json, i, value)
        complete &= json_array_set_new(json, i, exact(json_incref(value))) == 0;
    if (complete)
        return json;
    json_decref(json);
    return NULL;
}

static void start_line(const struct stream *stream)
{
    fprintf(stream->out, "\n%*s", (int)(INDENT * stream->depth), "");
}

static void start_member(struct stream *stream, const char *name)
{
    if (stream->has_member)
        fputc(',', stream->out);
    if (stream->depth > 0)
        start_line(stream);
    if (name)
        fprintf(stream->out, "\"%s\": ", name);
    stream->has_member = true;
}

void stream_open(struct stream *stream, const char *name, char bracket)
{
    start_member(stream, name);
    fputc(bracket, stream->out);
    stream->depth++;
    stream->has_member = false;
}

void stream_close(struct stream *stream, char bracket)
{
    stream->depth--;
    if (stream->has_member)
        start_line(stream);
    fputc(bracket, stream->out);
    stream->has_member = true;
}

/* Line breaks in a dump are layout: those within texts are escaped. jansson writes a dump in pieces of a few bytes: as
 * one locked call each they took a seventh of the time of a large report. */
static int take_dump(const char *bytes, size_t size, void *context)
{
    const struct stream *stream = context;
    for (const char *end; size > 0 && (end = memchr(bytes, '\n', size)); bytes = end + 1) {
        fwrite_unlocked(bytes, 1, (size_t)(end - bytes), stream->out);
        start_line(stream);
        size -= (size_t)(end + 1 - bytes);
    }
    fwrite_unlocked(bytes, 1, size, stream->out);
    return 0;
}

/* Written directly: jansson's own buffer silently drops what it has no memory for. */
void stream_put(struct stream *stream, const char *name, json_t *value)
{
    const size_t flags =
        JSON_SORT_KEYS | JSON_INDENT(INDENT) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS);
    value = exact(value);
    start_member(stream, name);
    if (!value || json_dump_callback(value, take_dump, stream, flags) != 0)
        stream->is_short = true;
    json_decref(value);
}
