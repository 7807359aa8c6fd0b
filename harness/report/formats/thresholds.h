#ifndef HARNESS_REPORT_FORMATS_THRESHOLDS_H
#define HARNESS_REPORT_FORMATS_THRESHOLDS_H

/* The thresholds of a sweep, for programs that choose a device by size: a small JSON file, described by
 * results/thresholds.schema.json.
 *
 *   {"schema": "bench-thresholds/3", "devices": {KEY: {"multiply f32": {
 *     "id": "opencl:0", "name": ..., "unit": "n", "shape": "n={}", "baseline": KEY, "measured": "2026-11-21T12:00:00Z",
 *     "memory": {"mapped": {
 *       "resident": {"from": 1000, "to": 40000000, "sure": [1000, 40000000],
 *                    "pays": [{"from": [170000, 184000], "until": null}]},
 *       "uses": {..., "count": 10},
 *       "copied": {..., "pays": []}}}}}}}
 *
 * Each element of `pays` is a range of sizes in which the device is faster. It begins and ends between the two sizes
 * given; null: no end was found. `from` and `to` are the smallest and the largest size measured, `sure` those at which
 * the faster side is certain; null: it is nowhere.
 */

#include "harness/journal/record.h"

/* The value of "devices", with the devices that were measured at one size at least. NULL when memory is short; an empty
 * object if the record is not a sweep. */
json_t *thresholds_to_json(const struct record *record);

/* Whether the file can be created or extended: checked before anything is measured. */
bool thresholds_check(const char *path, struct error *err);

/* Adds the record's thresholds to the file and replaces those of the same device, workload and type. The file is
 * replaced as a whole, so that no program reads half of it. */
bool thresholds_save(const struct record *record, const char *path, struct error *err);

#endif
