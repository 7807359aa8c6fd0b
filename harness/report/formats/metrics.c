#include "harness/report/formats/metrics.h"

#include "harness/analysis/verdict.h"
#include "harness/report/content/notes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* The type of the member of a struct. SIGN: an int that is negative where it is not known, otherwise 0 or 1. WORD: the
 * struct has the bytes of the text. VERDICT: that of an estimate, in a word. INSTEAD: null in place of a group, unless
 * its count is positive. */
enum kind { NUMBER, COUNT, FLAG, SIGN, TEXT, WORD, OUTCOME, VERDICT, INSTEAD };
enum { MAIN = 16 }; /* added to a kind: the column is written unless all are asked for */

struct metric {
    const char *column, *member; /* NULL: the CSV, or the JSON, does not have it */
    unsigned kind;
    size_t offset; /* in the struct of its group */
};

#define AT(member) offsetof(struct cell_values, member)

static const struct metric cell_metrics[] = {
    { "run", NULL, TEXT | MAIN, AT(run) },
    { "machine", NULL, TEXT | MAIN, AT(machine) },
    { "started", NULL, TEXT, AT(started) },
    { "cell", "key", TEXT, AT(cell.key) },
    { "block", NULL, TEXT, AT(cell.block) },
    { "workload", "workload", TEXT | MAIN, AT(cell.workload) },
    { "dtype", "dtype", TEXT | MAIN, AT(cell.dtype) },
    { "shape", "shape", TEXT | MAIN, AT(cell.shape) },
    { "device", "device", TEXT | MAIN, AT(cell.device_id) },
    { "device_key", NULL, WORD, AT(device.key) },
    { "device_name", NULL, WORD | MAIN, AT(device.name) },
    { "device_class", NULL, TEXT, AT(class) },
    { "backend", NULL, WORD, AT(device.backend) },
    { "driver_version", NULL, WORD, AT(device.driver_version) },
    { "method", "method", TEXT | MAIN, AT(cell.method) },
    { "detail", "detail", TEXT, AT(cell.detail) },
    { "memory", "memory", TEXT | MAIN, AT(cell.memory) },
    { "baseline", "baseline", TEXT, AT(cell.baseline) },
    { "status", "outcome.status", TEXT | MAIN, AT(status) },
    { "where", "outcome.where", WORD, AT(cell.outcome.where) },
    { "reason", "outcome.reason", WORD | MAIN, AT(cell.outcome.message) },
    { "verified_passes", "verified_passes", COUNT, AT(cell.verified) },
    { "smallest_error_caught", "smallest_error_caught", NUMBER, AT(cell.smallest_error) },
    { "timed_runs", "checks.timed_runs", NUMBER, AT(cell.checks.timed) },
    { "checked_runs", "checks.checked_runs", NUMBER, AT(cell.checks.checked) },
    { "check_every_slices", "checks.every_slices", NUMBER, AT(cell.checks.every) },
    { "checks_s", "checks.seconds", NUMBER, AT(cell.checks.seconds) },
    { "work_flop", "work_flop", NUMBER, AT(cell.flops) },
    { "work_bytes", "work_bytes", NUMBER, AT(cell.bytes) },
    { "headline", "headline", TEXT, AT(headline) },
    { "headline_s", NULL, NUMBER | MAIN, AT(metrics.time.value) },
    { "headline_half_width", NULL, NUMBER, AT(metrics.half_width) },
    { "cold", "cold", FLAG, AT(cell.is_cold) },
    { "cold_flushed_bytes", "cold_flushed_bytes", NUMBER, AT(cell.flushed) },
    { "no_copy", "no_copy", FLAG, AT(metrics.no_copy) },
    { "map_page_s", "map_page_s", NUMBER, AT(cell.first.map) },
    { "bandwidth_bytes_per_s", "bandwidth_bytes_per_s", NUMBER | MAIN, AT(metrics.bandwidth) },
    { "rate_flop_per_s", "rate_flop_per_s", NUMBER | MAIN, AT(metrics.rate) },
    { "items", "items", TEXT, AT(cell.items) },
    { "items_per_s", "items_per_s", NUMBER, AT(metrics.items) },
    { "event_clock", "event_clock", TEXT, AT(event_clock) },
    { "event_median_s", "event_median_s", NUMBER, AT(metrics.event) },
    { "enqueue_s", "enqueue_s", NUMBER, AT(metrics.launches.enqueue) },
    { "first_open_s", "first.open_s", NUMBER, AT(cell.first.open) },
    { "first_alloc_s", "first.alloc_s", NUMBER, AT(cell.first.alloc) },
    { "first_compile_s", "first.compile_s", NUMBER, AT(cell.first.compile) },
    { "first_upload_s", "first.upload_s", NUMBER, AT(cell.first.upload) },
    { "first_repack_s", "first.repack_s", NUMBER, AT(cell.first.repack) },
    { "first_run_s", "first.run_s", NUMBER, AT(cell.first.run) },
    { "first_download_s", "first.download_s", NUMBER, AT(cell.first.download) },
    { "first_total_s", "first.total_s", NUMBER, AT(metrics.first) },
    { "measures_ceiling", "ceiling.measures", TEXT, AT(roof) },
    { "ceiling_flop_per_s", "ceiling.flop_per_s", NUMBER, AT(metrics.roof.flops.wall) },
    { "ceiling_bytes_per_s", "ceiling.bytes_per_s", NUMBER, AT(metrics.roof.bandwidth.wall) },
    { NULL, "ceiling.by_event_clock", FLAG, AT(metrics.roof.by_event) },
    { NULL, "ceiling.launch_s", NUMBER, AT(metrics.roof.latency) },
    { "share_of_ceiling", "ceiling.share", NUMBER | MAIN, AT(metrics.share) },
    { "bound_by", "ceiling.bound_by", TEXT | MAIN, AT(metrics.bound) },
    { "copied_bound_by", "ceiling.copied_bound_by", TEXT, AT(copied_bound) },
    { "others_share", "others_share", NUMBER, AT(metrics.others) },
    { "wait", "wait", TEXT, AT(metrics.wait) },
    { "host_cpu_s_per_s", "host_cpu_s_per_s", NUMBER, AT(metrics.host_cpu) },
    { "package_power_w", "energy.package_w", NUMBER, AT(metrics.power) },
    { "dram_power_w", "energy.dram_w", NUMBER, AT(dram_power) },
    { "psys_power_w", "energy.psys_w", NUMBER, AT(psys_power) },
    { "package_energy_j", "energy.package_j", NUMBER, AT(package_energy) },
    { "package_flop_per_j", "energy.package_flop_per_j", NUMBER, AT(package_flop_per_j) },
    { "gpu_power_w", "energy.gpu_w", NUMBER, AT(metrics.gpu.power) },
    { "gpu_energy_j", "energy.gpu_j", NUMBER, AT(gpu_energy) },
    { "gpu_flop_per_j", "energy.gpu_flop_per_j", NUMBER, AT(gpu_flop_per_j) },
    { "gpu_energy_error", "energy.gpu_error", NUMBER, AT(metrics.energy_error) },
    { NULL, "gpu", INSTEAD, AT(knows_gpu) },
};

