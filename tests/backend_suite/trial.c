#include "tests/backend_suite/trial.h"

#include "harness/base/element.h"
#include "harness/measure/random.h"
#include "tests/support/bytes.h"
#include "tests/support/isa.h"
#include "tests/support/one_truth.h"
#include "tests/support/shapes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct truth {
    const struct trial *trial;
    const void *operand[OPERANDS_MAX + 1]; /* and after them intermediate results */
    int64_t before;                        /* elements of the outputs before the one that is checked */
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    const struct problem *problem = &truth->trial->problem;
    const struct method *method = truth->trial->method;
    problem->workload->expect(problem, method_sums(method, problem->dtype), truth->operand, truth->before + index,
                              value, bound);
    if (truth->trial->integers.range)
        *bound = method->is_fast ? 0.25 : 0; /* exact after rounding, or at once */
    else if (method->is_fast)
        *bound *= FAST_BOUND_FACTOR;
}

/* Libraries may saturate sums of bytes beyond the range that the program has; our own methods must not, and oneDNN does
 * not on a processor with VNNI. */
static bool takes_all_bytes(const struct method *method)
{
    return is_own(method) || (strcmp(method->name, "onednn") == 0 && isa_runs("vnni"));
}

static void operand_fill(const struct trial *trial, const struct operand *operand, unsigned i, char *image)
{
    size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
    void *elements = image + trial->margin;
    const struct integers integers = problem_integers(&trial->problem, i, &trial->integers);
    verify_guard_write(image, trial->margin, SEED + i);
    verify_guard_write(image + trial->margin + bytes, trial->margin, SEED + i);
    if (operand->role == ROLE_OUTPUT)
        verify_poison(elements, operand->dtype, operand->count);
    else if (trial->integers.range)
        random_fill(elements, operand->dtype, 0, operand->count, SEED, i, &integers);
    else if (operand->dtype == DTYPE_I8 && takes_all_bytes(trial->method))
        fill_extremes(elements, operand->count, SEED, i);
    else
        random_fill(elements, operand->dtype, 0, operand->count, SEED, i, NULL);
}

static void answer_spoil(const struct operand *operand, void *elements)
{
    int64_t last = operand->count - 1;
    element_put(elements, operand->dtype, last, element_at(elements, operand->dtype, last) + 1);
}

/* What one trial holds, operand by operand. */
struct setting {
    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    struct buffer *buffer[OPERANDS_MAX];
    char *image[OPERANDS_MAX], *result; /* what was put into each, and what came back of one */
    double *intermediate;               /* that the truth needs */
};

static size_t image_bytes(const struct trial *trial, const struct operand *operand)
{
    return (size_t)operand->count * dtype_bytes(operand->dtype) + 2 * trial->margin;
}

static void intermediate_make(struct setting *setting, const struct trial *trial)
{
    const struct problem *problem = &trial->problem;
    const void *operand[OPERANDS_MAX] = { NULL };
    if (!problem->workload->intermediate)
        return;
    for (unsigned i = 0; i < setting->operands; i++)
        operand[i] = setting->image[i] + trial->margin;
    setting->intermediate = malloc((size_t)problem_intermediate_bytes(problem));
    cr_assert(setting->intermediate);
    problem->workload->intermediate(problem, method_sums(trial->method, problem->dtype), operand,
                                    setting->intermediate);
}

/* False where the device has no such memory. */
static bool setting_make(struct setting *setting, struct bed *bed, const struct trial *trial, struct job *job)
{
    size_t largest = 0;
    setting->operands = trial->problem.workload->operands(&trial->problem, setting->operand);
    for (unsigned i = 0; i < setting->operands; i++) {
        size_t all = image_bytes(trial, &setting->operand[i]);
        setting->buffer[i] = buffer_make(bed, all, trial->memory);
        if (!setting->buffer[i])
            return false;
        setting->image[i] = malloc(all);
        cr_assert(setting->image[i]);
        operand_fill(trial, &setting->operand[i], i, setting->image[i]);
        job->operand[i] = (struct binding){ setting->buffer[i], trial->margin, all - 2 * trial->margin };
        largest = all > largest ? all : largest;
    }
    setting->result = malloc(largest);
    cr_assert(setting->result);
    intermediate_make(setting, trial);
    return true;
}

