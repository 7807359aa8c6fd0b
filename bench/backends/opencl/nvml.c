#include "bench/backends/opencl/nvml.h"

#include "harness/library.h"
#include "harness/text.h"

#include <string.h>

/* The parts of NVML's interface that are used, by its reference manual. Every call returns 0 when it has succeeded. */
enum clock_type { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*handle_by_pci)(const char *bus_id, void **device);
    int (*max_clock)(void *device, int type, unsigned *megahertz);
};
struct nvml_width {
    int (*bus_width)(void *device, unsigned *bits); /* drivers before 510 do not have it */
};

static const struct library_symbol symbols[] = {
    { "nvmlInit_v2", offsetof(struct nvml, init) },
    { "nvmlShutdown", offsetof(struct nvml, shutdown) },
    { "nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml, handle_by_pci) },
    { "nvmlDeviceGetMaxClockInfo", offsetof(struct nvml, max_clock) },
    { 0 },
};
static const struct library_symbol width_symbols[] = {
    { "nvmlDeviceGetMemoryBusWidth", offsetof(struct nvml_width, bus_width) },
    { 0 },
};

static double clock_of(const struct nvml *nvml, void *handle, enum clock_type type)
{
    unsigned megahertz = 0;
    return nvml->max_clock(handle, type, &megahertz) == 0 ? 1e6 * megahertz : 0;
}

/* Owners of a GeForce may raise its clocks beyond the highest that is named; those of servers cannot. */
static bool may_be_raised(const struct device *device)
{
    return strstr(device->name, "GeForce") || strstr(device->name, "TITAN");
}

void nvml_describe(struct device *device, const char *pci)
{
    static const char soname[] = "libnvidia-ml.so.1", *const sonames[] = { soname, NULL };
    struct error ignored = { .status = STATUS_OK };
    struct nvml nvml;
    struct nvml_width width;
    void *library = *pci ? library_load(sonames, "libnvidia-ml1", &ignored) : NULL, *handle = NULL;
    if (!library || !library_bind(library, soname, symbols, &nvml, &ignored) || nvml.init() != 0)
        return;
    if (nvml.handle_by_pci(pci, &handle) == 0) {
        device->max_clock = clock_of(&nvml, handle, CLOCK_SM);
        device->memory_clock = clock_of(&nvml, handle, CLOCK_MEMORY);
        if (!library_bind(library, soname, width_symbols, &width, &ignored) ||
            width.bus_width(handle, &device->memory_width) != 0)
            device->memory_width = 0;
    }
    nvml.shutdown();
    if (device->max_clock > 0)
        text_copy(device->max_clock_origin, sizeof device->max_clock_origin, "NVML");
    device->max_clock_is_limit = device->max_clock > 0 && !may_be_raised(device);
}
