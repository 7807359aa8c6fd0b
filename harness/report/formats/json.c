/* The report for programs: the figures of the table and the CSV, nested, as one object "bench-report/3" with sorted
 * keys (results/report.schema.json). It is written cell by cell. */

#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/machine/theory.h"
#include "harness/report/content/comparison_document.h"
#include "harness/report/content/document_parts.h"
#include "harness/report/content/notes.h"
#include "harness/report/formats/metrics.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"
#include "harness/report/formats/thresholds.h"
#include "harness/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SCHEMA "bench-report/3"

/* Functions that return a value return NULL when memory is short, so that a missing part makes the whole NULL. */

/* Sets a member, whose value it takes. NULL when either of them is missing. */
static json_t *with_member(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* The names of all metrics of a cell, and their places in the order in which they are written: sorted, so that what
 * belongs to one object comes together. '.' is before all characters of names. */
struct members {
    char name[METRICS_MAX][METRIC_NAME];
    unsigned count, order[METRICS_MAX];
};

static void members_find(struct members *out)
{
    out->count = metrics_names(METRIC_MEMBERS, out->name);
    for (unsigned i = 0; i < out->count; i++) {
        unsigned at = i;
        for (; at > 0 && strcmp(out->name[out->order[at - 1]], out->name[i]) > 0; at--)
            out->order[at] = out->order[at - 1];
        out->order[at] = i;
    }
}

/* Closes and opens objects from one path to the next, "ceiling.share" to "checks.seconds". Returns the rest of the
 * path: the member's name. */
static const char *move_to(struct stream *stream, const char *from, const char *to)
{
    size_t shared = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        shared = from[i] == '.' ? i + 1 : shared;
    for (const char *dot = from + shared; (dot = strchr(dot, '.')); dot++)
        stream_close(stream, '}');
    const char *rest = to + shared;
    for (const char *dot; (dot = strchr(rest, '.')); rest = dot + 1) {
        char name[METRIC_NAME];
        snprintf(name, sizeof name, "%.*s", (int)(dot - rest), rest);
        stream_open(stream, name, '{');
    }
    return rest;
}

static void put_value(struct stream *stream, const char *name, const struct metric_value *value)
{
    if (value->kind == METRIC_TEXT)
        stream_text(stream, name, value->text);
    else if (value->kind == METRIC_FLAG)
        stream_word(stream, name, value->number > 0 ? "true" : "false");
    else
        stream_number(stream, name, value->kind == METRIC_NUMBER ? value->number : NAN);
}

static void put_notes(struct stream *stream, const struct notes *notes)
{
    stream_open(stream, "notes", '[');
    for (unsigned i = 0; i < notes->count; i++)
        stream_text(stream, NULL, notes->note[i].text);
    stream_close(stream, ']');
}

static void put_cell(struct stream *stream, const struct cell_metrics *metrics, const struct members *members)
{
    struct cell_values cell;
    struct metric_value value[METRICS_MAX];
    const char *path = "";
    cell_values_read(&cell, "", "", "", metrics, METRIC_MEMBERS);
    metrics_read(&cell, METRIC_MEMBERS, value);
    stream_open(stream, NULL, '{');
    for (unsigned i = 0; i < members->count; i++) {
        const unsigned at = members->order[i];
        if (value[at].kind == METRIC_ABSENT)
            continue;
        const char *name = move_to(stream, path, members->name[at]);
        path = members->name[at];
        if (strcmp(name, "notes") == 0)
            put_notes(stream, &cell.notes);
        else
            put_value(stream, name, &value[at]);
    }
    move_to(stream, path, "");
    stream_close(stream, '}');
    cell_values_release(&cell);
}

static json_t *contender(const struct contender_record *contender)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "method", contender->method, "kernel_shape",
                     contender->kernel_shape, "end", race_end_name(contender->end), "status",
                     status_name(contender->outcome.status), "where", contender->outcome.where, "reason",
                     contender->outcome.message, "rounds", (int)contender->rounds, "ratio",
                     journal_number(contender->ratio), "run_s", journal_number(contender->run), "first_s",
                     journal_number(contender->first));
}

