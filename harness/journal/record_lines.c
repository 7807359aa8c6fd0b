/* What each kind of journal line adds to a record. The samples of slices are in record_slices.c. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/plausible.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A copy with all names and texts cleaned and cut to TEXT_ROOM; NULL when memory is short. */
static json_t *clean_copy(const json_t *value)
{
    const char *name;
    size_t i;
    json_t *item, *copy = json_is_object(value) ? json_object() : json_array();
    bool complete = copy != NULL;
    json_object_foreach ((json_t *)value, name, item)
        complete &= json_object_set_new(copy, CLEANED(TEXT_ROOM, name), clean_copy(item)) == 0;
    json_array_foreach (value, i, item)
        complete &= json_array_append_new(copy, clean_copy(item)) == 0;
    if (complete && (json_is_object(value) || json_is_array(value)))
        return copy;
    json_decref(copy);
    return !complete               ? NULL
           : json_is_string(value) ? json_string(CLEANED(TEXT_ROOM, json_string_value(value)))
                                   : json_deep_copy(value);
}

/* A line of which there is one in a journal. */
static bool keep_line(json_t **to, const json_t *line, struct error *err)
{
    if (*to)
        return fail(err, STATUS_FAILED, "a second %s", journal_text(line, "line"));
    *to = clean_copy(line);
    return *to || out_of_memory(err);
}

static bool add_device(struct record *record, const json_t *line, struct error *err)
{
    struct device device;
    if (!device_from_json(&device, line, err))
        return false;
    if (record_device(record, device.id))
        return fail(err, STATUS_FAILED, "a second device %s", device.id);
    if (record->devices == DEVICES_MAX)
        return fail(err, STATUS_FAILED, "more than %d devices: %s is left out", DEVICES_MAX, device.id);
    record->device[record->devices++] = device;
    return true;
}

static bool add_absent(struct record *record, const json_t *line, struct error *err)
{
    return json_array_append_new(record->absent, clean_copy(line)) == 0 || out_of_memory(err);
}

static void read_memory_cost(struct memory_cost *out, const json_t *json)
{
    *out = (struct memory_cost){
        .device_operands = number_member(json, "device_operands"),
        .host_operands = number_member(json, "host_operands"),
        .context_host = number_member(json, "context_host"),
        .held_twice = number_member(json, "held_twice"),
        .repacked = number_member(json, "repacked"),
        .peak_host = number_member(json, "peak_host"),
        .largest_node = number_member(json, "largest_node"),
        .context_device = number_member(json, "context_device"),
        .held_device = number_member(json, "held_device"),
    };
}

static void read_meter(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    struct meter *out = &cell->meter;
    *out = (struct meter){
        .runs = number_member(line, "runs"),
        .seconds = time_member(line, "elapsed_ns"),
        .joules = number_member(json_object_get(line, "energy_j"), energy_domain_names[ENERGY_GPU]),
        .error = number_member(line, "error"),
    };
    gpu_state_from_json(&out->gpu, json_object_get(line, "gpu"));
    if (!(out->runs >= 1 && out->seconds > 0 && out->joules > 0 && out->error >= 0 &&
          plausible_energy(out->joules, out->seconds)))
        out->runs = out->seconds = out->joules = out->error = NAN;
}

static int node_member(const json_t *line, const char *name)
{
    double node = number_member(line, name);
    return node >= 0 && node <= INT16_MAX ? (int)node : -1; /* NAN is not */
}

static void read_first(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    cell->first.open = time_member(line, "open_ns");
    cell->first.alloc = time_member(line, "alloc_ns");
    cell->first.compile = time_member(line, "compile_ns");
    cell->first.upload = time_member(line, "upload_ns");
    cell->first.repack = time_member(line, "repack_ns");
    cell->first.run = time_member(line, "run_ns");
    cell->first.download = time_member(line, "download_ns");
    cell->first.map = time_member(line, "map_ns");
    cell->flushed = number_member(line, "flush_bytes");
    cell->cores_planned = number_member(line, "cores_planned");
    cell->cores_computing = number_member(line, "cores_computing");
    cell->detail = text_member(pool, line, "detail", DETAIL_ROOM);
    cell->memory_node = node_member(line, "memory_node");
    cell->device_node = node_member(line, "device_node");
    cell->link_lanes = number_member(line, "link_lanes");
    cell->wait = text_member(pool, line, "wait", NAME_ROOM);
    read_memory_cost(&cell->memory_cost, json_object_get(line, "memory_cost"));
}

