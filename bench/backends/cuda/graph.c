#include "bench/backends/cuda/cuda.h"

/* Recording begins on queue 0; nothing that is put there meanwhile is done, and nothing may wait for it. */
static struct cuda_graph *record(struct session *session, cuda_put *put, void *context, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    struct cuda_graph *graph = NULL;
    if (!stream)
        return NULL;
    int code = driver->capture_begin(stream, CUDA_CAPTURE_THREAD_LOCAL);
    if (code != CUDA_OK) {
        cuda_fail(driver, err, "cuStreamBeginCapture", code);
        return NULL;
    }
    const bool ok = put(context, err);
    code = driver->capture_end(stream, &graph); /* in any case: the stream is of no use until then */
    if (ok && code == CUDA_OK)
        return graph;
    if (code != CUDA_OK)
        cuda_fail(driver, err, "cuStreamEndCapture", code);
    else if (graph)
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
    if (code == CUDA_OK)
        return exec;
    cuda_fail(driver, err, "cuGraphInstantiateWithFlags", code);
    return NULL;
}

bool cuda_graph_submit(struct session *session, struct cuda_graph_exec *exec, unsigned queue, struct span *span,
                       struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream || !cuda_span_begin(session, queue, span, err))
        return false;
    const int code = session->driver.graph_launch(exec, stream);
    if (code != CUDA_OK)
        return cuda_fail(&session->driver, err, "cuGraphLaunch", code);
    return cuda_span_end(session, queue, span, err);
}

void cuda_graph_close(struct session *session, struct cuda_graph_exec *exec)
{
    if (exec)
        session->driver.graph_exec_close(exec);
}
