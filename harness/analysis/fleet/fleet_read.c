/* What a journal says of a node: its devices, their times and facts. */

#include "harness/analysis/figures.h"
#include "harness/analysis/fleet/fleet.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 400 };

/* From so many FLOP per byte on arithmetic limits a run: CPUs and GPUs have 8 to 30 f32 FLOP for each byte. */
static const double balance = 10;

static bool out_of_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "no memory for the nodes of the fleet");
}

static json_t *index_of(struct fleet *fleet)
{
    if (!fleet->index)
        fleet->index = json_object();
    return fleet->index;
}

unsigned fleet_place(struct fleet *fleet, const char *array, const char *text, unsigned next)
{
    char key[NAME_ROOM + 32];
    snprintf(key, sizeof key, "%s %s", array, text);
    const json_t *place = json_object_get(index_of(fleet), key);
    if (place)
        return (unsigned)json_integer_value(place);
    fleet->pool.is_short |= json_object_set_new_nocheck(fleet->index, key, json_integer(next)) != 0;
    return next;
}

bool fleet_has(const struct fleet *fleet, const char *name)
{
    char key[NAME_ROOM + 32];
    snprintf(key, sizeof key, "node %s", name);
    return json_object_get(fleet->index, key) != NULL;
}

/* A copy that equal texts share. Formatting may have cut the text inside a character. */
static const char *shared(struct fleet *fleet, const char *typed)
{
    char text[NAME_ROOM];
    text_clean(text, sizeof text, typed);
    if (!*text)
        return "";
    json_t *texts = json_object_get(index_of(fleet), "texts");
    if (!texts && json_object_set_new(fleet->index, "texts", json_object()) == 0)
        texts = json_object_get(fleet->index, "texts");
    const json_t *known = json_object_get(texts, text);
    if (!known && json_object_set_new(texts, text, json_string(text)) == 0)
        known = json_object_get(texts, text);
    fleet->pool.is_short |= !known;
    return known ? json_string_value(known) : "";
}