static const struct metric gpu_metrics[] = {
    { "clock_hz", "clock_hz", NUMBER, AT(metrics.gpu.clock) },
    { "memory_clock_hz", "memory_clock_hz", NUMBER, AT(metrics.gpu.memory_clock) },
    { "temperature_celsius", "temperature_celsius", NUMBER, AT(metrics.gpu.temperature) },
    { "power_limit_w", "power_limit_w", NUMBER, AT(metrics.gpu.power_limit) },
    { "memory_used_bytes", "memory_used_bytes", NUMBER, AT(metrics.gpu.memory_used) },
    { "other_processes", "other_processes", NUMBER, AT(metrics.gpu.others) },
    { "ecc_errors", "ecc_errors", NUMBER, AT(metrics.gpu.ecc_errors) },
    { "slices_told", "slices_told", COUNT, AT(metrics.gpu.reported) },
    { "slices_held", "slices_held", COUNT, AT(metrics.gpu.held) },
    { "held_by", "held_by", WORD, AT(held_by) },
};

static const struct metric memory_metrics[] = {
    { "device_operands_bytes", "device_operands_bytes", NUMBER, AT(cell.memory_cost.device_operands) },
    { "host_operands_bytes", "host_operands_bytes", NUMBER, AT(cell.memory_cost.host_operands) },
    { "context_host_bytes", "context_host_bytes", NUMBER, AT(cell.memory_cost.context_host) },
    { "held_twice_bytes", "held_twice_bytes", NUMBER, AT(cell.memory_cost.held_twice) },
    { "repacked_bytes", "repacked_bytes", NUMBER, AT(cell.memory_cost.repacked) },
    { "peak_host_bytes", "peak_host_bytes", NUMBER, AT(cell.memory_cost.peak_host) },
    { "context_device_bytes", "context_device_bytes", NUMBER, AT(cell.memory_cost.context_device) },
    { "held_device_bytes", "held_device_bytes", NUMBER, AT(cell.memory_cost.held_device) },
};

