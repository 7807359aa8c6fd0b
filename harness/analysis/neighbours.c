#include "harness/analysis/neighbours.h"

#include "harness/machine/neighbour.h"

#include <math.h>

/* The highest rate of each processor. */
struct best {
    struct look_record of[NEIGHBOURS_MAX];
    unsigned processors;
};

/* That of the look's processor; NULL if there are more than a run looks at. */
static struct look_record *best_of(struct best *best, const struct look_record *look)
{
    for (unsigned i = 0; i < best->processors; i++)
        if (best->of[i].processor == look->processor)
            return &best->of[i];
    if (best->processors == NEIGHBOURS_MAX)
        return NULL;
    best->of[best->processors] = *look;
    return &best->of[best->processors++];
}

double neighbours_share(const struct record *record)
{
    enum { ENOUGH = 20 };
    static const double alone = 0.8;
    struct best best = { .processors = 0 };
    unsigned shared = 0;
    for (unsigned i = 0; i < record->looks; i++) {
        struct look_record *of = best_of(&best, &record->look[i]);
        if (of)
            of->rate = fmax(of->rate, record->look[i].rate);
    }
    for (unsigned i = 0; i < record->looks; i++) {
        const struct look_record *of = best_of(&best, &record->look[i]);
        shared += of && record->look[i].rate < alone * of->rate;
    }
    return record->looks < ENOUGH ? NAN : (double)shared / record->looks;
}
