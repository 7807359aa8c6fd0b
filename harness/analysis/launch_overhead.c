#include "harness/analysis/launch_overhead.h"

#include "harness/analysis/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind "name=" in a shape text; 0 where there is no such dimension. */
static unsigned long dimension(const char *shape, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = shape; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return strtoul(at + length + 1, NULL, 10);
    return 0;
}

/* The part of the wall time that the calls typically take, so that both speak of the same moments. */
static double enqueue_of(const struct cell_record *cell)
{
    const struct track *track = &cell->track[SERIES_RESIDENT];
    double *share = malloc((track->enqueue.count + 1) * sizeof *share), time;
    unsigned known = 0;
    if (!share)
        return NAN;
    for (unsigned i = 0; i < track->enqueue.count; i++)
        if (!isnan(track->enqueue.value[i]))
            share[known++] = track->enqueue.value[i] / track->wall.value[i];
    time = known > 0 ? stats_median(share, known) * record_time(cell, SERIES_RESIDENT).value : NAN;
    free(share);
    return time;
}

/* The cells of a block are all of one work: its first one tells whether the others are worth a look. */
static bool is_of(const struct block_record *block, const char *workload, const char *shape)
{
    return block->cells > 0 && strcmp(block->cell[0]->workload, workload) == 0 &&
           strcmp(block->cell[0]->shape, shape) == 0;
}

static bool is_like(const struct cell_record *cell, const struct cell_record *like)
{
    return strcmp(cell->device_id, like->device_id) == 0 && strcmp(cell->method, like->method) == 0 &&
           strcmp(cell->memory, like->memory) == 0 && strcmp(cell->dtype, like->dtype) == 0 &&
           cell->is_cold == like->is_cold && cell->outcome.status == STATUS_OK;
}

/* The same device, method, memory and type of elements, on this work of that workload. */
static double time_of(const struct record *record, const struct cell_record *like, const char *workload,
                      const char *shape)
{
    for (unsigned i = 0; i < record->blocks; i++) {
        const struct block_record *block = &record->block[i];
        for (unsigned k = 0; is_of(block, workload, shape) && k < block->cells; k++)
            if (is_like(block->cell[k], like))
                return record_time(block->cell[k], SERIES_RESIDENT).value;
    }
    return NAN;
}

/* In one launch; what multiply itself does is as good, with groups of another size. */
static double uncut_of(const struct record *record, const struct cell_record *cell)
{
    char shape[64];
    const unsigned long n = dimension(cell->shape, "n");
    snprintf(shape, sizeof shape, "n=%lu,count=1", n);
    double time = time_of(record, cell, "launch", shape);
    if (!isnan(time))
        return time;
    snprintf(shape, sizeof shape, "n=%lu", n);
    return time_of(record, cell, "multiply", shape);
}

static double phase_of(const struct cell_record *cell, enum phase phase)
{
    const struct samples *samples = &cell->track[SERIES_OFFLOAD].phase[phase];
    return samples->count > 0 ? stats_median(samples->value, samples->count) : NAN;
}

void launches_read(struct launches *out, const struct record *record, const struct cell_record *cell)
{
    *out = (struct launches){ .enqueue = enqueue_of(cell), .uncut = NAN, .queued = NAN, .apart = NAN };
    out->is_launch = strcmp(cell->workload, "launch") == 0;
    if (out->is_launch) {
        out->count = (unsigned)dimension(cell->shape, "count");
        out->uncut = out->count > 1 ? uncut_of(record, cell) : NAN;
        out->queued = record_time(cell, SERIES_QUEUED).value;
    }
    if (strcmp(cell->workload, "overlap") == 0) {
        out->chunks = (unsigned)dimension(cell->shape, "chunks");
        out->queues = (unsigned)dimension(cell->shape, "queues");
        out->apart = phase_of(cell, PHASE_UPLOAD) + phase_of(cell, PHASE_COMPUTE) + phase_of(cell, PHASE_DOWNLOAD);
    }
}
