#ifndef HARNESS_ANALYSIS_EVENT_CLOCK_H
#define HARNESS_ANALYSIS_EVENT_CLOCK_H

/* What the device's own clock says of a series, and whether that can be. Only what a time tells by itself is looked at
 * here; a rate that it stands for may still be above what the device was seen to reach (roofline.h). */

#include "harness/journal/record.h"

/* Whether the device's own clock can be believed: only when positive, finite and within the wall time. */
enum event_clock { EVENT_ABSENT, EVENT_TRUSTED, EVENT_DOUBTFUL };

extern const char *const event_clock_names[]; /* by enum event_clock */

struct event_times {
    enum event_clock clock;
    unsigned count, doubtful; /* times told, and those of them that cannot be */
    double share;             /* of its call that an event typically lasts; NAN where there is none */
};

struct event_times event_times_read(const struct track *track);

/* Whether times that are possible one by one leave out most of what was waited for, and more of it than starting a run
 * takes on any device: some libraries hand out the event of the last of several launches, some drivers one of nothing.
 * Of short runs that cannot be told. */
bool event_times_fall_short(const struct event_times *events, double seconds);

#endif
