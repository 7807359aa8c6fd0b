#include "bench/backends/cuda/portable.h"

#include "bench/backends/common/kernel.h"
#include "bench/backends/cuda/nvrtc.h"

#include <stdio.h>

/* The arguments of a kernel, as an array of pointers with NULL after the last: operands, scratch, dims, and the number
 * of groups before the launch. */
enum { ARGUMENTS_MAX = OPERANDS_MAX + SCRATCH_MAX + DIMS_MAX + 2 };
struct arguments {
    uint64_t address[OPERANDS_MAX + SCRATCH_MAX];
    int64_t dim[DIMS_MAX], before;
    void *pointer[ARGUMENTS_MAX];
};

/* Whether the device can run groups of this size, and this many. */
static bool work_fits(const struct cuda_portable_work *work, struct error *err)
{
    const struct session *session = work->session;
    const struct cuda_driver *driver = &session->driver;
    const size_t threads = (size_t)cuda_attribute(driver, session->ordinal, CUDA_MOST_THREADS_OF_A_BLOCK),
                 shared = (size_t)cuda_attribute(driver, session->ordinal, CUDA_SHARED_BYTES_OF_A_BLOCK);
    const size_t most = 0x7fffffff; /* groups: CUDA C++ Programming Guide, compute capabilities */
    for (const struct pass *pass = work->launch.pass; pass < work->launch.pass + work->launch.passes; pass++)
        if (pass->items / pass->group > most)
            return fail(err, STATUS_UNSUPPORTED, "%zu groups, CUDA's limit is %zu", pass->items / pass->group, most);
    return kernel_groups_fit(&work->launch, threads, shared, err);
}

/* Whether the device can run the groups of a compiled kernel: its registers may allow smaller ones only. Of the kernel
 * shapes to choose from, one whose work-items keep a part of their variables in memory is none. */
static bool kernel_fits(const struct cuda_portable_work *work, unsigned i, bool is_choice, struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    int threads = 0, spilled = 0;
    if (!cuda_call(driver, err, function_attribute, &threads, CUDA_MOST_THREADS_OF_A_KERNEL, work->kernel[i]) ||
        !cuda_call(driver, err, function_attribute, &spilled, CUDA_LOCAL_BYTES_OF_A_KERNEL, work->kernel[i]))
        return false;
    if (is_choice && spilled > 0)
        return fail(err, STATUS_UNSUPPORTED, "%d bytes of each work-item of %s do not fit in registers", spilled,
                    work->launch.pass[i].entry);
    return kernel_group_fits(&work->launch.pass[i], (size_t)threads, work->launch.pass[i].shared, err);
}

/* Asking for a function loads its code to the device, even with CUDA_MODULE_LOADING=LAZY (CUDA C++ Programming Guide,
 * lazy loading). So no timed or recorded run does that. */
static bool work_compile(struct cuda_portable_work *work, const struct job *job, char how[COMPILER_TEXT],
                         struct error *err)
{
    const struct portable *portable = job->method->portable;
    const struct cuda_driver *driver = &work->session->driver;
    const char *type = kernel_type_option(&work->problem, portable, err);
    char options[NVRTC_OPTIONS];
    if (!type)
        return false;
    snprintf(options, sizeof options, "%s%s", work->launch.defines, type);
    if (!cuda_module_open(work->session, portable->source, options, &work->module, how, err))
        return false;
    for (unsigned i = 0; i < work->launch.passes; i++) {
        if (!cuda_call(driver, err, module_function, &work->kernel[i], work->module, work->launch.pass[i].entry) ||
            !kernel_fits(work, i, job->kernel_shape > 0, err))
            return false;
    }
    return true;
}

static void portable_close(void *context)
{
    struct cuda_portable_work *work = context;
    if (work->exec)
        CUDA(&work->session->driver, graph_exec_close, work->exec);
    scratch_give(&work->session->scratch, work->scratch, work->session, cuda_release);
    if (work->module)
        CUDA(&work->session->driver, module_close, work->module);
}

/* A part whose operands move by themselves gets arrays that begin with it, and the number of elements from there on. */
static void arguments_fill(struct arguments *to, const struct cuda_portable_work *work, const struct sub_launch *sub)
{
    unsigned count = 0, addresses = 0;
    int64_t begin = 0, end;
    for (unsigned i = 0; i < work->operands; i++) {
        if (work->launch_split.moves_in_parts)
            problem_part(&work->problem, work->operand[i].count, sub->part, work->launch_split.parts, &begin, &end);
        to->address[addresses++] = work->address[i] + (uint64_t)begin * dtype_bytes(work->operand[i].dtype);
    }
    for (unsigned i = 0; i < SCRATCH_MAX && work->scratch[i]; i++)
        to->address[addresses++] = work->scratch[i]->buffer->address;
    for (unsigned i = 0; i < addresses; i++)
        to->pointer[count++] = &to->address[i];
    for (unsigned i = 0; i < work->dims; i++) {
        to->dim[i] = work->problem.dim[i] - (i == 0 ? begin : 0);
        to->pointer[count++] = &to->dim[i];
    }
    const struct pass *pass = &work->launch.pass[sub->pass];
    to->before = (int64_t)(sub->start / pass->group);
    if (pass->is_divisible)
        to->pointer[count++] = &to->before;
}

