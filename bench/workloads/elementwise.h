#ifndef BENCH_WORKLOADS_ELEMENTWISE_H
#define BENCH_WORKLOADS_ELEMENTWISE_H

/* For workloads in which every operand has n elements, n being the first dimension, and element i of the output depends
 * on elements i of the inputs alone. */

#include "bench/workloads/workload.h"
#include "kernels/native.h"

/* The grain of the native slices, a line of the narrowest type. */
enum { ELEMENTWISE_GRAIN = NATIVE_LINE / 2 };

/* struct portable's kernel_shapes for elementwise_launch. */
unsigned elementwise_kernel_shapes(const struct problem *problem, const struct device *device);

/* Launches the kernel `entry`, which goes over the elements as that of kernels/multiply.cl does, by the same WIDTH,
 * LOCAL, STEPS and CACHED. With a grain above 0 each group takes that many elements, for runs that are cut into parts.
 */
void elementwise_launch(const struct problem *problem, const struct device *device, const char *entry, int64_t grain,
                        unsigned kernel_shape, struct launch *out);

#endif
