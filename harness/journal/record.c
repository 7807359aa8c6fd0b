#include "harness/base/text.h"
#include "harness/journal/record_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const series_names[SERIES_COUNT] = { "resident", "queued", "copied", "sustained" };

const char *const roof_names[ROOF_KINDS] = { "none", "flops", "bandwidth", "latency" };

struct record *record_new(void)
{
    struct record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->device = pool_take(&record->pool, DEVICES_MAX * sizeof *record->device);
    record->absent = json_array();
    record->index = json_object();
    record->block_index = json_object();
    record->elapsed = NAN;
    if (record->device && record->absent && record->index && record->block_index)
        return record;
    record_free(record);
    return NULL;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    pool_release(&record->pool);
    json_decref(record->head);
    json_decref(record->absent);
    json_decref(record->sweep);
    json_decref(record->index);
    json_decref(record->block_index);
    free(record);
}

struct cell_record *record_cell(const struct record *record, const char *key)
{
    const json_t *place = json_object_get(record->index, key);
    return place ? record->cell[json_integer_value(place)] : NULL;
}

struct block_record *record_find_block(const struct record *record, const char *name)
{
    const json_t *place = json_object_get(record->block_index, name);
    return place ? &record->block[json_integer_value(place)] : NULL;
}

struct block_record *record_block(struct record *record, const char *name)
{
    const struct text clean = text_cleaned(name);
    struct block_record *block = record_find_block(record, clean.text);
    if (block)
        return block;
    if (json_object_set_new(record->block_index, clean.text, json_integer(record->blocks)) != 0)
        return NULL;
    const struct block_record added = { .name = pool_copy(&record->pool, clean.text) };
    return pool_add(&record->pool, &record->block, &record->blocks, &added, sizeof added);
}

void record_settle_outcome(struct error *outcome, const char *log)
{
    const enum status status = outcome->status;
    if (status_is_death(status) && *log)
        text_append(outcome->message, sizeof outcome->message, "; it printed last: %s", log);
    if (status == STATUS_OK || status >= STATUS_USAGE)
        *outcome = (struct error){ .status = STATUS_OK };
    if (status >= STATUS_USAGE)
        fail_in(outcome, "", STATUS_FAILED, "the journal has an unknown outcome");
}

const struct device *record_device(const struct record *record, const char *id)
{
    for (unsigned i = 0; i < record->devices; i++)
        if (strcmp(record->device[i].id, id) == 0)
            return &record->device[i];
    return NULL;
}

const char *record_suite(const struct record *record)
{
    static const char *const chosen[] = { "workload", "size", "dtype", "method", "memory" };
    const json_t *options = json_object_get(record->head, "options");
    for (unsigned i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (json_array_size(json_object_get(options, chosen[i])) > 0)
            return "";
    return record->sweep ? "" : journal_text(options, "suite");
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
