#include "bench/backends/opencl/architecture.h"

#include "bench/backends/common/nvml.h"
#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/gpu_sysfs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* For Intel's own driver, whose compute units are execution units. Other drivers for this hardware may count otherwise.
 */
static void describe_intel(struct device *device, const struct opencl_properties *properties, const char *root)
{
    const char *pci = properties->pci;
    const unsigned number = *pci ? adapter_device_number(root, pci, VENDOR_INTEL) : 0,
                   chip = properties->device_id ? properties->device_id : number;
    text_copy(device->architecture, sizeof device->architecture, intel_chip_find(chip).architecture);
    device->cache = properties->cache; /* the last level; NVIDIA and AMD report the first */
    const char *origin;
    double clock = number ? adapter_clock(root, pci, &origin) : NAN;
    if (clock > 0) {
        text_copy(device->max_clock_origin, sizeof device->max_clock_origin, origin);
        device->max_clock = clock;
        device->max_clock_is_limit = true;
    }
}

/* The maximum clock that OpenCL reports of a GeForce is the one in its datasheet. The card goes well above it, so NVML
 * is asked. */
static void describe_nvidia(struct device *device, const struct opencl_properties *properties)
{
    if (properties->capability_major == 0)
        return;
    snprintf(device->architecture, sizeof device->architecture, "nvidia %u.%u", properties->capability_major,
             properties->capability_minor);
    nvml_describe(device, properties->pci);
}

/* The device's name is its instruction set with settings after it: "gfx906:sramecc+:xnack-". */
static void describe_amd(struct device *device, const struct opencl_properties *properties)
{
    if (strncmp(device->name, "gfx", 3) == 0)
        snprintf(device->architecture, sizeof device->architecture, "amd %.*s", (int)strcspn(device->name, ": "),
                 device->name);
    device->lanes = properties->simds * properties->simd_width;
}

/* A driver that reports no address, such as Mesa's of 2022, means the only adapter of its vendor. */
static void find_place(const struct device *device, struct opencl_properties *properties, const char *root)
{
    struct adapter adapter[ADAPTERS_MAX];
    const struct adapter *only = NULL;
    unsigned count = *properties->pci ? 0 : adapters_read(root, adapter), fitting = 0;
    for (unsigned i = 0; i < count; i++)
        if (!adapter[i].is_soc && adapter_vendor_is(&adapter[i], device->vendor, device->name)) {
            only = &adapter[i];
            fitting++;
        }
    if (fitting == 1)
        text_copy(properties->pci, sizeof properties->pci, only->pci);
}

void opencl_architecture(struct device *device, struct opencl_properties *properties, const char *root)
{
    struct gpu_sysfs sysfs;
    struct gpu_state state;
    if (device->class == CLASS_CPU)
        return;
    find_place(device, properties, root);
    if (*properties->pci)
        snprintf(device->silicon, sizeof device->silicon, "pci %s", properties->pci);
    if (gpu_sysfs_open(&sysfs, root, device->silicon)) {
        gpu_sysfs_read(&sysfs, root, 0, true, &state);
        device->power_limit = state.power_limit > 0 ? state.power_limit : 0;
    }
    if (strncmp(device->platform, "Intel", 5) == 0)
        describe_intel(device, properties, root);
    else if (text_has_word(properties->extensions, "cl_nv_device_attribute_query"))
        describe_nvidia(device, properties);
    else if (text_has_word(properties->extensions, "cl_amd_device_attribute_query"))
        describe_amd(device, properties);
}
