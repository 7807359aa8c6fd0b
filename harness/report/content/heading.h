#ifndef HARNESS_REPORT_CONTENT_HEADING_H
#define HARNESS_REPORT_CONTENT_HEADING_H

/* The headings: runs with their machines and devices, and the problem of a section. */

#include "harness/analysis/answer.h"
#include "harness/journal/results.h"
#include "harness/report/content/document.h"
#include "harness/report/content/notes.h"

/* "NVIDIA H200 against Intel Xeon Processor, 2026-11-21" */
const char *heading_title(struct pool *pool, const struct results *results);

/* "Intel Xeon, 2 cores, 4 threads of a KVM guest, 25.3 GB": of the journal's head. */
const char *heading_machine(struct pool *pool, const json_t *host);

/* "suite standard, 2026-11-22 20:14 UTC, 24 visits in 2 min 40 s, bench 0.3.0": the seconds of the whole run */
const char *run_words(struct pool *pool, const struct record *record);

/* "Intel Core i5-8250U, 4 cores", "2 x NVIDIA H200 (cuda:0)", "the same CPU (opencl:0)" */
const char *part_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

/* The time of the run, the machine, the devices that took part, and what was absent. */
void heading_run(struct document *out, const struct record *record);

/* What a journal lacks: its faults, and then what an interrupted run did not reach. The record itself says whether the
 * run reached its end. */
void missing_read(struct notes *to, const struct result *run);

/* Whether the block has only what the program measured to compare other cells with. */
bool heading_is_peaks(const struct block_record *block);

/* "multiply f32, n = 40,000,000", "measured peaks"; the block has a cell. */
const char *heading_problem(struct pool *pool, const struct block_record *block);

/* The baseline; several if cells of the block have different ones, which no run plans. */
void heading_baselines(struct document *out, const struct figures figures[], unsigned count);

#endif
