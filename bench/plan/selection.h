#ifndef BENCH_PLAN_SELECTION_H
#define BENCH_PLAN_SELECTION_H

/* Which workloads the options select, by --workload and --method. */

#include "bench/cli/options.h"
#include "bench/workloads/workload.h"

/* Whether a list of names holds the word; an empty list holds every word. */
bool selection_names(const char *const list[], const char *word);

/* Whether --method names one of the workload's by its name. */
bool selection_names_method(const struct options *options, const struct workload *workload);

/* Whether --method names none, "all", or one of the workload's. */
bool selection_has_method(const struct options *options, const struct workload *workload);

/* Without --workload, a workload takes part if it has a method that --method names. */
bool selection_takes(const struct options *options, const struct workload *workload);

/* STATUS_USAGE if a named method belongs to no selected workload, or a named workload has none of the named methods. */
bool selection_check(const struct options *options, struct error *err);

/* The workload that a wrong shape was probably meant for: the one with most of its dimensions. */
const struct workload *selection_closest(const struct options *options, const char *shape);

/* Whether --dtype names types that the workload lacks; `says` names them and those that it has. */
bool selection_lacks_types(const struct options *options, const struct workload *workload, char *says, size_t room);

/* Fails with the reason why nothing is left to measure. Always false. */
bool selection_nothing(const struct options *options, struct error *err);

#endif
