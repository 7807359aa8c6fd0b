#include "bench/backends/common/kernel.h"

#include <string.h>

bool kernel_group_fits(const struct pass *pass, size_t items, size_t shared, struct error *err)
{
    if (pass->group > items)
        return fail(err, STATUS_UNSUPPORTED, "groups of %zu work-items, the device allows %zu", pass->group, items);
    return pass->shared <= shared ||
           fail(err, STATUS_UNSUPPORTED, "groups that share %zu bytes of local memory, the device has %zu",
                pass->shared, shared);
}

bool kernel_groups_fit(const struct launch *launch, size_t items, size_t shared, struct error *err)
{
    for (unsigned i = 0; i < launch->passes; i++)
        if (!kernel_group_fits(&launch->pass[i], items, shared, err))
            return false;
    return true;
}

bool kernel_build_fail(struct error *err, const char *entry, const char *log)
{
    const char *start = strstr(log, "error");
    while (start && start > log && start[-1] != '\n')
        start--;
    return fail_in(err, entry, STATUS_FAILED, "%s: %s", start ? "the kernel does not compile" : "no kernel was built",
                   start ? start : log);
}

const char *kernel_type_option(const struct problem *problem, const struct portable *portable, struct error *err)
{
    static const char *const options[DTYPE_COUNT] = { [DTYPE_F32] = "",
                                                      [DTYPE_F64] = " -DREAL_IS_DOUBLE=1",
                                                      [DTYPE_F16] = " -DELEMENT_IS_HALF=1",
                                                      [DTYPE_BF16] = " -DELEMENT_IS_BFLOAT16=1",
                                                      [DTYPE_TF32] = "",
                                                      [DTYPE_I8] = " -DREAL_IS_INT=1" };
    const enum dtype dtype = problem->dtype;
    if (portable->knows_narrow || dtype_bytes(dtype) == dtype_bytes(dtype_sums(dtype)))
        return options[dtype];
    return fail_null(err, STATUS_UNSUPPORTED, "the kernel text of %s has no operands of %s", problem->workload->name,
                     dtype_name(dtype));
}

unsigned kernel_dims(const struct problem *problem, const struct portable *portable)
{
    unsigned dims = portable->dims;
    while (!portable->dims && problem->workload->dims[dims].name)
        dims++;
    return dims;
}

unsigned kernel_shape_names(const struct problem *problem, const struct method *method, const struct device *device,
                            char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    const struct portable *portable = method->portable;
    const unsigned count = portable && portable->kernel_shapes ? portable->kernel_shapes(problem, device) : 0;
    struct launch launch;
    for (unsigned i = 0; i < count; i++) {
        portable->launch(problem, device, i, &launch);
        memcpy(name[i], launch.kernel_shape, KERNEL_SHAPE_MAX);
    }
    return count;
}
