/* What each kind of journal line adds to a record. The samples of slices are in record_slices.c. */

#include "harness/base/fields.h"
#include "harness/base/text.h"
#include "harness/journal/plausible.h"
#include "harness/journal/record_members.h"
#include "harness/journal/record_parts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A copy with all names and texts cleaned; NULL when memory is short. */
static json_t *clean_copy(const json_t *value)
{
    const char *name;
    size_t i;
    json_t *item, *copy = json_is_object(value) ? json_object() : json_array();
    bool complete = copy != NULL;
    json_object_foreach ((json_t *)value, name, item)
        complete &= json_object_set_new(copy, text_cleaned(name).text, clean_copy(item)) == 0;
    json_array_foreach (value, i, item)
        complete &= json_array_append_new(copy, clean_copy(item)) == 0;
    if (complete && (json_is_object(value) || json_is_array(value)))
        return copy;
    json_decref(copy);
    return !complete               ? NULL
           : json_is_string(value) ? json_string(text_cleaned(json_string_value(value)).text)
                                   : json_deep_copy(value);
}

/* A line of which there is one in a journal. */
static bool keep_line(struct record *record, struct cell_record *cell, const struct journal_line *line,
                      struct error *err)
{
    json_t **to = line->kind == LINE_SWEEP ? &record->sweep : &record->head;
    if (*to)
        return fail(err, STATUS_FAILED, "a second %s", line_forms[line->kind].name);
    *to = clean_copy(line->json);
    return *to || out_of_memory(err);
}

static bool add_device(struct record *record, struct cell_record *cell, const struct journal_line *line,
                       struct error *err)
{
    struct device device;
    if (!device_from_json(&device, line->json, err))
        return false;
    if (record_device(record, device.id))
        return fail(err, STATUS_FAILED, "a second device %s", device.id);
    if (record->devices == DEVICES_MAX)
        return fail(err, STATUS_FAILED, "more than %d devices: %s is left out", DEVICES_MAX, device.id);
    record->device[record->devices++] = device;
    return true;
}

static bool add_absent(struct record *record, struct cell_record *cell, const struct journal_line *line,
                       struct error *err)
{
    return json_array_append_new(record->absent, clean_copy(line->json)) == 0 || out_of_memory(err);
}

/* What is needed of a cell line, and what it says only if it differs from the usual. */
static void read_cell(struct record *record, struct cell_record *cell, const json_t *json)
{
    fields_forget(cell, &cell_fields);
    fields_from_json(cell, &cell_fields, json, &record->pool);
    if (!json_is_string(json_object_get(json, "baseline_copied")))
        cell->baseline_copied = cell->baseline;
    cell->launches = cell->launches > 0 ? cell->launches : 1;
}

static bool add_cell(struct record *record, struct cell_record *unused, const struct journal_line *line,
                     struct error *err)
{
    struct pool *pool = &record->pool;
    const struct text key = text_cleaned(journal_text(line->json, "key"));
    struct cell_record *known = record_cell(record, key.text);
    if (known && (record->resumes == 0 || record_find_block(record, known->block)->is_done ||
                  strcmp(known->block, text_cleaned(line->block).text) != 0))
        return fail(err, STATUS_FAILED, "a second cell '%s'", key.text);
    if (known) { /* a resumed run goes on with a block that an earlier part of it began */
        read_cell(record, known, line->json);
        return !pool->is_short || out_of_memory(err);
    }
    if (!*key.text)
        return fail(err, STATUS_FAILED, "a cell without a key");
    struct cell_record *cell = pool_take(pool, sizeof *cell);
    struct block_record *block = record_block(record, line->block);
    if (!cell || !block)
        return out_of_memory(err);
    read_cell(record, cell, line->json);
    fields_forget(&cell->first, &first_fields);
    fields_forget(&cell->meter, &meter_fields);
    fields_forget(&cell->before, &host_state_fields);
    fields_forget(&cell->after, &host_state_fields);
    cell->gpu_before = cell->gpu_after = gpu_state_unknown();
    cell->smallest_error = cell->checks.every = NAN;
    if (pool->is_short || json_object_set_new(record->index, cell->key, json_integer(record->cells)) != 0)
        return out_of_memory(err);
    return (pool_add(pool, &record->cell, &record->cells, &cell, sizeof cell) &&
            pool_add(pool, &block->cell, &block->cells, &cell, sizeof cell) &&
            (cell->roof == ROOF_NONE || pool_add(pool, &record->peak, &record->peaks, &cell, sizeof cell))) ||
           out_of_memory(err);
}

/* What makes no sense is unknown. */
static void settle_meter(struct meter *meter)
{
    if (!(meter->runs >= 1 && meter->seconds > 0))
        meter->runs = meter->seconds = NAN;
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++)
        if (!(meter->energy.of[domain] > 0 && plausible_energy(meter->energy.of[domain], meter->seconds)))
            meter->energy.of[domain] = NAN;
    if (isnan(meter->energy.of[ENERGY_GPU]))
        meter->error = NAN;
}

