#include "harness/report/content/heading.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/machine/theory.h"
#include "harness/report/content/answer_words.h"

#include <math.h>
#include <string.h>

/* When the run began: "2026-11-21 01:40 UTC"; the date alone of one that is published. */
static const char *heading_date(struct pool *pool, const json_t *head)
{
    const char *text = journal_text(head, "started");
    bool has_time = strlen(text) == strlen("2026-11-21T01:40:00Z");
    return has_time ? pool_print(pool, "%.10s %.5s UTC", text, text + strlen("2026-11-21T")) : text;
}

const char *heading_machine(struct pool *pool, const json_t *host)
{
    const char *name = journal_text(host, "name"), *hypervisor = journal_text(host, "hypervisor");
    double memory = json_number_value(json_object_get(host, "memory"));
    struct string_builder line = { .pool = pool };
    string_append(&line, "%s", *name ? name : "unknown processor");
    for (unsigned i = 0; i < 2; i++) {
        const json_int_t count = json_integer_value(json_object_get(host, i == 0 ? "cores" : "threads"));
        if (count > 0)
            string_append(&line, ", %" JSON_INTEGER_FORMAT " %s%s", count, i == 0 ? "core" : "thread",
                          count == 1 ? "" : "s");
    }
    if (*hypervisor)
        string_append(&line, " of a %s guest", hypervisor);
    if (memory > 0)
        string_append(&line, ", %s", text_bytes(memory).text);
    return string_text(&line);
}

static bool computes_in(const struct record *record, const struct device *device, enum dtype dtype)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->device_id, device->id) == 0 && record->cell[i]->flops > 0 &&
            strcmp(record->cell[i]->dtype, dtype_name(dtype)) == 0)
            return true;
    return false;
}

/* "NVIDIA H200, CUDA, 580.65, dGPU", and the first device before it that is the same silicon. */
static void append_device(struct string_builder *to, const struct record *record, const struct device *device)
{
    const char *parts[] = { device->platform, device->driver_version, class_names[device->class] };
    const struct device *same = record->device;
    string_append(to, "%s", *device->name ? device->name : "unnamed");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (*parts[i])
            string_append(to, ", %s", parts[i]);
    while (same < device && !device_same_silicon(same, device))
        same++;
    if (same < device)
        string_append(to, ", same silicon as %s", same->id);
}

/* The theoretical peak in each type that was used, and that of the memory. */
static void append_theory(struct string_builder *to, const struct record *record, const struct device *device)
{
    struct theory peak;
    struct theory_memory memory;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (computes_in(record, device, dtype) && theory_peak(device, dtype, &peak))
            string_append(to, "; in theory %s in %s: %s%s",
                          text_flops(peak.flops, dtype_operation(dtype_name(dtype))).text, dtype_name(dtype),
                          peak.formula, peak.is_confirmed ? "" : ", unconfirmed");
    if (theory_bandwidth(device, &memory))
        string_append(to, "; in theory %s/s: %s", text_bytes(memory.bandwidth).text, memory.formula);
}

/* The vendor's libraries; `bench devices` says why others could not be used. */
static void append_libraries(struct string_builder *to, const struct device *device)
{
    const char *before = "; with ";
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++)
        if (*device->library[i].version) {
            string_append(to, "%s%s %s", before, device->library[i].name, device->library[i].version);
            before = ", ";
        }
}

/* The extremes over all cells of the device: "; ran at 1.76 of 1.98 GHz, at least 1.70, up to 61 degrees Celsius, up to
 * 640 of 700 W" */
static void append_gpu(struct string_builder *to, const struct record *record, const struct device *device)
{
    double least = NAN, most = NAN, hottest = NAN, power = NAN, limit = NAN;
    for (unsigned i = 0; i < record->cells; i++) {
        struct gpu_metrics gpu;
        if (strcmp(record->cell[i]->device_id, device->id) != 0)
            continue;
        gpu_metrics_read(&gpu, record->cell[i]);
        least = fmin(least, gpu.clock);
        most = fmax(most, gpu.clock);
        hottest = fmax(hottest, gpu.most.temperature);
        power = fmax(power, gpu.most.power);
        limit = fmin(limit, gpu.most.power_limit);
    }
    if (most > 0) {
        string_append(to, "; ran at %.2f", most / 1e9);
        if (device->max_clock > 0)
            string_append(to, " of %.2f", device->max_clock / 1e9);
        string_append(to, most - least < 5e6 ? " GHz" : " GHz, at least %.2f", least / 1e9);
    }
    if (hottest > 0)
        string_append(to, ", up to %.0f degrees Celsius", hottest);
    if (power > 0)
        string_append(to, limit > 0 ? ", up to %.0f of %.0f W" : ", up to %.0f W", power, limit);
}

