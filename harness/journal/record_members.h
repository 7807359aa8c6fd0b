#ifndef HARNESS_JOURNAL_RECORD_MEMBERS_H
#define HARNESS_JOURNAL_RECORD_MEMBERS_H

/* Members of the lines that a record keeps as JSON: an absent member and one of a wrong type are unknown. */

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"

#include <math.h>

/* The member's text, cleaned; "" where there is none. */
static inline const char *text_member(struct pool *pool, const json_t *line, const char *name)
{
    return pool_copy(pool, text_cleaned(journal_text(line, name)).text);
}

/* A number from 0 on, or NAN. */
static inline double number_member(const json_t *line, const char *name)
{
    const json_t *number = json_object_get(line, name);
    return json_is_number(number) && json_number_value(number) >= 0 ? json_number_value(number) : NAN;
}

#endif
