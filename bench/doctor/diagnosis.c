#include "bench/doctor/diagnosis.h"

#include "bench/doctor/install_hint.h"
#include "harness/base/text.h"
#include "harness/machine/cpu_limit.h"
#include "harness/machine/files.h"
#include "harness/machine/gpu_driver.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_at(const struct device *device, const struct adapter *adapter)
{
    return strncmp(device->silicon, "pci ", 4) == 0 && strcasecmp(device->silicon + 4, adapter->pci) == 0;
}

/* The ids of the devices that are this adapter: "opencl:0, cuda:0"; "" if no API shows it. */
struct shown {
    char by[96];
};

static void add_device(struct shown *shown, const struct device *device)
{
    text_join(shown->by, sizeof shown->by, ", ", device->id);
}

/* A device with an unknown place is taken for its vendor's first adapter that this API does not show yet. */
static void match_by_vendor(struct shown shown[], const struct device *device, const struct adapter adapter[],
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (adapter_vendor_is(&adapter[i], device->vendor, device->name) && !strstr(shown[i].by, device->backend) &&
            !adapter_emulation(&adapter[i])) {
            add_device(&shown[i], device);
            return;
        }
}

static void match_devices(struct shown shown[], const struct listing *listing, const struct adapter adapter[],
                          unsigned count)
{
    for (unsigned d = 0; d < listing->devices; d++)
        for (unsigned i = 0; i < count; i++)
            if (is_at(&listing->device[d], &adapter[i]))
                add_device(&shown[i], &listing->device[d]);
    for (unsigned d = 0; d < listing->devices; d++) {
        const struct device *device = &listing->device[d];
        if (device->class != CLASS_CPU && strncmp(device->silicon, "pci ", 4) != 0)
            match_by_vendor(shown, device, adapter, count);
    }
}

/* The GPUs that can be measured; else the first adapter with a problem, or the first at all. All findings so far are
 * about adapters. */
static void write_headline(struct diagnosis *out, const struct machine_view *view)
{
    const struct finding *first = NULL;
    out->has_gpu = listing_has_gpu(view->listing);
    for (unsigned i = 0; out->has_gpu && i < view->listing->devices; i++) {
        const struct device *device = &view->listing->device[i];
        if (device->class != CLASS_CPU)
            text_append(out->headline, sizeof out->headline, "%s%s %s", *out->headline ? "; " : "GPU: ", device->id,
                        device->name);
    }
    if (out->has_gpu)
        return;
    for (unsigned i = out->findings; i > 0; i--)
        if (!first || first->is_fine || !out->finding[i - 1].is_fine)
            first = &out->finding[i - 1];
    if (first)
        snprintf(out->headline, sizeof out->headline, "%s: %.100s: %.160s",
                 first->is_fine ? "No GPU on this machine" : "No GPU can be used", first->subject, first->text);
    else
        snprintf(out->headline, sizeof out->headline,
                 "No GPU on this machine: there is no graphics adapter or accelerator on the PCI bus%s",
                 machine_view_container(view) ? " of this container" : "");
}

static void examine_adapters(struct diagnosis *out, const struct machine_view *view, const struct driver_files *files)
{
    struct adapter adapter[ADAPTERS_MAX];
    struct shown shown[ADAPTERS_MAX] = { { "" } };
    unsigned count = adapters_read(view->root, adapter);
    match_devices(shown, view->listing, adapter, count);
    for (unsigned i = 0; i < count; i++) {
        char subject[160];
        snprintf(subject, sizeof subject, "%.128s at %.15s", adapter[i].name, adapter[i].pci);
        struct finding *finding = diagnosis_add(out, subject);
        if (*shown[i].by)
            finding_fine(finding, "shown as %s", shown[i].by);
        else
            gpu_diagnose(finding, view, files, &adapter[i]);
    }
}

