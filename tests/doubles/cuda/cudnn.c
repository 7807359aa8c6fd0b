/* A libcudnn.so.9 for tests, on the memory of the driver's double: its version, its handle, layout copies, and a
 * convolution by the definition for the graph API (cudnn_backend.c).
 *
 * Environment, beside that of double.h:
 *
 *   CUDNN_DOUBLE_RUNTIME   version of the CUDA that it is built for; 12040
 *   CUDNN_DOUBLE_WRONG     "layout": changing a layout copies bytes only; "flip": filters are rotated, as in a true
 *                          convolution; "half": sums are kept in float16 */

#include "cudnn.h"

#include "double.h"
#include "harness/base/element.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long environment_number(const char *name, long fallback)
{
    const char *planned = getenv(name);
    return planned ? atol(planned) : fallback;
}

static bool environment_is(const char *name, const char *value)
{
    const char *planned = getenv(name);
    return planned && strcmp(planned, value) == 0;
}

/* The folder of the library `in`, or of this one: "/a/b/". */
static void folder_of(void *in, char to[PATH_MAX])
{
    Dl_info own;
    struct link_map *map = NULL;
    const char *path = in ? dlinfo(in, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : ""
                       : dladdr((void *)(uintptr_t)&folder_of, &own) ? own.dli_fname
                                                                     : "";
    snprintf(to, PATH_MAX, "%s", path);
    to[strrchr(to, '/') ? strrchr(to, '/') + 1 - to : 0] = '\0';
}

/* As the real one, which gets it from its part, that it loads by name: one from another folder has another version. */
size_t cudnnGetVersion(void)
{
    char own[PATH_MAX], of_part[PATH_MAX] = "";
    void *part = dlopen("libcudnn_graph.so.9", RTLD_NOW | RTLD_LOCAL);
    folder_of(NULL, own);
    if (part)
        folder_of(part, of_part);
    return part && strcmp(own, of_part) != 0 ? 90100 : 90201;
}

/* A file beside it named "runtime" has another version; 0: its parts are missing, which the real one does not survive.
 */
size_t cudnnGetCudartVersion(void)
{
    char path[PATH_MAX + 8];
    long version = environment_number("CUDNN_DOUBLE_RUNTIME", 12040);
    folder_of(NULL, path);
    strcat(path, "runtime");
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ld", &version) != 1)
        version = 0;
    if (file)
        fclose(file);
    if (version == 0)
        abort();
    return (size_t)version;
}

const char *cudnnGetErrorString(int status)
{
    return status == SUCCESS           ? "CUDNN_STATUS_SUCCESS"
           : status == NOT_INITIALIZED ? "CUDNN_STATUS_NOT_INITIALIZED"
           : status / 1000 == 2        ? "CUDNN_STATUS_BAD_PARAM"
           : status / 1000 == 3        ? "CUDNN_STATUS_NOT_SUPPORTED"
           : status / 1000 == 4        ? "CUDNN_STATUS_INTERNAL_ERROR"
           : status / 1000 == 5        ? "CUDNN_STATUS_EXECUTION_FAILED"
                                       : "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char *text, size_t room)
{
    strncpy(text, "as the double was planned", room);
}

/* A driver's error becomes an error of the library. */
int answer_of(const char *name)
{
    const int planned = cuda_double_answer(name);
    return planned > SUCCESS && planned < NOT_INITIALIZED ? FAILED_DRIVER : planned;
}

/* Every object that the library creates comes from here. */
int give(void **out, size_t bytes, const char *name)
{
    const int planned = answer_of(name);
    if (planned != SUCCESS)
        return planned;
    *out = calloc(1, bytes);
    cuda_double_hold(1);
    return *out ? SUCCESS : NOT_INITIALIZED;
}

int take_back(void *what, const char *name)
{
    free(what);
    cuda_double_hold(-1);
    return answer_of(name);
}

int cudnnCreate(struct handle **handle)
{
    return give((void **)handle, sizeof **handle, __func__);
}

int cudnnDestroy(struct handle *handle)
{
    return take_back(handle, __func__);
}

int cudnnSetStream(struct handle *handle, struct stream *stream)
{
    const int planned = answer_of(__func__);
    handle->stream = stream;
    return planned;
}

int cudnnCreateTensorDescriptor(struct array **tensor)
{
    return give((void **)tensor, sizeof **tensor, __func__);
}

int cudnnDestroyTensorDescriptor(struct array *tensor)
{
    return take_back(tensor, __func__);
}

static int array_set(struct array *array, int layout, int type, const int length[4])
{
    double elements = 1;
    for (unsigned i = 0; i < 4; i++)
        elements *= length[i] > 0 ? length[i] : -1;
    if (elements < 1 || (layout != NCHW && layout != NHWC))
        return BAD_PARAM;
    if (elements > 0x7fffffff || (type != FLOAT && type != DOUBLE && type != HALF && type != BFLOAT16))
        return NOT_SUPPORTED;
    *array = (struct array){ layout, type, { length[0], length[1], length[2], length[3] }, true };
    return SUCCESS;
}

int cudnnSetTensor4dDescriptor(struct array *tensor, int layout, int type, int n, int c, int h, int w)
{
    const int planned = answer_of(__func__);
    return planned != SUCCESS ? planned : array_set(tensor, layout, type, (const int[]){ n, c, h, w });
}

/* The place of an element; lengths and indices in the order N C H W. */
static size_t place(const struct array *array, int n, int c, int h, int w)
{
    const size_t C = (size_t)array->length[1], H = (size_t)array->length[2], W = (size_t)array->length[3];
    return array->layout == NCHW ? (((size_t)n * C + (size_t)c) * H + (size_t)h) * W + (size_t)w
                                 : (((size_t)n * H + (size_t)h) * W + (size_t)w) * C + (size_t)c;
}

static enum dtype dtype_of(int type)
{
    return type == FLOAT ? DTYPE_F32 : type == DOUBLE ? DTYPE_F64 : type == HALF ? DTYPE_F16 : DTYPE_BF16;
}

/* An element as it is multiplied: f32 is rounded to TF32 unless FMA is set. */
static double multiplicand(const struct array *array, const void *from, const struct convolution *convolution,
                           size_t index)
{
    const double value = element_at(from, dtype_of(array->type), (int64_t)index);
    if (array->type != FLOAT || convolution->math == FMA_MATH)
        return value;
    const uint32_t bits = float_bits((float)value);
    return (double)float_from_bits((bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff);
}

static double element(const struct call *call, int n, int k, int p, int q)
{
    const struct array *in = call->in_array, *filters = call->filter_array;
    const struct convolution *convolution = call->convolution;
    const bool is_flipped = environment_is("CUDNN_DOUBLE_WRONG", "flip");
    const int R = filters->length[2], S = filters->length[3];
    double sum = 0;
    for (int c = 0; c < in->length[1]; c++)
        for (int r = 0; r < R; r++)
            for (int s = 0; s < S; s++) {
                const int y = p * convolution->stride[0] - convolution->pad[0] + r,
                          x = q * convolution->stride[1] - convolution->pad[1] + s;
                if (y < 0 || y >= in->length[2] || x < 0 || x >= in->length[3])
                    continue;
                const size_t tap = is_flipped ? place(filters, k, c, R - 1 - r, S - 1 - s) : place(filters, k, c, r, s);
                const double product = multiplicand(in, call->in, convolution, place(in, n, c, y, x)) *
                                       multiplicand(filters, call->filters, convolution, tap);
                sum = convolution->type == DOUBLE ? sum + product : (double)(float)(sum + product);
                if (environment_is("CUDNN_DOUBLE_WRONG", "half")) {
                    uint16_t half;
                    element_put(&half, DTYPE_F16, 0, sum);
                    sum = element_at(&half, DTYPE_F16, 0);
                }
            }
    return sum;
}

void convolve(const struct call *call, void *out)
{
    const struct array *array = call->out_array;
    const int *length = array->length;
    for (int n = 0; n < length[0]; n++)
        for (int k = 0; k < length[1]; k++)
            for (int p = 0; p < length[2]; p++)
                for (int q = 0; q < length[3]; q++)
                    element_put(out, dtype_of(array->type), (int64_t)place(array, n, k, p, q),
                                element(call, n, k, p, q));
}

static int size_out(const struct call *call, unsigned axis)
{
    const struct convolution *convolution = call->convolution;
    return (call->in_array->length[2 + axis] + 2 * convolution->pad[axis] - call->filter_array->length[2 + axis]) /
               convolution->stride[axis] +
           1;
}

/* What the real library refuses as malformed. */
int check_form(const struct call *call)
{
    const struct array *in = call->in_array, *filters = call->filter_array, *out = call->out_array;
    const struct convolution *convolution = call->convolution;
    if (!in->is_set || !filters->is_set || !out->is_set || !convolution->is_set || convolution->mode != 1)
        return BAD_PARAM;
    if (in->length[1] != filters->length[1] || out->length[0] != in->length[0] ||
        out->length[1] != filters->length[0] || out->length[2] != size_out(call, 0) ||
        out->length[3] != size_out(call, 1))
        return BAD_PARAM;
    if (in->type != filters->type || in->type != out->type || in->layout != filters->layout ||
        in->layout != out->layout || convolution->type != (in->type == DOUBLE ? DOUBLE : FLOAT))
        return NOT_SUPPORTED;
    return SUCCESS;
}

static double scale_at(const void *scale, const struct array *array)
{
    double wide;
    float narrow;
    memcpy(&wide, scale, array->type == DOUBLE ? sizeof wide : 0);
    memcpy(&narrow, scale, array->type == DOUBLE ? 0 : sizeof narrow);
    return array->type == DOUBLE ? wide : (double)narrow;
}

void wait_a_millisecond(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

int cudnnTransformTensor(const struct handle *handle, const void *alpha, const struct array *from_array,
                         const void *from, const void *beta, const struct array *to_array, void *to)
{
    const int planned = answer_of(__func__);
    if (planned != SUCCESS)
        return planned;
    const enum dtype dtype = dtype_of(from_array->type);
    const int *length = from_array->length;
    if (!handle->stream || memcmp(length, to_array->length, sizeof from_array->length) != 0 ||
        from_array->type != to_array->type || scale_at(alpha, from_array) != 1 || scale_at(beta, from_array) != 0)
        return BAD_PARAM;
    if (from_array->type == BFLOAT16)
        return NOT_SUPPORTED;
    const bool is_wrong = environment_is("CUDNN_DOUBLE_WRONG", "layout");
    for (int n = 0; n < length[0]; n++)
        for (int c = 0; c < length[1]; c++)
            for (int h = 0; h < length[2]; h++)
                for (int w = 0; w < length[3]; w++)
                    element_put(to, dtype, (int64_t)place(is_wrong ? from_array : to_array, n, c, h, w),
                                element_at(from, dtype, (int64_t)place(from_array, n, c, h, w)));
    return SUCCESS;
}
