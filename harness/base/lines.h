#ifndef HARNESS_BASE_LINES_H
#define HARNESS_BASE_LINES_H

/* Bytes that arrive in pieces, taken line by line. All zeros at first. */

#include <stdbool.h>
#include <stddef.h>

struct lines {
    char *buffer;                /* received: [0, taken) was returned, [taken, used) was not */
    size_t taken, scanned, used; /* [taken, scanned) holds no line break */
    size_t room;
};

/* The first complete line, without its line break; NULL: none. Valid until the next call. */
char *lines_take(struct lines *lines);

/* Room for so many bytes more; who fills it adds their number to `used`. NULL: no memory. */
char *lines_reserve(struct lines *lines, size_t bytes);

/* Whether there is a part of a line. */
bool lines_has_part(const struct lines *lines);
void lines_release(struct lines *lines);

#endif
