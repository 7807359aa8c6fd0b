#include "bench/worker/truth.h"

#include "harness/base/element.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/measure/random.h"

#include <math.h>
#include <stdlib.h>

/* Elements of a sampled check: at most 65,536, fewer if each is expensive (about 0.1 s of multiply-adds), at least 64.
 * Where few blocks have changed something is wrong, or a method adds up in another order every time: that is worth a
 * second or so. */
enum { SAMPLE_MOST = 1 << 16, SAMPLE_LEAST = 64, SAMPLE_COST = 1 << 24, CHANGES_COST = 1 << 28 };

unsigned compared_next(const struct rig *rig, unsigned from)
{
    unsigned outputs = 0;
    for (unsigned i = 0; i < rig->operands; i++)
        outputs += rig->operand[i].role == ROLE_OUTPUT;
    if (outputs == 0)
        return from == 0 ? 0 : rig->operands;
    while (from < rig->operands && rig->operand[from].role != ROLE_OUTPUT)
        from++;
    return from;
}

bool truth_is_cheap(const struct rig *rig)
{
    const struct workload *workload = rig->problem.workload;
    return !rig_computes(rig) || (workload->is_elementwise && workload->is_elementwise(&rig->problem));
}

/* What the right value of one element is computed from. */
struct truth {
    struct rig *rig;
    bool is_open;
    bool computes, is_cheap; /* of the rig, since millions of elements ask for it */
    struct sums sums;
    double bound_factor;                      /* of the method's error bounds */
    struct random_stream input[OPERANDS_MAX]; /* of a workload whose elements need no others */
    unsigned checked;                         /* the operand that is compared */
    unsigned output;                          /* which of the outputs it is */
    int64_t before;                           /* elements of the outputs before it */
    double slack;                             /* the bound of every element; NAN for the workload's own */
    const uint64_t *folded;                   /* the operand as the projection has reduced it */
};

static const void *const *inputs_of(const struct truth *truth)
{
    return (const void *const *)truth->rig->known.input;
}

/* The inputs of elements of an elementwise workload are computed: arrays of them would be fresh memory, which costs
 * more than the numbers. */
static void expect_elements(const struct truth *truth, int64_t first, int64_t count, double value[], double bound[])
{
    const struct rig *rig = truth->rig;
    double element[OPERANDS_MAX][VERIFY_CHUNK]; /* of any type */
    const void *operand[OPERANDS_MAX + 1] = { NULL };
    for (unsigned i = 0; i < rig->operands; i++) {
        if (rig->operand[i].role != ROLE_INPUT)
            continue;
        random_stream_read(&truth->input[i], first, first + count, element[i]);
        operand[i] = element[i];
    }
    for (int64_t i = 0; i < count; i++)
        rig->problem.workload->expect(&rig->problem, truth->sums, operand, i, &value[i], &bound[i]);
}

/* What is moved must arrive as it was sent. */
static void expect_moved(const struct truth *truth, int64_t first, int64_t count, double value[], double bound[])
{
    double element[VERIFY_CHUNK];
    random_stream_read(&truth->input[truth->checked], first, first + count, element);
    for (int64_t i = 0; i < count; i++) {
        value[i] = element_at(element, truth->rig->operand[truth->checked].dtype, i);
        bound[i] = 0;
    }
}

static void truths_of(const void *context, int64_t first, int64_t count, double value[], double bound[])
{
    const struct truth *truth = context;
    const struct problem *problem = &truth->rig->problem;
    if (!truth->computes)
        expect_moved(truth, first, count, value, bound);
    else if (truth->is_cheap)
        expect_elements(truth, truth->before + first, count, value, bound);
    else
        for (int64_t i = 0; i < count; i++)
            problem->workload->expect(problem, truth->sums, inputs_of(truth), truth->before + first + i, &value[i],
                                      &bound[i]);
    const bool is_whole = !isnan(truth->slack);
    for (int64_t i = 0; i < count; i++) {
        const bool is_exact = is_whole && (!problem->workload->exact_up_to ||
                                           fabs(value[i]) <= problem->workload->exact_up_to(problem, truth->checked));
        bound[i] = is_exact ? truth->slack : bound[i] * truth->bound_factor;
    }
}

void content_fill(const struct rig *rig, unsigned i, void *elements, struct content content)
{
    const struct operand *operand = &rig->operand[i];
    const struct integers integers = problem_integers(&rig->problem, i, &content.integers);
    random_fill(elements, operand->dtype, 0, operand->count, content.seed, i, &integers);
}

/* The memory of one of the truth's arrays, which stays until rig_release. */
static bool truth_alloc(void **array, size_t bytes, const char *what, struct error *err)
{
    if (!*array)
        *array = malloc(bytes);
    return *array || fail(err, STATUS_NO_MEMORY, "no memory for %s of %s, to check the result by", what,
                          text_bytes((double)bytes).text);
}

