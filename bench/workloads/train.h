#ifndef BENCH_WORKLOADS_TRAIN_H
#define BENCH_WORKLOADS_TRAIN_H

/* One step of stochastic gradient descent of a perceptron with one hidden layer, for a batch of rows:
 *
 *   A1 = max(X W1, 0)          dZ2 = A1 W2 - Y, and the loss is the sum of dZ2^2 / 2
 *   dZ1 = dZ2 W2' where A1 > 0, else 0
 *   new W1 = W1 - s X' dZ1     new W2 = W2 - s A1' dZ2      with s = TRAIN_STEP
 *
 * The weights stay on the device, the batch goes up, and the loss comes back. The update writes a second copy, so that
 * every step begins with the same weights. */

#include "bench/workloads/workload.h"
#include "kernels/native.h"
#include "kernels/train_products.h"

/* The truth of every output: `intermediate`, `intermediates`, `expect`, `expect_cost` and `projection` of struct
 * workload. */
void train_intermediate(const struct problem *problem, struct sums sums, const void *const operand[], double *to);
int64_t train_intermediates(const struct problem *problem);
void train_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                  double *value, double *bound);
double train_expect_cost(const struct problem *problem);
extern const struct projection train_projection;

/* Where a library computes the products: the kernels after each of them, and `workspace` of struct method. */
extern const struct portable train_passes;
double train_workspace(const struct problem *problem);
double train_copies_workspace(const struct problem *problem); /* of one that copies operands */

#endif