static const struct metric naive_metrics[] = {
    { NULL, "processes", COUNT, AT(naive.processes) }, { NULL, "failed", COUNT, AT(naive.failed) },
    { NULL, "wall_s", NUMBER, AT(naive.wall) },        { NULL, "least_s", NUMBER, AT(naive.least) },
    { NULL, "most_s", NUMBER, AT(naive.most) },        { NULL, "alloc_s", NUMBER, AT(naive.alloc) },
    { NULL, "run_s", NUMBER, AT(naive.run) },          { NULL, "fetch_s", NUMBER, AT(naive.fetch) },
    { NULL, "compile_s", NUMBER, AT(naive.compile) },  { NULL, "pages", NUMBER, AT(naive.faults) },
};

static const struct metric last_metrics[] = {
    { "copied_upload_median_s", "copied_phases.upload_s", NUMBER, AT(metrics.upload) },
    { "copied_repack_median_s", "copied_phases.repack_s", NUMBER, AT(metrics.repack) },
    { "copied_compute_median_s", "copied_phases.compute_s", NUMBER, AT(metrics.copied_compute) },
    { "copied_download_median_s", "copied_phases.download_s", NUMBER, AT(metrics.download) },
    { "notes", "notes", TEXT, AT(joined_notes) },
    { "repro", "repro", TEXT | MAIN, AT(cell.repro) },
};

#define STATE(member) offsetof(struct host_state, member)

static const struct metric state_metrics[] = {
    { "clock_hz", "clock_hz", NUMBER, STATE(clock) },
    { "steal_s", "steal_s", NUMBER, STATE(steal) },
    { "busy_s", "busy_s", NUMBER, STATE(busy) },
    { "idle_s", "idle_s", NUMBER, STATE(idle) },
    { "own_s", "own_s", NUMBER, STATE(own) },
    { "pressure_percent", "pressure_percent", NUMBER, STATE(pressure) },
    { "temperature_celsius", "temperature_celsius", NUMBER, STATE(temperature) },
    { "slowed_for_heat", "slowed_for_heat", NUMBER, STATE(overheated) },
    { "load", "load", NUMBER, STATE(load) },
    { "quota_waits_s", "quota_waits_s", NUMBER, STATE(throttled) },
    { "swap_used_bytes", "swap_used_bytes", NUMBER, STATE(swap_used) },
    { "swapped_bytes", "swapped_bytes", NUMBER, STATE(swapped) },
    { "governor", "governor", WORD, STATE(governor) },
    { "on_battery", "on_battery", SIGN, STATE(on_battery) },
};

#define ESTIMATE(member) offsetof(struct estimate, member)

static const struct metric estimate_metrics[] = {
    { "ratio", "value", NUMBER | MAIN, ESTIMATE(value) }, { "low", "low", NUMBER | MAIN, ESTIMATE(low) },
    { "high", "high", NUMBER | MAIN, ESTIMATE(high) },    { "rounds", "samples", COUNT, ESTIMATE(samples) },
    { "blocks", "blocks", COUNT, ESTIMATE(blocks) },
};

static const struct metric verdict_metrics[] = { { "verdict", "verdict", VERDICT | MAIN, 0 } };

#define BREAKEVEN(member) offsetof(struct breakeven, member)

static const struct metric breakeven_metrics[] = {
    { "outcome", "outcome", OUTCOME, BREAKEVEN(outcome) },
    { "uses", "uses", NUMBER, BREAKEVEN(uses) },
    { "low", "low", NUMBER, BREAKEVEN(low) },
    { "high", "high", NUMBER, BREAKEVEN(high) },
};

#define SERIES(member) offsetof(struct series_values, member)

