#include "bench/backends/cuda/cudnn.h"

#include <stdio.h>

/* The graph API, cuDNN's interface since version 8: everything is a descriptor that gets attributes and is then
 * finalized. The convolution is a graph of one operation. Heuristics name engines with settings for it, the most
 * promising first; each of these can be made a plan, which runs on a pack of addresses. */

/* cudnnBackendDescriptorType_t */
enum {
    CONVOLUTION = 1,
    ENGINE = 2,
    CONFIG = 3, /* an engine with its settings */
    HEURISTICS = 4,
    PLAN = 5,
    OPERATION = 10, /* a convolution of tensors */
    GRAPH = 15,
    PACK = 16,
    TENSOR = 17,
};

/* cudnnBackendAttributeName_t */
enum {
    CONVOLUTION_SUM_TYPE = 100,
    CONVOLUTION_MODE = 101,
    CONVOLUTION_DILATIONS = 102,
    CONVOLUTION_STRIDES = 103,
    CONVOLUTION_PADS_AFTER = 104,
    CONVOLUTION_PADS_BEFORE = 105,
    CONVOLUTION_AXES = 106,
    HEURISTICS_MODE = 200,
    HEURISTICS_GRAPH = 201,
    HEURISTICS_RESULTS = 202,
    CONFIG_ENGINE = 300,
    PLAN_HANDLE = 400,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
    OPERATION_ALPHA = 700,
    OPERATION_BETA = 701,
    OPERATION_CONVOLUTION = 702,
    OPERATION_FILTERS = 703,
    OPERATION_IN = 704,
    OPERATION_OUT = 705,
    GRAPH_HANDLE = 800,
    GRAPH_OPERATIONS = 801,
    TENSOR_ALIGNMENT = 900,
    TENSOR_TYPE = 901,
    TENSOR_LENGTHS = 902,
    TENSOR_STRIDES = 903,
    TENSOR_ID = 906,
    PACK_IDS = 1000,
    PACK_ADDRESSES = 1001,
    PACK_WORKSPACE = 1003,
    ENGINE_NUMBER = 1301,
    ENGINE_NOTES = 1303,
};

/* cudnnBackendAttributeType_t */
enum {
    A_HANDLE = 0,
    A_DATA_TYPE = 1,
    AN_INT64 = 3,
    A_FLOAT = 4,
    A_DOUBLE = 5,
    A_POINTER = 6,
    A_CONVOLUTION_MODE = 7,
    A_HEURISTICS_MODE = 8,
    A_NOTE = 11,
    A_DESCRIPTOR = 15,
};

/* cudnnBackendHeurMode_t: MODE_A has the most engines, FALLBACK those that compute nearly everything. */
enum { MODE_FALLBACK = 2, MODE_A = 3 };

/* cudnnBackendNumericalNote_t: what an engine does to numbers. Note 4, sums in an order that changes, is allowed. */
enum {
    NOTE_TENSOR_CORES = 0,
    NOTE_NARROWS_INPUTS = 1,
    NOTE_NARROWS_SUMS = 2,
    NOTE_FFT = 3,
    NOTE_WINOGRAD = 5, /* to 8: with tiles of a certain size */
    NOTE_WINOGRAD_LAST = 8,
};

/* One attribute of a descriptor; count 0 after the last. */
struct row {
    int attribute, type;
    int64_t count;
    const void *values;
};

/* Creates a descriptor, sets its attributes and finalizes it. *out is to be closed even after a failure. */
static bool describe(const struct cudnn *cudnn, int kind, const struct row row[], struct cudnn_descriptor **out,
                     struct error *err)
{
    if (!cudnn_call(cudnn, err, descriptor_open, kind, out)) {
        *out = NULL;
        return false;
    }
    for (; row->count > 0; row++)
        if (!cudnn_call(cudnn, err, descriptor_set, *out, row->attribute, row->type, row->count, row->values))
            return false;
    return cudnn_call(cudnn, err, descriptor_finalize, *out);
}

/* Up to `room` values of an attribute. */
static bool get(const struct cudnn *cudnn, const struct cudnn_descriptor *from, int attribute, int type, int64_t room,
                int64_t *count, void *values, struct error *err)
{
    return cudnn_call(cudnn, err, descriptor_get, from, attribute, type, room, count, values);
}

static void close_all(const struct cudnn *cudnn, struct cudnn_descriptor *descriptor[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (descriptor[i])
            CUDNN(&cudnn->call, descriptor_close, descriptor[i]);
        descriptor[i] = NULL;
    }
}

