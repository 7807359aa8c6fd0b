#ifndef BENCH_BACKENDS_COMMON_KERNEL_H
#define BENCH_BACKENDS_COMMON_KERNEL_H

/* What every API does with a kernel text: the compiler option for its element type, its arguments, the limits of its
 * groups, and the message when it does not compile. */

#include "bench/workloads/workload.h"

/* Whether a device can run the groups of a pass: `items` work-items in a group and `shared` bytes of local memory at
 * most. */
bool kernel_group_fits(const struct pass *pass, size_t items, size_t shared, struct error *err);
/* Those of all passes. */
bool kernel_groups_fit(const struct launch *launch, size_t items, size_t shared, struct error *err);

/* fail() with the compiler's log from its first error on, as much as a message holds. Always false. */
bool kernel_build_fail(struct error *err, const char *entry, const char *log);

/* The compiler option for operands of the problem's type, " -DREAL_IS_DOUBLE=1" or "", as kernels/portable.h and
 * element.h read it. NULL with err where the text has no such type. */
const char *kernel_type_option(const struct problem *problem, const struct portable *portable, struct error *err);

/* backend.kernel_shapes of a backend that compiles kernel texts. */
unsigned kernel_shape_names(const struct problem *problem, const struct method *method, const struct device *device,
                            char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX]);

/* How many dims each kernel of the text gets. */
unsigned kernel_dims(const struct problem *problem, const struct portable *portable);

#endif
