/* What codes of NVIDIA's driver and of cuBLAS mean and what helps, by lists that were not copied from the program's. */

#include "bench/backends/cuda/cublas.h"
#include "bench/backends/cuda/driver.h"

#include <criterion/criterion.h>
#include <string.h>

static int text_of(int code, const char **to)
{
    *to = "TEXT";
    return CUDA_OK;
}

struct row {
    int code;
    enum status status;
    const char *words; /* that tell this advice from any other; NULL: there is none */
};

static void check_row(const struct row *row, const struct error *err)
{
    cr_expect_eq(err->status, row->status, "%d: %s", row->code, status_names[err->status]);
    cr_expect(row->words ? strstr(err->message, row->words) != NULL : !strchr(err->message, ';'), "%d: %s", row->code,
              err->message);
}

Test(codes, each_answer_of_the_driver_has_its_advice_and_no_other_answer_has_any)
{
    static const struct row rows[] = {
        { 2, STATUS_NO_MEMORY, "uses the GPU's memory" },
        { 3, STATUS_FAILED, "modprobe nvidia_uvm" },
        { 34, STATUS_FAILED, "lib64/stubs" },
        { 36, STATUS_FAILED, "a newer NVIDIA driver" },
        { 46, STATUS_FAILED, "allows one process only" },
        { 209, STATUS_FAILED, "too old or too new for this GPU" },
        { 214, STATUS_FAILED, "-d ECC" },
        { 218, STATUS_UNSUPPORTED, NULL },
        { 221, STATUS_UNSUPPORTED, "libnvidia-ptxjitcompiler.so.1" },
        { 222, STATUS_UNSUPPORTED, "a newer driver or an older toolkit" },
        { 304, STATUS_FAILED, "permissions of /dev/nvidia*" },
        { 700, STATUS_FAILED, "please report it" },
        { 702, STATUS_FAILED, "may drive a display" },
        { 719, STATUS_FAILED, "; 'sudo dmesg | grep Xid'" },
        { 802, STATUS_FAILED, "nvidia-fabricmanager" },
        { 803, STATUS_FAILED, "restart the machine" },
        { 804, STATUS_FAILED, "cuda-compat" },
        { 805, STATUS_FAILED, "nvidia-cuda-mps-control" },
        { 999, STATUS_FAILED, "nvidia-modprobe -u -c 0" },
    };
    const struct cuda_driver driver = { .error_name = text_of, .error_text = text_of };
    unsigned next = 0;
    for (int code = 1; code < 1100; code++) {
        const struct row other = { code, STATUS_FAILED, NULL };
        const bool is_listed = next < sizeof rows / sizeof *rows && rows[next].code == code;
        struct error err = { .status = STATUS_OK };
        cr_expect_not(cuda_check_answer(&driver, code, "cuInit", &err));
        check_row(is_listed ? &rows[next] : &other, &err);
        next += is_listed;
    }
}

Test(codes, each_answer_of_cublas_has_its_name_and_its_status)
{
    static const struct row rows[] = {
        { 1, STATUS_FAILED, "CUBLAS_STATUS_NOT_INITIALIZED (1): " },
        { 3, STATUS_NO_MEMORY, "CUBLAS_STATUS_ALLOC_FAILED (3): " },
        { 7, STATUS_FAILED, "CUBLAS_STATUS_INVALID_VALUE (7): " },
        { 8, STATUS_UNSUPPORTED, "CUBLAS_STATUS_ARCH_MISMATCH (8): " },
        { 13, STATUS_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED (13): " },
        { 14, STATUS_FAILED, "CUBLAS_STATUS_INTERNAL_ERROR (14): " },
        { 15, STATUS_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED (15): " },
        { 16, STATUS_FAILED, "error 16, unknown to this program" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        cr_expect_not(cublas_check_answer(rows[i].code, "cublasCreate_v2", &err));
        check_row(&rows[i], &err);
    }
}