/* Lengths and strides are in the order N C H W, whatever the layout in memory. */
static bool tensor_open(struct cudnn_task *task, unsigned which, struct error *err)
{
    const int64_t id = which + 1, alignment = 16;
    const int type = (int)task->type->element;
    int shape[4];
    cudnn_shape(task->problem, which, shape);
    const int64_t c = shape[1], h = shape[2], w = shape[3], length[] = { shape[0], c, h, w };
    const int64_t stride[][4] = {
        [CUDNN_NCHW] = { c * h * w, h * w, w, 1 }, [CUDNN_NHWC] = { c * h * w, 1, w * c, c }
    };
    const struct row rows[] = {
        { TENSOR_ID, AN_INT64, 1, &id },
        { TENSOR_TYPE, A_DATA_TYPE, 1, &type },
        { TENSOR_LENGTHS, AN_INT64, 4, length },
        { TENSOR_STRIDES, AN_INT64, 4, stride[task->layout] },
        { TENSOR_ALIGNMENT, AN_INT64, 1, &alignment },
        { 0 },
    };
    return describe(task->cudnn, TENSOR, rows, &task->described[which], err);
}

static bool graph_open(struct cudnn_task *task, struct error *err)
{
    struct cudnn_descriptor **made = task->described;
    const int sum = (int)task->type->sum, mode = CUDNN_CROSS_CORRELATION;
    const int64_t axes = 2, *dim = task->problem->dim, ones[] = { 1, 1 };
    const int64_t pads[] = { dim[CONV_PAD], dim[CONV_PAD] }, strides[] = { dim[CONV_STRIDE], dim[CONV_STRIDE] };
    const struct row convolution[] = {
        { CONVOLUTION_SUM_TYPE, A_DATA_TYPE, 1, &sum },   { CONVOLUTION_MODE, A_CONVOLUTION_MODE, 1, &mode },
        { CONVOLUTION_AXES, AN_INT64, 1, &axes },         { CONVOLUTION_DILATIONS, AN_INT64, axes, ones },
        { CONVOLUTION_STRIDES, AN_INT64, axes, strides }, { CONVOLUTION_PADS_BEFORE, AN_INT64, axes, pads },
        { CONVOLUTION_PADS_AFTER, AN_INT64, axes, pads }, { 0 },
    };
    const int scale = task->type->sum == CUDNN_F64 ? A_DOUBLE : A_FLOAT;
    const struct row operation[] = {
        { OPERATION_IN, A_DESCRIPTOR, 1, &made[CONV_IN] },
        { OPERATION_FILTERS, A_DESCRIPTOR, 1, &made[CONV_FILTERS] },
        { OPERATION_OUT, A_DESCRIPTOR, 1, &made[CONV_OUT] },
        { OPERATION_CONVOLUTION, A_DESCRIPTOR, 1, &made[CUDNN_CONVOLUTION] },
        { OPERATION_ALPHA, scale, 1, cudnn_one(task) },
        { OPERATION_BETA, scale, 1, &cudnn_zero },
        { 0 },
    };
    const struct row graph[] = {
        { GRAPH_HANDLE, A_HANDLE, 1, &task->cudnn->handle },
        { GRAPH_OPERATIONS, A_DESCRIPTOR, 1, &made[CUDNN_OPERATION] },
        { 0 },
    };
    for (unsigned i = 0; i < CONV_OPERANDS; i++)
        if (!tensor_open(task, i, err))
            return false;
    return describe(task->cudnn, CONVOLUTION, convolution, &made[CUDNN_CONVOLUTION], err) &&
           describe(task->cudnn, OPERATION, operation, &made[CUDNN_OPERATION], err) &&
           describe(task->cudnn, GRAPH, graph, &made[CUDNN_GRAPH], err);
}

/* Whether an engine computes by the task's algorithm and does no more to numbers than that and the element type allow.
 * In f32 tensor cores multiply as TF32. */
static bool notes_suit(const struct cudnn_task *task, const int note[], int64_t notes)
{
    bool is_winograd = false;
    for (int64_t i = 0; i < notes; i++) {
        if ((note[i] == NOTE_TENSOR_CORES && !task->type->has_tensor_cores) || note[i] == NOTE_NARROWS_INPUTS ||
            note[i] == NOTE_NARROWS_SUMS || note[i] == NOTE_FFT)
            return false;
        is_winograd |= note[i] >= NOTE_WINOGRAD && note[i] <= NOTE_WINOGRAD_LAST;
    }
    return is_winograd == task->is_winograd;
}

/* Adds the engine to the ways that are tried, where it suits. */
static bool way_add(struct cudnn_task *task, struct cudnn_descriptor *config, struct error *err)
{
    enum { NOTES_MAX = 32 };
    const struct cudnn *cudnn = task->cudnn;
    struct cudnn_descriptor *engine = NULL;
    int64_t number = 0, notes = 0, one;
    int note[NOTES_MAX];
    const bool is_known = cudnn_call(cudnn, err, descriptor_open, ENGINE, &engine) &&
                          get(cudnn, config, CONFIG_ENGINE, A_DESCRIPTOR, 1, &one, &engine, err) &&
                          get(cudnn, engine, ENGINE_NUMBER, AN_INT64, 1, &one, &number, err) &&
                          get(cudnn, engine, ENGINE_NOTES, A_NOTE, NOTES_MAX, &notes, note, err);
    const bool suits = is_known && notes_suit(task, note, notes < NOTES_MAX ? notes : NOTES_MAX);
    if (suits) {
        struct cudnn_way *way = &task->way[task->ways];
        unsigned before = 0;
        for (unsigned i = 0; i < task->ways; i++)
            before += task->way[i].engine == number;
        *way = (struct cudnn_way){ .engine = number, .config = config };
        snprintf(way->name, sizeof way->name, before ? "engine %d settings %u" : "engine %d", (int)number, before + 1);
        task->ways++;
    }
    close_all(cudnn, &engine, 1);
    return suits;
}

