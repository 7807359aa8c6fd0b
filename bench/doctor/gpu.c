#include "bench/doctor/diagnosis.h"
#include "bench/doctor/install_hint.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"
#include "harness/machine/gpu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The drivers for the adapters of one vendor. Lists of words have blanks between them. */
struct vendor {
    unsigned id;
    const char *module, *modules;     /* the usual one of the kernel, and all that can compute */
    const char *firmware;             /* the folder of the firmware that they load */
    enum install_hint without_driver; /* if the kernel driver or its firmware is missing */
    const char *rusticl;              /* what RUSTICL_ENABLE must name */
    const char *hiding;               /* variables that hide devices */
};

static const struct vendor vendors[] = {
    { VENDOR_INTEL, "i915", "i915 xe", "/lib/firmware/i915", HINT_INTEL_FIRMWARE, "iris",
      "ZE_AFFINITY_MASK ONEAPI_DEVICE_SELECTOR" },
    { VENDOR_AMD, "amdgpu", "amdgpu radeon", "/lib/firmware/amdgpu", HINT_AMD_FIRMWARE, "radeonsi",
      "ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL" },
    { VENDOR_NVIDIA, "nvidia", "nvidia", NULL, HINT_NVIDIA_DRIVER, "nouveau",
      "CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES" },
};

/* An adapter that no API shows. */
struct gpu {
    const struct machine_view *view;
    const struct adapter *adapter;
    const struct vendor *vendor;      /* NULL: unknown */
    const struct driver_file *opencl; /* NULL: no driver file serves the vendor */
};

/* Whether this is the cause; fills the finding if so. */
typedef bool cause(const struct gpu *gpu, struct finding *out);

static bool is_nvidia(const struct gpu *gpu)
{
    return gpu->adapter->vendor == VENDOR_NVIDIA;
}

static bool is_emulated(const struct gpu *gpu, struct finding *out)
{
    const char *emulation = adapter_emulation(gpu->adapter);
    return emulation && finding_fine(out, "a display adapter that cannot compute (%s)", emulation);
}

static bool is_passed_through(const struct gpu *gpu, struct finding *out)
{
    const char *driver = gpu->adapter->driver;
    return (strcmp(driver, "vfio-pci") == 0 || strcmp(driver, "pci-stub") == 0) &&
           finding_fine(out, "reserved for virtual machines (kernel driver %s)", driver);
}

static bool has_unknown_vendor(const struct gpu *gpu, struct finding *out)
{
    const char *driver = gpu->adapter->driver;
    return !gpu->vendor && finding_fine(out, "no API shows it, and the drivers of its vendor are not known%s%s",
                                        *driver ? "; kernel driver: " : "", driver);
}

static bool is_without_modesetting(const struct gpu *gpu, struct finding *out)
{
    char line[4096];
    bool has_line = host_line(gpu->view->root, "/proc/cmdline", line, sizeof line);
    if (*gpu->adapter->driver || is_nvidia(gpu) || !has_line || !text_has_word(line, "nomodeset"))
        return false;
    return finding_mend(out, "sudo sed -i 's/ *nomodeset//' /etc/default/grub && sudo update-grub && sudo reboot",
                        "no kernel driver is bound, because the kernel was started with nomodeset (/proc/cmdline)");
}

static bool runs_on_nouveau(const struct gpu *gpu, struct finding *out)
{
    return strcmp(gpu->adapter->driver, "nouveau") == 0 &&
           finding_mend(out, install_hint(gpu->view, HINT_NVIDIA_DRIVER).text,
                        "its kernel driver is nouveau; OpenCL and CUDA of NVIDIA need NVIDIA's own driver");
}

/* Either the firmware is missing, or the driver, or neither: then the kernel's log has the reason. */
static bool lacks_kernel_driver(const struct gpu *gpu, struct finding *out)
{
    const char *firmware = gpu->vendor->firmware, *module = gpu->vendor->module;
    struct command install = install_hint(gpu->view, gpu->vendor->without_driver);
    char bound[64] = "no kernel driver is bound", path[64];
    if (*gpu->adapter->driver && text_has_word(gpu->vendor->modules, gpu->adapter->driver))
        return false;
    if (*gpu->adapter->driver)
        snprintf(bound, sizeof bound, "its kernel driver is %s", gpu->adapter->driver);
    snprintf(path, sizeof path, "/sys/module/%s", module);
    if (firmware && !machine_view_has(gpu->view, firmware))
        return finding_mend(out, install.text, "%s, and the firmware that %s loads is not installed (%s)", bound,
                            module, firmware);
    if (!machine_view_has(gpu->view, path))
        return finding_mend(out, firmware ? command_format("sudo modprobe %s", module).text : install.text,
                            "%s, and the module %s is not loaded", bound, module);
    return finding_mend(out, command_format("sudo dmesg | grep -i %s", module).text,
                        "%s, but the module %s is loaded: the kernel may be older than the adapter; its log has the "
                        "reason",
                        bound, module);
}

