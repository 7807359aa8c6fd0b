#include "harness/report/content/columns.h"

#include "harness/analysis/verdict.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The type of the member. SIGN: an int that is negative where it is not known, otherwise 0 or 1. CHARS: the struct has
 * the bytes of the text. VERDICT: that of an estimate. STATUS: that of a cell. The others: an enum, in its words. */
enum kind { NUMBER, COUNT, FLAG, SIGN, TEXT, CHARS, VERDICT, STATUS, CLASS, USE, CLOCK, ROOF, BOUND, OUTCOME };
enum { MAIN = 16 }; /* added to a kind: the column is written to a CSV unless all are asked for */

#define CELL(member)      OF_CELL, offsetof(struct cell_record, member)
#define DEVICE(member)    OF_DEVICE, offsetof(struct device, member)
#define FIGURE_OF(member) OF_FIGURES, offsetof(struct figures, member)
#define SOURCE(member)    OF_SOURCE, offsetof(struct column_source, member)

/* How tables for people show it. */
#define HIDDEN                             SHOW_NOT, 1, { NULL, NULL, ALIGN_LEFT, GROUP_NAME, NULL }, 0
#define WORD(title, group)                 SHOW_WORD, 1, { title, "", ALIGN_LEFT, group, NULL }, 0
#define SPEEDUP(title)                     SHOW_SPEEDUP, 1, { title, "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, NULL }, 0
#define FIGURE(title, below, group, scale) SHOW_FIGURE, scale, { title, below, ALIGN_NUMBER, group, NULL }, 0
#define TIME(title)                        SHOW_TIME, 1, { title, "", ALIGN_NUMBER, GROUP_TIME, NULL }, 0
#define METHOD                             SHOW_METHOD, 1, { "method", "", ALIGN_LEFT, GROUP_NAME, NULL }, 0
#define FIRST                              SHOW_FIRST, 1, { "cold start", "", ALIGN_RATIO, GROUP_TIME, NULL }, 0
#define NOTES                              SHOW_NOTES, 1, { "note", "", ALIGN_NOTES, GROUP_TIME, NULL }, 0