/* What keeps the processor, which is mostly the baseline, from its best. */
static void examine_processor(struct diagnosis *out, const struct machine_view *view, const struct device *device)
{
    struct cpu_limit limit[CPU_LIMITS_MAX];
    const char *core = device->blas_core, *better = device->blas_better;
    const unsigned limits = cpu_limits(limit, view->variable, device->threads);
    for (unsigned i = 0; i < limits; i++)
        finding_mend(diagnosis_add(out, device->id), command_format("unset %s", limit[i].variable).text, "%s",
                     limit[i].effect);
    if (!*core)
        return;
    struct finding *finding = diagnosis_add(out, "OpenBLAS kernels");
    if (*better && strcmp(device->blas_bound, "OPENBLAS_CORETYPE") == 0)
        finding_mend(finding, "unset OPENBLAS_CORETYPE",
                     "OPENBLAS_CORETYPE is %s: this machine has the instruction sets of %s", core, better);
    else if (*better && *device->blas_bound)
        finding_mend(finding, install_hint(view, HINT_OPENBLAS).text,
                     "this build has those of %s alone; this machine has the instruction sets of %s", core, better);
    else if (*device->blas_bound)
        finding_fine(finding, "this build has those of %s alone", core);
    else
        finding_fine(finding, *better ? "by itself those of %s; runs use those of %s" : "those of %s%s", core, better);
}

/* The devices that can be measured now. */
static void examine_devices(struct diagnosis *out, const struct machine_view *view)
{
    for (unsigned i = 0; i < view->listing->devices; i++) {
        const struct device *device = &view->listing->device[i];
        finding_fine(diagnosis_add(out, device->id), "%s [%s]", device->name, class_name(device->class));
        if (device->works_in_host_memory)
            examine_processor(out, view, device);
    }
}

static void take_found(void *context, const char *root, const char *path)
{
    (void)root, (void)path;
    bool *is_there = context;
    *is_there = true;
}

/* In WSL a GPU is /dev/dxg, whatever the PCI bus shows, and Windows' driver is a folder. Intel's OpenCL driver is the
 * distribution's (documentation/WSL.md of its compute runtime); CUDA's library comes with Windows' driver. */
static void examine_wsl(struct diagnosis *out, const struct machine_view *view, const struct driver_files *files)
{
    static const char *const signs[] = { "/usr/lib/wsl", "/dev/dxg", "/proc/sys/fs/binfmt_misc/WSLInterop" };
    const struct opencl_packages packages = opencl_packages_read(view->root);
    const struct driver_file *opencl = driver_files_find(files, VENDOR_INTEL);
    bool has_intel = false;
    if (!machine_view_has(view, signs[0]) && !machine_view_has(view, signs[1]) && !machine_view_has(view, signs[2]))
        return;
    struct finding *finding = diagnosis_add(out, "Windows subsystem for Linux");
    host_each(view->root, "/usr/lib/wsl/drivers/iigd_*", take_found, &has_intel);
    if (!machine_view_has(view, "/dev/dxg"))
        finding_mend(finding, "wsl.exe --update && wsl.exe --shutdown",
                     "there is no /dev/dxg, which programs need to reach a GPU: this is version 1 of the subsystem, or "
                     "the kernel is old, or Windows has no driver for the GPU");
    else if (listing_has_gpu(view->listing))
        finding_fine(finding, "/dev/dxg exists");
    else if (has_intel && (!opencl || driver_file_is_rusticl(opencl)))
        finding_mend(finding, install_opencl(view, packages.intel).text,
                     "Windows has a GPU of Intel, and its OpenCL driver for Linux is not installed");
    else if (has_intel)
        finding_mend(
            finding, install_opencl(view, packages.legacy).text,
            "Windows has a GPU of Intel, and OpenCL does not show it: generations 9 and 11 need Intel's driver "
            "before %.2f, or its legacy one",
            intel_chip_find(0x5917).end);
    else if (machine_view_has_library(view, "libcuda.so.1"))
        finding_mend(finding, "/usr/lib/wsl/lib/nvidia-smi", "Windows' driver has CUDA for Linux, but shows no GPU");
    else
        finding_mend(finding, "# in Windows: install the current driver from the GPU's vendor, then wsl.exe --shutdown",
                     "/dev/dxg exists, but Windows' driver brings nothing for OpenCL or CUDA");
}

