#include "harness/base/lines.h"

#include <stdlib.h>
#include <string.h>

char *lines_take(struct lines *lines)
{
    char *end = lines->buffer ? memchr(lines->buffer + lines->scanned, '\n', lines->used - lines->scanned) : NULL;
    lines->scanned = lines->used;
    if (!end)
        return NULL;
    char *line = lines->buffer + lines->taken;
    *end = '\0';
    lines->taken = lines->scanned = (size_t)(end - lines->buffer) + 1;
    return line;
}

char *lines_reserve(struct lines *lines, size_t bytes)
{
    if (lines->taken > 0) {
        memmove(lines->buffer, lines->buffer + lines->taken, lines->used - lines->taken);
        lines->used -= lines->taken;
        lines->scanned -= lines->taken;
        lines->taken = 0;
    }
    if (lines->room - lines->used < bytes) {
        const size_t room = lines->room > bytes ? 2 * lines->room : 2 * bytes;
        char *buffer = realloc(lines->buffer, room);
        if (!buffer)
            return NULL;
        lines->buffer = buffer;
        lines->room = room;
    }
    return lines->buffer + lines->used;
}

bool lines_has_part(const struct lines *lines)
{
    return lines->used > lines->taken;
}

void lines_release(struct lines *lines)
{
    free(lines->buffer);
    *lines = (struct lines){ .buffer = NULL };
}
