/* Which cells of different runs answer the same question. */

#include "harness/analysis/compare/comparison_parts.h"

#include <string.h>

/* The key of its device. If a damaged journal does not list it, its id. */
static const char *key_of(const struct record *record, const struct cell_record *cell)
{
    const struct device *device = record_device(record, cell->device_id);
    return device ? device->key : cell->device_id;
}

/* "cpu/Xeon native, pageable": the baselines of a cell's speed-ups. "none": there is none, or it is one itself. */
static const char *baselines_of(const struct record *record, const struct cell_record *cell, struct pool *pool)
{
    const struct cell_record *own = record_cell(record, cell->baseline);
    const struct cell_record *copied = record_cell(record, cell->baseline_copied);
    const char *text = "none";
    if (own && own != cell)
        text = pool_print(pool, "%s %s, %s", key_of(record, own), own->method, own->memory);
    if (copied && copied != cell && copied != own)
        text = pool_print(pool, "%s (copied: %s %s, %s)", text, key_of(record, copied), copied->method, copied->memory);
    return text;
}

/* Peaks are left out, and cells that an interrupted run had only begun. */
static unsigned collect(struct entry **out, const struct results side[SIDES], struct pool *pool)
{
    unsigned entries = 0;
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned r = 0; r < side[s].runs; r++) {
            const struct record *record = side[s].run[r].record;
            for (unsigned c = 0; c < record->cells; c++) {
                const struct cell_record *cell = record->cell[c], *baseline = record_cell(record, cell->baseline);
                if (!cell->ended || cell->is_peak)
                    continue;
                const struct entry entry = {
                    .side = s,
                    .run = r,
                    .record = record,
                    .cell = cell,
                    .baseline = baseline == cell ? NULL : baseline,
                    .figure = { figure_read(record, cell, USE_RESIDENT), figure_read(record, cell, USE_COPIED) },
                    .over = baselines_of(record, cell, pool),
                };
                if (!pool_add(pool, out, &entries, &entry, sizeof entry))
                    return 0;
            }
        }
    return entries;
}

static const char *name_of(const struct entry *entry, bool has_method, struct pool *pool)
{
    const struct cell_record *cell = entry->cell;
    return pool_print(pool, "%s %s %s %s %d %s %s", key_of(entry->record, cell), cell->workload, cell->dtype,
                      cell->shape, cell->is_cold, cell->memory, has_method ? cell->method : "");
}

/* By device, problem and memory; and by the method where a run has several of them. */
void comparison_match(struct comparison *out, const struct results side[SIDES])
{
    struct pool *pool = &out->pool;
    json_t *of_runs = json_object(), *ambiguous = json_object(), *places = json_object();
    struct entry *entry = NULL;
    const unsigned entries = collect(&entry, side, pool);
    out->cell = pool_take(pool, (entries + 1) * sizeof *out->cell);
    for (unsigned i = 0; i < entries && !pool->is_short; i++) {
        const char *name = name_of(&entry[i], false, pool),
                   *of_run = pool_print(pool, "%u %u %s", entry[i].side, entry[i].run, name);
        if (json_object_get(of_runs, of_run))
            pool->is_short |= json_object_set_new(ambiguous, name, json_true()) != 0;
        pool->is_short |= json_object_set_new(of_runs, of_run, json_true()) != 0;
    }
    for (unsigned i = 0; i < entries && !pool->is_short; i++) {
        const char *name = name_of(&entry[i], json_object_get(ambiguous, name_of(&entry[i], false, pool)), pool);
        const json_t *place = json_object_get(places, name);
        struct compared *cell = &out->cell[place ? json_integer_value(place) : out->cells];
        if (!place)
            pool->is_short |= json_object_set_new(places, name, json_integer(out->cells++)) != 0;
        pool_add(pool, &cell->entry, &cell->entries, &entry[i], sizeof entry[i]);
    }
    json_decref(of_runs);
    json_decref(ambiguous);
    json_decref(places);
}
