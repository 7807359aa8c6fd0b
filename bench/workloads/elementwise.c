#include "bench/workloads/elementwise.h"

#include "bench/workloads/geometry.h"

#include <stdio.h>

/* Elements of a vector, work-items of a group, and vectors of each work-item. */
struct shape {
    unsigned width, local, steps;
    bool is_cached; /* results are stored into the caches, not past them */
};

/* Of each table the first is used untuned. The last row of lanes is for GPUs in a processor, some of which allow groups
 * of 64 only. */
enum { LANES = 6, CORES = 2 };
static const struct shape of_lanes[LANES] = {
    { .width = 1, .local = 256, .steps = 4 }, { .width = 1, .local = 256, .steps = 1 },
    { .width = 1, .local = 256, .steps = 8 }, { .width = 1, .local = 128, .steps = 4 },
    { .width = 1, .local = 512, .steps = 2 }, { .width = 1, .local = 64, .steps = 4 },
};
/* 16 bytes at a time. */
static const struct shape of_narrow_lanes[LANES] = {
    { .width = 8, .local = 128, .steps = 2 }, { .width = 8, .local = 128, .steps = 1 },
    { .width = 8, .local = 128, .steps = 4 }, { .width = 8, .local = 256, .steps = 1 },
    { .width = 8, .local = 256, .steps = 2 }, { .width = 8, .local = 64, .steps = 1 },
};
/* The width is in bytes of arithmetic, and the steps follow from the size. */
static const struct shape of_cores[CORES] = {
    { .width = 64, .local = 1 },
    { .width = 64, .local = 1, .is_cached = true },
};

unsigned elementwise_kernel_shapes(const struct problem *problem, const struct device *device)
{
    if (!has_lanes(device))
        return CORES;
    return device->class == CLASS_IGPU ? LANES : LANES - 1;
}

/* On a CPU a group is one work-item. On a GPU each lane moves one element at a time, or 16 bytes of narrow ones: fewer
 * bytes would need more requests than a GPU can have in flight. */
void elementwise_launch(const struct problem *problem, const struct device *device, const char *entry, int64_t grain,
                        unsigned kernel_shape, struct launch *out)
{
    const int64_t n = problem->dim[0];
    const struct shape *shapes = !has_lanes(device) ? of_cores : is_narrow(problem->dtype) ? of_narrow_lanes : of_lanes;
    struct shape shape = shapes[kernel_shape];
    if (!has_lanes(device))
        shape.width /= (unsigned)real_bytes(problem->dtype);
    *out = (struct launch){ .passes = 1 };
    if (has_lanes(device))
        snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u items, %u vectors", shape.local, shape.steps);
    else
        snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u bytes%s",
                 (unsigned)(shape.width * real_bytes(problem->dtype)), shape.is_cached ? ", cached" : "");
    if (grain > 0)
        shape.steps = (unsigned)grain / (shape.width * shape.local);
    else if (!has_lanes(device))
        shape.steps = walk_steps(n / shape.width, 16, 1024, device);
    if (grain > 0 && n == 1)
        shape.local = shape.steps = 1; /* one work-item: the smallest launch there is */

    const unsigned each = shape.width * shape.steps;
    out->pass[0] = pass_of(entry, blocks_of(n, (int64_t)each * shape.local), shape.local, true);
    snprintf(out->defines, sizeof out->defines, "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u%s", shape.width, shape.local,
             shape.steps, shape.is_cached ? " -DCACHED=1" : "");
}