/* Fills one input, unless it has these numbers already. `is_new`: it had others. */
static bool input_fill(struct rig *rig, unsigned i, bool *is_new, struct error *err)
{
    struct known *known = &rig->known;
    const bool is_there = known->input[i] && known->input_seed[i] == known->content[i].seed;
    if (is_there || rig->operand[i].role != ROLE_INPUT)
        return true;
    if (!truth_alloc(&known->input[i], rig_bytes(rig, i), "a second input", err))
        return false;
    content_fill(rig, i, known->input[i], known->content[i]);
    known->input_seed[i] = known->content[i].seed;
    return *is_new = true;
}

/* Once for all outputs. */
static bool truth_open(struct truth *truth, struct error *err)
{
    struct rig *rig = truth->rig;
    const struct problem *problem = &rig->problem;
    const double results = rig_computes(rig) ? problem_intermediate_bytes(problem) : 0;
    void **intermediate = &rig->known.input[rig->operands];
    bool is_new = false;
    if (truth->is_open)
        return true;
    truth->computes = rig_computes(rig);
    truth->is_cheap = truth_is_cheap(rig);
    truth->sums = method_sums(rig->method, problem->dtype);
    truth->bound_factor = rig->method && rig->method->is_fast ? FAST_BOUND_FACTOR : 1;
    if (truth->is_cheap) {
        for (unsigned i = 0; i < rig->operands; i++) {
            const struct content *content = &rig->known.content[i];
            const struct integers integers = problem_integers(problem, i, &content->integers);
            truth->input[i] = random_stream_open(rig->operand[i].dtype, content->seed, i, &integers);
        }
        return truth->is_open = true;
    }
    for (unsigned i = 0; i < rig->operands; i++)
        if (!input_fill(rig, i, &is_new, err))
            return false;
    if (results > 0 && !truth_alloc(intermediate, (size_t)results, "intermediate results", err))
        return false;
    if (results > 0 && is_new)
        problem->workload->intermediate(problem, truth->sums, inputs_of(truth), *intermediate);
    return truth->is_open = true;
}

/* Multiplies an operand with random weights, on all threads. */
struct folding {
    const struct truth *truth;
    const uint64_t *weight;
    uint64_t *out;
};

static void fold_slice(void *context, int64_t begin, int64_t end)
{
    const struct folding *folding = context;
    const struct problem *problem = &folding->truth->rig->problem;
    problem->workload->projection->fold(problem, inputs_of(folding->truth), folding->weight, begin, end,
                                        folding->out + begin);
}

static void sums_of(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    const struct truth *truth = context;
    const struct problem *problem = &truth->rig->problem;
    problem->workload->projection->truth(problem, inputs_of(truth), truth->folded, begin, end, sum);
}

/* Compares the whole output of a product by its projection. */
static bool compare_lines(const struct truth *truth, uint64_t seed, const void *result, enum dtype dtype,
                          struct verification *out, struct error *err)
{
    const struct problem *problem = &truth->rig->problem;
    const struct projection *projection = problem->workload->projection;
    struct weighted_lines lines = { .slack = truth->slack, .scale = projection->scale };
    projection->axes(problem, &lines.outer, &lines.length, &lines.inner);
    int64_t folds = (projection->folds ? projection->folds : problem->workload->sum_length)(problem);
    uint64_t *weight = calloc((size_t)lines.length, sizeof *weight), *folded = calloc((size_t)folds, sizeof *folded);
    bool ok = weight && folded;
    if (ok) {
        verify_weights(weight, lines.length, seed);
        struct folding folding = { truth, weight, folded };
        parallel_slices(fold_slice, &folding, 0, folds, 1, 0);
        lines.weight = weight;
        struct truth with_sums = *truth;
        with_sums.folded = folded;
        ok = verify_projection(out, result, dtype, &lines, sums_of, truths_of, &with_sums, err);
    } else {
        fail(err, STATUS_NO_MEMORY, "no memory for a check with %lld weights", (long long)lines.length);
    }
    free(weight);
    free(folded);
    return ok;
}

static double cost_of_element(const struct problem *problem)
{
    const struct workload *workload = problem->workload;
    return workload->sum_length    ? (double)workload->sum_length(problem)
           : workload->expect_cost ? workload->expect_cost(problem)
                                   : 1;
}

/* Elements of a problem that are compared for that many multiply-adds. */
static double elements_for(const struct problem *problem, double work)
{
    return fmax(SAMPLE_LEAST, work / cost_of_element(problem));
}

double truth_work(const struct problem *problem)
{
    const struct projection *projection = problem->workload->projection;
    int64_t outer = 0, length = 0, inner = 0;
    if (projection)
        projection->axes(problem, &outer, &length, &inner);
    const double intermediate = problem->workload->intermediate ? problem->workload->flops(problem) : 0;
    /* A line of the folded product costs as much as one element of the product. */
    return intermediate +
           fmax((double)outer * (double)inner, elements_for(problem, CHANGES_COST)) * cost_of_element(problem);
}

/* Elements of a sampled check. */
static int64_t sample_elements(const struct problem *problem)
{
    return (int64_t)fmin(SAMPLE_MOST, elements_for(problem, SAMPLE_COST));
}

