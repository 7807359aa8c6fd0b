#include "bench/doctor/diagnosis.h"

#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/files.h"
#include "harness/machine/gpu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The drivers for the adapters of each vendor. Lists of words have blanks between them. */
enum { INTEL, AMD, NVIDIA, VENDORS };
static const unsigned vendor_ids[VENDORS] = { VENDOR_INTEL, VENDOR_AMD, VENDOR_NVIDIA };
static const struct {
    const char *name, *of[VENDORS];
} vendor_facts[] = {
    { "module", { "i915", "amdgpu", "nvidia" } },
    { "modules", { "i915 xe", "amdgpu radeon", "nvidia" } }, /* of the kernel, that can compute */
    { "firmware", { "/lib/firmware/i915", "/lib/firmware/amdgpu", "" } },
    { "loadable", { "/sys/module/i915", "/sys/module/amdgpu", "" } },
    { "installable", { "", "", "/sys/module/nvidia" } },
    { "driver_package", { "intel-firmware", "amd-firmware", "nvidia-driver" } },
    { "rusticl", { "iris", "radeonsi", "" } }, /* what RUSTICL_ENABLE must name */
    { "hiding",
      { "ZE_AFFINITY_MASK ONEAPI_DEVICE_SELECTOR", "ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL",
        "CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES" } },
    { "nodes", { "/dev/dri", "/dev/dri", "/dev/nvidia*" } },
    { "group", { "render", "render", "video" } },
    { "groups", { "render or video", "render or video", "video" } },
    { "make_node",
      { "sudo udevadm trigger --subsystem-match=drm", "sudo udevadm trigger --subsystem-match=drm",
        "sudo nvidia-modprobe -c 0 -u" } },
    { "give_node",
      { "docker run --device /dev/dri ...   # podman takes the same option",
        "docker run --device /dev/dri ...   # podman takes the same option",
        "docker run --gpus all ...   # with nvidia-container-toolkit on the host" } },
};

static bool runs_on(struct facts *facts, const char *of)
{
    return *fact(facts, "driver") && text_has_word(of, fact(facts, "driver"));
}

static bool is_without_modesetting(struct facts *facts, const char *of)
{
    char line[4096];
    (void)of;
    return !*fact(facts, "driver") && !*fact(facts, "installable") &&
           host_line(facts->view->root, "/proc/cmdline", line, sizeof line) && text_has_word(line, "nomodeset");
}

static bool lacks_path(struct facts *facts, const char *of)
{
    return *fact(facts, of) && !machine_view_has(facts->view, fact(facts, of));
}

/* No driver of the kernel that can compute is bound; with `of`, and that path is missing. */
static bool is_unbound(struct facts *facts, const char *of)
{
    return !runs_on(facts, fact(facts, "modules")) && (!of || lacks_path(facts, of));
}

static bool is_not_given(struct facts *facts, const char *of)
{
    return lacks_path(facts, of) && *fact(facts, "container");
}

static bool may_not_use(struct facts *facts, const char *of)
{
    char path[512];
    snprintf(path, sizeof path, "%.200s%s", facts->view->root, fact(facts, of));
    return !facts->view->may_use(path);
}

/* NVIDIA's libraries have their version behind their name. Several may be left from before: the one that matches the
 * module's counts, else the first. */
struct versions {
    const char *module;
    char library[32];
};

static void take_version(void *context, const char *root, const char *path)
{
    (void)root;
    struct versions *versions = context;
    const char *found = strstr(path, ".so.");
    if (found && strchr(found + 4, '.') && (!*versions->library || strcmp(found + 4, versions->module) == 0))
        text_clean(versions->library, sizeof versions->library, found + 4);
}

