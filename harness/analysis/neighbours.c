#include "harness/analysis/neighbours.h"

#include "harness/analysis/times.h"
#include "harness/journal/record_members.h"

#include <math.h>

static bool is_shared(const struct record *record, const struct look_record *look)
{
    static const double alone = 0.8;
    for (unsigned i = 0; i < record->usual_looks; i++)
        if (record->usual_look[i].processor == look->processor)
            return look->rate < alone * record->usual_look[i].rate;
    return false;
}

double neighbours_share(const struct record *record)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < record->looks; i++)
        shared += is_shared(record, &record->look[i]);
    return record->usual_looks == 0 ? NAN : (double)shared / record->looks;
}

bool neighbours_are_beside(const struct record *record, const struct slice *slice)
{
    return slice->looks > 0 && is_shared(record, &record->look[slice->looks - 1]);
}

bool neighbours_crowd(const struct record *record, const struct cell_record *cell)
{
    const json_t *host = json_object_get(record->head, "host");
    const double cores = number_member(host, "cores"), used = fmin(number_member(host, "worker_threads"), cores);
    return (1 - record_others(record, cell)) * cores < used / 2; /* false where it is unknown */
}

bool neighbours_are_most(unsigned beside, unsigned slices)
{
    enum { SLICES_MIN = 5, SLICES_MANY = 10 };
    return slices >= SLICES_MANY ? 2 * beside > slices : slices >= SLICES_MIN && beside == slices;
}

bool neighbours_disturbed(const struct record *record, const struct track *track)
{
    unsigned beside = 0;
    for (unsigned i = 0; i < track->slices; i++)
        beside += neighbours_are_beside(record, &track->slice[i]);
    return neighbours_are_most(beside, track->slices);
}
