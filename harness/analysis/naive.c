#include "harness/analysis/naive.h"

#include <math.h>
#include <stdlib.h>

/* Seconds by the clock; NAN if it was never stopped. */
static double wall_of(const struct naive_run *run)
{
    return run->outcome.status == STATUS_OK ? run->alloc + run->run + run->fetch : NAN;
}

static int by_wall(const void *a, const void *b)
{
    double one = wall_of(a), other = wall_of(b);
    return (one > other) - (one < other);
}

void naive_read(struct naive *out, const struct cell_record *cell)
{
    unsigned count = 0;
    struct naive_run *seen = calloc(cell->naives + 1, sizeof *seen); /* those that have a time, fastest first */
    for (unsigned i = 0; seen && i < cell->naives; i++)
        if (wall_of(&cell->naive[i]) > 0)
            seen[count++] = cell->naive[i];
    if (seen)
        qsort(seen, count, sizeof *seen, by_wall);
    const struct naive_run none = { .alloc = NAN, .run = NAN, .fetch = NAN, .compile = NAN, .faults = NAN };
    *out = (struct naive){ cell->naives, cell->naives - count, NAN, NAN, NAN, .middle = none };
    for (unsigned i = cell->naives; i-- > 0;)
        if (cell->naive[i].outcome.status != STATUS_OK)
            out->outcome = cell->naive[i].outcome;
    if (count > 0) {
        out->middle = seen[(count - 1) / 2];
        out->wall = (wall_of(&out->middle) + wall_of(&seen[count / 2])) / 2;
        out->least = wall_of(&seen[0]);
        out->most = wall_of(&seen[count - 1]);
    }
    free(seen);
}

struct estimate naive_speedup(const struct record *record, const struct cell_record *cell)
{
    const struct cell_record *baseline = record_cell(record, cell->baseline);
    if (!baseline || baseline == cell)
        return estimate_unknown;
    struct naive own, beside;
    naive_read(&own, cell);
    naive_read(&beside, baseline);
    return (struct estimate){ .value = beside.wall / own.wall,
                              .low = beside.least / own.most,
                              .high = beside.most / own.least };
}
