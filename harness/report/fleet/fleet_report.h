#ifndef HARNESS_REPORT_FLEET_FLEET_REPORT_H
#define HARNESS_REPORT_FLEET_FLEET_REPORT_H

/* Reports of a fleet. Each format is one file that ends in one `const struct fleet_report`. */

#include "harness/analysis/fleet/fleet.h"

#include <stdio.h>

struct fleet_report {
    const char *name, *extension;
    /* `width`: columns that text should fit into; 0: no limit. Fails when the stream fails. */
    bool (*write)(const struct fleet *fleet, unsigned width, FILE *out, struct error *err);
};

/* The formats, ending with NULL. */
extern const struct fleet_report *const fleet_reports[];
extern const struct fleet_report fleet_text, fleet_csv, fleet_json, fleet_html;

/* "1 of 4 nodes is slow, 1 is missing. No other node is slow." */
const char *fleet_answer(struct pool *pool, const struct fleet *fleet);

/* What is wrong, for people: "memory at 88.1 % of the usual speed (slow below 97.9 %); driver 535, usual is 550". */
const char *fleet_finding_text(struct pool *pool, const struct fleet_finding *finding);

/* What was compared of a kind of devices, how much they differ, and what can be found: sentences. */
const char *fleet_kind_text(struct pool *pool, const struct fleet_kind *kind);

#endif
