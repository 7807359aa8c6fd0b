#include "bench/backends/common/portions.h"
#include "bench/backends/cuda/cuda.h"
#include "harness/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel text, compiled and bound. */
struct task {
    struct session *session;
    struct cuda_module *module;
    struct cuda_function *kernel[PASSES_MAX];
    struct buffer *scratch[SCRATCH_MAX];
    struct problem problem;
    struct launch launch;
    struct portions portions;
    unsigned operands, scratches, dims;
    uint64_t address[OPERANDS_MAX]; /* of the operands as a whole */
    struct operand operand[OPERANDS_MAX];
};

/* What a kernel is called with: a pointer to each value, NULL after the last. Operands, scratch, dims, groups before
 * the portion. */
enum { ARGUMENTS_MAX = OPERANDS_MAX + SCRATCH_MAX + DIMS_MAX + 2 };
struct arguments {
    uint64_t address[OPERANDS_MAX + SCRATCH_MAX];
    int64_t dim[DIMS_MAX], before;
    void *pointer[ARGUMENTS_MAX];
};

/* Whether the device takes groups of the size that the launch asks for, and so many of them. */
static bool pass_fits(const struct task *task, const struct pass *pass, struct error *err)
{
    const struct session *session = task->session;
    const struct cuda_driver *driver = &session->driver;
    const size_t threads = (size_t)cuda_attribute(driver, session->ordinal, CUDA_MOST_THREADS_OF_A_BLOCK),
                 shared = (size_t)cuda_attribute(driver, session->ordinal, CUDA_SHARED_BYTES_OF_A_BLOCK);
    const size_t most[3] = { 0x7fffffff, 65535, 65535 }; /* blocks: CUDA C++ Programming Guide, compute capabilities */
    if (pass->local[0] == 0)
        return fail(err, STATUS_UNSUPPORTED, "%s leaves its groups to the driver, and CUDA's does not choose them",
                    pass->entry);
    for (unsigned i = 0; i < pass->dims; i++)
        if (pass->global[i] / pass->local[i] > most[i])
            return fail(err, STATUS_UNSUPPORTED, "%zu groups along dimension %u, CUDA has %zu at most",
                        pass->global[i] / pass->local[i], i, most[i]);
    return portions_group_fits(pass, threads, shared, err);
}

static bool task_fits(const struct task *task, struct error *err)
{
    for (unsigned i = 0; i < task->launch.passes; i++)
        if (!pass_fits(task, &task->launch.pass[i], err))
            return false;
    return true;
}

static bool task_compile(struct task *task, const char *source, char version[COMPILER_TEXT], struct error *err)
{
    const struct cuda_driver *driver = &task->session->driver;
    char defines[sizeof task->launch.defines + 32];
    snprintf(defines, sizeof defines, "%s%s", task->launch.defines,
             task->problem.dtype == DTYPE_F64 ? " -DREAL_IS_DOUBLE=1" : "");
    void *image = cuda_compile(task->session, source, defines, version, err);
    if (!image)
        return false;
    int code = driver->module_open(&task->module, image);
    free(image);
    if (code != CUDA_OK) {
        task->module = NULL;
        return cuda_refuse(driver, err, "cuModuleLoadData", code);
    }
    for (unsigned i = 0; i < task->launch.passes; i++) {
        code = driver->module_function(&task->kernel[i], task->module, task->launch.pass[i].entry);
        if (code != CUDA_OK)
            return cuda_refuse(driver, err, "cuModuleGetFunction", code);
    }
    return true;
}

/* Device memory that passes hand on to each other. */
static bool task_alloc(struct task *task, struct error *err)
{
    for (; task->scratches < SCRATCH_MAX && task->launch.scratch[task->scratches] > 0; task->scratches++) {
        size_t bytes = (size_t)task->launch.scratch[task->scratches];
        task->scratch[task->scratches] = cuda_alloc(task->session, bytes, MEMORY_PAGEABLE, err);
        if (!task->scratch[task->scratches])
            return false;
    }
    return true;
}

