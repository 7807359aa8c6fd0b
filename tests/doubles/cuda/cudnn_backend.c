/* The graph API of the double of cuDNN: a graph of one convolution, heuristics, plans and packs. It checks what is set
 * like the real library: kind of descriptor, attribute, type, count, and what is missing when a descriptor is
 * finalized. Its engines, in the order of the heuristics' mode A:
 *
 *   38   tensor cores: f32 is rounded to TF32       67   cannot be made a plan
 *   62   Fourier transforms                         46   needs a TiB of workspace
 *   45   Winograd's algorithm, at stride 1          48   fails when it runs
 *   41   keeps sums in a narrow type                28   workspace of a byte for each element of the result; all
 *                                                        others take a millisecond more
 *   22   narrows inputs                             0    only in the mode FALLBACK
 *   70
 *
 * Environment, beside that of cudnn.c:
 *
 *   CUDNN_DOUBLE_ENGINES   how many of mode A there are; 0: the mode is not supported */

#include "cudnn.h"

#include "double.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cudnnBackendDescriptorType_t, ...AttributeName_t and ...AttributeType_t, as in cudnn_graph.h of cuDNN 9.19. */
enum {
    CONVOLUTION = 1,
    ENGINE = 2,
    CONFIG = 3,
    HEURISTICS = 4,
    PLAN = 5,
    OPERATION = 10,
    GRAPH = 15,
    PACK = 16,
    TENSOR = 17
};
enum { TYPE_HANDLE = 0, TYPE_DATA = 1, TYPE_INT64 = 3, TYPE_SCALE = 4, TYPE_POINTER = 6, TYPE_MODE = 7 };
enum { TYPE_HEURISTICS = 8, TYPE_NOTE = 11, TYPE_DESCRIPTOR = 15 };
enum { NOT_FINALIZED = 2004, WRONG_TYPE = 2010, WRONG_KIND = 2012, UNSUPPORTED_ARCHITECTURE = 3007 };
enum { MODE_FALLBACK = 2, MODE_A = 3 };

