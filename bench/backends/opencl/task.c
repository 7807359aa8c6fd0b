#include "bench/backends/opencl/opencl.h"
#include "harness/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    struct session *session;
    cl_program program;
    cl_kernel kernel;
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
    task->kernel = clCreateKernel(task->program, portable->entry, &code);
    return task->kernel || opencl_refuse(err, "clCreateKernel", code);
}

/* Whether the device takes groups of the size that the launch asks for: a limit of the device, not a mistake. The limit
 * of the single kernel would be closer, but rusticl of Mesa 22.3 answers 32 there, and runs groups of 1024. */
static bool task_fits(const struct task *task, struct error *err)
{
    const struct launch *launch = &task->launch;
    size_t limit = 0, wanted = 1;
    if (launch->local[0] == 0)
        return true;
    for (unsigned i = 0; i < launch->dims; i++)
        wanted *= launch->local[i];
    cl_int code = clGetDeviceInfo(task->session->handle, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
    if (code != CL_SUCCESS)
        return opencl_refuse(err, "clGetDeviceInfo", code);
    if (wanted > limit)
        return fail(err, STATUS_UNSUPPORTED, "groups of %zu work-items, the device allows %zu", wanted, limit);
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

/* Arguments: the operands in order, then the dims in order. */
static bool task_bind(struct task *task, const struct job *job, struct error *err)
{
    const struct workload *workload = job->problem->workload;
    struct operand operand[OPERANDS_MAX];
    unsigned operands = workload->operands(job->problem, operand);
    cl_int code = CL_SUCCESS;
    for (unsigned i = 0; i < operands && code == CL_SUCCESS; i++) {
        cl_mem object = task_operand(task, &job->operand[i], i, err);
        if (!object)
            return false;
        code = clSetKernelArg(task->kernel, i, sizeof object, &object);
    }
    for (unsigned i = 0; workload->dims[i].name && code == CL_SUCCESS; i++) {
        cl_long dim = job->problem->dim[i];
        code = clSetKernelArg(task->kernel, operands + i, sizeof dim, &dim);
    }
    return code == CL_SUCCESS || opencl_refuse(err, "clSetKernelArg", code);
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
    if (!task_compile(task, job, err) || !task_fits(task, err) || !task_bind(task, job, err)) {
        opencl_discard(task);
        return NULL;
    }
    task_tell(task, job, detail);
    return task;
}

bool opencl_submit(struct task *task, unsigned queue, struct span *span, struct error *err)
{
    struct session *session = task->session;
    const struct launch *launch = &task->launch;
    struct command *command = opencl_command(session, queue, span, err);
    if (!command)
        return false;
    cl_int code = clEnqueueNDRangeKernel(session->queue[queue].handle, task->kernel, launch->dims, NULL, launch->global,
                                         launch->local[0] ? launch->local : NULL, 0, NULL, &command->event);
    return opencl_enqueued(session, queue, "clEnqueueNDRangeKernel", code, err);
}

void opencl_discard(struct task *task)
{
    if (!task)
        return;
    for (unsigned i = 0; i < OPERANDS_MAX; i++) {
        if (task->window[i])
            clReleaseMemObject(task->window[i]);
    }
    if (task->kernel)
        clReleaseKernel(task->kernel);
    if (task->program)
        clReleaseProgram(task->program);
    free(task);
}
