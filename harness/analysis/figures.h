#ifndef HARNESS_ANALYSIS_FIGURES_H
#define HARNESS_ANALYSIS_FIGURES_H

/* Figures from a record's samples: times of runs and of phases, ratios to the baseline, speed-ups. Those that others
 * build on (cell_metrics.h has all of a cell). */

#include "harness/journal/record.h"

/* The series of a cell's headline: resident, or copied for a workload that only moves data and for a cell that
 * measures transfers alone. */
enum series cell_headline(const struct cell_record *cell);

/* Whether the cell computes on the operands where the host has them and has no copied series: its resident series
 * takes that place. So it is in journals of version 0.1 and for workloads that move nothing. */
bool record_is_in_place(const struct record *record, const struct cell_record *cell);

/* Whether strong checks found its answers right, before and after the timing: an incomplete run had no time for the
 * second. Only a cell that ended well too supports a claim; `cell` may be NULL. */
bool record_is_verified(const struct record *record, const struct cell_record *cell);
bool record_is_sound(const struct record *record, const struct cell_record *cell);

/* The series of a baseline that a series of another cell is compared with. */
enum series record_baseline_series(const struct cell_record *baseline, enum series series);

/* Whether a cell is of the device. */
bool record_uses(const struct record *record, const struct device *device);

/* Ratios baseline / cell of a series, one for each slice that has a pair (pairing.h), in order of time. Returns how
 * many; slices beyond `room` are not considered. 0 when the cell has no baseline or is it, when either of them failed
 * (a wrong answer has no speed), and when the two were not measured in turn. */
unsigned record_ratios(const struct record *record, const struct cell_record *cell, enum series series, double out[],
                       unsigned room);

/* Processor time around the cell's timing that was neither idle nor used by this run, as a share of all cores of the
 * machine. NAN unknown. */
double record_others(const struct record *record, const struct cell_record *cell);

/* Whether fewer cores of the host computed than were planned, or the allowed ones changed during the run. `cell` may be
 * NULL. */
bool record_is_held_back(const struct record *record, const struct cell_record *cell);

/* Runs with transfers took less time than computing alone, beyond chance. */
bool record_total_is_below_part(const struct record *record, const struct cell_record *cell);

/* Whether a time is no measure of the device: the CPU was held back, somebody else used the cores in most slices of the
 * series (neighbours_disturbed), or it is the copied one and its total is below its part. */
bool record_is_disturbed(const struct record *record, const struct cell_record *cell, enum series series);

/* Whether the class of a speed-up rests on visits in which somebody else used the cores of the cell or of its baseline,
 * two or more: the other visits alone give another class. It is withheld (decides) if these visits are most of all
 * (neighbours_disturbed), and the others are too few or give no class. */
enum disturbance { DISTURBANCE_NONE, DISTURBANCE_MATTERS, DISTURBANCE_DECIDES };
enum disturbance record_disturbance(const struct record *record, const struct cell_record *cell, enum series series);

/* Whether a speed-up has no interval as its class is withheld, or as one of its sides was held back or has a total
 * below its part. Without a baseline: record_is_disturbed. */
bool record_is_pair_disturbed(const struct record *record, const struct cell_record *cell, enum series series);

/* Speed-up over the baseline: above 1 the cell is faster. Of two series that were not measured in turn it is the ratio
 * of both times, without samples. */
struct estimate record_speedup(const struct record *record, const struct cell_record *cell, enum series series);

/* A double member of the slices, by its offset in struct slice: all values, to be freed, or their median, which ignores
 * NAN. NULL and NAN without slices, and when memory is short. */
double *track_values(const struct track *track, size_t member);
double track_median(const struct track *track, size_t member);

/* Time of one run of the series: the median of its slices' medians, with its interval. Each slice has the same weight,
 * as in a speed-up, however many runs it held: otherwise fast moments would count more than slow ones. */
struct estimate record_time(const struct cell_record *cell, enum series series);

/* The figures that a comparison of many machines needs, and the journal's line that states them. */
struct headline record_headline(const struct record *record, const struct cell_record *cell);
json_t *record_headline_line(const struct record *record, const struct cell_record *cell);

/* Time of a phase of the copied series, also by slices; NAN if there is none. */
double record_phase_time(const struct cell_record *cell, enum phase phase);

/* The typical share of its wall time that another time of the same runs takes, so that both are of the same moments.
 * NAN unknown. */
double record_share(const struct samples *part, const struct samples *wall);

/* Of two times. The interval has the corners of both: a conservative one where drift may lie between the two. */
struct estimate figures_quotient(struct estimate of, struct estimate by);

/* The cell that measures with transfers what this one computes: itself, or the other one of its device in its block
 * when each use of the data has a cell of its own and that one did not fail. */
const struct cell_record *record_copied_of(const struct record *record, const struct cell_record *cell);

/* In which looks between slices (harness/machine/neighbour.h) somebody else computed on the same core: the rate was
 * below 0.8 of what the processor shows in this run when it is alone. Whoever is there all the time is not seen. With
 * too few looks nothing is known. Their share of all looks; NAN unknown. */
double neighbours_share(const struct record *record);

/* Whether more than half of the slices of a series began after such a look. A look of 0.1 ms at one core says little of
 * one slice: of fewer than ten slices all must be so, and fewer than five say nothing. */
bool neighbours_disturbed(const struct record *record, const struct track *track);

/* How many visits the rows have, the least and the most, and the seconds from their first slice to the last; 0 and NAN
 * in a journal without visits. */
struct visits {
    unsigned least, most;
    double seconds;
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
