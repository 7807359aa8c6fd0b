#include "harness/journal/record_parts.h"

#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const series_names[SERIES_COUNT] = { "resident", "queued", "offload", "sustained" };

const char *series_name(enum series series)
{
    return (unsigned)series < SERIES_COUNT ? series_names[series] : "unknown";
}

bool series_parse(const char *word, enum series *out)
{
    for (unsigned i = 0; i < SERIES_COUNT; i++) {
        if (strcmp(word, series_names[i]) == 0) {
            *out = (enum series)i;
            return true;
        }
    }
    return false;
}

struct record *record_new(void)
{
    struct record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->device = calloc(DEVICES_MAX, sizeof *record->device);
    record->absent = json_array();
    record->resumed = json_array();
    record->index = json_object();
    record->block_index = json_object();
    record->elapsed = NAN;
    if (record->device && record->absent && record->resumed && record->index && record->block_index)
        return record;
    record_free(record);
    return NULL;
}

/* The texts of a cell by the names of their members, and how long each may be: names stand in the columns of tables. */
static const struct {
    const char *name;
    size_t offset, room;
} cell_texts[] = {
    { "key", offsetof(struct cell_record, key), TEXT_ROOM },
    { "block", offsetof(struct cell_record, block), TEXT_ROOM },
    { "device", offsetof(struct cell_record, device_id), NAME_ROOM },
    { "workload", offsetof(struct cell_record, workload), NAME_ROOM },
    { "dtype", offsetof(struct cell_record, dtype), NAME_ROOM },
    { "shape", offsetof(struct cell_record, shape), DETAIL_ROOM },
    { "method", offsetof(struct cell_record, method), NAME_ROOM },
    { "memory", offsetof(struct cell_record, memory), NAME_ROOM },
    { "baseline", offsetof(struct cell_record, baseline), TEXT_ROOM },
    { "repro", offsetof(struct cell_record, repro), TEXT_ROOM },
    { "detail", offsetof(struct cell_record, detail), DETAIL_ROOM }, /* of the `first` line; "" until that comes */
    { "wait", offsetof(struct cell_record, wait), NAME_ROOM },       /* likewise */
};
enum { CELL_TEXTS = sizeof cell_texts / sizeof *cell_texts };

static char **cell_text(struct cell_record *cell, unsigned i)
{
    return (char **)(void *)((char *)cell + cell_texts[i].offset);
}

static void track_free(struct track *track)
{
    free(track->wall.value);
    free(track->event.value);
    free(track->enqueue.value);
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        free(track->phase[i].value);
    free(track->slice);
}

void record_notes_free(char **note, unsigned notes)
{
    for (unsigned i = 0; i < notes; i++)
        free(note[i]);
    free(note);
}

void record_cell_free(struct cell_record *cell)
{
    for (unsigned i = 0; i < CELL_TEXTS; i++)
        free(*cell_text(cell, i));
    for (unsigned i = 0; i < SERIES_COUNT; i++)
        track_free(&cell->track[i]);
    record_notes_free(cell->note, cell->notes);
    free(cell->naive);
    free(cell);
}

void record_free(struct record *record)
{
    if (!record)
        return;
    for (unsigned i = 0; i < record->cells; i++)
        record_cell_free(record->cell[i]);
    free(record->cell);
    free(record->roof);
    for (unsigned i = 0; i < record->blocks; i++) {
        free(record->block[i].name);
        free(record->block[i].cell);
        record_trials_free(&record->block[i]);
    }
    free(record->block);
    record_notes_free(record->note, record->notes);
    free(record->device);
    json_decref(record->head);
    json_decref(record->absent);
    json_decref(record->sweep);
    json_decref(record->resumed);
    json_decref(record->index);
    json_decref(record->block_index);
    free(record);
}

struct cell_record *record_cell(const struct record *record, const char *key)
{
    const json_t *place = json_object_get(record->index, key);
    return place ? record->cell[json_integer_value(place)] : NULL;
}

const struct device *record_device(const struct record *record, const char *id)
{
    for (unsigned i = 0; i < record->devices; i++)
        if (strcmp(record->device[i].id, id) == 0)
            return &record->device[i];
    return NULL;
}

const struct device *record_destination(const struct record *record, const struct cell_record *cell)
{
    const struct device *from = record_device(record, cell->device_id);
    if (!cell->is_link || !from || from->peers < 2)
        return NULL;
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *to = &record->device[i];
        if (strcmp(to->backend, from->backend) == 0 && strcmp(to->source, from->source) == 0 &&
            to->index == (from->index + 1) % from->peers)
            return to;
    }
    return NULL;
}

