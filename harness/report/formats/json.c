/* The report for programs: the figures of the table and the CSV, nested, as one object "bench-report/2" with sorted
 * keys (results/report.schema.json). It is written cell by cell. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/figures.h"
#include "harness/analysis/naive.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/machine/theory.h"
#include "harness/report/content/notes.h"
#include "harness/report/content/notes_machine.h"
#include "harness/report/content/verdict.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"
#include "harness/report/formats/thresholds.h"
#include "harness/report/report.h"

#include <math.h>
#include <stdlib.h>

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

/* The same for all members of another object, which it takes. */
static json_t *with_members(json_t *object, json_t *more)
{
    bool complete = json_object_update(object, more) == 0;
    json_decref(more);
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *estimate(const struct estimate *estimate)
{
    return json_pack("{s:o, s:o, s:o, s:i, s:i}", "value", journal_number(estimate->value), "low",
                     journal_number(estimate->low), "high", journal_number(estimate->high), "samples",
                     (int)estimate->samples, "blocks", (int)estimate->blocks);
}

static json_t *series(const struct cell_record *cell, enum series series)
{
    const struct track *track = &cell->track[series];
    struct summary summary = stats_summary(track->wall.value, track->wall.count);
    struct estimate time = record_time(cell, series);
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:i, s:s, s:o}", "count", (int)summary.count,
                     "min_s", journal_number(summary.min), "p5_s", journal_number(summary.p5), "median_s",
                     journal_number(summary.median), "p95_s", journal_number(summary.p95), "max_s",
                     journal_number(summary.max), "mad_s", journal_number(summary.mad), "two_modes", summary.two_modes,
                     "time_s", estimate(&time), "slices", (int)track->slices, "stop", stop_name(track->stop),
                     "host_cpu_s_per_s", journal_number(track->elapsed > 0 ? track->cpu / track->elapsed : NAN));
}

static json_t *all_series(const struct cell_record *cell)
{
    json_t *object = json_object();
    for (enum series i = 0; i < SERIES_COUNT; i++)
        if (cell->track[i].wall.count > 0)
            object = with_member(object, series_name(i), series(cell, i));
    return object;
}

static json_t *first(const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "open_s", journal_number(cell->first.open), "alloc_s",
                     journal_number(cell->first.alloc), "compile_s", journal_number(cell->first.compile), "upload_s",
                     journal_number(cell->first.upload), "repack_s", journal_number(cell->first.repack), "run_s",
                     journal_number(cell->first.run), "download_s", journal_number(cell->first.download), "total_s",
                     journal_number(metrics->first));
}

static json_t *phases(const struct cell_metrics *metrics)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "upload_s", journal_number(metrics->upload), "repack_s",
                     journal_number(metrics->repack), "compute_s", journal_number(metrics->offload_compute),
                     "download_s", journal_number(metrics->download));
}

/* null if unknown. */
static json_t *bound(enum bound bound)
{
    return bound == BOUND_UNKNOWN ? json_null() : json_string(bound_names[bound]);
}

/* The ceilings of the device in this run, and the share that the cell reached. */
static json_t *ceiling(const struct cell_metrics *metrics)
{
    const struct roofline *roof = &metrics->roof;
    return json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "measures", roof_name(metrics->cell->roof),
                     "flop_per_s", journal_number(roof->flops.wall), "bytes_per_s",
                     journal_number(roof->bandwidth.wall), "share", journal_number(metrics->share), "by_event_clock",
                     roof->by_event, "bound_by", bound(roof->bound), "offload_bound_by", bound(roof->offload_bound),
                     "launch_s", journal_number(roof->latency));
}

static json_t *breakeven(const struct breakeven *breakeven)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "outcome", breakeven_outcomes[breakeven->outcome], "uses",
                     journal_number(breakeven->uses), "low", journal_number(breakeven->low), "high",
                     journal_number(breakeven->high));
}

static json_t *notes(const struct cell_metrics *metrics)
{
    struct notes notes;
    json_t *array = json_array();
    notes_read(&notes, metrics);
    for (unsigned i = 0; i < notes.count; i++)
        array = with(array, json_string(notes.text[i]));
    notes_release(&notes);
    return array;
}

