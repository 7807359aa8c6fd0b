#ifndef HARNESS_ANALYSIS_TIMES_H
#define HARNESS_ANALYSIS_TIMES_H

/* Times from a record's samples: of a run, of its phases, and by the device's own clock. */

#include "harness/journal/record.h"

/* The use of a cell's headline: resident, or copied for a workload that only moves data and for a cell that measures
 * transfers alone. */
enum use cell_headline(const struct cell_record *cell);

/* Whether a cell is of the device. */
bool record_uses(const struct record *record, const struct device *device);

/* The median of a double member of the slices, by its offset in struct slice, which ignores NAN. NAN without slices,
 * and when memory is short. */
double track_median(const struct track *track, size_t member);

/* Time of one run of the series: the median of its slices' medians, with its interval. Each slice has the same weight,
 * as in a speed-up, however many runs it held: otherwise fast moments would count more than slow ones. */
struct estimate record_time(const struct cell_record *cell, enum series series);

/* Time of a run that only uploads, if the host has not just written the data; by slices, one run of each. NAN unknown.
 */
double record_kept_time(const struct cell_record *cell);

/* Time of a phase of the copied series, also by slices; NAN if there is none. */
double record_phase_time(const struct cell_record *cell, enum phase phase);

/* The typical share of its wall time that another time of the same runs takes, so that both are of the same moments.
 * NAN unknown. */
double record_share(const struct samples *part, const struct samples *wall);

/* Processor time around the cell's timing that was neither idle nor used by this run, as a share of all cores of the
 * machine. NAN unknown. */
double record_others(const struct record *record, const struct cell_record *cell);

/* How many visits the rows have, the least and the most; 0 in a journal without visits. */
struct visits {
    unsigned least, most;
};
struct visits record_visits(const struct record *record);

/* How much the times of processors that work in host memory vary: of nine tenths of the slices less one tenth, relative
 * to the median, the median over rows. NAN unknown. */
double record_spread(const struct record *record);

/* The device's own clock in a series, and whether it can be trusted. Only the times themselves are checked here;
 * roofline.h checks the rates that they imply. Trusted if the times are positive, finite and within the wall time, as
 * far as two clocks agree: all but one, or but one in ten. The others are left out. */
enum event_clock { EVENT_ABSENT, EVENT_TRUSTED, EVENT_DOUBTFUL };

extern const char *const event_clock_names[]; /* by enum event_clock */

struct event_times {
    enum event_clock clock;
    unsigned count, doubtful; /* times reported, and the impossible ones among them */
    double share;             /* typical ratio of event time to wall time; NAN: no possible ones */
};

struct event_times event_times_read(const struct track *track);

/* Seconds of a resident run by the device's clock; NAN where that is not trusted. A span begins before the host has
 * launched what it is of, which takes a library 10 us: no run takes longer than one of many that share a wait. */
double event_time(const struct cell_record *cell);

/* Whether event times leave out more than half of the wall time, and more than starting a run takes on any device.
 * Some libraries return the event of only the last of several launches, some drivers one of nothing. Unknown for
 * short runs. */
bool event_times_fall_short(const struct event_times *events, double seconds);

#endif
