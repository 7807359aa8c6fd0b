#include "bench/backends/cuda/driver.h"

#include <stddef.h>

/* What whoever runs the program can do about an answer of the driver, where there is something; codes after the CUDA
 * driver API's reference manual, CUresult. */
static const struct {
    int code;
    const char *advice;
} remedies[] = {
    { CUDA_OUT_OF_MEMORY, "nvidia-smi shows what else holds the GPU's memory" },
    { 34 /* stub library */, "that is the CUDA Toolkit's stand-in: take lib64/stubs out of LD_LIBRARY_PATH" },
    { 36 /* call requires newer driver */, "a newer NVIDIA driver has it" },
    { 46 /* device unavailable */,
      "nvidia-smi shows who has it; where it takes one process at a time, --order sequential helps" },
    { 209 /* no binary for GPU */, "the library is too old or too new for this GPU" },
    { 214 /* ECC uncorrectable */, "nvidia-smi -q -d ECC counts such errors: reset the GPU, or replace it" },
    { 222 /* unsupported PTX version */, "a newer driver, or an older toolkit" },
    { 304 /* operating system */, "see that /dev/nvidia* may be opened, and what dmesg says" },
    { 700 /* illegal address */, "a fault of the method: please report it" },
    { 701 /* launch out of resources */, "a fault of the method: please report it" },
    { 702 /* launch timeout */, "as where a GPU drives a display: try a smaller --size, or another GPU" },
    { 714 /* hardware stack error */, "a fault of the method: please report it" },
    { 715 /* illegal instruction */, "a fault of the method: please report it" },
    { 716 /* misaligned address */, "a fault of the method: please report it" },
    { 719 /* launch failed */, "'dmesg | grep Xid' names the cause: 79 is a GPU that was lost" },
    { 802 /* system not ready */, "GPUs with an NVSwitch need the service nvidia-fabricmanager" },
    { 803 /* system driver mismatch */, "the driver was updated: restart the machine" },
    { 804 /* compatibility not supported */, "take the package cuda-compat out of LD_LIBRARY_PATH" },
    { 999 /* unknown */, "'dmesg | grep Xid' names the cause: 79 is a GPU that was lost" },
};

static const char *advice_for(int code)
{
    for (unsigned i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].code == code)
            return remedies[i].advice;
    return NULL;
}

bool cuda_check(const struct cuda_driver *driver, int code, const char *entry, struct error *err)
{
    if (code == CUDA_OK)
        return true;
    const char *name = NULL, *text = NULL, *advice = advice_for(code);
    if (driver->error_name(code, &name) != CUDA_OK || driver->error_text(code, &text) != CUDA_OK)
        name = "error", text = "the driver has no words for it";
    return fail_in(err, entry, code == CUDA_OUT_OF_MEMORY ? STATUS_NO_MEMORY : STATUS_FAILED, "%.45s (%d): %.70s%s%s",
                   name, code, text, advice ? "; " : "", advice ? advice : "");
}
