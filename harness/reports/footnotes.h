#ifndef HARNESS_REPORTS_FOOTNOTES_H
#define HARNESS_REPORTS_FOOTNOTES_H

/* The sentences that the rows of a block refer to by number, each written once. */

#include "harness/reports/grid.h"

#include <jansson.h>

struct footnotes {
    json_t *number; /* by sentence: an object, empty at first */
    FILE *out;      /* where the sentences go, after an empty line */
    bool complete;  /* none was lost for want of memory; true at first */
};

/* Puts the number of the sentence behind what the field has, and the sentence out where it is new. */
void footnotes_refer(struct footnotes *footnotes, char field[GRID_FIELD], const char *text);

#endif
