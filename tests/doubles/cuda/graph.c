#include "double.h"

#include <stdlib.h>
#include <string.h>

/* A recorded launch. Every argument is 8 bytes wide; NULL after the last. */
enum { ARGUMENTS = 20 };
struct node {
    const struct function *function;
    unsigned blocks[3], threads[3];
    uint64_t value[ARGUMENTS];
    unsigned arguments;
};

struct graph {
    struct node *node;
    unsigned nodes, room;
};

int graph_add(struct graph *graph, const struct function *function, const unsigned blocks[3], const unsigned threads[3],
              void *const *arguments)
{
    if (graph->nodes == graph->room) {
        unsigned room = graph->room ? 2 * graph->room : 16;
        struct node *grown = realloc(graph->node, room * sizeof *grown);
        if (!grown)
            return OUT_OF_MEMORY;
        graph->node = grown;
        graph->room = room;
    }
    struct node *node = &graph->node[graph->nodes++];
    *node = (struct node){ .function = function };
    memcpy(node->blocks, blocks, sizeof node->blocks);
    memcpy(node->threads, threads, sizeof node->threads);
    for (; node->arguments < ARGUMENTS && arguments[node->arguments]; node->arguments++)
        memcpy(&node->value[node->arguments], arguments[node->arguments], sizeof *node->value);
    return SUCCESS;
}

static int node_run(const struct node *node)
{
    uint64_t value[ARGUMENTS];
    void *pointer[ARGUMENTS + 1] = { NULL };
    memcpy(value, node->value, sizeof value);
    for (unsigned i = 0; i < node->arguments; i++)
        pointer[i] = &value[i];
    return function_run(node->function, node->blocks, node->threads, pointer);
}

static struct graph *graph_new(void)
{
    struct graph *graph = calloc(1, sizeof *graph);
    state.held[HELD_GRAPHS] += graph != NULL;
    return graph;
}

static void graph_free(struct graph *graph)
{
    free(graph->node);
    free(graph);
    state.held[HELD_GRAPHS]--;
}

int cuStreamBeginCapture_v2(struct stream *stream, int mode)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!stream || stream->recording || mode < 0 || mode > 2)
        return INVALID_VALUE;
    stream->recording = graph_new();
    return stream->recording ? SUCCESS : OUT_OF_MEMORY;
}

/* A capture that fails has no graph. */
int cuStreamEndCapture(struct stream *stream, struct graph **graph)
{
    const int planned = answer(__func__);
    *graph = stream->recording;
    stream->recording = NULL;
    if (planned == SUCCESS)
        return *graph ? SUCCESS : INVALID_VALUE;
    if (*graph)
        graph_free(*graph);
    *graph = NULL;
    return planned;
}

int cuGraphDestroy(struct graph *graph)
{
    graph_free(graph);
    return answer(__func__);
}

int cuGraphInstantiateWithFlags(struct graph **exec, const struct graph *graph, unsigned long long flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (flags != 0 || graph->nodes == 0)
        return INVALID_VALUE;
    *exec = graph_new();
    struct node *node = *exec ? malloc(graph->nodes * sizeof *node) : NULL;
    if (!node)
        return OUT_OF_MEMORY;
    memcpy(node, graph->node, graph->nodes * sizeof *node);
    **exec = (struct graph){ node, graph->nodes, graph->nodes };
    return SUCCESS;
}

int cuGraphExecDestroy(struct graph *exec)
{
    graph_free(exec);
    return answer(__func__);
}

int cuGraphLaunch(const struct graph *exec, const struct stream *stream)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (is_idle())
        return SUCCESS;
    if (!stream || stream->recording)
        return INVALID_VALUE;
    for (unsigned i = 0; i < exec->nodes; i++) {
        int code = node_run(&exec->node[i]);
        if (code != SUCCESS)
            return code;
    }
    return SUCCESS;
}
