#ifndef HARNESS_REPORT_FORMATS_STREAM_H
#define HARNESS_REPORT_FORMATS_STREAM_H

/* JSON written part by part: a report of any length needs the memory of its largest part only. The bytes are those of
 * one dump of the whole: indented, ASCII, whole numbers exact. Texts are escaped, so they cannot control a terminal.
 * Members come in the order in which they are written. */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct stream {
    FILE *out;
    unsigned depth;
    bool has_member; /* the open object or array is not empty */
    bool is_short;   /* memory was short: the output is not complete */
};

/* Opens an object ('{') or an array ('['), as a member with that name; NULL: an element of an array, or the whole. */
void stream_open(struct stream *stream, const char *name, char bracket);
void stream_close(struct stream *stream, char bracket); /* '}' or ']' */

/* Writes a value, which it takes; NULL: memory was short. Its members are sorted by name. */
void stream_put(struct stream *stream, const char *name, json_t *value);

#endif
