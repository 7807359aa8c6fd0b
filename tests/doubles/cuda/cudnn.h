#ifndef TESTS_DOUBLES_CUDA_CUDNN_H
#define TESTS_DOUBLES_CUDA_CUDNN_H

/* What the files of the double of cuDNN share. */

#include <stdbool.h>
#include <stddef.h>

enum { NOT_INITIALIZED = 1001, BAD_PARAM = 2000, NOT_SUPPORTED = 3000, EXECUTION_FAILED = 5000, FAILED_DRIVER = 5001 };
enum { NCHW, NHWC };
enum { FLOAT = 0, DOUBLE = 1, HALF = 2, BFLOAT16 = 9 };
enum { TENSOR_OP_MATH, FMA_MATH };

struct handle {
    struct stream *stream;
};

/* A tensor or a filter: lengths in the order N C H W or K C R S. */
struct array {
    int layout, type, length[4];
    bool is_set;
};

struct convolution {
    int pad[2], stride[2], dilation[2], mode, type, math;
    bool is_set;
};

struct call {
    const struct array *in_array, *filter_array, *out_array;
    const struct convolution *convolution;
    const void *in, *filters;
};

#pragma GCC visibility push(hidden)

/* The answer to a call that is planned to fail; every object comes from `give` and goes back by `take_back`. */
int answer_of(const char *name);
int give(void **out, size_t bytes, const char *name);
int take_back(void *what, const char *name);
void wait_a_millisecond(void);

/* What the real library refuses as malformed. */
int check_form(const struct call *call);
void convolve(const struct call *call, void *out);

#pragma GCC visibility pop

#endif