/* A line that only sets members of its cell. */
static bool add_members(struct record *record, struct cell_record *cell, const struct journal_line *line,
                        struct error *err)
{
    switch (line->kind) {
    case LINE_MEASURES: /* the other cell of its row was not opened */
        cell->measures = line->measures;
        break;
    case LINE_FIRST:
        cell->first = line->first;
        break;
    case LINE_STATE:
        *(line->state.when == WHEN_BEFORE ? &cell->before : &cell->after) = line->state.host;
        *(line->state.when == WHEN_BEFORE ? &cell->gpu_before : &cell->gpu_after) = line->state.gpu;
        break;
    case LINE_METER:
        cell->meter = line->meter;
        settle_meter(&cell->meter);
        break;
    case LINE_STOP:
        if (line->stop.series != SERIES_COUNT && line->stop.reason != STOP_COUNT)
            cell->track[line->stop.series].stop = line->stop.reason;
        break;
    default:
        cell->earlier = line->earlier;
    }
    return true;
}

static bool add_verify(struct record *record, struct cell_record *cell, const struct journal_line *line,
                       struct error *err)
{
    const struct verify_line *verify = &line->verify;
    if (!plausible_verify(cell, verify, err))
        return false;
    cell->verified++;
    cell->checks.checked += fmax(0, verify->checked_runs);
    for (unsigned i = 0; i < verify->checks; i++) {
        cell->weak |= verify->check[i].weak;
        cell->checks.differ |= verify->check[i].differs;
        cell->smallest_error = fmin(cell->smallest_error, verify->check[i].smallest_error);
    }
    return true;
}

const char *const spent_names[SPENT_COUNT] = {
    [SPENT_OPENING] = "opening",     [SPENT_FILLING] = "filling",     [SPENT_CHOOSING] = "choosing",
    [SPENT_VERIFYING] = "verifying", [SPENT_MEASURING] = "measuring", [SPENT_CLOSING] = "closing",
};

