#include "harness/report/content/document_parts.h"

#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"

#include <string.h>

/* Keeps the notes that this row has, too. */
static void keep_shared(struct notes *kept, const struct cell_metrics *metrics)
{
    const struct notes notes = notes_read(kept->pool, metrics);
    unsigned count = 0;
    for (unsigned i = 0; i < kept->count; i++)
        for (unsigned k = 0; k < notes.count; k++)
            if (strcmp(kept->note[i].text, notes.note[k].text) == 0) {
                kept->note[count++] = kept->note[i];
                break;
            }
    kept->count = count;
}

struct notes footnotes_common(struct pool *pool, const struct answer_set *set)
{
    unsigned rows = 0, blocks = 0;
    struct notes common = { .pool = pool };
    for (unsigned i = 0; i < set->record->blocks; i++) {
        const struct block_record *block = &set->record->block[i];
        const unsigned before = rows, cells = heading_is_peaks(block) ? 0 : block->cells;
        for (unsigned k = 0; k < cells; k++) {
            const struct cell_metrics *metrics = &set->metrics[i][k];
            if (metrics->measured && rows++ == 0)
                common = notes_read(pool, metrics);
            else if (metrics->measured && common.count > 0)
                keep_shared(&common, metrics);
        }
        blocks += rows > before;
    }
    if (blocks < 2)
        common.count = 0;
    return common;
}

void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text)
{
    struct pool *pool = footnotes->pool;
    for (unsigned i = 0; footnotes->common && i < footnotes->common->count; i++)
        if (strcmp(footnotes->common->note[i].text, text) == 0)
            return;
    unsigned at = 0;
    while (at < footnotes->lines->lines && strcmp(footnotes->lines->line[at].text, text) != 0)
        at++;
    if (at == footnotes->lines->lines)
        lines_add(pool, footnotes->lines, "", text);
    row->note = pool_grow(pool, row->note, row->notes, &row->note_room, sizeof *row->note);
    if (row->notes < row->note_room)
        row->note[row->notes++] = at + 1;
}
