#include "bench/doctor/driver_file.h"

#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static void file_read(void *context, const char *root, const char *path)
{
    struct driver_files *files = context;
    if (files->count == DRIVER_FILES_MAX)
        return;
    struct driver_file *file = &files->file[files->count++];
    text_clean(file->path, sizeof file->path, path);
    host_line(root, path, file->library, sizeof file->library);
    file->has_library = *file->library && machine_view_has_library(files->view, file->library);
}

void driver_files_read(struct driver_files *out, const struct machine_view *view)
{
    const char *chosen = view->variable("OCL_ICD_VENDORS"), *folder = view->variable("OPENCL_VENDOR_PATH");
    char pattern[512];
    *out = (struct driver_files){ .view = view };
    folder = folder && *folder ? folder : "/etc/OpenCL/vendors";
    bool is_chosen = chosen && *chosen;
    snprintf(out->place, sizeof out->place, is_chosen ? "OCL_ICD_VENDORS is %s" : "no .icd file in %s",
             is_chosen ? chosen : folder);
    if (is_chosen && strcmp(text_ending(chosen), "icd") == 0) {
        snprintf(pattern, sizeof pattern, strchr(chosen, '/') ? "%.0s%s" : "%s/%s", folder, chosen);
        if (machine_view_has(view, pattern))
            file_read(out, view->root, pattern);
    } else if (is_chosen && strstr(chosen, ".so")) { /* a library without a file */
        struct driver_file *file = &out->file[out->count++];
        text_clean(file->path, sizeof file->path, chosen);
        text_clean(file->library, sizeof file->library, chosen);
        file->has_library = machine_view_has_library(view, chosen);
    } else {
        snprintf(pattern, sizeof pattern, "%s/*.icd", is_chosen ? chosen : folder);
        host_each(view->root, pattern, file_read, out);
    }
}

bool driver_file_is_rusticl(const struct driver_file *file)
{
    return strcasestr(file->library, "rusticl") || strcasestr(file->path, "rusticl");
}

static bool serves(const struct driver_file *file, unsigned vendor)
{
    static const struct {
        unsigned vendor;
        const char *part; /* of the library's name */
    } drivers[] = { { VENDOR_INTEL, "igdrcl" },
                    { VENDOR_INTEL, "intel" },
                    { VENDOR_AMD, "amdocl" },
                    { VENDOR_AMD, "MesaOpenCL" },
                    { VENDOR_NVIDIA, "nvidia" } };
    for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (drivers[i].vendor == vendor && strcasestr(file->library, drivers[i].part))
            return true;
    return driver_file_is_rusticl(file);
}

const struct driver_file *driver_files_find(const struct driver_files *files, unsigned vendor)
{
    const struct driver_file *found = NULL;
    for (unsigned i = 0; i < files->count; i++)
        if (serves(&files->file[i], vendor) && (!found || driver_file_is_rusticl(found)))
            found = &files->file[i];
    return found;
}
