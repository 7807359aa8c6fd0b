#ifndef BENCH_COMMANDS_MEASURED_H
#define BENCH_COMMANDS_MEASURED_H

/* What `run` and `sweep` do around measuring: begin or resume, the journal's first and last lines, report, and end
 * with a status. */

#include "bench/schedule/timetable.h"

/* What a command that can be resumed does: measure with these options, for a new run or (not NULL) a resumed one.
 * Returns the exit status. */
typedef int measure_command(struct resume *resume, const struct options *options, struct error *err);

/* Calls `measure` for a new run, or for the run that --resume names with the options of that run. If that run is
 * complete, prints its report instead. Returns the exit status. */
int measured_begin(const struct options *options, measure_command *measure, struct error *err);

/* Opens the file of --output, and the journal: a new one, or the one to resume. Fails if the resumed run was of another
 * machine, other devices or other versions. context->takes_part must be set. */
bool measured_open_journal(struct context *context, struct error *err);

/* Writes the first lines of a new journal, or the line of a resumed one, and starts the progress line: `seconds` are
 * planned. The journal must be open. */
void measured_start(struct context *context, double seconds);

/* Writes the last line of the journal and closes it. A run that is not whole, as it failed on the way, can be resumed.
 */
void measured_end(struct context *context, bool is_whole);

/* For --dry-run: prints the problems with their devices and the predicted times, and returns the exit status. */
int measured_forecast(struct timetable *timetable, struct timetable *peaks, struct error *err);

/* Writes the report to the file of --output and prints it to standard output. False if that, or writing the journal,
 * failed. */
bool measured_report(struct context *context, struct error *err);

/* The exit status of the run; `complete`: measuring and reporting did not fail. */
int measured_status(const struct context *context, bool complete);

#endif