static void setting_release(struct setting *setting, struct bed *bed)
{
    for (unsigned i = 0; i < setting->operands; i++) {
        bed->backend->release(bed->session, setting->buffer[i]);
        free(setting->image[i]);
    }
    free(setting->result);
    free(setting->intermediate);
}

/* Parts that the workload computes a run in. */
static unsigned parts_of(const struct problem *problem)
{
    struct step step[STEPS_MAX];
    unsigned steps = problem->workload->steps ? problem->workload->steps(problem, step) : 0;
    for (unsigned i = 0; i < steps; i++)
        if (step[i].kind == STEP_COMPUTE && step[i].parts > 1)
            return step[i].parts;
    return 1;
}

/* All of them, one after the other. */
static bool run_submit(struct bed *bed, const struct trial *trial, struct task *task, struct error *err)
{
    const unsigned parts = parts_of(&trial->problem);
    for (unsigned part = 0; part < parts; part++) {
        bool is_edge = part == 0 || part + 1 == parts;
        if (!bed->backend->submit(task, 0, part, is_edge ? trial->span : NULL, err))
            return false;
    }
    return true;
}

static bool repack(struct bed *bed, struct task *task, unsigned operand, enum repack_way way, struct error *err)
{
    const struct backend *backend = bed->backend;
    if (!backend->repacks || !(backend->repacks(task) & 1u << operand))
        return true;
    return backend->repack(task, operand, way, err) && backend->finish(bed->session, 0, err);
}

/* Operands are put where the task finds them, the poisoned output too, or an earlier result could pass for a new one.
 */
static bool trial_compute(struct bed *bed, const struct trial *trial, const struct setting *setting, struct task *task,
                          struct error *err)
{
    for (unsigned i = 0; i < setting->operands; i++) {
        buffer_put(bed, setting->buffer[i], setting->image[i], image_bytes(trial, &setting->operand[i]), trial->memory);
        if (!repack(bed, task, i, REPACK_IN, err))
            return false;
    }
    if (!run_submit(bed, trial, task, err) || !bed->backend->finish(bed->session, 0, err))
        return false;
    for (unsigned i = 0; i < setting->operands; i++)
        if (setting->operand[i].role == ROLE_OUTPUT && !repack(bed, task, i, REPACK_BACK, err))
            return false;
    return true;
}

/* Looks at every element of one operand, and at what lies around it. */
static bool operand_check(struct bed *bed, const struct trial *trial, const struct setting *setting, unsigned i,
                          struct error *err)
{
    const struct operand *operand = &setting->operand[i];
    const size_t all = image_bytes(trial, operand);
    char *elements = setting->result + trial->margin;
    buffer_get(bed, setting->result, setting->buffer[i], all, trial->memory);
    if (!verify_guard_read(setting->result, trial->margin, SEED + i, operand->name, err) ||
        !verify_guard_read(setting->result + all - trial->margin, trial->margin, SEED + i, operand->name, err))
        return false;
    if (operand->role == ROLE_INPUT)
        return memcmp(setting->result, setting->image[i], all) == 0 ||
               fail(err, STATUS_WRONG, "the input %s was written to", operand->name);
    if (trial->plant)
        answer_spoil(operand, elements);
    struct truth truth = { .trial = trial };
    for (unsigned k = 0; k < setting->operands; k++)
        truth.operand[k] = setting->image[k] + trial->margin;
    for (unsigned k = 0; k < i; k++)
        truth.before += setting->operand[k].role == ROLE_OUTPUT ? setting->operand[k].count : 0;
    truth.operand[setting->operands] = setting->intermediate;
    struct verification verdict;
    return verify_all(&verdict, elements, operand->dtype, operand->count, truth_of, &truth, err);
}

