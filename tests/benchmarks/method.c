#include "tests/benchmarks/method.h"

#include "harness/base/parallel.h"
#include "harness/measure/random.h"

enum { SEED = 1 };

bool method_open(struct method *method, const char *workload, const char *variant, const char *shape, struct error *err)
{
    static struct device device;
    unsigned count = 0;
    *method = (struct method){ .backend = backend_find("cpu") };
    if (!problem_parse(&method->problem, workload_find(workload), DTYPE_F32, shape, err) ||
        !method->backend->list("", &device, 1, &count, err))
        return false;
    method->variant = variant_find(method->problem.workload, variant);
    method->session = method->backend->open(&device, parallel_threads(), err);
    method->operands = method->problem.workload->operands(&method->problem, method->operand);
    struct job job = { .problem = &method->problem, .variant = method->variant };
    for (unsigned i = 0; method->session && i < method->operands; i++) {
        size_t bytes = (size_t)method->operand[i].count * dtype_bytes(DTYPE_F32);
        method->buffer[i] = method->backend->alloc(method->session, bytes, MEMORY_PAGEABLE, err);
        if (!method->buffer[i])
            return false;
        method->view[i] = method->backend->map(method->session, method->buffer[i], MAP_WRITE, err);
        random_fill_uniform(method->view[i], DTYPE_F32, 0, method->operand[i].count, SEED, i);
        job.operand[i] = (struct binding){ method->buffer[i], 0, bytes };
    }
    if (method->session)
        method->task = method->backend->prepare(method->session, &job, method->detail, err);
    return method->task != NULL;
}

void method_close(struct method *method)
{
    if (!method->session)
        return;
    method->backend->discard(method->task);
    for (unsigned i = 0; i < method->operands; i++)
        method->backend->release(method->session, method->buffer[i]);
    method->backend->close(method->session);
}

bool method_run(struct method *method)
{
    return method->backend->submit(method->task, 0, 0, NULL, NULL) && method->backend->finish(method->session, 0, NULL);
}

/* Inputs into the method's layout, or the output back. */
static bool repack(struct method *method, enum repack_way way)
{
    unsigned repacks = method->backend->repacks(method->task);
    for (unsigned i = 0; i < method->operands; i++) {
        bool is_of_way = (method->operand[i].role == ROLE_OUTPUT) == (way == REPACK_BACK);
        if (repacks & 1u << i && is_of_way && !method->backend->repack(method->task, 0, i, way, NULL))
            return false;
    }
    return true;
}

bool method_run_whole(struct method *method)
{
    return repack(method, REPACK_IN) && method_run(method) && repack(method, REPACK_BACK);
}
