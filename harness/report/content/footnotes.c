#include "harness/report/content/footnotes.h"

#include "harness/report/content/ceilings.h"
#include "harness/report/content/notes.h"

#include <stdlib.h>

/* Adds a row's notes to the number of rows that have each note. */
static bool count_notes(json_t *rows_of, const struct cell_metrics *metrics)
{
    struct notes notes;
    bool complete = true;
    notes_read(&notes, metrics);
    for (unsigned i = 0; i < notes.count; i++) {
        json_int_t rows = json_integer_value(json_object_get(rows_of, notes.text[i]));
        complete &= json_object_set_new(rows_of, notes.text[i], json_integer(rows + 1)) == 0;
    }
    notes_release(&notes);
    return complete;
}

json_t *footnotes_common(const struct answer_set *set)
{
    json_t *rows_of = json_object(), *value;
    const char *text;
    void *next;
    unsigned rows = 0, blocks = 0;
    bool complete = rows_of != NULL;
    for (unsigned i = 0; complete && i < set->record->blocks; i++) {
        const struct block_record *block = &set->record->block[i];
        const unsigned before = rows, cells = block->cells > 0 && !ceilings_only(block) ? block->cells : 0;
        for (unsigned k = 0; k < cells; k++)
            if (set->metrics[i][k].measured) {
                complete &= count_notes(rows_of, &set->metrics[i][k]);
                rows++;
            }
        blocks += rows > before;
    }
    json_object_foreach_safe(rows_of, next, text, value)
    {
        if (blocks < 2 || json_integer_value(value) < (json_int_t)rows)
            json_object_del(rows_of, text);
    }
    if (complete)
        return rows_of;
    json_decref(rows_of);
    return NULL;
}

void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text)
{
    struct pool *pool = footnotes->pool;
    if (json_object_get(footnotes->common, text))
        return;
    const json_t *known = json_object_get(footnotes->number, text);
    json_int_t number = known ? json_integer_value(known) : (json_int_t)json_object_size(footnotes->number) + 1;
    if (!known) {
        pool->is_short |= json_object_set_new(footnotes->number, text, json_integer(number)) != 0;
        lines_add(pool, footnotes->lines, "", text);
    }
    unsigned *note = pool_grow(pool, row->note, row->notes, &row->note_room, sizeof *note);
    row->note = note;
    if (row->notes < row->note_room)
        note[row->notes++] = (unsigned)number;
}
