/* The report for spreadsheets and programs: one flat row per cell (RFC 4180), SI units, the unit in the column's name.
 */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/report/content/notes.h"
#include "harness/report/formats/output.h"
#include "harness/report/report.h"

#include <math.h>
#include <string.h>

/* The columns that are written unless all are asked for. results/figures.md marks them. */
static const char *const main_columns[] = { "run",
                                            "machine",
                                            "workload",
                                            "dtype",
                                            "shape",
                                            "device",
                                            "device_name",
                                            "method",
                                            "memory",
                                            "status",
                                            "reason",
                                            "headline_s",
                                            "rate_flop_per_s",
                                            "bandwidth_bytes_per_s",
                                            "share_of_ceiling",
                                            "bound_by",
                                            "speedup_resident_ratio",
                                            "speedup_resident_low",
                                            "speedup_resident_high",
                                            "speedup_offload_ratio",
                                            "speedup_offload_low",
                                            "speedup_offload_high",
                                            "repro" };

/* The row that is written. The first row has the titles, written by the same code as the values. */
struct csv_row {
    FILE *out;
    bool is_title, has_field, has_all;
};

static bool is_shown(const struct csv_row *row, const char *name)
{
    const unsigned columns = sizeof main_columns / sizeof *main_columns;
    return row->has_all || name_find(name, main_columns, columns) < columns;
}

/* Some spreadsheets separate fields by semicolons or tabs. */
static void put_quoted(FILE *out, const char *text, bool is_formula)
{
    bool needs_quotes = strpbrk(text, ",;\t\"\r\n") != NULL;
    if (needs_quotes)
        fputc('"', out);
    if (is_formula)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (needs_quotes)
        fputc('"', out);
}

static void put_field(struct csv_row *row, const char *name, const char *text, bool is_formula)
{
    if (!is_shown(row, name))
        return;
    if (row->has_field)
        fputc(',', row->out);
    row->has_field = true;
    put_quoted(row->out, row->is_title ? name : text, is_formula && !row->is_title);
}

/* A text that a spreadsheet would take for a formula gets an apostrophe, as in spreadsheets. */
static void put_text(struct csv_row *row, const char *name, const char *text)
{
    put_field(row, name, text ? text : "", text && *text && strchr("=+-@\t\r", *text));
}

/* A text of the journal. */
static void put_member(struct csv_row *row, const char *name, const json_t *object, const char *member)
{
    char text[128];
    const char *value = json_string_value(json_object_get(object, member));
    text_clean(text, sizeof text, value ? value : "");
    put_text(row, name, text);
}

static void put_number(struct csv_row *row, const char *name, double value)
{
    char number[32] = "";
    if (isfinite(value))
        snprintf(number, sizeof number, text_is_whole(value) ? "%.0f" : "%.9g", value);
    put_field(row, name, number, false);
}

/* A column named OF_NAME. */
static void put_part(struct csv_row *row, const char *of, const char *name, double value)
{
    char joined[64];
    snprintf(joined, sizeof joined, "%s_%s", of, name);
    put_number(row, joined, value);
}

static void put_cell(struct csv_row *row, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    const struct device *device = metrics->device;
    put_text(row, "cell", cell->key);
    put_text(row, "block", cell->block);
    put_text(row, "workload", cell->workload);
    put_text(row, "dtype", cell->dtype);
    put_text(row, "shape", cell->shape);
    put_text(row, "device", cell->device_id);
    put_text(row, "device_key", device ? device->key : "");
    put_text(row, "device_name", device ? device->name : "");
    put_text(row, "device_class", device ? class_name(device->class) : "");
    put_text(row, "backend", device ? device->backend : "");
    put_text(row, "driver_version", device ? device->driver_version : "");
    put_text(row, "method", cell->method);
    put_text(row, "detail", cell->detail);
    put_text(row, "memory", cell->memory);
    put_text(row, "baseline", cell->baseline);
    put_text(row, "status", cell->ended ? status_name(cell->outcome.status) : "unfinished");
    put_text(row, "where", cell->outcome.where);
    put_text(row, "reason", cell->outcome.message);
    put_number(row, "verified_passes", cell->verified);
    put_number(row, "smallest_error_caught", cell->smallest_error);
    put_number(row, "work_flop", cell->flops);
    put_number(row, "work_bytes", cell->bytes);
}