/* Rows of the table. `term` NULL: that of the group. Names are those behind the group's. */
static const struct cell_column names[] = {
    { "run", "run", NULL, TEXT | MAIN, SOURCE(run), WORD("run", GROUP_NAME) },
    { "machine", "machine", NULL, TEXT | MAIN, SOURCE(machine), HIDDEN },
    { "started", "started", NULL, TEXT, SOURCE(started), HIDDEN },
    { "key", "cell", "key", TEXT, CELL(key), HIDDEN },
    { "problem", "block", NULL, TEXT, CELL(block), HIDDEN },
    { "workload", "workload", "workload", TEXT | MAIN, CELL(workload), HIDDEN },
    { "dtype", "dtype", "dtype", TEXT | MAIN, CELL(dtype), HIDDEN },
    { "shape", "shape", "shape", TEXT | MAIN, CELL(shape), HIDDEN },
    { "device", "device", "device", TEXT | MAIN, CELL(device_id), WORD("device", GROUP_NAME) },
    { "device", "device_key", NULL, CHARS, DEVICE(key), HIDDEN },
    { "device", "device_name", NULL, CHARS | MAIN, DEVICE(name), HIDDEN },
    { "device", "device_class", NULL, CLASS, DEVICE(class), HIDDEN },
    { "device", "backend", NULL, CHARS, DEVICE(backend), HIDDEN },
    { "driver version", "driver_version", NULL, CHARS, DEVICE(driver_version), HIDDEN },
    { "method", "method", "method", TEXT | MAIN, CELL(method), METHOD },
    { "detail", "detail", "detail", TEXT, CELL(first.detail), HIDDEN },
    { "memory", "memory", "memory", TEXT | MAIN, CELL(memory), WORD("memory", GROUP_NAME) },
    { "baseline", "baseline", "baseline", TEXT, CELL(baseline), HIDDEN },
    { "status", "status", "outcome.status", STATUS | MAIN, OF_CELL, 0, HIDDEN },
    { "reason", "where", "outcome.where", CHARS, CELL(outcome.where), HIDDEN },
    { "reason", "reason", "outcome.reason", CHARS | MAIN, CELL(outcome.message), HIDDEN },
    { "left out", "left_out", NULL, NUMBER | MAIN, SOURCE(left_out), HIDDEN },
    { "verified passes", "verified_passes", "verified_passes", COUNT, CELL(verified), HIDDEN },
    { "smallest error caught", "smallest_error_caught", "smallest_error_caught", NUMBER, CELL(smallest_error), HIDDEN },
    { "checked runs", "timed_runs", "checks.timed_runs", NUMBER, CELL(checks.timed), HIDDEN },
    { "checked runs", "checked_runs", "checks.checked_runs", NUMBER, CELL(checks.checked), HIDDEN },
    { "checked runs", "check_every_slices", "checks.every_slices", NUMBER, CELL(checks.every), HIDDEN },
    { "checked runs", "checks_s", "checks.seconds", NUMBER, CELL(checks.seconds), HIDDEN },
    { "work", "work_flop", "work_flop", NUMBER, CELL(flops), HIDDEN },
    { "work", "work_bytes", "work_bytes", NUMBER, CELL(bytes), HIDDEN },
    { "cold", "cold", "cold", FLAG, CELL(is_cold), HIDDEN },
    { "cold", "cold_flushed_bytes", "cold_flushed_bytes", NUMBER, CELL(first.flush_bytes), HIDDEN },
    { "settled", "settled", "settled", SIGN, FIGURE_OF(settled), HIDDEN },
    { "no copy", "no_copy", "no_copy", FLAG, FIGURE_OF(costs.no_copy), HIDDEN },
    { "no copy", "map_page_s", "map_page_s", NUMBER, CELL(first.map), HIDDEN },
    { "headline", "headline", "headline", USE, FIGURE_OF(headline), HIDDEN },
    { "headline", "headline_s", "time_s.value", NUMBER | MAIN, FIGURE_OF(time.value), HIDDEN },
    { "low and high", NULL, "time_s.low", NUMBER, FIGURE_OF(time.low), HIDDEN },
    { "low and high", NULL, "time_s.high", NUMBER, FIGURE_OF(time.high), HIDDEN },
    { "samples", NULL, "time_s.samples", COUNT, FIGURE_OF(time.samples), HIDDEN },
    { "resident speed-up", NULL, NULL, NUMBER, FIGURE_OF(use[USE_RESIDENT].speedup), SPEEDUP("resident") },
    { "copied speed-up", NULL, NULL, NUMBER, FIGURE_OF(use[USE_COPIED].speedup), SPEEDUP("copied") },
};

#define ESTIMATE(member) OF_NOTHING, offsetof(struct estimate, member)

static const struct cell_column speedup[] = {
    { NULL, "ratio", "value", NUMBER | MAIN, ESTIMATE(value), HIDDEN },
    { "low and high", "low", "low", NUMBER | MAIN, ESTIMATE(low), HIDDEN },
    { "low and high", "high", "high", NUMBER | MAIN, ESTIMATE(high), HIDDEN },
    { "samples", "rounds", "samples", COUNT, ESTIMATE(samples), HIDDEN },
    { "verdict", "verdict", "verdict", VERDICT | MAIN, OF_NOTHING, 0, HIDDEN },
};

static const struct cell_column breakeven[] = {
    { NULL, "outcome", "outcome", OUTCOME, OF_NOTHING, offsetof(struct breakeven, outcome), HIDDEN },
    { NULL, "uses", "uses", NUMBER, OF_NOTHING, offsetof(struct breakeven, uses), HIDDEN },
    { NULL, "low", "low", NUMBER, OF_NOTHING, offsetof(struct breakeven, low), HIDDEN },
    { NULL, "high", "high", NUMBER, OF_NOTHING, offsetof(struct breakeven, high), HIDDEN },
};

