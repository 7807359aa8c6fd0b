#include "bench/backends/common/nvml.h"

#include "bench/backends/common/nvml_api.h"
#include "harness/base/text.h"

static double clock_of(const struct nvml_api *nvml, void *gpu, enum nvml_clock clock)
{
    unsigned megahertz = 0;
    return nvml->max_clock && nvml->max_clock(gpu, clock, &megahertz) == NVML_OK ? 1e6 * megahertz : 0;
}

/* Owners of a GeForce, and of some cards for workstations, may raise its clocks beyond the highest that is named; those
 * of servers' cannot. What does not say that it is for servers is not believed to be. */
static bool is_for_servers(const struct nvml_api *nvml, void *gpu)
{
    int brand = 0;
    return nvml->brand && nvml->brand(gpu, &brand) == NVML_OK &&
           (brand == NVML_BRAND_TESLA || brand == NVML_BRAND_NVIDIA);
}

static void describe_clocks(const struct nvml_api *nvml, void *gpu, struct device *device)
{
    device->max_clock = clock_of(nvml, gpu, NVML_CLOCK_SM);
    device->max_clock_is_limit = device->max_clock > 0 && is_for_servers(nvml, gpu);
    if (device->max_clock > 0)
        text_copy(device->max_clock_origin, sizeof device->max_clock_origin, "NVML");
    if (!(device->memory_clock > 0))
        device->memory_clock = clock_of(nvml, gpu, NVML_CLOCK_MEMORY);
}

/* What its owner has set, which decides what it reaches and what its first use costs. */
static void describe_settings(const struct nvml_api *nvml, void *gpu, struct device *device)
{
    static const char *const words[] = { "off", "on" };
    unsigned milliwatts = 0, mode = 0, next = 0;
    if (nvml->power_limit && nvml->power_limit(gpu, &milliwatts) == NVML_OK)
        device->power_limit = 1e-3 * milliwatts;
    if (nvml->ecc_mode && nvml->ecc_mode(gpu, &mode, &next) == NVML_OK && mode <= 1)
        text_copy(device->ecc, sizeof device->ecc, words[mode]);
    if (nvml->persistence && nvml->persistence(gpu, &mode) == NVML_OK && mode <= 1)
        text_copy(device->persistence, sizeof device->persistence, words[mode]);
}

void nvml_describe(struct device *device, const char *pci)
{
    struct nvml_api nvml;
    unsigned bits = 0;
    void *gpu = nvml_start(&nvml, pci);
    if (!gpu)
        return;
    describe_clocks(&nvml, gpu, device);
    describe_settings(&nvml, gpu, device);
    if (device->memory_width == 0 && nvml.bus_width && nvml.bus_width(gpu, &bits) == NVML_OK)
        device->memory_width = bits;
    nvml.shutdown();
}
