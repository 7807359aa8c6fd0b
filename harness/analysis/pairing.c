#include "harness/analysis/pairing.h"

#include <math.h>

enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum series baseline_headline)
{
    return baseline_has_it ? series : baseline_headline;
}

/* In lockstep only the other series of the same two cells come between a slice and the baseline's. */
enum { SLICES_APART = 2 * SERIES_IN_TURN - 1 };

/* Numbers grow from call to call, and with them `after`, the track's first slice that is later. */
static double time_beside(const struct track *track, unsigned number, unsigned *after)
{
    while (*after < track->slices && track->slice[*after].number <= number)
        (*after)++;
    if (*after == 0 || number - track->slice[*after - 1].number > SLICES_APART)
        return NAN;
    bool has_later = *after < track->slices && track->slice[*after].number - number <= SLICES_APART;
    double earlier = track->slice[*after - 1].median, later = has_later ? track->slice[*after].median : earlier;
    return (earlier + later) / 2;
}

unsigned pairing_times(const struct track *own, const struct track *other, double out[], unsigned room)
{
    unsigned count = 0, after = 0, slices = own->slices < room ? own->slices : room;
    for (unsigned i = 0; i < slices; i++) {
        out[i] = time_beside(other, own->slice[i].number, &after);
        count += !isnan(out[i]);
    }
    return 2 * count > slices ? count : 0;
}
