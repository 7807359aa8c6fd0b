#include "bench/doctor/install_hint.h"

#include "harness/machine/files.h"

#include <string.h>

enum distribution { DEBIAN, UBUNTU, FEDORA, ARCH, DISTRIBUTIONS };

static const char *const names[DISTRIBUTIONS] = { "debian", "ubuntu", "fedora", "arch" };

#define APT    "sudo apt install "
#define DNF    "sudo dnf install "
#define PACMAN "sudo pacman -S "

static const char *const commands[HINTS][DISTRIBUTIONS] = {
    [HINT_INTEL_OPENCL] = { APT "intel-opencl-icd", APT "intel-opencl-icd", DNF "intel-compute-runtime",
                            PACMAN "intel-compute-runtime" },
    /* In Debian unstable and Ubuntu from 25.10 on; Intel's own package is intel-opencl-icd-legacy1. */
    [HINT_INTEL_LEGACY] = { APT "intel-opencl-icd-legacy", APT "intel-opencl-icd-legacy", NULL, NULL },
    [HINT_AMD_OPENCL] = { APT "mesa-opencl-icd", APT "mesa-opencl-icd", DNF "mesa-libOpenCL", PACMAN "opencl-mesa" },
    [HINT_NVIDIA_OPENCL] = { APT "nvidia-opencl-icd   # of non-free", "sudo ubuntu-drivers install",
                             DNF "xorg-x11-drv-nvidia-cuda", PACMAN "opencl-nvidia" },
    [HINT_NVIDIA_DRIVER] = { APT "nvidia-driver nvidia-opencl-icd && sudo reboot"
                                 "   # of contrib and non-free",
                             "sudo ubuntu-drivers install && sudo reboot",
                             DNF "akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot",
                             PACMAN "nvidia opencl-nvidia && sudo reboot" },
    /* In Debian 13 it is no longer part of firmware-misc-nonfree. */
    [HINT_INTEL_FIRMWARE] = { APT "firmware-misc-nonfree && sudo reboot"
                                  "   # of non-free-firmware; from Debian 13 on firmware-intel-graphics",
                              APT "linux-firmware && sudo reboot", DNF "intel-gpu-firmware && sudo reboot",
                              PACMAN "linux-firmware && sudo reboot" },
    [HINT_AMD_FIRMWARE] = { APT "firmware-amd-graphics && sudo reboot   # of non-free-firmware",
                            APT "linux-firmware && sudo reboot", DNF "amd-gpu-firmware && sudo reboot",
                            PACMAN "linux-firmware && sudo reboot" },
    [HINT_OPENBLAS] = { APT "libopenblas0-openmp", APT "libopenblas0-openmp", DNF "openblas-openmp",
                        PACMAN "openblas" },
    [HINT_ONEDNN] = { APT "libdnnl-dev", APT "libdnnl-dev", DNF "onednn", PACMAN "onednn" },
    [HINT_CLBLAST] = { APT "libclblast1", APT "libclblast1", DNF "clblast", PACMAN "clblast" },
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

struct command install_hint(const struct machine_view *view, enum install_hint hint)
{
    static const char *const keys[] = { "ID", "ID_LIKE" };
    enum distribution distribution = DISTRIBUTIONS;
    char value[64];
    for (unsigned i = 0; i < 2 && distribution == DISTRIBUTIONS; i++)
        if (host_member(view->root, "/etc/os-release", keys[i], value, sizeof value))
            distribution = distribution_named(value);
    const char *command = distribution < DISTRIBUTIONS ? commands[hint][distribution] : NULL;
    if (command)
        return command_format("%s", command);
    return command_format("# install the package that Debian calls %s", commands[hint][DEBIAN] + strlen(APT));
}
