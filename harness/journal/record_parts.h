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

/* Adds the samples of a slice. */
bool record_add_slice(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);

/* Give back a cell, notes, a trial, or the trials of a block. */
void record_cell_free(struct cell_record *cell);
void record_notes_free(char **note, unsigned notes);
void record_trial_free(struct trial_record *trial);
void record_trials_free(struct block_record *block);

#endif
