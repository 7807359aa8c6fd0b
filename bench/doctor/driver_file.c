#include "bench/doctor/driver_file.h"

#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct driver_files {
    const struct machine_view *machine_view;
    struct driver_file *at;
    unsigned count;
};

static void driver_file_read(void *context, const char *root, const char *path)
{
    struct driver_files *driver_files = context;
    if (driver_files->count == ICDS_MAX)
        return;
    struct driver_file *driver_file = &driver_files->at[driver_files->count++];
    text_clean(driver_file->path, sizeof driver_file->path, path);
    host_line(root, path, driver_file->library, sizeof driver_file->library);
    driver_file->is_there =
        *driver_file->library && machine_view_has_library(driver_files->machine_view, driver_file->library);
}

static bool ends_in_icd(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".icd") == 0;
}

unsigned driver_files_read(const struct machine_view *machine_view, struct driver_file out[ICDS_MAX], char *where,
                           size_t room)
{
    const char *chosen = machine_view->variable("OCL_ICD_VENDORS"),
               *folder = machine_view->variable("OPENCL_VENDOR_PATH");
    struct driver_files driver_files = { machine_view, out, 0 };
    char pattern[512];
    folder = folder && *folder ? folder : "/etc/OpenCL/vendors";
    bool is_chosen = chosen && *chosen;
    snprintf(where, room, is_chosen ? "OCL_ICD_VENDORS is %s" : "no .icd file in %s", is_chosen ? chosen : folder);
    if (is_chosen && ends_in_icd(chosen)) {
        snprintf(pattern, sizeof pattern, strchr(chosen, '/') ? "%.0s%s" : "%s/%s", folder, chosen);
        if (machine_view_has(machine_view, pattern))
            driver_file_read(&driver_files, machine_view->root, pattern);
    } else if (is_chosen && strstr(chosen, ".so")) { /* a library by itself */
        struct driver_file *driver_file = &out[driver_files.count++];
        text_clean(driver_file->path, sizeof driver_file->path, chosen);
        text_clean(driver_file->library, sizeof driver_file->library, chosen);
        driver_file->is_there = machine_view_has_library(machine_view, chosen);
    } else {
        snprintf(pattern, sizeof pattern, "%s/*.icd", is_chosen ? chosen : folder);
        host_each(machine_view->root, pattern, driver_file_read, &driver_files);
    }
    return driver_files.count;
}

const char *machine_view_told_of(const struct machine_view *machine_view, const char *source)
{
    const json_t *absent;
    size_t i;
    json_array_foreach (machine_view->listing->absent, i, absent) {
        const char *of = json_string_value(json_object_get(absent, "source"));
        if (of && strcmp(of, source) == 0)
            return json_string_value(json_object_get(absent, "reason"));
    }
    return NULL;
}

bool driver_file_is_rusticl(const struct driver_file *driver_file)
{
    return strcasestr(driver_file->library, "rusticl") || strcasestr(driver_file->path, "rusticl");
}

bool driver_file_serves(const struct driver_file *driver_file, unsigned vendor)
{
    static const struct {
        unsigned vendor;
        const char *part;
    } drivers[] = { { VENDOR_INTEL, "igdrcl" },
                    { VENDOR_INTEL, "intel" },
                    { VENDOR_AMD, "amdocl" },
                    { VENDOR_AMD, "MesaOpenCL" },
                    { VENDOR_NVIDIA, "nvidia" } };
    for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (drivers[i].vendor == vendor && strcasestr(driver_file->library, drivers[i].part))
            return true;
    return driver_file_is_rusticl(driver_file);
}
