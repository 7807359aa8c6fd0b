#include "harness/report/content/heading.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/machine/theory.h"
#include "harness/report/content/answer_words.h"

#include <math.h>
#include <string.h>

static void count_of(const json_t *host, const char *name, const char *what, struct string_builder *to)
{
    json_int_t count = json_integer_value(json_object_get(host, name));
    if (count > 0)
        string_append(to, ", %" JSON_INTEGER_FORMAT " %s%s", count, what, count == 1 ? "" : "s");
}

/* "2026-11-21", perhaps with more behind it. */
static bool is_date(const char *text)
{
    return strlen(text) >= strlen("2026-11-21") && text[4] == '-' && text[7] == '-';
}

const char *heading_date(struct pool *pool, const json_t *head)
{
    const char *text = journal_text(head, "started");
    bool has_time = is_date(text) && strlen(text) == strlen("2026-11-21T01:40:00Z") && text[10] == 'T';
    return has_time ? pool_print(pool, "%.10s %.5s UTC", text, text + strlen("2026-11-21T")) : text;
}

static void append_time(struct pool *pool, struct lines *out, const json_t *head)
{
    const char *when = heading_date(pool, head), *version = journal_text(head, "version");
    if (*when)
        lines_add(pool, out, "measured",
                  pool_print(pool, "%s%s%s%s", when, is_date(when) && !when[10] ? " UTC" : "",
                             *version ? ", by bench " : "", version));
}

const char *heading_machine(struct pool *pool, const json_t *host)
{
    const char *name = journal_text(host, "name"), *hypervisor = journal_text(host, "hypervisor");
    double memory = json_number_value(json_object_get(host, "memory"));
    struct string_builder line = { .pool = pool };
    string_append(&line, "%s", *name ? name : "unknown processor");
    count_of(host, "cores", "core", &line);
    count_of(host, "threads", "thread", &line);
    if (*hypervisor)
        string_append(&line, " of a %s guest", hypervisor);
    if (memory > 0)
        string_append(&line, ", %s", pool_bytes(pool, memory));
    return string_text(&line);
}

/* The first device in the list on the same silicon; NULL if there is none before this one. */
static const struct device *same_silicon(const struct record *record, const struct device *device)
{
    for (const struct device *other = record->device; other < device; other++)
        if (device_same_silicon(other, device))
            return other;
    return NULL;
}

static void append_device(struct string_builder *to, const struct record *record, const struct device *device)
{
    const char *parts[] = { device->platform, device->driver_version, class_names[device->class] };
    const struct device *same = same_silicon(record, device);
    string_append(to, "%s", *device->name ? device->name : "unnamed");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (*parts[i])
            string_append(to, ", %s", parts[i]);
    if (same)
        string_append(to, ", same silicon as %s", same->id);
}

static bool computes_in(const struct record *record, const struct device *device, enum dtype dtype)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->device_id, device->id) == 0 && record->cell[i]->flops > 0 &&
            strcmp(record->cell[i]->dtype, dtype_name(dtype)) == 0)
            return true;
    return false;
}

/* The theoretical peak in each type that was used, and that of the memory. */
static void append_theory(struct string_builder *to, const struct record *record, const struct device *device)
{
    struct theory peak;
    struct theory_memory memory;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (computes_in(record, device, dtype) && theory_peak(device, dtype, &peak))
            string_append(to, "; in theory %s in %s: %s%s",
                          pool_flops(to->pool, peak.flops, dtype_operation(dtype_name(dtype))), dtype_name(dtype),
                          peak.formula, peak.is_confirmed ? "" : ", unconfirmed");
    if (theory_bandwidth(device, &memory))
        string_append(to, "; in theory %s/s: %s", pool_bytes(to->pool, memory.bandwidth), memory.formula);
}

/* The vendor's libraries. Of those that could not be used only the names: `bench devices` gives the reasons. */
static void append_libraries(struct string_builder *to, const struct device *device)
{
    for (unsigned without = 0; without < 2; without++) {
        unsigned named = 0;
        for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++) {
            const struct device_library *library = &device->library[i];
            if (without == !*library->version)
                string_append(to, "%s%s%s%s",
                              named++   ? ", "
                              : without ? "; without "
                                        : "; with ",
                              library->name, without ? "" : " ", library->version);
        }
    }
}

