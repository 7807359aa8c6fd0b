/* The hardware below a driver, from the answers of three vendors' drivers and recorded trees of /sys. */

#include "bench/backends/opencl/architecture.h"
#include "harness/machine/theory.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(architecture, .fini = recorded_remove);

static const char nvidia[] = "cl_khr_fp64 cl_nv_device_attribute_query", amd[] = "cl_amd_device_attribute_query",
                  intel[] = "cl_khr_fp16 cl_intel_device_attribute_query";

static struct device gpu(const char *platform, const char *name, enum device_class class, unsigned units)
{
    struct device device = { .class = class, .units = units, .clock = 1.0e9, .clock_origin = "reported maximum" };
    strcpy(device.platform, platform);
    strcpy(device.name, name);
    return device;
}

static void uhd620(const char *file)
{
    static const struct record_file files[] = {
        { "/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n" },
        { "/sys/bus/pci/devices/0000:00:02.0/device", "0x5917\n" },
        { "/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n" },
        { NULL, NULL },
    };
    recorded_make(files);
    recorded_write(file, "1100\n");
}

/* The UHD 620 of an i5-8250U. The driver reports no PCI address and has no Intel extension. */
Test(architecture, an_integrated_gpu_is_known_by_its_number_and_its_clock_by_the_kernel)
{
    uhd620("/sys/bus/pci/devices/0000:00:02.0/drm/card0/gt_RP0_freq_mhz");
    struct device device = gpu("Intel(R) OpenCL HD Graphics", "Intel(R) UHD Graphics 620", CLASS_IGPU, 24);
    struct opencl_properties properties = { .extensions = "cl_khr_fp64", .cache = 524288 };
    struct theory theory;
    opencl_architecture(&device, &properties, recorded.root);
    cr_expect_str_eq(device.architecture, "intel gen9");
    cr_expect_str_eq(device.max_clock_origin, "gt_RP0_freq_mhz");
    cr_expect(device.max_clock == 1.1e9 && device.max_clock_is_limit && device.cache == 524288);
    cr_assert(theory_limit(&device, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect_str_eq(theory.formula, "24 EU x 16 FLOP x 1.10 GHz (maximum)");
}

Test(architecture, the_device_at_a_pci_address_is_checked)
{
    uhd620("/sys/bus/pci/devices/0000:00:02.0/drm/card0/gt_RP0_freq_mhz");
    recorded_write("/sys/bus/pci/devices/0000:00:02.0/class", "0x020000\n");
    struct device device = gpu("Intel(R) OpenCL HD Graphics", "Intel(R) UHD Graphics 620", CLASS_IGPU, 24);
    struct opencl_properties properties = { .extensions = "" };
    opencl_architecture(&device, &properties, recorded.root);
    cr_expect(!*device.architecture && device.max_clock == 0 && !device.max_clock_is_limit);
}

/* Mesa of 2022 reports no address. Equal silicon joins it with Intel's own driver, and the kernel's files are found. */
Test(architecture, a_driver_without_an_address_means_the_only_adapter_of_its_vendor)
{
    static const struct record_file files[] = {
        { "/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n" },
        { "/sys/bus/pci/devices/0000:00:02.0/device", "0x46a6\n" },
        { "/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n" },
        { "/sys/bus/pci/devices/0000:03:00.0/vendor", "0x1002\n" },
        { "/sys/bus/pci/devices/0000:03:00.0/device", "0x73bf\n" },
        { "/sys/bus/pci/devices/0000:03:00.0/class", "0x030000\n" },
        { "/sys/bus/pci/devices/0000:03:00.0/uevent", "DRIVER=amdgpu\n" },
        { "/sys/bus/pci/devices/0000:03:00.0/hwmon/hwmon1/power1_cap", "272000000\n" },
        { "/sys/bus/platform/devices/ff9a0000.gpu/uevent", "OF_COMPATIBLE_0=arm,mali-valhall-jm\n" },
        { NULL, NULL },
    };
    recorded_make(files);
    struct device mesa = gpu("rusticl", "Mesa Intel(R) Graphics (ADL GT2)", CLASS_IGPU, 96),
                  radeon = gpu("rusticl", "AMD Radeon RX 6900 XT", CLASS_DGPU, 40),
                  other = gpu("rusticl", "Arm Mali-G78", CLASS_IGPU, 20) /* on no bus */,
                  known = gpu("rusticl", "AMD Radeon RX 6900 XT", CLASS_DGPU, 40),
                  cpu = gpu("Intel(R) OpenCL", "Intel(R) Core(TM) i5-8250U", CLASS_CPU, 8);
    struct device *const devices[] = { &mesa, &radeon, &other, &known, &cpu };
    static const char *const silicon[] = { "pci 0000:00:02.0", "pci 0000:03:00.0", "", "pci 0000:07:00.0", "" };
    for (unsigned i = 0; i < 5; i++) {
        struct opencl_properties properties = { .extensions = "" };
        strcpy(properties.pci, devices[i] == &known ? "0000:07:00.0" : "");
        opencl_architecture(devices[i], &properties, recorded.root);
        cr_expect_str_eq(devices[i]->silicon, silicon[i]);
    }
    cr_expect(radeon.power_limit == 272 && mesa.power_limit == 0);

    recorded_write("/sys/bus/pci/devices/0000:04:00.0/vendor", "0x1002\n");
    recorded_write("/sys/bus/pci/devices/0000:04:00.0/class", "0x030000\n");
    struct opencl_properties properties = { .extensions = "" };
    *radeon.silicon = '\0';
    opencl_architecture(&radeon, &properties, recorded.root);
    cr_expect_str_eq(radeon.silicon, "", "one of two");
}

Test(architecture, intels_generations_by_the_number_of_the_chip)
{
    static const struct {
        unsigned device_id;
        const char *want;
    } cases[] = { { 0x5917, "intel gen9" },   { 0x3185, "intel gen9lp" }, { 0x9a49, "intel xe-lp" },
                  { 0x56a0, "intel xe-hpg" }, { 0xe20b, "intel xe2" },    { 0xffff, "" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device = gpu("Intel(R) OpenCL Graphics", "Intel(R) Graphics", CLASS_DGPU, 96);
        struct opencl_properties properties = { .extensions = intel, .device_id = cases[i].device_id };
        opencl_architecture(&device, &properties, "/nonexistent");
        cr_expect_str_eq(device.architecture, cases[i].want, "case %u: \"%s\"", i, device.architecture);
        cr_expect(device.max_clock == 0 && !device.max_clock_is_limit);
    }
}

Test(architecture, nvidia_by_capability_amd_by_instruction_set)
{
    struct device h100 = gpu("NVIDIA CUDA", "NVIDIA H100 80GB HBM3", CLASS_DGPU, 132),
                  mi60 = gpu("AMD Accelerated Parallel Processing", "gfx906:sramecc+:xnack-", CLASS_DGPU, 64),
                  rx6900 = gpu("AMD Accelerated Parallel Processing", "gfx1030", CLASS_DGPU, 40);
    struct opencl_properties properties = { .extensions = nvidia, .capability_major = 9, .cache = 4325376 };
    struct theory theory;
    opencl_architecture(&h100, &properties, "/nonexistent");
    cr_expect_str_eq(h100.architecture, "nvidia 9.0");
    cr_expect(h100.cache == 0, "its first level is not the last one");
    cr_expect(theory_peak(&h100, DTYPE_F32, &theory) && !theory_limit(&h100, DTYPE_F32, &theory));
    properties = (struct opencl_properties){ .extensions = amd, .simds = 4, .simd_width = 16 };
    opencl_architecture(&mi60, &properties, "/nonexistent");
    cr_expect_str_eq(mi60.architecture, "amd gfx906");
    cr_expect(mi60.lanes == 64);
    properties = (struct opencl_properties){ .extensions = amd, .simds = 4, .simd_width = 32 };
    opencl_architecture(&rx6900, &properties, "/nonexistent");
    cr_assert(theory_peak(&rx6900, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect_str_eq(theory.formula, "40 WGP x 128 lanes x 2 (FMA) x 1.00 GHz (reported maximum)");
}

Test(architecture, drivers_that_count_something_else_are_left_unknown)
{
    struct device mesa = gpu("rusticl", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", CLASS_IGPU, 24),
                  cpu = gpu("Intel(R) OpenCL", "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", CLASS_CPU, 8),
                  old = gpu("NVIDIA CUDA", "GeForce", CLASS_DGPU, 8),
                  arm = gpu("ARM Platform", "Mali-G78", CLASS_IGPU, 20);
    struct opencl_properties properties = { .extensions = "cl_khr_fp16" };
    struct device *const devices[] = { &mesa, &cpu, &old, &arm };
    for (unsigned i = 0; i < 4; i++) {
        opencl_architecture(devices[i], &properties, "/nonexistent");
        cr_expect_str_eq(devices[i]->architecture, "");
    }
}

static struct device nvidia_at(const char *name, const char *pci)
{
    struct device device = gpu("NVIDIA CUDA", name, CLASS_DGPU, 132);
    struct opencl_properties properties = { .extensions = nvidia, .capability_major = 9 };
    strcpy(properties.pci, pci);
    opencl_architecture(&device, &properties, "/nonexistent");
    return device;
}

Test(architecture, nvml_gives_the_maximum_clock_and_the_memory)
{
    struct device h100 = nvidia_at("NVIDIA H100 80GB HBM3", "0000:65:00.0");
    struct theory theory;
    struct theory_memory memory;
    cr_assert(theory_limit(&h100, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect_str_eq(theory.formula, "132 SM x 128 lanes x 2 (FMA) x 1.98 GHz (maximum)");
    cr_assert(theory_bandwidth(&h100, &memory));
    cr_expect_str_eq(memory.formula, "2 x 2.619 GHz x 5120 bit / 8");
    static const char *const raised[][2] = { { "NVIDIA GeForce RTX 4090", "0000:68:00.0" },
                                             { "NVIDIA RTX A4000", "0000:69:00.0" },
                                             { "NVIDIA Graphics Device", "0000:6a:00.0" } };
    for (unsigned i = 0; i < 3; i++) {
        struct device device = nvidia_at(raised[i][0], raised[i][1]);
        cr_expect(device.max_clock == 1.98e9 && !device.max_clock_is_limit, "the owner of a %s may raise its clock",
                  raised[i][0]);
    }
    struct device mute = nvidia_at("NVIDIA H100 80GB HBM3", "0000:66:00.0");
    cr_expect(mute.max_clock == 1.98e9 && mute.max_clock_is_limit && mute.memory_clock == 0 && mute.memory_width == 0);
    struct device absent = nvidia_at("NVIDIA H100 80GB HBM3", "0000:67:00.0");
    cr_expect(absent.max_clock == 0 && !absent.max_clock_is_limit && !*absent.max_clock_origin);
}