/* The queue and the span of the launches of one submit. */
struct submission {
    struct cuda_portable_work *work;
    struct cuda_stream *stream;
    unsigned queue;
    struct span *span;
};

static bool sub_launch_put(void *context, const struct sub_launch *sub, struct error *err)
{
    const struct submission *to = context;
    const struct cuda_portable_work *work = to->work;
    const struct pass *pass = &work->launch.pass[sub->pass];
    struct arguments arguments = { .before = 0 };
    const unsigned blocks = (unsigned)((sub->end - sub->start) / pass->group), threads = (unsigned)pass->group;
    arguments_fill(&arguments, work, sub);
    if (sub->is_first && !cuda_span_begin(work->session, to->queue, to->span, err))
        return false;
    if (!cuda_call(&work->session->driver, err, launch, work->kernel[sub->pass], blocks, 1, 1, threads, 1, 1, 0,
                   to->stream, arguments.pointer, NULL))
        return false;
    return !sub->is_last || cuda_span_end(work->session, to->queue, to->span, err);
}

/* Launches of passes [first, end) of a part. */
static bool launches_put(struct cuda_portable_work *work, unsigned queue, unsigned first, unsigned end, unsigned part,
                         struct span *span, struct error *err)
{
    struct submission to = { work, cuda_queue(work->session, queue, err), queue, span };
    return to.stream &&
           launch_split_submit(&work->launch_split, &work->launch, first, end, part, sub_launch_put, &to, err);
}

bool cuda_pass_submit(struct cuda_portable_work *work, unsigned queue, unsigned pass, struct error *err)
{
    return launches_put(work, queue, pass, pass + 1, 0, NULL, err);
}

/* Records all parts of a run on queue 0. Meanwhile the commands on it are not run, and nothing may wait for it. */
static struct cuda_graph *graph_record(struct cuda_portable_work *work, struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    struct cuda_stream *stream = cuda_queue(work->session, 0, err);
    struct cuda_graph *graph = NULL;
    if (!stream || !cuda_call(driver, err, capture_begin, stream, CUDA_CAPTURE_THREAD_LOCAL))
        return NULL;
    bool ok = true;
    for (unsigned part = 0; part < work->launch_split.parts && ok; part++)
        ok = launches_put(work, 0, 0, work->launch.passes, part, NULL, err);
    /* Also after a failure: the stream is unusable until then. */
    const int code = CUDA(driver, capture_end, stream, &graph);
    if (cuda_check_answer(driver, code, cuda_names.capture_end, err) && ok)
        return graph;
    if (code == CUDA_OK && graph)
        CUDA(driver, graph_close, graph);
    return NULL;
}

static bool graph_make(struct cuda_portable_work *work, struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    struct cuda_graph *graph = graph_record(work, err);
    const bool ok = graph && cuda_make(driver, err, graph_instantiate, &work->exec, graph, 0);
    if (graph)
        CUDA(driver, graph_close, graph);
    return ok;
}

static bool portable_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct cuda_portable_work *work = context;
    if (!work->exec)
        return launches_put(work, queue, 0, work->launch.passes, part, span, err);
    struct cuda_stream *stream = cuda_span_begin(work->session, queue, span, err);
    return stream && cuda_call(&work->session->driver, err, graph_launch, work->exec, stream) &&
           cuda_span_end(work->session, queue, span, err);
}

static bool portable_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    struct cuda_portable_work *work = context;
    const struct method *method = job->method;
    char how[COMPILER_TEXT];
    work->session = session;
    work->problem = *job->problem;
    work->dims = kernel_dims(job->problem, method->portable);
    work->operands = job->problem->workload->operands(job->problem, work->operand);
    cuda_operands(job, work->address);
    method->portable->launch(job->problem, &session->device, job->kernel_shape, &work->launch);
    if (!launch_split_plan(&work->launch_split, &work->launch, job->problem, method, &session->device, job->parts,
                           session->kernels_time_out, err) ||
        !work_fits(work, err) || !work_compile(work, job, how, err) ||
        !scratch_take(&session->scratch, work->scratch, session, &session->device, job, &work->launch, cuda_alloc,
                      err) ||
        (method->launch_mode == LAUNCH_GRAPH && !graph_make(work, err)))
        return false;
    snprintf(detail, DETAIL_MAX, "%.*s", DETAIL_MAX - COMPILER_TEXT - 4, work->launch.detail);
    text_join(detail, DETAIL_MAX, ", ", how);
    return true;
}

const struct routine cuda_portable = {
    .bytes = sizeof(struct cuda_portable_work),
    .open = portable_open,
    .submit = portable_submit,
    .close = portable_close,
};