static const struct cell_column measured[] = {
    { "of peak %", "share_of_ceiling", "ceiling.share", NUMBER | MAIN, FIGURE_OF(roof.share),
      FIGURE("of peak", "%", GROUP_PEAK, 100) },
    { "bound by", "bound_by", "ceiling.bound_by", BOUND | MAIN, FIGURE_OF(roof.bound), WORD("bound by", GROUP_PEAK) },
    { "measured peak", "measures_ceiling", "ceiling.measures", ROOF, CELL(roof), HIDDEN },
    { "measured peak", "ceiling_flop_per_s", "ceiling.flop_per_s", NUMBER, FIGURE_OF(roof.flops.wall), HIDDEN },
    { "measured peak", "ceiling_bytes_per_s", "ceiling.bytes_per_s", NUMBER, FIGURE_OF(roof.bandwidth.wall), HIDDEN },
    { "measured peak", NULL, "ceiling.by_event_clock", FLAG, FIGURE_OF(roof.by_event), HIDDEN },
    { "measured peak", NULL, "ceiling.launch_s", NUMBER, FIGURE_OF(roof.latency), HIDDEN },
    { "GB/s", "bandwidth_bytes_per_s", "bandwidth_bytes_per_s", NUMBER | MAIN, FIGURE_OF(bandwidth),
      FIGURE("GB/s", "", GROUP_RATE, 1e-9) },
    { "kept GB/s", "kept_bandwidth_bytes_per_s", "kept_bandwidth_bytes_per_s", NUMBER, FIGURE_OF(kept_bandwidth),
      FIGURE("kept", "GB/s", GROUP_RATE, 1e-9) },
    { "GFLOP/s", "rate_flop_per_s", "rate_flop_per_s", NUMBER | MAIN, FIGURE_OF(rate),
      FIGURE("GFLOP/s", "", GROUP_RATE, 1e-9) },
    { "items/s", "items", "items", TEXT, CELL(items), HIDDEN },
    { "items/s", "items_per_s", "items_per_s", NUMBER, FIGURE_OF(items), FIGURE("items", "/s", GROUP_RATE, 1) },
    { "+-", "headline_half_width", NULL, NUMBER, FIGURE_OF(half_width), FIGURE("+-", "%", GROUP_RATE, 100) },
    { "wait", "wait", "wait", TEXT, CELL(first.wait), HIDDEN },
    { "others share", "others_share", "others_share", NUMBER, FIGURE_OF(costs.others), HIDDEN },
    { "host CPU", "host_cpu_s_per_s", "host_cpu_s_per_s", NUMBER, FIGURE_OF(costs.host_cpu),
      FIGURE("host", "CPU", GROUP_COST, 1) },
    { "energy J", "energy_j", "energy.run_j", NUMBER, FIGURE_OF(power.energy), FIGURE("energy", "J", GROUP_COST, 1) },
    { "GFLOP/s per W", "flop_per_j", "energy.flop_per_j", NUMBER, FIGURE_OF(power.flops_per_joule),
      FIGURE("GFLOP/s", "per W", GROUP_COST, 1e-9) },
    { "package power", "package_power_w", "energy.package_w", NUMBER, FIGURE_OF(power.watts[ENERGY_PACKAGE]), HIDDEN },
    { "package power", "dram_power_w", "energy.dram_w", NUMBER, FIGURE_OF(power.watts[ENERGY_DRAM]), HIDDEN },
    { "package power", "psys_power_w", "energy.psys_w", NUMBER, FIGURE_OF(power.watts[ENERGY_PSYS]), HIDDEN },
    { "GPU power", "gpu_power_w", "energy.gpu_w", NUMBER, FIGURE_OF(power.gpu.most.power), HIDDEN },
    { "GPU power", "gpu_energy_error", "energy.gpu_error", NUMBER, FIGURE_OF(power.error), HIDDEN },
    { "upload", "copied_upload_median_s", "copied_phases.upload_s", NUMBER, FIGURE_OF(costs.upload), TIME("upload") },
    { "convert", "copied_repack_median_s", "copied_phases.repack_s", NUMBER, FIGURE_OF(costs.repack), TIME("convert") },
    { "copied series", "copied_compute_median_s", "copied_phases.compute_s", NUMBER, FIGURE_OF(costs.compute), HIDDEN },
    { "compute", NULL, NULL, NUMBER, FIGURE_OF(use[USE_RESIDENT].time.value), TIME("compute") },
    { "no wait", "enqueue_s", "enqueue_s", NUMBER, FIGURE_OF(launches.enqueue), TIME("no wait") },
    { "event clock", "event_clock", "event_clock", CLOCK, FIGURE_OF(costs.event_clock), HIDDEN },
    { "device time", "event_median_s", "event_median_s", NUMBER, FIGURE_OF(costs.event), TIME("device time") },
    { "download", "copied_download_median_s", "copied_phases.download_s", NUMBER, FIGURE_OF(costs.download),
      TIME("download") },
    { "total", NULL, NULL, NUMBER, FIGURE_OF(use[USE_COPIED].time.value), TIME("total") },
    { "cold start", "first_open_s", "first.open_s", NUMBER, CELL(first.open), HIDDEN },
    { "cold start", "first_alloc_s", "first.alloc_s", NUMBER, CELL(first.alloc), HIDDEN },
    { "cold start", "first_compile_s", "first.compile_s", NUMBER, CELL(first.compile), HIDDEN },
    { "cold start", "first_upload_s", "first.upload_s", NUMBER, CELL(first.upload), HIDDEN },
    { "cold start", "first_repack_s", "first.repack_s", NUMBER, CELL(first.repack), HIDDEN },
    { "cold start", "first_run_s", "first.run_s", NUMBER, CELL(first.run), HIDDEN },
    { "cold start", "first_download_s", "first.download_s", NUMBER, CELL(first.download), HIDDEN },
    { "cold start", "first_total_s", "first.total_s", NUMBER, FIGURE_OF(costs.first), FIRST },
};