/* Asks one mode of the heuristics. In f32 on an H100 the first 27 of 36 answers compute in TF32. */
static bool heuristics_ask(struct cudnn_task *task, int mode, struct error *err)
{
    enum { ANSWERS_MAX = 64 };
    const struct cudnn *cudnn = task->cudnn;
    struct cudnn_descriptor *heuristics = NULL, *config[ANSWERS_MAX] = { NULL };
    const struct row rows[] = {
        { HEURISTICS_GRAPH, A_DESCRIPTOR, 1, &task->described[CUDNN_GRAPH] },
        { HEURISTICS_MODE, A_HEURISTICS_MODE, 1, &mode },
        { 0 },
    };
    int64_t answers = 0;
    bool ok = describe(cudnn, HEURISTICS, rows, &heuristics, err);
    for (unsigned i = 0; i < ANSWERS_MAX && ok; i++)
        ok = cudnn_call(cudnn, err, descriptor_open, CONFIG, &config[i]);
    ok = ok && get(cudnn, heuristics, HEURISTICS_RESULTS, A_DESCRIPTOR, ANSWERS_MAX, &answers, config, err);
    for (unsigned i = 0; i < answers && i < ANSWERS_MAX && ok && task->ways < CUDA_ALGORITHMS_MAX; i++)
        if (way_add(task, config[i], NULL))
            config[i] = NULL;
    close_all(cudnn, config, ANSWERS_MAX);
    close_all(cudnn, &heuristics, 1);
    return ok;
}

bool cudnn_graph_open(struct cudnn_task *task, struct error *err)
{
    static const int modes[] = { MODE_A, MODE_FALLBACK };
    struct error refused = { .status = STATUS_OK };
    if (!graph_open(task, err))
        return false;
    for (unsigned i = 0; i < 2 && task->ways < CUDA_ALGORITHMS_MAX; i++)
        if (!heuristics_ask(task, modes[i], &refused) && refused.status != STATUS_UNSUPPORTED)
            return fail_in(err, refused.where, refused.status, "%s", refused.message);
    if (task->ways == 0)
        fail(&refused, STATUS_UNSUPPORTED, "no engine of cuDNN computes this convolution in %s by %s",
             dtype_name(task->problem->dtype), task->is_winograd ? "Winograd's algorithm" : "its definition");
    return task->ways > 0 || fail_in(err, refused.where, refused.status, "%s", refused.message);
}

bool cudnn_plan_open(struct cudnn_task *task, const struct cudnn_way *way, size_t *workspace, struct error *err)
{
    const struct row rows[] = {
        { PLAN_HANDLE, A_HANDLE, 1, &task->cudnn->handle },
        { PLAN_CONFIG, A_DESCRIPTOR, 1, &way->config },
        { 0 },
    };
    int64_t bytes = 0, one;
    if (!describe(task->cudnn, PLAN, rows, &task->described[CUDNN_PLAN], err) ||
        !get(task->cudnn, task->described[CUDNN_PLAN], PLAN_WORKSPACE, AN_INT64, 1, &one, &bytes, err))
        return false;
    *workspace = (size_t)bytes;
    return true;
}

bool cudnn_pack_open(struct cudnn_task *task, struct error *err)
{
    const struct buffer *workspace = task->workspace;
    const int64_t id[] = { CONV_IN + 1, CONV_FILTERS + 1, CONV_OUT + 1 };
    void *address[CONV_OPERANDS], *work = workspace ? cudnn_pointer(workspace->address) : NULL;
    for (unsigned i = 0; i < CONV_OPERANDS; i++)
        address[i] = cudnn_pointer(task->address[i]);
    const struct row rows[] = {
        { PACK_IDS, AN_INT64, CONV_OPERANDS, id },
        { PACK_ADDRESSES, A_POINTER, CONV_OPERANDS, address },
        { PACK_WORKSPACE, A_POINTER, 1, &work },
        { 0 },
    };
    return describe(task->cudnn, PACK, rows, &task->described[CUDNN_PACK], err);
}

void cudnn_graph_close(struct cudnn_task *task)
{
    for (unsigned i = 0; i < task->ways; i++)
        close_all(task->cudnn, &task->way[i].config, 1);
    close_all(task->cudnn, task->described, CUDNN_DESCRIBED);
}
