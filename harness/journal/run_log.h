#ifndef HARNESS_JOURNAL_RUN_LOG_H
#define HARNESS_JOURNAL_RUN_LOG_H

/* The run log: every line goes to the journal's file and to the record that stops series and makes the report. A full
 * disk ends the run, and the report has what was measured. */

#include "harness/journal/journal.h"
#include "harness/journal/line.h"

struct run_log {
    struct journal *journal;
    struct record *record;
    double started;     /* clock_wall at the start */
    char path[4096];    /* of the journal */
    struct error fault; /* first failure to write */
    bool *interrupted;  /* set at that failure */
};

/* The default folder of journals, which is made, with a slash at its end: $XDG_STATE_HOME/bench (XDG base directory
 * specification), or where that cannot be made or does not allow `access_mode`, R_OK or W_OK, bench-UID in the folder
 * for temporary files. Fails where that belongs to another user or lets others write. */
bool run_log_folder(char *to, size_t room, int access_mode, struct error *err);

/* Replaces the placeholders in the path of a journal, so that one command line serves all nodes of a cluster:
 *   {host}   the node's name, as Slurm calls it or the system's
 *   {date}   the day in UTC, 2026-11-23
 *   {job}    the number of the batch job, of Slurm, PBS or LSF
 * Fails (STATUS_USAGE) for another word in braces, {job} outside a job, and a path that does not fit. Characters of a
 * value that are not letters, digits, '.', '_' or '-' become '-', so that no value adds a folder. */
bool run_log_path(char *to, size_t room, const char *path, struct error *err);

/* Creates the journal at `path` with its placeholders replaced, or in the default place if that is
 * NULL. Called before anything is measured, so that a wrong path, or a disk that is nearly full, costs nothing.
 * *interrupted is set when a line cannot be written. */
bool run_log_open(struct run_log *out, const char *path, bool *interrupted, struct error *err);

/* The same for a resumed journal: takes over the mended file (journal_mend) and its record. Its clock continues where
 * it stopped. */
void run_log_reopen(struct run_log *out, const char *path, bool *interrupted, struct journal *journal,
                    struct record *record);

/* Whether a block is complete. False if the log is not open. */
bool run_log_has(const struct run_log *run_log, const char *block);

/* Writes one line. The record gets what the file has. */
void run_log_write(struct run_log *run_log, const struct journal_line *line);

/* The same for a kind that has no table: takes the members over. */
void run_log_write_json(struct run_log *run_log, enum line_kind kind, json_t *members);

/* Writes a note on one cell, or on the whole run if cell is "". */
void run_log_note(struct run_log *run_log, const char *cell, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Closes the file; run_log->fault says whether all of it was written. The record stays. */
void run_log_close(struct run_log *run_log);
void run_log_free(struct run_log *run_log);

#endif
