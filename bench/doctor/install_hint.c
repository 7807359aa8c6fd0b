#include "bench/doctor/install_hint.h"

#include "harness/machine/files.h"

#include <string.h>

enum distribution { DEBIAN, UBUNTU, FEDORA, ARCH, SUSE, DISTRIBUTIONS };

/* As in ID or ID_LIKE, and what names the package of a file. */
static const char *const names[DISTRIBUTIONS] = { "debian", "ubuntu", "fedora", "arch", "opensuse" };
static const char *const owners[DISTRIBUTIONS] = { "dpkg -S", "dpkg -S", "rpm -qf", "pacman -Qo", "rpm -qf" };

#define APT    "sudo apt install "
#define DNF    "sudo dnf install "
#define PACMAN "sudo pacman -S "
#define ZYPPER "sudo zypper install "

/* Names of packages: packages.debian.org, packages.fedoraproject.org (NVIDIA's driver: rpmfusion.org),
 * archlinux.org/packages, build.opensuse.org. NULL: not known there. */
static const char *const commands[HINTS][DISTRIBUTIONS] = {
    [HINT_INTEL_OPENCL] = { APT "intel-opencl-icd", APT "intel-opencl-icd", DNF "intel-opencl",
                            PACMAN "intel-compute-runtime", ZYPPER "intel-opencl" },
    /* In Debian unstable and Ubuntu from 25.10 on; Intel's own package is intel-opencl-icd-legacy1. */
    [HINT_INTEL_LEGACY] = { APT "intel-opencl-icd-legacy", APT "intel-opencl-icd-legacy", NULL, NULL, NULL },
    [HINT_AMD_OPENCL] = { APT "mesa-opencl-icd", APT "mesa-opencl-icd", DNF "mesa-libOpenCL", PACMAN "opencl-mesa",
                          ZYPPER "Mesa-libRusticlOpenCL" },
    [HINT_NVIDIA_OPENCL] = { APT "nvidia-opencl-icd   # of non-free", "sudo ubuntu-drivers install",
                             DNF "xorg-x11-drv-nvidia-cuda", PACMAN "opencl-nvidia", NULL },
    /* Arch has had the open kernel modules alone since version 590 (its news of December 2025). */
    [HINT_NVIDIA_DRIVER] = { APT "nvidia-driver nvidia-opencl-icd && sudo reboot"
                                 "   # of contrib and non-free",
                             "sudo ubuntu-drivers install && sudo reboot",
                             DNF "akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot",
                             PACMAN "nvidia-open opencl-nvidia && sudo reboot", NULL },
    /* In Debian 13 it is no longer part of firmware-misc-nonfree. */
    [HINT_INTEL_FIRMWARE] = { APT "firmware-misc-nonfree && sudo reboot"
                                  "   # of non-free-firmware; from Debian 13 on firmware-intel-graphics",
                              APT "linux-firmware && sudo reboot", DNF "intel-gpu-firmware && sudo reboot",
                              PACMAN "linux-firmware && sudo reboot", ZYPPER "kernel-firmware-i915 && sudo reboot" },
    [HINT_AMD_FIRMWARE] = { APT "firmware-amd-graphics && sudo reboot   # of non-free-firmware",
                            APT "linux-firmware && sudo reboot", DNF "amd-gpu-firmware && sudo reboot",
                            PACMAN "linux-firmware && sudo reboot", ZYPPER "kernel-firmware-amdgpu && sudo reboot" },
    [HINT_OPENBLAS] = { APT "libopenblas0-openmp", APT "libopenblas0-openmp", DNF "openblas-openmp", PACMAN "openblas",
                        ZYPPER "libopenblas_openmp0" },
    [HINT_ONEDNN] = { APT "libdnnl-dev", APT "libdnnl-dev", DNF "onednn", PACMAN "onednn", NULL },
    [HINT_CLBLAST] = { APT "libclblast1", APT "libclblast1", DNF "clblast", PACMAN "clblast", NULL },
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

struct command install_hint(const struct machine_view *view, enum install_hint hint)
{
    enum distribution distribution = distribution_of(view);
    const char *command = distribution < DISTRIBUTIONS ? commands[hint][distribution] : NULL;
    if (command)
        return command_format("%s", command);
    return command_format("# install the package that Debian calls %s", commands[hint][DEBIAN] + strlen(APT));
}

struct command install_owner(const struct machine_view *view, const char *path)
{
    enum distribution distribution = distribution_of(view);
    return command_format("%s %s   # then reinstall that package",
                          owners[distribution < DISTRIBUTIONS ? distribution : DEBIAN], path);
}
