#include "bench/doctor/diagnosis.h"

#include "bench/doctor/install.h"
#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/cpu_limit.h"
#include "harness/machine/files.h"
#include "harness/machine/gpu_driver.h"

#include <stdio.h>
#include <string.h>

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

/* What keeps the processor, which is mostly the baseline, from its best. */
static void examine_processor(struct diagnosis *out, const struct machine_view *view, const struct device *device)
{
    static const struct finding_rule limits[] = { { NULL, always, NULL, "{effect}", "unset {variable}" } };
    static const struct finding_rule kernels[] = {
        { NULL, is_unknown, "core", NULL, NULL },
        { NULL, are_known, "coretype better",
          "OPENBLAS_CORETYPE is {core}: this machine has the instruction sets of {better}", "unset OPENBLAS_CORETYPE" },
        { NULL, are_known, "bound better",
          "this build has those of {core} alone; this machine has the instruction sets of {better}",
          "{install openblas}" },
        { NULL, are_known, "bound", "this build has those of {core} alone", NULL },
        { NULL, are_known, "better", "by itself those of {core}; runs use those of {better}", NULL },
        { NULL, always, NULL, "those of {core}", NULL },
    };
    struct cpu_limit limit[CPU_LIMITS_MAX];
    const unsigned count = cpu_limits(limit, view->variable, device->threads);
    for (unsigned i = 0; i < count; i++) {
        struct facts facts = { .view = view, .subject = device->id };
        fact_set(&facts, "variable", limit[i].variable);
        fact_set(&facts, "effect", limit[i].effect);
        findings_add(out, limits, 1, &facts);
    }
    struct facts facts = { .view = view, .subject = "OpenBLAS kernels" };
    fact_set(&facts, "core", device->blas_core);
    fact_set(&facts, "better", device->blas_better);
    fact_set(&facts, "bound", device->blas_bound);
    if (strcmp(device->blas_bound, "OPENBLAS_CORETYPE") == 0)
        fact_set(&facts, "coretype", device->blas_core);
    findings_add(out, kernels, sizeof kernels / sizeof *kernels, &facts);
}

/* The devices that can be measured now. */
static void examine_devices(struct diagnosis *out, const struct machine_view *view)
{
    static const struct finding_rule rules[] = { { NULL, always, NULL, "{name} [{class}]", NULL } };
    for (unsigned i = 0; i < view->listing->devices; i++) {
        const struct device *device = &view->listing->device[i];
        struct facts facts = { .view = view, .subject = device->id };
        fact_set(&facts, "name", device->name);
        fact_set(&facts, "class", class_name(device->class));
        findings_add(out, rules, 1, &facts);
        if (device->works_in_host_memory)
            examine_processor(out, view, device);
    }
}

/* A driver that cannot be loaded belongs to a broken installation. */
static void examine_driver(struct diagnosis *out, const struct machine_view *view, const struct driver *driver)
{
    static const char reinstall[] = "{owner} {source}   # then reinstall that package";
    static const struct finding_rule rules[] = {
        { NULL, is_unknown, "library", "it names no driver", reinstall },
        { NULL, are_known, "failure", "its driver {library} does not work: {failure}", reinstall },
        { NULL, are_known, "reason", "its driver {library} exists; {reason}", NULL },
        { NULL, always, NULL, "its driver {library} exists", NULL },
    };
    struct facts facts = { .view = view, .subject = driver->source };
    fact_set(&facts, "owner", install_owner(view));
    fact_set(&facts, "source", driver->source);
    fact_set(&facts, "library", driver->library);
    fact_set(&facts, "reason", driver->reason);
    fact_set(&facts, "failure", driver->is_faulty ? driver->reason : NULL);
    findings_add(out, rules, sizeof rules / sizeof *rules, &facts);
}

static bool is_outside_wsl(struct facts *facts, const char *of)
{
    (void)of;
    return !machine_view_has(facts->view, "/usr/lib/wsl") && !machine_view_has(facts->view, "/dev/dxg") &&
           !machine_view_has(facts->view, "/proc/sys/fs/binfmt_misc/WSLInterop");
}

static bool lacks_path(struct facts *facts, const char *of)
{
    return !machine_view_has(facts->view, of);
}

static bool has_gpu(struct facts *facts, const char *of)
{
    (void)of;
    return listing_has_gpu(facts->view->listing);
}

/* One of these libraries is installed. */
static bool has_library(struct facts *facts, const char *of)
{
    char soname[64];
    int used;
    for (; sscanf(of, "%63s%n", soname, &used) == 1; of += used)
        if (machine_view_has_library(facts->view, soname)) {
            fact_set(facts, "installed", soname);
            return true;
        }
    return false;
}

static void take_path(void *context, const char *root, const char *path)
{
    (void)root;
    fact_set(context, "windows_intel", path);
}

/* In WSL a GPU is /dev/dxg, whatever the PCI bus shows, and Windows' driver is a folder. Intel's OpenCL driver is the
 * distribution's (documentation/WSL.md of its compute runtime); CUDA's library comes with Windows' driver. */
