#include "bench/workloads/elementwise.h"

#include "bench/workloads/geometry.h"

#include <stdio.h>

int64_t elementwise_extent(const struct problem *problem)
{
    return problem->dim[0];
}

/* Elements of a vector, work-items of a group, and vectors of each work-item. */
struct shape {
    unsigned width, local, steps;
    bool is_stored; /* into the caches, not past them */
};

/* Work-items of a group and vectors of each for lanes, in turns; bytes of a vector's arithmetic for cores, and how it
 * is stored. The first is used untuned. */
static const struct shape of_lanes[] = { { 1, 256, 4, false },
                                         { 1, 256, 1, false },
                                         { 1, 256, 8, false },
                                         { 1, 128, 4, false },
                                         { 1, 512, 2, false } },
                          of_narrow_lanes[] = { { 1, 128, 2, false },
                                                { 1, 128, 1, false },
                                                { 1, 128, 4, false },
                                                { 1, 256, 1, false },
                                                { 1, 256, 2, false } },
                          of_cores[] = {
                              { 64, 1, 0, false }, { 64, 1, 0, true }, { 32, 1, 0, false }, { 32, 1, 0, true }
                          };

unsigned elementwise_kernel_shapes(const struct problem *problem, const struct device *device)
{
    (void)problem;
    return has_lanes(device) ? sizeof of_lanes / sizeof *of_lanes : sizeof of_cores / sizeof *of_cores;
}

/* On a CPU a group is one work-item. On a GPU each lane moves one element at a time, or 16 bytes of narrow ones: fewer
 * bytes would need more requests than a GPU can have in flight. */
static struct shape shape_for(const struct problem *problem, const struct device *device, unsigned kernel_shape)
{
    const bool has_narrow = is_narrow(problem->dtype);
    struct shape shape = !has_lanes(device) ? of_cores[kernel_shape]
                         : has_narrow       ? of_narrow_lanes[kernel_shape]
                                            : of_lanes[kernel_shape];
    if (!has_lanes(device))
        shape.width /= (unsigned)real_bytes(problem->dtype);
    else if (has_narrow)
        shape.width = (unsigned)(16 / dtype_bytes(problem->dtype));
    return shape;
}

void elementwise_launch(const struct problem *problem, const struct device *device, const char *entry, int64_t grain,
                        unsigned kernel_shape, struct launch *out)
{
    const int64_t n = problem->dim[0];
    struct shape shape = shape_for(problem, device, kernel_shape);
    *out = (struct launch){ .passes = 1 };
    if (has_lanes(device))
        snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u items, %u vectors", shape.local, shape.steps);
    else
        snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u bytes%s",
                 (unsigned)(shape.width * real_bytes(problem->dtype)), shape.is_stored ? ", cached" : "");
    if (grain > 0)
        shape.steps = (unsigned)grain / (shape.width * shape.local);
    else if (!has_lanes(device))
        shape.steps = walk_steps(n / shape.width, 16, 1024, device);
    if (grain > 0 && n == 1)
        shape.local = shape.steps = 1; /* one work-item: the smallest launch there is */

    const unsigned each = shape.width * shape.steps;
    const size_t groups = (size_t)blocks_of(n, (int64_t)each * shape.local);
    out->pass[0] = (struct pass){
        .entry = entry, .dims = 1, .global = { groups * shape.local }, .local = { shape.local }, .is_divisible = true
    };
    snprintf(out->defines, sizeof out->defines, "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u%s", shape.width, shape.local,
             shape.steps, shape.is_stored ? " -DCACHED=1" : "");
    if (shape.local == 1 && shape.width > 1)
        snprintf(out->detail, sizeof out->detail, "width %u, %s stores", shape.width,
                 shape.is_stored ? "ordinary" : "streaming");
    else
        snprintf(out->detail, sizeof out->detail, "groups of %u, %u element%s each", shape.local, each,
                 each == 1 ? "" : "s");
}
