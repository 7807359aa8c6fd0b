#include "bench/doctor/install.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <string.h>

enum distribution { DEBIAN, UBUNTU, FEDORA, ARCH, SUSE, DISTRIBUTIONS };

/* As in ID or ID_LIKE; what installs a package; what names the package of a file. */
static const char *const names[DISTRIBUTIONS] = { "debian", "ubuntu", "fedora", "arch", "opensuse" };
static const char *const installers[DISTRIBUTIONS] = { "sudo apt install ", "sudo apt install ", "sudo dnf install ",
                                                       "sudo pacman -S ", "sudo zypper install " };
static const char *const owners[DISTRIBUTIONS] = { "dpkg -S", "dpkg -S", "rpm -qf", "pacman -Qo", "rpm -qf" };

/* Names of packages, with what follows them in the command, or a command of its own that begins with sudo. They are of
 * packages.debian.org, packages.fedoraproject.org (NVIDIA's driver: rpmfusion.org), archlinux.org/packages,
 * build.opensuse.org. NULL: not known there. */
static const struct {
    const char *name, *packages[DISTRIBUTIONS];
} table[] = {
    { "nvidia-opencl",
      { "nvidia-opencl-icd   # of non-free", "sudo ubuntu-drivers install", "xorg-x11-drv-nvidia-cuda",
        "opencl-nvidia" } },
    /* Arch has had the open kernel modules alone since version 590 (its news of December 2025). */
    { "nvidia-driver",
      { "nvidia-driver nvidia-opencl-icd && sudo reboot   # of contrib and non-free",
        "sudo ubuntu-drivers install && sudo reboot", "akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot",
        "nvidia-open opencl-nvidia && sudo reboot" } },
    /* In Debian 13 it is no longer part of firmware-misc-nonfree. */
    { "intel-firmware",
      { "firmware-misc-nonfree && sudo reboot"
        "   # of non-free-firmware; from Debian 13 on firmware-intel-graphics",
        "linux-firmware && sudo reboot", "intel-gpu-firmware && sudo reboot", "linux-firmware && sudo reboot",
        "kernel-firmware-i915 && sudo reboot" } },
    { "amd-firmware",
      { "firmware-amd-graphics && sudo reboot   # of non-free-firmware", "linux-firmware && sudo reboot",
        "amd-gpu-firmware && sudo reboot", "linux-firmware && sudo reboot", "kernel-firmware-amdgpu && sudo reboot" } },
    { "openblas",
      { "libopenblas0-openmp", "libopenblas0-openmp", "openblas-openmp", "openblas", "libopenblas_openmp0" } },
    { "onednn", { "libdnnl-dev", "libdnnl-dev", "onednn", "onednn" } },
    { "clblast", { "libclblast1", "libclblast1", "clblast", "clblast" } },
};

/* ID, then ID_LIKE, a list with the nearest first, with or without quotes. */
static enum distribution distribution_of(const struct machine_view *view)
{
    char list[160] = "", like[64];
    host_member(view->root, "/etc/os-release", "ID", list, sizeof list / 2);
    if (host_member(view->root, "/etc/os-release", "ID_LIKE", like, sizeof like))
        text_append(list, sizeof list, " %s", like);
    for (const char *word = list; *word; word += strspn(word, "\" ")) {
        size_t length = strcspn(word, "\" ");
        for (unsigned i = 0; i < DISTRIBUTIONS; i++)
            if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0)
                return (enum distribution)i;
        word += length;
    }
    return DISTRIBUTIONS;
}

void install_command(char *to, size_t room, const struct machine_view *view, const char *package)
{
    const enum distribution distribution = distribution_of(view);
    const bool is_known = distribution < DISTRIBUTIONS;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, package) != 0)
            continue;
        package = is_known ? table[i].packages[distribution] : NULL;
        if (!package) {
            text_append(to, room, "# install the package that Debian calls %s", table[i].packages[DEBIAN]);
            return;
        }
        break;
    }
    if (!*package)
        text_append(to, room,
                    "# no package here is known to serve it; try Mesa's rusticl, or "
                    "github.com/intel/compute-runtime/releases");
    else /* a codename may be known where ID is not */
        text_append(to, room, "%s%s",
                    strncmp(package, "sudo ", 5) == 0 ? "" : installers[is_known ? distribution : DEBIAN], package);
}

const char *install_owner(const struct machine_view *view)
{
    const enum distribution distribution = distribution_of(view);
    return owners[distribution < DISTRIBUTIONS ? distribution : DEBIAN];
}
