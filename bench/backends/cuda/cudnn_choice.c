#include "bench/backends/cuda/cudnn.h"
#include "harness/base/text.h"

static bool workspace_bytes(const struct cudnn_task *task, const struct cudnn_way *way, size_t *bytes,
                            struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    return cudnn_call(cudnn, err, workspace, cudnn->handle, task->in, task->filters, task->convolution, task->out,
                      (int)way->algorithm, bytes);
}

static bool workspace_alloc(struct cudnn_task *task, const struct cudnn_way *way, size_t bytes, struct error *err)
{
    if (bytes > task->most)
        return fail(err, STATUS_NO_MEMORY, "cuDNN's %s needs a workspace of %zu bytes, the limit is %zu", way->name,
                    bytes, task->most);
    if (bytes == 0)
        return true;
    struct error refused = { 0 };
    task->workspace = cuda_alloc(task->session, bytes, MEMORY_PAGEABLE, &refused);
    return task->workspace ||
           fail_in(err, refused.where, refused.status, "cuDNN's %s needs a workspace of %zu bytes: %s", way->name,
                   bytes, refused.message);
}

/* Makes everything for runs in one way. */
static bool way_open(struct cudnn_task *task, unsigned number, struct error *err)
{
    const struct cudnn_way *way = &task->way[number];
    size_t bytes = 0;
    task->chosen = number;
    if (!way->config)
        return workspace_bytes(task, way, &bytes, err) && workspace_alloc(task, way, bytes, err);
    return cudnn_plan_open(task, way, &bytes, err) && workspace_alloc(task, way, bytes, err) &&
           cudnn_pack_open(task, err);
}

static bool way_try(void *context, unsigned number, double *seconds, struct error *err)
{
    struct cudnn_task *task = context;
    const bool ok = way_open(task, number, err) && choice_measure(task->session, cudnn_run, task, seconds, err);
    cuda_release(task->session, task->workspace);
    task->workspace = NULL;
    cudnn_plan_close(task);
    return ok;
}

/* Appends ", not supported: gemm direct": the algorithms with that status, without the chosen one. */
static void append_status(char *text, size_t room, const char *what, const struct cudnn_task *task,
                          const struct choice_trial trial[], enum status status, int chosen)
{
    bool is_first = true;
    for (unsigned i = 0; i < task->ways; i++) {
        if (trial[i].status != status || (int)i == chosen)
            continue;
        text_append(text, room, "%s %s", is_first ? what : "", task->way[i].name);
        is_first = false;
    }
}

bool cudnn_choose(struct cudnn_task *task, char *text, size_t room, struct error *err)
{
    struct choice_trial trial[CHOICE_MAX];
    const int best = choice_make(way_try, task, task->ways, trial, err);
    if (best < 0)
        return false;
    text_copy(text, room, task->way[best].name);
    if (!task->way[best].config) {
        append_status(text, room, ", faster than", task, trial, STATUS_OK, best);
        append_status(text, room, ", too large:", task, trial, STATUS_NO_MEMORY, best);
        append_status(text, room, ", failed:", task, trial, STATUS_FAILED, best);
        append_status(text, room, ", not supported:", task, trial, STATUS_UNSUPPORTED, best);
    }
    return way_open(task, (unsigned)best, err);
}
