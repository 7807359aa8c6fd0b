#ifndef HARNESS_REPORT_FLEET_FLEET_REPORT_H
#define HARNESS_REPORT_FLEET_FLEET_REPORT_H

/* Reports of a fleet. Each format is one file that ends in one `const struct report`, which reports nothing else. */

#include "harness/analysis/fleet/fleet.h"
#include "harness/report/report.h"

/* The formats, ending with NULL. */
extern const struct report *const fleet_reports[];
extern const struct report fleet_text, fleet_csv, fleet_json, fleet_html;

/* "1 slow, 0 failed, 1 missing, 0 different of 24 nodes." */
const char *fleet_answer(struct pool *pool, const struct fleet *fleet);

/* What is wrong, for people: "memory at 88.1 % of the usual speed (slow below 97.9 %); driver 535, usual is 550". */
const char *fleet_finding_text(struct pool *pool, const struct fleet *fleet, const struct fleet_finding *finding);

/* What was compared of a kind of devices, how much they differ, and what can be found: sentences. */
const char *fleet_kind_text(struct pool *pool, const struct fleet_kind *kind);

/* The rate of a device in a problem: "1.92 TFLOP/s", "1.2 TB/s"; its time where nothing is computed or moved. */
enum { FLEET_RATE = 40 };
const char *fleet_rate(char to[FLEET_RATE], const struct fleet_problem *problem, double seconds);

/* A figure as an object: the columns of the CSV and the members of the JSON, in order. Numbers that are unknown are
 * null. Without a device and a figure nothing is known. NULL when memory is short. */
json_t *fleet_row(const struct fleet *fleet, const struct fleet_device *device, const struct fleet_figure *figure);

#endif
