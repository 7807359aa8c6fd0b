#include "tests/benchmarks/method_run.h"

#include "harness/base/parallel.h"
#include "harness/measure/random.h"

enum { SEED = 1 };

bool method_run_open(struct method_run *method_run, const char *workload, const char *method, const char *shape,
                     struct error *err)
{
    static struct device device;
    unsigned count = 0;
    *method_run = (struct method_run){ .backend = backend_find("cpu") };
    if (!problem_parse(&method_run->problem, workload_find(workload), DTYPE_F32, shape, err) ||
        !method_run->backend->list("", &device, 1, &count, err))
        return false;
    method_run->method = method_find(method_run->problem.workload, method);
    method_run->session = method_run->backend->open(&device, parallel_threads(), err);
    method_run->operands = method_run->problem.workload->operands(&method_run->problem, method_run->operand);
    struct job job = { .problem = &method_run->problem, .method = method_run->method };
    for (unsigned i = 0; method_run->session && i < method_run->operands; i++) {
        size_t bytes = (size_t)method_run->operand[i].count * dtype_bytes(DTYPE_F32);
        method_run->buffer[i] = method_run->backend->alloc(method_run->session, bytes, MEMORY_PAGEABLE, err);
        if (!method_run->buffer[i])
            return false;
        method_run->view[i] = method_run->backend->map(method_run->session, method_run->buffer[i], MAP_WRITE, err);
        random_fill_uniform(method_run->view[i], DTYPE_F32, 0, method_run->operand[i].count, SEED, i);
        job.operand[i] = (struct binding){ method_run->buffer[i], 0, bytes };
    }
    if (method_run->session)
        method_run->task = method_run->backend->prepare(method_run->session, &job, method_run->detail, err);
    return method_run->task != NULL;
}

void method_run_close(struct method_run *method_run)
{
    if (!method_run->session)
        return;
    method_run->backend->discard(method_run->task);
    for (unsigned i = 0; i < method_run->operands; i++)
        method_run->backend->release(method_run->session, method_run->buffer[i]);
    method_run->backend->close(method_run->session);
}

bool method_run_once(struct method_run *method_run)
{
    return method_run->backend->submit(method_run->task, 0, 0, NULL, NULL) &&
           method_run->backend->finish(method_run->session, 0, NULL);
}

/* Inputs into the method_run's layout, or the output back. */
static bool repack(struct method_run *method_run, enum repack_way way)
{
    unsigned repacks = method_run->backend->repacks(method_run->task);
    for (unsigned i = 0; i < method_run->operands; i++) {
        bool is_of_way = (method_run->operand[i].role == ROLE_OUTPUT) == (way == REPACK_BACK);
        if (repacks & 1u << i && is_of_way && !method_run->backend->repack(method_run->task, i, way, NULL))
            return false;
    }
    return true;
}

bool method_run_run_whole(struct method_run *method_run)
{
    return repack(method_run, REPACK_IN) && method_run_once(method_run) && repack(method_run, REPACK_BACK);
}
