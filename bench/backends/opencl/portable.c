#include "bench/backends/opencl/portable.h"

#include "bench/backends/common/driver_cache.h"
#include "bench/backends/common/kernel.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool build_fail(struct session *session, cl_program program, cl_int code, struct error *err)
{
    size_t bytes = 0;
    CL(clGetProgramBuildInfo)(program, session->handle, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(bytes + 1, 1);
    if (code != CL_BUILD_PROGRAM_FAILURE || !log || bytes == 0 ||
        CL(clGetProgramBuildInfo)(program, session->handle, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS) {
        free(log);
        return opencl_check(code, "clBuildProgram", err);
    }
    kernel_build_fail(err, "clBuildProgram", log);
    free(log);
    return false;
}

/* Whether the device can run the groups of a compiled kernel: its registers may allow smaller ones only. Not asked of
 * rusticl: that of Mesa 22.3 says 32 and runs 1024, and counts local memory twice. What a driver does not answer is no
 * limit. */
static bool kernel_fits(const struct opencl_portable_work *work, unsigned i, struct error *err)
{
    const struct session *session = work->session;
    size_t limit = session->group_items;
    cl_ulong shared = 0;
    if (strcmp(session->device.platform, "rusticl") == 0)
        return true;
    CL(clGetKernelWorkGroupInfo)
    (work->kernel[i], session->handle, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
    CL(clGetKernelWorkGroupInfo)
    (work->kernel[i], session->handle, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL);
    struct pass compiled = work->launch.pass[i];
    compiled.shared = (size_t)shared;
    return kernel_group_fits(&compiled, limit, (size_t)session->local_memory, err);
}

/* OpenCL C 1.2 does everywhere; what it takes for the dot products of bytes that some devices have is in 3.0. The row
 * tells which form its sums of bytes have. */
static const char *standard_of(struct opencl_portable_work *work, const struct job *job)
{
    char extensions[1 << 14] = "";
    if (job->problem->dtype != DTYPE_I8)
        return "CL1.2";
    CL(clGetDeviceInfo)
    (work->session->handle, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    const bool has_dots = text_has_word(extensions, "cl_khr_integer_dot_product");
    text_join(work->launch.detail, DETAIL_MAX, ", ",
              strstr(work->launch.defines, "-DPER=2") ? "pairs of 16 bits"
              : has_dots                              ? "dot products of 4 bytes"
                                                      : "4 bytes without cl_khr_integer_dot_product");
    return has_dots ? "CL3.0" : "CL1.2";
}

static bool program_build(struct opencl_portable_work *work, const struct job *job, struct error *err)
{
    const struct portable *portable = job->method->portable;
    struct session *session = work->session;
    char options[sizeof work->launch.defines + 64];
    const char *type = kernel_type_option(job->problem, portable, err);
    if (!type)
        return false;
    snprintf(options, sizeof options, "-cl-std=%s%s %s", standard_of(work, job), type, work->launch.defines);

    cl_int code;
    const char *source = portable->source;
    work->program = CL(clCreateProgramWithSource)(session->context, 1, &source, NULL, &code);
    if (!work->program)
        return opencl_check(code, "clCreateProgramWithSource", err);
    code = CL(clBuildProgram)(work->program, 1, &session->handle, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return build_fail(session, work->program, code, err);
    for (unsigned i = 0; i < work->launch.passes; i++) {
        work->kernel[i] = CL(clCreateKernel)(work->program, work->launch.pass[i].entry, &code);
        if (!work->kernel[i])
            return opencl_check(code, "clCreateKernel", err);
        if (!kernel_fits(work, i, err))
            return false;
    }
    return true;
}

/* What PoCL cannot read in its cache looks like a kernel that does not compile. So does a limit of address space. */
static bool work_compile(struct opencl_portable_work *work, const struct job *job, struct error *err)
{
    const bool is_built = program_build(work, job, err);
    if (!is_built && isinf(process_address_limit(NULL)))
        driver_cache_suspect(work->session->device.platform, err->message, sizeof err->message);
    return is_built;
}

/* Mesa's llvmpipe silently ends all loops of a work-item after 65535 iterations in total (LP_MAX_TGSI_LOOP_ITERATIONS
 * in gallivm). */
static bool iterations_fit(const struct opencl_portable_work *work, struct error *err)
{
    const double most = 65535;
    if (!strstr(work->session->device.name, "llvmpipe") || work->launch.loop_iterations <= most)
        return true;
    return fail(err, STATUS_UNSUPPORTED,
                "up to %.0f loop iterations of a work-item, llvmpipe stops silently after %.0f",
                work->launch.loop_iterations, most);
}

/* Arguments: operands, scratch, dims, each in order; last 0 groups before the launch, where the pass can be split. */
static bool work_bind(struct opencl_portable_work *work, const cl_mem operand[OPERANDS_MAX],
                      const struct problem *problem, struct error *err)
{
    const cl_long none = 0;
    bool ok = true;
    for (unsigned pass = 0; pass < work->launch.passes && ok; pass++) {
        const cl_kernel kernel = work->kernel[pass];
        cl_uint place = 0;
        for (unsigned i = 0; i < OPERANDS_MAX && operand[i] && ok; i++)
            ok = cl_call(err, clSetKernelArg, kernel, place++, sizeof operand[i], &operand[i]);
        for (unsigned i = 0; i < SCRATCH_MAX && work->scratch[i] && ok; i++)
            ok = cl_call(err, clSetKernelArg, kernel, place++, sizeof(cl_mem), &work->scratch[i]->buffer->object);
        for (unsigned i = 0; i < work->dims && ok; i++) {
            const cl_long dim = problem->dim[i];
            ok = cl_call(err, clSetKernelArg, kernel, place++, sizeof dim, &dim);
        }
        work->arguments = place;
        if (ok && work->launch.pass[pass].is_divisible)
            ok = cl_call(err, clSetKernelArg, kernel, place, sizeof none, &none);
    }
    return ok;
}

/* Binds arrays that begin with a part, and the number of elements from there on: sub-buffers, as no queue may write to
 * an object that another queue uses. Rusticl of Mesa 22.3 loses data all the same, in about every other run. */
static bool part_bind(const struct opencl_portable_work *work, unsigned queue, unsigned part, struct error *err)
{
    const struct problem *problem = work->job.problem;
    struct operand operand[OPERANDS_MAX];
    const unsigned operands = problem->workload->operands(problem, operand);
    bool ok = true;
    if (queue > 0 && strcmp(work->session->device.platform, "rusticl") == 0)
        return fail(err, STATUS_UNSUPPORTED, "rusticl loses data when two queues write to one buffer: use one queue");
    for (unsigned i = 0; i < operands && ok; i++) {
        const struct binding *whole = &work->job.operand[i];
        const size_t element = dtype_bytes(operand[i].dtype);
        int64_t begin, end;
        problem_part(problem, operand[i].count, part, work->launch_split.parts, &begin, &end);
        const cl_long elements = problem->dim[0] - begin;
        const cl_mem object = opencl_sub_buffer(work->session, whole->buffer, whole->offset + (size_t)begin * element,
                                                (size_t)(end - begin) * element, err);
        ok = object && cl_call(err, clSetKernelArg, work->kernel[0], i, sizeof object, &object) &&
             (i > 0 ||
              cl_call(err, clSetKernelArg, work->kernel[0], work->arguments - work->dims, sizeof elements, &elements));
    }
    return ok;
}

/* Later ones find these sub-buffers. */
static bool parts_create(const struct opencl_portable_work *work, struct error *err)
{
    for (unsigned part = 0; work->launch_split.moves_in_parts && part < work->launch_split.parts; part++)
        if (!part_bind(work, 0, part, err))
            return false;
    return true;
}

static void portable_close(void *context)
{
    struct opencl_portable_work *work = context;
    for (unsigned i = 0; i < PASSES_MAX; i++) {
        if (work->kernel[i])
            CL(clReleaseKernel)(work->kernel[i]);
    }
    if (work->program)
        CL(clReleaseProgram)(work->program);
    scratch_give(&work->session->scratch, work->scratch, work->session, opencl_release);
}

static bool portable_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    struct opencl_portable_work *work = context;
    const struct problem *problem = job->problem;
    cl_mem operand[OPERANDS_MAX];
    /* A GPU that also drives a display draws nothing while a kernel runs, and is reset after some seconds. */
    const bool drives_display = session->device.class == CLASS_IGPU || session->device.class == CLASS_DGPU;
    work->session = session;
    work->job = *job;
    work->dims = kernel_dims(problem, job->method->portable);
    job->method->portable->launch(problem, &session->device, job->kernel_shape, &work->launch);
    if (!opencl_operands(session, job, operand, err) ||
        !launch_split_plan(&work->launch_split, &work->launch, problem, job->method, &session->device, job->parts,
                           drives_display, err) ||
        !iterations_fit(work, err) || /* checked before compiling: some drivers refuse groups that they cannot run */
        !kernel_groups_fit(&work->launch, session->group_items, (size_t)session->local_memory, err) ||
        !work_compile(work, job, err) ||
        !scratch_take(&session->scratch, work->scratch, session, &session->device, job, &work->launch, opencl_alloc,
                      err) ||
        !work_bind(work, operand, problem, err) || !parts_create(work, err))
        return false;
    text_copy(detail, DETAIL_MAX, work->launch.detail);
    return true;
}

/* The queue and the span of the launches of one submit. */
struct submission {
    struct opencl_portable_work *work;
    unsigned queue;
    struct span *span;
};

static bool sub_launch_put(void *context, const struct sub_launch *sub, struct error *err)
{
    const struct submission *to = context;
    const struct opencl_portable_work *work = to->work;
    struct session *session = work->session;
    const struct pass *pass = &work->launch.pass[sub->pass];
    const size_t items = sub->end - sub->start;
    const cl_kernel kernel = work->kernel[sub->pass];
    if (sub->is_cut) {
        const cl_long before = (cl_long)(sub->start / pass->group);
        if (!cl_call(err, clSetKernelArg, kernel, work->arguments, sizeof before, &before))
            return false;
    }
    if (!opencl_span_begin(session, to->queue, sub->is_first ? to->span : NULL, err))
        return false;
    cl_event *event = opencl_command(session, to->queue, err);
    if (!event || !cl_enqueue(session, to->queue, err, clEnqueueNDRangeKernel, session->queue[to->queue].handle, kernel,
                              1, NULL, &items, &pass->group, 0, NULL, event))
        return false;
    opencl_span_end(session, to->queue, sub->is_last ? to->span : NULL);
    if (work->launch_split.items_per_launch[sub->pass] >= pass->items)
        return true;
    /* Without a flush, drivers submit many commands together, and a display waits for all of them. */
    return cl_call(err, clFlush, session->queue[to->queue].handle);
}

static bool portable_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct opencl_portable_work *work = context;
    struct submission to = { work, queue, span };
    if (work->launch_split.moves_in_parts && part < work->launch_split.parts && !part_bind(work, queue, part, err))
        return false;
    return launch_split_submit(&work->launch_split, &work->launch, 0, work->launch.passes, part, sub_launch_put, &to,
                               err);
}

bool opencl_pass_submit(struct opencl_portable_work *work, unsigned queue, unsigned pass, struct error *err)
{
    struct submission to = { .work = work, .queue = queue };
    return launch_split_submit(&work->launch_split, &work->launch, pass, pass + 1, 0, sub_launch_put, &to, err);
}

const struct routine opencl_portable = {
    .bytes = sizeof(struct opencl_portable_work),
    .open = portable_open,
    .submit = portable_submit,
    .close = portable_close,
};
