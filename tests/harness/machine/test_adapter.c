/* Which GPUs a recorded machine has, and what is known of them by their numbers. */

#include "harness/machine/adapter.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(adapter, .fini = recorded_remove);

#define PCI "/sys/bus/pci/devices/"
#define SOC "/sys/bus/platform/devices/"
#define CARD(place, class, vendor, device)                                                                             \
    { PCI place "/class", class }, { PCI place "/vendor", vendor },                                                    \
    {                                                                                                                  \
        PCI place "/device", device                                                                                    \
    }

/* A laptop with a second card, an accelerator, a network card, and one whose numbers cannot be read. */
static const struct record_file cards[] = {
    { "/usr/share/misc/pci.ids",
      "# a list\n\n8086  Intel Corporation\n\t1533  I210\n\t5917  UHD Graphics 620\n"
      "\t\t17aa 2258  of a laptop\n10de  NVIDIA Corporation\n\t5917  not Intel's\n"
      "10ee  Xilinx\n\t2230  not NVIDIA's\n\t5000  Alveo U200\nC 03  Display controller\n\t00  VGA\n" },
    CARD("0000:00:02.0", "0x030000\n", "0x8086\n", "0x5917\n"),
    { PCI "0000:00:02.0/uevent", "PCI_CLASS=30000\nDRIVER=i915\n" },
    { PCI "0000:00:02.0/drm/renderD128/dev", "226:128\n" },
    CARD("0000:00:1f.6", "0x020000\n", "0x8086\n", "0x1533\n"),
    CARD("0000:01:00.0", "0x030200\n", "0x10de\n", "0x2230\n"),
    CARD("0000:02:00.0", "0x120000\n", "0x10ee\n", "0x5000\n"),
    CARD("0000:03:00.0", "0x038000\n", "0x000c\n", "0x0000\n"),
    { NULL, NULL },
};

