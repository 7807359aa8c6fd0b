#include "harness/report/formats/metrics.h"

#include "harness/analysis/figures.h"
#include "harness/journal/journal.h"
#include "harness/report/content/notes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* The type of the member of a struct. SIGN: an int that is negative where it is not known, otherwise 0 or 1. WORD: the
 * struct has the bytes of the text. CHANGE: a number in cell.before, whose change until cell.after counts. */
enum kind { NUMBER, COUNT, FLAG, SIGN, TEXT, WORD, CHANGE, OUTCOME };
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
    { "measures_ceiling", NULL, TEXT, AT(measures_ceiling) },
    { NULL, "ceiling.measures", TEXT, AT(roof) },
    { "ceiling_flop_per_s", "ceiling.flop_per_s", NUMBER, AT(metrics.roof.flops.wall) },
    { "ceiling_bytes_per_s", "ceiling.bytes_per_s", NUMBER, AT(metrics.roof.bandwidth.wall) },
    { NULL, "ceiling.by_event_clock", FLAG, AT(metrics.roof.by_event) },
    { NULL, "ceiling.launch_s", NUMBER, AT(metrics.roof.latency) },
    { "share_of_ceiling", "ceiling.share", NUMBER | MAIN, AT(metrics.share) },
    { "bound_by", "ceiling.bound_by", TEXT | MAIN, AT(metrics.bound) },
    { "transfers_bound_by", "ceiling.transfers_bound_by", TEXT, AT(offload_bound) },
    { "clock_before_hz", NULL, NUMBER, AT(cell.before.clock) },
    { "clock_after_hz", NULL, NUMBER, AT(cell.after.clock) },
    { "temperature_before_celsius", NULL, NUMBER, AT(cell.before.temperature) },
    { "temperature_after_celsius", NULL, NUMBER, AT(cell.after.temperature) },
    { "pressure_before_percent", NULL, NUMBER, AT(cell.before.pressure) },
    { "pressure_after_percent", NULL, NUMBER, AT(cell.after.pressure) },
    { "processors_busy_s", NULL, CHANGE, AT(cell.before.busy) },
    { "processors_stolen_s", NULL, CHANGE, AT(cell.before.steal) },
    { "governor", NULL, WORD, AT(cell.after.governor) },
    { "power", NULL, TEXT, AT(power) },
    { "quota_waits_s", NULL, CHANGE, AT(cell.before.throttled) },
    { "slowed_for_heat", NULL, CHANGE, AT(cell.before.overheated) },
    { "swapped_bytes", NULL, CHANGE, AT(cell.before.swapped) },
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
    { "gpu_clock_hz", "gpu.clock_hz", NUMBER, AT(metrics.gpu.clock) },
    { "gpu_memory_clock_hz", "gpu.memory_clock_hz", NUMBER, AT(metrics.gpu.memory_clock) },
    { "gpu_temperature_celsius", "gpu.temperature_celsius", NUMBER, AT(metrics.gpu.temperature) },
    { "gpu_power_limit_w", "gpu.power_limit_w", NUMBER, AT(metrics.gpu.power_limit) },
    { "gpu_memory_used_bytes", "gpu.memory_used_bytes", NUMBER, AT(metrics.gpu.memory_used) },
    { "gpu_other_processes", "gpu.other_processes", NUMBER, AT(metrics.gpu.others) },
    { "gpu_ecc_errors", "gpu.ecc_errors", NUMBER, AT(metrics.gpu.ecc_errors) },
    { NULL, "gpu.slices_told", COUNT, AT(metrics.gpu.reported) },
    { NULL, "gpu.slices_held", COUNT, AT(metrics.gpu.held) },
    { "gpu_slices_told", NULL, NUMBER, AT(slices) },
    { "gpu_slices_held", NULL, NUMBER, AT(slices_held) },
    { "gpu_held_by", "gpu.held_by", WORD, AT(held_by) },
    { "memory_device_operands_bytes", "memory_cost.device_operands_bytes", NUMBER,
      AT(cell.memory_cost.device_operands) },
    { "memory_host_operands_bytes", "memory_cost.host_operands_bytes", NUMBER, AT(cell.memory_cost.host_operands) },
    { "memory_context_host_bytes", "memory_cost.context_host_bytes", NUMBER, AT(cell.memory_cost.context_host) },
    { "memory_held_twice_bytes", "memory_cost.held_twice_bytes", NUMBER, AT(cell.memory_cost.held_twice) },
    { "memory_repacked_bytes", "memory_cost.repacked_bytes", NUMBER, AT(cell.memory_cost.repacked) },
    { "memory_peak_host_bytes", "memory_cost.peak_host_bytes", NUMBER, AT(cell.memory_cost.peak_host) },
    { "memory_context_device_bytes", "memory_cost.context_device_bytes", NUMBER, AT(cell.memory_cost.context_device) },
    { "memory_held_device_bytes", "memory_cost.held_device_bytes", NUMBER, AT(cell.memory_cost.held_device) },
    { NULL, "naive.processes", COUNT, AT(naive.processes) },
    { NULL, "naive.failed", COUNT, AT(naive.failed) },
    { NULL, "naive.wall_s", NUMBER, AT(naive.wall) },
    { NULL, "naive.least_s", NUMBER, AT(naive.least) },
    { NULL, "naive.most_s", NUMBER, AT(naive.most) },
    { NULL, "naive.alloc_s", NUMBER, AT(naive.alloc) },
    { NULL, "naive.run_s", NUMBER, AT(naive.run) },
    { NULL, "naive.fetch_s", NUMBER, AT(naive.fetch) },
    { NULL, "naive.compile_s", NUMBER, AT(naive.compile) },
    { NULL, "naive.pages", NUMBER, AT(naive.faults) },
};

