/* Shape texts, and what follows from a problem without knowing its workload. */

#include "bench/workloads/workload.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <string.h>

static unsigned dims_of(const struct workload *workload)
{
    unsigned count = 0;
    while (workload->dims[count].name)
        count++;
    return count;
}

/* "n, direction" for messages. */
static const char *dim_names(const struct workload *workload, char to[SHAPE_MAX])
{
    to[0] = '\0';
    for (const struct dim *dim = workload->dims; dim->name; dim++)
        text_join(to, SHAPE_MAX, ", ", dim->name);
    return to;
}

static bool dim_value(const char *workload, const struct dim *dim, const char *text, int64_t *out, struct error *err)
{
    char words[SHAPE_MAX] = "";
    for (unsigned i = 0; dim->words && dim->words[i]; i++) {
        if (strcmp(dim->words[i], text) == 0) {
            *out = i;
            return true;
        }
        text_join(words, sizeof words, ", ", dim->words[i]);
    }
    if (dim->words)
        return fail(err, STATUS_USAGE, "%s of %s must be one of %s, not '%s'", dim->name, workload, words, text);
    int64_t value;
    if (!text_parse_count(text, &value) || value < dim->least || value > dim->most)
        return fail(err, STATUS_USAGE, "%s of %s must be a whole number from %" PRId64 " to %" PRId64 "%s, not '%s'%s",
                    dim->name, workload, dim->least, dim->most,
                    dim->most >= 160 << 20 ? ", such as 40M, 64Mi or 80Mx2" : "", text, text_suffix_hint(text));
    *out = value;
    return true;
}

/* A bare number is the value of the only dimension without a fallback, or of each, where a problem may be square. In
 * "1024x512" a reader sees two of them. */
static bool bare_parse(struct problem *problem, const char *part, bool seen[DIMS_MAX], struct error *err)
{
    const struct workload *workload = problem->workload;
    char names[SHAPE_MAX];
    unsigned needed = 0;
    for (unsigned i = 0; i < dims_of(workload); i++)
        needed += workload->dims[i].fallback < 0;
    if (!*part)
        return fail(err, STATUS_USAGE, "nothing between two commas, or after the last");
    if (workload->is_square && strchr(part, 'x'))
        return fail(err, STATUS_USAGE, "%.40s: write for example %s, or one number for a square %s", part,
                    workload->suite_sizes[0].shape, workload->name);
    if (!workload->is_square && needed > 1)
        return fail(err, STATUS_USAGE,
                    "%.40s needs a name, one of %s; write for example %s, each size in a --size of its own", part,
                    dim_names(workload, names), workload->suite_sizes[0].shape);
    for (unsigned i = 0; i < dims_of(workload); i++) {
        if (workload->dims[i].fallback >= 0)
            continue;
        if (seen[i])
            return fail(err, STATUS_USAGE,
                        "%s is given twice; write a number as 1000, without separators, and each "
                        "size in a --size of its own",
                        workload->dims[i].name);
        seen[i] = true;
        if (!dim_value(workload->name, &workload->dims[i], part, &problem->dim[i], err))
            return false;
    }
    return true;
}

/* One "name=value" or bare value; `seen` marks the dimensions that were given. */
static bool part_parse(struct problem *problem, char *part, bool seen[DIMS_MAX], struct error *err)
{
    const struct workload *workload = problem->workload;
    char *equals = strchr(part, '='), names[SHAPE_MAX];
    unsigned i = 0;
    if (!equals)
        return bare_parse(problem, part, seen, err);
    *equals = '\0';
    while (i < dims_of(workload) && strcmp(workload->dims[i].name, part) != 0)
        i++;
    if (i == dims_of(workload))
        return fail(err, STATUS_USAGE, "'%s': %s has no such dimension; it has %s", part, workload->name,
                    dim_names(workload, names));
    if (seen[i])
        return fail(err, STATUS_USAGE, "%s is given twice", part);
    seen[i] = true;
    return dim_value(workload->name, &workload->dims[i], equals + 1, &problem->dim[i], err);
}

/* Whether all dimensions without a fallback were given. The message names the others: "n=..., k=... are missing". */
static bool is_complete(const struct workload *workload, const bool seen[DIMS_MAX], struct error *err)
{
    char names[SHAPE_MAX] = "";
    unsigned missing = 0;
    for (unsigned i = 0; i < dims_of(workload); i++) {
        if (seen[i] || workload->dims[i].fallback >= 0)
            continue;
        text_append(names, sizeof names, "%s%s=...", missing++ ? ", " : "", workload->dims[i].name);
    }
    return missing == 0 ||
           fail(err, STATUS_USAGE, "%s %s missing for %s", names, missing > 1 ? "are" : "is", workload->name);
}