/* The device node that a program opens; "" if the driver made none. */
static void node_of(const struct gpu *gpu, char to[64])
{
    const char *render = gpu->adapter->render_node;
    if (is_nvidia(gpu))
        snprintf(to, 64, "/dev/nvidiactl");
    else
        snprintf(to, 64, "%s%s", *render ? "/dev/dri/" : "", render);
}

static bool lacks_device_node(const struct gpu *gpu, struct finding *out)
{
    const char *container = machine_view_container(gpu->view), *driver = gpu->adapter->driver;
    char node[64];
    node_of(gpu, node);
    if (!*node)
        return finding_mend(out, command_format("sudo dmesg | grep -i %s", driver).text,
                            "its kernel driver %s made no render node for it; the kernel's log has the reason", driver);
    if (machine_view_has(gpu->view, node))
        return false;
    if (container)
        return finding_mend(out,
                            is_nvidia(gpu) ? "docker run --gpus all ...   # with nvidia-container-toolkit on the host"
                                           : "docker run --device /dev/dri ...   # podman takes the same option",
                            "this is a container (%s), and it was not given %s", container, node);
    return finding_mend(out,
                        is_nvidia(gpu) ? "sudo nvidia-modprobe -c 0 -u" : "sudo udevadm trigger --subsystem-match=drm",
                        "its kernel driver is %s, and there is no %s", driver, node);
}

static bool lacks_permission(const struct gpu *gpu, struct finding *out)
{
    const char *group = is_nvidia(gpu) ? "video" : "render";
    char node[64], full[512];
    node_of(gpu, node);
    snprintf(full, sizeof full, "%.400s%s", gpu->view->root, node);
    if (gpu->view->may_use(full))
        return false;
    struct command command =
        command_format("sudo usermod -aG %s $USER   # or the group that `ls -l %s` names; then log in again", group,
                       is_nvidia(gpu) ? "/dev/nvidia*" : "/dev/dri");
    return finding_mend(out, command.text, "you have no access to %s, which belongs to the group %s%s", node, group,
                        is_nvidia(gpu) ? "" : " or video");
}

/* Versions of NVIDIA's kernel module and of its libraries. */
struct versions {
    char module[32], library[32]; /* of the first library */
    bool has_match;               /* one library is of the module's version; others may be left from before */
};

/* NVIDIA's libraries have their version behind their name. */
static void take_version(void *context, const char *root, const char *path)
{
    (void)root;
    struct versions *versions = context;
    const char *found = strstr(path, ".so.");
    if (!found || !strchr(found + 4, '.'))
        return;
    versions->has_match |= strcmp(found + 4, versions->module) == 0;
    if (!*versions->library)
        text_clean(versions->library, sizeof versions->library, found + 4);
}

/* After an upgrade of the package the old module stays loaded until the next start. */
static bool has_two_versions(const struct gpu *gpu, struct finding *out)
{
    static const char *const libraries[] = { "/usr/lib/*-linux-*/libcuda.so.*", "/usr/lib64/libcuda.so.*",
                                             "/usr/lib/libcuda.so.*", "/usr/lib/*-linux-*/nvidia/current/libcuda.so.*",
                                             "/usr/lib/*-linux-*/libnvidia-ml.so.*" };
    struct versions versions = { .has_match = false };
    if (!is_nvidia(gpu))
        return false;
    host_line(gpu->view->root, "/sys/module/nvidia/version", versions.module, sizeof versions.module);
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
        host_each(gpu->view->root, libraries[i], take_version, &versions);
    if (!*versions.module || !*versions.library || versions.has_match)
        return false;
    return finding_mend(out, machine_view_container(gpu->view) ? "docker restart CONTAINER" : "sudo reboot",
                        "NVIDIA's kernel module has version %s and the library version %s: one was upgraded while the "
                        "other was in use",
                        versions.module, versions.library);
}

static bool is_hidden(const struct gpu *gpu, struct finding *out)
{
    char name[32];
    int used;
    for (const char *rest = gpu->vendor->hiding; sscanf(rest, "%31s%n", name, &used) == 1; rest += used) {
        const char *value = gpu->view->variable(name);
        if (value && strcmp(value, "all") != 0)
            return finding_mend(out, command_format("unset %s", name).text,
                                "%s is \"%.60s\", which hides devices from programs", name, value);
    }
    return false;
}

