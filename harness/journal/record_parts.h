#ifndef HARNESS_JOURNAL_RECORD_PARTS_H
#define HARNESS_JOURNAL_RECORD_PARTS_H

/* What the files that make a record of journal lines share. */

#include "harness/journal/journal.h"
#include "harness/journal/line.h"

static inline bool out_of_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "no memory for the record of this run");
}

/* The outcome that a line stated. For a crash, the driver's last lines are part of the reason (record.c). */
void record_settle_outcome(struct error *outcome, const char *log);

/* The block of that name, a new one if need be. NULL when memory is short (record.c). */
struct block_record *record_block(struct record *record, const char *name);

/* After the first visits: another method of the row is measured (record_races.c). */
void record_exchange(struct block_record *block, const struct cell_record *out, const struct cell_record *in);

bool record_add_race(struct record *record, struct cell_record *cell, const struct journal_line *line,
                     struct error *err);
bool record_add_slice(struct record *record, struct cell_record *cell, const struct journal_line *line,
                      struct error *err);

#endif
