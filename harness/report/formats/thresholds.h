#ifndef HARNESS_REPORT_FORMATS_THRESHOLDS_H
#define HARNESS_REPORT_FORMATS_THRESHOLDS_H

/* The thresholds that a sweep found, for programs that choose a device by size: a small JSON file that
 * results/thresholds.schema.json describes.
 *
 *   {"schema": "bench-thresholds/1", "devices": {KEY: {"multiply f32": {
 *     "id": "opencl:0", "name": ..., "unit": "n", "shape": "n={}", "baseline": KEY, "measured": "2026-11-21T12:00:00Z",
 *     "memory": {"mapped": {
 *       "resident": {"outcome": "crosses", "from": 1000, "to": 40000000, "sure": [1000, 40000000],
 *                    "pays": [{"from": [170000, 184000], "until": null}]},
 *       "uses": {..., "count": 10},
 *       "offload": {"outcome": "never", ..., "pays": []}}}}}}}
 *
 * Each of `pays` is a stretch of sizes in which the device is faster: it begins and ends somewhere between the two
 * sizes given; null: no end was found. `from` and `to` are the smallest and the largest size measured, `sure` those at
 * which it is sure which is faster. Outcomes: "crosses", the one is faster at some sizes and the other at others;
 * "always" and "never", the device is faster, or slower, wherever it is sure, and sure at the largest size; "unsure",
 * neither can be said. */

#include "harness/journal/record.h"

/* What stands under "devices", of those that could be measured at one size at least. NULL when memory is short; an
 * empty object for a record of no sweep. */
json_t *thresholds_to_json(const struct record *record);

/* Whether there is no such file yet, or one to add to: asked before anything is measured. */
bool thresholds_check(const char *path, struct error *err);

/* Adds the record's thresholds to the file, in place of those of the same device, workload, type and memory. The file
 * is replaced as a whole, so that a program never reads half of it. */
bool thresholds_save(const struct record *record, const char *path, struct error *err);

#endif
