#include "bench/plan/selection.h"

#include "bench/backends/registry.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

bool selection_names(const char *const list[], const char *word)
{
    if (!list[0])
        return true;
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

bool selection_names_method(const struct options *options, const struct workload *workload)
{
    for (const char *const *name = options->method; *name; name++)
        if (method_find(workload, *name))
            return true;
    return false;
}

bool selection_has_method(const struct options *options, const struct workload *workload)
{
    return selection_names(options->method, "all") || selection_names_method(options, workload);
}

bool selection_takes(const struct options *options, const struct workload *workload)
{
    return options->workload[0] ? selection_names(options->workload, workload->name)
                                : selection_has_method(options, workload);
}

/* Writes "conv, matmul": the workloads with the method, of all or (`only` not NULL) of the selected ones. */
static unsigned owners_of(const char *method, const struct options *only, char *to, size_t room)
{
    unsigned owners = 0;
    to[0] = '\0';
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        if (!method_find(*workload, method) || (only && !selection_takes(only, *workload)))
            continue;
        text_join(to, room, ", ", (*workload)->name);
        owners++;
    }
    return owners;
}

bool selection_check(const struct options *options, struct error *err)
{
    char owners[SHAPE_MAX];
    for (const char *const *name = options->method; *name; name++)
        if (strcmp(*name, "all") != 0 && owners_of(*name, options, owners, sizeof owners) == 0) {
            owners_of(*name, NULL, owners, sizeof owners);
            return fail(err, STATUS_USAGE, "--method %s: a method of %s, which --workload does not name", *name,
                        owners);
        }
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && !(*workload)->is_untyped &&
            !selection_has_method(options, *workload))
            return fail(err, STATUS_USAGE, "--workload %s: --method names none of its methods", (*workload)->name);
    return true;
}

/* How many of the shape's dimensions the workload has. */
static unsigned dims_known(const struct workload *workload, const char *shape)
{
    unsigned known = 0;
    for (const struct dim *dim = workload->dims; dim->name; dim++) {
        size_t length = strlen(dim->name);
        for (const char *part = shape; part; part = text_next_part(part))
            known += strncmp(part, dim->name, length) == 0 && part[length] == '=';
    }
    return known;
}

const struct workload *selection_closest(const struct options *options, const char *shape)
{
    const struct workload *best = NULL;
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && (!best || dims_known(*workload, shape) > dims_known(best, shape)))
            best = *workload;
    return best;
}

bool selection_lacks_types(const struct options *options, const struct workload *workload, char *says, size_t room)
{
    char lacking[64] = "", has[64] = "";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        bool is_there = workload->dtypes & 1u << dtype;
        if (is_there || options->dtype[dtype])
            text_join(is_there ? has : lacking, sizeof has, ", ", dtype_name(dtype));
    }
    snprintf(says, room, "%s has no element type %s; it has %s", workload->name, lacking, has);
    return lacking[0];
}

bool selection_nothing(const struct options *options, struct error *err)
{
    const bool takes_all = selection_names(options->method, "all");
    char says[160];
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        struct error ignored = { .status = STATUS_OK };
        struct problem problem;
        if (!selection_takes(options, *workload))
            continue;
        if (selection_lacks_types(options, *workload, says, sizeof says))
            return fail(err, STATUS_USAGE, "nothing to measure: %s", says);
        for (const char *const *size = options->size; *size; size++) {
            if (!problem_parse(&problem, *workload, DTYPE_F32, *size, &ignored))
                continue;
            /* Of a wanted method that is made for the problem no cell was planned, so no device has its API. */
            for (const struct method *method = (*workload)->methods; method && method->name; method++)
                if ((takes_all || selection_names(options->method, method->name)) && method->is_for &&
                    method->is_for(&problem))
                    return fail(err, STATUS_USAGE, "nothing to measure: %s needs a device of %s, and there is none",
                                method->name, method->backends[0]);
            if (options->method[0])
                return fail(err, STATUS_USAGE, "nothing to measure: %s is no method for --size %.80s",
                            options->method[0], *size);
        }
    }
    return fail(err, STATUS_USAGE,
                "nothing to measure: no workload fits these devices, methods and element types "
                "('bench workloads' shows what there is)");
}
