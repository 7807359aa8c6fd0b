/* The files by which OpenCL's loader finds its drivers. Nothing is loaded here, only looked at. */

#include "bench/doctor/doctor_parts.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct icds {
    const struct patient *patient;
    struct icd *at;
    unsigned count;
};

static void icd_read(void *context, const char *root, const char *path)
{
    struct icds *icds = context;
    if (icds->count == ICDS_MAX)
        return;
    struct icd *icd = &icds->at[icds->count++];
    text_clean(icd->path, sizeof icd->path, path);
    host_line(root, path, icd->library, sizeof icd->library);
    icd->is_there = *icd->library && patient_has_library(icds->patient, icd->library);
}

static bool ends_in_icd(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".icd") == 0;
}

unsigned icds_read(const struct patient *patient, struct icd out[ICDS_MAX], char *where, size_t room)
{
    const char *chosen = patient->variable("OCL_ICD_VENDORS"), *folder = patient->variable("OPENCL_VENDOR_PATH");
    struct icds icds = { patient, out, 0 };
    char pattern[512];
    folder = folder && *folder ? folder : "/etc/OpenCL/vendors";
    bool is_chosen = chosen && *chosen;
    snprintf(where, room, is_chosen ? "OCL_ICD_VENDORS is %s" : "no .icd file in %s", is_chosen ? chosen : folder);
    if (is_chosen && ends_in_icd(chosen)) {
        snprintf(pattern, sizeof pattern, strchr(chosen, '/') ? "%.0s%s" : "%s/%s", folder, chosen);
        if (patient_has(patient, pattern))
            icd_read(&icds, patient->root, pattern);
    } else if (is_chosen && strstr(chosen, ".so")) { /* a library by itself */
        struct icd *icd = &out[icds.count++];
        text_clean(icd->path, sizeof icd->path, chosen);
        text_clean(icd->library, sizeof icd->library, chosen);
        icd->is_there = patient_has_library(patient, chosen);
    } else {
        snprintf(pattern, sizeof pattern, "%s/*.icd", is_chosen ? chosen : folder);
        host_each(patient->root, pattern, icd_read, &icds);
    }
    return icds.count;
}

const char *patient_told_of(const struct patient *patient, const char *source)
{
    const json_t *absent;
    size_t i;
    json_array_foreach (patient->listing->absent, i, absent) {
        const char *of = json_string_value(json_object_get(absent, "source"));
        if (of && strcmp(of, source) == 0)
            return json_string_value(json_object_get(absent, "reason"));
    }
    return NULL;
}

bool icd_is_rusticl(const struct icd *icd)
{
    return strcasestr(icd->library, "rusticl") || strcasestr(icd->path, "rusticl");
}

bool icd_serves(const struct icd *icd, unsigned vendor)
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
        if (drivers[i].vendor == vendor && strcasestr(icd->library, drivers[i].part))
            return true;
    return icd_is_rusticl(icd);
}