static void put_headline(struct csv_row *row, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    put_text(row, "headline", series_name(metrics->headline));
    put_number(row, "headline_s", metrics->time.value);
    put_number(row, "headline_half_width", metrics->half_width);
    put_number(row, "cold", cell->is_cold);
    put_number(row, "cold_flushed_bytes", cell->flushed);
    put_number(row, "no_copy", metrics->no_copy);
    put_number(row, "map_page_s", cell->first.map);
    put_number(row, "bandwidth_bytes_per_s", metrics->bandwidth);
    put_number(row, "rate_flop_per_s", metrics->rate);
    put_text(row, "event_clock", event_clock_names[metrics->event_clock]);
    put_number(row, "event_median_s", metrics->event);
    put_number(row, "enqueue_s", metrics->launches.enqueue);
    put_number(row, "first_open_s", cell->first.open);
    put_number(row, "first_alloc_s", cell->first.alloc);
    put_number(row, "first_compile_s", cell->first.compile);
    put_number(row, "first_upload_s", cell->first.upload);
    put_number(row, "first_repack_s", cell->first.repack);
    put_number(row, "first_run_s", cell->first.run);
    put_number(row, "first_download_s", cell->first.download);
    put_number(row, "first_total_s", metrics->first);
}

static void put_ceiling(struct csv_row *row, const struct cell_metrics *metrics)
{
    const struct roofline *roof = &metrics->roof;
    put_text(row, "measures_ceiling", metrics->cell->roof == ROOF_NONE ? "" : roof_name(metrics->cell->roof));
    put_number(row, "ceiling_flop_per_s", roof->flops.wall);
    put_number(row, "ceiling_bytes_per_s", roof->bandwidth.wall);
    put_number(row, "share_of_ceiling", metrics->share);
    put_text(row, "bound_by", metrics->bound);
    put_text(row, "offload_bound_by", bound_names[roof->offload_bound]);
}

static void put_state(struct csv_row *row, const struct host_state *before, const struct host_state *after)
{
    static const char *const power[] = { "", "mains", "battery" };
    put_number(row, "clock_before_hz", before->clock);
    put_number(row, "clock_after_hz", after->clock);
    put_number(row, "temperature_before_celsius", before->temperature);
    put_number(row, "temperature_after_celsius", after->temperature);
    put_number(row, "pressure_before_percent", before->pressure);
    put_number(row, "pressure_after_percent", after->pressure);
    put_number(row, "processors_busy_s", after->busy - before->busy);
    put_number(row, "processors_stolen_s", after->steal - before->steal);
    put_text(row, "governor", after->governor);
    put_text(row, "power", power[after->on_battery + 1]);
    put_number(row, "quota_waits_s", after->throttled - before->throttled);
    put_number(row, "slowed_for_heat", after->overheated - before->overheated);
    put_number(row, "swapped_bytes", after->swapped - before->swapped);
}

/* The state of the GPU, and the energy by its own counter. */
static void put_gpu(struct csv_row *row, const struct cell_metrics *metrics)
{
    const struct gpu_metrics *gpu = &metrics->gpu;
    bool is_board = metrics->energy_of == ENERGY_GPU;
    char reasons[256];
    gpu_metrics_reasons(gpu, reasons, sizeof reasons);
    put_number(row, "gpu_power_w", gpu->power);
    put_number(row, "gpu_energy_j", is_board ? metrics->energy : NAN);
    put_number(row, "gpu_flop_per_j", is_board ? metrics->flops_per_joule : NAN);
    put_number(row, "gpu_energy_error", metrics->energy_error);
    put_number(row, "gpu_clock_hz", gpu->clock);
    put_number(row, "gpu_memory_clock_hz", gpu->memory_clock);
    put_number(row, "gpu_temperature_celsius", gpu->temperature);
    put_number(row, "gpu_power_limit_w", gpu->power_limit);
    put_number(row, "gpu_memory_used_bytes", gpu->memory_used);
    put_number(row, "gpu_other_processes", gpu->others);
    put_number(row, "gpu_ecc_errors", gpu->ecc_errors);
    put_number(row, "gpu_slices_told", gpu->reported > 0 ? gpu->reported : NAN);
    put_number(row, "gpu_slices_held", gpu->reported > 0 ? gpu->held : NAN);
    put_text(row, "gpu_held_by", reasons);
}

/* Costs other than time. */
static void put_costs(struct csv_row *row, const struct cell_metrics *metrics)
{
    const struct memory_cost *memory = &metrics->cell->memory_cost;
    put_number(row, "others_share", metrics->others);
    put_text(row, "wait", metrics->wait);
    put_number(row, "host_cpu_s_per_s", metrics->host_cpu);
    put_number(row, "package_power_w", metrics->power);
    put_number(row, "dram_power_w", cell_metrics_power(metrics, ENERGY_DRAM));
    put_number(row, "psys_power_w", cell_metrics_power(metrics, ENERGY_PSYS));
    put_number(row, "package_energy_j", metrics->energy_of == ENERGY_PACKAGE ? metrics->energy : NAN);
    put_number(row, "package_flop_per_j", metrics->energy_of == ENERGY_PACKAGE ? metrics->flops_per_joule : NAN);
    put_gpu(row, metrics);
    put_number(row, "memory_device_operands_bytes", memory->device_operands);
    put_number(row, "memory_host_operands_bytes", memory->host_operands);
    put_number(row, "memory_context_host_bytes", memory->context_host);
    put_number(row, "memory_held_twice_bytes", memory->held_twice);
    put_number(row, "memory_repacked_bytes", memory->repacked);
    put_number(row, "memory_peak_host_bytes", memory->peak_host);
    put_number(row, "memory_context_device_bytes", memory->context_device);
    put_number(row, "memory_held_device_bytes", memory->held_device);
}

