/* A run that was broken off and went on: what was measured in part is forgotten, and measured anew. */

#include "harness/journal/record_parts.h"

bool record_add_done(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    char name[TEXT_ROOM];
    text_clean(name, sizeof name, word_member(line, "block"));
    const json_t *place = json_object_get(record->block_index, name);
    if (!place)
        return fail(err, STATUS_FAILED, "an unknown block '%s' is done", name);
    record->block[json_integer_value(place)].is_done = true;
    return true;
}

static bool is_forgotten(const json_t *names, const char *block)
{
    char name[TEXT_ROOM];
    const json_t *each;
    size_t i;
    json_array_foreach (names, i, each) {
        text_clean(name, sizeof name, json_is_string(each) ? json_string_value(each) : "");
        if (strcmp(name, block) == 0)
            return true;
    }
    return false;
}

/* Takes the cells of those blocks out, and finds the others in their new places. */
static bool forget_cells(struct record *record, const json_t *names)
{
    unsigned kept = 0;
    bool complete = json_object_clear(record->index) == 0;
    record->roofs = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        if (is_forgotten(names, cell->block)) {
            record_cell_free(cell);
            continue;
        }
        complete &= json_object_set_new(record->index, cell->key, json_integer(kept)) == 0;
        record->cell[kept++] = cell;
        if (cell->roof != ROOF_NONE)
            record->roof[record->roofs++] = cell;
    }
    record->cells = kept;
    return complete;
}

static bool forget_blocks(struct record *record, const json_t *names)
{
    unsigned kept = 0;
    bool complete = json_object_clear(record->block_index) == 0;
    for (unsigned i = 0; i < record->blocks; i++) {
        struct block_record *block = &record->block[i];
        if (is_forgotten(names, block->name)) {
            record_trials_free(block);
            free(block->name);
            free(block->cell);
            continue;
        }
        complete &= json_object_set_new(record->block_index, block->name, json_integer(kept)) == 0;
        record->block[kept++] = *block;
    }
    record->blocks = kept;
    return complete;
}

bool record_add_resume(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    const json_t *names = json_object_get(line, "forgets");
    bool complete = forget_cells(record, names) && forget_blocks(record, names);
    record_notes_free(record->note, record->notes);
    record->note = NULL;
    record->notes = 0;
    record->end[0] = '\0';
    complete = complete && json_array_append_new(record->resumed, json_deep_copy(line)) == 0;
    return complete || out_of_memory(err);
}