void heading_run(struct document *out, const struct record *record)
{
    size_t i;
    const json_t *absent;
    const char *when = heading_date(&out->pool, record->head), *version = journal_text(record->head, "version");
    if (*when)
        document_line(out, ABOUT_MACHINE, "measured", "%s%s%s", when, *version ? ", by bench " : "", version);
    document_line(out, ABOUT_MACHINE, "machine", "%s",
                  heading_machine(&out->pool, json_object_get(record->head, "host")));
    for (i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        struct string_builder line = { .pool = &out->pool };
        if (record->cells > 0 && !record_uses(record, device))
            continue;
        append_device(&line, record, device);
        append_theory(&line, record, device);
        append_libraries(&line, device);
        append_gpu(&line, record, device);
        document_line(out, ABOUT_MACHINE, device->id, "%s", string_text(&line));
    }
    json_array_foreach (record->absent, i, absent) {
        const char *backend = journal_text(absent, "backend"), *source = journal_text(absent, "source");
        const char *reason = journal_text(absent, "reason");
        document_line(out, ABOUT_MACHINE, *backend ? backend : "?", "absent%s%s%s%s%s", *reason ? ": " : "", reason,
                      *source ? " [" : "", source, *source ? "]" : "");
    }
}

/* Whether a note says why the run ended early. */
static bool tells_its_end(const struct record *record)
{
    bool tells = false;
    for (unsigned i = 0; i < record->notes; i++)
        tells |= strstr(record->note[i], "the run ended early: ") != NULL;
    return tells;
}

void missing_read(struct notes *to, const struct result *run)
{
    struct result result = *run;
    char fault[FAULTS_MAX][FAULT_ROOM];
    result.faults.complete = true;
    for (unsigned i = 0, faults = result_faults(&result, fault); i < faults; i++)
        note(to, SEVERITY_WRONG, "%s", fault[i]);
    const struct record *record = run->record;
    const char *what = record->sweep ? "sweep" : "run";
    if (result_is_running(run))
        note(to, SEVERITY_WRONG, "the %s is still running: only what it has measured so far is shown", what);
    else if (strcmp(record->end, "complete") != 0 && !tells_its_end(record))
        note(to, SEVERITY_WRONG, "the %s was %s: only what it had measured until then is shown", what,
             *record->end ? record->end : "broken off");
}

/* "2 min 51 s" */
static const char *duration(struct pool *pool, double seconds)
{
    unsigned whole = seconds < 1e6 ? (unsigned)(seconds + 0.5) : 1000000;
    return whole < 60 ? pool_print(pool, "%u s", whole) : pool_print(pool, "%u min %u s", whole / 60, whole % 60);
}

const char *run_words(struct pool *pool, const struct record *record)
{
    const char *suite = record_suite(record);
    const double sustained = json_number_value(json_object_get(json_object_get(record->head, "options"), "sustained"));
    const struct visits visits = record_visits(record);
    const char *least = visits.least < visits.most ? pool_print(pool, "%u to ", visits.least) : "";
    const char *length = record->elapsed > 0 ? duration(pool, record->elapsed) : ""; /* of the whole run */
    bool is_cold = false;
    for (unsigned i = 0; i < record->cells; i++)
        is_cold |= record->cell[i]->is_cold;
    if (visits.most > 0)
        length = pool_print(pool, "%s%u visit%s%s%s", least, visits.most, visits.most == 1 ? "" : "s",
                            *length ? " in " : "", length);
    const char *const parts[] = { *suite          ? pool_print(pool, "suite %s", suite)
                                  : record->sweep ? "sweep"
                                                  : "chosen problems",
                                  is_cold ? "cold" : "",
                                  sustained > 0 ? pool_print(pool, "sustained %s", text_seconds(sustained).text) : "",
                                  heading_date(pool, record->head),
                                  length,
                                  pool_print(pool, "bench %s", journal_text(record->head, "version")) };
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        string_append(&to, "%s%s", to.length > 0 && *parts[i] ? ", " : "", parts[i]);
    return string_text(&to);
}

