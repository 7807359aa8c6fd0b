#ifndef BENCH_BACKENDS_COMMON_KERNEL_H
#define BENCH_BACKENDS_COMMON_KERNEL_H

/* What every API does with a kernel text: the compiler option for its element type, its arguments, the limits of its
 * groups, and the message when it does not compile. */

#include "bench/workloads/workload.h"

/* Whether a device takes the groups that a pass asks for: `items` of a group and `shared` bytes at most. */
bool kernel_group_fits(const struct pass *pass, size_t items, size_t shared, struct error *err);

/* fail() with the compiler's log from its first error on, as much as a message holds. Always false. */
bool kernel_build_fail(struct error *err, const char *entry, const char *log);

/* The compiler option that makes a kernel text one for operands of the problem's type, " -DREAL_IS_DOUBLE=1" or "", in
 * the words of kernels/portable.h and element.h; NULL with err where the text does not know that type. */
const char *kernel_type_option(const struct problem *problem, const struct portable *portable, struct error *err);

/* Dims that every kernel of the text gets. */
unsigned kernel_dims(const struct problem *problem, const struct portable *portable);

#endif
