#include "tests/support/method_run.h"

#include "harness/base/parallel.h"
#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <math.h>

enum { SEED = 1 };

static void fill(struct method_run *run, unsigned i, const struct integers *integers)
{
    const struct operand *operand = &run->operand[i];
    if (operand->role == ROLE_OUTPUT)
        verify_poison(run->view[i], operand->dtype, operand->count);
    else if (run->is_whole)
        random_fill(run->view[i], operand->dtype, 0, operand->count, SEED, i, integers);
    else
        random_fill(run->view[i], operand->dtype, 0, operand->count, SEED, i, NULL);
}

bool method_run_open(struct method_run *run, const char *workload, const char *method, const char *shape,
                     const struct method_terms *terms)
{
    static struct device listed;
    const struct backend *cpu = backend_find("cpu");
    unsigned count = 0;
    *run = (struct method_run){ .backend = cpu, .is_whole = terms && terms->is_whole };
    if (!problem_parse(&run->problem, workload_find(workload), terms ? terms->dtype : DTYPE_F32, shape, &run->err) ||
        ((!terms || !terms->device) && !cpu->list("", &listed, 1, &count, &run->err)))
        return false;
    run->method = method_find(run->problem.workload, method);
    run->session = cpu->open(terms && terms->device ? terms->device : &listed,
                             terms && terms->threads > 0 ? terms->threads : parallel_threads(), &run->err);
    run->operands = run->problem.workload->operands(&run->problem, run->operand);
    run->output = run->operands - 1;
    const struct integers integers = run->problem.workload->exact(&run->problem);
    struct job job = { .problem = &run->problem, .method = run->method };
    for (unsigned i = 0; run->session && i < run->operands; i++) {
        const size_t bytes = (size_t)run->operand[i].count * dtype_bytes(run->operand[i].dtype);
        run->buffer[i] = cpu->alloc(run->session, bytes, MEMORY_PAGEABLE, &run->err);
        if (!run->buffer[i])
            return false;
        run->view[i] = cpu->map(run->session, run->buffer[i], MAP_WRITE, &run->err);
        job.operand[i] = (struct binding){ run->buffer[i], 0, bytes };
        fill(run, i, &integers);
    }
    if (run->session)
        run->task = cpu->prepare(run->session, &job, run->detail, &run->err);
    return run->task != NULL;
}

void method_run_close(struct method_run *run)
{
    if (!run->session)
        return;
    run->backend->discard(run->task);
    for (unsigned i = 0; i < run->operands; i++)
        run->backend->release(run->session, run->buffer[i]);
    run->backend->close(run->session);
}

bool method_run_once(struct method_run *run)
{
    return run->backend->submit(run->task, 0, 0, NULL, &run->err) && run->backend->finish(run->session, 0, &run->err);
}

bool method_run_repack(struct method_run *run, unsigned operands, enum repack_way way)
{
    const unsigned repacks = run->backend->repacks(run->task) & operands;
    bool ok = true;
    for (unsigned i = 0; ok && i < run->operands; i++)
        if (repacks & 1u << i)
            ok = run->backend->repack(run->task, i, way, &run->err);
    return ok;
}

bool method_run_whole(struct method_run *run)
{
    unsigned outputs = 0;
    for (unsigned i = 0; i < run->operands; i++)
        outputs |= (unsigned)(run->operand[i].role == ROLE_OUTPUT) << i;
    return method_run_repack(run, ~outputs, REPACK_IN) && method_run_once(run) &&
           method_run_repack(run, outputs, REPACK_BACK);
}

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct method_run *run = context;
    const void *operand[OPERANDS_MAX];
    for (unsigned i = 0; i < run->operands; i++)
        operand[i] = run->view[i];
    run->problem.workload->expect(&run->problem, method_sums(run->method, run->problem.dtype), operand, index, value,
                                  bound);
    *bound *= run->method->is_fast ? FAST_BOUND_FACTOR : 1;
    if (run->is_whole)
        *bound = run->method->is_fast ? fmin(*bound, 0.5) : 0;
}

bool method_run_is_right(struct method_run *run)
{
    struct verification verdict;
    const struct operand *output = &run->operand[run->output];
    return verify_all(&verdict, run->view[run->output], output->dtype, output->count, truth_of, run, &run->err);
}
