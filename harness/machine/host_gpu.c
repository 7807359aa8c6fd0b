/* What the kernel's drivers say of a GPU, by its place on the PCI bus. */

#include "harness/machine/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of PCI are written "0x5917". */
static unsigned long pci_number(const char *root, const char *pci, const char *file)
{
    char path[128], text[32];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.31s/%s", pci, file);
    return host_line(root, path, text, sizeof text) ? strtoul(text, NULL, 16) : 0;
}

unsigned host_pci_device(const char *root, const char *pci, unsigned vendor)
{
    enum { CLASS_DISPLAY = 0x03 };
    if (pci_number(root, pci, "vendor") != vendor || pci_number(root, pci, "class") >> 16 != CLASS_DISPLAY)
        return 0;
    return (unsigned)pci_number(root, pci, "device");
}

/* In MHz, of the first file that matches. */
static void first_number(void *context, const char *root, const char *path)
{
    double *megahertz = context, number = host_number(root, path);
    if (isnan(*megahertz) && number > 0)
        *megahertz = number;
}

/* i915, of newer and of older kernels, and xe; the first GT is the one that computes. RP0 is the highest frequency that
 * the part is fused for, whatever a user has set. */
double host_gpu_clock(const char *root, const char *pci, char *origin, size_t room)
{
    static const char *const files[][2] = { { "drm/card*/gt/gt0/rps_RP0_freq_mhz", "rps_RP0_freq_mhz" },
                                            { "drm/card*/gt_RP0_freq_mhz", "gt_RP0_freq_mhz" },
                                            { "tile0/gt0/freq0/rp0_freq", "rp0_freq" } };
    char path[160];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        double megahertz = NAN;
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.31s/%s", pci, files[i][0]);
        host_each(root, path, first_number, &megahertz);
        if (isnan(megahertz))
            continue;
        snprintf(origin, room, "%s", files[i][1]);
        return 1e6 * megahertz;
    }
    return NAN;
}
