/* The report for programs: the figures of the table and the CSV, nested, as one object "bench-report/4"
 * (results/report.schema.json). */

#include "harness/base/fields.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/machine/theory.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/thresholds.h"

#include <math.h>
#include <string.h>

/* Functions that return a value return NULL when memory is short, so that a missing part makes the whole NULL. */

/* Sets the member at a path "ceiling.share", whose objects are made as needed, to a value that it takes. NULL when a
 * part is missing. */
static json_t *with_path(json_t *object, const char *path, json_t *value)
{
    json_t *inner = object;
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
        if (!json_object_get(inner, name))
            json_object_set_new(inner, name, json_object());
        inner = json_object_get(inner, name);
    }
    if (json_object_set_new(inner, path, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *texts_json(const char *const text[], unsigned count)
{
    json_t *texts = json_array();
    for (unsigned i = 0; i < count; i++)
        texts = array_with(texts, json_string(text[i]));
    return texts;
}

static json_t *notes_json(const struct notes *notes)
{
    json_t *texts = json_array();
    for (unsigned i = 0; i < notes->count; i++)
        texts = array_with(texts, json_string(notes->note[i].text));
    return texts;
}

static json_t *cell_json(struct pool *pool, const struct figures *figures, const struct cell_columns *columns)
{
    struct column_source source;
    json_t *cell = json_object();
    column_source_read(&source, pool, figures);
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column_value value = column_value(&columns->column[i], &source);
        if (value.kind != VALUE_ABSENT)
            cell =
                with_path(cell, columns->column[i].json,
                          value.kind == VALUE_TEXT   ? json_string(value.text)
                          : value.kind == VALUE_FLAG ? json_boolean(value.number > 0)
                                                     : number_to_json(value.kind == VALUE_NUMBER ? value.number : NAN));
    }
    return with_path(cell, "notes", notes_json(&source.notes));
}

/* Races are as in the journal. */
static json_t *block_json(struct pool *pool, const struct answer_set *set, const struct block_record *block,
                          const struct cell_columns *columns)
{
    const struct figures *figures = set->figures[block - set->record->block];
    json_t *cells = json_array(), *races = json_array();
    for (unsigned i = 0; figures && i < block->cells; i++)
        cells = array_with(cells, cell_json(pool, &figures[i], columns));
    for (unsigned i = 0; i < block->races; i++)
        races = array_with(races, fields_to_json(&block->race[i], &race_fields));
    return json_pack("{s:s, s:o, s:o}", "name", block->name, "cells", cells, "races", races);
}

/* A member of the journal's head; null if there is none. */
static json_t *from_head(const struct record *record, const char *name)
{
    json_t *member = json_object_get(record->head, name);
    return member ? json_incref(member) : json_null();
}

static json_t *about_json(struct pool *pool, const struct result *result)
{
    const struct record *record = result->record;
    const struct notes notes = notes_read_run(pool, record);
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:I, s:o}", "version", journal_text(record->head, "version"), "started",
                     journal_text(record->head, "started"), "seed", from_head(record, "seed"), "end",
                     *record->end ? record->end : "broken off", "elapsed_s", number_to_json(record->elapsed),
                     "left_out", (json_int_t)result_left_out(result), "notes", notes_json(&notes));
}

/* The theoretical peak by element type; null with a reason if unknown. */
static json_t *theory(const struct device *device)
{
    json_t *object = json_object();
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct theory peak, limit;
        theory_peak(device, dtype, &peak);
        bool has_limit = theory_limit(device, dtype, &limit);
        json_t *type = json_pack("{s:o, s:s, s:s, s:b, s:s, s:o}", "flop_per_s", number_to_json(peak.flops), "formula",
                                 peak.formula, "clock", peak.clock, "confirmed", peak.is_confirmed, "why", peak.why,
                                 "limit_flop_per_s", number_to_json(has_limit ? limit.flops : NAN));
        object = with_path(object, dtype_name(dtype), type);
    }
    return object;
}

