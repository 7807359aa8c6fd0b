#ifndef HARNESS_JOURNAL_SCHEMA_H
#define HARNESS_JOURNAL_SCHEMA_H

/* The format of a journal. Its one description is results/journal.schema.json (JSON Schema 2020-12), which is built
 * into the program; this file validates lines by it and looks things up in it. */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* The text of results/journal.schema.json. */
extern const char schema_text[];

/* The schema, to be released with json_decref. NULL when memory is short. */
json_t *schema_new(void);

/* The part of the schema that describes lines of this line's kind; NULL for an unknown kind. */
const json_t *schema_of_line(const json_t *schema, const json_t *line);

/* The value of a keyword in a part of the schema, or in what the part refers to by "$ref" and "allOf". With a member it
 * is that member of the value: schema_find(schema, part, "properties", "key"). NULL where there is none. */
const json_t *schema_find(const json_t *schema, const json_t *part, const char *keyword, const char *member);

/* Fails (STATUS_USAGE) where the schema refuses the line or does not describe its kind; the message names the member.
 * Members that the schema does not describe are accepted. */
bool schema_check(const json_t *schema, const json_t *line, struct error *err);

#endif