static void read_cell(struct record *record, struct cell_record *cell, const json_t *line)
{
    struct pool *pool = &record->pool;
    const double launches = number_member(line, "launches");
    cell->key = text_member(pool, line, "key", TEXT_ROOM);
    cell->block = text_member(pool, line, "block", TEXT_ROOM);
    cell->device_id = text_member(pool, line, "device", NAME_ROOM);
    cell->workload = text_member(pool, line, "workload", NAME_ROOM);
    cell->dtype = text_member(pool, line, "dtype", NAME_ROOM);
    cell->shape = text_member(pool, line, "shape", DETAIL_ROOM);
    cell->method = text_member(pool, line, "method", NAME_ROOM);
    cell->memory = text_member(pool, line, "memory", NAME_ROOM);
    cell->kernel_shape = text_member(pool, line, "kernel_shape", NAME_ROOM);
    cell->baseline = text_member(pool, line, "baseline", TEXT_ROOM);
    cell->repro = text_member(pool, line, "repro", TEXT_ROOM);
    record_read_choice(record, cell, line);
    cell->flops = number_member(line, "flops");
    cell->bytes = number_member(line, "bytes");
    cell->held = number_member(line, "held");
    cell->workspace = number_member(line, "workspace");
    cell->items = text_member(pool, line, "items", NAME_ROOM);
    cell->items_per_run = number_member(line, "items_per_run");
    cell->launches = launches >= 1 && launches <= (double)UINT32_MAX ? (unsigned)launches : 1;
    cell->roof = roof_parse(journal_text(line, "roof"));
    cell->roof_serial = json_is_true(json_object_get(line, "roof_serial"));
    cell->is_ceiling = json_is_true(json_object_get(line, "ceiling"));
    cell->is_fast = json_is_true(json_object_get(line, "fast_algorithm"));
    cell->lacks_library = json_is_true(json_object_get(line, "lacks_library"));
    cell->is_link = json_is_true(json_object_get(line, "link"));
    cell->is_cold = json_is_true(json_object_get(line, "cold"));
}

static void clear_cell(struct pool *pool, struct cell_record *cell)
{
    cell->smallest_error = NAN;
    cell->checks.every = NAN;
    host_state_from_json(&cell->before, NULL);
    host_state_from_json(&cell->after, NULL);
    cell->gpu_before = cell->gpu_after = gpu_state_unknown();
    read_meter(pool, cell, NULL);
    read_first(pool, cell, NULL);
}

/* Whether a resumed run goes on with a block that an earlier part of it began. */
static bool goes_on(const struct record *record, const char *block)
{
    const struct block_record *found = record_find_block(record, block);
    return json_array_size(record->resumed) > 0 && found && !found->is_done;
}

static bool add_cell(struct record *record, const json_t *line, struct error *err)
{
    struct pool *pool = &record->pool;
    const char *key = CLEANED(TEXT_ROOM, journal_text(line, "key"));
    struct cell_record *known = record_cell(record, key);
    if (known && !goes_on(record, known->block))
        return fail(err, STATUS_FAILED, "a second cell '%s'", key);
    if (known) {
        read_cell(record, known, line);
        return !pool->is_short || out_of_memory(err);
    }
    if (!*key)
        return fail(err, STATUS_FAILED, "a cell without a key");
    struct cell_record *cell = pool_take(pool, sizeof *cell);
    struct block_record *block = record_block(record, line);
    if (!cell || !block)
        return out_of_memory(err);
    block->cell = pool_grow(pool, block->cell, block->cells, &block->room, sizeof *block->cell);
    record->cell = pool_grow(pool, record->cell, record->cells, &record->room, sizeof *record->cell);
    record->ceiling =
        pool_grow(pool, record->ceiling, record->ceilings, &record->ceiling_room, sizeof *record->ceiling);
    read_cell(record, cell, line);
    clear_cell(pool, cell);
    if (pool->is_short || json_object_set_new(record->index, cell->key, json_integer(record->cells)) != 0)
        return out_of_memory(err);
    block->cell[block->cells++] = cell;
    record->cell[record->cells++] = cell;
    if (cell->roof != ROOF_NONE)
        record->ceiling[record->ceilings++] = cell;
    return true;
}

/* The other cell of its row was not opened. */
static void read_measures_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    cell->measures = record_measures(line, "for");
}

const char *const spent_names[SPENT_COUNT] = {
    [SPENT_OPENING] = "opening",     [SPENT_FILLING] = "filling",     [SPENT_CHOOSING] = "choosing",
    [SPENT_VERIFYING] = "verifying", [SPENT_MEASURING] = "measuring", [SPENT_CLOSING] = "closing",
};