static void put_races(struct stream *stream, const struct block_record *block)
{
    stream_open(stream, "races", '[');
    for (unsigned i = 0; i < block->races; i++) {
        const struct race_record *race = &block->race[i];
        stream_open(stream, NULL, '{');
        stream_open(stream, "contenders", '[');
        for (unsigned k = 0; k < race->contenders; k++)
            stream_put(stream, NULL, contender(&race->contender[k]));
        stream_close(stream, ']');
        stream_text(stream, "device", race->device_id);
        stream_text(stream, "for", measures_name(race->purpose));
        stream_text(stream, "memory", race->memory);
        stream_text(stream, "origin", race->origin);
        stream_number(stream, "rounds", race->rounds);
        stream_text(stream, "since", race->since);
        stream_close(stream, '}');
    }
    stream_close(stream, ']');
}

/* "opencl:0 portable, mapped: resident 12 % slower": the labelled lines of the full report. */
static void put_verdict(struct stream *stream, const struct answer_set *set, const struct block_record *block)
{
    struct pool pool = { 0 };
    struct lines lines = { 0 };
    verdict_append(&pool, &lines, set, block);
    stream_open(stream, "verdict", '[');
    for (unsigned i = 0; i < lines.lines; i++)
        stream_text(stream, NULL, pool_print(&pool, "%s: %s", lines.line[i].label, lines.line[i].text));
    stream_close(stream, ']');
    stream->is_short |= pool.is_short;
    pool_release(&pool);
}

static void put_block(struct stream *stream, const struct answer_set *set, const struct block_record *block,
                      const struct members *members)
{
    const struct cell_metrics *metrics = set->metrics[block - set->record->block];
    stream_open(stream, NULL, '{');
    stream_open(stream, "cells", '[');
    for (unsigned i = 0; metrics && i < block->cells; i++)
        put_cell(stream, &metrics[i], members);
    stream_close(stream, ']');
    stream_text(stream, "name", block->name);
    put_races(stream, block);
    put_verdict(stream, set, block);
    stream_close(stream, '}');
}

/* A member of the journal's head; null if there is none. */
static json_t *from_head(const struct record *record, const char *name)
{
    json_t *member = json_object_get(record->head, name);
    return member ? json_deep_copy(member) : json_null();
}

static void put_about(struct stream *stream, const struct record *record)
{
    json_t *seed = json_object_get(record->head, "seed");
    struct notes notes;
    notes_read_run(&notes, record);
    stream_open(stream, "run", '{');
    stream_number(stream, "elapsed_s", record->elapsed);
    stream_text(stream, "end", *record->end ? record->end : "broken off");
    put_notes(stream, &notes);
    stream_put(stream, "seed",
               json_is_integer(seed) ? json_incref(seed) : json_string(journal_text(record->head, "seed")));
    stream_text(stream, "started", journal_text(record->head, "started"));
    stream_text(stream, "version", journal_text(record->head, "version"));
    stream_close(stream, '}');
    notes_release(&notes);
}

static void put_absent(struct stream *stream, const struct record *record)
{
    const json_t *line;
    size_t i;
    stream_open(stream, "absent", '[');
    json_array_foreach (record->absent, i, line)
        stream_put(stream, NULL,
                   json_pack("{s:s, s:s, s:s, s:s}", "backend", journal_text(line, "backend"), "source",
                             journal_text(line, "source"), "status", journal_text(line, "status"), "reason",
                             journal_text(line, "reason")));
    stream_close(stream, ']');
}

/* The theoretical peak by element type; null with a reason if unknown. */
static json_t *theory(const struct device *device)
{
    json_t *object = json_object();
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct theory peak, limit;
        theory_peak(device, dtype, &peak);
        bool has_limit = theory_limit(device, dtype, &limit);
        json_t *type = json_pack("{s:o, s:s, s:s, s:b, s:s, s:o}", "flop_per_s", journal_number(peak.flops), "formula",
                                 peak.formula, "clock", peak.clock, "confirmed", peak.is_confirmed, "why", peak.why,
                                 "limit_flop_per_s", journal_number(has_limit ? limit.flops : NAN));
        object = with_member(object, dtype_name(dtype), type);
    }
    return object;
}

