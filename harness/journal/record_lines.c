/* What each kind of journal line does to a record. The samples of slices are in record_slices.c. */

#include "harness/base/text.h"
#include "harness/journal/record_parts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static bool add_sweep(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)cell;
    if (record->sweep)
        return fail(err, STATUS_FAILED, "a second sweep in one journal");
    record->sweep = json_deep_copy(line);
    return record->sweep || out_of_memory(err);
}

static struct block_record *find_block(struct record *record, const char *name)
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

static void read_meter(struct meter *out, const json_t *line)
{
    *out = (struct meter){
        .runs = number_member(line, "runs"),
        .seconds = time_member(line, "elapsed_ns"),
        .joules = number_member(json_object_get(line, "energy_j"), energy_domain_names[ENERGY_GPU]),
        .error = number_member(line, "error"),
    };
    gpu_state_from_json(&out->gpu, json_object_get(line, "gpu"));
    if (!(out->runs >= 1 && out->seconds > 0 && out->joules > 0 && out->error >= 0))
        out->runs = out->seconds = out->joules = out->error = NAN;
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

static unsigned launches_member(const json_t *line)
{
    double launches = number_member(line, "launches");
    return launches >= 1 && launches <= (double)UINT32_MAX ? (unsigned)launches : 1;
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
    read_meter(&cell->meter, NULL);
    read_memory_cost(&cell->memory_cost, NULL);
    if (complete)
        return cell;
    record_cell_free(cell);
    return NULL;
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
    struct block_record *block = find_block(record, cell->block);
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
    read_memory_cost(&cell->memory_cost, json_object_get(line, "memory_cost"));
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

static bool add_state(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    (void)err;
    bool is_before = strcmp(word_member(line, "when"), "before") == 0;
    host_state_from_json(is_before ? &cell->before : &cell->after, line);
    gpu_state_from_json(is_before ? &cell->gpu_before : &cell->gpu_after, json_object_get(line, "gpu"));
    return true;
}

static bool add_meter(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record, (void)err;
    read_meter(&cell->meter, line);
    return true;
}

/* What a driver printed before it died: a death tells no reason of its own. */
static const char *last_words(const json_t *line, enum status status)
{
    return status == STATUS_CRASHED || status == STATUS_TIMEOUT ? word_member(line, "log") : "";
}

static void read_outcome(struct error *out, const json_t *line)
{
    enum status status;
    if (!status_parse(word_member(line, "status"), &status) || status == STATUS_USAGE)
        fail_in(out, "", STATUS_FAILED, "the journal tells no outcome known here: '%s'", word_member(line, "status"));
    else if (status != STATUS_OK)
        fail_in(out, word_member(line, "where"), status, "%s%s%s", word_member(line, "reason"),
                *last_words(line, status) ? "; it printed last: " : "", last_words(line, status));
    text_clean(out->where, sizeof out->where, out->where);
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
    read_outcome(&naive->outcome, line);
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

/* How the first run is made up, in the order in which it happens. */
static const char *const first_parts[] = { "open_ns",   "alloc_ns", "compile_ns", "upload_ns",
                                           "repack_ns", "run_ns",   "download_ns" };

/* Seconds of the first run as a whole: the sum of what was taken; NAN where nothing was. */
static double first_run(const json_t *line)
{
    double sum = NAN;
    for (unsigned i = 0; i < sizeof first_parts / sizeof *first_parts; i++) {
        double part = time_member(line, first_parts[i]);
        sum = isnan(sum) ? part : sum + fmax(0, part); /* fmax(0, NAN) is 0 */
    }
    return sum;
}

static bool add_trial(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    char name[TEXT_ROOM];
    text_clean(name, sizeof name, word_member(line, "block"));
    struct block_record *block = find_block(record, name);
    if (!block || !grow(&block->trial, block->trials, &block->trial_room, sizeof *block->trial))
        return out_of_memory(err);
    struct trial_record trial = {
        .device_id = text_member(line, "device", NAME_ROOM),
        .method = text_member(line, "method", NAME_ROOM),
        .memory = text_member(line, "memory", NAME_ROOM),
        .detail = text_member(line, "detail", DETAIL_ROOM),
        .first = first_run(line),
        .compile = time_member(line, "compile_ns"),
    };
    if (!trial.device_id || !trial.method || !trial.memory || !trial.detail) {
        record_trial_free(&trial);
        return out_of_memory(err);
    }
    read_outcome(&trial.outcome, line);
    trial.run = trial.outcome.status == STATUS_OK ? time_member(line, "wall_ns") : NAN;
    trial.repack = isnan(trial.run) ? NAN : time_member(line, "repacking_ns");
    block->trial[block->trials++] = trial;
    return true;
}

/* What became of the cell holds for its method's trial, too: a wrong answer has no speed, and what went wrong when it
 * was measured tells more than that it was passed over. */
static void settle_trials(struct record *record, const struct cell_record *cell)
{
    enum status status = cell->outcome.status;
    const struct block_record *block = find_block(record, cell->block);
    bool is_disproved = status == STATUS_WRONG || status == STATUS_IMPOSSIBLE;
    if (!status_is_bad(status) || status == STATUS_ABANDONED)
        return;
    for (unsigned i = 0; block && i < block->trials; i++) {
        struct trial_record *trial = &block->trial[i];
        bool is_its = strcmp(trial->device_id, cell->device_id) == 0 && strcmp(trial->method, cell->method) == 0;
        bool is_outdone = isnan(trial->run) && strcmp(trial->memory, cell->memory) == 0;
        if (!is_its || (!is_disproved && !is_outdone))
            continue;
        trial->run = trial->repack = NAN;
        trial->outcome = cell->outcome;
    }
}

static bool add_outcome(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    if (cell->ended)
        return fail(err, STATUS_FAILED, "a second outcome of '%s'", cell->key);
    cell->ended = true;
    read_outcome(&cell->outcome, line);
    settle_trials(record, cell);
    return true;
}

static bool add_baseline(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)line;
    const struct block_record *block = find_block(record, cell->block);
    for (unsigned i = 0; block && i < block->cells; i++) {
        char *key = strdup(cell->key);
        if (!key)
            return out_of_memory(err);
        free(block->cell[i]->baseline);
        block->cell[i]->baseline = key;
    }
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

static bool add_done(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    char name[TEXT_ROOM];
    text_clean(name, sizeof name, word_member(line, "block"));
    const json_t *place = json_object_get(record->block_index, name);
    if (!place)
        return fail(err, STATUS_FAILED, "an unknown block '%s' is done", name);
    record->block[json_integer_value(place)].is_done = true;
    return true;
}

static bool is_forgotten(const json_t *names, const char *block)
{
    char name[TEXT_ROOM];
    const json_t *each;
    size_t i;
    json_array_foreach (names, i, each) {
        text_clean(name, sizeof name, json_is_string(each) ? json_string_value(each) : "");
        if (strcmp(name, block) == 0)
            return true;
    }
    return false;
}

/* Takes the cells of those blocks out, and finds the others in their new places. */
static bool forget_cells(struct record *record, const json_t *names)
{
    unsigned kept = 0;
    bool complete = json_object_clear(record->index) == 0;
    record->roofs = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        if (is_forgotten(names, cell->block)) {
            record_cell_free(cell);
            continue;
        }
        complete &= json_object_set_new(record->index, cell->key, json_integer(kept)) == 0;
        record->cell[kept++] = cell;
        if (cell->roof != ROOF_NONE)
            record->roof[record->roofs++] = cell;
    }
    record->cells = kept;
    return complete;
}

static bool forget_blocks(struct record *record, const json_t *names)
{
    unsigned kept = 0;
    bool complete = json_object_clear(record->block_index) == 0;
    for (unsigned i = 0; i < record->blocks; i++) {
        struct block_record *block = &record->block[i];
        if (is_forgotten(names, block->name)) {
            record_trials_free(block);
            free(block->name);
            free(block->cell);
            continue;
        }
        complete &= json_object_set_new(record->block_index, block->name, json_integer(kept)) == 0;
        record->block[kept++] = *block;
    }
    record->blocks = kept;
    return complete;
}

static bool add_resume(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    const json_t *names = json_object_get(line, "forgets");
    bool complete = forget_cells(record, names) && forget_blocks(record, names);
    record_notes_free(record->note, record->notes);
    record->note = NULL;
    record->notes = 0;
    record->end[0] = '\0';
    complete = complete && json_array_append_new(record->resumed, json_deep_copy(line)) == 0;
    return complete || out_of_memory(err);
}

static const struct kind {
    const char *name;
    add_line *add;
    bool of_cell;
} kinds[] = {
    { "journal", add_head, false },      { "device", add_device, false }, { "absent", add_absent, false },
    { "trial", add_trial, false },       { "cell", add_cell, false },     { "baseline", add_baseline, true },
    { "first", add_first, true },        { "verify", add_verify, true },  { "state", add_state, true },
    { "slice", record_add_slice, true }, { "stop", add_stop, true },      { "note", add_note, false },
    { "outcome", add_outcome, true },    { "end", add_end, false },       { "sweep", add_sweep, false },
    { "naive", add_naive, true },        { "done", add_done, false },     { "resume", add_resume, false },
    { "meter", add_meter, true },
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
