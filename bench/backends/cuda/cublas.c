#include "bench/backends/cuda/cublas.h"

#define SYMBOL(name, member)                                                                                           \
    {                                                                                                                  \
        name, offsetof(struct cublas, member)                                                                          \
    }

const struct library_symbol cublas_symbols[] = {
    SYMBOL("cublasCreate_v2", create),
    SYMBOL("cublasDestroy_v2", destroy),
    SYMBOL("cublasSetStream_v2", set_stream),
    SYMBOL("cublasSetWorkspace_v2", set_workspace),
    SYMBOL("cublasSetMathMode", set_math),
    SYMBOL("cublasGemmEx", gemm),
    { 0 },
};
const struct library_symbol cublas_wide_symbols[] = {
    { "cublasGemmEx_64", offsetof(struct cublas_wide, gemm) },
    { 0 },
};

bool cublas_load(struct cublas *out, const struct session *session, struct cuda_found *found, struct error *err)
{
    return cuda_library_load(CUDA_CUBLAS, &session->target, found, err) &&
           library_bind(found->handle, "cuBLAS", cublas_symbols, out, err);
}

/* cublasStatus_t. Gaps in the numbers are the library's. */
static const struct {
    int code;
    enum status status;
    const char *name, *meaning;
} meanings[] = {
    { 1, STATUS_FAILED, "CUBLAS_STATUS_NOT_INITIALIZED",
      "it did not start: its version, the driver's or the GPU's state" },
    { 3, STATUS_NO_MEMORY, "CUBLAS_STATUS_ALLOC_FAILED", "the GPU has no memory left for it" },
    { 7, STATUS_FAILED, "CUBLAS_STATUS_INVALID_VALUE", "a size or a pointer makes no sense to it" },
    { 8, STATUS_UNSUPPORTED, "CUBLAS_STATUS_ARCH_MISMATCH", "this GPU has no such arithmetic" },
    { 11, STATUS_FAILED, "CUBLAS_STATUS_MAPPING_ERROR", "it cannot reach the GPU's memory" },
    { 13, STATUS_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of its own failed on the GPU" },
    { 14, STATUS_FAILED, "CUBLAS_STATUS_INTERNAL_ERROR", "something failed inside it" },
    { 15, STATUS_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "it does not compute this on this GPU" },
    { 16, STATUS_UNSUPPORTED, "CUBLAS_STATUS_LICENSE_ERROR", "its licence does not allow it" },
};

bool cublas_fail(struct error *err, const char *entry, int code)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].code == code)
            return fail_in(err, entry, meanings[i].status, "%s (%d): %s", meanings[i].name, code, meanings[i].meaning);
    return fail_in(err, entry, STATUS_FAILED, "error %d, which cuBLAS has no name for", code);
}
