#ifndef BENCH_SCHEDULE_RUN_LOG_H
#define BENCH_SCHEDULE_RUN_LOG_H

/* Where a run writes down what it finds: every line goes to the journal's file and into the record that stops series
 * and makes the report. A full disk costs the file, not the run. */

#include "harness/journal/journal.h"
#include "harness/journal/record.h"

struct run_log {
    struct journal *journal;
    struct record *record;
    double started;     /* clock_wall at the beginning */
    double probing;     /* seconds spent so far on looking at the machine instead of measuring */
    char path[4096];    /* of the journal */
    struct error fault; /* first failure to write */
};

/* Creates the journal at `path`, or where journals go by default when it is NULL. Done before anything is measured, so
 * that a path that cannot be written costs nothing. */
bool run_log_open(struct run_log *out, const char *path, struct error *err);

/* The same for a journal that is gone on with: takes over the file, mended (journal_mend), and the record of what is in
 * it. Its clock goes on where it had stopped. */
void run_log_reopen(struct run_log *out, const char *path, struct journal *journal, struct record *record);

/* Whether all of a block was measured; of a ledger that is not open nothing was. */
bool run_log_has(const struct run_log *run_log, const char *block);

/* Writes one line, taking it over, and counts its probes_ns. */
void run_log_write(struct run_log *run_log, json_t *line);

/* A note on one cell, or on the whole run where cell is "". */
void run_log_note(struct run_log *run_log, const char *cell, const char *text);

/* Finishes the file; ledger->fault tells whether all of it was written. The record stays. */
void run_log_close(struct run_log *run_log);
void run_log_free(struct run_log *run_log);

#endif
