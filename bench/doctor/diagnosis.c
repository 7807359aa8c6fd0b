#include "bench/doctor/finding.h"

#include "bench/backends/common/driver_cache.h"
#include "bench/doctor/driver.h"
#include "bench/doctor/install.h"
#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/machine/adapter.h"
#include "harness/machine/cpu_limit.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"
#include "harness/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool has(const struct machine_view *view, const char *path)
{
    return access(pool_print(view->pool, "%s%s", view->root, path), F_OK) == 0;
}

static void take_found(void *context, const char *root, const char *path)
{
    *(bool *)context = true;
}

/* Whether this library came with the program, or is in LD_LIBRARY_PATH or one of the usual folders. */
static bool has_library(const struct machine_view *view, const char *soname)
{
    const char *chosen = view->variable("LD_LIBRARY_PATH");
    const char *folder = pool_print(view->pool,
                                    "/usr/lib/*-linux-*:/lib/*-linux-*:/usr/lib64:/usr/lib:/usr/local/lib:"
                                    "/usr/local/lib64:/usr/lib/wsl/lib:%s:%s",
                                    view->bundled, chosen ? chosen : "");
    bool is_found = false;
    for (; *folder; folder += strspn(folder, ":")) {
        const int length = (int)strcspn(folder, ":");
        host_each(view->root, pool_print(view->pool, "%.*s/%s", length, folder, soname), take_found, &is_found);
        folder += length;
    }
    return is_found;
}

/* The file or variable that shows that this is a container; NULL outside. */
static const char *container_of(const struct machine_view *view)
{
    if (has(view, "/.dockerenv"))
        return "/.dockerenv";
    if (has(view, "/run/.containerenv"))
        return "/run/.containerenv";
    return view->variable("container") ? "the variable container" : NULL;
}

static void add_hiding(struct facts *facts, const char *names)
{
    char name[32];
    int used;
    for (; sscanf(names, "%31s%n", name, &used) == 1; names += used) {
        const char *value = facts->view->variable(name);
        if (!value || strcmp(value, "all") == 0)
            continue;
        fact_set(facts, "hidden_by", name);
        fact_set(facts, "hidden_to", value);
    }
}

/* The version of an installed package in Debian's list; "" unknown. */
static const char *package_version(const struct machine_view *view, const char *package)
{
    char line[512];
    const char *wanted = pool_print(view->pool, "Package: %s\n", package), *version = "";
    bool is_it = false;
    FILE *file = host_open(view->root, "/var/lib/dpkg/status");
    while (file && !*version && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Package: ", 9) == 0)
            is_it = strcmp(line, wanted) == 0;
        else if (is_it && strncmp(line, "Version: ", 9) == 0)
            version = pool_copy(view->pool, text_cleaned(line + 9).text);
    }
    if (file)
        fclose(file);
    return version;
}

/* A driver of Intel that does not serve the chip. The installed version is in Debian's list; elsewhere it is taken for
 * that of the release. */
static void add_generation(struct facts *facts, const struct intel_chip *chip, struct opencl_packages packages)
{
    struct pool *pool = facts->view->pool;
    const char *version = package_version(facts->view, "intel-opencl-icd");
    if (!*version && packages.intel_version > 0)
        version = pool_print(pool, "%.2f", packages.intel_version);
    if (!*version || intel_chip_is_served(chip, strtod(version, NULL)))
        return;
    const bool is_old = strtod(version, NULL) >= chip->end;
    *packages.intel = '\0'; /* it is installed */
    fact_set(facts, "architecture", chip->architecture);
    fact_set(facts, "version", version);
    fact_set(facts, "other_package", opencl_package_of(&packages, chip));
    fact_set(facts, "serving",
             chip->first < 99.99
                 ? pool_print(pool, "versions %s %.2f do", is_old ? "before" : "from", is_old ? chip->end : chip->first)
                 : "no version does");
}

static void add_node(struct facts *facts, const char *node)
{
    const char *path = pool_print(facts->view->pool, "%s%s", facts->view->root, node);
    fact_set(facts, "node", node);
    fact_set(facts, "no_node", has(facts->view, node) ? "" : node);
    fact_set(facts, "forbidden", facts->view->may_use(path) ? "" : node);
}