/* Compares the elements of blocks that have changed: all where an element costs next to nothing, else as many as can be
 * compared in so many seconds, and never fewer than of a first result, so that one wrong element is found where few
 * blocks have changed. Of the first result of a computation whose elements are expensive to compare, a sample: whole
 * numbers have shown that the method is right. */
static bool compare_blocks(const struct truth *truth, const struct differences *differences,
                           const struct compare_options *options, const void *result, struct verification *out,
                           struct error *err)
{
    const struct rig *rig = truth->rig;
    const struct operand *operand = &rig->operand[truth->checked];
    const struct blocks blocks = { differences->block, differences->count,
                                   FINGERPRINT_BYTES / (int64_t)dtype_bytes(operand->dtype) };
    const struct fingerprint *known = &rig->known.result[truth->checked];
    const double pace = rig->known.compare_seconds[truth->checked]; /* of the comparison before */
    const double in_time = pace > 0 ? options->seconds / pace : INFINITY;
    int64_t most = operand->count;
    if (!truth_is_cheap(rig) && !known->sum)
        most = sample_elements(&rig->problem);
    else if (!truth_is_cheap(rig))
        most = (int64_t)fmin(elements_for(&rig->problem, CHANGES_COST),
                             fmax(elements_for(&rig->problem, SAMPLE_COST), in_time));
    return verify_elements(out, result, operand->dtype, operand->count, known->sum ? &blocks : NULL, most,
                           options->seed ^ known->seed, truths_of, truth, err);
}

/* Without a change it is the former verification that holds, and every bit was compared with the former result. */
static bool compare_changes(struct rig *rig, struct truth *truth, const struct compare_options *options,
                            const void *result, struct verification *out, struct error *err)
{
    struct fingerprint *known = &rig->known.result[truth->checked];
    struct differences differences;
    bool ok = fingerprint_compare(known, result, rig_bytes(rig, truth->checked), &differences, err);
    const bool is_first = known->sum == NULL;
    *out = known->verification;
    out->is_sample = false;
    if (ok && differences.count > 0) {
        ok = truth_open(truth, err);
        const double start = rig_now(rig);
        ok = ok && compare_blocks(truth, &differences, options, result, out, err);
        if (ok)
            rig->known.compare_seconds[truth->checked] = (rig_now(rig) - start) / (double)out->checked;
    }
    out->differs = !is_first && differences.count > 0 && rig->known.result_shape == rig->kernel_shape;
    if (ok)
        fingerprint_accept(known, &differences);
    else
        fingerprint_refuse(&differences);
    if (is_first)
        known->verification = *out;
    return ok;
}

static bool compare(struct rig *rig, struct truth *truth, const struct compare_options *options, const void *result,
                    struct verification *out, struct error *err)
{
    const struct operand *operand = &rig->operand[truth->checked];
    const struct projection *projection = rig->problem.workload->projection;
    if (options->how == CHANGES)
        return compare_changes(rig, truth, options, result, out, err);
    if (!truth_open(truth, err))
        return false;
    if (options->how == BY_LINES && projection->output == truth->output)
        return compare_lines(truth, options->seed, result, operand->dtype, out, err);
    const int64_t most = options->how == SAMPLE ? sample_elements(&rig->problem) : operand->count;
    return verify_elements(out, result, operand->dtype, operand->count, NULL, most, options->seed, truths_of, truth,
                           err);
}

/* Compares one output. What a copied run does not bring back is read on the device. */
static bool compare_output(struct rig *rig, struct truth *truth, const struct compare_options *options,
                           struct verification *out, struct error *err)
{
    const unsigned checked = truth->checked;
    const bool is_on_host =
        options->place == ON_HOST && (rig->moves & 1u << checked || rig->device.works_in_host_memory);
    char *base = is_on_host ? rig_host_side(rig, checked, MAP_READ, err) : rig_read_operand(rig, checked, err);
    struct error own = { .status = STATUS_OK };
    bool right = base && compare(rig, truth, options, base + rig->margin, out, &own);
    const bool is_only = compared_next(rig, compared_next(rig, 0) + 1) == rig->operands;
    if (base && !right)
        fail_in(err, own.where, own.status, "%s%s%s", is_only ? "" : rig->operand[checked].name, is_only ? "" : ": ",
                own.message);
    return rig_end_access(rig, checked, right ? err : NULL) && right;
}

bool truth_compare(struct rig *rig, const struct compare_options *options, struct verification *out, struct error *err)
{
    struct truth truth = { .rig = rig, .checked = compared_next(rig, 0), .slack = options->slack };
    bool right = true;
    while (right && truth.checked < rig->operands) {
        struct verification one;
        right = compare_output(rig, &truth, options, &one, err);
        if (right && truth.output == 0) {
            *out = one;
        } else if (right) { /* errors are those of the first output: a loss has another size than a weight */
            out->checked += one.checked;
            out->of += one.of;
            out->is_sample |= one.is_sample;
            out->differs |= one.differs;
            out->weak |= one.weak;
        }
        truth.before += rig->operand[truth.checked].count;
        truth.output++;
        truth.checked = compared_next(rig, truth.checked + 1);
    }
    if (options->how == CHANGES)
        rig->known.result_shape = rig->kernel_shape;
    return right;
}
