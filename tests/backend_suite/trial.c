#include "tests/backend_suite/trial.h"

#include "harness/random.h"
#include "harness/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct truth {
    const struct problem *problem;
    const void *operand[OPERANDS_MAX];
    bool is_exact;
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    truth->problem->workload->expect(truth->problem, truth->operand, index, value, bound);
    if (truth->is_exact)
        *bound = 0;
}

static void operand_fill(const struct trial *trial, const struct operand *operand, unsigned i, char *image)
{
    size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
    void *elements = image + trial->margin;
    verify_guard_write(image, trial->margin, SEED + i);
    verify_guard_write(image + trial->margin + bytes, trial->margin, SEED + i);
    if (operand->role == ROLE_OUTPUT)
        verify_poison(elements, operand->dtype, operand->count);
    else if (trial->range)
        random_fill_integer(elements, operand->dtype, 0, operand->count, SEED, i, trial->range);
    else
        random_fill_uniform(elements, operand->dtype, 0, operand->count, SEED, i);
}

static void answer_spoil(const struct operand *operand, void *elements)
{
    int64_t last = operand->count - 1;
    if (operand->dtype == DTYPE_F32)
        ((float *)elements)[last] += 1;
    else
        ((double *)elements)[last] += 1;
}

/* Looks at every element of the output, and at what lies around each operand. */
static bool trial_check(struct bed *bed, const struct trial *trial, const struct operand operand[], unsigned operands,
                        char *const image[], struct buffer *const buffer[], struct error *err)
{
    struct truth truth = { .problem = &trial->problem, .is_exact = trial->range != 0 };
    for (unsigned i = 0; i < operands; i++)
        truth.operand[i] = image[i] + trial->margin;
    bool ok = true;
    for (unsigned i = 0; i < operands; i++) {
        size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        buffer_get(bed, image[i], buffer[i], bytes + 2 * trial->margin, trial->memory);
        if (trial->plant && operand[i].role == ROLE_OUTPUT)
            answer_spoil(&operand[i], image[i] + trial->margin);
        struct verdict verdict;
        ok &= verify_guard_read(image[i], trial->margin, SEED + i, operand[i].name, err) &&
              verify_guard_read(image[i] + trial->margin + bytes, trial->margin, SEED + i, operand[i].name, err);
        if (operand[i].role == ROLE_OUTPUT)
            ok &= verify_all(&verdict, image[i] + trial->margin, operand[i].dtype, operand[i].count, truth_of, &truth,
                             err);
    }
    return ok;
}

bool trial_run(struct bed *bed, struct trial *trial, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = trial->problem.workload->operands(&trial->problem, operand);
    struct job job = { .problem = &trial->problem, .variant = trial->variant };
    struct buffer *buffer[OPERANDS_MAX] = { NULL };
    char *image[OPERANDS_MAX] = { NULL }, detail[DETAIL_MAX] = "";
    for (unsigned i = 0; i < operands; i++) {
        size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype), all = bytes + 2 * trial->margin;
        buffer[i] = buffer_make(bed, all, trial->memory);
        trial->has_no_memory = !buffer[i];
        if (!buffer[i])
            return true;
        image[i] = malloc(all);
        cr_assert(image[i]);
        operand_fill(trial, &operand[i], i, image[i]);
        buffer_put(bed, buffer[i], image[i], all, trial->memory);
        job.operand[i] = (struct binding){ buffer[i], trial->margin, bytes };
    }
    struct task *task = bed->backend->prepare(bed->session, &job, detail, err);
    bool ok = task && bed->backend->submit(task, 0, trial->span, err) && bed->backend->finish(bed->session, 0, err) &&
              trial_check(bed, trial, operand, operands, image, buffer, err);
    bed->backend->discard(task);
    for (unsigned i = 0; i < operands; i++) {
        bed->backend->release(bed->session, buffer[i]);
        free(image[i]);
    }
    return ok;
}

bool is_meant_for(const struct variant *variant, const char *backend)
{
    for (unsigned i = 0; variant->backends[i]; i++) {
        if (strcmp(variant->backends[i], backend) == 0)
            return true;
    }
    return false;
}

bool problem_make(struct problem *out, const struct workload *workload, enum dtype dtype, int64_t size)
{
    const char *largest = getenv("SUITE_LARGEST");
    if (largest && size > strtoll(largest, NULL, 10))
        return false;
    *out = (struct problem){ .workload = workload, .dtype = dtype };
    for (unsigned i = 0; workload->dims[i].name; i++) {
        const struct dim *dim = &workload->dims[i];
        int64_t wanted = dim->fallback >= 0 ? dim->fallback : size + 2 * (int64_t)i;
        out->dim[i] = wanted < dim->least ? dim->least : wanted > dim->most ? dim->most : wanted;
    }
    return !workload->check || workload->check(out, NULL);
}

void for_each_method(struct bed *bed, method_body *body)
{
    unsigned tried = 0;
    for (unsigned w = 0; workloads[w]; w++) {
        const struct variant *variant = workloads[w]->variants;
        for (; variant && variant->name; variant++) {
            for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
                if (!is_meant_for(variant, bed->backend->name) || !(workloads[w]->dtypes & 1u << dtype) ||
                    !bed->device.computes[dtype])
                    continue;
                body(bed, workloads[w], variant, (enum dtype)dtype);
                tried++;
            }
        }
    }
    if (tried == 0)
        cr_skip_test("no workload has a variant for %s", bed->device.name);
}
