#ifndef HARNESS_REPORT_FLEET_FLEET_REPORT_H
#define HARNESS_REPORT_FLEET_FLEET_REPORT_H

/* The report of a fleet: a document for people, and the figures of all devices for spreadsheets and programs. */

#include "harness/analysis/fleet/fleet.h"
#include "harness/report/content/builder.h"
#include "harness/report/report.h"

/* Writes the report in one of the formats of report.h. `width`: columns that text should fit into. Fails when the
 * stream fails, and when memory is short. */
bool fleet_report_write(const struct report *report, const struct fleet *fleet, unsigned width, FILE *out,
                        struct error *err);

/* What was found, then each kind of devices (fleet_document.c). Whole: all findings, and a table of devices and
 * problems for each kind; otherwise as much as fits on a screen. To be released in any case. Fails only when memory is
 * short. */
bool fleet_document_make(struct document *out, const struct fleet *fleet, bool is_whole, struct error *err);

/* What is wrong, for people: "memory at 88.1 % of the usual speed (slow below 97.9 %); driver 535, usual is 550". */
const char *fleet_finding_text(struct pool *pool, const struct fleet *fleet, const struct fleet_finding *finding);

#endif