bool problem_parse(struct problem *out, const struct workload *workload, enum dtype dtype, const char *shape,
                   struct error *err)
{
    struct problem problem = { .workload = workload, .dtype = dtype };
    bool seen[DIMS_MAX] = { false };
    char copy[SHAPE_MAX];
    if (strlen(shape) >= sizeof copy)
        return fail(err, STATUS_USAGE, "a shape of more than %d characters: '%.40s...'", SHAPE_MAX - 1, shape);
    text_copy(copy, sizeof copy, shape);

    for (char *rest = copy, *part; (part = strsep(&rest, ","));)
        if (!part_parse(&problem, part, seen, err))
            return false;
    for (unsigned i = 0; i < dims_of(workload); i++)
        if (!seen[i])
            problem.dim[i] = workload->dims[i].fallback;
    if (!is_complete(workload, seen, err))
        return false;
    if (workload->accepts && !workload->accepts(&problem, err))
        return false;
    *out = problem;
    return true;
}

const char *problem_text(const struct problem *problem, bool is_brief, char to[SHAPE_MAX])
{
    to[0] = '\0';
    for (unsigned i = 0; i < dims_of(problem->workload); i++) {
        const struct dim *dim = &problem->workload->dims[i];
        if (is_brief && problem->dim[i] == dim->fallback)
            continue;
        text_append(to, SHAPE_MAX, "%s%s=", *to ? "," : "", dim->name);
        if (dim->words)
            text_append(to, SHAPE_MAX, "%s", dim->words[problem->dim[i]]);
        else
            text_append(to, SHAPE_MAX, "%" PRId64, problem->dim[i]);
    }
    return to;
}

const char *problem_shape(const struct problem *problem, char to[SHAPE_MAX])
{
    return problem_text(problem, false, to);
}

struct integers problem_integers(const struct problem *problem, unsigned operand, const struct integers *integers)
{
    struct integers own = *integers;
    if (problem->workload->one_in)
        own.one_in = (own.one_in > 1 ? own.one_in : 1) * problem->workload->one_in(problem, operand);
    return own;
}

bool problem_is_alike(const struct problem *one, const struct problem *other)
{
    if (one->workload != other->workload || one->dtype != other->dtype)
        return false;
    for (unsigned i = 0; i < dims_of(one->workload); i++)
        if (one->workload->dims[i].words && one->dim[i] != other->dim[i])
            return false;
    return true;
}

enum roof_kind problem_roof(const struct problem *problem)
{
    return problem->workload->roof ? problem->workload->roof(problem) : ROOF_NONE;
}

bool problem_is_same(const struct problem *one, const struct problem *other)
{
    return one->workload == other->workload && one->dtype == other->dtype &&
           memcmp(one->dim, other->dim, sizeof one->dim) == 0;
}

/* Whether a run has a step that computes, or one that does not. */
static bool has_step(const struct problem *problem, bool computes)
{
    struct step step[STEPS_MAX];
    const unsigned steps = problem->workload->steps(problem, step);
    for (unsigned i = 0; i < steps; i++)
        if ((step[i].kind == STEP_COMPUTE) == computes)
            return true;
    return false;
}

bool problem_moves(const struct problem *problem)
{
    return has_step(problem, false);
}

bool problem_computes(const struct problem *problem)
{
    return has_step(problem, true);
}

bool problem_moves_in_parts(const struct problem *problem)
{
    return problem->workload->grain > 0 && problem_moves(problem);
}

void problem_part(const struct problem *problem, int64_t count, unsigned part, unsigned parts, int64_t *begin,
                  int64_t *end)
{
    const int64_t grain = problem->workload->grain ? problem->workload->grain : 1;
    *begin = parallel_cut(0, count, grain, part, parts);
    *end = parallel_cut(0, count, grain, part + 1, parts);
}

double problem_bytes_held(const struct problem *problem)
{
    struct operand operand[OPERANDS_MAX];
    unsigned count = problem->workload->operands(problem, operand);
    double bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += (double)operand[i].count * (double)dtype_bytes(operand[i].dtype);
    return bytes;
}

double problem_intermediate_bytes(const struct problem *problem)
{
    const struct workload *workload = problem->workload;
    return workload->intermediate ? (double)workload->intermediates(problem) * sizeof(double) : 0;
}
