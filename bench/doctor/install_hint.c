#include "bench/doctor/install_hint.h"

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
static const char *const packages[HINTS][DISTRIBUTIONS] = {
    [HINT_NVIDIA_OPENCL] = { "nvidia-opencl-icd   # of non-free", "sudo ubuntu-drivers install",
                             "xorg-x11-drv-nvidia-cuda", "opencl-nvidia" },
    /* Arch has had the open kernel modules alone since version 590 (its news of December 2025). */
    [HINT_NVIDIA_DRIVER] = { "nvidia-driver nvidia-opencl-icd && sudo reboot   # of contrib and non-free",
                             "sudo ubuntu-drivers install && sudo reboot",
                             "akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot",
                             "nvidia-open opencl-nvidia && sudo reboot" },
    /* In Debian 13 it is no longer part of firmware-misc-nonfree. */
    [HINT_INTEL_FIRMWARE] = { "firmware-misc-nonfree && sudo reboot"
                              "   # of non-free-firmware; from Debian 13 on firmware-intel-graphics",
                              "linux-firmware && sudo reboot", "intel-gpu-firmware && sudo reboot",
                              "linux-firmware && sudo reboot", "kernel-firmware-i915 && sudo reboot" },
    [HINT_AMD_FIRMWARE] = { "firmware-amd-graphics && sudo reboot   # of non-free-firmware",
                            "linux-firmware && sudo reboot", "amd-gpu-firmware && sudo reboot",
                            "linux-firmware && sudo reboot", "kernel-firmware-amdgpu && sudo reboot" },
    [HINT_OPENBLAS] = { "libopenblas0-openmp", "libopenblas0-openmp", "openblas-openmp", "openblas",
                        "libopenblas_openmp0" },
    [HINT_ONEDNN] = { "libdnnl-dev", "libdnnl-dev", "onednn", "onednn" },
    [HINT_CLBLAST] = { "libclblast1", "libclblast1", "clblast", "clblast" },
};

/* Reads a member of os-release: one name or a list of them, the nearest first, with or without quotes. */
static enum distribution distribution_named(const char *list)
{
    for (const char *word = list; *word; word += strspn(word, "\" ")) {
        size_t length = strcspn(word, "\" ");
        for (unsigned i = 0; i < DISTRIBUTIONS; i++)
            if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0)
                return (enum distribution)i;
        word += length;
    }
    return DISTRIBUTIONS;
}

static enum distribution distribution_of(const struct machine_view *view)
{
    static const char *const keys[] = { "ID", "ID_LIKE" };
    enum distribution distribution = DISTRIBUTIONS;
    char value[64];
    for (unsigned i = 0; i < 2 && distribution == DISTRIBUTIONS; i++)
        if (host_member(view->root, "/etc/os-release", keys[i], value, sizeof value))
            distribution = distribution_named(value);
    return distribution;
}

static struct command install(enum distribution distribution, const char *package)
{
    return command_format("%s%s", strncmp(package, "sudo ", 5) == 0 ? "" : installers[distribution], package);
}

struct command install_hint(const struct machine_view *view, enum install_hint hint)
{
    enum distribution distribution = distribution_of(view);
    const char *package = distribution < DISTRIBUTIONS ? packages[hint][distribution] : NULL;
    if (!package)
        return command_format("# install the package that Debian calls %s", packages[hint][DEBIAN]);
    return install(distribution, package);
}

struct command install_opencl(const struct machine_view *view, const char *package)
{
    if (!*package)
        return command_format(
            "# no package here is known to serve it; try Mesa's rusticl, or github.com/intel/compute-runtime/releases");
    enum distribution distribution = distribution_of(view); /* a codename may be known where ID is not */
    return install(distribution < DISTRIBUTIONS ? distribution : DEBIAN, package);
}

struct command install_owner(const struct machine_view *view, const char *path)
{
    enum distribution distribution = distribution_of(view);
    return command_format("%s %s   # then reinstall that package",
                          owners[distribution < DISTRIBUTIONS ? distribution : DEBIAN], path);
}
