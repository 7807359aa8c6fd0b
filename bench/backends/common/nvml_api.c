#include "bench/backends/common/nvml_api.h"

#include "harness/base/library.h"

#include <string.h>

static const struct library_symbol needed[] = {
    { "nvmlInit_v2", offsetof(struct nvml_api, init) },
    { "nvmlShutdown", offsetof(struct nvml_api, shutdown) },
    { "nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml_api, handle_by_pci) },
    { 0 },
};

static const struct library_symbol optional[] = {
    { "nvmlDeviceGetBrand", offsetof(struct nvml_api, brand) },
    { "nvmlDeviceGetMaxClockInfo", offsetof(struct nvml_api, max_clock) },
    { "nvmlDeviceGetMemoryBusWidth", offsetof(struct nvml_api, bus_width) },
    { "nvmlDeviceGetMigMode", offsetof(struct nvml_api, mig_mode) },
    { "nvmlDeviceGetEccMode", offsetof(struct nvml_api, ecc_mode) },
    { "nvmlDeviceGetPersistenceMode", offsetof(struct nvml_api, persistence) },
    { "nvmlDeviceGetEnforcedPowerLimit", offsetof(struct nvml_api, power_limit) },
    { "nvmlDeviceGetTotalEnergyConsumption", offsetof(struct nvml_api, energy) },
    { "nvmlDeviceGetClockInfo", offsetof(struct nvml_api, clock) },
    { "nvmlDeviceGetCurrentClocksEventReasons", offsetof(struct nvml_api, event_reasons) },
    { "nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml_api, throttle_reasons) },
    { "nvmlDeviceGetTemperature", offsetof(struct nvml_api, temperature) },
    { "nvmlDeviceGetPowerUsage", offsetof(struct nvml_api, power) },
    { "nvmlDeviceGetMemoryInfo", offsetof(struct nvml_api, memory) },
    { "nvmlDeviceGetTotalEccErrors", offsetof(struct nvml_api, ecc_errors) },
    { "nvmlDeviceGetComputeRunningProcesses_v2", offsetof(struct nvml_api, processes) },
};

void *nvml_start(struct nvml_api *api, const char *pci)
{
    static const char soname[] = "libnvidia-ml.so.1", *const sonames[] = { soname, NULL };
    struct error ignored = { .status = STATUS_OK };
    void *gpu = NULL, *library = *pci ? library_load(sonames, "libnvidia-ml1", &ignored) : NULL;
    memset(api, 0, sizeof *api);
    if (!library || !library_bind(library, soname, needed, api, &ignored) || api->init() != NVML_OK)
        return NULL;
    for (unsigned i = 0; i < sizeof optional / sizeof *optional; i++) {
        const struct library_symbol one[] = { optional[i], { 0 } };
        library_bind(library, soname, one, api, &ignored);
    }
    if (api->handle_by_pci(pci, &gpu) == NVML_OK && gpu)
        return gpu;
    api->shutdown();
    return NULL;
}
