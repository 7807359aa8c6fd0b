#include "harness/report/content/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places come one after the other, so the last one is the only one that can be there already. */
static void add_place(struct notes *notes, struct note *to, const char *place)
{
    if (!place || place == to->place)
        return;
    to->place = place;
    if (to->places++ < NOTE_PLACES)
        to->named = pool_print(notes->pool, "%s%s%s", to->named, *to->named ? ", " : "", place);
}

void notes_add(struct notes *notes, const struct note *one, const char *place)
{
    unsigned at = 0;
    while (at < notes->count && strcmp(notes->note[at].text, one->text) != 0)
        at++;
    if (at == notes->count) {
        const struct note added = { .text = pool_copy(notes->pool, one->text), .severity = one->severity, .named = "" };
        if (!pool_add(notes->pool, &notes->note, &notes->count, &added, sizeof added))
            return;
    }
    notes->note[at].times++;
    notes->note[at].rows += one->rows;
    add_place(notes, &notes->note[at], place);
}

void note(struct notes *notes, enum severity severity, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    notes_add(notes, &(struct note){ .text = text, .severity = severity }, NULL);
}

const char *notes_places(struct pool *pool, const struct note *one)
{
    return one->places > NOTE_PLACES ? pool_print(pool, "%s and others", one->named) : one->named;
}

static int by_severity(const void *a, const void *b)
{
    const struct note *one = a, *other = b;
    if (one->severity != other->severity)
        return one->severity > other->severity ? -1 : 1;
    if (one->times != other->times)
        return one->times > other->times ? -1 : 1;
    return strcmp(one->text, other->text);
}

void notes_sort(struct notes *notes)
{
    if (notes->count > 0)
        qsort(notes->note, notes->count, sizeof *notes->note, by_severity);
}