static const char *print_shared(struct fleet *fleet, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *print_shared(struct fleet *fleet, const char *format, ...)
{
    char text[NAME_ROOM];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return shared(fleet, text);
}

/* A new node; or that of an earlier journal of the same name, which is now missing. NULL: no memory. */
static struct fleet_node *node_add(struct fleet *fleet, const char *typed, struct error *err)
{
    const char *name = print_shared(fleet, "%.200s", typed);
    unsigned place = fleet_place(fleet, "node", name, fleet->nodes);
    if (place < fleet->nodes) {
        fleet->node[place].missing = "it has two journals: give one for each node, or --against DIR";
        return &fleet->node[place];
    }
    fleet->node = pool_grow(&fleet->pool, fleet->node, fleet->nodes, &fleet->node_room, sizeof *fleet->node);
    if (fleet->pool.is_short) {
        out_of_memory(err);
        return NULL;
    }
    struct fleet_node *node = &fleet->node[fleet->nodes++];
    *node = (struct fleet_node){ .name = name, .group = FLEET_NO_GROUP, .first = fleet->devices };
    return node;
}

bool fleet_add_missing(struct fleet *fleet, const char *name, const char *why, struct error *err)
{
    struct fleet_node *node = node_add(fleet, name, err);
    if (node && !node->missing)
        node->missing = shared(fleet, why);
    return node != NULL;
}

static const json_t *host_of(const struct record *record)
{
    return json_object_get(record->head, "host");
}

static double host_number_of(const struct record *record, const char *member)
{
    const json_t *number = json_object_get(host_of(record), member);
    return json_is_number(number) ? json_number_value(number) : NAN;
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

static unsigned group_of(struct fleet *fleet, const struct record *record)
{
    char name[NAME_ROOM] = "", key[NAME_ROOM];
    const char *processor = journal_text(host_of(record), "name");
    snprintf(name, sizeof name, "%.100s", *processor ? processor : "unknown processor");
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        unsigned count = devices_named(record, device, record->devices);
        if (devices_named(record, device, i) > 0 || strcmp(device->name, processor) == 0)
            continue;
        text_append(name, sizeof name, count > 1 ? ", %u x %.80s" : "%.0u, %.80s", count > 1 ? count : 0, device->name);
    }
    snprintf(key, sizeof key, "%g-%g-%g %.350s", host_number_of(record, "family"), host_number_of(record, "model"),
             host_number_of(record, "stepping"), name);
    unsigned place = fleet_place(fleet, "group", key, fleet->groups);
    if (place < fleet->groups)
        return place;
    const char *same = print_shared(fleet, "%g-%g-%g %.100s", host_number_of(record, "family"),
                                    host_number_of(record, "model"), host_number_of(record, "stepping"), processor);
    fleet->group = pool_grow(&fleet->pool, fleet->group, fleet->groups, &fleet->group_room, sizeof *fleet->group);
    if (!fleet->pool.is_short)
        fleet->group[fleet->groups++] =
            (struct fleet_group){ .name = shared(fleet, name), .processor = same, .devices = record->devices };
    return place;
}

static unsigned kind_of(struct fleet *fleet, unsigned group, const struct device *device)
{
    char key[NAME_ROOM];
    snprintf(key, sizeof key, "%u %.20s %.200s", group, device->backend, device->name);
    unsigned place = fleet_place(fleet, "kind", key, fleet->kinds);
    if (place < fleet->kinds)
        return place;
    fleet->kind = pool_grow(&fleet->pool, fleet->kind, fleet->kinds, &fleet->kind_room, sizeof *fleet->kind);
    if (!fleet->pool.is_short)
        fleet->kind[fleet->kinds++] = (struct fleet_kind){ .group = group, .name = shared(fleet, device->name) };
    return place;
}

static const char *libraries_of(struct fleet *fleet, const struct device *device)
{
    char text[NAME_ROOM] = "";
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && device->library[i].name[0]; i++) {
        text_join(text, sizeof text, ", ", device->library[i].name);
        text_append(text, sizeof text, " %s", *device->library[i].version ? device->library[i].version : "none");
    }
    return shared(fleet, text);
}

static const char *amount(struct fleet *fleet, double value, double unit, const char *name)
{
    return value > 0 ? print_shared(fleet, "%.0f %s", value / unit, name) : "";
}

static void device_facts(struct fleet *fleet, struct fleet_device *out, const struct device *device)
{
    out->fact[FACT_DRIVER] = shared(fleet, device->driver_version);
    out->fact[FACT_API] = shared(fleet, device->api_version);
    out->fact[FACT_CLOCK_LIMIT] = amount(fleet, device->max_clock, 1e6, "MHz");
    out->fact[FACT_POWER_LIMIT] = amount(fleet, device->power_limit, 1, "W");
    out->fact[FACT_ECC] = shared(fleet, device->ecc);
    out->fact[FACT_MEMORY] = device->class == CLASS_CPU ? "" : amount(fleet, device->memory, 1e9, "GB");
    out->fact[FACT_DEVICE_LIBRARY] = libraries_of(fleet, device);
}

/* Of the node, for its first device. */
static void host_facts(struct fleet *fleet, struct fleet_device *out, const struct record *record)
{
    const json_t *host = host_of(record), *version;
    const char *name;
    char libraries[NAME_ROOM] = "";
    json_object_foreach ((json_t *)json_object_get(record->head, "libraries"), name, version)
        if (json_is_string(version) && text_join(libraries, sizeof libraries, ", ", name))
            text_append(libraries, sizeof libraries, " %s", json_string_value(version));
    out->fact[FACT_KERNEL] = shared(fleet, journal_text(host, "kernel"));
    out->fact[FACT_HOST_MEMORY] = amount(fleet, host_number_of(record, "memory"), 0x1p30, "GiB");
    out->fact[FACT_LIBRARY] = shared(fleet, libraries);
    out->fact[FACT_GOVERNOR] = shared(fleet, journal_text(host, "governor"));
    out->fact[FACT_THREADS] = amount(fleet, host_number_of(record, "worker_threads"), 1, "threads");
    out->fact[FACT_VERSION] = shared(fleet, journal_text(record->head, "version"));
}

