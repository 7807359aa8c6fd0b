#include "bench/backends/cuda/cudnn.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>

/* cuDNN's own search is not used: it times each algorithm only once, includes other families, and times f32 in its
 * default arithmetic, which is TF32 where the GPU has it. */

static const char *const names[CUDNN_ALGORITHMS] = {
    [CUDNN_IMPLICIT_GEMM] = "implicit-gemm",
    [CUDNN_IMPLICIT_PRECOMPUTED_GEMM] = "implicit-precomp-gemm",
    [CUDNN_GEMM] = "gemm",
    [CUDNN_DIRECT] = "direct",
    [CUDNN_FFT] = "fft",
    [CUDNN_FFT_TILING] = "fft-tiling",
    [CUDNN_WINOGRAD] = "winograd",
    [CUDNN_WINOGRAD_NONFUSED] = "winograd-nonfused",
};

/* The result of trying one algorithm. */
struct trial {
    size_t workspace;
    double seconds;     /* the fastest run; INFINITY: it did not run */
    enum status status; /* the reason it did not */
};

static bool workspace_bytes(const struct cudnn_task *task, size_t *bytes, struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    return cudnn_check(cudnn,
                       cudnn->call.workspace(cudnn->handle, task->in, task->filters, task->convolution, task->out,
                                             (int)task->algorithm, bytes),
                       "cudnnGetConvolutionForwardWorkspaceSize", err);
}

static bool workspace_alloc(struct cudnn_task *task, size_t bytes, struct error *err)
{
    const char *name = names[task->algorithm];
    if (bytes > task->most)
        return fail(err, STATUS_NO_MEMORY, "cuDNN's %s needs a workspace of %zu bytes, the limit is %zu", name, bytes,
                    task->most);
    if (bytes == 0)
        return true;
    struct error refused = { 0 };
    task->workspace = cuda_alloc(task->session, bytes, MEMORY_PAGEABLE, &refused);
    return task->workspace || fail_in(err, refused.where, refused.status,
                                      "cuDNN's %s needs a workspace of %zu bytes: %s", name, bytes, refused.message);
}

static void workspace_release(struct cudnn_task *task)
{
    cuda_release(task->session, task->workspace);
    task->workspace = NULL;
}

/* The first run loads code and may compile it. Of the next three the fastest counts, by the clock of the results. A
 * long first run counts by itself. */
static bool measure(struct cudnn_task *task, double *fastest, struct error *err)
{
    enum { RUNS = 3 };
    const double long_enough = 0.5;
    double seconds = 0;
    for (int run = 0; run <= RUNS && seconds < long_enough; run++) {
        const double start = clock_wall();
        if (!cudnn_run(task, 0, NULL, err) || !cuda_finish(task->session, 0, err))
            return false;
        seconds = clock_wall() - start;
        if (run > 0 || seconds >= long_enough)
            *fastest = fmin(*fastest, seconds);
    }
    return true;
}

static bool try_one(struct cudnn_task *task, struct trial *trial, struct error *err)
{
    bool ok = workspace_bytes(task, &trial->workspace, err) && workspace_alloc(task, trial->workspace, err) &&
              measure(task, &trial->seconds, err);
    if (!ok)
        cuda_finish(task->session, 0, NULL); /* a run that failed may still use the workspace */
    workspace_release(task);
    return ok;
}

/* Which failure explains best why no algorithm ran: an error, then missing memory, then not supported. */
static int weight(enum status status)
{
    return status == STATUS_OK ? 0 : status == STATUS_UNSUPPORTED ? 1 : status == STATUS_NO_MEMORY ? 2 : 3;
}

/* Appends ", not supported: gemm direct": the algorithms with that status, without the chosen one. */
static void append_status(char *text, size_t room, const char *what, const enum cudnn_algorithm family[],
                          const struct trial trial[], enum status status, enum cudnn_algorithm chosen)
{
    bool is_first = true;
    for (unsigned i = 0; family[i] != CUDNN_ALGORITHMS; i++) {
        if (trial[i].status != status || family[i] == chosen)
            continue;
        text_append(text, room, "%s %s", is_first ? what : "", names[family[i]]);
        is_first = false;
    }
}

bool cudnn_choose(struct cudnn_task *task, const enum cudnn_algorithm family[], char *text, size_t room,
                  struct error *err)
{
    struct trial trial[CUDNN_ALGORITHMS];
    struct error reason = { 0 };
    int best = -1;
    for (int i = 0; family[i] != CUDNN_ALGORITHMS; i++) {
        struct error refused = { 0 };
        trial[i] = (struct trial){ .seconds = INFINITY };
        task->algorithm = family[i];
        if (!try_one(task, &trial[i], &refused)) {
            trial[i].status = refused.status;
            if (weight(refused.status) > weight(reason.status))
                reason = refused;
        } else if (best < 0 || trial[i].seconds < trial[best].seconds)
            best = i;
    }
    if (best < 0)
        return fail_in(err, reason.where, reason.status, "%s", reason.message);
    task->algorithm = family[best];
    text_copy(text, room, names[task->algorithm]);
    append_status(text, room, ", faster than", family, trial, STATUS_OK, task->algorithm);
    append_status(text, room, ", too large:", family, trial, STATUS_NO_MEMORY, task->algorithm);
    append_status(text, room, ", failed:", family, trial, STATUS_FAILED, task->algorithm);
    append_status(text, room, ", not supported:", family, trial, STATUS_UNSUPPORTED, task->algorithm);
    return workspace_alloc(task, trial[best].workspace, err);
}