static const struct metric last_metrics[] = {
    { "transfers_upload_median_s", "transfers_phases.upload_s", NUMBER, AT(metrics.upload) },
    { "transfers_repack_median_s", "transfers_phases.repack_s", NUMBER, AT(metrics.repack) },
    { "transfers_compute_median_s", "transfers_phases.compute_s", NUMBER, AT(metrics.offload_compute) },
    { "transfers_download_median_s", "transfers_phases.download_s", NUMBER, AT(metrics.download) },
    { "notes", NULL, TEXT, AT(joined_notes) },
    { "repro", "repro", TEXT | MAIN, AT(cell.repro) },
};

#define STATE(member) offsetof(struct host_state, member)

static const struct metric state_metrics[] = {
    { NULL, "clock_hz", NUMBER, STATE(clock) },
    { NULL, "steal_s", NUMBER, STATE(steal) },
    { NULL, "busy_s", NUMBER, STATE(busy) },
    { NULL, "idle_s", NUMBER, STATE(idle) },
    { NULL, "own_s", NUMBER, STATE(own) },
    { NULL, "pressure_percent", NUMBER, STATE(pressure) },
    { NULL, "temperature_celsius", NUMBER, STATE(temperature) },
    { NULL, "slowed_for_heat", NUMBER, STATE(overheated) },
    { NULL, "load", NUMBER, STATE(load) },
    { NULL, "quota_waits_s", NUMBER, STATE(throttled) },
    { NULL, "swap_used_bytes", NUMBER, STATE(swap_used) },
    { NULL, "swapped_bytes", NUMBER, STATE(swapped) },
    { NULL, "governor", WORD, STATE(governor) },
    { NULL, "on_battery", SIGN, STATE(on_battery) },
};

#define ESTIMATE(member) offsetof(struct estimate, member)

static const struct metric estimate_metrics[] = {
    { "ratio", "value", NUMBER | MAIN, ESTIMATE(value) }, { "low", "low", NUMBER | MAIN, ESTIMATE(low) },
    { "high", "high", NUMBER | MAIN, ESTIMATE(high) },    { "rounds", "samples", COUNT, ESTIMATE(samples) },
    { "blocks", "blocks", COUNT, ESTIMATE(blocks) },
};

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

#define LIST(metrics) metrics, sizeof metrics / sizeof *metrics

/* In the order of the columns. A name is put before those in the list; columns NULL: the CSV does not have the group.
 */
