#include "bench/backends/cuda/portable.h"

/* A kernel text, and a graph of all launches of its run. */
struct graph_work {
    struct cuda_portable_work portable;
    struct cuda_graph_exec *exec;
};

/* Records on queue 0. Meanwhile the commands on it are not run, and nothing may wait for it. */
static struct cuda_graph *record(struct graph_work *work, unsigned parts, struct error *err)
{
    struct session *session = work->portable.session;
    const struct cuda_driver *driver = &session->driver;
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    struct cuda_graph *graph = NULL;
    if (!stream)
        return NULL;
    if (!cuda_call(driver, err, capture_begin, stream, CUDA_CAPTURE_THREAD_LOCAL))
        return NULL;
    bool ok = true;
    for (unsigned part = 0; part < parts && ok; part++)
        ok = cuda_portable.submit(&work->portable, 0, part, NULL, err);
    /* Also after a failure: the stream is unusable until then. */
    const int code = CUDA(driver, capture_end, stream, &graph);
    if (cuda_check_answer(driver, code, cuda_names.capture_end, err) && ok)
        return graph;
    if (code == CUDA_OK && graph)
        CUDA(driver, graph_close, graph);
    return NULL;
}

static void graph_close(void *context)
{
    struct graph_work *work = context;
    if (work->exec)
        CUDA(&work->portable.session->driver, graph_exec_close, work->exec);
    cuda_portable.close(&work->portable);
}

static bool graph_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                       struct error *err)
{
    struct graph_work *work = context;
    struct cuda_graph *graph = cuda_portable.open(&work->portable, session, job, detail, err)
                                   ? record(work, job->parts > 1 ? job->parts : 1, err)
                                   : NULL;
    const bool ok = graph && cuda_make(&session->driver, err, graph_instantiate, &work->exec, graph, 0);
    if (graph)
        CUDA(&session->driver, graph_close, graph);
    return ok;
}

static bool graph_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct graph_work *work = context;
    struct session *session = work->portable.session;
    struct cuda_stream *stream = cuda_span_begin(session, queue, span, err);
    return stream && cuda_call(&session->driver, err, graph_launch, work->exec, stream) &&
           cuda_span_end(session, queue, span, err);
}

const struct routine cuda_graph = {
    .bytes = sizeof(struct graph_work),
    .open = graph_open,
    .submit = graph_submit,
    .close = graph_close,
};
