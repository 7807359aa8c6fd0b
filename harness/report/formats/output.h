#ifndef HARNESS_REPORT_FORMATS_OUTPUT_H
#define HARNESS_REPORT_FORMATS_OUTPUT_H

/* The end of an output: whether everything that was written has arrived. */

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <jansson.h>
#include <stdio.h>

/* The last call of each format. A failure of standard output has `standard_output` as its place, so that whoever prints
 * the error can tell a closed pipe from a full disk. */
bool output_end(FILE *out, struct error *err);
extern const char standard_output[];

/* Writes a whole output and releases its pool, which says whether memory was short. */
bool output_put_text(const struct string_builder *text, FILE *out, struct error *err);

/* Writes a whole output, which it takes, with escaped texts, so that they cannot control a terminal. NULL: memory was
 * short. */
bool output_put_json(json_t *json, FILE *out, struct error *err);

/* Writes a field of a CSV (RFC 4180). Some spreadsheets separate fields by semicolons or tabs. A text that one would
 * take for a formula gets an apostrophe, as in spreadsheets. */
void output_put_csv(const char *text, FILE *out);

#endif
