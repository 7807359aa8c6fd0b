#include "bench/backends/opencl/architecture.h"

#include "bench/backends/opencl/nvml.h"
#include "harness/host.h"
#include "harness/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VENDOR_INTEL = 0x8086 };

/* Where Intel has had its processors' graphics for as long as they have had any. */
static const char integrated[] = "0000:00:02.0";

/* By the version of the graphics IP (architecture and release of GMD_ID, as Intel's offline compiler lists them). */
static const char *intel_by_version(unsigned ip_version)
{
    static const struct {
        unsigned major, first, last;
        const char *architecture;
    } versions[] = {
        { 8, 0, 255, "intel gen8" },    { 9, 3, 4, "intel gen9lp" },    { 9, 0, 255, "intel gen9" },
        { 11, 0, 255, "intel gen11" },  { 12, 0, 10, "intel xe-lp" },   { 12, 55, 57, "intel xe-hpg" },
        { 12, 60, 61, "intel xe-hpc" }, { 12, 70, 74, "intel xe-lpg" }, { 20, 0, 255, "intel xe2" },
    };
    unsigned major = ip_version >> 22, minor = ip_version >> 14 & 0xff;
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++)
        if (major == versions[i].major && minor >= versions[i].first && minor <= versions[i].last)
            return versions[i].architecture;
    return "";
}

/* By PCI device number (the kernel's list of them, include/drm/intel/pciids.h). */
static const char *intel_by_number(unsigned number)
{
    static const struct {
        unsigned first, last;
        const char *architecture;
    } numbers[] = {
        { 0x1600, 0x16ff, "intel gen8" },   { 0x22b0, 0x22b3, "intel gen8" },   { 0x0a84, 0x0a84, "intel gen9lp" },
        { 0x1a84, 0x1a85, "intel gen9lp" }, { 0x5a84, 0x5a85, "intel gen9lp" }, { 0x3184, 0x3185, "intel gen9lp" },
        { 0x1900, 0x19ff, "intel gen9" },   { 0x5900, 0x59ff, "intel gen9" },   { 0x3e90, 0x3eaf, "intel gen9" },
        { 0x9b00, 0x9bff, "intel gen9" },   { 0x87c0, 0x87ca, "intel gen9" },   { 0x8a50, 0x8aff, "intel gen11" },
        { 0x4541, 0x4571, "intel gen11" },  { 0x4e51, 0x4e71, "intel gen11" },  { 0x9a40, 0x9aff, "intel xe-lp" },
        { 0x4c80, 0x4c9f, "intel xe-lp" },  { 0x4680, 0x46df, "intel xe-lp" },  { 0xa700, 0xa7ff, "intel xe-lp" },
        { 0x4905, 0x4909, "intel xe-lp" },  { 0x5690, 0x56c2, "intel xe-hpg" }, { 0x4f80, 0x4f88, "intel xe-hpg" },
        { 0x7d40, 0x7ddf, "intel xe-lpg" }, { 0x0bd0, 0x0bdb, "intel xe-hpc" }, { 0x0b69, 0x0b6e, "intel xe-hpc" },
        { 0x6420, 0x64b0, "intel xe2" },    { 0xe202, 0xe223, "intel xe2" },
    };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (number >= numbers[i].first && number <= numbers[i].last)
            return numbers[i].architecture;
    return "";
}

/* Intel's own driver counts execution units; what other drivers for the same hardware count is not said. */
static void describe_intel(struct device *device, const struct opencl_facts *facts, const char *root)
{
    const char *pci = *facts->pci ? facts->pci : device->class == CLASS_IGPU ? integrated : "";
    unsigned number = *pci ? host_pci_device(root, pci, VENDOR_INTEL) : 0;
    const char *bracket = strstr(device->name, "[0x");
    unsigned named = 0;
    if (bracket && sscanf(bracket, "[0x%x]", &named) != 1)
        named = 0;
    const unsigned known[] = { facts->device_id, number, named };
    const char *architecture = intel_by_version(facts->ip_version);
    for (unsigned i = 0; i < sizeof known / sizeof *known && !*architecture; i++)
        architecture = intel_by_number(known[i]);
    text_copy(device->architecture, sizeof device->architecture, architecture);
    device->cache = facts->cache; /* its last level; NVIDIA and AMD report their first */
    double clock = number ? host_gpu_clock(root, pci, device->max_clock_origin, sizeof device->max_clock_origin) : NAN;
    if (clock > 0) {
        device->max_clock = clock;
        device->max_clock_is_limit = true;
    }
}

/* What OpenCL reports as the highest clock of a GeForce is the one it is sold with, and it goes well beyond. */
static void describe_nvidia(struct device *device, const struct opencl_facts *facts)
{
    if (facts->capability_major == 0)
        return;
    snprintf(device->architecture, sizeof device->architecture, "nvidia %u.%u", facts->capability_major,
             facts->capability_minor);
    nvml_describe(device, facts->pci);
}

/* The device's name is that of its instruction set, with what it is set up for behind it: "gfx906:sramecc+:xnack-". */
static void describe_amd(struct device *device, const struct opencl_facts *facts)
{
    if (strncmp(device->name, "gfx", 3) == 0)
        snprintf(device->architecture, sizeof device->architecture, "amd %.*s", (int)strcspn(device->name, ": "),
                 device->name);
    device->lanes = facts->simds * facts->simd_width;
}

void opencl_architecture(struct device *device, const struct opencl_facts *facts, const char *root)
{
    if (device->class == CLASS_CPU)
        return;
    if (strncmp(device->platform, "Intel", 5) == 0)
        describe_intel(device, facts, root);
    else if (text_has_word(facts->extensions, "cl_nv_device_attribute_query"))
        describe_nvidia(device, facts);
    else if (text_has_word(facts->extensions, "cl_amd_device_attribute_query"))
        describe_amd(device, facts);
}
