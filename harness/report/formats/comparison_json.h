#ifndef HARNESS_REPORT_FORMATS_COMPARISON_JSON_H
#define HARNESS_REPORT_FORMATS_COMPARISON_JSON_H

/* A comparison for programs: results/comparison.schema.json. */

#include "harness/analysis/compare/comparison.h"

#include <stdio.h>

/* The `compare` of a report; the width has no meaning. */
bool comparison_json_write(const struct comparison *comparison, unsigned width, FILE *out, struct error *err);

#endif
