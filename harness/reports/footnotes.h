#ifndef HARNESS_REPORTS_FOOTNOTES_H
#define HARNESS_REPORTS_FOOTNOTES_H

/* The sentences that the rows of a block refer to by number, each written once. */

#include "harness/record.h"
#include "harness/reports/grid.h"

#include <jansson.h>

struct footnotes {
    json_t *number; /* by sentence: an object, empty at first */
    json_t *common; /* sentences that are said of all rows, so that none refers to them: an object */
    FILE *out;      /* where the sentences go, after an empty line */
    bool complete;  /* none was lost for want of memory; true at first */
};

/* The notes that all measured rows of a run have, where it has several problems: worth saying once, as keys of an
 * object to be released. NULL when memory is short. */
json_t *footnotes_common(const struct record *record);

/* Puts the number of the sentence behind what the field has, and the sentence out where it is new. */
void footnotes_refer(struct footnotes *footnotes, char field[GRID_FIELD], const char *text);

#endif