/* After an upgrade of the package the old module stays loaded until the next start. */
static bool has_two_versions(struct facts *facts, const char *of)
{
    static const char *const libraries[] = { "/usr/lib/*-linux-*/libcuda.so.*", "/usr/lib64/libcuda.so.*",
                                             "/usr/lib/libcuda.so.*", "/usr/lib/*-linux-*/nvidia/current/libcuda.so.*",
                                             "/usr/lib/*-linux-*/libnvidia-ml.so.*" };
    char module[32];
    struct versions versions = { .module = module };
    (void)of;
    host_line(facts->view->root, "/sys/module/nvidia/version", module, sizeof module);
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
        host_each(facts->view->root, libraries[i], take_version, &versions);
    fact_set(facts, "module_version", module);
    fact_set(facts, "library_version", versions.library);
    return runs_on(facts, "nvidia") && *module && *versions.library && strcmp(module, versions.library) != 0;
}

static bool is_hidden(struct facts *facts, const char *of)
{
    char name[32];
    int used;
    for (const char *rest = fact(facts, of); sscanf(rest, "%31s%n", name, &used) == 1; rest += used) {
        const char *value = facts->view->variable(name);
        if (value && strcmp(value, "all") != 0) {
            fact_set(facts, "variable", name);
            fact_set(facts, "value", value);
            return true;
        }
    }
    return false;
}

static bool has_no_driver_where_chosen(struct facts *facts, const char *of)
{
    return is_unknown(facts, "icd") && are_known(facts, of);
}

static bool is_not_enabled(struct facts *facts, const char *of)
{
    return are_known(facts, "rusticl_enable") && !strstr(fact(facts, "rusticl_enable"), fact(facts, of));
}

/* The version of an installed package in Debian's list; "" unknown. */
static void package_version(const struct machine_view *view, const char *package, char *to, size_t room)
{
    char line[512], wanted[96];
    bool is_it = false;
    FILE *file = host_open(view->root, "/var/lib/dpkg/status");
    snprintf(wanted, sizeof wanted, "Package: %s\n", package);
    *to = '\0';
    while (file && !*to && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Package: ", 9) == 0)
            is_it = strcmp(line, wanted) == 0;
        else if (is_it && strncmp(line, "Version: ", 9) == 0)
            text_clean(to, room, line + 9);
    }
    if (file)
        fclose(file);
}

/* A driver of Intel that does not serve the chip. The installed version is in Debian's list; elsewhere it is taken for
 * that of the release. */
static bool has_other_generation(struct facts *facts, const char *of)
{
    const struct intel_chip chip = intel_chip_find((unsigned)strtoul(fact(facts, of), NULL, 16));
    struct opencl_packages packages = opencl_packages_read(facts->view->root);
    char version[64];
    package_version(facts->view, "intel-opencl-icd", version, sizeof version);
    if (!*version && packages.intel_version > 0)
        snprintf(version, sizeof version, "%.2f", packages.intel_version);
    if (!*fact(facts, of) || *fact(facts, "rusticl_enable") || !*version ||
        strcasestr(fact(facts, "library"), "legacy") || intel_chip_is_served(&chip, strtod(version, NULL)))
        return false;
    const bool is_old = strtod(version, NULL) >= chip.end;
    *packages.intel = '\0'; /* it is installed */
    fact_set(facts, "architecture", chip.architecture);
    fact_set(facts, "version", version);
    fact_set(facts, "other_package", opencl_package_of(&packages, &chip));
    if (chip.first < 99.99)
        fact_format(facts, "serving", "versions %s %.2f do", is_old ? "before" : "from",
                    is_old ? chip.end : chip.first);
    else
        fact_set(facts, "serving", "no version does");
    return true;
}

