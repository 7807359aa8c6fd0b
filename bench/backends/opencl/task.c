#include "bench/backends/opencl/opencl.h"
#include "harness/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    struct session *session;
    cl_program program;
    cl_kernel kernel[PASSES_MAX];
    cl_mem scratch[SCRATCH_MAX];
    cl_mem window[OPERANDS_MAX]; /* where an operand is a part of its buffer; NULL elsewhere */
    struct launch launch;
};

/* The compiler's log from its first error on, as much as a message holds. */
static bool build_refuse(struct session *session, cl_program program, cl_int code, struct error *err)
{
    size_t bytes = 0;
    clGetProgramBuildInfo(program, session->handle, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(bytes + 1, 1);
    if (code != CL_BUILD_PROGRAM_FAILURE || !log || bytes == 0 ||
        clGetProgramBuildInfo(program, session->handle, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS) {
        free(log);
        return opencl_refuse(err, "clBuildProgram", code);
    }
    const char *start = strstr(log, "error");
    while (start && start > log && start[-1] != '\n')
        start--;
    fail_in(err, "clBuildProgram", STATUS_FAILED, "the kernel does not compile: %s", start ? start : log);
    free(log);
    return false;
}

static bool task_compile(struct task *task, const struct job *job, struct error *err)
{
    const struct portable *portable = job->variant->portable;
    struct session *session = task->session;
    char options[sizeof task->launch.defines + 64];
    snprintf(options, sizeof options, "-cl-std=CL1.2%s %s",
             job->problem->dtype == DTYPE_F64 ? " -DREAL_IS_DOUBLE=1" : "", task->launch.defines);

    cl_int code;
    const char *source = portable->source;
    task->program = clCreateProgramWithSource(session->context, 1, &source, NULL, &code);
    if (!task->program)
        return opencl_refuse(err, "clCreateProgramWithSource", code);
    code = clBuildProgram(task->program, 1, &session->handle, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return build_refuse(session, task->program, code, err);
    for (unsigned i = 0; i < task->launch.passes; i++) {
        task->kernel[i] = clCreateKernel(task->program, task->launch.pass[i].entry, &code);
        if (!task->kernel[i])
            return opencl_refuse(err, "clCreateKernel", code);
    }
    return true;
}

/* Whether the device takes groups of the size that the launch asks for: a limit of the device, not a mistake. The limit
 * of the single kernel would be closer, but rusticl of Mesa 22.3 answers 32 there, and runs groups of 1024. */
static bool pass_fits(const struct task *task, const struct pass *pass, struct error *err)
{
    size_t limit = 0, wanted = 1;
    if (pass->local[0] == 0)
        return true;
    for (unsigned i = 0; i < pass->dims; i++)
        wanted *= pass->local[i];
    cl_int code = clGetDeviceInfo(task->session->handle, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
    if (code != CL_SUCCESS)
        return opencl_refuse(err, "clGetDeviceInfo", code);
    if (wanted > limit)
        return fail(err, STATUS_UNSUPPORTED, "groups of %zu work-items, the device allows %zu", wanted, limit);
    return true;
}

static bool task_fits(const struct task *task, struct error *err)
{
    for (unsigned i = 0; i < task->launch.passes; i++)
        if (!pass_fits(task, &task->launch.pass[i], err))
            return false;
    return true;
}

/* Device memory that passes hand on to each other. */
static bool task_alloc(struct task *task, enum dtype dtype, struct error *err)
{
    for (unsigned i = 0; i < SCRATCH_MAX && task->launch.scratch[i] > 0; i++) {
        size_t bytes = (size_t)task->launch.scratch[i] * dtype_bytes(dtype);
        cl_int code;
        task->scratch[i] = clCreateBuffer(task->session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        if (!task->scratch[i])
            return opencl_refuse(err, "clCreateBuffer", code);
    }
    return true;
}

/* The object that stands for an operand: the buffer's own, or a window into it. */
static cl_mem task_operand(struct task *task, const struct binding *binding, unsigned place, struct error *err)
{
    const struct buffer *buffer = binding->buffer;
    if (binding->offset == 0 && binding->bytes == buffer->bytes)
        return buffer->object;
    if (binding->offset % task->session->window_offset != 0) {
        fail(err, STATUS_UNSUPPORTED, "a window at %zu bytes, the device wants multiples of %zu", binding->offset,
             task->session->window_offset);
        return NULL;
    }
    const cl_buffer_region region = { binding->offset, binding->bytes };
    cl_int code;
    task->window[place] =
        clCreateSubBuffer(buffer->object, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (!task->window[place])
        opencl_refuse(err, "clCreateSubBuffer", code);
    return task->window[place];
}

/* Arguments: the operands in order, the scratch, then the dims in order. */
static cl_int pass_bind(const struct task *task, cl_kernel kernel, const cl_mem object[], unsigned objects,
                        const struct problem *problem)
{
    cl_int code = CL_SUCCESS;
    cl_uint place = 0;
    for (unsigned i = 0; i < objects && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, place++, sizeof object[i], &object[i]);
    for (unsigned i = 0; i < SCRATCH_MAX && task->scratch[i] && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, place++, sizeof task->scratch[i], &task->scratch[i]);
    for (unsigned i = 0; problem->workload->dims[i].name && code == CL_SUCCESS; i++) {
        cl_long dim = problem->dim[i];
        code = clSetKernelArg(kernel, place++, sizeof dim, &dim);
    }
    return code;
}

static bool task_bind(struct task *task, const struct job *job, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    cl_mem object[OPERANDS_MAX];
    unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < operands; i++) {
        object[i] = task_operand(task, &job->operand[i], i, err);
        if (!object[i])
            return false;
    }
    for (unsigned i = 0; i < task->launch.passes; i++) {
        cl_int code = pass_bind(task, task->kernel[i], object, operands, job->problem);
        if (code != CL_SUCCESS)
            return opencl_refuse(err, "clSetKernelArg", code);
    }
    return true;
}

/* Whose memory a mapped operand turned out to be. */
static const char *memory_detail(const struct job *job)
{
    const struct buffer *first = job->operand[0].buffer;
    for (unsigned i = 0; i < OPERANDS_MAX && job->operand[i].buffer; i++) {
        if (job->operand[i].buffer->is_copied)
            return ", mapped through a copy";
    }
    if (first->own)
        return ", host memory in place";
    return memory_is_mapped(first->memory) ? ", memory of the driver's choice" : "";
}

/* How it will run. What comes last is never cut off by a long beginning. */
static void task_tell(const struct task *task, const struct job *job, char detail[DETAIL_MAX])
{
    const unsigned limit = task->session->limit;
    const char *where = memory_detail(job);
    char limited[40] = "";
    if (limit > 0)
        snprintf(limited, sizeof limited, ", limited to %u unit%s", limit, limit > 1 ? "s" : "");
    text_copy(detail, DETAIL_MAX - strlen(where) - strlen(limited), task->launch.detail);
    strcat(detail, where);
    strcat(detail, limited);
}

struct task *opencl_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    const struct problem *problem = job->problem;
    if (!job->variant->portable) {
        fail(err, STATUS_UNSUPPORTED, "%s has no %s for OpenCL", problem->workload->name, job->variant->name);
        return NULL;
    }
    if (!session->device.computes[problem->dtype]) {
        fail(err, STATUS_UNSUPPORTED, "%s does not compute in %s", session->device.name, dtype_name(problem->dtype));
        return NULL;
    }
    struct task *task = calloc(1, sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    task->session = session;
    job->variant->portable->launch(problem, &session->device, &task->launch);
    if (!task_compile(task, job, err) || !task_fits(task, err) || !task_alloc(task, problem->dtype, err) ||
        !task_bind(task, job, err)) {
        opencl_discard(task);
        return NULL;
    }
    task_tell(task, job, detail);
    return task;
}

bool opencl_submit(struct task *task, unsigned queue, struct span *span, struct error *err)
{
    struct session *session = task->session;
    for (unsigned i = 0; i < task->launch.passes; i++) {
        const struct pass *pass = &task->launch.pass[i];
        struct command *command = opencl_command(session, queue, span, err);
        if (!command)
            return false;
        cl_int code =
            clEnqueueNDRangeKernel(session->queue[queue].handle, task->kernel[i], pass->dims, NULL, pass->global,
                                   pass->local[0] ? pass->local : NULL, 0, NULL, &command->event);
        if (!opencl_enqueued(session, queue, "clEnqueueNDRangeKernel", code, err))
            return false;
    }
    return true;
}

void opencl_discard(struct task *task)
{
    if (!task)
        return;
    for (unsigned i = 0; i < OPERANDS_MAX; i++) {
        if (task->window[i])
            clReleaseMemObject(task->window[i]);
    }
    for (unsigned i = 0; i < SCRATCH_MAX; i++) {
        if (task->scratch[i])
            clReleaseMemObject(task->scratch[i]);
    }
    for (unsigned i = 0; i < PASSES_MAX; i++) {
        if (task->kernel[i])
            clReleaseKernel(task->kernel[i]);
    }
    if (task->program)
        clReleaseProgram(task->program);
    free(task);
}
