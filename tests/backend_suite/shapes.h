#ifndef TESTS_BACKEND_SUITE_SHAPES_H
#define TESTS_BACKEND_SUITE_SHAPES_H

/* The shapes that every method is tried at, workload by workload. */

#include "bench/workloads/workload.h"

/* Shape `i` of a workload, as text; NULL behind the last. */
const char *shape_at(const struct workload *workload, unsigned i);

/* The same of kernel texts whose operands are narrower than their arithmetic: each shape is compiled anew for each
 * type.
 */
const char *shape_of_narrow_at(const struct workload *workload, unsigned i);

/* One of moderate size. */
const char *shape_one(const struct workload *workload);

/* It has no more operations than SUITE_LARGEST. */
bool shape_is_meant(const struct problem *problem);

#endif
