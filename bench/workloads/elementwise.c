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
};

/* On a CPU a group is one work-item with vectors of 64 bytes of arithmetic. On a GPU each lane moves one element at a
 * time, or 16 bytes of narrow ones: fewer bytes would need more requests than a GPU can have in flight. */
static struct shape shape_for(const struct problem *problem, const struct device *device)
{
    const bool has_narrow = is_narrow(problem->dtype);
    if (has_lanes(device) && has_narrow)
        return (struct shape){ .width = (unsigned)(16 / dtype_bytes(problem->dtype)), .local = 128, .steps = 2 };
    if (has_lanes(device))
        return (struct shape){ .width = 1, .local = 256, .steps = 4 };
    return (struct shape){ .width = (unsigned)(64 / real_bytes(problem->dtype)), .local = 1 };
}

void elementwise_launch(const struct problem *problem, const struct device *device, const char *entry, int64_t grain,
                        struct launch *out)
{
    const int64_t n = problem->dim[0];
    struct shape shape = shape_for(problem, device);
    if (grain > 0)
        shape.steps = (unsigned)grain / (shape.width * shape.local);
    else if (!has_lanes(device))
        shape.steps = walk_steps(n / shape.width, 16, 1024, device);
    if (grain > 0 && n == 1)
        shape.local = shape.steps = 1; /* one work-item: the smallest launch there is */

    const unsigned each = shape.width * shape.steps;
    const size_t groups = (size_t)blocks_of(n, (int64_t)each * shape.local);
    *out = (struct launch){ .passes = 1 };
    out->pass[0] = (struct pass){
        .entry = entry, .dims = 1, .global = { groups * shape.local }, .local = { shape.local }, .is_divisible = true
    };
    snprintf(out->defines, sizeof out->defines, "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u", shape.width, shape.local,
             shape.steps);
    if (shape.local == 1 && shape.width > 1)
        snprintf(out->detail, sizeof out->detail, "width %u, streaming stores", shape.width);
    else
        snprintf(out->detail, sizeof out->detail, "groups of %u, %u element%s each", shape.local, each,
                 each == 1 ? "" : "s");
}
