#ifndef HARNESS_JOURNAL_SCHEMA_H
#define HARNESS_JOURNAL_SCHEMA_H

/* The essentials of results/journal.schema.json in C: what a line of each kind must have, and of which type. A record
 * takes whatever it can use, from anybody; what is to be published has no line that another reader might stumble over.
 */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Fails (STATUS_USAGE) with what is wrong: a kind that is none, a member that is absent or of a wrong type. Members
 * that are not known here are passed over. */
bool schema_check(const json_t *line, struct error *err);

#endif
