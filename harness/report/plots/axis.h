#ifndef HARNESS_REPORT_PLOTS_AXIS_H
#define HARNESS_REPORT_PLOTS_AXIS_H

/* The axes of pictures: positions, round values for ticks, and their texts. */

#include <stdbool.h>
#include <stddef.h>

/* Values `from` to `to` at pixels `start` to `start + length`; the length of a y axis is negative. */
struct axis {
    double from, to;
    bool is_log;
    double start, length;
};

/* The position of a value. */
double axis_at(const struct axis *axis, double value);

/* Extends the axis to a value; NAN at both ends: it is empty. Values that are not finite, or not positive on a
 * logarithmic axis, are ignored. */
void axis_include(struct axis *axis, double value);

/* Adds a margin at both ends: a share of its length. */
void axis_widen(struct axis *axis, double share);

/* Text for a value. */
typedef void value_writer(char to[], size_t room, double value);
void write_plain(char to[], size_t room, double value); /* "0.5", "20,000" */
void write_times(char to[], size_t room, double value); /* "0.5" with a multiplication sign */
void write_count(char to[], size_t room, double value); /* "10k", "40M" */

/* Round values on the axis, as many as there is room for their texts. Returns how many. */
enum { TICKS_MAX = 24 };
unsigned axis_ticks(const struct axis *axis, value_writer *write, double tick[TICKS_MAX]);

#endif
