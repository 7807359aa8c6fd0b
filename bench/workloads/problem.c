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

/* The dimension that a bare number is for: the only one without a fallback. */
static const struct dim *bare_dim(const struct workload *workload)
{
    const struct dim *found = NULL;
    for (const struct dim *dim = workload->dims; dim->name; dim++) {
        if (dim->fallback >= 0)
            continue;
        if (found)
            return NULL;
        found = dim;
    }
    return found;
}

/* One "name=value" or bare value; `seen` marks the dimensions that were given. */
static bool part_parse(struct problem *problem, char *part, bool seen[DIMS_MAX], struct error *err)
{
    const struct workload *workload = problem->workload;
    const struct dim *dim = bare_dim(workload);
    char *equals = strchr(part, '=');
    char names[SHAPE_MAX];
    if (equals) {
        *equals = '\0';
        for (dim = workload->dims; dim->name && strcmp(dim->name, part) != 0;)
            dim++;
    }
    if (!dim && !*part)
        return fail(err, STATUS_USAGE, "nothing between two commas, or after the last");
    if (!dim)
        return fail(err, STATUS_USAGE,
                    "%.40s needs a name, one of %s; write for example %s, each size in a --size of its own", part,
                    dim_names(workload, names), workload->suite_sizes[0].shape);
    if (!dim->name)
        return fail(err, STATUS_USAGE, "'%s': %s has no such dimension; it has %s", part, workload->name,
                    dim_names(workload, names));
    size_t index = (size_t)(dim - workload->dims);
    if (seen[index])
        return fail(err, STATUS_USAGE, "%s is given twice%s", dim->name,
                    equals ? "" : "; write a number as 1000, without separators, and each size in a --size of its own");
    seen[index] = true;
    return dim_value(workload->name, dim, equals ? equals + 1 : part, &problem->dim[index], err);
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

/* "1024" for a square problem: each dimension without a fallback. In "1024x512" a reader sees two of them. */
static bool square_parse(struct problem *problem, const char *shape, bool seen[DIMS_MAX], struct error *err)
{
    const struct dim *dims = problem->workload->dims;
    if (strchr(shape, 'x'))
        return fail(err, STATUS_USAGE, "%.40s: write for example %s, or one number for a square %s", shape,
                    problem->workload->suite_sizes[0].shape, problem->workload->name);
    for (unsigned i = 0; dims[i].name; i++) {
        if (dims[i].fallback >= 0)
            continue;
        seen[i] = true;
        if (!dim_value(problem->workload->name, &dims[i], shape, &problem->dim[i], err))
            return false;
    }
    return true;
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

    const bool is_square = workload->is_square && !strpbrk(shape, "=,");
    if (is_square && !square_parse(&problem, shape, seen, err))
        return false;
    for (char *rest = is_square ? NULL : copy, *part; (part = strsep(&rest, ","));)
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

bool problem_roof(const struct problem *problem, struct roof *out)
{
    return problem->workload->roof && problem->workload->roof(problem, out);
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