/* "4 cores"; "1 of 4 cores (affinity)" where fewer computed: by affinity, quota, --threads, or because they were held
 * back. "": unknown. */
static const char *cores_words(struct pool *pool, const struct record *record)
{
    const json_t *host = json_object_get(record->head, "host");
    const double cores = number_member(host, "cores");
    double used = fmin(cores, fmin(number_member(host, "worker_threads"), number_member(host, "quota"))); /* no NAN */
    const char *why = text_member(pool, host, "threads_reason");
    for (unsigned i = 0; i < record->cells; i++)
        if (record->cell[i]->first.cores_computing < used) {
            used = record->cell[i]->first.cores_computing;
            why = "held back";
        }
    return !(cores > 0)   ? ""
           : used < cores ? pool_print(pool, ", %g of %g cores (%s)", used, cores, *why ? why : "part")
                          : pool_print(pool, ", %g core%s", cores, cores > 1 ? "s" : "");
}

/* "opencl:0, opencl:1" of a CPU that is a device of several drivers. */
static const char *ids_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    struct string_builder to = { .pool = pool };
    string_append(&to, "%s", part->device->id);
    for (unsigned i = 0; i < set->record->devices && !part->is_gpu; i++)
        if (&set->record->device[i] != part->device && set->part_of[i] == part - set->part)
            string_append(&to, ", %s", set->record->device[i].id);
    return string_text(&to);
}

const char *part_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part)
{
    const struct device *device = part->device;
    const bool is_same_cpu = !part->is_gpu && device_same_silicon(part->device, set->part[0].device); /* by an API */
    struct string_builder to = { .pool = pool };
    if (part->cards > 1)
        string_append(&to, "%u x ", part->cards);
    string_append(&to, "%s",
                  !device->works_in_host_memory && is_same_cpu
                      ? "the same CPU"
                      : device_words(pool, *device->name ? device->name : device->id));
    if (!device->works_in_host_memory && strcmp(device->id, part_label(pool, set, part)) != 0)
        string_append(&to, " (%s)", ids_words(pool, set, part));
    else if (device->works_in_host_memory)
        string_append(&to, "%s", cores_words(pool, set->record));
    return string_text(&to);
}

const char *heading_title(struct pool *pool, const struct results *results)
{
    if (results->runs != 1)
        return pool_print(pool, "GPU against CPU: %u runs side by side", results->runs);
    const struct record *record = results->run[0].record;
    const char *when = heading_date(pool, record->head);
    const char *host = journal_text(json_object_get(record->head, "host"), "name");
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < record->devices; i++) {
        const char *name = device_words(pool, record->device[i].name);
        if (class_is_gpu(record->device[i].class) && record_uses(record, &record->device[i]) &&
            !strstr(string_text(&to), name))
            string_append(&to, "%s%s", to.length > 0 ? ", " : "", name);
    }
    string_append(&to, "%s%s%s%.10s", to.length > 0 ? " against " : "",
                  *host ? device_words(pool, host) : "an unknown processor", *when ? ", " : "", when);
    return string_text(&to);
}

void heading_baselines(struct document *out, const struct figures figures[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cell_record *cell = figures[i].cell;
        if (figures[i].baseline == cell && figures[i].measured)
            document_line(out, ABOUT_BASIS, "baseline", "%s %s%s%s", cell->device_id, cell->method,
                          *cell->first.detail ? ", " : "", cell->first.detail);
    }
}

bool heading_is_peaks(const struct block_record *block)
{
    unsigned peaks = 0;
    for (unsigned i = 0; i < block->cells; i++)
        peaks += block->cell[i]->is_peak;
    return peaks > 0 && peaks == block->cells;
}

const char *heading_problem(struct pool *pool, const struct block_record *block)
{
    const struct cell_record *cell = block->cell[0];
    if (heading_is_peaks(block))
        return "measured peaks";
    return pool_print(pool, "%s %s, %s", *cell->workload ? cell->workload : "unknown workload", cell->dtype,
                      text_shape(cell->shape).text);
}
