#include "harness/analysis/event_clock.h"

#include <math.h>
#include <stdlib.h>

const char *const event_clock_names[] = { "absent", "trusted", "doubtful" };

/* The part of a run that its event may leave out, and the seconds that starting a run takes at the very most. */
static const double least_share = 0.5, longest_start = 0.01;

/* The part of its call that an event typically lasts, so that event and wall times speak of the same moments. */
static double typical_share(const struct track *track)
{
    double *share = malloc((track->event.count + 1) * sizeof *share);
    if (!share)
        return NAN;
    for (unsigned i = 0; i < track->event.count; i++)
        share[i] = track->event.value[i] / track->wall.value[i];
    double median = stats_median(share, track->event.count);
    free(share);
    return median;
}

/* One doubtful time spoils the clock: an event cannot outlast the call that waited for it, not even once. */
struct event_times event_times_read(const struct track *track)
{
    struct event_times events = { .share = NAN };
    for (unsigned i = 0; i < track->event.count; i++) {
        double event = track->event.value[i];
        if (isnan(event))
            continue;
        events.count++;
        events.doubtful += !(event > 0 && event <= track->wall.value[i]);
    }
    if (events.count == 0)
        return events;
    events.clock = events.doubtful > 0 ? EVENT_DOUBTFUL : EVENT_TRUSTED;
    events.share = typical_share(track);
    return events;
}

bool event_times_fall_short(const struct event_times *events, double seconds)
{
    return events->clock == EVENT_TRUSTED && events->share < least_share &&
           seconds * (1 - events->share) > longest_start;
}
