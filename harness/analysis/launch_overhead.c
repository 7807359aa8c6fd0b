#include "harness/analysis/launch_overhead.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 0 where the shape has no such dimension. */
static unsigned dimension(const char *shape, const char *name)
{
    size_t length;
    const char *value = text_value(shape, name, &length);
    return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

/* Whether both are shapes of the same work: equal but for the number of launches, and the other does it in one. */
static bool is_uncut(const char *shape, const char *cut)
{
    const char *end = strstr(cut, ",count=");
    const size_t length = end ? (size_t)(end - cut) : strlen(cut);
    return strncmp(shape, cut, length) == 0 && (!shape[length] || strcmp(shape + length, ",count=1") == 0);
}

/* The same device, method, memory and type of elements, and as much work in one launch. */
static bool is_like(const struct cell_record *cell, const struct cell_record *cut)
{
    return strcmp(cell->device_id, cut->device_id) == 0 && strcmp(cell->method, cut->method) == 0 &&
           strcmp(cell->memory, cut->memory) == 0 && strcmp(cell->dtype, cut->dtype) == 0 &&
           cell->is_cold == cut->is_cold &&
           !(cell->flops < cut->flops || cell->flops > cut->flops) && /* NAN: unknown */
           is_uncut(cell->shape, cut->shape) && cell->outcome.status == STATUS_OK;
}

/* Of the same workload, or of another that does the same work in one launch. */
static double uncut_of(const struct record *record, const struct cell_record *cut)
{
    double time = NAN;
    for (unsigned i = 0; i < record->cells && isnan(time); i++)
        if (is_like(record->cell[i], cut))
            time = record_time(record->cell[i], SERIES_RESIDENT).value;
    return time;
}

bool launch_overhead_is_felt(const struct launch_overhead *launches, double time)
{
    const double few_launches = 20;
    return launches->queued < time * (1 - 1 / few_launches);
}

void launch_overhead_read(struct launch_overhead *out, const struct record *record, const struct figure *resident)
{
    const struct cell_record *cell = resident->cell;
    const struct track *track = &cell->track[SERIES_RESIDENT];
    *out = (struct launch_overhead){ .uncut = NAN, .apart = NAN };
    out->queued = record_time(cell, SERIES_QUEUED).value;
    out->enqueue = record_share(&track->enqueue, &track->wall) * resident->time.value;
    out->count = dimension(cell->shape, "count");
    out->chunks = dimension(cell->shape, "chunks");
    out->queues = dimension(cell->shape, "queues");
    out->is_launch = out->count > 0;
    if (out->count > 1)
        out->uncut = uncut_of(record, cell);
    if (out->chunks > 0)
        out->apart = record_phase_time(cell, PHASE_UPLOAD) + record_phase_time(cell, PHASE_COMPUTE) +
                     record_phase_time(cell, PHASE_DOWNLOAD);
}