/* What a descriptor needs before it is finalized; the workspace of a pack may be a null pointer. */
static const struct rule {
    int kind, attribute, type;
    int64_t count;
} rules[] = {
    { CONVOLUTION, 100, TYPE_DATA, 1 },      { CONVOLUTION, 101, TYPE_MODE, 1 },
    { CONVOLUTION, 102, TYPE_INT64, 2 },     { CONVOLUTION, 103, TYPE_INT64, 2 },
    { CONVOLUTION, 104, TYPE_INT64, 2 },     { CONVOLUTION, 105, TYPE_INT64, 2 },
    { CONVOLUTION, 106, TYPE_INT64, 1 },     { HEURISTICS, 200, TYPE_HEURISTICS, 1 },
    { HEURISTICS, 201, TYPE_DESCRIPTOR, 1 }, { PLAN, 400, TYPE_HANDLE, 1 },
    { PLAN, 401, TYPE_DESCRIPTOR, 1 },       { OPERATION, 700, TYPE_SCALE, 1 },
    { OPERATION, 701, TYPE_SCALE, 1 },       { OPERATION, 702, TYPE_DESCRIPTOR, 1 },
    { OPERATION, 703, TYPE_DESCRIPTOR, 1 },  { OPERATION, 704, TYPE_DESCRIPTOR, 1 },
    { OPERATION, 705, TYPE_DESCRIPTOR, 1 },  { GRAPH, 800, TYPE_HANDLE, 1 },
    { GRAPH, 801, TYPE_DESCRIPTOR, 1 },      { TENSOR, 900, TYPE_INT64, 1 },
    { TENSOR, 901, TYPE_DATA, 1 },           { TENSOR, 902, TYPE_INT64, 4 },
    { TENSOR, 903, TYPE_INT64, 4 },          { TENSOR, 906, TYPE_INT64, 1 },
    { PACK, 1000, TYPE_INT64, 3 },           { PACK, 1001, TYPE_POINTER, 3 },
    { PACK, 1003, TYPE_POINTER, 1 },
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct engine {
    int number, note; /* cudnnBackendNumericalNote_t; -1: none */
} engines[] = {
    { 38, 0 },  { 62, 3 },  { 45, 6 },  { 41, 2 }, { 22, 1 }, { 70, -1 },
    { 67, -1 }, { 46, -1 }, { 48, -1 }, { 28, 4 }, { 0, 9 },
};
enum { ENGINES = sizeof engines / sizeof *engines };

union value {
    int64_t number;
    int word;
    float narrow;
    double wide;
    void *pointer;
    struct descriptor *descriptor;
};

struct descriptor {
    int kind;
    bool is_final;
    bool is_set[RULES];
    int scale_type; /* of an operation */
    union value value[RULES][4];
    const struct engine *engine;    /* of a configuration and of an engine */
    const struct descriptor *graph; /* of a configuration */
};

static size_t bytes_of(int type)
{
    return type == TYPE_DATA || type == TYPE_MODE || type == TYPE_HEURISTICS || type == TYPE_SCALE ? 4 : 8;
}

static const union value *value_of(const struct descriptor *descriptor, int attribute)
{
    for (unsigned i = 0; i < RULES; i++)
        if (rules[i].attribute == attribute && descriptor->is_set[i])
            return descriptor->value[i];
    return NULL;
}

static const struct descriptor *part_of(const struct descriptor *descriptor, int attribute)
{
    return value_of(descriptor, attribute)->descriptor;
}

int cudnnBackendCreateDescriptor(int kind, struct descriptor **out)
{
    const int planned = give((void **)out, sizeof **out, __func__);
    if (planned == SUCCESS)
        (*out)->kind = kind;
    return planned;
}

int cudnnBackendDestroyDescriptor(struct descriptor *descriptor)
{
    return take_back(descriptor, __func__);
}

int cudnnBackendSetAttribute(struct descriptor *descriptor, int attribute, int type, int64_t count, const void *values)
{
    const int planned = answer_of(__func__);
    const bool is_wide = type == TYPE_SCALE + 1 && (attribute == 700 || attribute == 701);
    if (planned != SUCCESS)
        return planned;
    for (unsigned i = 0; i < RULES; i++) {
        if (rules[i].kind != descriptor->kind || rules[i].attribute != attribute)
            continue;
        if (rules[i].type != type && !is_wide)
            return WRONG_TYPE;
        if (rules[i].count != count || descriptor->is_final || !values)
            return BAD_PARAM;
        const size_t bytes = is_wide ? 8 : bytes_of(type);
        for (int64_t k = 0; k < count; k++)
            memcpy(&descriptor->value[i][k], (const char *)values + (size_t)k * bytes, bytes);
        if (type == TYPE_DESCRIPTOR &&
            (!descriptor->value[i]->descriptor || !descriptor->value[i]->descriptor->is_final))
            return NOT_FINALIZED;
        descriptor->scale_type = is_wide ? DOUBLE : FLOAT;
        descriptor->is_set[i] = true;
        return SUCCESS;
    }
    return BAD_PARAM;
}

static long engines_of_mode_a(void)
{
    const char *planned = getenv("CUDNN_DOUBLE_ENGINES");
    return planned ? atol(planned) : ENGINES - 1;
}

int cudnnBackendFinalize(struct descriptor *descriptor)
{
    const int planned = answer_of(__func__);
    if (planned != SUCCESS)
        return planned;
    for (unsigned i = 0; i < RULES; i++)
        if (rules[i].kind == descriptor->kind && !descriptor->is_set[i])
            return BAD_PARAM;
    if (descriptor->kind == HEURISTICS && value_of(descriptor, 200)->word == MODE_A && engines_of_mode_a() == 0)
        return NOT_SUPPORTED;
    if (descriptor->kind == PLAN && part_of(descriptor, 401)->engine->number == 67)
        return UNSUPPORTED_ARCHITECTURE;
    descriptor->is_final = true;
    return SUCCESS;
}

/* Whether strides are those of a layout. Of a single element they are those of both. */
static bool has_layout(const struct descriptor *tensor, int layout)
{
    const union value *length = value_of(tensor, 902), *stride = value_of(tensor, 903);
    const int64_t c = length[1].number, h = length[2].number, w = length[3].number;
    const int64_t wanted[2][4] = { { c * h * w, h * w, w, 1 }, { c * h * w, 1, w * c, c } };
    for (unsigned i = 0; i < 4; i++)
        if (stride[i].number != wanted[layout][i])
            return false;
    return true;
}

/* A convolution as cudnn.c computes it. */
struct work {
    struct array in, filters, out;
    struct convolution convolution;
    struct call call;
};

static struct array array_of(const struct descriptor *tensor, int layout)
{
    struct array array = { layout, value_of(tensor, 901)->word, { 0 }, has_layout(tensor, layout) };
    for (unsigned i = 0; i < 4; i++)
        array.length[i] = (int)value_of(tensor, 902)[i].number;
    return array;
}

/* False where the graph is none that the real library computes. */
static bool work_make(struct work *work, const struct descriptor *graph, int math)
{
    const struct descriptor *operation = part_of(graph, 801), *convolution = part_of(operation, 702);
    const struct descriptor *in = part_of(operation, 704), *filters = part_of(operation, 703),
                            *out = part_of(operation, 705);
    const int layout = has_layout(in, NCHW) && has_layout(filters, NCHW) && has_layout(out, NCHW) ? NCHW : NHWC;
    *work = (struct work){ .in = array_of(in, layout), .filters = array_of(filters, layout) };
    work->out = array_of(out, layout);
    for (unsigned i = 0; i < 2; i++) {
        work->convolution.dilation[i] = (int)value_of(convolution, 102)[i].number;
        work->convolution.stride[i] = (int)value_of(convolution, 103)[i].number;
        work->convolution.pad[i] = (int)value_of(convolution, 104)[i].number;
        if (value_of(convolution, 105)[i].number != work->convolution.pad[i] || work->convolution.dilation[i] != 1)
            return false;
    }
    work->convolution.type = value_of(convolution, 100)->word;
    work->convolution.mode = value_of(convolution, 101)->word;
    work->convolution.math = math;
    work->convolution.is_set = value_of(convolution, 106)->number == 2;
    work->call = (struct call){ &work->in, &work->filters, &work->out, &work->convolution, NULL, NULL };
    const union value *alpha = value_of(operation, 700), *beta = value_of(operation, 701);
    const bool is_wide = operation->scale_type == DOUBLE;
    return (is_wide ? alpha->wide == 1 && beta->wide == 0 : alpha->narrow == 1 && beta->narrow == 0) &&
           is_wide == (work->in.type == DOUBLE);
}

static size_t workspace_of(const struct descriptor *config)
{
    const union value *length = value_of(part_of(part_of(config->graph, 801), 705), 902);
    return config->engine->number == 46 ? (size_t)1 << 40
           : config->engine->number == 28
               ? (size_t)(length[0].number * length[1].number * length[2].number * length[3].number)
               : 0;
}

/* Fills configurations that the caller created. */
static int results_get(const struct descriptor *heuristics, int64_t room, int64_t *count, struct descriptor **out)
{
    struct work work;
    const bool is_fallback = value_of(heuristics, 200)->word == MODE_FALLBACK;
    const long first = is_fallback ? ENGINES - 1 : 0, last = is_fallback ? ENGINES : engines_of_mode_a();
    if (!work_make(&work, part_of(heuristics, 201), FMA_MATH) || check_form(&work.call) != SUCCESS)
        return NOT_SUPPORTED;
    *count = 0;
    for (long i = first; i < last && *count < room; i++) {
        if (engines[i].number == 45 && work.convolution.stride[0] != 1)
            continue;
        struct descriptor *config = out[(*count)++];
        if (!config || config->kind != CONFIG)
            return WRONG_KIND;
        config->engine = &engines[i];
        config->graph = part_of(heuristics, 201);
        config->is_final = true;
    }
    return SUCCESS;
}

int cudnnBackendGetAttribute(const struct descriptor *from, int attribute, int type, int64_t room, int64_t *count,
                             void *values)
{
    const int planned = answer_of(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!from->is_final || room < 1)
        return NOT_FINALIZED;
    *count = 1;
    if (from->kind == HEURISTICS && attribute == 202 && type == TYPE_DESCRIPTOR)
        return results_get(from, room, count, values);
    if (from->kind == CONFIG && attribute == 300 && type == TYPE_DESCRIPTOR) {
        struct descriptor *engine = *(struct descriptor **)values;
        engine->engine = from->engine;
        engine->is_final = true;
        return engine->kind == ENGINE ? SUCCESS : WRONG_KIND;
    }
    if (from->kind == ENGINE && attribute == 1301 && type == TYPE_INT64)
        *(int64_t *)values = from->engine->number;
    else if (from->kind == ENGINE && attribute == 1303 && type == TYPE_NOTE) {
        *(int *)values = from->engine->note;
        *count = from->engine->note >= 0;
    } else if (from->kind == PLAN && attribute == 402 && type == TYPE_INT64)
        *(int64_t *)values = (int64_t)workspace_of(part_of(from, 401));
    else
        return BAD_PARAM;
    return SUCCESS;
}

int cudnnBackendExecute(const struct handle *handle, const struct descriptor *plan, const struct descriptor *pack)
{
    const int planned = answer_of(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!plan->is_final || !pack->is_final || plan->kind != PLAN || pack->kind != PACK)
        return NOT_FINALIZED;
    struct work work;
    const struct descriptor *config = part_of(plan, 401), *operation = part_of(config->graph, 801);
    const union value *id = value_of(pack, 1000), *address = value_of(pack, 1001), *workspace = value_of(pack, 1003);
    void *out = NULL;
    if (!work_make(&work, config->graph, config->engine->number == 38 ? TENSOR_OP_MATH : FMA_MATH) ||
        check_form(&work.call) != SUCCESS || value_of(plan, 400)->pointer != (const void *)handle)
        return BAD_PARAM;
    for (unsigned i = 0; i < 3; i++) {
        if (id[i].number == value_of(part_of(operation, 704), 906)->number)
            work.call.in = address[i].pointer;
        if (id[i].number == value_of(part_of(operation, 703), 906)->number)
            work.call.filters = address[i].pointer;
        if (id[i].number == value_of(part_of(operation, 705), 906)->number)
            out = address[i].pointer;
    }
    const size_t wanted = workspace_of(config);
    if (!handle->stream || !work.call.in || !work.call.filters || !out || (wanted > 0 && !workspace->pointer))
        return BAD_PARAM;
    if (config->engine->number == 48)
        return EXECUTION_FAILED;
    if (config->engine->number != 28)
        wait_a_millisecond();
    if (wanted > 0)
        memset(workspace->pointer, 0xff, wanted);
    convolve(&work.call, out);
    return SUCCESS;
}