static void add_vendor(struct facts *facts, const char *vendor, const struct adapter *adapter)
{
    const struct machine_view *view = facts->view;
    const char *module = install_vendor_fact(vendor, "module");
    const char *firmware = pool_print(view->pool, "/lib/firmware/%s", module);
    const struct text line = host_line(view->root, "/proc/cmdline");
    fact_set(facts, "vendor", vendor);
    fact_set(facts, "computes",
             text_has_word(install_vendor_fact(vendor, "modules"), adapter->driver) ? adapter->driver : "");
    fact_set(facts, "unloaded", has(view, pool_print(view->pool, "/sys/module/%s", module)) ? "" : module);
    fact_set(facts, "no_firmware",
             has(view, firmware) || !*install_vendor_fact(vendor, "firmware_package") ? "" : firmware);
    fact_set(facts, "nomodeset", text_has_word(line.text, "nomodeset") ? "nomodeset" : "");
    if (adapter->vendor == VENDOR_NVIDIA)
        add_node(facts, "/dev/nvidiactl");
    else if (*adapter->render_node)
        add_node(facts, pool_print(view->pool, "/dev/dri/%s", adapter->render_node));
    add_hiding(facts, install_vendor_fact(vendor, "hiding"));
}

/* The variable that says which OpenCL drivers there are, if one is set. */
static void add_choice(struct facts *facts)
{
    static const char *const names[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (facts->view->variable(names[i])) {
            fact_set(facts, "chosen_by", names[i]);
            fact_set(facts, "choice", facts->view->variable(names[i]));
            return;
        }
}

/* The OpenCL driver that is installed for the adapter, if one is, and the package that should be. */
static void add_opencl(struct facts *facts, const struct adapter *adapter, const struct driver *opencl)
{
    const struct opencl_packages packages = opencl_packages_read(facts->view->root);
    const struct intel_chip chip = intel_chip_find(adapter->device);
    const char *enabled = facts->view->variable("RUSTICL_ENABLE");
    fact_set(facts, "opencl_package",
             adapter->vendor == VENDOR_INTEL    ? opencl_package_of(&packages, &chip)
             : adapter->vendor == VENDOR_AMD    ? packages.amd
             : adapter->vendor == VENDOR_NVIDIA ? "nvidia-opencl"
                                                : packages.mesa);
    add_choice(facts);
    if (!opencl)
        return;
    const bool is_rusticl = driver_is_rusticl(opencl);
    fact_set(facts, "icd", opencl->source);
    fact_set(facts, "library", opencl->library);
    fact_set(facts, "reason", opencl->reason ? opencl->reason : "the reason is not known");
    fact_set(facts, "failure", opencl->is_faulty ? opencl->reason : NULL);
    if (is_rusticl && enabled && !strstr(enabled, install_vendor_fact(adapter_vendor_name(adapter->vendor), "rusticl")))
        fact_set(facts, "not_enabled", *enabled ? enabled : "empty"); /* the backend sets what is not set */
    if (adapter->vendor == VENDOR_INTEL && !is_rusticl && !strcasestr(opencl->library, "legacy"))
        add_generation(facts, &chip, packages);
}

/* What an API without any device said that is known by its vendor ("cuda"); NULL: it did not fail. */
static const char *api_failure(const struct machine_view *view, const char *api)
{
    size_t i;
    const json_t *absent;
    json_array_foreach (view->listing->absent, i, absent)
        if (*api && strcmp(journal_text(absent, "backend"), api) == 0 &&
            strcmp(journal_text(absent, "status"), "unsupported") != 0)
            return journal_text(absent, "reason");
    return NULL;
}

static void examine_adapter(struct diagnosis *out, const struct adapter *adapter, const char *devices,
                            const struct machine_view *view, const struct drivers *drivers)
{
    const char *container = container_of(view), *vendor = adapter_vendor_name(adapter->vendor);
    struct facts facts = { .view = view,
                           .subject = pool_print(view->pool, "%.128s at %.15s", adapter->name, adapter->pci) };
    fact_set(&facts, "devices", devices);
    fact_set(&facts, "emulation", adapter_emulation(adapter));
    fact_set(&facts, "soc", adapter->is_soc ? adapter->pci : "");
    fact_set(&facts, "driver", adapter->driver);
    fact_set(&facts, "bound",
             *adapter->driver ? pool_print(view->pool, "its kernel driver is %s", adapter->driver)
                              : "no kernel driver is bound");
    fact_set(&facts, "container", container);
    if (*vendor) {
        add_vendor(&facts, vendor, adapter);
        fact_set(&facts, "api_failure", api_failure(view, install_vendor_fact(vendor, "api")));
        add_opencl(&facts, adapter, drivers_find(drivers, adapter->vendor));
    }
    findings_add(out, "adapter", &facts);
}

/* Whether the device is this adapter. One with an unknown place is taken for its vendor's first adapter that its API
 * does not show yet. */
static bool is_shown(const struct device *device, const struct adapter *adapter, bool by_place, const char *shown)
{
    const bool has_place = strncmp(device->silicon, "pci ", 4) == 0;
    if (by_place)
        return has_place && strcasecmp(device->silicon + 4, adapter->pci) == 0;
    return !has_place && device->class != CLASS_CPU && !strstr(shown, device->backend) &&
           adapter_vendor_is(adapter, device->vendor, device->name) && !adapter_emulation(adapter);
}

static void examine_adapters(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    struct adapter adapter[ADAPTERS_MAX];
    char shown[ADAPTERS_MAX][96] = { "" }; /* the devices that are this adapter: "opencl:0, cuda:0" */
    const unsigned count = adapters_read(view->root, adapter), devices = view->listing->devices;
    for (unsigned d = 0; d < 2 * devices; d++)
        for (unsigned i = 0; i < count; i++) {
            const struct device *device = &view->listing->device[d % devices];
            if (!is_shown(device, &adapter[i], d < devices, shown[i]))
                continue;
            text_join(shown[i], sizeof shown[i], ", ", device->id);
            break;
        }
    struct facts facts = { .view = view, .subject = adapter_vendor_name(VENDOR_NVIDIA) };
    fact_set(&facts, "api_failure", api_failure(view, install_vendor_fact(facts.subject, "api")));
    for (unsigned i = 0; i < count; i++) {
        examine_adapter(out, &adapter[i], shown[i], view, drivers);
        if (adapter[i].vendor == VENDOR_NVIDIA)
            fact_set(&facts, "api_failure", "");
    }
    findings_add(out, "api", &facts);
}

static void take_path(void *context, const char *root, const char *path)
{
    fact_set(context, "windows_intel", path);
}

static void examine_wsl(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    const struct opencl_packages packages = opencl_packages_read(view->root);
    const struct driver *opencl = drivers_find(drivers, VENDOR_INTEL);
    const bool has_dxg = has(view, "/dev/dxg");
    struct facts facts = { .view = view };
    if (!has_dxg && !has(view, "/usr/lib/wsl") && !has(view, "/proc/sys/fs/binfmt_misc/WSLInterop"))
        return;
    fact_set(&facts, "no_dxg", has_dxg ? "" : "/dev/dxg");
    fact_set(&facts, "gpu", listing_has_gpu(view->listing) ? "a GPU" : "");
    host_each(view->root, "/usr/lib/wsl/drivers/iigd_*", take_path, &facts);
    fact_set(&facts, "icd", opencl && !driver_is_rusticl(opencl) ? opencl->source : "");
    fact_set(&facts, "intel_package", packages.intel);
    fact_set(&facts, "legacy_package", packages.legacy);
    fact_set(&facts, "end", pool_print(view->pool, "%.2f", intel_chip_find(0x5917).end));
    fact_set(&facts, "cuda", has_library(view, "libcuda.so.1") ? "libcuda.so.1" : "");
    findings_add(out, "wsl", &facts);
}

/* Whether the machine is described in files: of another one they are recorded. */
static bool has_files(const struct machine_view *view)
{
    return *view->root || host_has_files();
}

/* The GPUs that can be measured; else the first adapter with a problem, or the first at all. All findings so far are
 * about adapters. */
static const char *headline(const struct diagnosis *diagnosis, const struct machine_view *view)
{
    const struct finding *first = NULL;
    struct string_builder gpus = { .pool = view->pool };
    for (unsigned i = 0; diagnosis->has_gpu && i < view->listing->devices; i++) {
        const struct device *device = &view->listing->device[i];
        if (device->class != CLASS_CPU)
            string_append(&gpus, "%s%s %s", gpus.length > 0 ? "; " : "GPU: ", device->id, device->name);
    }
    if (diagnosis->has_gpu)
        return string_text(&gpus);
    for (unsigned i = diagnosis->findings; i > 0; i--)
        if (!first || first->is_fine || !diagnosis->finding[i - 1].is_fine)
            first = &diagnosis->finding[i - 1];
    if (!has_files(view) && (!first || first->is_fine))
        return "No GPU: no driver of OpenCL shows one";
    if (first)
        return pool_print(view->pool, "%s: %s: %s", first->is_fine ? "No GPU on this machine" : "No GPU can be used",
                          first->subject, first->text);
    return pool_print(view->pool,
                      "No GPU on this machine: there is no graphics adapter or accelerator on the PCI bus%s",
                      container_of(view) ? " of this container" : "");
}

/* What can be measured now, and what holds the processor back. */
static void examine_device(struct diagnosis *out, const struct machine_view *view, const struct device *device)
{
    static const struct probe none;
    const struct probe *probe = view->probe ? &view->probe[device - view->listing->device] : &none;
    char cache[512] = "";
    struct cpu_limit limit[CPU_LIMITS_MAX];
    struct facts facts = { .view = view, .subject = device->id };
    fact_set(&facts, "name", device->name);
    fact_set(&facts, "class", class_names[device->class]);
    fact_set(&facts, "used", probe->is_done ? "used" : "");
    fact_set(&facts, "failed", probe->outcome.message);
    fact_set(&facts, "damaged", probe->has_damaged_cache ? "damaged" : "");
    driver_cache_find(cache, sizeof cache);
    fact_set(&facts, "cache", cache);
    fact_set(&facts, "changed_by", driver_cache_is_of(device->platform) ? driver_cache_changed_by(view->variable) : "");
    fact_set(&facts, "note", device->note);
    findings_add(out, "device", &facts);
    if (!device->works_in_host_memory)
        return;
    const unsigned count = cpu_limits(limit, view->variable, device->threads);
    for (unsigned i = 0; i < count; i++) {
        fact_set(&facts, "variable", limit[i].variable);
        fact_set(&facts, "effect", limit[i].effect);
        findings_add(out, "limit", &facts);
    }
    fact_set(&facts, "core", device->blas_core);
    fact_set(&facts, "better", device->blas_better);
    fact_set(&facts, "bound", device->blas_bound);
    findings_add(out, "kernels", &facts);
}

static void examine_driver(struct diagnosis *out, const struct machine_view *view, const struct driver *driver)
{
    struct facts facts = { .view = view, .subject = driver->source };
    fact_set(&facts, "owner", install_owner(view->root));
    fact_set(&facts, "source", driver->source);
    fact_set(&facts, "library", driver->library);
    fact_set(&facts, "reason", driver->reason);
    fact_set(&facts, "failure", driver->is_faulty ? driver->reason : NULL);
    fact_set(&facts, "for_cpus",
             strcasestr(driver->library, "pocl") || strcasestr(driver->library, "intelocl") ? "CPU" : "");
    fact_set(&facts, "pocl_devices", view->variable("POCL_DEVICES"));
    fact_set(&facts, "topology_variable", topology_variable(view->variable));
    add_choice(&facts);
    findings_add(out, "driver", &facts);
}

/* The first of these libraries that is installed, up to NULL. */
static void add_library(struct facts *facts, const char *name, const char *const sonames[])
{
    while (*sonames && !has_library(facts->view, *sonames))
        sonames++;
    fact_set(facts, name, *sonames);
}

static void examine_host(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    static const char *const openblas[] = { "openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0",
                                            NULL },
                             *const onednn[] = { "libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2", "libdnnl.so", NULL },
                             *const clblast[] = { "libclblast.so.1", NULL };
    size_t i;
    const json_t *absent;
    const struct text governor = host_governor(view->root), pages = host_huge_pages(view->root);
    struct clock_limit limit;
    struct facts facts = { .view = view };
    fact_set(&facts, "no_files", has_files(view) ? "" : "no files");
    json_array_foreach (view->listing->absent, i, absent)
        if (strcmp(journal_text(absent, "backend"), "cpu") == 0)
            fact_set(&facts, "no_cpu", journal_text(absent, "reason"));
    fact_set(&facts, "topology_variable", topology_variable(view->variable));
    fact_set(&facts, "absence", drivers->absence);
    fact_set(&facts, "faulty_loader", drivers->is_faulty ? "libOpenCL.so.1" : "");
    fact_set(&facts, "loader_path", view->variable("LD_LIBRARY_PATH"));
    add_choice(&facts);
    add_library(&facts, "openblas_file", openblas);
    add_library(&facts, "onednn_file", onednn);
    add_library(&facts, "clblast_file", clblast);
    if (host_clock_limit(&limit, view->root)) {
        fact_set(&facts, "limit",
                 pool_print(view->pool, "%s is %.0f instead of %.0f", limit.file, limit.value, limit.whole));
        fact_set(&facts, "command", pool_print(view->pool, "echo %.0f | sudo tee %s", limit.whole, limit.file));
    }
    fact_set(&facts, "governor", *governor.text ? governor.text : "unknown");
    fact_set(&facts, "pages", pages.text);
    findings_add(out, "host", &facts);
}

/* A driver or the loader. It is part of the headline where there is no GPU. */
static void explain_no_opencl(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    const struct finding *found = NULL;
    for (unsigned i = 0; i < view->listing->devices; i++)
        if (strcmp(view->listing->device[i].backend, "opencl") == 0)
            return;
    for (unsigned i = out->findings; i > 0; i--) {
        const struct finding *finding = &out->finding[i - 1];
        bool is_of_opencl = strcmp(finding->subject, "opencl") == 0;
        for (unsigned k = 0; k < drivers->count; k++)
            is_of_opencl |= strcmp(finding->subject, drivers->driver[k].source) == 0;
        if (is_of_opencl && !finding->is_fine)
            found = finding;
    }
    if (!found)
        return;
    out->no_opencl = pool_print(view->pool, "%s: %s", found->subject, found->text);
    if (!out->has_gpu)
        out->headline = pool_print(view->pool, "%s; OpenCL has no device: %s", out->headline, out->no_opencl);
}

/* What all other findings need. False where no worker could be started, so that no API is known. */
static bool examine_system(struct diagnosis *out, const struct machine_view *view)
{
    struct facts facts = { .view = view };
    const bool is_told = has_files(view), has_proc = !is_told || has(view, "/proc/self");
    fact_set(&facts, "no_proc", has_proc ? "" : "/proc");
    fact_set(&facts, "no_sys", !is_told || has(view, "/sys/bus") ? "" : "/sys");
    fact_set(&facts, "no_files", is_told ? "" : "no files");
    findings_add(out, "system", &facts);
    return has_proc;
}

void diagnosis_make(struct diagnosis *out, const struct machine_view *view)
{
    struct drivers drivers;
    *out = (struct diagnosis){ .no_opencl = "", .has_gpu = listing_has_gpu(view->listing) };
    if (!examine_system(out, view)) {
        out->headline = headline(out, view);
        return;
    }
    drivers_read(&drivers, view);
    examine_adapters(out, view, &drivers);
    examine_wsl(out, view, &drivers);
    out->of_adapters = out->findings;
    out->headline = headline(out, view);
    for (unsigned i = 0; i < view->listing->devices; i++)
        examine_device(out, view, &view->listing->device[i]);
    for (unsigned i = 0; i < drivers.count; i++)
        examine_driver(out, view, &drivers.driver[i]);
    examine_host(out, view, &drivers);
    explain_no_opencl(out, view, &drivers);
}
