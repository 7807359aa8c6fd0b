/* Which cells of different runs answer the same question. */

#include "harness/analysis/compare/comparison_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct cell_record *baseline_of(const struct record *record, const struct cell_record *cell)
{
    const struct cell_record *baseline = record_cell(record, cell->baseline);
    return baseline == cell ? NULL : baseline;
}

static bool has_signature(const struct record *record)
{
    return json_is_string(json_object_get(json_object_get(record->head, "host"), "signature"));
}

bool comparison_has_signatures(const struct results side[SIDES])
{
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned r = 0; r < side[s].runs; r++)
            if (!has_signature(side[s].run[r].record))
                return false;
    return true;
}

const char *comparison_device_key(const struct record *record, const struct device *device, bool has_signatures,
                                  struct pool *pool)
{
    const char *signature = strrchr(device->key, '/');
    if (has_signatures || !has_signature(record) || !device->works_in_host_memory || !signature)
        return device->key;
    return pool_print(pool, "%.*s", (int)(signature - device->key), device->key);
}

/* The key of its device. If a damaged journal does not list it, the end of the cell's own key. */
static const char *key_of(const struct matched *matched, const struct record *record, const struct cell_record *cell)
{
    const struct device *device = record_device(record, cell->device_id);
    const char *end = strchr(cell->key, '@');
    return device ? comparison_device_key(record, device, matched->has_signatures, matched->pool)
           : end  ? end + 1
                  : cell->device_id;
}

/* A cell that an interrupted run had only begun is not a result. */
static bool is_wanted(const struct cell_record *cell)
{
    return cell->ended && !cell->is_ceiling;
}

static unsigned count_cells(const struct results side[SIDES])
{
    unsigned count = 0;
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned r = 0; r < side[s].runs; r++)
            count += side[s].run[r].record->cells;
    return count;
}

static void collect(struct matched *out, const struct results side[SIDES])
{
    for (unsigned s = 0; s < SIDES; s++) {
        for (unsigned r = 0; r < side[s].runs; r++) {
            const struct record *record = side[s].run[r].record;
            struct round_times *times = pool_take(out->pool, sizeof *times);
            for (unsigned c = 0; c < record->cells; c++) {
                const struct cell_record *cell = record->cell[c];
                const struct cell_record *baseline = baseline_of(record, cell);
                if (!is_wanted(cell))
                    continue;
                out->entry[out->entries] = (struct entry){
                    .side = s,
                    .run = r,
                    .place = out->entries,
                    .record = record,
                    .cell = cell,
                    .baseline = baseline,
                    .device_key = key_of(out, record, cell),
                    .baseline_device_key = baseline ? key_of(out, record, baseline) : "",
                    .times = times,
                    .is_in = true,
                };
                out->entries++;
            }
        }
    }
}

/* By device and problem. */
static int compare_questions(const struct entry *a, const struct entry *b)
{
    const char *const of_a[] = { a->device_key, a->cell->workload, a->cell->dtype, a->cell->shape };
    const char *const of_b[] = { b->device_key, b->cell->workload, b->cell->dtype, b->cell->shape };
    for (unsigned i = 0; i < sizeof of_a / sizeof *of_a; i++) {
        int order = strcmp(of_a[i], of_b[i]);
        if (order != 0)
            return order;
    }
    return a->cell->is_cold - b->cell->is_cold;
}

static int compare_memories(const struct entry *a, const struct entry *b)
{
    return strcmp(a->cell->memory, b->cell->memory);
}

static int compare_methods(const struct entry *a, const struct entry *b)
{
    return strcmp(a->cell->method, b->cell->method);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_questions(a, b);
    order = order ? order : compare_memories(a, b);
    order = order ? order : compare_methods(a, b);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int compare_places(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    return compare_places(a->entry, b->entry);
}

/* Whether each run has at most one of them. */
static bool is_one_a_run(const struct entry *entry, unsigned entries)
{
    for (unsigned i = 0; i < entries; i++)
        for (unsigned k = i + 1; k < entries; k++)
            if (entry[i].side == entry[k].side && entry[i].run == entry[k].run)
                return false;
    return true;
}

/* From coarse to fine; the last distinguishes all cells that a record can hold. */
typedef int compare_entry(const struct entry *, const struct entry *);
static compare_entry *const grains[] = { compare_questions, compare_memories, compare_methods };
enum { GRAINS = sizeof grains / sizeof *grains };

/* Splits entries that are equal up to this grain until no run has two in one group. */
static void split(struct matched *out, struct entry *entry, unsigned entries, unsigned grain)
{
    if (grain == GRAINS || is_one_a_run(entry, entries)) {
        out->group[out->groups++] = (struct group){ entry, entries };
        return;
    }
    for (unsigned first = 0, end; first < entries; first = end) {
        for (end = first + 1; end < entries && grains[grain](&entry[first], &entry[end]) == 0;)
            end++;
        split(out, entry + first, end - first, grain + 1);
    }
}

bool comparison_match(struct matched *out, const struct results side[SIDES], struct pool *pool)
{
    unsigned most = count_cells(side) + 1;
    *out = (struct matched){
        .entry = pool_take(pool, most * sizeof *out->entry),
        .group = pool_take(pool, most * sizeof *out->group),
        .pool = pool,
        .has_signatures = comparison_has_signatures(side),
    };
    if (!out->entry || !out->group)
        return false;
    collect(out, side);
    qsort(out->entry, out->entries, sizeof *out->entry, compare_entries);
    for (unsigned first = 0, end; first < out->entries; first = end) {
        for (end = first + 1; end < out->entries && compare_questions(&out->entry[first], &out->entry[end]) == 0;)
            end++;
        split(out, out->entry + first, end - first, 1);
    }
    for (unsigned i = 0; i < out->groups; i++)
        qsort(out->group[i].entry, out->group[i].entries, sizeof *out->entry, compare_places);
    qsort(out->group, out->groups, sizeof *out->group, compare_groups);
    return true;
}
