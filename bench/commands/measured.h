#ifndef BENCH_COMMANDS_MEASURED_H
#define BENCH_COMMANDS_MEASURED_H

/* What `run` and `sweep` do around measuring: begin or resume, report, and end with a status. */

#include "bench/schedule/context.h"

/* What a command that can be resumed does: measure with these options, for a new run or (not NULL) a resumed one.
 * Returns the exit status. */
typedef int measure_command(struct resume *resume, const struct options *options, struct error *err);

/* Calls `measure` for a new run, or for the run that --resume names with the options of that run. If that run is
 * complete, prints its report instead. Returns the exit status. */
int measured_begin(const struct options *options, measure_command *measure, struct error *err);

/* Writes the report to the file of --output and prints it to standard output. False if that, or writing the journal,
 * failed. */
bool measured_report(struct context *context, struct error *err);

/* The exit status of the run; `complete`: measuring and reporting did not fail. */
int measured_status(const struct context *context, bool complete);

#endif
