#include "harness/machine/adapter.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *adapter_vendor_name(unsigned vendor)
{
    static const struct {
        unsigned number;
        const char *name;
    } known[] = { { VENDOR_INTEL, "Intel" }, { VENDOR_AMD, "AMD" },           { VENDOR_NVIDIA, "NVIDIA" },
                  { VENDOR_ARM, "Arm" },     { VENDOR_QUALCOMM, "Qualcomm" }, { VENDOR_BROADCOM, "Broadcom" } };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == vendor)
            return known[i].name;
    return "";
}

enum { CLASS_DISPLAY = 0x03, CLASS_PROCESSING = 0x12 }; /* PCI base classes */

/* PCI numbers are written "0x5917". */
static unsigned long number_of(const char *root, const char *directory, const char *file)
{
    return strtoul(host_line(root, text_print("%s/%s", directory, file).text).text, NULL, 16);
}

/* The rest of a line of pci.ids that begins with so many tabs and this number. Vendors have no tab, their devices one.
 */
static bool is_entry(const char *line, unsigned tabs, unsigned number, const char **rest)
{
    char *end;
    if (strspn(line, "\t") != tabs || strtoul(line, &end, 16) != number || end != line + tabs + 4)
        return false;
    *rest = end + strspn(end, " ");
    return true;
}

/* By the names of vendor and device in pci.ids, as far as it has them. */
static void name_read(const char *root, struct adapter *adapter)
{
    static const char *const files[] = { "/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids" };
    char line[512], vendor[64] = "", model[64] = "";
    const char *rest, *known = adapter_vendor_name(adapter->vendor);
    FILE *in = NULL;
    for (unsigned i = 0; i < sizeof files / sizeof *files && !in; i++)
        in = host_open(root, files[i]);
    while (in && !*model && fgets(line, sizeof line, in)) {
        if (*line == '#' || *line == '\n')
            continue;
        if (!*vendor && is_entry(line, 0, adapter->vendor, &rest))
            text_clean(vendor, sizeof vendor, rest);
        else if (*vendor && is_entry(line, 1, adapter->device, &rest))
            text_clean(model, sizeof model, rest);
        else if (*vendor && *line != '\t')
            break;
    }
    if (in)
        fclose(in);
    text_copy(adapter->name, sizeof adapter->name, *known ? known : *vendor ? vendor : "vendor unknown");
    text_append(adapter->name, sizeof adapter->name, "%s%s", *model ? " " : "", model);
    text_append(adapter->name, sizeof adapter->name, " [%04x:%04x]", adapter->vendor, adapter->device);
}

static void node_read(void *context, const char *root, const char *path)
{
    struct adapter *adapter = context;
    text_clean(adapter->render_node, sizeof adapter->render_node, strrchr(path, '/') + 1);
}

struct adapters {
    struct adapter *at;
    unsigned count;
};

static void adapter_read(void *context, const char *root, const char *path)
{
    struct adapters *out = context;
    unsigned class = (unsigned)number_of(root, path, "class");
    if (out->count == ADAPTERS_MAX || (class >> 16 != CLASS_DISPLAY && class >> 16 != CLASS_PROCESSING))
        return;
    struct adapter *adapter = &out->at[out->count++];
    *adapter = (struct adapter){ .class = class };
    text_clean(adapter->pci, sizeof adapter->pci, strrchr(path, '/') + 1);
    adapter->vendor = (unsigned)number_of(root, path, "vendor");
    adapter->device = (unsigned)number_of(root, path, "device");
    name_read(root, adapter);
    text_copy(adapter->driver, sizeof adapter->driver,
              host_member(root, text_print("%s/uevent", path).text, "DRIVER").text);
    host_each(root, text_print("%s/drm/renderD*", path).text, node_read, adapter);
}

/* Whose GPU a device of that name in the device tree is, "arm,mali-t860"; 0: it is none. */
static unsigned soc_vendor(const char *name)
{
    char pattern[32];
    unsigned vendor;
    for (const char *const *line = gpu_driver_lines; *line; line++)
        if (sscanf(*line, "soc %31s %x", pattern, &vendor) == 2 && fnmatch(pattern, name, 0) == 0)
            return vendor;
    return 0;
}

