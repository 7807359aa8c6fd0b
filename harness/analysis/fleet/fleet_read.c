/* What a journal says of a node: its devices, their times and facts. */

#include "harness/analysis/figure.h"
#include "harness/analysis/fleet/fleet.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/journal/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_ROOM = 400 };

/* From so many FLOP per byte on arithmetic limits a run: CPUs and GPUs have 8 to 30 f32 FLOP for each byte. */
static const double balance = 10;

unsigned fleet_place(struct fleet *fleet, unsigned next, const char *format, ...)
{
    char key[WORDS_ROOM + 32];
    va_list values;
    va_start(values, format);
    vsnprintf(key, sizeof key, format, values);
    va_end(values);
    const json_t *place = json_object_get(fleet->place, key);
    if (place)
        return (unsigned)json_integer_value(place);
    fleet->place = fleet->place ? fleet->place : json_object();
    if (next != FLEET_NONE)
        fleet->pool.is_short |= json_object_set_new_nocheck(fleet->place, key, json_integer(next)) != 0;
    return next;
}

/* A clean text in the fleet's memory: formatting may have cut it inside a character. */
static const char *__attribute__((format(printf, 2, 3))) print(struct fleet *fleet, const char *format, ...)
{
    char text[WORDS_ROOM];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    text_clean(text, sizeof text, text);
    return *text ? pool_copy(&fleet->pool, text) : "";
}

/* A new node; NULL: memory is short, or an earlier journal has the same name, whose node is now missing. */
static struct fleet_node *node_add(struct fleet *fleet, const char *typed)
{
    const char *name = print(fleet, "%.200s", typed);
    unsigned place = fleet_place(fleet, fleet->nodes, "node %s", name);
    if (place < fleet->nodes) {
        fleet->node[place].missing = "it has two journals: give one for each node, or --against DIR";
        return NULL;
    }
    const struct fleet_node added = { .name = name, .processor = "", .first = fleet->devices };
    return pool_add(&fleet->pool, &fleet->node, &fleet->nodes, &added, sizeof added);
}

void fleet_add_missing(struct fleet *fleet, const char *name, const char *why)
{
    struct fleet_node *node = node_add(fleet, name);
    if (node)
        node->missing = print(fleet, "%s", why);
}

/* Devices of a name in a journal. */
static unsigned devices_named(const struct record *record, const struct device *device, unsigned end)
{
    unsigned count = 0;
    for (unsigned i = 0; i < end; i++)
        count += strcmp(record->device[i].name, device->name) == 0 &&
                 strcmp(record->device[i].backend, device->backend) == 0;
    return count;
}

static void group_read(struct fleet *fleet, struct fleet_node *node, const struct record *record)
{
    static const char *const numbers[] = { "family", "model", "stepping" };
    char name[WORDS_ROOM];
    const json_t *host = json_object_get(record->head, "host");
    const char *model = journal_text(host, "name");
    snprintf(name, sizeof name, "%.100s", *model ? model : "unknown processor");
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers && isfinite(number_member(host, numbers[i])); i++)
        text_append(name, sizeof name, "%s%g", i ? "-" : " ", number_member(host, numbers[i]));
    node->processor = print(fleet, "%s", name);
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        if (devices_named(record, device, i) == 0 && strcmp(device->name, model) != 0)
            text_append(name, sizeof name, ", %u x %.80s", devices_named(record, device, record->devices),
                        device->name);
    }
    node->group = print(fleet, "%s", name);
}

static unsigned kind_of(struct fleet *fleet, const char *group, const struct device *device)
{
    const unsigned place = fleet_place(fleet, fleet->kinds, "kind %s %s %s", group, device->backend, device->name);
    const struct fleet_kind added = { .group = group, .name = print(fleet, "%s", device->name) };
    if (place == fleet->kinds)
        pool_add(&fleet->pool, &fleet->kind, &fleet->kinds, &added, sizeof added);
    return place;
}

static const char *number(struct fleet *fleet, double value, const char *unit)
{
    return value > 0 ? print(fleet, "%.0f%s", value, unit) : "";
}

/* "--suite standard --method native": the options that choose what is measured. */
static const char *options_words(struct fleet *fleet, const json_t *options)
{
    static const char *const names[] = { "suite", "workload", "size", "dtype", "memory", "method" };
    char words[WORDS_ROOM] = "";
    size_t k;
    const json_t *each;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *value = json_object_get(options, names[i]);
        if (json_is_string(value))
            text_append(words, sizeof words, " --%s %s", names[i], json_string_value(value));
        json_array_foreach (value, k, each)
            text_append(words, sizeof words, "%s%s%s%s", k > 0 ? "," : " --", k > 0 ? "" : names[i], k > 0 ? "" : " ",
                        json_is_string(each) ? json_string_value(each) : "?");
    }
    return print(fleet, "%s", words);
}