static bool add_spent(struct record *record, const json_t *line, struct error *err)
{
    struct block_record *block = record_block(record, line);
    if (!block)
        return out_of_memory(err);
    for (enum spent spent = 0; spent < SPENT_COUNT; spent++) /* fmax(0, NAN) is 0 */
        block->spent[spent] += fmax(0, time_member(line, PRINTED(32, "%s_ns", spent_names[spent])));
    return true;
}

/* Finds the usual rates: those that a tenth of the looks exceed. The highest rate may be an error of the clock. */
static void settle_looks(struct record *record)
{
    static const double by_itself = 0.9;
    double *rate = malloc(record->looks * sizeof *rate);
    record->usual_looks = 0;
    for (unsigned i = 0; rate && i < record->looks && record->usual_looks < NEIGHBOURS_MAX; i++) {
        const unsigned processor = record->look[i].processor;
        unsigned at = 0, looks = 0;
        while (at < record->usual_looks && record->usual_look[at].processor != processor)
            at++;
        if (at < record->usual_looks)
            continue;
        for (unsigned k = i; k < record->looks; k++)
            if (record->look[k].processor == processor)
                rate[looks++] = record->look[k].rate;
        record->usual_look[record->usual_looks++] =
            (struct look_record){ processor, stats_quantile(rate, looks, by_itself) };
    }
    record->settled_looks = record->looks;
    free(rate);
}

enum { LOOKS_MIN = 20 };

static bool add_look(struct record *record, const json_t *line, struct error *err)
{
    const double processor = number_member(line, "processor"), rate = number_member(line, "rate");
    if (!(processor >= 0 && processor <= (double)UINT32_MAX) || !isfinite(rate))
        return true;
    record->look = pool_grow(&record->pool, record->look, record->looks, &record->look_room, sizeof *record->look);
    if (record->pool.is_short)
        return out_of_memory(err);
    record->look[record->looks++] = (struct look_record){ (unsigned)processor, rate };
    if (record->looks >= 1.1 * record->settled_looks && record->looks >= LOOKS_MIN)
        settle_looks(record);
    return true;
}

static void read_verify_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    size_t i;
    const json_t *check;
    cell->verified++;
    cell->checks.checked += fmax(0, number_member(line, "checked_runs"));
    json_array_foreach (json_object_get(line, "checks"), i, check) {
        cell->weak |= json_is_true(json_object_get(check, "weak"));
        cell->checks.differ |= json_is_true(json_object_get(check, "differs"));
        cell->smallest_error = fmin(cell->smallest_error, number_member(check, "smallest_error"));
    }
}

static void read_state_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    bool is_before = strcmp(journal_text(line, "when"), "before") == 0;
    host_state_from_json(is_before ? &cell->before : &cell->after, line);
    gpu_state_from_json(is_before ? &cell->gpu_before : &cell->gpu_after, json_object_get(line, "gpu"));
}

/* One process of a naive timing. */
static bool add_naive(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    cell->naive = pool_grow(&record->pool, cell->naive, cell->naives, &cell->naive_room, sizeof *cell->naive);
    if (record->pool.is_short)
        return out_of_memory(err);
    struct naive_run *naive = &cell->naive[cell->naives++];
    *naive = (struct naive_run){
        .alloc = time_member(line, "alloc_ns"),
        .run = time_member(line, "run_ns"),
        .fetch = time_member(line, "fetch_ns"),
        .compile = time_member(line, "compile_ns"),
        .faults = number_member(line, "faults"),
    };
    record_read_outcome(&naive->outcome, line);
    return true;
}

static void read_stop_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    const enum series series = series_parse(journal_text(line, "series"));
    const unsigned stop = name_find(journal_text(line, "reason"), stop_names, STOP_COUNT);
    if (series != SERIES_COUNT && stop != STOP_COUNT)
        cell->track[series].stop = (enum stop)stop;
}

/* A wrong answer has no speed, in no format: its samples and its energy stay in the journal alone. */
static bool add_outcome(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    if (cell->ended)
        return fail(err, STATUS_FAILED, "a second outcome of '%s'", cell->key);
    cell->ended = true;
    record_read_outcome(&cell->outcome, line);
    if (cell->outcome.status != STATUS_WRONG && cell->outcome.status != STATUS_IMPOSSIBLE)
        return true;
    memset(cell->track, 0, sizeof cell->track);
    read_meter(&record->pool, cell, NULL);
    return true;
}