static const struct metric series_metrics[] = {
    { "count", "count", COUNT, SERIES(summary.count) },
    { "min_s", "min_s", NUMBER, SERIES(summary.min) },
    { "p5_s", "p5_s", NUMBER, SERIES(summary.p5) },
    { "median_s", "median_s", NUMBER, SERIES(summary.median) },
    { "p95_s", "p95_s", NUMBER, SERIES(summary.p95) },
    { "max_s", "max_s", NUMBER, SERIES(summary.max) },
    { "mad_s", "mad_s", NUMBER, SERIES(summary.mad) },
    { NULL, "two_modes", FLAG, SERIES(summary.two_modes) },
    { NULL, "time_s.value", NUMBER, SERIES(time.value) },
    { "low_s", "time_s.low", NUMBER, SERIES(time.low) },
    { "high_s", "time_s.high", NUMBER, SERIES(time.high) },
    { NULL, "time_s.samples", COUNT, SERIES(time.samples) },
    { "slices", "slices", COUNT, SERIES(slices) },
    { "blocks", "time_s.blocks", COUNT, SERIES(time.blocks) },
    { "host_cpu_s_per_s", "host_cpu_s_per_s", NUMBER, SERIES(host_cpu) },
    { "stop", "stop", TEXT, SERIES(stop) },
};

#define LIST(metrics)    metrics, sizeof metrics / sizeof *metrics
#define OF_SERIES(which) LIST(series_metrics), AT(series[which]), AT(series[which].summary.count)

/* In the order of the columns. A name is put before those in the list; columns NULL: the CSV does not have the group.
 */
static const struct group {
    const char *columns, *members;
    const struct metric *metric;
    unsigned metrics;
    size_t offset; /* of the struct with them */
    size_t count;  /* of an unsigned that is 0 where the cell has none of them; 0: it always has */
} groups[] = {
    { "", "", LIST(cell_metrics), 0, 0 },
    { "gpu_", "gpu.", LIST(gpu_metrics), 0, AT(knows_gpu) },
    { "memory_", "memory_cost.", LIST(memory_metrics), 0, 0 },
    { NULL, "naive.", LIST(naive_metrics), 0, AT(naive.processes) },
    { "before_", "state_before.", LIST(state_metrics), AT(cell.before), 0 },
    { "after_", "state_after.", LIST(state_metrics), AT(cell.after), 0 },
    { NULL, "time_s.", LIST(estimate_metrics), AT(metrics.time), 0 },
    { "speedup_resident_", "speedup_resident.", LIST(estimate_metrics), AT(metrics.resident), 0 },
    { "speedup_resident_", "speedup_resident.", LIST(verdict_metrics), AT(metrics.resident), 0 },
    { "speedup_copied_", "speedup_copied.", LIST(estimate_metrics), AT(metrics.copied), 0 },
    { "speedup_copied_", "speedup_copied.", LIST(verdict_metrics), AT(metrics.copied), 0 },
    { "break_even_fetched_once_", "break_even.fetched_once.", LIST(breakeven_metrics),
      AT(metrics.breakeven[FETCH_ONCE]), 0 },
    { "break_even_fetched_every_time_", "break_even.fetched_every_time.", LIST(breakeven_metrics),
      AT(metrics.breakeven[FETCH_EVERY_TIME]), 0 },
    { "resident_", "series.resident.", OF_SERIES(SERIES_RESIDENT) },
    { "queued_", "series.queued.", OF_SERIES(SERIES_QUEUED) },
    { "copied_", "series.copied.", OF_SERIES(SERIES_COPIED) },
    { "sustained_", "series.sustained.", OF_SERIES(SERIES_SUSTAINED) },
    { "", "", LIST(last_metrics), 0, 0 },
};

static void read_series(struct series_values *out, const struct cell_record *cell, enum series series)
{
    const struct track *track = &cell->track[series];
    *out = (struct series_values){
        .summary = stats_summary(track->wall.value, track->wall.count),
        .time = record_time(cell, series),
        .slices = track->slices,
        .host_cpu = track->elapsed > 0 ? track->cpu / track->elapsed : NAN,
        .stop = track->slices > 0 ? stop_name(track->stop) : "",
    };
}

static void read_energy(struct cell_values *out, const struct cell_metrics *metrics)
{
    bool is_board = metrics->energy_of == ENERGY_GPU;
    out->package_energy = is_board ? NAN : metrics->energy;
    out->package_flop_per_j = is_board ? NAN : metrics->flops_per_joule;
    out->gpu_energy = is_board ? metrics->energy : NAN;
    out->gpu_flop_per_j = is_board ? metrics->flops_per_joule : NAN;
    out->dram_power = cell_metrics_power(metrics, ENERGY_DRAM);
    out->psys_power = cell_metrics_power(metrics, ENERGY_PSYS);
    gpu_metrics_reasons(&metrics->gpu, out->held_by, sizeof out->held_by);
}

