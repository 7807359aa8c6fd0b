#include "bench/backends/cuda/driver.h"

#include "harness/base/library.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char soname[] = "libcuda.so.1";

LIBRARY_DEFINE(cuda_names, CUDA_DRIVER)

/* What a user can do about an answer of the driver; codes after CUresult in the reference manual. */
static const struct {
    int code;
    const char *advice;
} remedies[] = {
    { CUDA_NOT_INITIALISED, "reload NVIDIA's kernel modules, which a suspend may break: 'sudo rmmod nvidia_uvm; sudo "
                            "modprobe nvidia_uvm', or restart the machine" },
    { CUDA_OUT_OF_MEMORY, "nvidia-smi shows what uses the GPU's memory" },
    { 34 /* stub library */, "this is the CUDA Toolkit's stub library: remove lib64/stubs from LD_LIBRARY_PATH" },
    { 36 /* call requires newer driver */, "install a newer NVIDIA driver" },
    { 46 /* device unavailable */, "it allows one process only; nvidia-smi shows which one has it" },
    { 209 /* no binary for GPU */, "the library is too old or too new for this GPU" },
    { 214 /* ECC uncorrectable */, "nvidia-smi -q -d ECC counts such errors: reset or replace the GPU" },
    { CUDA_NO_JIT_COMPILER, "libnvidia-ptxjitcompiler.so.1 is a part of the driver: install it again" },
    { CUDA_UNSUPPORTED_PTX, "use a newer driver or an older toolkit" },
    { 304 /* operating system */, "check the permissions of /dev/nvidia* and the output of dmesg" },
    { 700 /* illegal address */, "an error in the method: please report it" },
    { 702 /* launch timeout */, "the GPU may drive a display: use a smaller --size or another GPU" },
    { 719 /* launch failed */, "'sudo dmesg | grep Xid' shows the cause: 79 means that the GPU was lost" },
    { 802 /* system not ready */, "GPUs with an NVSwitch need a service: 'sudo systemctl start nvidia-fabricmanager'" },
    { 803 /* system driver mismatch */, "the driver was updated: restart the machine" },
    { 804 /* compatibility not supported */, "remove the package cuda-compat from LD_LIBRARY_PATH" },
    { 805 /* MPS connection failed */, "the service nvidia-cuda-mps-control does not answer: start it again, or unset "
                                       "CUDA_MPS_PIPE_DIRECTORY" },
    { 999 /* unknown */,
      "CUDA needs /dev/nvidia-uvm and its module: 'sudo nvidia-modprobe -u -c 0' makes them; if they "
      "exist, 'sudo dmesg | grep Xid' shows the cause: 79 means that the GPU was lost" },
};

bool cuda_check_answer(const struct cuda_driver *driver, int code, const char *entry, struct error *err)
{
    if (code == CUDA_OK)
        return true;
    const char *name = NULL, *text = NULL, *advice = NULL;
    for (unsigned i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].code == code)
            advice = remedies[i].advice;
    /* A driver that does not compile this program's PTX lacks something; it has not failed. */
    const bool lacks = code == CUDA_INVALID_PTX || code == CUDA_NO_JIT_COMPILER || code == CUDA_UNSUPPORTED_PTX;
    const enum status status = code == CUDA_OUT_OF_MEMORY ? STATUS_NO_MEMORY
                               : lacks                    ? STATUS_UNSUPPORTED
                                                          : STATUS_FAILED;
    if (CUDA(driver, error_name, code, &name) != CUDA_OK || CUDA(driver, error_text, code, &text) != CUDA_OK)
        name = "error", text = "the driver has no text for it";
    return fail_in(err, entry, status, "%.60s (%d): %.120s%s%s", name, code, text, advice ? "; " : "",
                   advice ? advice : "");
}

static bool no_device(struct error *err)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"); /* decides which GPUs a program sees */
    if (visible)
        return fail_in(err, "cuInit", STATUS_UNSUPPORTED,
                       "no GPU: CUDA_VISIBLE_DEVICES is \"%.60s\", which may hide every GPU", visible);
    return fail_in(err, "cuInit", STATUS_UNSUPPORTED, "the NVIDIA driver is installed but finds no GPU");
}

/* A file that is there may be empty, damaged, or lack a library of its own: the loader says which. */
static bool not_loaded(struct error *err)
{
    char why[160];
    text_clean(why, sizeof why, loader_error());
    const bool is_own = strncmp(why, soname, strlen(soname)) == 0;
    if (strcmp(why, "not found") == 0 || (is_own && strstr(why, "No such file")))
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s not found (no NVIDIA driver installed)", soname);
    return fail_in(err, "dlopen", STATUS_FAILED,
                   "cannot load it: %s: install the NVIDIA driver again, or remove the file", why);
}

bool cuda_driver_load(struct cuda_driver *out, struct error *err)
{
    void *library = loader_open(soname);
    char path[PATH_MAX];
    if (!library)
        return not_loaded(err);
    struct error lacking = { .status = STATUS_OK };
    if (!library_bind(library, soname, LIBRARY_NAMES(cuda_names), out, &lacking))
        return fail_in(
            err, lacking.where, STATUS_FAILED,
            "%.90s: the NVIDIA driver is older than CUDA 11.4 (470): install a newer driver; or %.200s is a stub of it",
            lacking.message, loader_path(library, path) ? path : soname);
    int code = CUDA(out, init, 0), count = 0;
    if (code == CUDA_NO_DEVICE)
        return no_device(err);
    if (cuda_check_answer(out, code, cuda_names.init, err) && cuda_call(out, err, device_count, &count))
        return count > 0 || no_device(err);
    if (err->status == STATUS_UNSUPPORTED)
        err->status = STATUS_FAILED; /* what a program lacks elsewhere the driver itself lacks here */
    return false;
}
