#include "harness/machine/gpu_driver.h"

#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>

extern const char *const gpu_driver_lines[];

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

/* The line of a release of this name. */
static bool packages_find(struct opencl_packages *out, const char *name)
{
    char release[32];
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        if (sscanf(*line, "release %31s %lf %31s %31s %31s %31s", release, &out->intel_version, out->intel, out->legacy,
                   out->mesa, out->amd) != 6 ||
            strcmp(release, name) != 0)
            continue;
        char *const packages[] = { out->intel, out->legacy, out->mesa, out->amd };
        for (unsigned i = 0; i < sizeof packages / sizeof *packages; i++)
            if (strcmp(packages[i], "-") == 0)
                *packages[i] = '\0';
        return true;
    }
    return false;
}

struct opencl_packages opencl_packages_read(const char *root)
{
    static const char *const keys[] = { "UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME", "ID", "ID_LIKE" };
    struct opencl_packages packages;
    char value[64], name[64];
    int used;
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        host_member(root, "/etc/os-release", keys[i], value, sizeof value);
        for (const char *rest = value; sscanf(rest += strspn(rest, "\" "), "%63[^\" ]%n", name, &used) == 1;
             rest += used)
            if (packages_find(&packages, name))
                return packages;
    }
    return (struct opencl_packages){ .intel_version = 0 };
}

const char *opencl_package_of(const struct opencl_packages *packages, const struct intel_chip *chip)
{
    if (*packages->intel && intel_chip_is_served(chip, packages->intel_version))
        return packages->intel;
    return *packages->legacy && chip->end < 99 ? packages->legacy : packages->mesa;
}
