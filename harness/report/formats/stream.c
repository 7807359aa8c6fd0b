#include "harness/report/formats/stream.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
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

static void drain(struct stream *stream)
{
    fwrite(stream->bytes, 1, stream->waiting, stream->out);
    stream->waiting = 0;
}

/* jansson writes a dump in pieces of a few bytes. As one locked call each they took a seventh of the time of a large
 * report. */
static void put(struct stream *stream, const char *bytes, size_t size)
{
    if (size > sizeof stream->bytes - stream->waiting)
        drain(stream);
    if (size > sizeof stream->bytes) {
        fwrite(bytes, 1, size, stream->out);
        return;
    }
    memcpy(stream->bytes + stream->waiting, bytes, size);
    stream->waiting += size;
}

static void put_text(struct stream *stream, const char *text)
{
    put(stream, text, strlen(text));
}

static void start_line(struct stream *stream)
{
    put_text(stream, "\n");
    for (unsigned i = 0; i < stream->depth; i++)
        put(stream, "  ", INDENT);
}

static void start_member(struct stream *stream, const char *name)
{
    if (stream->has_member)
        put_text(stream, ",");
    if (stream->depth > 0)
        start_line(stream);
    if (name) {
        put_text(stream, "\"");
        put_text(stream, name);
        put_text(stream, "\": ");
    }
    stream->has_member = true;
}

void stream_open(struct stream *stream, const char *name, char bracket)
{
    start_member(stream, name);
    put(stream, &bracket, 1);
    stream->depth++;
    stream->has_member = false;
}

void stream_close(struct stream *stream, char bracket)
{
    stream->depth--;
    if (stream->has_member)
        start_line(stream);
    put(stream, &bracket, 1);
    stream->has_member = true;
    if (stream->depth == 0)
        drain(stream);
}

/* Line breaks in a dump are layout: those within texts are escaped. */
static int take_dump(const char *bytes, size_t size, void *context)
{
    struct stream *stream = context;
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t length = end ? (size_t)(end - bytes) : size;
        put(stream, bytes, length);
        if (end)
            start_line(stream);
        bytes += length + (end != NULL);
        size -= length + (end != NULL);
    }
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

void stream_word(struct stream *stream, const char *name, const char *word)
{
    start_member(stream, name);
    put_text(stream, word);
}

/* jansson writes an exponent without a plus and without zeros before it, and a point where there is neither. */
void stream_number(struct stream *stream, const char *name, double value)
{
    char digits[32];
    if (!isfinite(value)) {
        stream_word(stream, name, "null");
        return;
    }
    if (text_is_whole(value)) {
        snprintf(digits, sizeof digits, "%" PRId64, (int64_t)value);
    } else {
        snprintf(digits, sizeof digits, "%.*g", DIGITS, value);
        char *exponent = strchr(digits, 'e');
        if (exponent)
            sprintf(exponent + 1, "%ld", strtol(exponent + 1, NULL, 10));
        else if (!strchr(digits, '.'))
            strcat(digits, ".0");
    }
    stream_word(stream, name, digits);
}

void stream_text(struct stream *stream, const char *name, const char *text)
{
    const char *at = text;
    while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
        at++;
    if (*at) { /* has to be escaped */
        stream_put(stream, name, json_string(text));
        return;
    }
    start_member(stream, name);
    put_text(stream, "\"");
    put(stream, text, (size_t)(at - text));
    put_text(stream, "\"");
}