/* The device tree has several names for a device, from the chip's to the GPU's. A display's device may have made the
 * render node. */
static void soc_read(void *context, const char *root, const char *path)
{
    struct adapters *out = context;
    const struct text uevent = text_print("%s/uevent", path);
    struct text name;
    unsigned vendor = 0;
    for (unsigned i = 0; i < 4 && vendor == 0; i++) {
        name = host_member(root, uevent.text, text_print("OF_COMPATIBLE_%u", i).text);
        vendor = soc_vendor(name.text);
    }
    if (vendor == 0 || out->count == ADAPTERS_MAX)
        return;
    struct adapter *adapter = &out->at[out->count++];
    *adapter = (struct adapter){ .vendor = vendor, .is_soc = true };
    text_clean(adapter->pci, sizeof adapter->pci, strrchr(path, '/') + 1);
    snprintf(adapter->name, sizeof adapter->name, "%s %.64s", adapter_vendor_name(vendor), name.text);
    text_copy(adapter->driver, sizeof adapter->driver, host_member(root, uevent.text, "DRIVER").text);
    host_each(root, "/sys/bus/platform/devices/*/drm/renderD*", node_read, adapter);
}

unsigned adapters_read(const char *root, struct adapter out[ADAPTERS_MAX])
{
    struct adapters adapters = { out, 0 };
    host_each(root, "/sys/bus/pci/devices/*", adapter_read, &adapters);
    host_each(root, "/sys/bus/platform/devices/*", soc_read, &adapters);
    return adapters.count;
}

const char *adapter_emulation(const struct adapter *adapter)
{
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        unsigned vendor, device = adapter->device; /* "*": any */
        int used = 0;
        if ((sscanf(*line, "emulation %x %x %n", &vendor, &device, &used) == 2 ||
             sscanf(*line, "emulation %x * %n", &vendor, &used) == 1) &&
            used > 0 && vendor == adapter->vendor && device == adapter->device)
            return *line + used;
    }
    return NULL;
}

unsigned adapter_device_number(const char *root, const char *pci, unsigned vendor)
{
    const struct text directory = text_print("/sys/bus/pci/devices/%s", pci);
    const unsigned long class = number_of(root, directory.text, "class");
    if (number_of(root, directory.text, "vendor") != vendor || class >> 16 != CLASS_DISPLAY)
        return 0;
    return (unsigned)number_of(root, directory.text, "device");
}

/* i915, of newer and of older kernels, and xe; the first GT is the one that computes. RP0 is the highest frequency that
 * the part is fused for, whatever a user has set. */
double adapter_clock(const char *root, const char *pci, const char **origin)
{
    static const char *const files[][2] = { { "drm/card*/gt/gt0/rps_RP0_freq_mhz", "rps_RP0_freq_mhz" },
                                            { "drm/card*/gt_RP0_freq_mhz", "gt_RP0_freq_mhz" },
                                            { "tile0/gt0/freq0/rp0_freq", "rp0_freq" } };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        const double megahertz =
            host_first_number(root, text_print("/sys/bus/pci/devices/%s/%s", pci, files[i][0]).text);
        if (!(megahertz > 0))
            continue;
        *origin = files[i][1];
        return 1e6 * megahertz;
    }
    return NAN;
}

bool adapter_vendor_is(const struct adapter *adapter, const char *vendor, const char *name)
{
    static const char other[] = "Advanced Micro Devices";
    const char *own = adapter_vendor_name(adapter->vendor);
    return *own && (strcasestr(vendor, own) || strcasestr(name, own) ||
                    (adapter->vendor == VENDOR_AMD && (strcasestr(vendor, other) || strcasestr(name, other))));
}

struct intel_chip intel_chip_find(unsigned device)
{
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        struct intel_chip chip = { "intel ", 0, 0 };
        unsigned first, last;
        if (sscanf(*line, "chip %x %x %9s %lf %lf", &first, &last, chip.architecture + strlen("intel "), &chip.first,
                   &chip.end) == 5 &&
            device >= first && device <= last)
            return chip;
    }
    return (struct intel_chip){ "", 0, 99.99 };
}

bool intel_chip_is_served(const struct intel_chip *chip, double version)
{
    return version >= chip->first && version < chip->end;
}