static void read_figures_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    cell->stated.series = series_parse(journal_text(line, "series"));
    cell->is_stated = cell->stated.series != SERIES_COUNT;
    cell->stated.seconds = number_member(line, "seconds");
    cell->stated.half_width = number_member(line, "half_width");
    cell->stated.speedup = number_member(line, "speedup");
    cell->stated.moved = number_member(line, "moved");
}

static void read_earlier_line(struct pool *pool, struct cell_record *cell, const json_t *line)
{
    const double runs = number_member(line, "runs");
    cell->earlier = (struct earlier){
        .runs = runs <= (double)UINT32_MAX ? (unsigned)runs : 0,
        .low = number_member(line, "low"),
        .median = number_member(line, "median"),
        .high = number_member(line, "high"),
    };
}

static bool add_baseline(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    const struct block_record *block = record_find_block(record, cell->block);
    enum measures measures = record_measures(line, "measures");
    for (unsigned i = 0; block && i < block->cells; i++) {
        if (measures != MEASURES_COPIED)
            block->cell[i]->baseline = cell->key;
        if (measures != MEASURES_RESIDENT)
            block->cell[i]->baseline_copied = cell->key;
    }
    return true;
}

static bool add_note(struct record *record, const json_t *line, struct error *err)
{
    const char *key = CLEANED(TEXT_ROOM, journal_text(line, "cell"));
    struct cell_record *cell = *key ? record_cell(record, key) : NULL;
    if (*key && !cell)
        return fail(err, STATUS_FAILED, "a note on an unknown cell '%s'", key);
    const char ***note = cell ? &cell->note : &record->note;
    unsigned *notes = cell ? &cell->notes : &record->notes, *room = cell ? &cell->note_room : &record->note_room;
    *note = pool_grow(&record->pool, *note, *notes, room, sizeof **note);
    if (record->pool.is_short)
        return out_of_memory(err);
    (*note)[(*notes)++] = text_member(&record->pool, line, "text", TEXT_ROOM);
    return true;
}

static bool add_end(struct record *record, const json_t *line, struct error *err)
{
    text_clean(record->end, sizeof record->end, journal_text(line, "status"));
    record->cores_changed |= json_is_true(json_object_get(line, "cores_changed"));
    record->elapsed = time_member(line, "elapsed_ns");
    return true;
}

static bool add_done(struct record *record, const json_t *line, struct error *err)
{
    const char *name = CLEANED(TEXT_ROOM, journal_text(line, "block"));
    struct block_record *block = record_find_block(record, name);
    if (!block)
        return fail(err, STATUS_FAILED, "an unknown block '%s' is done", name);
    block->is_done = true;
    return true;
}

/* Removes the cells that are marked so, and the blocks that have none left and are not done. The others move up. */
static bool remove_forgotten(struct record *record)
{
    unsigned cells = 0, blocks = 0;
    bool complete = json_object_clear(record->index) == 0 && json_object_clear(record->block_index) == 0;
    record->ceilings = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        if (cell->is_forgotten)
            continue;
        complete &= json_object_set_new(record->index, cell->key, json_integer(cells)) == 0;
        record->cell[cells++] = cell;
        if (cell->roof != ROOF_NONE)
            record->ceiling[record->ceilings++] = cell;
    }
    record->cells = cells;
    for (unsigned i = 0; i < record->blocks; i++) {
        struct block_record *block = &record->block[i];
        unsigned kept = 0;
        for (unsigned k = 0; k < block->cells; k++)
            if (!block->cell[k]->is_forgotten)
                block->cell[kept++] = block->cell[k];
        block->cells = kept;
        if (kept == 0 && !block->is_done)
            continue;
        complete &= json_object_set_new(record->block_index, block->name, json_integer(blocks)) == 0;
        record->block[blocks++] = *block;
    }
    record->blocks = blocks;
    return complete;
}

/* The choice of a row's method was unsettled, and the first visits decided it. They enter no figure of that method. */
static bool add_chosen(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    const char *key = CLEANED(TEXT_ROOM, journal_text(line, "instead_of"));
    struct cell_record *other = *key ? record_cell(record, key) : NULL;
    if (*key && (!other || other == cell || strcmp(other->block, cell->block) != 0))
        return fail(err, STATUS_FAILED, "'%s' is chosen instead of '%s', which is no other cell of its block",
                    cell->key, key);
    memset(cell->track, 0, sizeof cell->track);
    if (!other)
        return true;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *each = record->cell[i];
        each->baseline = strcmp(each->baseline, other->key) == 0 ? cell->key : each->baseline;
        each->baseline_copied = strcmp(each->baseline_copied, other->key) == 0 ? cell->key : each->baseline_copied;
    }
    record_exchange(record_find_block(record, cell->block), other, cell);
    other->is_forgotten = true;
    return remove_forgotten(record) || out_of_memory(err);
}