#define GPU(member) FIGURE_OF(power.gpu.member)

static const struct cell_column gpu[] = {
    { NULL, "clock_hz", "clock_hz", NUMBER, GPU(clock), HIDDEN },
    { NULL, "memory_clock_hz", "memory_clock_hz", NUMBER, GPU(most.memory_clock), HIDDEN },
    { NULL, "temperature_celsius", "temperature_celsius", NUMBER, GPU(most.temperature), HIDDEN },
    { NULL, "power_limit_w", "power_limit_w", NUMBER, GPU(most.power_limit), HIDDEN },
    { NULL, "memory_used_bytes", "memory_used_bytes", NUMBER, GPU(most.memory_used), HIDDEN },
    { NULL, "other_processes", "other_processes", NUMBER, GPU(most.others), HIDDEN },
    { NULL, "ecc_errors", "ecc_errors", NUMBER, GPU(ecc_errors), HIDDEN },
    { "slices held down", "slices_told", "slices_told", COUNT, GPU(reported), HIDDEN },
    { "slices held down", "slices_held", "slices_held", COUNT, GPU(held), HIDDEN },
    { "slices held down", "held_by", "held_by", CHARS, SOURCE(held_by), HIDDEN },
};

static const struct cell_column memory[] = {
    { NULL, "device_operands_bytes", "device_operands_bytes", NUMBER, CELL(first.memory_cost.device_operands), HIDDEN },
    { NULL, "host_operands_bytes", "host_operands_bytes", NUMBER, CELL(first.memory_cost.host_operands), HIDDEN },
    { NULL, "context_host_bytes", "context_host_bytes", NUMBER, CELL(first.memory_cost.context_host), HIDDEN },
    { NULL, "held_twice_bytes", "held_twice_bytes", NUMBER, CELL(first.memory_cost.held_twice), HIDDEN },
    { NULL, "repacked_bytes", "repacked_bytes", NUMBER, CELL(first.memory_cost.repacked), HIDDEN },
    { NULL, "peak_host_bytes", "peak_host_bytes", NUMBER, CELL(first.memory_cost.peak_host), HIDDEN },
    { NULL, "context_device_bytes", "context_device_bytes", NUMBER, CELL(first.memory_cost.context_device), HIDDEN },
    { NULL, "held_device_bytes", "held_device_bytes", NUMBER, CELL(first.memory_cost.held_device), HIDDEN },
};