static bool add_spent(struct record *record, struct cell_record *cell, const struct journal_line *line,
                      struct error *err)
{
    struct block_record *block = record_block(record, line->block);
    for (enum spent spent = 0; block && spent < SPENT_COUNT; spent++)
        block->spent[spent] += fmax(0, line->spent[spent]); /* fmax(0, NAN) is 0 */
    return block || out_of_memory(err);
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

static bool add_look(struct record *record, struct cell_record *cell, const struct journal_line *line,
                     struct error *err)
{
    if (!isfinite(line->look.rate))
        return true;
    if (!pool_add(&record->pool, &record->look, &record->looks, &line->look, sizeof line->look))
        return out_of_memory(err);
    if (record->looks >= 1.1 * record->settled_looks && record->looks >= LOOKS_MIN)
        settle_looks(record);
    return true;
}

/* One process of a naive timing. */
static bool add_naive(struct record *record, struct cell_record *cell, const struct journal_line *line,
                      struct error *err)
{
    struct naive_run *naive = pool_add(&record->pool, &cell->naive, &cell->naives, &line->naive, sizeof line->naive);
    if (!naive)
        return out_of_memory(err);
    record_settle_outcome(&naive->outcome, "");
    return true;
}

/* A wrong answer has no speed, in no format: its samples and its energy stay in the journal alone. */
static bool add_outcome(struct record *record, struct cell_record *cell, const struct journal_line *line,
                        struct error *err)
{
    if (cell->ended)
        return fail(err, STATUS_FAILED, "a second outcome of '%s'", cell->key);
    cell->ended = true;
    cell->outcome = line->outcome.outcome;
    record_settle_outcome(&cell->outcome, line->outcome.log);
    if (cell->outcome.status == STATUS_WRONG || cell->outcome.status == STATUS_IMPOSSIBLE) {
        memset(cell->track, 0, sizeof cell->track);
        fields_forget(&cell->meter, &meter_fields);
    }
    return true;
}

static bool add_baseline(struct record *record, struct cell_record *cell, const struct journal_line *line,
                         struct error *err)
{
    const struct block_record *block = record_find_block(record, cell->block);
    for (unsigned i = 0; block && i < block->cells; i++) {
        if (line->measures != MEASURES_COPIED)
            block->cell[i]->baseline = cell->key;
        if (line->measures != MEASURES_RESIDENT)
            block->cell[i]->baseline_copied = cell->key;
    }
    return true;
}

static bool add_note(struct record *record, struct cell_record *unused, const struct journal_line *line,
                     struct error *err)
{
    const struct text key = text_cleaned(line->cell);
    struct cell_record *cell = record_cell(record, key.text);
    if (*key.text && !cell)
        return fail(err, STATUS_FAILED, "a note on an unknown cell '%s'", key.text);
    return pool_add(&record->pool, cell ? &cell->note : &record->note, cell ? &cell->notes : &record->notes,
                    &line->text, sizeof line->text) ||
           out_of_memory(err);
}

static bool add_end(struct record *record, struct cell_record *cell, const struct journal_line *line, struct error *err)
{
    text_copy(record->end, sizeof record->end, line->end.status);
    record->cores_changed |= line->end.cores_changed;
    record->elapsed = line->end.elapsed;
    return true;
}

static bool add_done(struct record *record, struct cell_record *cell, const struct journal_line *line,
                     struct error *err)
{
    const struct text name = text_cleaned(line->block);
    struct block_record *block = record_find_block(record, name.text);
    if (!block)
        return fail(err, STATUS_FAILED, "an unknown block '%s' is done", name.text);
    block->is_done = true;
    return true;
}

/* Removes the cells that are marked so, and the blocks that have none left and are not done. The others move up. */
static bool remove_forgotten(struct record *record)
{
    unsigned cells = 0, blocks = 0;
    bool complete = json_object_clear(record->index) == 0 && json_object_clear(record->block_index) == 0;
    record->peaks = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        if (cell->is_forgotten)
            continue;
        complete &= json_object_set_new(record->index, cell->key, json_integer(cells)) == 0;
        record->cell[cells++] = cell;
        if (cell->roof != ROOF_NONE)
            record->peak[record->peaks++] = cell;
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
static bool add_chosen(struct record *record, struct cell_record *cell, const struct journal_line *line,
                       struct error *err)
{
    const char *key = line->instead_of;
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
 * one that was about to be measured in the place of another. */
static bool reopen_unfinished(struct record *record)
{
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_record *cell = record->cell[i];
        const struct block_record *block = record_find_block(record, cell->block);
        if (block->is_done)
            continue;
        cell->is_forgotten =
            !was_visited(block) ||
            (!has_slices(cell) && (!status_is_bad(cell->outcome.status) || cell->outcome.status == STATUS_ABANDONED));
        cell->outcome = (struct error){ .status = STATUS_OK };
        cell->ended = false;
        cell->verified = 0;
    }
    return remove_forgotten(record);
}

static bool add_resume(struct record *record, struct cell_record *cell, const struct journal_line *line,
                       struct error *err)
{
    record->notes = 0;
    record->end[0] = '\0';
    const char *started = text_member(&record->pool, line->json, "started");
    return (reopen_unfinished(record) &&
            pool_add(&record->pool, &record->resumed, &record->resumes, &started, sizeof started)) ||
           out_of_memory(err);
}

static bool (*const adders[LINE_KINDS])(struct record *, struct cell_record *, const struct journal_line *,
                                        struct error *) = {
    [LINE_JOURNAL] = keep_line,      [LINE_DEVICE] = add_device,    [LINE_ABSENT] = add_absent,
    [LINE_SWEEP] = keep_line,        [LINE_RACE] = record_add_race, [LINE_SPENT] = add_spent,
    [LINE_LOOK] = add_look,          [LINE_CELL] = add_cell,        [LINE_NOTE] = add_note,
    [LINE_DONE] = add_done,          [LINE_RESUME] = add_resume,    [LINE_END] = add_end,
    [LINE_BASELINE] = add_baseline,  [LINE_CHOSEN] = add_chosen,    [LINE_MEASURES] = add_members,
    [LINE_FIRST] = add_members,      [LINE_VERIFY] = add_verify,    [LINE_STATE] = add_members,
    [LINE_SLICE] = record_add_slice, [LINE_METER] = add_members,    [LINE_STOP] = add_members,
    [LINE_OUTCOME] = add_outcome,    [LINE_EARLIER] = add_members,  [LINE_NAIVE] = add_naive,
};

/* A line of a cell comes after the cell's own. */
bool record_add(struct record *record, const json_t *json, struct error *err)
{
    const enum line_kind kind = line_kind_of(json);
    const double probes = seconds_from_json(json_object_get(json, "probes_ns"));
    struct pool scratch = { 0 };
    struct journal_line line;
    struct cell_record *cell = NULL;
    record->probing += kind != LINE_END && probes >= 0 ? probes : 0;
    if (kind == LINE_KINDS || !adders[kind])
        return true;
    const char *key = journal_text(json, "cell");
    if (line_forms[kind].of == OF_CELL && !(cell = record_cell(record, key)) && /* most names are clean as they are */
        !(cell = record_cell(record, text_cleaned(key).text)))
        return fail(err, STATUS_FAILED, "a line '%s' of an unknown cell '%s'", line_forms[kind].name, key);
    line_from_json(&line, kind, json, kind == LINE_SLICE ? &scratch : &record->pool);
    const bool is_added =
        record->pool.is_short || scratch.is_short ? out_of_memory(err) : adders[kind](record, cell, &line, err);
    pool_release(&scratch);
    return is_added;
}