/* From the hardware upwards; each relies on those before it. */
static const struct finding_rule rules[] = {
    { NULL, are_known, "devices", "shown as {devices}", NULL },
    { NULL, are_known, "emulation", "a display adapter that cannot compute ({emulation})", NULL },
    { NULL, runs_on, "vfio-pci pci-stub", "reserved for virtual machines (kernel driver {driver})", NULL },
    { NULL, is_unknown, "module", "no API shows it, the drivers of its vendor are not known, and {bound}", NULL },
    { NULL, is_without_modesetting, NULL,
      "no kernel driver is bound, because the kernel was started with nomodeset (/proc/cmdline)",
      "sudo sed -i 's/ *nomodeset//' /etc/default/grub && sudo update-grub && sudo reboot" },
    { NULL, runs_on, "nouveau", "its kernel driver is nouveau; OpenCL and CUDA of NVIDIA need NVIDIA's own driver",
      "{install nvidia-driver}" },
    { NULL, is_unbound, "firmware", "{bound}, and the firmware that {module} loads is not installed ({firmware})",
      "{install driver_package}" },
    { NULL, is_unbound, "installable", "{bound}, and the module {module} is not loaded", "{install driver_package}" },
    { NULL, is_unbound, "loadable", "{bound}, and the module {module} is not loaded", "sudo modprobe {module}" },
    { NULL, is_unbound, NULL,
      "{bound}, but the module {module} is loaded: the kernel may be older than the adapter; its log has the reason",
      "sudo dmesg | grep -i {module}" },
    { NULL, is_unknown, "node",
      "its kernel driver {driver} made no render node for it; the kernel's log has the reason",
      "sudo dmesg | grep -i {driver}" },
    { NULL, is_not_given, "node", "this is a container ({container}), and it was not given {node}", "{give_node}" },
    { NULL, lacks_path, "node", "its kernel driver is {driver}, and there is no {node}", "{make_node}" },
    { NULL, may_not_use, "node", "you have no access to {node}, which belongs to the group {groups}",
      "sudo usermod -aG {group} $USER   # or the group that `ls -l {nodes}` names; then log in again" },
    { NULL, has_two_versions, NULL,
      "NVIDIA's kernel module has version {module_version} and the library version {library_version}: one was upgraded "
      "while the other was in use",
      "{restart}" },
    { NULL, is_hidden, "hiding", "{variable} is \"{value}\", which hides devices from programs", "unset {variable}" },
    { NULL, has_no_driver_where_chosen, "chosen",
      "OCL_ICD_VENDORS is \"{chosen}\", and no driver there is for this adapter", "unset OCL_ICD_VENDORS" },
    { NULL, is_unknown, "icd",
      "its kernel driver is {driver}, but no OpenCL driver for it is installed (there is no .icd file for it in "
      "/etc/OpenCL/vendors)",
      "{install opencl_package}" },
    { NULL, are_known, "failure", "the OpenCL driver of {icd} does not work: {failure}", "{install opencl_package}" },
    { NULL, is_not_enabled, "rusticl",
      "its only OpenCL driver is Mesa's rusticl, and RUSTICL_ENABLE is \"{rusticl_enable}\"",
      "export RUSTICL_ENABLE={rusticl}" },
    { NULL, has_other_generation, "intel_chip",
      "it is {architecture}, and Intel's OpenCL driver {version} does not serve it: {serving}",
      "{install other_package}" },
    { NULL, always, NULL,
      "its kernel driver {driver} and its OpenCL driver {library} are installed, but OpenCL does not show it: {reason}",
      "clinfo   # and the kernel's log: sudo dmesg" },
};

static void add_vendor(struct facts *facts, unsigned vendor, const struct adapter *adapter)
{
    const struct opencl_packages packages = opencl_packages_read(facts->view->root);
    const struct intel_chip chip = intel_chip_find(adapter->device);
    const char *const opencl[] = { opencl_package_of(&packages, &chip), packages.amd, "nvidia-opencl" };
    for (unsigned i = 0; i < sizeof vendor_facts / sizeof *vendor_facts; i++)
        fact_set(facts, vendor_facts[i].name, vendor_facts[i].of[vendor]);
    fact_set(facts, "opencl_package", opencl[vendor]);
    if (vendor == NVIDIA)
        fact_set(facts, "node", "/dev/nvidiactl");
    else if (*adapter->render_node)
        fact_format(facts, "node", "/dev/dri/%s", adapter->render_node);
    if (vendor == INTEL)
        fact_format(facts, "intel_chip", "%x", adapter->device);
}