static const struct cell_column naive[] = {
    { NULL, NULL, "processes", COUNT, SOURCE(naive.processes), HIDDEN },
    { NULL, NULL, "failed", COUNT, SOURCE(naive.failed), HIDDEN },
    { NULL, NULL, "wall_s", NUMBER, SOURCE(naive.wall), HIDDEN },
    { NULL, NULL, "least_s", NUMBER, SOURCE(naive.least), HIDDEN },
    { NULL, NULL, "most_s", NUMBER, SOURCE(naive.most), HIDDEN },
    { NULL, NULL, "alloc_s", NUMBER, SOURCE(naive.middle.alloc), HIDDEN },
    { NULL, NULL, "run_s", NUMBER, SOURCE(naive.middle.run), HIDDEN },
    { NULL, NULL, "fetch_s", NUMBER, SOURCE(naive.middle.fetch), HIDDEN },
    { NULL, NULL, "compile_s", NUMBER, SOURCE(naive.middle.compile), HIDDEN },
    { NULL, NULL, "pages", NUMBER, SOURCE(naive.middle.faults), HIDDEN },
};

#define STATE(member) OF_NOTHING, offsetof(struct host_state, member)

static const struct cell_column state[] = {
    { "clock before and after", "clock_hz", "clock_hz", NUMBER, STATE(clock), HIDDEN },
    { "processors busy", "steal_s", "steal_s", NUMBER, STATE(steal), HIDDEN },
    { "processors busy", "busy_s", "busy_s", NUMBER, STATE(busy), HIDDEN },
    { "processors busy", "idle_s", "idle_s", NUMBER, STATE(idle), HIDDEN },
    { "processors busy", "own_s", "own_s", NUMBER, STATE(own), HIDDEN },
    { "pressure", "pressure_percent", "pressure_percent", NUMBER, STATE(pressure), HIDDEN },
    { "temperature", "temperature_celsius", "temperature_celsius", NUMBER, STATE(temperature), HIDDEN },
    { "slowed for heat", "slowed_for_heat", "slowed_for_heat", NUMBER, STATE(overheated), HIDDEN },
    { "pressure", "load", "load", NUMBER, STATE(load), HIDDEN },
    { "quota waits", "quota_waits_s", "quota_waits_s", NUMBER, STATE(throttled), HIDDEN },
    { "swapped", "swap_used_bytes", "swap_used_bytes", NUMBER, STATE(swap_used), HIDDEN },
    { "swapped", "swapped_bytes", "swapped_bytes", NUMBER, STATE(swapped), HIDDEN },
    { "power", "governor", "governor", CHARS, STATE(governor), HIDDEN },
    { "power", "on_battery", "on_battery", SIGN, STATE(on_battery), HIDDEN },
};

#define OF_SERIES(member) OF_NOTHING, offsetof(struct series_source, member)

static const struct cell_column series[] = {
    { "count", "count", "count", COUNT, OF_SERIES(summary.count), HIDDEN },
    { "min", "min_s", "min_s", NUMBER, OF_SERIES(summary.min), HIDDEN },
    { "p5", "p5_s", "p5_s", NUMBER, OF_SERIES(summary.p5), HIDDEN },
    { "median", "median_s", "median_s", NUMBER, OF_SERIES(summary.median), HIDDEN },
    { "p95", "p95_s", "p95_s", NUMBER, OF_SERIES(summary.p95), HIDDEN },
    { "max", "max_s", "max_s", NUMBER, OF_SERIES(summary.max), HIDDEN },
    { "MAD", "mad_s", "mad_s", NUMBER, OF_SERIES(summary.mad), HIDDEN },
    { "median", NULL, "time_s.value", NUMBER, OF_SERIES(time.value), HIDDEN },
    { "low and high", "low_s", "time_s.low", NUMBER, OF_SERIES(time.low), HIDDEN },
    { "low and high", "high_s", "time_s.high", NUMBER, OF_SERIES(time.high), HIDDEN },
    { "samples", NULL, "time_s.samples", COUNT, OF_SERIES(time.samples), HIDDEN },
    { "slices", "slices", "slices", COUNT, OF_SERIES(slices), HIDDEN },
    { "host CPU", "host_cpu_s_per_s", "host_cpu_s_per_s", NUMBER, OF_SERIES(host_cpu), HIDDEN },
    { "stop", "stop", "stop", TEXT, OF_SERIES(stop), HIDDEN },
};