Test(adapter, cards_and_accelerators_are_listed_by_address_with_the_names_of_the_list)
{
    static const struct adapter rows[] = {
        { "0000:00:02.0", false, 0x030000, 0x8086, 0x5917, "Intel UHD Graphics 620 [8086:5917]", "i915", "renderD128" },
        { "0000:01:00.0", false, 0x030200, 0x10de, 0x2230, "NVIDIA [10de:2230]", "", "" },
        { "0000:02:00.0", false, 0x120000, 0x10ee, 0x5000, "Xilinx Alveo U200 [10ee:5000]", "", "" },
        { "0000:03:00.0", false, 0x038000, 0x000c, 0x0000, "vendor unknown [000c:0000]", "", "" },
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct adapter found[ADAPTERS_MAX];
    recorded_make(cards);
    cr_assert_eq(adapters_read(recorded.root, found), ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        cr_expect_str_eq(found[i].pci, rows[i].pci);
        cr_expect(found[i].class == rows[i].class && found[i].vendor == rows[i].vendor &&
                      found[i].device == rows[i].device,
                  "%s: %x %x %x", rows[i].pci, found[i].class, found[i].vendor, found[i].device);
        cr_expect_str_eq(found[i].name, rows[i].name);
        cr_expect_str_eq(found[i].driver, rows[i].driver);
        cr_expect_str_eq(found[i].render_node, rows[i].render_node);
    }
}

/* The chip's name may come first; the display's device may have made the render node. */
Test(adapter, a_gpu_of_a_system_on_a_chip_is_known_by_any_of_its_names)
{
    static const struct {
        const char *uevent, *name; /* NULL: it is none */
        unsigned vendor;
    } rows[] = {
        { "DRIVER=panfrost\nOF_COMPATIBLE_0=arm,mali-t860\nOF_COMPATIBLE_N=1\n", "Arm arm,mali-t860", VENDOR_ARM },
        { "OF_COMPATIBLE_0=rockchip,rk3399-mali\nOF_COMPATIBLE_1=arm,mali-t860\n", "Arm arm,mali-t860", VENDOR_ARM },
        { "OF_COMPATIBLE_0=x\nOF_COMPATIBLE_1=y\nOF_COMPATIBLE_2=z\nOF_COMPATIBLE_3=qcom,adreno-630.2\n",
          "Qualcomm qcom,adreno-630.2", VENDOR_QUALCOMM },
        { "OF_COMPATIBLE_0=brcm,2711-v3d\n", "Broadcom brcm,2711-v3d", VENDOR_BROADCOM },
        { "OF_COMPATIBLE_0=arm,pl330\n", NULL, 0 },
        { "DRIVER=dwmmc\n", NULL, 0 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct adapter found[ADAPTERS_MAX];
        recorded_make((const struct record_file[]){ { SOC "ff9a0000.gpu/uevent", rows[i].uevent },
                                                    { SOC "display/drm/renderD129/dev", "226:129\n" },
                                                    { NULL, NULL } });
        cr_assert_eq(adapters_read(recorded.root, found), rows[i].name != NULL, "%s", rows[i].uevent);
        if (!rows[i].name)
            continue;
        cr_expect_str_eq(found->name, rows[i].name);
        cr_expect_str_eq(found->pci, "ff9a0000.gpu");
        cr_expect_str_eq(found->driver, i == 0 ? "panfrost" : "");
        cr_expect_str_eq(found->render_node, "renderD129");
        cr_expect(found->is_soc && found->vendor == rows[i].vendor && found->device == 0, "%s", rows[i].name);
    }
}

Test(adapter, drivers_write_the_name_of_a_vendor_in_several_ways)
{
    static const struct {
        unsigned adapter;
        const char *vendor, *name;
        bool is_its;
    } rows[] = {
        { VENDOR_INTEL, "Intel(R) Corporation", "Intel(R) UHD Graphics 620", true },
        { VENDOR_INTEL, "Mesa", "Mesa Intel(R) UHD Graphics", true },
        { VENDOR_INTEL, "NVIDIA Corporation", "NVIDIA A100", false },
        { VENDOR_AMD, "Advanced Micro Devices, Inc.", "gfx906", true },
        { VENDOR_AMD, "Mesa/X.org", "AMD Radeon RX 6600", true },
        { VENDOR_AMD, "x", "Advanced Micro Devices gfx90a", true },
        { VENDOR_NVIDIA, "Advanced Micro Devices, Inc.", "gfx906", false },
        { VENDOR_NVIDIA, "nvidia", "x", true },
        { 0x10ee, "Xilinx", "Xilinx", false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct adapter adapter = { .vendor = rows[i].adapter };
        cr_expect_eq(adapter_vendor_is(&adapter, rows[i].vendor, rows[i].name), rows[i].is_its, "%x: %s, %s",
                     rows[i].adapter, rows[i].vendor, rows[i].name);
    }
}

Test(adapter, what_cannot_compute_is_known_by_vendor_or_by_device)
{
    static const struct {
        unsigned vendor, device;
        const char *is; /* "": a real one */
    } rows[] = { { 0x1234, 0x1111, "QEMU" },
                 { 0x1234, 0x1112, "" },
                 { 0x1af4, 0x1050, "virtio" },
                 { 0x1a03, 0x2000, "ASPEED, a server's BMC" },
                 { VENDOR_NVIDIA, 0x1111, "" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *is = adapter_emulation(&(struct adapter){ .vendor = rows[i].vendor, .device = rows[i].device });
        cr_expect_str_eq(is ? is : "", rows[i].is, "%04x:%04x", rows[i].vendor, rows[i].device);
    }
}

Test(adapter, the_clock_is_found_in_every_file_that_a_kernel_uses)
{
    static const char *const files[][2] = {
        { PCI "0000:00:02.0/drm/card1/gt_RP0_freq_mhz", "gt_RP0_freq_mhz" },
        { PCI "0000:00:02.0/drm/card1/gt/gt0/rps_RP0_freq_mhz", "rps_RP0_freq_mhz" },
        { PCI "0000:00:02.0/tile0/gt0/freq0/rp0_freq", "rp0_freq" },
    };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        const char *origin = "";
        recorded_make(cards);
        recorded_write(files[i][0], "1100\n");
        cr_expect(adapter_clock(recorded.root, "0000:00:02.0", &origin) == 1.1e9, "%s", files[i][0]);
        cr_expect_str_eq(origin, files[i][1]);
        cr_expect(isnan(adapter_clock(recorded.root, "0000:01:00.0", &origin)));
        recorded_write(files[i][0], "<unknown>\n");
        cr_expect(isnan(adapter_clock(recorded.root, "0000:00:02.0", &origin)));
    }
}

Test(adapter, the_device_at_a_pci_address_is_a_display_controller_of_its_vendor)
{
    recorded_make(cards);
    cr_expect_eq(adapter_device_number(recorded.root, "0000:00:02.0", VENDOR_INTEL), 0x5917);
    cr_expect_eq(adapter_device_number(recorded.root, "0000:00:02.0", VENDOR_NVIDIA), 0);
    cr_expect_eq(adapter_device_number(recorded.root, "0000:00:03.0", VENDOR_INTEL), 0);
    cr_expect_eq(adapter_device_number(recorded.root, "0000:00:1f.6", VENDOR_INTEL), 0, "a network card");
}

Test(adapter, each_range_of_device_numbers_has_both_its_ends)
{
    char rows[] = "15ff=|1600=intel gen8|16ff=intel gen8|1700=|0a84=intel gen9lp|0a85=|58ff=|5917=intel gen9|"
                  "59ff=intel gen9|22b3=intel gen8|22b4=|9aff=intel xe-lp",
         *rest = rows;
    for (char *architecture; (architecture = strsep(&rest, "|"));) {
        const char *device = strsep(&architecture, "=");
        const struct intel_chip chip = intel_chip_find((unsigned)strtoul(device, NULL, 16));
        cr_expect_str_eq(chip.architecture, architecture, "%s", device);
    }
}

Test(adapter, a_chip_is_served_from_its_first_version_to_before_its_end)
{
    const struct intel_chip old = intel_chip_find(0x5917), new = intel_chip_find(0x4680), unknown = intel_chip_find(1);
    cr_expect(intel_chip_is_served(&old, 24.34) && !intel_chip_is_served(&old, 24.35));
    cr_expect(intel_chip_is_served(&new, 21.34) && !intel_chip_is_served(&new, 21.33));
    cr_expect(intel_chip_is_served(&unknown, 0) && intel_chip_is_served(&unknown, 30));
}