static void facts_read(struct fleet *fleet, struct fleet_fact out[FACTS], const struct device *device,
                       const json_t *head)
{
    char own[WORDS_ROOM] = "", libraries[WORDS_ROOM] = "";
    const json_t *host = json_object_get(head, "host"), *version;
    const char *name;
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++)
        text_append(own, sizeof own, "%s%s %s", i > 0 ? ", " : "", device->library[i].name,
                    *device->library[i].version ? device->library[i].version : "none");
    json_object_foreach (json_object_get(head, "libraries"), name, version)
        if (json_is_string(version) && text_join(libraries, sizeof libraries, ", ", name))
            text_append(libraries, sizeof libraries, " %s", json_string_value(version));
    const struct fleet_fact facts[FACTS] = {
        [FACT_CLOCK_LIMIT] = { "clock limit", number(fleet, device->max_clock / 1e6, " MHz") },
        [FACT_LINK] = { "PCI Express link", "" },
        [FACT_SOCKET] = { "host memory is", "" },
        [FACT_OPTIONS] = { "run with", options_words(fleet, json_object_get(head, "options")) },
        { "driver", print(fleet, "%s", device->driver_version) },
        { "API", print(fleet, "%s", device->api_version) },
        { "power limit", number(fleet, device->power_limit, " W") },
        { "ECC", print(fleet, "%s", device->ecc) },
        { "device memory", device->class == CLASS_CPU ? "" : number(fleet, device->memory / 1e9, " GB") },
        { "library", print(fleet, "%s", own) },
        { "kernel", print(fleet, "%s", journal_text(host, "kernel")) },
        { "host memory", number(fleet, number_member(host, "memory") / 0x1p30, " GiB") },
        { "libraries", print(fleet, "%s", libraries) },
        { "governor", print(fleet, "%s", journal_text(host, "governor")) },
        { "CPU threads", number(fleet, number_member(host, "worker_threads"), "") },
        { "bench", print(fleet, "%s", journal_text(head, "version")) },
    };
    memcpy(out, facts, sizeof facts);
}

/* Facts that the lines of a device's cells have. */
static void cell_facts(struct fleet *fleet, struct fleet_device *out, const struct cell_record *cell)
{
    double limit = cell->gpu_before.highest_clock;
    if (limit > 0)
        out->fact[FACT_CLOCK_LIMIT].value = print(fleet, "%.0f MHz", limit / 1e6);
    if (cell->first.link_lanes > 0)
        out->fact[FACT_LINK].value = print(fleet, "%.0f lanes", cell->first.link_lanes);
    if (cell->first.device_node < 0 || cell->first.memory_node < 0)
        return;
    if (cell->first.memory_node != cell->first.device_node)
        out->fact[FACT_SOCKET].value = print(fleet, "another socket's: NUMA node %d, the device is at node %d",
                                             cell->first.memory_node, cell->first.device_node);
    else if (!*out->fact[FACT_SOCKET].value)
        out->fact[FACT_SOCKET].value = "near";
}

static enum fleet_part part_of(const struct cell_record *cell, enum use use)
{
    static const enum fleet_part of_roof[ROOF_KINDS] = {
        [ROOF_FLOPS] = PART_COMPUTE, [ROOF_BANDWIDTH] = PART_MEMORY, [ROOF_LATENCY] = PART_LAUNCH
    };
    if (cell->roof != ROOF_NONE)
        return of_roof[cell->roof];
    if (use == USE_COPIED)
        return PART_LINK;
    return cell->flops >= balance * cell->bytes ? PART_COMPUTE : PART_MEMORY;
}

/* Adds a time of a device. `what` distinguishes the figures of one cell. Of two methods the first counts. */
static void figure_add(struct fleet *fleet, unsigned place, const struct cell_record *cell, const char *what,
                       enum fleet_part part, struct fleet_figure figure)
{
    struct pool *pool = &fleet->pool;
    struct fleet_device *device = &fleet->device[place];
    if (!(figure.seconds > 0))
        return;
    const struct text name =
        text_print("%.40s %.10s %.160s%s%.20s%s%s%.40s", cell->workload, cell->dtype, cell->shape,
                   *cell->memory ? " " : "", cell->memory, cell->is_cold ? " cold" : "", *what ? " " : "", what);
    figure.problem = fleet_place(fleet, fleet->problems, "problem %u %s", device->kind, name.text);
    if (figure.problem == fleet->problems) {
        const struct fleet_problem added = { .name = print(fleet, "%s", name.text),
                                             .kind = device->kind,
                                             .part = part,
                                             .flops = cell->flops,
                                             .bytes = cell->bytes,
                                             .latest = FLEET_NONE };
        if (!pool_add(pool, &fleet->problem, &fleet->problems, &added, sizeof added))
            return;
    }
    if (fleet->problem[figure.problem].latest != place)
        pool_add(pool, &device->figure, &device->figures, &figure, sizeof figure);
    fleet->problem[figure.problem].latest = place;
}

