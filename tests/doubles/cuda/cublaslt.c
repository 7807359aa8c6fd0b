/* The functions of a libcublasLt for tests, on those of cublas.c. Its heuristics name four algorithms: number 0 is
 * 60 ms slower, number 1 cannot compute the problem by its state, number 2 fails when it runs, and number 3 is right. A
 * caller that does not forbid it gets sums in the type of the operands.
 *
 *   CUBLASLT_DOUBLE_ANSWERS   how many they name; 4. Below 0 that is the count they report
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
    int way_of_a, way_of_b;
};

struct transform {
    int scale_type, way_of_a;
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
        **operation = (struct operation){ compute, scale_type, 0, 0 };
    return status;
}

int cublasLtMatmulDescSetAttribute(struct operation *operation, int attribute, const void *value, size_t bytes)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (bytes != sizeof(int) || (attribute != 3 && attribute != 4))
        return BAD_VALUE;
    memcpy(attribute == 3 ? &operation->way_of_a : &operation->way_of_b, value, bytes);
    return SUCCESS;
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
    const int scale = a->type == DOUBLE ? DOUBLE : a->type == BYTE ? INT : FLOAT, compute = operation->compute;
    const bool is_wide = (compute == IN_TF32 || compute == IN_FLOAT) && a->type == FLOAT;
    const bool is_narrow = compute == IN_FLOAT && (a->type == HALF || a->type == BFLOAT16);
    const bool is_double = compute == IN_DOUBLE && a->type == DOUBLE, is_int = compute == IN_INT && a->type == BYTE;
    const bool turned = operation->way_of_a == 1;
    const uint64_t rows = turned ? a->columns : a->rows, k = turned ? a->rows : a->columns;
    if (is_int && (!turned || !takes_bytes((int64_t)rows, (int64_t)k, NULL, a->stride, NULL, b->stride)))
        return false;
    return (is_wide || is_narrow || is_double || is_int) && operation->scale_type == scale &&
           operation->way_of_b == 0 && a->type == b->type && c->type == (is_int ? INT : a->type) && k == b->rows &&
           rows == c->rows && b->columns == c->columns && a->stride >= (int64_t)a->rows &&
           b->stride >= (int64_t)b->rows && c->stride >= (int64_t)c->rows;
}

int cublasLtMatrixTransformDescCreate(struct transform **transform, int scale_type)
{
    const int status = allocate((void **)transform, sizeof **transform, __func__);
    if (status == SUCCESS)
        **transform = (struct transform){ scale_type, 0 };
    return status;
}

int cublasLtMatrixTransformDescDestroy(struct transform *transform)
{
    return release(transform, __func__);
}

int cublasLtMatrixTransformDescSetAttribute(struct transform *transform, int attribute, const void *value, size_t bytes)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (attribute != 2 || bytes != sizeof transform->way_of_a)
        return BAD_VALUE;
    memcpy(&transform->way_of_a, value, bytes);
    return SUCCESS;
}

/* Bytes only, and only transposed. */
int cublasLtMatrixTransform(struct lt_handle *handle, struct transform *transform, const void *alpha, const void *a,
                            struct layout *a_layout, const void *beta, const void *b, struct layout *b_layout, void *c,
                            struct layout *c_layout, struct stream *stream)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!handle || !stream || b || b_layout || *(const float *)alpha != 1 || *(const float *)beta != 0 ||
        transform->scale_type != FLOAT || transform->way_of_a != 1 || a_layout->type != BYTE ||
        c_layout->type != BYTE || a_layout->rows != c_layout->columns || a_layout->columns != c_layout->rows)
        return BAD_VALUE;
    for (uint64_t column = 0; column < c_layout->columns; column++)
        for (uint64_t row = 0; row < c_layout->rows; row++)
            ((char *)c)[row + column * (uint64_t)c_layout->stride] =
                ((const char *)a)[column + row * (uint64_t)a_layout->stride];
    return SUCCESS;
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

static void note_use(uint64_t algorithm)
{
    const char *path = getenv("CUBLASLT_DOUBLE_USED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%d\n", (int)algorithm);
    fclose(file);
}

static bool is_number(const void *at, const struct operation *operation, double number)
{
    return element_at(at, dtype_of(operation->scale_type), 0) == number;
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
        !is_number(alpha, operation, 1) || !is_number(beta, operation, 0) || algorithm[0] > 3 || algorithm[0] == 1 ||
        !is_supported(operation, a_layout, b_layout, c_layout))
        return BAD_VALUE;
    if (algorithm[0] == 2)
        return EXECUTION_FAILED;
    note_use(algorithm[0]);
    nanosleep(&(struct timespec){ .tv_nsec = algorithm[0] == 0 ? 60000000 : 0 }, NULL);
    const struct sum sum = { dtype_of(a_layout->type),
                             operation->compute,
                             a,
                             b,
                             a_layout->stride,
                             b_layout->stride,
                             (int64_t)b_layout->rows,
                             algorithm[1] != 2 && (a_layout->type == HALF || a_layout->type == BFLOAT16),
                             operation->way_of_a == 1,
                             false };
    for (uint64_t column = 0; column < d_layout->columns; column++)
        for (uint64_t row = 0; row < d_layout->rows; row++)
            element_put(d, dtype_of(d_layout->type), (int64_t)row + (int64_t)column * d_layout->stride,
                        sum_up(&sum, (int64_t)row, (int64_t)column));
    return SUCCESS;
}
