/* The report for programs: the figures of the table and the CSV, nested, as one object "bench-report/2" with sorted
 * keys (results/report.schema.json). It is written cell by cell. */

#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/machine/theory.h"
#include "harness/report/content/notes.h"
#include "harness/report/content/verdict.h"
#include "harness/report/formats/comparison_json.h"
#include "harness/report/formats/metrics.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"
#include "harness/report/formats/thresholds.h"
#include "harness/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SCHEMA "bench-report/2"

/* Every function returns NULL when memory is short, so that a missing part makes the whole NULL. */

/* Appends `value`, which it takes. NULL when either of them is missing. */
static json_t *with(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

/* The same for a member of an object. */
static json_t *with_member(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

struct cell_members {
    json_t *object;
    bool is_short; /* memory was short */
};

/* Sets what a path such as "ceiling.share" names. */
static void take_member(void *context, const char *member, json_t *value)
{
    struct cell_members *members = context;
    char path[METRIC_NAME], *rest = path;
    json_t *object = members->object;
    snprintf(path, sizeof path, "%s", member);
    const char *name = strsep(&rest, ".");
    for (; rest; name = strsep(&rest, ".")) {
        if (!json_object_get(object, name))
            json_object_set_new(object, name, json_object());
        object = json_object_get(object, name);
    }
    members->is_short |= json_object_set_new(object, name, value) != 0;
}

static json_t *cell(const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    struct cell_members members = { .object = json_object() };
    struct cell_values values;
    json_t *notes = json_array();
    cell_values_read(&values, "", "", "", metrics);
    metrics_each(&values, METRIC_MEMBERS, take_member, &members);
    for (unsigned i = 0; i < values.notes.count; i++)
        notes = with(notes, json_string(values.notes.note[i].text));
    cell_values_release(&values);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (cell->track[series].wall.count == 0)
            json_object_del(json_object_get(members.object, "series"), series_title(series));
    if (cell->naives == 0)
        json_object_del(members.object, "naive");
    if (!gpu_metrics_are_known(&metrics->gpu))
        members.is_short |= json_object_set_new(members.object, "gpu", json_null()) != 0;
    json_t *object = with_member(members.object, "notes", notes);
    if (!members.is_short)
        return object;
    json_decref(object);
    return NULL;
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

static json_t *races(const struct block_record *block)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < block->races; i++) {
        const struct race_record *race = &block->race[i];
        json_t *contenders = json_array();
        for (unsigned k = 0; k < race->contenders; k++)
            contenders = with(contenders, contender(&race->contender[k]));
        array = with(array, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o}", "device", race->device_id, "memory",
                                      race->memory, "for", measures_name(race->purpose), "origin", race->origin,
                                      "since", race->since, "rounds", (int)race->rounds, "contenders", contenders));
    }
    return array;
}

/* "opencl:0 portable, mapped: compute 12 % slower": the labelled lines of the full report. */
static json_t *verdict(const struct answer_set *set, const struct block_record *block)
{
    struct pool pool = { 0 };
    struct lines lines = { 0 };
    json_t *array = json_array();
    verdict_append(&pool, &lines, set, block);
    for (unsigned i = 0; i < lines.lines; i++)
        array = with(array, json_string(pool_print(&pool, "%s: %s", lines.line[i].label, lines.line[i].text)));
    if (pool.is_short)
        array = with(array, NULL);
    pool_release(&pool);
    return array;
}

static void put_block(struct stream *stream, const struct answer_set *set, const struct block_record *block)
{
    const struct cell_metrics *metrics = set->metrics[block - set->record->block];
    stream_open(stream, NULL, '{');
    stream_open(stream, "cells", '[');
    for (unsigned i = 0; metrics && i < block->cells; i++)
        stream_put(stream, NULL, cell(&metrics[i]));
    stream_close(stream, ']');
    stream_put(stream, "name", json_string(block->name));
    stream_put(stream, "races", races(block));
    stream_put(stream, "verdict", verdict(set, block));
    stream_close(stream, '}');
}

/* A member of the journal's head; null if there is none. */
static json_t *from_head(const struct record *record, const char *name)
{
    json_t *member = json_object_get(record->head, name);
    return member ? json_deep_copy(member) : json_null();
}

static json_t *run(const struct record *record)
{
    json_t *texts = json_array(), *seed = json_object_get(record->head, "seed");
    struct notes notes;
    notes_read_run(&notes, record);
    for (unsigned i = 0; i < notes.count; i++)
        texts = with(texts, json_string(notes.note[i].text));
    notes_release(&notes);
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o}", "version", journal_text(record->head, "version"), "started",
                     journal_text(record->head, "started"), "seed",
                     json_is_integer(seed) ? json_incref(seed) : json_string(journal_text(record->head, "seed")), "end",
                     *record->end ? record->end : "broken off", "elapsed_s", journal_number(record->elapsed), "notes",
                     texts);
}

static json_t *absent(const struct record *record)
{
    json_t *array = json_array(), *line;
    size_t i;
    json_array_foreach (record->absent, i, line)
        array = with(array, json_pack("{s:s, s:s, s:s, s:s}", "backend", journal_text(line, "backend"), "source",
                                      journal_text(line, "source"), "status", journal_text(line, "status"), "reason",
                                      journal_text(line, "reason")));
    return array;
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

static json_t *devices(const struct record *record)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < record->devices; i++)
        array = with(array, with_member(device_to_json(&record->device[i]), "theory", theory(&record->device[i])));
    return array;
}

static void put_run(struct stream *stream, const char *letter, const struct record *record)
{
    struct answer_set set;
    stream->is_short |= !answer_set_read(&set, record);
    stream_open(stream, NULL, '{');
    stream_put(stream, "absent", absent(record));
    stream_open(stream, "blocks", '[');
    for (unsigned i = 0; i < record->blocks && !stream->is_short; i++)
        if (record->block[i].cells > 0)
            put_block(stream, &set, &record->block[i]);
    stream_close(stream, ']');
    stream_put(stream, "devices", devices(record));
    stream_put(stream, "host", from_head(record, "host"));
    stream_put(stream, "letter", json_string(letter));
    stream_put(stream, "libraries", from_head(record, "libraries"));
    stream_put(stream, "run", run(record));
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
    stream_put(&stream, "schema", json_string(REPORT_SCHEMA));
    stream_close(&stream, '}');
    fputc('\n', out);
    if (stream.is_short && !ferror(out))
        return fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    return output_end(out, err);
}

const struct report report_json = {
    .name = "json",
    .extension = "json",
    .write = json_write,
    .compare = comparison_json_write,
};