/* Facts that the lines of a device's cells have. */
static void cell_facts(struct fleet *fleet, struct fleet_device *out, const struct cell_record *cell)
{
    double limit = cell->gpu_before.highest_clock;
    if (limit > 0)
        out->fact[FACT_CLOCK_LIMIT] = amount(fleet, limit, 1e6, "MHz");
    if (cell->link_lanes > 0)
        out->fact[FACT_LINK] = print_shared(fleet, "%.0f lanes", cell->link_lanes);
    if (cell->device_node < 0 || cell->memory_node < 0)
        return;
    if (cell->memory_node != cell->device_node)
        out->fact[FACT_SOCKET] = print_shared(fleet, "another socket's: NUMA node %d, the device is at node %d",
                                              cell->memory_node, cell->device_node);
    else if (!*out->fact[FACT_SOCKET])
        out->fact[FACT_SOCKET] = "near";
}

static enum fleet_part part_of(const struct cell_record *cell, enum series series)
{
    static const enum fleet_part of_roof[ROOF_KINDS] = {
        [ROOF_FLOPS] = PART_COMPUTE, [ROOF_BANDWIDTH] = PART_MEMORY, [ROOF_LATENCY] = PART_LAUNCH
    };
    if (cell->roof != ROOF_NONE)
        return of_roof[cell->roof];
    if (series == SERIES_OFFLOAD)
        return PART_LINK;
    return cell->flops >= balance * cell->bytes ? PART_COMPUTE : PART_MEMORY;
}

/* Adds a time of a device. `what` distinguishes the figures of one cell. */
static void figure_add(struct fleet *fleet, struct fleet_device *device, const struct cell_record *cell,
                       const char *what, enum fleet_part part, const struct fleet_figure *figure)
{
    char name[NAME_ROOM], key[NAME_ROOM + 16];
    struct pool *pool = &fleet->pool;
    snprintf(name, sizeof name, "%.40s %.10s %.160s%s%.20s%s%s%.40s", cell->workload, cell->dtype, cell->shape,
             *cell->memory ? " " : "", cell->memory, cell->is_cold ? " cold" : "", *what ? " " : "", what);
    if (!(figure->seconds > 0))
        return;
    snprintf(key, sizeof key, "%u %s", device->kind, name);
    unsigned place = fleet_place(fleet, "problem", key, fleet->problems);
    fleet->problem = pool_grow(pool, fleet->problem, fleet->problems, &fleet->problem_room, sizeof *fleet->problem);
    for (unsigned i = 0; i < device->figures && place < fleet->problems; i++) /* a new problem needs no search */
        if (device->figure[i].problem == place)
            return; /* of two methods the first counts */
    device->figure = pool_grow(pool, device->figure, device->figures, &device->room, sizeof *device->figure);
    if (pool->is_short)
        return;
    if (place == fleet->problems)
        fleet->problem[fleet->problems++] = (struct fleet_problem){
            .name = shared(fleet, name), .kind = device->kind, .part = part, .flops = cell->flops, .bytes = cell->bytes
        };
    device->figure[device->figures] = *figure;
    device->figure[device->figures++].problem = place;
}

static void cell_add(struct fleet *fleet, struct fleet_device *device, const struct record *record,
                     const struct cell_record *cell, bool by_method)
{
    enum series series = cell_headline(cell);
    struct estimate time = record_time(cell, series);
    bool only_moves = !(cell->flops > 0);
    struct fleet_figure figure = { .seconds = time.value,
                                   .half_width = estimate_half_width(&time),
                                   .speedup = strcmp(cell->baseline, cell->key) == 0
                                                  ? NAN
                                                  : record_speedup(record, cell, series).value,
                                   .share = NAN,
                                   .earlier = NAN };
    cell_facts(fleet, device, cell);
    figure_add(fleet, device, cell,
               by_method                                 ? cell->method
               : series == SERIES_OFFLOAD && !only_moves ? "with transfers"
                                                         : "",
               part_of(cell, series), &figure);
    double moved =
        fmax(0, record_phase_median(cell, PHASE_UPLOAD)) + fmax(0, record_phase_median(cell, PHASE_DOWNLOAD));
    enum memory memory;
    if (only_moves || by_method || !memory_parse(cell->memory, &memory) || memory_is_mapped(memory) || !(moved > 0))
        return;
    figure = (struct fleet_figure){ .seconds = moved, .half_width = NAN, .speedup = NAN, .share = NAN, .earlier = NAN };
    figure_add(fleet, device, cell, "transfers alone", PART_LINK, &figure);
}