/* The state of the machine before or after the timing. */
static json_t *state(const struct host_state *state)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "clock_hz",
                     journal_number(state->clock), "steal_s", journal_number(state->steal), "busy_s",
                     journal_number(state->busy), "idle_s", journal_number(state->idle), "own_s",
                     journal_number(state->own), "pressure_percent", journal_number(state->pressure),
                     "temperature_celsius", journal_number(state->temperature), "slowed_for_heat",
                     journal_number(state->overheated), "load", journal_number(state->load), "quota_waits_s",
                     journal_number(state->throttled), "swap_used_bytes", journal_number(state->swap_used),
                     "swapped_bytes", journal_number(state->swapped), "governor", state->governor, "on_battery",
                     state->on_battery < 0 ? json_null() : json_boolean(state->on_battery));
}

/* By the counters of the machine and of the device, idle power included. */
static json_t *energy(const struct cell_metrics *metrics)
{
    bool is_board = metrics->energy_of == ENERGY_GPU;
    double package = is_board ? NAN : 1, board = is_board ? 1 : NAN;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "package_w", journal_number(metrics->power),
                     "dram_w", journal_number(cell_metrics_power(metrics, ENERGY_DRAM)), "psys_w",
                     journal_number(cell_metrics_power(metrics, ENERGY_PSYS)), "package_j",
                     journal_number(package * metrics->energy), "package_flop_per_j",
                     journal_number(package * metrics->flops_per_joule), "gpu_w", journal_number(metrics->gpu.power),
                     "gpu_j", journal_number(board * metrics->energy), "gpu_flop_per_j",
                     journal_number(board * metrics->flops_per_joule), "gpu_error",
                     journal_number(metrics->energy_error));
}

/* The state of a GPU; null if it has no telemetry. */
static json_t *gpu(const struct gpu_metrics *gpu)
{
    char reasons[256];
    if (!gpu_metrics_are_known(gpu))
        return json_null();
    gpu_metrics_reasons(gpu, reasons, sizeof reasons);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "clock_hz", journal_number(gpu->clock),
                     "memory_clock_hz", journal_number(gpu->memory_clock), "temperature_celsius",
                     journal_number(gpu->temperature), "power_limit_w", journal_number(gpu->power_limit),
                     "memory_used_bytes", journal_number(gpu->memory_used), "other_processes",
                     journal_number(gpu->others), "ecc_errors", journal_number(gpu->ecc_errors), "slices_told",
                     json_integer(gpu->reported), "slices_held", json_integer(gpu->held), "held_by", reasons);
}

static json_t *memory_cost(const struct memory_cost *cost)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "device_operands_bytes",
                     journal_number(cost->device_operands), "host_operands_bytes", journal_number(cost->host_operands),
                     "context_host_bytes", journal_number(cost->context_host), "held_twice_bytes",
                     journal_number(cost->held_twice), "repacked_bytes", journal_number(cost->repacked),
                     "peak_host_bytes", journal_number(cost->peak_host), "context_device_bytes",
                     journal_number(cost->context_device), "held_device_bytes", journal_number(cost->held_device));
}

/* Costs other than time. */
static json_t *costs(const struct cell_metrics *metrics)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o}", "energy", energy(metrics), "gpu", gpu(&metrics->gpu),
                     "memory_cost", memory_cost(&metrics->cell->memory_cost), "host_cpu_s_per_s",
                     journal_number(metrics->host_cpu), "wait", metrics->wait, "others_share",
                     journal_number(metrics->others));
}

static json_t *texts(const struct cell_record *cell)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "key", cell->key, "device", cell->device_id,
                     "workload", cell->workload, "dtype", cell->dtype, "shape", cell->shape, "method", cell->method,
                     "memory", cell->memory, "baseline", cell->baseline, "detail", cell->detail, "repro", cell->repro);
}

static json_t *outcome(const struct cell_record *cell)
{
    return json_pack("{s:s, s:s, s:s}", "status", cell->ended ? status_name(cell->outcome.status) : "unfinished",
                     "where", cell->outcome.where, "reason", cell->outcome.message);
}