bool trial_run(struct bed *bed, struct trial *trial, struct error *err)
{
    struct setting setting = { .operands = 0 };
    struct job job = { .problem = &trial->problem,
                       .method = trial->method,
                       .parts = parts_of(&trial->problem),
                       .kernel_shape = trial->kernel_shape };
    char detail[DETAIL_MAX] = "";
    trial->has_no_memory = !setting_make(&setting, bed, trial, &job);
    bool ok = true;
    if (!trial->has_no_memory) {
        struct task *task = bed->backend->prepare(bed->session, &job, detail, err);
        cr_expect_neq(*detail, ',', "%s", detail);
        ok = task && trial_compute(bed, trial, &setting, task, err);
        for (unsigned i = 0; ok && i < setting.operands; i++)
            ok = operand_check(bed, trial, &setting, i, err);
        bed->backend->discard(task);
    }
    setting_release(&setting, bed);
    return ok;
}

bool is_meant_for(const struct method *method, const char *backend)
{
    for (unsigned i = 0; method->backends[i]; i++) {
        if (strcmp(method->backends[i], backend) == 0)
            return true;
    }
    return false;
}

bool is_own(const struct method *method)
{
    return method->native || (method->portable && !method->calls_library);
}

struct problem problem_of(const struct workload *workload, enum dtype dtype, const char *shape)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload, dtype, shape, &err), "%s", err.message);
    return problem;
}

bool was_tried(struct bed *bed, const struct trial *trial, bool ok, const struct error *err)
{
    if (!ok && err->status == STATUS_UNSUPPORTED && !is_own(trial->method)) {
        if (bed->refusal.status == STATUS_OK)
            bed->refusal = *err;
        return false;
    }
    bed->tried++;
    return true;
}

static bool is_wanted(const struct bed *bed, const struct workload *workload, const struct method *method)
{
    const char *name = getenv("SUITE_METHOD"), *only = getenv("SUITE_WORKLOAD");
    return is_meant_for(method, bed->backend->name) && (!only || strcmp(only, workload->name) == 0) &&
           (name ? strcmp(name, method->name) == 0 : is_own(method));
}

static bool is_left_out(enum dtype dtype)
{
    const char *types = getenv("SUITE_TYPES");
    if (types && strcmp(types, "few") == 0)
        return dtype == DTYPE_BF16 || dtype == DTYPE_TF32;
    return types && strcmp(types, dtype_name(dtype)) != 0;
}

/* Some methods are for no problem of a type. */
static bool is_for_any(const struct workload *workload, const struct method *method, enum dtype dtype)
{
    for (const char *const *shape = tried_shapes(workload); *shape; shape++) {
        const struct problem problem = problem_of(workload, dtype, *shape);
        if (method_is_for(method, &problem))
            return true;
    }
    return false;
}

void for_each_method(struct bed *bed, method_body *body)
{
    bed->tried = 0;
    bed->refusal = (struct error){ .status = STATUS_OK };
    for (unsigned w = 0; workloads[w]; w++) {
        const struct method *method = workloads[w]->methods;
        for (; method && method->name; method++) {
            for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
                if (is_wanted(bed, workloads[w], method) && workloads[w]->dtypes & 1u << dtype &&
                    bed->device.computes[dtype] && !is_left_out((enum dtype)dtype) &&
                    is_for_any(workloads[w], method, (enum dtype)dtype))
                    body(bed, workloads[w], method, (enum dtype)dtype);
            }
        }
    }
    if (bed->tried > 0)
        return;
    if (bed->refusal.status != STATUS_OK)
        cr_skip_test("%s", bed->refusal.message);
    cr_skip_test("no workload has such a method for %s", bed->device.name);
}
