#include "bench/backends/cuda/cuda.h"

/* Recording begins on queue 0; nothing that is put there meanwhile is done, and nothing may wait for it. */
static struct cuda_graph *record(struct session *session, cuda_put *put, void *context, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    struct cuda_graph *graph = NULL;
    if (!stream)
        return NULL;
    if (!cuda_check(driver, driver->capture_begin(stream, CUDA_CAPTURE_THREAD_LOCAL), "cuStreamBeginCapture", err))
        return NULL;
    const bool ok = put(context, err);
    const int code = driver->capture_end(stream, &graph); /* in any case: the stream is of no use until then */
    if (cuda_check(driver, code, "cuStreamEndCapture", err) && ok)
        return graph;
    if (code == CUDA_OK && graph)
        driver->graph_close(graph);
    return NULL;
}

struct cuda_graph_exec *cuda_graph_record(struct session *session, cuda_put *put, void *context, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    struct cuda_graph_exec *exec = NULL;
    if (!driver->graph_instantiate) {
        fail_in(err, "dlsym", STATUS_UNSUPPORTED,
                "%s has no cuGraphInstantiateWithFlags, which came with CUDA 11.4: a newer NVIDIA driver has it",
                session->device.api_version);
        return NULL;
    }
    struct cuda_graph *graph = record(session, put, context, err);
    if (!graph)
        return NULL;
    const int code = driver->graph_instantiate(&exec, graph, 0);
    driver->graph_close(graph);
    return cuda_check(driver, code, "cuGraphInstantiateWithFlags", err) ? exec : NULL;
}

bool cuda_graph_submit(struct session *session, struct cuda_graph_exec *exec, unsigned queue, struct span *span,
                       struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    return stream && cuda_span_begin(session, queue, span, err) &&
           cuda_check(&session->driver, session->driver.graph_launch(exec, stream), "cuGraphLaunch", err) &&
           cuda_span_end(session, queue, span, err);
}

void cuda_graph_close(struct session *session, struct cuda_graph_exec *exec)
{
    if (exec)
        session->driver.graph_exec_close(exec);
}
