#ifndef HARNESS_JOURNAL_JOURNAL_H
#define HARNESS_JOURNAL_JOURNAL_H

/* The journal: JSON Lines, one object for each fact, flushed as soon as it is known. results/journal.schema.json
 * describes all kinds of lines and their members. Times are whole nanoseconds, so that reading a journal gives exactly
 * what was measured. */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Version 3 is still read: its slices have no visit. */
#define JOURNAL_SCHEMA   "bench-journal/4"
#define JOURNAL_SCHEMA_3 "bench-journal/3"

/* How jansson writes a line: 17 significant digits bring every double back unchanged. */
#define JOURNAL_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(17))

struct journal;

enum journal_use {
    JOURNAL_NEW,    /* creates the file, or opens an empty file, a pipe or a device; refuses a file that is not empty */
    JOURNAL_OWN,    /* the same where other users can guess the name and write to the folder: fails if the name exists,
                       also as a link */
    JOURNAL_RESUMED /* opens that of an interrupted run to append to it; changes nothing yet; refuses what cannot be
                       written, is not a file or is still being written */
};

/* The file is locked until it is closed, if its file system can. What it refuses is STATUS_USAGE. */
struct journal *journal_open(const char *path, enum journal_use use, struct error *err);

/* Call it before the first line is appended to such a journal: it cuts off an incomplete last line, or adds the line
 * break that a complete one lacks. journal_faults says which of them it is. */
bool journal_mend(struct journal *journal, bool is_truncated, struct error *err);

/* Appends one line and flushes it. After `first`, `outcome`, `done` and `end` all lines so far are on the disk, since a
 * driver may crash the machine. Takes no ownership. After the first failure (a full disk) nothing more is written, and
 * every call fails with that first failure. */
bool journal_write(struct journal *journal, const json_t *line, struct error *err);

/* Saves it to the disk and closes it. NULL is fine. */
bool journal_close(struct journal *journal, struct error *err);

/* Reads a journal line by line and passes each object to `take`; if that returns false, reading ends and fails. The
 * first line must name our schema. Any other content is tolerated: a line that is no JSON object with a kind, or is too
 * deep or too long, is counted and skipped; unknown kinds are passed on, since later versions may add some; an
 * incomplete last line is skipped and counts only as truncated. Of two journals in one file only the first is read. */
struct journal_faults {
    unsigned long bad_lines, first_bad; /* count, and the number of the first one */
    unsigned long line;                 /* the number of the line passed to `take` last */
    unsigned long second_head;          /* where a second journal begins; 0: nowhere */
    bool truncated;                     /* the last line is incomplete */
    bool complete;                      /* there is an `end` line */
};
typedef bool journal_take(void *context, const json_t *line, struct error *err);
bool journal_read(const char *path, journal_take *take, void *context, struct journal_faults *faults,
                  struct error *err);

/* The text of a member; "" if there is none. */
const char *journal_text(const json_t *object, const char *name);

#endif