static const struct finding_rule wsl_rules[] = {
    { NULL, is_outside_wsl, NULL, NULL, NULL },
    { NULL, lacks_path, "/dev/dxg",
      "there is no /dev/dxg, which programs need to reach a GPU: this is version 1 of the subsystem, or the kernel is "
      "old, or Windows has no driver for the GPU",
      "wsl.exe --update && wsl.exe --shutdown" },
    { NULL, has_gpu, NULL, "/dev/dxg exists", NULL },
    { NULL, are_known, "windows_intel intel_icd",
      "Windows has a GPU of Intel, and OpenCL does not show it: generations 9 and 11 need Intel's driver before {end}, "
      "or its legacy one",
      "{install legacy_package}" },
    { NULL, are_known, "windows_intel", "Windows has a GPU of Intel, and its OpenCL driver for Linux is not installed",
      "{install intel_package}" },
    { NULL, has_library, "libcuda.so.1", "Windows' driver has CUDA for Linux, but shows no GPU",
      "/usr/lib/wsl/lib/nvidia-smi" },
    { NULL, always, NULL, "/dev/dxg exists, but Windows' driver brings nothing for OpenCL or CUDA",
      "# in Windows: install the current driver from the GPU's vendor, then wsl.exe --shutdown" },
};

static void examine_wsl(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    const struct opencl_packages packages = opencl_packages_read(view->root);
    const struct driver *opencl = drivers_find(drivers, VENDOR_INTEL);
    struct facts facts = { .view = view, .subject = "Windows subsystem for Linux" };
    host_each(view->root, "/usr/lib/wsl/drivers/iigd_*", take_path, &facts);
    fact_set(&facts, "intel_icd", opencl && !driver_is_rusticl(opencl) ? opencl->source : "");
    fact_set(&facts, "intel_package", packages.intel);
    fact_set(&facts, "legacy_package", packages.legacy);
    fact_format(&facts, "end", "%.2f", intel_chip_find(0x5917).end);
    findings_add(out, wsl_rules, sizeof wsl_rules / sizeof *wsl_rules, &facts);
}

static bool has_pages_off(struct facts *facts, const char *of)
{
    return strstr(fact(facts, of), "[never]");
}

static bool is_powersave(struct facts *facts, const char *of)
{
    return strcmp(fact(facts, of), "powersave") == 0;
}

static const struct finding_rule host_rules[] = {
    { "opencl", is_unknown, "absence", NULL, NULL },
    { "opencl", are_known, "chosen", "{absence}", "unset OCL_ICD_VENDORS" },
    { "opencl", always, NULL, "{absence}", NULL },
    { "OpenBLAS", has_library, "openblas-openmp/libopenblas.so.0 libopenblaso.so.0 libopenblas.so.0",
      "{installed} is installed", NULL },
    { "OpenBLAS", always, NULL, "not installed: the baseline of matmul and conv is slower than it could be",
      "{install openblas}" },
    { "oneDNN", has_library, "libdnnl.so.3 libdnnl.so.3.6 libdnnl.so.2 libdnnl.so", "{installed} is installed", NULL },
    { "oneDNN", always, NULL, "not installed: the baseline of matmul and conv is slower than it could be",
      "{install onednn}" },
    { "CLBlast", has_library, "libclblast.so.1", "{installed} is installed", NULL },
    { "CLBlast", always, NULL, "not installed: one method of OpenCL for matmul and conv is missing",
      "{install clblast}" },
    { "clock", is_powersave, "governor",
      "the governor is powersave: the CPU raises its clock slowly, and short runs are slower than long ones",
      "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor" },
    { "clock", always, NULL, "the governor is {governor}", NULL },
    { "huge pages", has_pages_off, "pages",
      "transparent huge pages are off: memory-bound runs are up to a third slower",
      "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" },
    { "huge pages", are_known, "pages", "programs can use them", NULL },
    { "huge pages", always, NULL, "unknown", NULL },
};

static void examine_host(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    char governor[32], pages[64];
    struct facts facts = { .view = view };
    host_governor(view->root, governor, sizeof governor);
    host_line(view->root, "/sys/kernel/mm/transparent_hugepage/enabled", pages, sizeof pages);
    fact_set(&facts, "chosen", view->variable("OCL_ICD_VENDORS"));
    fact_set(&facts, "absence", drivers->absence);
    fact_set(&facts, "governor", *governor ? governor : "unknown");
    fact_set(&facts, "pages", pages);
    findings_add(out, host_rules, sizeof host_rules / sizeof *host_rules, &facts);
}

void diagnosis_make(struct diagnosis *out, const struct machine_view *view)
{
    struct drivers drivers;
    *out = (struct diagnosis){ 0 };
    drivers_read(&drivers, view);
    adapters_diagnose(out, view, &drivers);
    examine_wsl(out, view, &drivers);
    write_headline(out, view);
    examine_devices(out, view);
    for (unsigned i = 0; i < drivers.count; i++)
        examine_driver(out, view, &drivers.driver[i]);
    examine_host(out, view, &drivers);
}