/* How operands are handed to the device, and how runs are submitted. */
static json_t *handing(const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    return json_pack("{s:b, s:o, s:b, s:o, s:o}", "cold", cell->is_cold, "cold_flushed_bytes",
                     journal_number(cell->flushed), "no_copy", metrics->no_copy, "map_page_s",
                     journal_number(cell->first.map), "enqueue_s", journal_number(metrics->launches.enqueue));
}

static json_t *naive(const struct cell_record *cell)
{
    struct naive naive;
    naive_read(&naive, cell);
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "processes", (int)naive.processes, "failed",
                     (int)naive.failed, "wall_s", journal_number(naive.wall), "least_s", journal_number(naive.least),
                     "most_s", journal_number(naive.most), "alloc_s", journal_number(naive.alloc), "run_s",
                     journal_number(naive.run), "fetch_s", journal_number(naive.fetch), "compile_s",
                     journal_number(naive.compile), "pages", journal_number(naive.faults));
}

static json_t *cell(const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "outcome",
        outcome(cell), "work_flop", journal_number(cell->flops), "work_bytes", journal_number(cell->bytes), "first",
        first(metrics), "series", all_series(cell), "offload_phases", phases(metrics), "time_s",
        estimate(&metrics->time), "headline", series_name(metrics->headline), "bandwidth_bytes_per_s",
        journal_number(metrics->bandwidth), "rate_flop_per_s", journal_number(metrics->rate), "event_median_s",
        journal_number(metrics->event), "event_clock", event_clock_names[metrics->event_clock], "speedup_resident",
        estimate(&metrics->resident), "speedup_offload", estimate(&metrics->offload), "notes", notes(metrics),
        "verified_passes", (int)cell->verified, "smallest_error_caught", journal_number(cell->smallest_error),
        "state_before", state(&cell->before), "state_after", state(&cell->after));
    json_t *object = with_members(with_members(with_members(texts(cell), more), costs(metrics)), handing(metrics));
    object = with_member(object, "ceiling", ceiling(metrics));
    object = with_member(object, "break_even",
                         json_pack("{s:o, s:o}", "fetched_once", breakeven(&metrics->breakeven[FETCH_ONCE]),
                                   "fetched_every_time", breakeven(&metrics->breakeven[FETCH_EVERY_TIME])));
    return cell->naives > 0 ? with_member(object, "naive", naive(cell)) : object;
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

/* "opencl:0 portable, mapped: data stay 0.88x [0.87, 0.90], 12 % slower": the labelled lines of the full report. */
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

/* A member of the journal's head, unchanged; null if there is none. */
static json_t *from_head(const struct record *record, const char *name)
{
    json_t *member = json_object_get(record->head, name);
    return member ? json_incref(member) : json_null();
}

/* A text member of a line, cleaned; "" if there is none. */
static json_t *text_of(const json_t *line, const char *name)
{
    char text[TEXT_ROOM];
    const char *member = json_string_value(json_object_get(line, name));
    text_clean(text, sizeof text, member ? member : "");
    return json_string(text);
}

static json_t *run(const struct record *record)
{
    json_t *texts = json_array(), *seed = json_object_get(record->head, "seed");
    struct notes notes;
    notes_read_run(&notes, record);
    for (unsigned i = 0; i < notes.count; i++)
        texts = with(texts, json_string(notes.text[i]));
    notes_release(&notes);
    json_t *object = json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "version", text_of(record->head, "version"), "started",
                               text_of(record->head, "started"), "seed",
                               json_is_integer(seed) ? json_incref(seed) : text_of(record->head, "seed"), "end",
                               *record->end ? record->end : "broken off", "elapsed_s", journal_number(record->elapsed),
                               "notes", texts);
    return object;
}

static json_t *absent(const struct record *record)
{
    json_t *array = json_array(), *line;
    size_t i;
    json_array_foreach (record->absent, i, line)
        array = with(array, json_pack("{s:o, s:o, s:o, s:o}", "backend", text_of(line, "backend"), "source",
                                      text_of(line, "source"), "status", text_of(line, "status"), "reason",
                                      text_of(line, "reason")));
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
};
