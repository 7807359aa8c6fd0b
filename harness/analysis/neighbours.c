#include "harness/analysis/neighbours.h"

#include "harness/machine/neighbour.h"
#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>

/* The looks at one processor that had a neighbour: below so much of the rate that a tenth of its looks exceed. The
 * highest rate may be an error of the clock. */
static unsigned count_shared(const struct record *record, unsigned processor, double rate[])
{
    static const double alone = 0.8, by_itself = 0.9;
    unsigned looks = 0, shared = 0;
    for (unsigned i = 0; i < record->looks; i++)
        if (record->look[i].processor == processor)
            rate[looks++] = record->look[i].rate;
    const double usual = stats_quantile(rate, looks, by_itself);
    for (unsigned i = 0; i < looks; i++)
        shared += rate[i] < alone * usual;
    return shared;
}

/* Whether an earlier look was at the same processor. */
static bool is_seen(const struct record *record, unsigned look)
{
    unsigned i = 0;
    while (record->look[i].processor != record->look[look].processor)
        i++;
    return i < look;
}

double neighbours_share(const struct record *record)
{
    enum { ENOUGH = 20 };
    unsigned shared = 0;
    double *rate = record->looks < ENOUGH ? NULL : malloc(record->looks * sizeof *rate);
    if (!rate)
        return NAN;
    for (unsigned i = 0; i < record->looks; i++)
        if (!is_seen(record, i))
            shared += count_shared(record, record->look[i].processor, rate);
    free(rate);
    return (double)shared / record->looks;
}
