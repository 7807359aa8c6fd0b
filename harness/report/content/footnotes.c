#include "harness/report/content/footnotes.h"

#include "harness/report/content/ceilings.h"
#include "harness/report/content/notes.h"

#include <string.h>

/* Keeps the notes that this row has, too. */
static void keep_shared(struct notes *kept, const struct cell_metrics *metrics)
{
    struct notes notes;
    unsigned count = 0;
    notes_read(&notes, metrics);
    for (unsigned i = 0; i < kept->count; i++)
        for (unsigned k = 0; k < notes.count; k++)
            if (strcmp(kept->note[i].text, notes.note[k].text) == 0) {
                kept->note[count++] = kept->note[i];
                break;
            }
    kept->count = count;
    notes_release(&notes);
}

void footnotes_common(struct notes *out, const struct answer_set *set)
{
    unsigned rows = 0, blocks = 0;
    *out = (struct notes){ .count = 0 };
    for (unsigned i = 0; i < set->record->blocks; i++) {
        const struct block_record *block = &set->record->block[i];
        const unsigned before = rows, cells = block->cells > 0 && !ceilings_only(block) ? block->cells : 0;
        for (unsigned k = 0; k < cells; k++) {
            const struct cell_metrics *metrics = &set->metrics[i][k];
            if (metrics->measured && rows++ == 0)
                notes_read(out, metrics);
            else if (metrics->measured)
                keep_shared(out, metrics);
        }
        blocks += rows > before;
    }
    if (blocks < 2)
        out->count = 0;
}

void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text)
{
    struct pool *pool = footnotes->pool;
    for (unsigned i = 0; footnotes->common && i < footnotes->common->count; i++)
        if (strcmp(footnotes->common->note[i].text, text) == 0)
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
