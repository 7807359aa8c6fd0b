#ifndef HARNESS_REPORT_CONTENT_HEADING_H
#define HARNESS_REPORT_CONTENT_HEADING_H

/* What stands above the figures: the runs with their machines and devices, and what problem a section is about. */

#include "harness/analysis/cell_metrics.h"
#include "harness/journal/results.h"
#include "harness/report/content/builder.h"

/* "GPU against CPU: Intel Xeon, 2026-11-21" */
enum { HEADING_ROOM = 320 };
void heading_title(char to[HEADING_ROOM], const struct results *results);

/* When the run was made, the machine, the devices that took part, and what gave no device. */
void heading_run(struct pool *pool, struct lines *out, const struct record *record);

/* The libraries that are not the same in all runs, as this one had them; nothing where there are none. */
void heading_libraries(struct pool *pool, struct lines *out, const struct results *results,
                       const struct record *record);

/* "multiply f32, n = 40,000,000 (40.0 MFLOP, 480 MB)", of a block that has a cell. */
const char *heading_problem(struct pool *pool, const struct block_record *block);

/* The baseline; several where cells of one block are compared with different ones, which no run plans. */
void heading_baselines(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count);

#endif
