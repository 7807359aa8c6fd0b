#include "harness/report/content/note_list.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_noted(const struct notes *notes, const char *text)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return true;
    return false;
}

static void add(struct notes *notes, enum severity severity, const char *text)
{
    if (is_noted(notes, text))
        return;
    notes->text = pool_grow(&notes->pool, notes->text, notes->count, &notes->room, sizeof *notes->text);
    notes->severity =
        pool_grow(&notes->pool, notes->severity, notes->count, &notes->severity_room, sizeof *notes->severity);
    if (notes->count >= notes->room || notes->count >= notes->severity_room)
        return;
    notes->severity[notes->count] = severity;
    notes->text[notes->count++] = pool_copy(&notes->pool, text);
}

void note_text(struct notes *notes, const char *text)
{
    add(notes, SEVERITY_NONE, text);
}

void note(struct notes *notes, const char *format, ...)
{
    char text[NOTE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note_text(notes, text);
}

void note_warning(struct notes *notes, enum severity severity, const char *format, ...)
{
    char text[NOTE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(notes, severity, text);
}

double step_below(double change)
{
    static const double steps[] = { 0.5, 0.2, 0.05 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (fabs(change) > steps[i])
            return steps[i];
    return 0;
}

void notes_release(struct notes *notes)
{
    pool_release(&notes->pool);
    *notes = (struct notes){ .count = 0 };
}