/* An API without any device. Of one that has some, `bench devices` names the drivers that gave none. */
static void append_absent(struct pool *pool, struct lines *out, const struct record *record, const json_t *absent)
{
    const char *backend = journal_text(absent, "backend"), *source = journal_text(absent, "source");
    const char *reason = journal_text(absent, "reason");
    for (unsigned i = 0; i < record->devices; i++)
        if (strcmp(record->device[i].backend, backend) == 0)
            return;
    lines_add(pool, out, *backend ? backend : "?",
              pool_print(pool, "absent%s%s%s%s%s", *reason ? ": " : "", reason, *source ? " [" : "", source,
                         *source ? "]" : ""));
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

void heading_run(struct pool *pool, struct lines *out, const struct record *record)
{
    size_t i;
    const json_t *absent;
    append_time(pool, out, record->head);
    lines_add(pool, out, "machine", heading_machine(pool, json_object_get(record->head, "host")));
    for (unsigned at = 0; at < record->devices; at++) {
        const struct device *device = &record->device[at];
        struct string_builder line = { .pool = pool };
        if (record->cells > 0 && !record_uses(record, device))
            continue;
        append_device(&line, record, device);
        append_theory(&line, record, device);
        append_libraries(&line, device);
        append_gpu(&line, record, device);
        lines_add(pool, out, device->id, string_text(&line));
    }
    json_array_foreach (record->absent, i, absent)
        append_absent(pool, out, record, absent);
}

void missing_read(struct pool *pool, struct lines *out, const struct result *run)
{
    struct result result = *run;
    char fault[FAULTS_MAX][FAULT_ROOM];
    result.faults.complete = true;
    for (unsigned i = 0, faults = result_faults(&result, fault); i < faults; i++)
        lines_add(pool, out, "journal", fault[i]);
    if (strcmp(run->record->end, "complete") != 0)
        lines_add(pool, out, "",
                  pool_print(pool, "the %s was %s: only what it had measured until then is shown",
                             run->record->sweep ? "sweep" : "run",
                             *run->record->end ? run->record->end : "broken off"));
}

/* "NVIDIA A10, AMD Radeon Pro against "; "" without a GPU. */
static const char *gpus_of(struct pool *pool, const struct record *record)
{
    struct string_builder to = { .pool = pool };
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        const char *name = device_words(pool, device);
        if (class_is_gpu(device->class) && record_uses(record, device) && !strstr(string_text(&to), name))
            string_append(&to, "%s%s", to.length > 0 ? ", " : "", name);
    }
    return to.length > 0 ? pool_print(pool, "%s against ", string_text(&to)) : "";
}

const char *heading_title(struct pool *pool, const struct results *results)
{
    const struct record *record = results->runs > 0 ? results->run[0].record : NULL;
    if (results->runs != 1)
        return pool_print(pool, "GPU against CPU: %u runs side by side", results->runs);
    struct device host = { .name = "" };
    const char *when = heading_date(pool, record->head);
    text_copy(host.name, sizeof host.name, journal_text(json_object_get(record->head, "host"), "name"));
    return pool_print(pool, "%s%s%s%.10s", gpus_of(pool, record),
                      *host.name ? device_words(pool, &host) : "an unknown processor", is_date(when) ? ", " : "",
                      is_date(when) ? when : "");
}

void heading_baselines(struct pool *pool, struct lines *out, const struct figures figures[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cell_record *cell = figures[i].cell;
        const unsigned threads = figures[i].device ? figures[i].device->threads : 0;
        struct string_builder line = { .pool = pool };
        if (figures[i].baseline != cell || !figures[i].measured)
            continue;
        string_append(&line, "%s %s", cell->device_id, cell->method);
        if (threads > 0 && !strstr(cell->first.detail, " thread"))
            string_append(&line, ", %u thread%s", threads, threads == 1 ? "" : "s");
        string_append(&line, "%s%s", *cell->first.detail ? ", " : "", cell->first.detail);
        lines_add(pool, out, "baseline", string_text(&line));
    }
}

bool heading_is_peaks(const struct block_record *block)
{
    unsigned peaks = 0;
    for (unsigned i = 0; i < block->cells; i++)
        peaks += block->cell[i]->is_ceiling;
    return peaks > 0 && peaks == block->cells;
}

const char *heading_problem(struct pool *pool, const struct block_record *block)
{
    const struct cell_record *cell = block->cell[0];
    if (heading_is_peaks(block))
        return "measured peaks";
    return pool_print(pool, "%s %s, %s", *cell->workload ? cell->workload : "unknown workload", cell->dtype,
                      pool_shape(pool, cell->shape));
}
