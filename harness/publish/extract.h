#ifndef HARNESS_PUBLISH_EXTRACT_H
#define HARNESS_PUBLISH_EXTRACT_H

/* The part of a journal that others may see. Nothing is searched for names: a member is copied only if
 * results/journal.schema.json describes it, and a text only if its keyword "publish", "enum" or "const" allows it. So
 * what a driver, a library, the system or a user may have written stays where it is.
 *
 *   "publish": true    the text is copied: a name of hardware or software, or words of bench
 *   "publish": "day"   its date is copied, the time of day is not
 *
 * An object that then lacks a required member is left out. Extracting a second time changes nothing more. */

#include <jansson.h>

/* The schema, built into the program; to be released with json_decref. NULL when memory is short. */
json_t *extract_schema(void);

/* A copy of a line, a new reference. NULL: there is nothing in it for others, its kind is unknown, or memory is short.
 */
json_t *extract_line(const json_t *schema, const json_t *line);

#endif
