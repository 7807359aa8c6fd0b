#include "bench/doctor/install.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>

/* The rest of the table's line that begins with these two; NULL: there is none. */
static const char *line_of(const char *kind, const char *word)
{
    char start[128];
    const size_t length = (size_t)snprintf(start, sizeof start, "%.40s %.64s ", kind, word);
    for (const char *const *line = gpu_driver_lines; *line; line++)
        if (strncmp(*line, start, length) == 0)
            return *line + length;
    return NULL;
}

/* The line for the first word of os-release that has one. */
static const char *line_find(const char *root, const char *kind)
{
    static const char *const keys[] = { "UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME", "ID", "ID_LIKE" };
    const char *found = NULL;
    char word[64];
    int used;
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct text value = host_member(root, "/etc/os-release", keys[i]);
        for (const char *rest = value.text;
             !found && sscanf(rest += strspn(rest, "\" "), "%63[^\" ]%n", word, &used) == 1; rest += used)
            found = line_of(kind, word);
    }
    return found;
}

const char *install_command(const struct machine_view *view, const char *package)
{
    const char *kind = pool_print(view->pool, "package %.40s", package);
    const char *here = line_find(view->root, kind), *in_debian = line_of(kind, "debian"),
               *installer = line_find(view->root, "package installer");
    installer = installer ? installer : line_of("package installer", "debian"); /* a codename may be known alone */
    if (!*package)
        return "# no package here is known to support it; try Mesa's rusticl, or "
               "github.com/intel/compute-runtime/releases";
    if (in_debian && !here)
        return pool_print(view->pool, "# install the package that Debian calls %s", in_debian);
    if (here && strncmp(here, "sudo ", 5) == 0)
        return here;
    return pool_print(view->pool, "%s %s", installer, here ? here : package);
}

const char *install_owner(const char *root)
{
    const char *owner = line_find(root, "package owner");
    return owner ? owner : line_of("package owner", "debian");
}

const char *install_vendor_fact(const char *vendor, const char *name)
{
    const char *text = line_of(text_print("vendor %s", vendor).text, name);
    text = text ? text : line_of("vendor any", name);
    return text ? text : "";
}

struct opencl_packages opencl_packages_read(const char *root)
{
    struct opencl_packages packages = { .intel_version = 0 };
    const char *line = line_find(root, "release");
    if (!line || sscanf(line, "%lf %31s %31s %31s %31s", &packages.intel_version, packages.intel, packages.legacy,
                        packages.mesa, packages.amd) != 5)
        return (struct opencl_packages){ .intel_version = 0 };
    char *const names[] = { packages.intel, packages.legacy, packages.mesa, packages.amd };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], "-") == 0)
            *names[i] = '\0';
    return packages;
}

const char *opencl_package_of(const struct opencl_packages *packages, const struct intel_chip *chip)
{
    if (*packages->intel && intel_chip_is_served(chip, packages->intel_version))
        return packages->intel;
    return *packages->legacy && chip->end < 99 ? packages->legacy : packages->mesa;
}
