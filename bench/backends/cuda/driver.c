#include "bench/backends/cuda/driver.h"

#include "harness/base/library.h"
#include "harness/base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char soname[] = "libcuda.so.1";

#define SYMBOL(name, member)                                                                                           \
    {                                                                                                                  \
        name, offsetof(struct cuda_driver, member)                                                                     \
    }

const struct library_symbol cuda_driver_symbols[] = {
    SYMBOL("cuInit", init),
    SYMBOL("cuDriverGetVersion", version),
    SYMBOL("cuGetErrorName", error_name),
    SYMBOL("cuGetErrorString", error_text),
    SYMBOL("cuDeviceGetCount", device_count),
    SYMBOL("cuDeviceGet", device_get),
    SYMBOL("cuDeviceGetName", device_name),
    SYMBOL("cuDeviceTotalMem_v2", device_memory),
    SYMBOL("cuDeviceGetAttribute", device_attribute),
    SYMBOL("cuDevicePrimaryCtxSetFlags_v2", context_flags),
    SYMBOL("cuDevicePrimaryCtxRetain", context_retain),
    SYMBOL("cuDevicePrimaryCtxRelease_v2", context_release),
    SYMBOL("cuCtxSetCurrent", context_make_current),
    SYMBOL("cuMemAlloc_v2", memory_alloc),
    SYMBOL("cuMemFree_v2", memory_release),
    SYMBOL("cuMemHostAlloc", host_alloc),
    SYMBOL("cuMemFreeHost", host_release),
    SYMBOL("cuMemHostGetDevicePointer_v2", host_address),
    SYMBOL("cuMemcpyHtoDAsync_v2", upload),
    SYMBOL("cuMemcpyDtoHAsync_v2", download),
    SYMBOL("cuMemcpyDtoDAsync_v2", copy),
    SYMBOL("cuMemcpyPeerAsync", copy_peer),
    SYMBOL("cuDeviceCanAccessPeer", peer_can_access),
    SYMBOL("cuCtxEnablePeerAccess", peer_enable),
    SYMBOL("cuCtxDisablePeerAccess", peer_disable),
    SYMBOL("cuStreamCreate", stream_open),
    SYMBOL("cuStreamDestroy_v2", stream_close),
    SYMBOL("cuStreamSynchronize", stream_wait),
    SYMBOL("cuStreamWaitEvent", stream_wait_event),
    SYMBOL("cuEventCreate", event_open),
    SYMBOL("cuEventDestroy_v2", event_close),
    SYMBOL("cuEventSynchronize", event_wait),
    SYMBOL("cuEventRecord", event_record),
    SYMBOL("cuEventElapsedTime", event_elapsed),
    SYMBOL("cuModuleLoadData", module_open),
    SYMBOL("cuModuleLoadDataEx", module_compile),
    SYMBOL("cuModuleUnload", module_close),
    SYMBOL("cuModuleGetFunction", module_function),
    SYMBOL("cuFuncGetAttribute", function_attribute),
    SYMBOL("cuLaunchKernel", launch),
    SYMBOL("cuStreamBeginCapture_v2", capture_begin),
    SYMBOL("cuStreamEndCapture", capture_end),
    SYMBOL("cuGraphDestroy", graph_close),
    SYMBOL("cuGraphExecDestroy", graph_exec_close),
    SYMBOL("cuGraphLaunch", graph_launch),
    { 0 },
};

/* Functions newer than CUDA 11.0. */
const struct library_symbol cuda_driver_newer_symbols[] = {
    SYMBOL("cuGraphInstantiateWithFlags", graph_instantiate), /* 11.4 */
    SYMBOL("cuDeviceGetUuid_v2", slice_uuid),                 /* 11.4; cuDeviceGetUuid is the same without slices */
    SYMBOL("cuDeviceGetUuid", device_uuid),
    { 0 },
};