static void cell_add(struct fleet *fleet, unsigned place, const struct record *record, const struct cell_record *cell,
                     bool by_method)
{
    const struct figure its = figure_read(record, cell, cell_headline(cell));
    struct fleet_figure figure = { .seconds = its.time.value,
                                   .half_width = fabs(estimate_half_width(&its.time)), /* may be -0 */
                                   .speedup = isnan(its.speedup.low) ? NAN : its.speedup.value,
                                   .share = NAN,
                                   .earlier = NAN };
    bool only_moves = !(cell->flops > 0), copies = its.use == USE_COPIED && !only_moves;
    const enum memory memory = memory_parse(cell->memory);
    cell_facts(fleet, &fleet->device[place], cell);
    figure_add(fleet, place, cell,
               by_method ? cell->method
               : copies  ? "with transfers"
                         : "",
               part_of(cell, its.use), figure);
    if (only_moves || by_method || memory == MEMORY_COUNT || memory_is_mapped(memory))
        return;
    struct cell_record transfers = *cell;
    transfers.flops = 0;
    figure.seconds = fmax(0, record_phase_time(cell, PHASE_UPLOAD)) + fmax(0, record_phase_time(cell, PHASE_DOWNLOAD));
    figure.half_width = figure.speedup = NAN;
    figure_add(fleet, place, &transfers, "transfers alone", PART_LINK, figure);
}

static void cells_add(struct fleet *fleet, struct fleet_node *node, unsigned place, const struct record *record)
{
    struct fleet_device *device = &fleet->device[place];
    bool by_method = json_array_size(json_object_get(json_object_get(record->head, "options"), "method")) > 0;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        enum status status = cell->outcome.status;
        if (strcmp(device->id, cell->device_id) != 0)
            continue;
        node->cells++;
        node->ended += cell->ended;
        if (status_is_bad(status) && !node->failure)
            node->failure = print(fleet, "%.60s on %.20s: %s%s%.120s", cell->block, cell->device_id,
                                  status_names[status], *cell->outcome.message ? ": " : "", cell->outcome.message);
        if (!cell->ended || status_is_bad(status))
            continue;
        cell_add(fleet, place, record, cell, by_method);
        if (status != STATUS_OK && !device->untimed)
            device->untimed = print(fleet, "%.60s: %s", cell->block, status_names[status]);
    }
}

static const char *missing_part(struct fleet *fleet, const struct result *result, const struct fleet_node *node)
{
    const struct record *record = result->record;
    char fault[FAULTS_MAX][FAULT_ROOM];
    if (result_left_out(result) > 0 && result_faults(result, fault) > 0)
        return print(fleet, "its journal is damaged: %s", fault[0]);
    if (!result->faults.complete || strcmp(record->end, "complete") != 0)
        return print(fleet, "its run %s: %u of %u cells are complete",
                     result_is_running(result) ? "goes on" : "did not reach its end", node->ended, node->cells);
    return node->cells > 0 ? NULL : "its journal has no cell";
}

/* The very same run has the same start, length and times. */
static void run_read(struct fleet_node *node, const struct record *record)
{
    uint64_t hash = text_hash(TEXT_HASH, journal_text(record->head, "started"));
    hash = text_hash(hash, text_print("%.17g", record->elapsed).text);
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        const struct estimate time = record_time(cell, use_series[cell_headline(cell)]);
        hash = text_hash(hash, text_print(" %.17g", time.value).text);
    }
    if (record->cells > 0)
        snprintf(node->run, sizeof node->run, "run %016" PRIx64, hash);
}

void fleet_add(struct fleet *fleet, const char *name, const struct result *result)
{
    const struct record *record = result->record;
    struct pool *pool = &fleet->pool;
    struct fleet_node *node = node_add(fleet, name);
    if (!node)
        return;
    run_read(node, record);
    const unsigned place = fleet->nodes - 1, original = *node->run ? fleet_place(fleet, place, "%s", node->run) : place;
    group_read(fleet, node, record);
    if (original != place) { /* it says nothing of another machine */
        node->missing = print(fleet, "its journal is a copy of that of %s", fleet->node[original].name);
        return;
    }
    for (unsigned i = 0; i < record->devices && !pool->is_short; i++) {
        const unsigned kind = kind_of(fleet, node->group, &record->device[i]);
        struct fleet_device device = { .node = place, .kind = kind, .id = print(fleet, "%s", record->device[i].id) };
        facts_read(fleet, device.fact, &record->device[i], record->head);
        if (!pool_add(pool, &fleet->device, &fleet->devices, &device, sizeof device))
            break;
        cells_add(fleet, node, fleet->devices - 1, record);
        fleet->kind[kind].devices++;
        node->devices++;
    }
    node->missing = missing_part(fleet, result, node);
}

void fleet_release(struct fleet *fleet)
{
    json_decref(fleet->place);
    pool_release(&fleet->pool);
    *fleet = (struct fleet){ 0 };
}
