/* A comparison for programs: one JSON object, as in results/comparison.schema.json. */

#include "harness/report/formats/comparison_json.h"
#include "harness/journal/journal.h"
#include "harness/report/content/comparison_document.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"
#include "harness/report/report.h"

#include <jansson.h>

static json_t *shift_json(const struct shift *shift, bool is_judged)
{
    if (shift->runs[OLD] + shift->runs[NEW] == 0)
        return json_null();
    json_t *json =
        json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o}", "old", journal_number(shift->value[OLD]), "new",
                  journal_number(shift->value[NEW]), "old_runs", (int)shift->runs[OLD], "new_runs",
                  (int)shift->runs[NEW], "ratio", journal_number(shift->ratio), "low", journal_number(shift->low),
                  "high", journal_number(shift->high), "spread", journal_number(shift->spread));
    if (json && is_judged)
        json_object_set_new(json, "verdict", json_string(change_name(shift->change)));
    return json;
}

static json_t *sides_json(const char *const text[SIDES])
{
    return json_pack("{s:s, s:s}", "old", text[OLD], "new", text[NEW]);
}

static json_t *texts_json(const char *const text[], unsigned count)
{
    json_t *texts = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(texts, json_string(text[i]));
    return texts;
}

static json_t *cell_json(const struct compared *cell)
{
    const struct cell_record *named = compared_cell(cell);
    const struct device *device = cell->device;
    bool has_ratio = cell->shift[QUANTITY_RESIDENT].runs[OLD] + cell->shift[QUANTITY_RESIDENT].runs[NEW] +
                         cell->shift[QUANTITY_OFFLOAD].runs[OLD] + cell->shift[QUANTITY_OFFLOAD].runs[NEW] >
                     0;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:s, s:o}", "verdict",
        change_name(cell->change), "device", named->device_id, "device_key", device ? device->key : named->device_id,
        "device_name", device ? device->name : "", "workload", named->workload, "dtype", named->dtype, "shape",
        named->shape, "cold", named->is_cold, "method", sides_json(cell->method), "memory", sides_json(cell->memory),
        "is_baseline", cell->is_baseline, "old_runs", (int)cell->runs[OLD], "new_runs", (int)cell->runs[NEW],
        "compute_speedup", shift_json(&cell->shift[QUANTITY_RESIDENT], true), "transfers_speedup",
        shift_json(&cell->shift[QUANTITY_OFFLOAD], true), "time_s", shift_json(&cell->shift[QUANTITY_TIME], !has_ratio),
        "baseline_time_s", shift_json(&cell->baseline_shift, false), "reason", cell->reason, "notes",
        texts_json(cell->note, cell->notes));
}

static json_t *counts_json(const struct comparison *comparison)
{
    json_t *counts = json_object();
    for (unsigned i = 0; i < CHANGE_COUNT; i++)
        json_object_set_new(counts, change_name((enum change)i), json_integer(comparison->count[i]));
    return counts;
}

bool comparison_json_write(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    char summary[SUMMARY_ROOM];
    struct stream stream = { .out = out };
    stream_open(&stream, NULL, '{');
    stream_put(&stream, "schema", json_string("bench-comparison/1"));
    stream_put(&stream, "summary", json_string(comparison_summary(summary, comparison)));
    stream_put(&stream, "margin", json_real(comparison->margin));
    stream_put(&stream, "old_runs", json_integer(comparison->runs[OLD]));
    stream_put(&stream, "new_runs", json_integer(comparison->runs[NEW]));
    stream_put(&stream, "counts", counts_json(comparison));
    stream_put(&stream, "warnings", texts_json(comparison->warning, comparison->warnings));
    stream_open(&stream, "cells", '[');
    for (unsigned i = 0; i < comparison->cells; i++)
        stream_put(&stream, NULL, cell_json(comparison->order[i]));
    stream_close(&stream, ']');
    stream_close(&stream, '}');
    fputc('\n', out);
    if (stream.is_short)
        return fail(err, STATUS_NO_MEMORY, "no memory for the JSON of %u cells", comparison->cells);
    return output_end(out, err);
}