/* A driver file whose library is missing, or cannot be loaded, belongs to a broken installation. */
static void examine_driver_files(struct diagnosis *out, const struct machine_view *view,
                                 const struct driver_files *files)
{
    for (unsigned i = 0; i < files->count; i++) {
        const struct driver_file *file = &files->file[i];
        struct finding *finding = diagnosis_add(out, file->path);
        const char *reason = machine_view_absence(view, file->path);
        const char *failure = machine_view_failure(view, file->path);
        struct command owner = install_owner(view, file->path);
        if (file->has_library && failure)
            finding_mend(finding, owner.text, "its driver %s does not work: %.250s", file->library, failure);
        else if (file->has_library)
            finding_fine(finding, "its driver %s exists%s%.200s", file->library, reason ? "; " : "",
                         reason ? reason : "");
        else
            finding_mend(finding, owner.text, *file->library ? "its driver %s does not exist" : "it names no driver%s",
                         file->library);
    }
    const char *chosen = view->variable("OCL_ICD_VENDORS");
    if (files->count == 0 && chosen && *chosen)
        finding_mend(diagnosis_add(out, "opencl"), "unset OCL_ICD_VENDORS", "%s, and there is no driver", files->place);
    else if (files->count == 0)
        finding_fine(diagnosis_add(out, "opencl"), "no driver is installed (%s)", files->place);
}

static void examine_libraries(struct diagnosis *out, const struct machine_view *view)
{
    static const char slower[] = "the baseline of matmul and conv is slower than it could be";
    static const struct {
        const char *name, *sonames, *lacks; /* sonames have blanks between them */
        enum install_hint hint;
    } libraries[] = {
        { "OpenBLAS", "openblas-openmp/libopenblas.so.0 libopenblaso.so.0 libopenblas.so.0", slower, HINT_OPENBLAS },
        { "oneDNN", "libdnnl.so.3 libdnnl.so.3.6 libdnnl.so.2 libdnnl.so", slower, HINT_ONEDNN },
        { "CLBlast", "libclblast.so.1", "one method of OpenCL for matmul and conv is missing", HINT_CLBLAST },
    };
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct finding *finding = diagnosis_add(out, libraries[i].name);
        const char *rest = libraries[i].sonames;
        char soname[64];
        int used;
        while (sscanf(rest, "%63s%n", soname, &used) == 1 && !machine_view_has_library(view, soname))
            rest += used;
        if (*rest)
            finding_fine(finding, "%s is installed", soname);
        else
            finding_mend(finding, install_hint(view, libraries[i].hint).text, "not installed: %s", libraries[i].lacks);
    }
}

static void examine_clock(struct diagnosis *out, const struct machine_view *view)
{
    char governor[32];
    host_governor(view->root, governor, sizeof governor);
    struct finding *finding = diagnosis_add(out, "clock");
    if (strcmp(governor, "powersave") == 0)
        finding_mend(finding, "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                     "the governor is powersave: the CPU raises its clock slowly, and short runs are slower than long "
                     "ones");
    else
        finding_fine(finding, "the governor is %s", *governor ? governor : "unknown");
}

static void examine_pages(struct diagnosis *out, const struct machine_view *view)
{
    char line[64];
    struct finding *finding = diagnosis_add(out, "huge pages");
    bool is_known = host_line(view->root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) && *line;
    if (is_known && strstr(line, "[never]"))
        finding_mend(finding, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                     "transparent huge pages are off: memory-bound runs are up to a third slower");
    else
        finding_fine(finding, is_known ? "programs can use them" : "unknown");
}

void diagnosis_make(struct diagnosis *out, const struct machine_view *view)
{
    struct driver_files files;
    *out = (struct diagnosis){ 0 };
    driver_files_read(&files, view);
    examine_adapters(out, view, &files);
    examine_wsl(out, view, &files);
    write_headline(out, view);
    examine_devices(out, view);
    examine_driver_files(out, view, &files);
    examine_libraries(out, view);
    examine_clock(out, view);
    examine_pages(out, view);
}
