#include "harness/analysis/pairing.h"

#include <math.h>

enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum series baseline_headline)
{
    return baseline_has_it ? series : baseline_headline;
}

/* Of version 3: in lockstep only the other series of the same two cells come between a slice and the baseline's. */
enum { SLICES_APART = 2 * SERIES_IN_TURN - 1 };

/* A place in the slices of a baseline. */
struct place {
    const struct track *track;
    unsigned after; /* its first slice that is later than the cell's; grows from call to call */
    unsigned used;  /* that of the last pair; 0: none */
};

static double time_of_visit(const struct place *place, const struct slice *slice)
{
    const struct slice *later = place->track->slice + place->after;
    const bool has_earlier = place->after > 0 && later[-1].visit == slice->visit,
               has_later = place->after < place->track->slices && later->visit == slice->visit;
    if (has_earlier && !(has_later && later->number - slice->number < slice->number - later[-1].number))
        return later[-1].median;
    return has_later ? later->median : NAN;
}

static double time_before(struct place *place, const struct slice *slice)
{
    const struct slice *later = place->track->slice + place->after;
    if (place->after == place->used || slice->number - later[-1].number > SLICES_APART)
        return NAN;
    place->used = place->after;
    return later[-1].median;
}

unsigned pairing_times(const struct track *own, const struct track *other, double out[], unsigned room)
{
    struct place place = { .track = other };
    unsigned count = 0, slices = own->slices < room ? own->slices : room;
    bool has_visits = false;
    for (unsigned i = 0; i < slices; i++) {
        const struct slice *slice = &own->slice[i];
        while (place.after < other->slices && other->slice[place.after].number <= slice->number)
            place.after++;
        out[i] = slice->visit == NO_VISIT ? time_before(&place, slice) : time_of_visit(&place, slice);
        has_visits |= slice->visit != NO_VISIT;
        count += !isnan(out[i]);
    }
    return has_visits || 2 * count > slices ? count : 0;
}