static const struct group {
    const char *columns, *members;
    const struct metric *metric;
    unsigned metrics;
    size_t offset; /* of the struct with them */
} groups[] = {
    { "", "", LIST(cell_metrics), 0 },
    { NULL, "state_before.", LIST(state_metrics), AT(cell.before) },
    { NULL, "state_after.", LIST(state_metrics), AT(cell.after) },
    { NULL, "time_s.", LIST(estimate_metrics), AT(metrics.time) },
    { "speedup_compute_", "speedup_compute.", LIST(estimate_metrics), AT(metrics.resident) },
    { "speedup_transfers_", "speedup_transfers.", LIST(estimate_metrics), AT(metrics.offload) },
    { "break_even_fetched_once_", "break_even.fetched_once.", LIST(breakeven_metrics),
      AT(metrics.breakeven[FETCH_ONCE]) },
    { "break_even_fetched_every_time_", "break_even.fetched_every_time.", LIST(breakeven_metrics),
      AT(metrics.breakeven[FETCH_EVERY_TIME]) },
    { "compute_", "series.compute.", LIST(series_metrics), AT(series[SERIES_RESIDENT]) },
    { "queued_", "series.queued.", LIST(series_metrics), AT(series[SERIES_QUEUED]) },
    { "transfers_", "series.transfers.", LIST(series_metrics), AT(series[SERIES_OFFLOAD]) },
    { "sustained_", "series.sustained.", LIST(series_metrics), AT(series[SERIES_SUSTAINED]) },
    { "", "", LIST(last_metrics), 0 },
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
    out->slices = metrics->gpu.reported > 0 ? metrics->gpu.reported : NAN;
    out->slices_held = metrics->gpu.reported > 0 ? metrics->gpu.held : NAN;
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
                      const struct cell_metrics *metrics)
{
    static const char *const power[] = { "", "mains", "battery" };
    const struct cell_record *cell = metrics->cell;
    enum bound offload_bound = metrics->roof.offload_bound;
    *out = (struct cell_values){
        .run = run,
        .machine = machine,
        .started = started,
        .metrics = *metrics,
        .cell = *cell,
        .status = cell->ended ? status_name(cell->outcome.status) : "unfinished",
        .headline = series_title(metrics->headline),
        .event_clock = event_clock_names[metrics->event_clock],
        .measures_ceiling = cell->roof == ROOF_NONE ? "" : roof_name(cell->roof),
        .roof = roof_name(cell->roof),
        .power = power[cell->after.on_battery + 1],
        .offload_bound = offload_bound == BOUND_UNKNOWN ? NULL : bound_names[offload_bound],
    };
    if (metrics->device) {
        out->device = *metrics->device;
        out->class = class_name(metrics->device->class);
    }
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

static json_t *value_of(unsigned kind, const void *at)
{
    const char *const *text = at;
    const double *number = at;
    switch ((enum kind)kind) {
    case NUMBER:
        return journal_number(*number);
    case CHANGE:
        return journal_number(number[(AT(cell.after) - AT(cell.before)) / sizeof *number] - *number);
    case COUNT:
        return json_integer(*(const unsigned *)at);
    case FLAG:
        return json_boolean(*(const bool *)at);
    case SIGN:
        return *(const int *)at < 0 ? json_null() : json_boolean(*(const int *)at);
    case TEXT:
        return *text ? json_string(*text) : json_null();
    case OUTCOME:
        return json_string(breakeven_outcomes[*(const enum breakeven_outcome *)at]);
    case WORD:
        break;
    }
    return json_string(at);
}

void metrics_each(const struct cell_values *values, enum metric_names names, metric_take *take, void *context)
{
    for (const struct group *group = groups; group < groups + sizeof groups / sizeof *groups; group++)
        for (unsigned i = 0; i < group->metrics; i++) {
            const struct metric *metric = &group->metric[i];
            const char *before = names == METRIC_MEMBERS ? group->members : group->columns;
            const char *own = names == METRIC_MEMBERS ? metric->member : metric->column;
            char name[METRIC_NAME];
            if (!before || !own || (names == METRIC_MAIN_COLUMNS && metric->kind < MAIN))
                continue;
            snprintf(name, sizeof name, "%s%s", before, own);
            take(context, name,
                 values ? value_of(metric->kind % MAIN, (const char *)values + group->offset + metric->offset) : NULL);
        }
}
