#include "harness/analysis/pairing.h"

enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum series baseline_headline)
{
    return baseline_has_it ? series : baseline_headline;
}

/* Of version 3: in lockstep only the other series of the same two cells come between a slice and the baseline's. */
enum { SLICES_APART = 2 * SERIES_IN_TURN - 1 };

static const struct slice *of_visit(const struct pairing *pairing, const struct slice *slice)
{
    const struct slice *later = pairing->track->slice + pairing->after;
    const bool has_earlier = pairing->after > 0 && later[-1].visit == slice->visit,
               has_later = pairing->after < pairing->track->slices && later->visit == slice->visit;
    if (has_earlier && !(has_later && later->number - slice->number < slice->number - later[-1].number))
        return later - 1;
    return has_later ? later : NULL;
}

static const struct slice *before(struct pairing *pairing, const struct slice *slice)
{
    const struct slice *later = pairing->track->slice + pairing->after;
    if (pairing->after == pairing->used || slice->number - later[-1].number > SLICES_APART)
        return NULL;
    pairing->used = pairing->after;
    return later - 1;
}

const struct slice *pairing_next(struct pairing *pairing, const struct slice *slice)
{
    const struct track *track = pairing->track;
    while (pairing->after < track->slices && track->slice[pairing->after].number <= slice->number)
        pairing->after++;
    return slice->visit == NO_VISIT ? before(pairing, slice) : of_visit(pairing, slice);
}
