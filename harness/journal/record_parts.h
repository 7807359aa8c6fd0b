#ifndef HARNESS_JOURNAL_RECORD_PARTS_H
#define HARNESS_JOURNAL_RECORD_PARTS_H

/* What the record_*.c files share: members of lines, read as the record keeps them. Everybody else wants record.h. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/journal/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one text from a journal; names stand in the columns of tables. */
enum { TEXT_ROOM = 1024, NAME_ROOM = 64, DETAIL_ROOM = 160 };

/* Longer than any measurement, about 30 years: what claims more is no time. */
static const double longest_time = 1e9;

static inline bool out_of_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "no memory for the record of this run");
}

static inline const char *word_member(const json_t *line, const char *name)
{
    const char *word = json_string_value(json_object_get(line, name));
    return word ? word : "";
}

/* The member's text, cleaned and cut to the room, at most TEXT_ROOM; "" where there is none. NULL when memory is short.
 */
static inline char *text_member(const json_t *line, const char *name, size_t room)
{
    char text[TEXT_ROOM];
    text_clean(text, room, word_member(line, name));
    return strdup(text);
}

static inline double number_member(const json_t *line, const char *name)
{
    const json_t *number = json_object_get(line, name);
    return json_is_number(number) && json_number_value(number) >= 0 ? json_number_value(number) : NAN;
}

/* Seconds of a member in nanoseconds; NAN where it is none that can be true. */
static inline double time_member(const json_t *line, const char *name)
{
    double seconds = journal_seconds(json_object_get(line, name));
    return seconds >= 0 && seconds <= longest_time ? seconds : NAN;
}

/* The block of that name, made when it is new. NULL when memory is short. */
struct block_record *record_block(struct record *record, const char *name);

/* What the members status, where and reason of a line say; STATUS_OK leaves `out` alone. */
void record_outcome(struct error *out, const json_t *line);

/* What the machine tells on lines: the state around a cell, memory_cost of its `first`, energy of a slice, and of runs
 * that were metered (record_machine.c). */
bool record_add_meter(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);
void record_meter(struct meter *out, const json_t *line);
bool record_add_state(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);
void record_memory_cost(struct memory_cost *out, const json_t *json);
void record_energy(struct track *track, const json_t *line);

/* A block that is done, and a run that goes on (record_resume.c). */
bool record_add_done(struct record *record, struct cell_record *none, const json_t *line, struct error *err);
bool record_add_resume(struct record *record, struct cell_record *none, const json_t *line, struct error *err);

/* Gives back a cell, notes, or what a block holds of its own (record.c). */
void record_cell_free(struct cell_record *cell);
void record_notes_free(char **note, unsigned notes);

/* Adds the samples of a slice (record_slices.c). */
bool record_add_slice(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);

/* What two kinds of lines do to the record (record.c). */
bool record_add_trial(struct record *record, struct cell_record *none, const json_t *line, struct error *err);
bool record_add_baseline(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);
void record_trials_free(struct block_record *block);

/* What became of the cell holds for its method's trial, too: a wrong answer has no speed, and what went wrong when it
 * was measured tells more than that it was passed over. */
void record_trials_settle(struct record *record, const struct cell_record *cell);

#endif
