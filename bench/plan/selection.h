#ifndef BENCH_PLAN_SELECTION_H
#define BENCH_PLAN_SELECTION_H

/* Which workloads the options ask for, by their names and by those of methods. */

#include "bench/cli/options.h"
#include "bench/workloads/workload.h"

/* Whether a list of names holds the word; an empty one holds every word. */
bool selection_names(const char *const list[], const char *word);

/* Where no workload is named those take part that have a method which is. */
bool selection_takes(const struct options *options, const struct workload *workload);

/* What is named must fit together: each method a workload, and each workload that has methods a method. STATUS_USAGE
 * where it does not. */
bool selection_check(const struct options *options, struct error *err);

/* The workload that a shape which none understands was probably meant for: the one that has most of its dimensions. */
const struct workload *selection_closest(const struct options *options, const char *shape);

/* Whether element types were asked for that the workload does not have; says which, and which it has. */
bool selection_lacks_types(const struct options *options, const struct workload *workload, char *says, size_t room);

/* Why nothing at all is left to be measured. Always false. */
bool selection_nothing(const struct options *options, struct error *err);

#endif
