#include "harness/journal/record_parts.h"

#include <math.h>
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
    char *const texts[] = { cell->key,    cell->block,  cell->device_id, cell->workload, cell->dtype,  cell->shape,
                            cell->method, cell->memory, cell->baseline,  cell->repro,    cell->detail, cell->wait };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (unsigned i = 0; i < SERIES_COUNT; i++)
        track_free(&cell->track[i]);
    record_notes_free(cell->note, cell->notes);
    free(cell->naive);
    free(cell);
}

void record_trial_free(struct trial_record *trial)
{
    free(trial->device_id);
    free(trial->method);
    free(trial->memory);
    free(trial->detail);
}

void record_trials_free(struct block_record *block)
{
    for (unsigned i = 0; i < block->trials; i++)
        record_trial_free(&block->trial[i]);
    free(block->trial);
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