static bool has_slices(const struct cell_record *cell)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (cell->track[series].slices > 0)
            return true;
    return false;
}

static bool was_visited(const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++)
        if (has_slices(block->cell[i]))
            return true;
    return false;
}

/* A resumed run adds visits to the blocks that are not done: what was measured stays, and the outcome and the final
 * check are yet to come. Forgotten are the cells of a block without visits, whose methods were still being chosen, and
 * one that was about to be measured in the place of another. In version 3 a resumed run measured such blocks anew. */
static bool reopen_unfinished(struct record *record, bool begins_anew)
{
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        const struct block_record *block = record_find_block(record, cell->block);
        if (block->is_done)
            continue;
        cell->is_forgotten =
            begins_anew || !was_visited(block) ||
            (!has_slices(cell) && (!status_is_bad(cell->outcome.status) || cell->outcome.status == STATUS_ABANDONED));
        cell->outcome = (struct error){ .status = STATUS_OK };
        cell->ended = cell->is_stated = false;
        cell->verified = 0;
    }
    return remove_forgotten(record);
}

static bool add_resume(struct record *record, const json_t *line, struct error *err)
{
    record->notes = 0;
    record->end[0] = '\0';
    const bool begins_anew = strcmp(journal_text(record->head, "schema"), JOURNAL_SCHEMA_3) == 0;
    return (reopen_unfinished(record, begins_anew) && json_array_append_new(record->resumed, clean_copy(line)) == 0) ||
           out_of_memory(err);
}

/* A line of a cell comes after the cell's own; other lines have no cell. */
static const struct kind {
    const char *name;
    size_t kept; /* the member of a record that has the line */
    bool (*add)(struct record *record, const json_t *line, struct error *err);
    bool (*add_to_cell)(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);
    void (*read)(struct pool *pool, struct cell_record *cell, const json_t *line); /* of a cell, and cannot fail */
} kinds[] = {
    { "journal", .kept = offsetof(struct record, head) },
    { "device", .add = add_device },
    { "absent", .add = add_absent },
    { "sweep", .kept = offsetof(struct record, sweep) },
    { "race", .add = record_add_race },
    { "spent", .add = add_spent },
    { "look", .add = add_look },
    { "cell", .add = add_cell },
    { "note", .add = add_note },
    { "done", .add = add_done },
    { "resume", .add = add_resume },
    { "end", .add = add_end },
    { "baseline", .add_to_cell = add_baseline },
    { "chosen", .add_to_cell = add_chosen },
    { "first", .read = read_first },
    { "slice", .add_to_cell = record_add_slice },
    { "naive", .add_to_cell = add_naive },
    { "outcome", .add_to_cell = add_outcome },
    { "verify", .read = read_verify_line },
    { "state", .read = read_state_line },
    { "measures", .read = read_measures_line },
    { "meter", .read = read_meter },
    { "stop", .read = read_stop_line },
    { "figures", .read = read_figures_line },
    { "earlier", .read = read_earlier_line },
};

bool record_add(struct record *record, const json_t *line, struct error *err)
{
    const struct kind *kind = NULL;
    const char *name = journal_text(line, "line");
    record->probing += fmax(0, time_member(line, "probes_ns")) * (strcmp(name, "end") != 0); /* NAN counts for 0 */
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && !kind; i++)
        kind = strcmp(kinds[i].name, name) == 0 ? &kinds[i] : NULL;
    if (!kind)
        return true;
    if (kind->kept > 0)
        return keep_line((json_t **)(void *)((char *)record + kind->kept), line, err);
    if (kind->add)
        return kind->add(record, line, err);
    const char *key = journal_text(line, "cell");
    struct cell_record *cell = record_cell(record, key); /* most names are clean as they are */
    if (!cell)
        cell = record_cell(record, CLEANED(TEXT_ROOM, key));
    if (!cell)
        return fail(err, STATUS_FAILED, "a line '%s' of an unknown cell '%s'", name, key);
    if (kind->add_to_cell)
        return kind->add_to_cell(record, cell, line, err);
    kind->read(&record->pool, cell, line);
    return true;
}