static bool is_failure(enum status status)
{
    return status != STATUS_OK && status != STATUS_UNSUPPORTED && status != STATUS_NO_MEMORY &&
           status != STATUS_TOO_SLOW;
}

static void cells_add(struct fleet *fleet, struct fleet_node *node, const struct record *record)
{
    bool by_method = json_array_size(json_object_get(json_object_get(record->head, "options"), "method")) > 0;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        enum status status = cell->outcome.status;
        node->cells++;
        node->ended += cell->ended;
        if (is_failure(status) && node->failures++ == 0)
            node->failure =
                print_shared(fleet, "%.60s on %.20s: %s%s%.120s", cell->block, cell->device_id, status_name(status),
                             *cell->outcome.message ? ": " : "", cell->outcome.message);
        for (unsigned k = 0; k < node->devices && !is_failure(status) && cell->ended; k++) {
            struct fleet_device *device = &fleet->device[node->first + k];
            if (strcmp(device->id, cell->device_id) != 0)
                continue;
            cell_add(fleet, device, record, cell, by_method);
            if (status != STATUS_OK && !device->untimed)
                device->untimed = print_shared(fleet, "%.60s: %s", cell->block, status_name(status));
        }
    }
}

static const char *missing_part(struct fleet *fleet, const struct result *result, const struct fleet_node *node)
{
    const struct record *record = result->record;
    unsigned long bad = result->faults.bad_lines + result->contradictions + (result->faults.second_head > 0);
    if (!result_is_whole(result))
        return print_shared(fleet, "its journal is damaged: %lu line%s could not be used", bad, bad == 1 ? "" : "s");
    if (!result->faults.complete || strcmp(record->end, "complete") != 0)
        return print_shared(fleet, "its run did not reach its end: %u of %u cells are complete", node->ended,
                            node->cells);
    return node->cells > 0 ? NULL : "its journal has no cell";
}

bool fleet_add(struct fleet *fleet, const char *name, const struct result *result, struct error *err)
{
    const struct record *record = result->record;
    struct pool *pool = &fleet->pool;
    struct fleet_node *node = node_add(fleet, name, err);
    if (!node || node->missing)
        return node != NULL;
    node->group = group_of(fleet, record);
    for (unsigned i = 0; i < record->devices && !pool->is_short; i++) {
        fleet->device = pool_grow(pool, fleet->device, fleet->devices, &fleet->device_room, sizeof *fleet->device);
        struct fleet_device device = { .node = fleet->nodes - 1,
                                       .kind = kind_of(fleet, node->group, &record->device[i]),
                                       .id = shared(fleet, record->device[i].id) };
        if (pool->is_short)
            break;
        for (enum fleet_fact fact = 0; fact < FACTS; fact++)
            device.fact[fact] = "";
        device_facts(fleet, &device, &record->device[i]);
        if (i == 0)
            host_facts(fleet, &device, record);
        fleet->device[fleet->devices++] = device;
        fleet->kind[device.kind].devices++;
        node->devices++;
    }
    if (pool->is_short)
        return out_of_memory(err);
    fleet->group[node->group].nodes++;
    cells_add(fleet, node, record);
    node->missing = missing_part(fleet, result, node);
    return !pool->is_short || out_of_memory(err);
}

void fleet_release(struct fleet *fleet)
{
    json_decref(fleet->index);
    pool_release(&fleet->pool);
    *fleet = (struct fleet){ 0 };
}