static const struct cell_column last[] = {
    { "note", "notes", "notes", TEXT, SOURCE(joined_notes), NOTES }, /* the last of the table of a problem */
    { "repro", "repro", "repro", TEXT | MAIN, CELL(repro), HIDDEN },
};

#define LIST(entries) entries, sizeof entries / sizeof *entries
#define SERIES_AT(which)                                                                                               \
    "series", LIST(series), SOURCE(series[which]), offsetof(struct column_source, series[which].summary.count)

/* In the order of the columns. The names are put before those in the list; columns NULL: the CSV does not have them. */
static const struct group {
    const char *csv, *json;
    const char *term; /* of entries that name none */
    const struct cell_column *entry;
    unsigned entries;
    enum origin origin; /* of the struct that has them; OF_NOTHING: each names its own */
    size_t offset;
    size_t count; /* as in struct cell_column */
} groups[] = {
    { "", "", "", LIST(names), OF_NOTHING, 0, 0 },
    { "speedup_resident_", "speedup_resident.", "resident speed-up", LIST(speedup),
      FIGURE_OF(use[USE_RESIDENT].speedup), 0 },
    { "speedup_copied_", "speedup_copied.", "copied speed-up", LIST(speedup), FIGURE_OF(use[USE_COPIED].speedup), 0 },
    { "break_even_", "break_even.", "uses to break even", LIST(breakeven), FIGURE_OF(breakeven), 0 },
    { "", "", "", LIST(measured), OF_NOTHING, 0, 0 },
    { "gpu_", "gpu.", "GPU state", LIST(gpu), OF_NOTHING, 0, offsetof(struct column_source, knows_gpu) },
    { "memory_", "memory_cost.", "memory cost", LIST(memory), OF_NOTHING, 0, 0 },
    { NULL, "naive.", "naive", LIST(naive), OF_NOTHING, 0, offsetof(struct column_source, naive.processes) },
    { "before_", "state_before.", "", LIST(state), CELL(before), 0 },
    { "after_", "state_after.", "", LIST(state), CELL(after), 0 },
    { "resident_", "series.resident.", SERIES_AT(SERIES_RESIDENT) },
    { "queued_", "series.queued.", SERIES_AT(SERIES_QUEUED) },
    { "copied_", "series.copied.", SERIES_AT(SERIES_COPIED) },
    { "sustained_", "series.sustained.", SERIES_AT(SERIES_SUSTAINED) },
    { "", "", "", LIST(last), OF_NOTHING, 0, 0 },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static const char *full_name(struct pool *pool, const char *before, const char *name)
{
    return before && name ? pool_print(pool, "%s%s", before, name) : NULL;
}

struct cell_columns columns_read(struct pool *pool, enum format format)
{
    struct cell_columns columns = { .count = 0 };
    for (const struct group *group = groups; group < groups + GROUPS; group++)
        for (const struct cell_column *entry = group->entry; entry < group->entry + group->entries; entry++) {
            const bool is_csv = group->csv && entry->csv;
            if ((format == FORMAT_TABLE && entry->show == SHOW_NOT) || (format == FORMAT_JSON && !entry->json) ||
                (format == FORMAT_CSV && !(is_csv && entry->kind & MAIN)) || (format == FORMAT_FULL_CSV && !is_csv))
                continue;
            struct cell_column *column = pool_add(pool, &columns.column, &columns.count, entry, sizeof *entry);
            if (!column)
                return (struct cell_columns){ .count = 0 };
            column->term = column->shown.term = entry->term ? entry->term : group->term;
            column->csv = full_name(pool, group->csv, entry->csv);
            column->json = full_name(pool, group->json, entry->json);
            column->kind = entry->kind % MAIN;
            column->origin = entry->origin ? entry->origin : group->origin;
            column->offset += group->offset;
            column->count = group->count;
        }
    return columns;
}

const char *column_term(const char *name)
{
    struct pool pool = { 0 };
    const struct cell_columns columns = columns_read(&pool, FORMAT_ALL);
    const char *found = NULL;
    for (unsigned i = 0; i < columns.count && !found; i++) {
        const struct cell_column *column = &columns.column[i];
        const char *member = column->json ? strrchr(column->json, '.') : NULL;
        if ((column->csv && strcmp(column->csv, name) == 0) || (column->json && strcmp(column->json, name) == 0) ||
            (member && strcmp(member + 1, name) == 0))
            found = column->term;
    }
    pool_release(&pool);
    return found;
}

void column_source_read(struct column_source *out, struct pool *pool, const struct figures *figures)
{
    *out = (struct column_source){
        .from = { [OF_CELL] = figures->cell, [OF_DEVICE] = figures->device, [OF_FIGURES] = figures },
        .knows_gpu = gpu_metrics_are_known(&figures->power.gpu),
    };
    out->from[OF_SOURCE] = out;
    if (!pool)
        return;
    if (figures->cell->naives > 0)
        naive_read(&out->naive, figures->cell);
    gpu_metrics_reasons(&figures->power.gpu, out->held_by, sizeof out->held_by);
    struct string_builder joined = { .pool = pool };
    out->notes = notes_read(pool, figures);
    for (unsigned i = 0; i < out->notes.count; i++)
        string_append(&joined, "%s%s", i > 0 ? "; " : "", out->notes.note[i].text);
    out->joined_notes = string_text(&joined);
    for (enum series which = 0; which < SERIES_COUNT; which++) {
        const struct track *track = &figures->cell->track[which];
        out->series[which] = (struct series_source){
            .summary = stats_summary(track->wall.value, track->wall.count),
            .time = record_time(figures->cell, which),
            .slices = track->slices,
            .host_cpu = track->elapsed > 0 ? track->cpu / track->elapsed : NAN,
            .stop = track->slices > 0 ? stop_names[track->stop] : "",
        };
    }
}

static const char *word_of(enum kind kind, const void *at)
{
    static const char *const *const words[] = {
        [CLASS] = class_names, [USE] = use_names,     [CLOCK] = event_clock_names,
        [ROOF] = roof_names,   [BOUND] = bound_names, [OUTCOME] = breakeven_outcomes,
    };
    const struct cell_record *cell = at;
    if (kind == STATUS)
        return cell->ended ? status_names[cell->outcome.status] : "unfinished";
    if (kind == VERDICT)
        return verdict_words[verdict_of(at)];
    const char *word = words[kind][*(const unsigned *)at];
    return *word ? word : NULL;
}

struct column_value column_value(const struct cell_column *column, const struct column_source *source)
{
    const char *from = source->from[column->origin];
    const void *at = from ? from + column->offset : NULL;
    struct column_value value = { .kind = VALUE_UNKNOWN, .number = NAN, .text = "" };
    if (column->count > 0 && *(const unsigned *)(const void *)((const char *)source + column->count) == 0) {
        value.kind = VALUE_ABSENT;
        return value;
    }
    if (!at)
        return value;
    switch ((enum kind)column->kind) {
    case NUMBER:
    case COUNT:
        value.number = column->kind == COUNT ? *(const unsigned *)at : *(const double *)at;
        value.kind = isfinite(value.number) ? VALUE_NUMBER : VALUE_UNKNOWN;
        break;
    case FLAG:
    case SIGN:
        value.number = column->kind == SIGN ? *(const int *)at : *(const bool *)at;
        value.kind = value.number < 0 ? VALUE_UNKNOWN : VALUE_FLAG;
        break;
    default:
        value.text = column->kind == TEXT    ? *(const char *const *)at
                     : column->kind == CHARS ? at
                                             : word_of(column->kind, at);
        value.kind = value.text ? VALUE_TEXT : VALUE_UNKNOWN;
    }
    return value;
}
