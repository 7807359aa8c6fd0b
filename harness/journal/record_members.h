#ifndef HARNESS_JOURNAL_RECORD_MEMBERS_H
#define HARNESS_JOURNAL_RECORD_MEMBERS_H

/* Members of a journal line, read as a record keeps them: an absent member and one of a wrong type are unknown. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/journal/record.h"

#include <math.h>

/* Bytes of a name, which goes into the columns of tables, and of a detail. */
enum { NAME_ROOM = 64, DETAIL_ROOM = 160 };

/* Seconds, about 30 years: a longer time cannot be true. */
static const double longest_time = 1e9;

static inline bool out_of_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "no memory for the record of this run");
}

/* The member's text, cleaned and cut to `room` bytes, at most TEXT_ROOM; "" where there is none. */
static inline const char *text_member(struct pool *pool, const json_t *line, const char *name, size_t room)
{
    return pool_copy(pool, text_clean(HERE(TEXT_ROOM), room, journal_text(line, name)));
}

/* A number from 0 on, or NAN. */
static inline double number_member(const json_t *line, const char *name)
{
    const json_t *number = json_object_get(line, name);
    return json_is_number(number) && json_number_value(number) >= 0 ? json_number_value(number) : NAN;
}

/* Seconds of whole nanoseconds, or NAN. */
static inline double time_from_ns(const json_t *ns)
{
    double seconds = journal_seconds(ns);
    return seconds >= 0 && seconds <= longest_time ? seconds : NAN;
}

static inline double time_member(const json_t *line, const char *name)
{
    return time_from_ns(json_object_get(line, name));
}

/* The outcome that a line states. For a crash, the driver's last lines are the reason (record.c). */
void record_read_outcome(struct error *out, const json_t *line);

/* The block that a line names, a new one if need be. NULL when memory is short (record.c). */
struct block_record *record_block(struct record *record, const json_t *line);

/* What a cell line says of races, and a race line (record_races.c). */
void record_read_choice(struct record *record, struct cell_record *cell, const json_t *line);
enum measures record_measures(const json_t *line, const char *member);
bool record_add_race(struct record *record, const json_t *line, struct error *err);

/* After the first visits: another method of the row is measured (record_races.c). */
void record_exchange(struct block_record *block, const struct cell_record *out, const struct cell_record *in);

/* Adds the samples of a slice (record_slices.c). */
bool record_add_slice(struct record *record, struct cell_record *cell, const json_t *line, struct error *err);

#endif