static void put_speedup(struct csv_row *row, const char *name, const struct estimate *speedup)
{
    put_part(row, name, "ratio", speedup->value);
    put_part(row, name, "low", speedup->low);
    put_part(row, name, "high", speedup->high);
    put_part(row, name, "rounds", speedup->samples);
    put_part(row, name, "blocks", speedup->blocks);
}

static void put_breakeven(struct csv_row *row, const char *name, const struct breakeven *breakeven)
{
    char outcome[64];
    snprintf(outcome, sizeof outcome, "%s_outcome", name);
    put_text(row, outcome, breakeven_outcomes[breakeven->outcome]);
    put_part(row, name, "uses", breakeven->uses);
    put_part(row, name, "low", breakeven->low);
    put_part(row, name, "high", breakeven->high);
}

static void put_series(struct csv_row *row, const struct cell_record *cell, enum series series)
{
    const struct track *track = &cell->track[series];
    const char *name = series_name(series);
    struct summary summary = stats_summary(track->wall.value, track->wall.count);
    struct estimate time = record_time(cell, series);
    char stop[64];
    put_part(row, name, "count", summary.count);
    put_part(row, name, "min_s", summary.min);
    put_part(row, name, "p5_s", summary.p5);
    put_part(row, name, "median_s", summary.median);
    put_part(row, name, "p95_s", summary.p95);
    put_part(row, name, "max_s", summary.max);
    put_part(row, name, "mad_s", summary.mad);
    put_part(row, name, "low_s", time.low);
    put_part(row, name, "high_s", time.high);
    put_part(row, name, "slices", track->slices);
    put_part(row, name, "blocks", time.blocks);
    put_part(row, name, "host_cpu_s_per_s", track->elapsed > 0 ? track->cpu / track->elapsed : NAN);
    snprintf(stop, sizeof stop, "%s_stop", name);
    put_text(row, stop, track->slices > 0 ? stop_name(track->stop) : "");
}

static void put_notes(struct csv_row *row, const struct cell_metrics *metrics)
{
    struct notes notes = { .count = 0 };
    if (!row->is_title)
        notes_read(&notes, metrics);
    struct string_builder joined = { .pool = &notes.pool };
    for (unsigned i = 0; i < notes.count; i++)
        string_append(&joined, "%s%s", i > 0 ? "; " : "", notes.text[i]);
    put_text(row, "notes", string_text(&joined));
    notes_release(&notes);
}

static void put_row(FILE *out, const char *letter, const json_t *head, const struct cell_metrics *metrics,
                    bool is_title, bool has_all)
{
    struct csv_row row = { .out = out, .is_title = is_title, .has_all = has_all };
    put_text(&row, "run", letter);
    put_member(&row, "machine", json_object_get(head, "host"), "name");
    put_member(&row, "started", head, "started");
    put_cell(&row, metrics);
    put_headline(&row, metrics);
    put_ceiling(&row, metrics);
    put_state(&row, &metrics->cell->before, &metrics->cell->after);
    put_costs(&row, metrics);
    put_speedup(&row, "speedup_resident", &metrics->resident);
    put_speedup(&row, "speedup_offload", &metrics->offload);
    put_breakeven(&row, "break_even_fetched_once", &metrics->breakeven[FETCH_ONCE]);
    put_breakeven(&row, "break_even_fetched_every_time", &metrics->breakeven[FETCH_EVERY_TIME]);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        put_series(&row, metrics->cell, series);
    put_number(&row, "offload_upload_median_s", metrics->upload);
    put_number(&row, "offload_repack_median_s", metrics->repack);
    put_number(&row, "offload_compute_median_s", metrics->offload_compute);
    put_number(&row, "offload_download_median_s", metrics->download);
    put_notes(&row, metrics);
    put_text(&row, "repro", metrics->cell->repro);
    fputs("\r\n", out);
}

static bool csv_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    const struct cell_record nothing = { .key = NULL };
    const struct cell_metrics none = { .cell = &nothing };
    char letter[LETTER_ROOM];
    put_row(out, "", NULL, &none, true, layout->all_columns);
    for (unsigned run = 0; run < results->runs; run++) {
        const struct record *record = results->run[run].record;
        results_letter(letter, run);
        for (unsigned i = 0; i < record->cells; i++) {
            struct cell_metrics metrics;
            cell_metrics_read(&metrics, record, record->cell[i]);
            put_row(out, letter, record->head, &metrics, false, layout->all_columns);
        }
    }
    return output_end(out, err);
}

const struct report report_csv = {
    .name = "csv",
    .extension = "csv",
    .write = csv_write,
};