static void put_devices(struct stream *stream, const struct record *record)
{
    stream_open(stream, "devices", '[');
    for (unsigned i = 0; i < record->devices; i++)
        stream_put(stream, NULL, with_member(device_to_json(&record->device[i]), "theory", theory(&record->device[i])));
    stream_close(stream, ']');
}

static void put_run(struct stream *stream, const char *letter, const struct record *record)
{
    struct answer_set set;
    struct members members;
    members_find(&members);
    stream->is_short |= !answer_set_read(&set, record);
    stream_open(stream, NULL, '{');
    put_absent(stream, record);
    stream_open(stream, "blocks", '[');
    for (unsigned i = 0; i < record->blocks && !stream->is_short; i++)
        if (record->block[i].cells > 0)
            put_block(stream, &set, &record->block[i], &members);
    stream_close(stream, ']');
    put_devices(stream, record);
    stream_put(stream, "host", from_head(record, "host"));
    stream_text(stream, "letter", letter);
    stream_put(stream, "libraries", from_head(record, "libraries"));
    put_about(stream, record);
    if (record->sweep)
        stream_put(stream, "thresholds", thresholds_to_json(record));
    stream_close(stream, '}');
    answer_set_release(&set);
}

static bool json_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    (void)layout;
    struct stream stream = { .out = out };
    char letter[LETTER_ROOM];
    stream_open(&stream, NULL, '{');
    stream_open(&stream, "runs", '[');
    for (unsigned i = 0; i < results->runs; i++)
        put_run(&stream, results_letter(letter, i), results->run[i].record);
    stream_close(&stream, ']');
    stream_text(&stream, "schema", REPORT_SCHEMA);
    stream_close(&stream, '}');
    fputc('\n', out);
    if (stream.is_short && !ferror(out))
        return fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    return output_end(out, err);
}

/* --- a comparison: results/comparison.schema.json */

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
        json_object_set_new(json, "verdict", json_string(change_names[shift->change]));
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
                         cell->shift[QUANTITY_COPIED].runs[OLD] + cell->shift[QUANTITY_COPIED].runs[NEW] >
                     0;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:s, s:o}", "verdict",
        change_names[cell->change], "device", named->device_id, "device_key", device ? device->key : named->device_id,
        "device_name", device ? device->name : "", "workload", named->workload, "dtype", named->dtype, "shape",
        named->shape, "cold", named->is_cold, "method", sides_json(cell->method), "memory", sides_json(cell->memory),
        "is_baseline", cell->is_baseline, "old_runs", (int)cell->runs[OLD], "new_runs", (int)cell->runs[NEW],
        "resident_speedup", shift_json(&cell->shift[QUANTITY_RESIDENT], true), "copied_speedup",
        shift_json(&cell->shift[QUANTITY_COPIED], true), "time_s", shift_json(&cell->shift[QUANTITY_TIME], !has_ratio),
        "baseline_time_s", shift_json(&cell->baseline_shift, false), "reason", cell->reason, "notes",
        texts_json(cell->note, cell->notes));
}

static json_t *counts_json(const struct comparison *comparison)
{
    json_t *counts = json_object();
    for (unsigned i = 0; i < CHANGE_COUNT; i++)
        json_object_set_new(counts, change_names[i], json_integer(comparison->count[i]));
    return counts;
}

static bool json_compare(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    char summary[SUMMARY_ROOM];
    struct stream stream = { .out = out };
    stream_open(&stream, NULL, '{');
    stream_put(&stream, "schema", json_string("bench-comparison/2"));
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

const struct report report_json = {
    .name = "json",
    .extension = "json",
    .write = json_write,
    .compare = json_compare,
};