/* The command that installs the OpenCL driver for it. */
static struct command opencl_install(const struct gpu *gpu)
{
    const struct opencl_packages packages = opencl_packages_read(gpu->view->root);
    const struct intel_chip chip = intel_chip_find(gpu->adapter->device);
    if (is_nvidia(gpu))
        return install_hint(gpu->view, HINT_NVIDIA_OPENCL);
    return install_opencl(gpu->view,
                          gpu->adapter->vendor == VENDOR_INTEL ? opencl_package_of(&packages, &chip) : packages.amd);
}

static bool lacks_opencl(const struct gpu *gpu, struct finding *out)
{
    const char *chosen = gpu->view->variable("OCL_ICD_VENDORS");
    if (gpu->opencl)
        return false;
    if (chosen && *chosen)
        return finding_mend(out, "unset OCL_ICD_VENDORS",
                            "OCL_ICD_VENDORS is \"%.100s\", and no driver there is for this adapter", chosen);
    return finding_mend(out, opencl_install(gpu).text,
                        "its kernel driver is %s, but no OpenCL driver for it is installed (there is no .icd file for "
                        "it in /etc/OpenCL/vendors)",
                        gpu->adapter->driver);
}

static bool lacks_opencl_library(const struct gpu *gpu, struct finding *out)
{
    return !gpu->opencl->has_library &&
           finding_mend(out, opencl_install(gpu).text, "%s names the driver %s, which does not exist",
                        gpu->opencl->path, gpu->opencl->library);
}

/* The OpenCL backend sets RUSTICL_ENABLE to iris,radeonsi if it is not set. */
static bool is_not_enabled(const struct gpu *gpu, struct finding *out)
{
    const char *value = gpu->view->variable("RUSTICL_ENABLE"), *name = gpu->vendor->rusticl;
    return driver_file_is_rusticl(gpu->opencl) && !strstr(value ? value : "iris,radeonsi", name) &&
           finding_mend(out, command_format("export RUSTICL_ENABLE=%s", name).text,
                        "its only OpenCL driver is Mesa's rusticl, and RUSTICL_ENABLE %s%.60s%s",
                        value ? "is \"" : "is not set: it does not name ", value ? value : name, value ? "\"" : "");
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

/* The installed version is Debian's to tell; elsewhere it is taken for that of the release. */
static bool has_other_generation(const struct gpu *gpu, struct finding *out)
{
    const struct intel_chip chip = intel_chip_find(gpu->adapter->device);
    struct opencl_packages packages = opencl_packages_read(gpu->view->root);
    char version[64];
    package_version(gpu->view, "intel-opencl-icd", version, sizeof version);
    if (!*version && packages.intel_version > 0)
        snprintf(version, sizeof version, "%.2f", packages.intel_version);
    if (gpu->adapter->vendor != VENDOR_INTEL || driver_file_is_rusticl(gpu->opencl) || !*version ||
        intel_chip_is_served(&chip, strtod(version, NULL)) || strcasestr(gpu->opencl->library, "legacy"))
        return false;
    *packages.intel = '\0'; /* it is installed */
    const bool is_old = strtod(version, NULL) >= chip.end;
    char served[32] = "no version does";
    if (chip.first < 99.99)
        snprintf(served, sizeof served, "versions %s %.2f do", is_old ? "before" : "from",
                 is_old ? chip.end : chip.first);
    return finding_mend(out, install_opencl(gpu->view, opencl_package_of(&packages, &chip)).text,
                        "it is %s, and Intel's OpenCL driver %s does not serve it: %s", chip.architecture, version,
                        served);
}

/* The last cause: the reason that the driver itself gave. */
static bool is_not_shown(const struct gpu *gpu, struct finding *out)
{
    const char *reason = machine_view_absence(gpu->view, gpu->opencl->path);
    return finding_mend(
        out, "clinfo   # and the kernel's log: sudo dmesg",
        "its kernel driver %s and its OpenCL driver %s are installed, but OpenCL does not show it%s%.200s",
        gpu->adapter->driver, gpu->opencl->library, reason ? ": " : "; the reason is not known", reason ? reason : "");
}

void gpu_diagnose(struct finding *out, const struct machine_view *view, const struct driver_files *files,
                  const struct adapter *adapter)
{
    /* From the hardware upwards; each relies on those before it. */
    static cause *const causes[] = {
        is_emulated,         is_passed_through,    has_unknown_vendor, is_without_modesetting, runs_on_nouveau,
        lacks_kernel_driver, lacks_device_node,    lacks_permission,   has_two_versions,       is_hidden,
        lacks_opencl,        lacks_opencl_library, is_not_enabled,     has_other_generation,   is_not_shown,
    };
    struct gpu gpu = { .view = view, .adapter = adapter, .opencl = driver_files_find(files, adapter->vendor) };
    for (unsigned i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (vendors[i].id == adapter->vendor)
            gpu.vendor = &vendors[i];
    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i](&gpu, out))
            return;
}