static void read_notes(struct cell_values *out)
{
    notes_read(&out->notes, &out->metrics);
    struct string_builder joined = { .pool = &out->notes.pool };
    for (unsigned i = 0; i < out->notes.count; i++)
        string_append(&joined, "%s%s", i > 0 ? "; " : "", out->notes.note[i].text);
    out->joined_notes = string_text(&joined);
}

void cell_values_read(struct cell_values *out, const char *run, const char *machine, const char *started,
                      const struct cell_metrics *metrics, enum metric_names names)
{
    const struct cell_record *cell = metrics->cell;
    enum bound copied_bound = metrics->roof.copied_bound;
    *out = (struct cell_values){
        .run = run,
        .machine = machine,
        .started = started,
        .metrics = *metrics,
        .cell = *cell,
        .status = cell->ended ? status_name(cell->outcome.status) : "unfinished",
        .headline = series_name(metrics->headline),
        .event_clock = event_clock_names[metrics->event_clock],
        .roof = roof_name(cell->roof),
        .knows_gpu = gpu_metrics_are_known(&metrics->gpu),
        .copied_bound = copied_bound == BOUND_UNKNOWN ? NULL : bound_names[copied_bound],
    };
    if (metrics->device) {
        out->device = *metrics->device;
        out->class = class_name(metrics->device->class);
    }
    if (names == METRIC_MAIN_COLUMNS) /* none is of a list, a series or a counter */
        return;
    if (cell->naives > 0)
        naive_read(&out->naive, cell);
    read_energy(out, metrics);
    read_notes(out);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        read_series(&out->series[series], cell, series);
}

void cell_values_release(struct cell_values *values)
{
    notes_release(&values->notes);
}

static struct metric_value number_of(double number)
{
    return (struct metric_value){ isfinite(number) ? METRIC_NUMBER : METRIC_UNKNOWN, number, "" };
}

static struct metric_value text_of(const char *text)
{
    return (struct metric_value){ text ? METRIC_TEXT : METRIC_UNKNOWN, NAN, text };
}

static struct metric_value value_of(unsigned kind, const void *at)
{
    switch ((enum kind)kind) {
    case NUMBER:
        return number_of(*(const double *)at);
    case COUNT:
        return number_of(*(const unsigned *)at);
    case FLAG:
        return (struct metric_value){ METRIC_FLAG, *(const bool *)at, "" };
    case SIGN:
        return (struct metric_value){ *(const int *)at < 0 ? METRIC_UNKNOWN : METRIC_FLAG, *(const int *)at, "" };
    case TEXT:
        return text_of(*(const char *const *)at);
    case OUTCOME:
        return text_of(breakeven_outcomes[*(const enum breakeven_outcome *)at]);
    case VERDICT:
        return text_of(verdict_words[verdict_of(at)]);
    case INSTEAD:
        return (struct metric_value){ *(const unsigned *)at > 0 ? METRIC_ABSENT : METRIC_UNKNOWN, NAN, "" };
    case WORD:
        break;
    }
    return text_of(at);
}

/* The metric's own part of its name; NULL: it is not among these. */
static const char *own_name(const struct group *group, const struct metric *metric, enum metric_names names)
{
    if (names == METRIC_MEMBERS)
        return metric->member;
    return group->columns && (names == METRIC_COLUMNS || metric->kind >= MAIN) ? metric->column : NULL;
}

unsigned metrics_names(enum metric_names names, char out[METRICS_MAX][METRIC_NAME])
{
    unsigned count = 0;
    for (const struct group *group = groups; group < groups + sizeof groups / sizeof *groups; group++)
        for (unsigned i = 0; i < group->metrics; i++) {
            const char *own = own_name(group, &group->metric[i], names);
            if (own)
                snprintf(out[count++], METRIC_NAME, "%s%s", names == METRIC_MEMBERS ? group->members : group->columns,
                         own);
        }
    return count;
}

void metrics_read(const struct cell_values *values, enum metric_names names, struct metric_value out[METRICS_MAX])
{
    const char *base = (const char *)values;
    for (const struct group *group = groups; group < groups + sizeof groups / sizeof *groups; group++) {
        bool has_any = group->count == 0 || *(const unsigned *)(const void *)(base + group->count) > 0;
        for (unsigned i = 0; i < group->metrics; i++) {
            const struct metric *metric = &group->metric[i];
            if (own_name(group, metric, names))
                *out++ = has_any ? value_of(metric->kind % MAIN, base + group->offset + metric->offset)
                                 : (struct metric_value){ METRIC_ABSENT, NAN, "" };
        }
    }
}
