#include "harness/analysis/neighbours.h"

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

bool neighbours_disturbed(const struct record *record, const struct track *track)
{
    enum { SLICES_MIN = 5, SLICES_MANY = 10 };
    unsigned shared = 0;
    for (unsigned i = 0; i < track->slices; i++)
        shared += track->slice[i].looks > 0 && is_shared(record, &record->look[track->slice[i].looks - 1]);
    return track->slices >= SLICES_MANY ? 2 * shared > track->slices
                                        : track->slices >= SLICES_MIN && shared == track->slices;
}
