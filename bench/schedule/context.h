#ifndef BENCH_SCHEDULE_CONTEXT_H
#define BENCH_SCHEDULE_CONTEXT_H

/* What every verb that measures stands on, whatever it plans: the machine and its devices, the journal that it fills,
 * and the report and exit status that it leaves with. */

#include "bench/cli/exit_status.h"
#include "bench/schedule/bench.h"

struct resume;

/* Not to be moved once it is open: its parts point at each other. */
struct stand {
    const struct options *options;
    struct host host;
    struct worker_setup setup;     /* what all workers have in common */
    struct listing listing;        /* the devices found */
    bool chosen[DEVICES_MAX];      /* which of them were asked for */
    const struct device *baseline; /* that all others are compared with; NULL when there is to be none */
    struct admission admission;    /* which cells are opened at all, by what has been seen so far */
    struct run_log run_log;        /* what was found: journal and record */
    struct progress progress;
};

/* Reads the machine and lists its devices; from here on an interrupt is something to read, not something that ends the
 * program. `devices` are the words that choose (NULL-terminated; none: all), `baseline` is one such word, "auto" for
 * the CPU where there is one, or "none". Returns EXIT_OK, or with err filled the status to leave with; to be closed
 * either way. */
int stand_open(struct stand *stand, const struct options *options, const char *const devices[], const char *baseline,
               struct error *err);
void stand_close(struct stand *stand);

/* Opens the journal: a new one, or that of the run that is resumed, where `resume` is one; `takes_part`: the devices
 * that are planned. Refused, with the reason, where that run was of another machine, other devices or other versions.
 */
bool stand_journal(struct stand *stand, struct resume *resume, const bool takes_part[DEVICES_MAX], struct error *err);

/* The parts, as those who measure share them; it points into the stand. */
struct bench stand_bench(struct stand *stand);

/* Writes the lines that a journal begins with, or goes on with, its ledger open, and starts the progress line:
 * `seconds` are planned. */
void stand_begin(struct stand *stand, int argc, char *const argv[], const bool takes_part[DEVICES_MAX], double seconds);

/* Writes the line that a journal ends with, and closes it. */
void stand_end(struct stand *stand);

/* Prints the report of a record; whether all of it could be written. stand_tell: that of the stand, and all of its
 * journal too. */
bool stand_print(const struct options *options, struct record *record, struct error *err);
bool stand_tell(struct stand *stand, struct error *err);

/* The exit status that what is in a record deserves, and the same of all that was done here; `complete`: nothing failed
 * in measuring and telling it. */
int stand_status_of(const struct record *record);
int stand_status(const struct stand *stand, bool complete);

#endif
