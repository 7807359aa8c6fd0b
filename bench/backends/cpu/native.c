#include "bench/backends/cpu/cpu.h"

#include "harness/base/parallel.h"
#include "harness/machine/host.h"
#include "kernels/native.h"

#include <math.h>
#include <stdio.h>

const char *const cpu_isa_name[ISA_COUNT] = { "baseline", "avx2", "avx512", "avx512 with vnni" };

static native_slice *const *versions(const struct native_pass *pass, enum isa isa)
{
    native_slice *const *const of[ISA_COUNT] = { pass->baseline, pass->avx2, pass->avx512, pass->vnni };
    return of[isa];
}

static bool has_versions(const struct native *native, enum dtype dtype, enum isa isa)
{
    for (unsigned i = 0; i < native->passes; i++)
        if (!versions(&native->pass[i], isa)[dtype])
            return false;
    return true;
}

/* Bytes for which another thread pays: two threads took as long as one for 0.25 MiB, 0.7 times for 0.5, half for 2. */
static const double worth_sharing = 1 << 18;

/* The threads of a run or a part of it: no more than pay for its bytes, and than the runtime really provides, which it
 * then keeps. Arithmetic counts, too: with two threads a matmul of 192 cubed took 0.8 times as long as with one, and
 * one of 256 cubed 0.7 times. */
static unsigned threads_gather(const struct session *session, const struct problem *problem, unsigned parts)
{
    double bytes = problem->workload->bytes(problem) / parts, flops = problem->workload->flops(problem) / parts;
    return parallel_begin((unsigned)fmin(session->threads, fmax(1, fmax(bytes, flops / 16) / worth_sharing)));
}

static bool scratch_alloc(struct passes *work, unsigned operands, struct error *err)
{
    int64_t bytes[SCRATCH_MAX] = { 0 };
    if (work->native->scratch)
        work->native->scratch(&work->problem, bytes);
    for (unsigned i = 0; i < SCRATCH_MAX && bytes[i] > 0; i++) {
        work->scratch[i] = cpu_alloc(work->session, (size_t)bytes[i], MEMORY_PAGEABLE, err);
        if (!work->scratch[i])
            return false;
        work->array[operands + i] = work->scratch[i]->memory;
    }
    return true;
}

void cpu_passes_close(void *opaque)
{
    const struct passes *work = opaque;
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        cpu_release(work->session, work->scratch[i]);
}

bool cpu_passes_open(struct passes *work, struct session *session, const struct job *job, const struct native *native,
                     struct error *err)
{
    const struct problem *problem = job->problem;
    struct operand operand[OPERANDS_MAX];
    unsigned operands = problem->workload->operands(problem, operand);
    unsigned parts = job->parts > 1 ? job->parts : 1, threads = threads_gather(session, problem, parts);
    enum isa isa = session->isa == ISA_AVX512 && host_has_vnni() ? ISA_VNNI : session->isa;
    /* Stores stream if the data of a thread, over all parts of a run, exceed its core's own caches. On a Xeon with 2
     * MiB of them streaming took 1.8 times as long as ordinary stores up to 1.2 MiB a thread, 1.2 times at 2.0 MiB, and
     * 0.8 times at 2.3 MiB, falling to 0.7: the old contents of c are no longer read first. */
    if (native->streaming && problem_bytes_held(problem) / threads > session->own_cache)
        native = native->streaming;
    while (isa > ISA_BASELINE && !has_versions(native, problem->dtype, isa))
        isa--;
    if (!has_versions(native, problem->dtype, isa))
        return fail(err, STATUS_UNSUPPORTED, "%s has no %s version of \"%s\" for the CPU", problem->workload->name,
                    dtype_name(problem->dtype), job->method->name);
    *work = (struct passes){
        .native = native, .isa = isa, .session = session, .problem = *problem, .threads = threads, .parts = parts
    };
    for (unsigned i = 0; i < native->passes; i++) {
        work->slice[i] = versions(&native->pass[i], isa)[problem->dtype];
        work->extent[i] = native_extent(&native->pass[i], problem);
    }
    return cpu_operands(job, work->array, err) && scratch_alloc(work, operands, err);
}

static bool native_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    struct passes *work = opaque;
    if (!cpu_passes_open(work, session, job, job->method->native, err))
        return false;
    snprintf(detail, DETAIL_MAX, "%s, %s", cpu_isa_name[work->isa],
             work->native->describe ? work->native->describe(job->problem) : work->native->detail);
    cpu_detail_append(detail, job, dtype_sums(job->problem->dtype), work->threads);
    return true;
}

/* One pass of one run, as the threads see it. */
struct pass_call {
    const struct passes *work;
    unsigned pass;
};

static void pass_slice(void *context, int64_t begin, int64_t end)
{
    const struct pass_call *call = context;
    call->work->slice[call->pass](call->work->array, call->work->problem.dim, begin, end);
}

static void pass_run(const struct passes *work, unsigned pass, int64_t begin, int64_t end)
{
    struct pass_call call = { work, pass };
    parallel_slices(pass_slice, &call, begin, end, work->native->pass[pass].grain, work->threads);
}

void cpu_passes_run(const struct passes *work, unsigned pass)
{
    pass_run(work, pass, 0, work->extent[pass]);
}

/* All threads wait for each other after each pass and each part, as after a run. */
static bool native_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct passes *work = opaque;
    if (part >= work->parts)
        return fail(err, STATUS_FAILED, "part %u of %u", part, work->parts);
    for (unsigned i = 0; i < work->native->passes; i++) {
        int64_t begin, end;
        problem_part(&work->problem, work->extent[i], part, work->parts, &begin, &end);
        pass_run(work, i, begin, end);
    }
    return true;
}

const struct routine cpu_native = {
    .bytes = sizeof(struct passes),
    .open = native_open,
    .submit = native_submit,
    .close = cpu_passes_close,
};
