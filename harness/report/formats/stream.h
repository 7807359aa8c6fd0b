#ifndef HARNESS_REPORT_FORMATS_STREAM_H
#define HARNESS_REPORT_FORMATS_STREAM_H

/* JSON written part by part, so that a report of any length takes the memory of its largest part. The bytes are those
 * of one dump of the whole: indented, plain ASCII, whole numbers exact. Whatever is in a text, nothing of it acts on
 * the terminal it is shown on. Members come in the order they are written. */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct stream {
    FILE *out;
    unsigned depth;
    bool has_member; /* what is open has one already */
    bool is_short;   /* of memory, at some part: what was written is not whole */
    size_t waiting;  /* bytes that are not in the file yet */
    char bytes[1 << 14];
};

/* Opens an object ('{') or an array ('['), as a member of that name; NULL: of an array, or the whole. */
void stream_open(struct stream *stream, const char *name, char bracket);
void stream_close(struct stream *stream, char bracket); /* '}' or ']'; with the whole, all of it is in the file */

/* A whole object, array or text, which it takes; NULL stands for exhausted memory. Its members are sorted by name. */
void stream_put(struct stream *stream, const char *name, json_t *value);

#endif
