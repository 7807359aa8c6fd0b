#include "harness/report/content/sweep_notes.h"

#include "harness/journal/record_parts.h"
#include "harness/report/content/notes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 };

/* Notes that say the same, but for their figures. */
struct kind {
    char *text; /* the first of them */
    unsigned count;
    bool differs; /* others have other figures */
};

struct kinds {
    struct kind *kind;
    unsigned kinds, room;
    unsigned measured; /* cells */
};

/* Whether two texts are the same where neither has a number, a point or comma within it included. */
static bool is_alike(const char *one, const char *other)
{
    static const char figure[] = "0123456789.,";
    while (*one && *other) {
        if (isdigit((unsigned char)*one) && isdigit((unsigned char)*other)) {
            one += strspn(one, figure);
            other += strspn(other, figure);
        } else if (*one++ != *other++)
            return false;
    }
    return !*one && !*other;
}

static bool count_note(struct kinds *kinds, const char *text)
{
    for (unsigned i = 0; i < kinds->kinds; i++) {
        struct kind *kind = &kinds->kind[i];
        if (!is_alike(kind->text, text))
            continue;
        kind->count++;
        kind->differs = kind->differs || strcmp(kind->text, text) != 0;
        return true;
    }
    char *copy = strdup(text);
    if (!copy || !grow(&kinds->kind, kinds->kinds, &kinds->room, sizeof *kinds->kind)) {
        free(copy);
        return false;
    }
    kinds->kind[kinds->kinds++] = (struct kind){ .text = copy, .count = 1 };
    return true;
}

static bool count_cell(struct kinds *kinds, const struct record *record, const struct cell_record *cell)
{
    struct cell_metrics metrics;
    struct notes notes;
    bool complete = true;
    cell_metrics_read(&metrics, record, cell);
    if (!metrics.measured)
        return true;
    kinds->measured++;
    notes_read(&notes, &metrics);
    for (unsigned i = 0; complete && i < notes.count; i++)
        complete = count_note(kinds, notes.text[i]);
    notes_release(&notes);
    return complete;
}

/* Takes the most frequent kind out; of several the one that came first. */
static struct kind take_first(struct kinds *kinds)
{
    unsigned at = 0;
    for (unsigned i = 1; i < kinds->kinds; i++)
        if (kinds->kind[i].count > kinds->kind[at].count)
            at = i;
    struct kind first = kinds->kind[at];
    memmove(&kinds->kind[at], &kinds->kind[at + 1], (--kinds->kinds - at) * sizeof first);
    return first;
}

static void say_first(struct pool *pool, struct lines *out, struct kinds *kinds)
{
    for (unsigned i = 0; i < SHOWN && kinds->kinds > 0; i++) {
        struct kind kind = take_first(kinds);
        lines_print(pool, out, "note", "on %u of %u measurements%s: %s", kind.count, kinds->measured,
                    kind.differs ? " (figures differ)" : "", kind.text);
        free(kind.text);
    }
    if (kinds->kinds > 0)
        lines_print(pool, out, "note", "%u more kind%s of notes on measurements: --format json has all of them",
                    kinds->kinds, kinds->kinds == 1 ? "" : "s");
}

void sweep_notes_append(struct pool *pool, struct lines *out, const struct record *record, const char *letter)
{
    struct kinds kinds = { .kinds = 0 };
    bool complete = true;
    unsigned first = out->lines;
    for (unsigned i = 0; complete && i < record->cells; i++)
        complete = count_cell(&kinds, record, record->cell[i]);
    pool->is_short |= !complete;
    say_first(pool, out, &kinds);
    lines_sign(out, first, letter);
    for (unsigned i = 0; i < kinds.kinds; i++)
        free(kinds.kind[i].text);
    free(kinds.kind);
}
