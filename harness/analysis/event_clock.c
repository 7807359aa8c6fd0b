#include "harness/analysis/event_clock.h"

#include "harness/analysis/figures.h"

#include <math.h>

const char *const event_clock_names[] = { "absent", "trusted", "doubtful" };

/* The part of a run that its event may leave out, and the longest time in seconds that starting a run takes. */
static const double least_share = 0.5, longest_start = 0.01;

/* One impossible time makes the clock doubtful: an event never lasts longer than the call that waits for it. */
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
    events.share = record_share(&track->event, &track->wall);
    return events;
}

bool event_times_fall_short(const struct event_times *events, double seconds)
{
    return events->clock == EVENT_TRUSTED && events->share < least_share &&
           seconds * (1 - events->share) > longest_start;
}
