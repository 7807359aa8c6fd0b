#ifndef HARNESS_JOURNAL_SCHEMA_H
#define HARNESS_JOURNAL_SCHEMA_H

/* What a line of a journal may hold, by results/journal.schema.json, which the program carries: the types of its
 * members, the least and the most that a time, an amount, a count or a sensor can be, and what others may see. It
 * judges each value by itself; what values say together is plausible.h's. */

#include <jansson.h>
#include <stdbool.h>

/* NULL when memory is short. */
struct schema *schema_open(void);
void schema_close(struct schema *schema);

/* Takes out of a line what is not as described: such a member is removed, and an element of an array becomes null.
 * Members that are not described stay. Adds to `faults`. Returns a member that the line then lacks; NULL: none. */
struct schema_faults {
    unsigned values; /* taken out */
    char first[32];  /* the member of the first one */
};
const char *schema_clean(const struct schema *schema, json_t *line, struct schema_faults *faults);

/* Takes out of a line what others may not see. Nothing is searched for names: a member stays only if the schema
 * describes it, and a text only if its keyword "publish", "enum" or "const" allows it. So what a driver, a library, the
 * system or a user may have written stays where it is.
 *
 *   "publish": true    the text stays: a name of hardware or software, or words of bench
 *   "publish": "day"   its date stays, the time of day does not
 *
 * An object that then lacks a required member is taken out. False: there is nothing in the line for others, or its kind
 * is unknown. Applied twice it gives the same line. */
bool schema_publish(const struct schema *schema, json_t *line);

#endif