static void adapter_diagnose(struct diagnosis *out, const struct adapter *adapter, const char *devices,
                             const struct machine_view *view, const struct drivers *drivers)
{
    const struct driver *opencl = drivers_find(drivers, adapter->vendor);
    const char *container = machine_view_container(view), *enabled = view->variable("RUSTICL_ENABLE");
    char subject[160];
    struct facts facts = { .view = view, .subject = subject };
    snprintf(subject, sizeof subject, "%.128s at %.15s", adapter->name, adapter->pci);
    fact_set(&facts, "devices", devices);
    fact_set(&facts, "emulation", adapter_emulation(adapter));
    fact_set(&facts, "driver", adapter->driver);
    fact_format(&facts, "bound", "%s%s", *adapter->driver ? "its kernel driver is " : "no kernel driver is bound",
                adapter->driver);
    fact_set(&facts, "container", container);
    fact_set(&facts, "restart", container ? "docker restart CONTAINER" : "sudo reboot");
    fact_set(&facts, "chosen", view->variable("OCL_ICD_VENDORS"));
    fact_set(&facts, "icd", opencl ? opencl->source : NULL);
    fact_set(&facts, "library", opencl ? opencl->library : NULL);
    fact_set(&facts, "reason", opencl && opencl->reason ? opencl->reason : "the reason is not known");
    fact_set(&facts, "failure", opencl && opencl->is_faulty ? opencl->reason : NULL);
    if (opencl && driver_is_rusticl(opencl)) /* the backend sets what is not set */
        fact_set(&facts, "rusticl_enable", enabled ? enabled : "iris,radeonsi");
    for (unsigned i = 0; i < VENDORS; i++)
        if (vendor_ids[i] == adapter->vendor)
            add_vendor(&facts, i, adapter);
    findings_add(out, rules, sizeof rules / sizeof *rules, &facts);
}

static bool is_at(const struct device *device, const struct adapter *adapter)
{
    return strncmp(device->silicon, "pci ", 4) == 0 && strcasecmp(device->silicon + 4, adapter->pci) == 0;
}

/* A device with an unknown place is taken for its vendor's first adapter that this API does not show yet. */
static bool may_be(const struct device *device, const struct adapter *adapter, const char *shown)
{
    return device->class != CLASS_CPU && strncmp(device->silicon, "pci ", 4) != 0 && !strstr(shown, device->backend) &&
           adapter_vendor_is(adapter, device->vendor, device->name) && !adapter_emulation(adapter);
}

void adapters_diagnose(struct diagnosis *out, const struct machine_view *view, const struct drivers *drivers)
{
    struct adapter adapter[ADAPTERS_MAX];
    char shown[ADAPTERS_MAX][96] = { "" }; /* the devices that are this adapter: "opencl:0, cuda:0" */
    const unsigned count = adapters_read(view->root, adapter);
    const struct listing *listing = view->listing;
    for (unsigned d = 0; d < listing->devices; d++)
        for (unsigned i = 0; i < count; i++)
            if (is_at(&listing->device[d], &adapter[i]))
                text_join(shown[i], sizeof shown[i], ", ", listing->device[d].id);
    for (unsigned d = 0; d < listing->devices; d++)
        for (unsigned i = 0; i < count; i++)
            if (may_be(&listing->device[d], &adapter[i], shown[i])) {
                text_join(shown[i], sizeof shown[i], ", ", listing->device[d].id);
                break;
            }
    for (unsigned i = 0; i < count; i++)
        adapter_diagnose(out, &adapter[i], shown[i], view, drivers);
}
