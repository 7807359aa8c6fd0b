#ifndef HARNESS_REPORT_FORMATS_OUTPUT_H
#define HARNESS_REPORT_FORMATS_OUTPUT_H

/* The end of an output: whether everything that was written has arrived. */

#include "harness/base/error.h"

#include <stdio.h>

/* The last call of each format. A failure of standard output has `standard_output` as its place, so that whoever prints
 * the error can tell a closed pipe from a full disk. */
bool output_end(FILE *out, struct error *err);
extern const char standard_output[];

#endif