/* A part that is NULL makes the whole NULL. */
static json_t *run_json(const char *letter, const struct result *result, const struct answer_set *set)
{
    const struct record *record = result->record;
    struct pool pool = { 0 };
    const struct cell_columns columns = columns_read(&pool, FORMAT_JSON);
    json_t *blocks = pool.is_short ? NULL : json_array(), *devices = json_array();
    for (unsigned i = 0; blocks && i < record->blocks; i++)
        if (record->block[i].cells > 0)
            blocks = array_with(blocks, block_json(&pool, set, &record->block[i], &columns));
    for (unsigned i = 0; i < record->devices; i++)
        devices =
            array_with(devices, with_path(device_to_json(&record->device[i]), "theory", theory(&record->device[i])));
    json_t *run = json_pack("{s:s, s:o, s:o, s:o, s:o, s:O, s:o}", "letter", letter, "run", about_json(&pool, result),
                            "host", from_head(record, "host"), "libraries", from_head(record, "libraries"), "devices",
                            devices, "absent", record->absent, "blocks", blocks);
    pool_release(&pool);
    return record->sweep ? with_path(run, "thresholds", thresholds_to_json(record)) : run;
}

bool json_runs(const struct results *results, const struct answer_set set[], const struct layout *layout, FILE *out,
               struct error *err)
{
    json_t *runs = json_array();
    for (unsigned i = 0; i < results->runs; i++)
        runs = array_with(runs, run_json(results_letter(i), &results->run[i], &set[i]));
    return output_put_json(json_pack("{s:s, s:o}", "schema", "bench-report/4", "runs", runs), out, err);
}

/* --- a comparison: results/comparison.schema.json */

/* With a verdict where this figure is judged. */
static json_t *shift_json(const struct shift *shift, bool is_judged)
{
    if (shift->runs[OLD] + shift->runs[NEW] == 0)
        return json_null();
    return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:s*}", "old", number_to_json(shift->value[OLD]), "new",
                     number_to_json(shift->value[NEW]), "old_runs", (int)shift->runs[OLD], "new_runs",
                     (int)shift->runs[NEW], "ratio", number_to_json(shift->ratio), "low", number_to_json(shift->low),
                     "high", number_to_json(shift->high), "verdict", is_judged ? change_names[shift->change] : NULL);
}

static json_t *compared_json(const struct compared *cell)
{
    const struct cell_record *named = compared_cell(cell);
    const struct device *device = cell->device;
    const unsigned *resident = cell->shift[QUANTITY_RESIDENT].runs, *copied = cell->shift[QUANTITY_COPIED].runs;
    const bool has_ratio = resident[OLD] + resident[NEW] + copied[OLD] + copied[NEW] > 0;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:{s:s, s:s}, s:s, s:b, s:i, s:i, s:o, s:o, s:o, s:o, "
                     "s:s, s:o}",
                     "verdict", change_names[cell->change], "device", named->device_id, "device_key",
                     device ? device->key : named->device_id, "device_name", device ? device->name : "", "workload",
                     named->workload, "dtype", named->dtype, "shape", named->shape, "cold", named->is_cold, "method",
                     "old", cell->method[OLD], "new", cell->method[NEW], "memory", named->memory, "is_baseline",
                     cell->is_baseline, "old_runs", (int)cell->runs[OLD], "new_runs", (int)cell->runs[NEW],
                     "resident_speedup", shift_json(&cell->shift[QUANTITY_RESIDENT], true), "copied_speedup",
                     shift_json(&cell->shift[QUANTITY_COPIED], true), "time_s",
                     shift_json(&cell->shift[QUANTITY_TIME], !has_ratio), "baseline_time_s",
                     shift_json(&cell->shift[QUANTITY_BASELINE], false), "reason", cell->reason, "notes",
                     texts_json(cell->note, cell->notes));
}

bool json_comparison(const struct comparison *comparison, FILE *out, struct error *err)
{
    json_t *cells = json_array(), *counts = json_object();
    char summary[SUMMARY_ROOM];
    for (unsigned i = 0; i < CHANGE_COUNT; i++)
        json_object_set_new(counts, change_names[i], json_integer(comparison->count[i]));
    for (unsigned i = 0; i < comparison->cells; i++)
        cells = array_with(cells, compared_json(comparison->order[i]));
    return output_put_json(json_pack("{s:s, s:s, s:f, s:i, s:i, s:o, s:o, s:o}", "schema", "bench-comparison/2",
                                     "summary", comparison_summary(summary, comparison), "margin", comparison->margin,
                                     "old_runs", (int)comparison->runs[OLD], "new_runs", (int)comparison->runs[NEW],
                                     "counts", counts, "warnings",
                                     texts_json(comparison->warning, comparison->warnings), "cells", cells),
                           out, err);
}
