#include "bench/workloads/geometry.h"
#include "bench/workloads/train.h"

#include <stdio.h>

/* Methods of train whose products a library computes: what they hold, and on devices the kernels after each product. */

/* Work-items of a group, and elements that it has. */
static const struct cut {
    unsigned items;
    int64_t portion;
} of_lanes = { 256, 1024 }, of_cores = { 1, 4096 };

static void passes_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                          struct launch *out)
{
    static const char *const entry[TRAIN_PRODUCTS] = { "rectify", "compare", "update_w2", "mask", "update_w1" };
    const struct cut *cut = has_lanes(device) ? &of_lanes : &of_cores;
    const int64_t real = (int64_t)dtype_bytes(problem->dtype);
    *out = (struct launch){ .passes = TRAIN_PRODUCTS, .detail = "own kernels after each product" };
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const unsigned result = train_products[i].c;
        const int64_t elements = problem->dim[train_products[i].m] * problem->dim[train_products[i].n];
        const int64_t groups = blocks_of(elements, cut->portion);
        const bool adds_up = result == TRAIN_DZ2 || result == TRAIN_NEW_W2;
        out->pass[i] = pass_of(entry[i], groups, cut->items, false);
        out->pass[i].shared = adds_up ? (size_t)(cut->items * real) : 0;
        if (result >= TRAIN_OPERANDS)
            out->scratch[result - TRAIN_OPERANDS] = real * elements;
        if (result == TRAIN_DZ2)
            out->scratch[TRAIN_LOSSES - TRAIN_OPERANDS] = real * groups;
    }
    snprintf(out->defines, sizeof out->defines, "-DITEMS=%u -DPORTION=%d -DSTEP=%.20ff", cut->items, (int)cut->portion,
             TRAIN_STEP);
}

extern const char train_passes_text[];

const struct portable train_passes = { .source = train_passes_text, .launch = passes_launch };

/* A1, dZ1, dZ2, and no more losses than rows; and the most that cublas.c of bench/backends/cuda allocates. */
double train_workspace(const struct problem *problem)
{
    const double row = 2 * (double)problem->dim[TRAIN_HIDDEN] + (double)problem->dim[TRAIN_OUT] + 1;
    return row * (double)problem->dim[TRAIN_BATCH] * (double)dtype_bytes(problem->dtype) + 0x1p25;
}

/* What CLBlast copies for one product may be held until the last is computed. oneDNN packs no more than that. */
double train_copies_workspace(const struct problem *problem)
{
    double elements = 0;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        elements += clblast_copies(problem->dim[product->m], problem->dim[product->n], problem->dim[product->k]);
    }
    return train_workspace(problem) + elements * (double)dtype_bytes(problem->dtype);
}
