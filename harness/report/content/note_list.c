#include "harness/report/content/notes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

unsigned notes_find(const struct notes *notes, const char *text)
{
    unsigned at = 0;
    while (at < notes->count && strcmp(notes->note[at].text, text) != 0)
        at++;
    return at;
}

/* Places come one after the other, so the last one is the only one that can be there already. */
unsigned notes_add(struct notes *notes, const struct note *one, const char *place)
{
    const unsigned at = notes_find(notes, one->text);
    if (at == notes->count) {
        const struct note added = { .text = one->text, .severity = one->severity, .named = "" };
        if (!pool_add(notes->pool, &notes->note, &notes->count, &added, sizeof added))
            return 0;
    }
    struct note *to = &notes->note[at];
    to->rows += one->rows;
    if (place && place != to->place) {
        to->place = place;
        if (to->places++ < NOTE_PLACES)
            to->named = pool_print(notes->pool, "%s%s%s", to->named, *to->named ? ", " : "", place);
    }
    return at + 1;
}

void note(struct notes *notes, enum severity severity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    notes_add(notes, &(struct note){ .text = pool_vprint(notes->pool, format, arguments), .severity = severity }, NULL);
    va_end(arguments);
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
    if (one->rows != other->rows)
        return one->rows > other->rows ? -1 : 1;
    return strcmp(one->text, other->text);
}

void notes_sort(struct notes *notes)
{
    if (notes->count > 0)
        qsort(notes->note, notes->count, sizeof *notes->note, by_severity);
}
