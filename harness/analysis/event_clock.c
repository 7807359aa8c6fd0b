#include "harness/analysis/event_clock.h"

#include <math.h>
#include <stdlib.h>

const char *const event_clock_names[] = { "absent", "trusted", "doubtful" };

/* The part of a run that its event may leave out, and the longest time in seconds that starting a run takes. */
static const double least_share = 0.5, longest_start = 0.01;
/* Of the clocks of a device and of the host: the relative difference, and the seconds of a tick. */
static const double rates_apart = 2e-4, longest_tick = 2e-6;

/* An event never lasts longer than the call that waits for it, but two clocks disagree a little: crystals by up to 1e-4
 * each, and a device's clock ticks every microsecond or so. */
static bool is_possible(double event, double wall)
{
    return event > 0 && event <= wall * (1 + rates_apart) + longest_tick;
}

/* One impossible time in so many spoils its own sample alone; more of them make the clock doubtful. */
enum { TIMES_FOR_ONE_FALSE = 10 };

struct event_times event_times_read(const struct track *track)
{
    struct event_times events = { .share = NAN };
    double *share = malloc((track->event.count + 1) * sizeof *share);
    const struct samples *walls = track->event_wall.count > 0 ? &track->event_wall : &track->wall;
    unsigned good = 0;
    for (unsigned i = 0; share && i < track->event.count; i++) {
        const double event = track->event.value[i], wall = walls->value[i];
        if (is_possible(event, wall))
            share[good++] = event / wall;
        events.count += !isnan(event);
    }
    events.doubtful = events.count - good;
    if (events.count > 0) {
        unsigned ignored = events.count > TIMES_FOR_ONE_FALSE ? events.count / TIMES_FOR_ONE_FALSE : 1;
        events.clock = good == 0 || events.doubtful > ignored ? EVENT_DOUBTFUL : EVENT_TRUSTED;
        events.share = good > 0 ? stats_median(share, good) : NAN;
    }
    free(share);
    return events;
}

bool event_times_fall_short(const struct event_times *events, double seconds)
{
    return events->clock == EVENT_TRUSTED && events->share < least_share &&
           seconds * (1 - events->share) > longest_start;
}
