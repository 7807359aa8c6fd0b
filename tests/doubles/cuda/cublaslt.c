/* The functions of a libcublasLt for tests, on those of cublas.c. Its heuristics name four algorithms: number 0 is
 * slow, number 1 cannot compute the problem by its state, number 2 fails when it runs, and number 3 is right. A caller
 * that does not forbid it gets sums in the type of the operands.
 *
 *   CUBLASLT_DOUBLE_ANSWERS   how many they name; 4. Below 0 that is the count they report
 *   CUBLASLT_DOUBLE_PAUSES    milliseconds that number 0 and number 3 take more; "20 0"
 *   CUBLASLT_DOUBLE_LOADS     milliseconds that the first run of all takes more; 0
 *   CUBLASLT_DOUBLE_USED      file that gets the number of the algorithm that computed last */

#include "cublas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lt_handle {
    int unused;
};

struct operation {
    int compute, scale_type;
};

struct layout {
    int type;
    uint64_t rows, columns;
    int64_t stride;
};

struct preference {
    uint64_t workspace;
    uint32_t reductions;
};

struct answer {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

static int allocate(void **out, size_t bytes, const char *name)
{
    const int planned = planned_for(name);
    if (planned != SUCCESS)
        return planned;
    *out = calloc(1, bytes);
    if (!*out)
        return ALLOC_FAILED;
    cuda_double_hold(1);
    return SUCCESS;
}

static int release(void *what, const char *name)
{
    free(what);
    cuda_double_hold(-1);
    return planned_for(name);
}

int cublasLtCreate(struct lt_handle **handle)
{
    return allocate((void **)handle, sizeof **handle, __func__);
}

int cublasLtDestroy(struct lt_handle *handle)
{
    return release(handle, __func__);
}

int cublasLtMatmulDescCreate(struct operation **operation, int compute, int scale_type)
{
    const int status = allocate((void **)operation, sizeof **operation, __func__);
    if (status == SUCCESS)
        **operation = (struct operation){ compute, scale_type };
    return status;
}

int cublasLtMatmulDescDestroy(struct operation *operation)
{
    return release(operation, __func__);
}

int cublasLtMatrixLayoutCreate(struct layout **layout, int type, uint64_t rows, uint64_t columns, int64_t stride)
{
    const int status = allocate((void **)layout, sizeof **layout, __func__);
    if (status == SUCCESS)
        **layout = (struct layout){ type, rows, columns, stride };
    return status;
}

int cublasLtMatrixLayoutDestroy(struct layout *layout)
{
    return release(layout, __func__);
}

int cublasLtMatmulPreferenceCreate(struct preference **preference)
{
    const int status = allocate((void **)preference, sizeof **preference, __func__);
    if (status == SUCCESS)
        (*preference)->reductions = 7;
    return status;
}

int cublasLtMatmulPreferenceDestroy(struct preference *preference)
{
    return release(preference, __func__);
}

int cublasLtMatmulPreferenceSetAttribute(struct preference *preference, int attribute, const void *value, size_t bytes)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (attribute == 1 && bytes == sizeof preference->workspace)
        memcpy(&preference->workspace, value, bytes);
    else if (attribute == 3 && bytes == sizeof preference->reductions)
        memcpy(&preference->reductions, value, bytes);
    else
        return BAD_VALUE;
    return SUCCESS;
}

/* Whether the operands are those of one multiplication in a type that is supported. */
static bool is_supported(const struct operation *operation, const struct layout *a, const struct layout *b,
                         const struct layout *c)
{
    const bool is_tf32 = operation->compute == IN_TF32 && a->type == FLOAT;
    const bool is_narrow = operation->compute == IN_FLOAT && (a->type == HALF || a->type == BFLOAT16);
    return (is_tf32 || is_narrow) && operation->scale_type == FLOAT && a->type == b->type && a->type == c->type &&
           a->columns == b->rows && a->rows == c->rows && b->columns == c->columns && a->stride >= (int64_t)a->rows &&
           b->stride >= (int64_t)b->rows && c->stride >= (int64_t)c->rows;
}

int cublasLtMatmulAlgoGetHeuristic(struct lt_handle *handle, struct operation *operation, struct layout *a,
                                   struct layout *b, struct layout *c, struct layout *d, struct preference *preference,
                                   int room, struct answer out[], int *count)
{
    const char *wanted = getenv("CUBLASLT_DOUBLE_ANSWERS");
    const int planned = planned_for(__func__), most = wanted ? atoi(wanted) : 4;
    if (planned != SUCCESS)
        return planned;
    if (!handle || c != d)
        return BAD_VALUE;
    if (!is_supported(operation, a, b, c))
        return NOT_SUPPORTED;
    *count = most;
    if (most < 0)
        return SUCCESS;
    for (*count = 0; *count < most && *count < room; (*count)++)
        out[*count] = (struct answer){ .algorithm = { (uint64_t)*count, preference->reductions },
                                       .workspace = preference->workspace,
                                       .state = *count == 1 ? NOT_SUPPORTED : SUCCESS };
    return *count > 0 ? SUCCESS : NOT_SUPPORTED;
}

static void pause_of(uint64_t algorithm)
{
    static bool is_loaded;
    const char *pauses = getenv("CUBLASLT_DOUBLE_PAUSES"), *loads = getenv("CUBLASLT_DOUBLE_LOADS");
    long first = 20, last = 0;
    if (pauses)
        sscanf(pauses, "%ld %ld", &first, &last);
    if (loads && !is_loaded)
        first += strtol(loads, NULL, 10);
    is_loaded = true;
    nanosleep(&(struct timespec){ .tv_nsec = (algorithm == 0 ? first : last) * 1000000 }, NULL);
}

static void note_use(uint64_t algorithm)
{
    const char *path = getenv("CUBLASLT_DOUBLE_USED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%d\n", (int)algorithm);
    fclose(file);
}

int cublasLtMatmul(struct lt_handle *handle, struct operation *operation, const void *alpha, const void *a,
                   struct layout *a_layout, const void *b, struct layout *b_layout, const void *beta, const void *c,
                   struct layout *c_layout, void *d, struct layout *d_layout, const uint64_t algorithm[8],
                   void *workspace, size_t bytes, struct stream *stream)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!handle || !stream || c != d || c_layout != d_layout || !workspace || bytes < 32 << 20 ||
        *(const float *)alpha != 1 || *(const float *)beta != 0 || algorithm[0] > 3 || algorithm[0] == 1 ||
        !is_supported(operation, a_layout, b_layout, c_layout))
        return BAD_VALUE;
    if (algorithm[0] == 2)
        return EXECUTION_FAILED;
    note_use(algorithm[0]);
    pause_of(algorithm[0]);
    const struct sum sum = { dtype_of(a_layout->type),
                             operation->compute,
                             a,
                             b,
                             a_layout->stride,
                             b_layout->stride,
                             (int64_t)a_layout->columns,
                             algorithm[1] != 2 && a_layout->type != FLOAT,
                             false,
                             false };
    for (uint64_t column = 0; column < d_layout->columns; column++)
        for (uint64_t row = 0; row < d_layout->rows; row++)
            element_put(d, sum.dtype, (int64_t)row + (int64_t)column * d_layout->stride,
                        sum_up(&sum, (int64_t)row, (int64_t)column));
    return SUCCESS;
}
