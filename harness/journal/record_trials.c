/* What calibration found out about the methods of a block: who was tried, and who is compared with whom. */

#include "harness/journal/record_parts.h"

/* How the first run is made up, in the order in which it happens. */
static const char *const first_parts[] = { "open_ns",   "alloc_ns", "compile_ns", "upload_ns",
                                           "repack_ns", "run_ns",   "download_ns" };

/* What a driver printed before it died: a death tells no reason of its own. */
static const char *last_words(const json_t *line, enum status status)
{
    return status == STATUS_CRASHED || status == STATUS_TIMEOUT ? word_member(line, "log") : "";
}

void record_outcome(struct error *out, const json_t *line)
{
    enum status status;
    if (!status_parse(word_member(line, "status"), &status) || status == STATUS_USAGE)
        fail_in(out, "", STATUS_FAILED, "the journal tells no outcome known here: '%s'", word_member(line, "status"));
    else if (status != STATUS_OK)
        fail_in(out, word_member(line, "where"), status, "%s%s%s", word_member(line, "reason"),
                *last_words(line, status) ? "; it printed last: " : "", last_words(line, status));
    text_clean(out->where, sizeof out->where, out->where);
}

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

static void trial_free(struct trial_record *trial)
{
    free(trial->device_id);
    free(trial->method);
    free(trial->memory);
    free(trial->detail);
}

void record_trials_free(struct block_record *block)
{
    for (unsigned i = 0; i < block->trials; i++)
        trial_free(&block->trial[i]);
    free(block->trial);
}

bool record_add_trial(struct record *record, struct cell_record *none, const json_t *line, struct error *err)
{
    (void)none;
    char name[TEXT_ROOM];
    text_clean(name, sizeof name, word_member(line, "block"));
    struct block_record *block = record_block(record, name);
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
        trial_free(&trial);
        return out_of_memory(err);
    }
    record_outcome(&trial.outcome, line);
    trial.run = trial.outcome.status == STATUS_OK ? time_member(line, "wall_ns") : NAN;
    trial.repack = isnan(trial.run) ? NAN : time_member(line, "repacking_ns");
    block->trial[block->trials++] = trial;
    return true;
}

void record_trials_settle(struct record *record, const struct cell_record *cell)
{
    enum status status = cell->outcome.status;
    const struct block_record *block = record_block(record, cell->block);
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

bool record_add_baseline(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)line;
    const struct block_record *block = record_block(record, cell->block);
    for (unsigned i = 0; block && i < block->cells; i++) {
        char *key = strdup(cell->key);
        if (!key)
            return out_of_memory(err);
        free(block->cell[i]->baseline);
        block->cell[i]->baseline = key;
    }
    return true;
}