static struct task *task_new(struct session *session, const struct job *job, struct error *err)
{
    struct task *task = calloc(1, sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    task->session = session;
    task->problem = *job->problem;
    task->dims = portions_dims(job->problem, job->variant->portable);
    task->operands = job->problem->workload->operands(job->problem, task->operand);
    for (unsigned i = 0; i < task->operands; i++)
        task->address[i] = job->operand[i].buffer->address + job->operand[i].offset;
    job->variant->portable->launch(job->problem, &session->device, &task->launch);
    return task;
}

struct task *cuda_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    const struct variant *variant = job->variant;
    char version[COMPILER_TEXT];
    if (!variant->portable) {
        fail(err, STATUS_UNSUPPORTED, "%s has no %s for CUDA", job->problem->workload->name, variant->name);
        return NULL;
    }
    struct task *task = task_new(session, job, err);
    if (!task)
        return NULL;
    if (portions_plan(&task->portions, &task->launch, job->problem, variant, &session->device, job->parts,
                      session->kernels_time_out, err) &&
        task_fits(task, err) && task_compile(task, variant->portable->source, version, err) && task_alloc(task, err)) {
        snprintf(detail, DETAIL_MAX, "%.*s, %s", DETAIL_MAX - COMPILER_TEXT - 4, task->launch.detail, version);
        return task;
    }
    cuda_discard(task);
    return NULL;
}

/* A part that moves by itself sees arrays that begin with it, and as many elements as there are from there on. */
static void arguments_fill(struct arguments *to, const struct task *task, const struct portion *portion)
{
    unsigned count = 0, addresses = 0;
    int64_t begin = 0, end;
    for (unsigned i = 0; i < task->operands; i++) {
        if (task->portions.moves_in_parts)
            problem_part(&task->problem, task->operand[i].count, portion->part, task->portions.parts, &begin, &end);
        to->address[addresses++] = task->address[i] + (uint64_t)begin * dtype_bytes(task->operand[i].dtype);
    }
    for (unsigned i = 0; i < task->scratches; i++)
        to->address[addresses++] = task->scratch[i]->address;
    for (unsigned i = 0; i < addresses; i++)
        to->pointer[count++] = &to->address[i];
    for (unsigned i = 0; i < task->dims; i++) {
        to->dim[i] = task->problem.dim[i] - (i == 0 ? begin : 0);
        to->pointer[count++] = &to->dim[i];
    }
    const struct pass *pass = &task->launch.pass[portion->pass];
    to->before = (int64_t)(portion->start / pass->local[0]);
    if (pass->is_divisible)
        to->pointer[count++] = &to->before;
}

/* Where portions of a run go. */
struct submission {
    struct task *task;
    struct cuda_stream *stream;
    unsigned queue;
    struct span *span;
};

static bool put_portion(void *context, const struct portion *portion, struct error *err)
{
    const struct submission *to = context;
    const struct task *task = to->task;
    const struct pass *pass = &task->launch.pass[portion->pass];
    struct arguments arguments = { .before = 0 };
    unsigned blocks[3] = { 1, 1, 1 }, threads[3] = { 1, 1, 1 };
    for (unsigned i = 0; i < pass->dims; i++) {
        const size_t items = i == 0 ? portion->end - portion->start : pass->global[i];
        threads[i] = (unsigned)pass->local[i];
        blocks[i] = (unsigned)(items / pass->local[i]);
    }
    arguments_fill(&arguments, task, portion);
    if (portion->is_first && !cuda_span_begin(task->session, to->queue, to->span, err))
        return false;
    int code = task->session->driver.launch(task->kernel[portion->pass], blocks[0], blocks[1], blocks[2], threads[0],
                                            threads[1], threads[2], 0, to->stream, arguments.pointer, NULL);
    if (code != CUDA_OK)
        return cuda_refuse(&task->session->driver, err, "cuLaunchKernel", code);
    return !portion->is_last || cuda_span_end(task->session, to->queue, to->span, err);
}

bool cuda_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct submission to = { task, cuda_queue(task->session, queue, err), queue, span };
    return to.stream && portions_submit(&task->portions, &task->launch, part, put_portion, &to, err);
}

void cuda_discard(struct task *task)
{
    if (!task)
        return;
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        cuda_release(task->session, task->scratch[i]);
    if (task->module)
        task->session->driver.module_close(task->module);
    free(task);
}
