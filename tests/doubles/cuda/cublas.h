/* What the doubles of cuBLAS and cuBLASLt share. */
#include "double.h"
#include "harness/base/element.h"

enum {
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    BAD_VALUE = 7,
    EXECUTION_FAILED = 13,
    INTERNAL_ERROR = 14,
    NOT_SUPPORTED = 15
};
enum type { FLOAT = 0, DOUBLE = 1, HALF = 2, BYTE = 3, INT = 10, BFLOAT16 = 14 };
enum compute { IN_FLOAT = 68, IN_DOUBLE = 70, IN_INT = 72, IN_TF32 = 77 };

/* One sum of products of column-major matrices. One that is transposed holds the rows of A', or of B'. */
struct sum {
    enum dtype dtype;
    int compute;
    const void *a, *b;
    int64_t a_stride, b_stride, k;
    bool is_reduced; /* rounded to the element type after each step */
    bool a_is_transposed, b_is_transposed;
};
double sum_up(const struct sum *sum, int64_t row, int64_t column);
enum dtype dtype_of(int type);
/* Of bytes the libraries multiply only transposed by not transposed, and of these sizes. */
bool takes_bytes(int64_t m, int64_t k, const void *a, int64_t a_stride, const void *b, int64_t b_stride);

/* The answer that CUDA_DOUBLE_FAULT plans; a driver's error becomes an error of the library. */
int planned_for(const char *name);
