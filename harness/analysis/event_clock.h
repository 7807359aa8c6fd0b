#ifndef HARNESS_ANALYSIS_EVENT_CLOCK_H
#define HARNESS_ANALYSIS_EVENT_CLOCK_H

/* The device's own clock in a series, and whether it can be trusted. Only the times themselves are checked here;
 * roofline.h checks the rates that they imply. */

#include "harness/journal/record.h"

/* Trusted if the times are positive, finite and within the wall time, as far as two clocks agree: all but one, or but
 * one in ten. The others are left out. */
enum event_clock { EVENT_ABSENT, EVENT_TRUSTED, EVENT_DOUBTFUL };

extern const char *const event_clock_names[]; /* by enum event_clock */

struct event_times {
    enum event_clock clock;
    unsigned count, doubtful; /* times reported, and the impossible ones among them */
    double share;             /* typical ratio of event time to wall time; NAN: no possible ones */
};

struct event_times event_times_read(const struct track *track);

/* Whether event times leave out more than half of the wall time, and more than starting a run takes on any device.
 * Some libraries return the event of only the last of several launches, some drivers one of nothing. Unknown for
 * short runs. */
bool event_times_fall_short(const struct event_times *events, double seconds);

#endif