/* What a user can do about an answer of the driver; codes after CUresult in the reference manual. */
static const struct {
    int code;
    const char *advice;
} remedies[] = {
    { CUDA_OUT_OF_MEMORY, "nvidia-smi shows what uses the GPU's memory" },
    { 34 /* stub library */, "this is the CUDA Toolkit's stub library: remove lib64/stubs from LD_LIBRARY_PATH" },
    { 36 /* call requires newer driver */, "install a newer NVIDIA driver" },
    { 46 /* device unavailable */, "it allows one process only; nvidia-smi shows which one has it" },
    { 209 /* no binary for GPU */, "the library is too old or too new for this GPU" },
    { 214 /* ECC uncorrectable */, "nvidia-smi -q -d ECC counts such errors: reset or replace the GPU" },
    { 221 /* JIT compiler not found */, "libnvidia-ptxjitcompiler.so.1 is a part of the driver: install it again" },
    { 222 /* unsupported PTX version */, "use a newer driver or an older toolkit" },
    { 304 /* operating system */, "check the permissions of /dev/nvidia* and the output of dmesg" },
    { 700 /* illegal address */, "an error in the method: please report it" },
    { 701 /* launch out of resources */, "an error in the method: please report it" },
    { 702 /* launch timeout */, "the GPU may drive a display: use a smaller --size or another GPU" },
    { 714 /* hardware stack error */, "an error in the method: please report it" },
    { 715 /* illegal instruction */, "an error in the method: please report it" },
    { 716 /* misaligned address */, "an error in the method: please report it" },
    { 719 /* launch failed */, "'dmesg | grep Xid' shows the cause: 79 means that the GPU was lost" },
    { 802 /* system not ready */, "GPUs with an NVSwitch need the service nvidia-fabricmanager: start it" },
    { 803 /* system driver mismatch */, "the driver was updated: restart the machine" },
    { 804 /* compatibility not supported */, "remove the package cuda-compat from LD_LIBRARY_PATH" },
    { 999 /* unknown */, "'dmesg | grep Xid' shows the cause: 79 means that the GPU was lost" },
};

static const char *advice_for(int code)
{
    for (unsigned i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].code == code)
            return remedies[i].advice;
    return NULL;
}

bool cuda_check_answer(const struct cuda_driver *driver, int code, const char *entry, struct error *err)
{
    if (code == CUDA_OK)
        return true;
    const char *name = NULL, *text = NULL, *advice = advice_for(code);
    if (CALL("cuGetErrorName", driver->error_name(code, &name)) != CUDA_OK ||
        CALL("cuGetErrorString", driver->error_text(code, &text)) != CUDA_OK)
        name = "error", text = "the driver has no text for it";
    return fail_in(err, entry, code == CUDA_OUT_OF_MEMORY ? STATUS_NO_MEMORY : STATUS_FAILED, "%.45s (%d): %.70s%s%s",
                   name, code, text, advice ? "; " : "", advice ? advice : "");
}

/* This variable decides which GPUs a program sees. */
static const char *visible_devices(void)
{
    return getenv("CUDA_VISIBLE_DEVICES");
}

static bool no_device(struct error *err)
{
    const char *visible = visible_devices();
    if (visible)
        return fail_in(err, "cuInit", STATUS_UNSUPPORTED,
                       "no GPU: CUDA_VISIBLE_DEVICES is \"%.60s\", which hides every GPU", visible);
    return fail_in(err, "cuInit", STATUS_UNSUPPORTED, "the NVIDIA driver is installed but finds no GPU");
}

bool cuda_driver_load(struct cuda_driver *out, struct error *err)
{
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s not found (no NVIDIA driver installed)", soname);
    struct error lacking = { .status = STATUS_OK };
    if (!library_bind(library, soname, cuda_driver_symbols, out, &lacking))
        return fail_in(err, lacking.where, STATUS_UNSUPPORTED, "%.90s: %s", lacking.message,
                       "the NVIDIA driver is older than CUDA 11 (450): install a newer one");
    library_bind_newer(library, cuda_driver_newer_symbols, out);
    int code = CALL("cuInit", out->init(0)), count = 0;
    if (code == CUDA_NO_DEVICE)
        return no_device(err);
    return cuda_check_answer(out, code, "cuInit", err) &&
           cuda_check(out, out->device_count(&count), "cuDeviceGetCount", err) && (count > 0 || no_device(err));
}
