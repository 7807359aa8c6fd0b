#include "bench/backends/common/nvml.h"

#include "harness/library.h"
#include "harness/text.h"

/* The parts of NVML's interface that are used, by its reference manual. Every call returns 0 when it has succeeded. */
enum clock_type { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*handle_by_pci)(const char *bus_id, void **device);
    int (*brand)(void *device, int *brand);
    int (*max_clock)(void *device, int type, unsigned *megahertz);
};
struct nvml_width {
    int (*bus_width)(void *device, unsigned *bits); /* drivers before 510 do not have it */
};

/* nvmlBrandType_t. What is made for servers calls itself Tesla, and NVIDIA since that name was given up. */
enum brand { BRAND_TESLA = 2, BRAND_NVIDIA = 14 };

static const struct library_symbol symbols[] = {
    { "nvmlInit_v2", offsetof(struct nvml, init) },
    { "nvmlShutdown", offsetof(struct nvml, shutdown) },
    { "nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml, handle_by_pci) },
    { "nvmlDeviceGetBrand", offsetof(struct nvml, brand) },
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

/* Owners of a GeForce, and of some cards for workstations, may raise its clocks beyond the highest that is named; those
 * of servers' cannot. What does not say that it is for servers is not believed to be. */
static bool is_for_servers(const struct nvml *nvml, void *handle)
{
    int brand = 0;
    return nvml->brand(handle, &brand) == 0 && (brand == BRAND_TESLA || brand == BRAND_NVIDIA);
}

void nvml_describe(struct device *device, const char *pci)
{
    static const char soname[] = "libnvidia-ml.so.1", *const sonames[] = { soname, NULL };
    struct error ignored = { .status = STATUS_OK };
    struct nvml nvml;
    struct nvml_width width;
    unsigned bits = 0;
    void *library = *pci ? library_load(sonames, "libnvidia-ml1", &ignored) : NULL, *handle = NULL;
    if (!library || !library_bind(library, soname, symbols, &nvml, &ignored) || nvml.init() != 0)
        return;
    if (nvml.handle_by_pci(pci, &handle) == 0) {
        device->max_clock = clock_of(&nvml, handle, CLOCK_SM);
        device->max_clock_is_limit = device->max_clock > 0 && is_for_servers(&nvml, handle);
        if (!(device->memory_clock > 0))
            device->memory_clock = clock_of(&nvml, handle, CLOCK_MEMORY);
        if (device->memory_width == 0 && library_bind(library, soname, width_symbols, &width, &ignored) &&
            width.bus_width(handle, &bits) == 0)
            device->memory_width = bits;
    }
    nvml.shutdown();
    if (device->max_clock > 0)
        text_copy(device->max_clock_origin, sizeof device->max_clock_origin, "NVML");
}