/* What each kind of line does to the record. Lines of a cell find it ready; others get NULL. */
typedef bool add_line(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);

static bool add_head(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
    if (record->head)
        return fail(err, STATUS_FAILED, "a second head: two journals in one");
    record->head = json_deep_copy(line);
    return record->head || out_of_memory(err);
}

static bool add_device(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
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

static bool add_absent(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
    return json_array_append_new(record->absent, json_deep_copy(line)) == 0 || out_of_memory(err);
}

static unsigned launches_member(const json_t *line)
{
    double launches = number_member(line, "launches");
    return launches >= 1 && launches <= (double)UINT32_MAX ? (unsigned)launches : 1;
}

static bool add_sweep(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
    if (record->sweep)
        return fail(err, STATUS_FAILED, "a second sweep in one journal");
    record->sweep = json_deep_copy(line);
    return record->sweep || out_of_memory(err);
}

static struct cell_record *cell_new(const json_t *line)
{
    struct cell_record *cell = calloc(1, sizeof *cell);
    if (!cell)
        return NULL;
    bool complete = true;
    for (unsigned i = 0; i < CELL_TEXTS; i++)
        complete &= (*cell_text(cell, i) = text_member(line, cell_texts[i].name, cell_texts[i].room)) != NULL;
    cell->flops = number_member(line, "flops");
    cell->is_fast = json_is_true(json_object_get(line, "fast_algorithm"));
    cell->is_link = json_is_true(json_object_get(line, "link"));
    cell->is_cold = json_is_true(json_object_get(line, "cold"));
    cell->flushed = cell->first.map = NAN;
    cell->bytes = number_member(line, "bytes");
    cell->launches = launches_member(line);
    cell->held = number_member(line, "held");
    cell->roof = roof_parse(word_member(line, "roof"));
    cell->is_ceiling = json_is_true(json_object_get(line, "ceiling"));
    cell->roof_serial = json_is_true(json_object_get(line, "roof_serial"));
    cell->first.open = cell->first.alloc = cell->first.compile = NAN;
    cell->first.upload = cell->first.repack = cell->first.run = cell->first.download = NAN;
    cell->smallest_error = NAN;
    host_state_from_json(&cell->before, NULL);
    host_state_from_json(&cell->after, NULL);
    cell->gpu_before = cell->gpu_after = gpu_state_unknown();
    record_meter(&cell->meter, NULL);
    record_memory_cost(&cell->memory_cost, NULL);
    if (complete)
        return cell;
    record_cell_free(cell);
    return NULL;
}

struct block_record *record_block(struct record *record, const char *name)
{
    const json_t *place = json_object_get(record->block_index, name);
    if (place)
        return &record->block[json_integer_value(place)];
    if (!grow(&record->block, record->blocks, &record->block_room, sizeof *record->block))
        return NULL;
    struct block_record *block = &record->block[record->blocks];
    *block = (struct block_record){ .name = strdup(name) };
    if (!block->name || json_object_set_new(record->block_index, name, json_integer(record->blocks)) != 0) {
        free(block->name);
        return NULL;
    }
    record->blocks++;
    return block;
}

static bool add_cell(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    struct cell_record *cell = cell_new(line);
    if (!cell)
        return out_of_memory(err);
    bool known = record_cell(record, cell->key), nameless = !*cell->key;
    if (known)
        fail(err, STATUS_FAILED, "a second cell '%s'", cell->key);
    if (nameless)
        fail(err, STATUS_FAILED, "a cell without a key");
    if (known || nameless) {
        record_cell_free(cell);
        return false;
    }
    struct block_record *block = record_block(record, cell->block);
    if (!block || !grow(&block->cell, block->cells, &block->room, sizeof *block->cell) ||
        !grow(&record->cell, record->cells, &record->room, sizeof *record->cell) ||
        !grow(&record->roof, record->roofs, &record->roof_room, sizeof *record->roof) ||
        json_object_set_new(record->index, cell->key, json_integer(record->cells)) != 0) {
        record_cell_free(cell);
        return out_of_memory(err);
    }
    block->cell[block->cells++] = cell;
    record->cell[record->cells++] = cell;
    if (cell->roof != ROOF_NONE)
        record->roof[record->roofs++] = cell;
    return true;
}

static bool replace_text(char **text, const json_t *line, const char *name, size_t room)
{
    char *fresh = text_member(line, name, room);
    if (!fresh)
        return false;
    free(*text);
    *text = fresh;
    return true;
}

static bool add_first(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    cell->first.open = time_member(line, "open_ns");
    cell->first.alloc = time_member(line, "alloc_ns");
    cell->first.compile = time_member(line, "compile_ns");
    cell->first.upload = time_member(line, "upload_ns");
    cell->first.repack = time_member(line, "repack_ns");
    cell->first.run = time_member(line, "run_ns");
    cell->first.download = time_member(line, "download_ns");
    cell->first.map = time_member(line, "map_ns");
    cell->flushed = number_member(line, "flush_bytes");
    record_memory_cost(&cell->memory_cost, json_object_get(line, "memory_cost"));
    bool complete =
        replace_text(&cell->detail, line, "detail", DETAIL_ROOM) && replace_text(&cell->wait, line, "wait", NAME_ROOM);
    return complete || out_of_memory(err);
}

static bool add_verify(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    (void)err;
    size_t i;
    const json_t *check;
    cell->verified++;
    json_array_foreach (json_object_get(line, "checks"), i, check) {
        cell->weak |= json_is_true(json_object_get(check, "weak"));
        cell->smallest_error = fmin(cell->smallest_error, number_member(check, "smallest_error"));
    }
    return true;
}

/* One process of a naive timing. */
static bool add_naive(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    if (!grow(&cell->naive, cell->naives, &cell->naive_room, sizeof *cell->naive))
        return out_of_memory(err);
    struct naive_run *naive = &cell->naive[cell->naives++];
    *naive = (struct naive_run){
        .alloc = time_member(line, "alloc_ns"),
        .run = time_member(line, "run_ns"),
        .fetch = time_member(line, "fetch_ns"),
        .compile = time_member(line, "compile_ns"),
        .faults = number_member(line, "faults"),
    };
    record_outcome(&naive->outcome, line);
    return true;
}

static bool add_stop(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    (void)err;
    enum series series;
    if (!series_parse(word_member(line, "series"), &series))
        return true;
    for (unsigned i = 0; i < STOP_COUNT; i++)
        if (strcmp(word_member(line, "reason"), stop_name((enum stop)i)) == 0)
            cell->track[series].stop = (enum stop)i;
    return true;
}

static bool add_outcome(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    if (cell->ended)
        return fail(err, STATUS_FAILED, "a second outcome of '%s'", cell->key);
    cell->ended = true;
    record_outcome(&cell->outcome, line);
    record_trials_settle(record, cell);
    return true;
}

static bool add_note(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    char key[TEXT_ROOM];
    text_clean(key, sizeof key, word_member(line, "cell"));
    struct cell_record *cell = *key ? record_cell(record, key) : NULL;
    if (*key && !cell)
        return fail(err, STATUS_FAILED, "a note on an unknown cell '%s'", key);
    char ***notes = cell ? &cell->note : &record->note;
    unsigned *count = cell ? &cell->notes : &record->notes;
    char **grown = realloc(*notes, (*count + 1) * sizeof **notes);
    if (!grown)
        return out_of_memory(err);
    *notes = grown;
    grown[*count] = text_member(line, "text", TEXT_ROOM);
    return grown[*count] ? (++*count, true) : out_of_memory(err);
}

static bool add_end(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
    (void)err;
    text_clean(record->end, sizeof record->end, word_member(line, "status"));
    record->elapsed = time_member(line, "elapsed_ns");
    return true;
}

static const struct kind {
    const char *name;
    add_line *add;
    bool of_cell;
} kinds[] = {
    { "journal", add_head, false },       { "device", add_device, false },    { "absent", add_absent, false },
    { "trial", record_add_trial, false }, { "cell", add_cell, false },        { "baseline", record_add_baseline, true },
    { "first", add_first, true },         { "verify", add_verify, true },     { "state", record_add_state, true },
    { "slice", record_add_slice, true },  { "stop", add_stop, true },         { "note", add_note, false },
    { "outcome", add_outcome, true },     { "end", add_end, false },          { "sweep", add_sweep, false },
    { "naive", add_naive, true },         { "done", record_add_done, false }, { "resume", record_add_resume, false },
    { "meter", record_add_meter, true },
};

bool record_add(struct record *record, const json_t *line, struct error *err)
{
    const char *name = word_member(line, "line");
    record->probing += fmax(0, time_member(line, "probes_ns")) * (strcmp(name, "end") != 0); /* NAN counts for 0 */
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *kind = &kinds[i];
        if (strcmp(kind->name, name) != 0)
            continue;
        if (!kind->of_cell)
            return kind->add(record, NULL, line, err);
        char key[TEXT_ROOM];
        text_clean(key, sizeof key, word_member(line, "cell"));
        struct cell_record *cell = record_cell(record, key);
        if (!cell)
            return fail(err, STATUS_FAILED, "a line '%s' of an unknown cell '%s'", name, key);
        return kind->add(record, cell, line, err);
    }
    return true;
}
