/* Why no API shows an adapter: causes from the hardware upwards, the first that there is evidence of is told. */

#include "bench/doctor/gpu.h"

#include "bench/doctor/driver_file.h"
#include "bench/doctor/install_hint.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What serves a vendor's adapters. */
struct maker {
    unsigned vendor;
    const char *modules[3];         /* of the kernel, those that compute */
    const char *firmware;           /* folder of what they load into the hardware */
    enum install_hint on_no_driver; /* where the firmware is missing, or the driver as a whole */
    enum install_hint on_no_opencl; /* where nothing serves it */
    const char *rusticl;            /* what RUSTICL_ENABLE has to name */
    const char *hiding[4];          /* variables that hide devices */
};

static const struct maker makers[] = {
    { VENDOR_INTEL,
      { "i915", "xe" },
      "/lib/firmware/i915",
      HINT_INTEL_FIRMWARE,
      HINT_INTEL_OPENCL,
      "iris",
      { "ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR" } },
    { VENDOR_AMD,
      { "amdgpu", "radeon" },
      "/lib/firmware/amdgpu",
      HINT_AMD_FIRMWARE,
      HINT_AMD_OPENCL,
      "radeonsi",
      { "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL" } },
    { VENDOR_NVIDIA,
      { "nvidia" },
      NULL,
      HINT_NVIDIA_DRIVER,
      HINT_NVIDIA_OPENCL,
      "nouveau",
      { "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES" } },
};

/* An adapter that nothing shows, and what is known of its surroundings. */
struct unseen {
    const struct machine_view *machine_view;
    const struct adapter *adapter;
    const struct maker *maker; /* NULL: no vendor that this knows */
    struct driver_file driver_file[ICDS_MAX];
    unsigned driver_files;
    char where[160]; /* the .icd files were looked for */
};

/* Whether this is it; fills the finding if so. */
typedef bool cause(const struct unseen *unseen, struct finding *out);

static bool is_emulated(const struct unseen *unseen, struct finding *out)
{
    const char *emulation = adapter_emulation(unseen->adapter);
    if (emulation)
        finding_fine(out, "a display adapter that computes nothing (%s)", emulation);
    return emulation != NULL;
}

static bool is_set_aside(const struct unseen *unseen, struct finding *out)
{
    const char *driver = unseen->adapter->driver;
    if (strcmp(driver, "vfio-pci") != 0 && strcmp(driver, "pci-stub") != 0)
        return false;
    finding_fine(out, "set aside for virtual machines (its kernel driver is %s)", driver);
    return true;
}

static bool is_of_no_maker(const struct unseen *unseen, struct finding *out)
{
    const char *driver = unseen->adapter->driver;
    if (unseen->maker)
        return false;
    finding_fine(out, "no API shows it, and nothing is known here of drivers for its vendor%s%s",
                 *driver ? "; its kernel driver is " : "", driver);
    return true;
}

static bool is_without_modesetting(const struct unseen *unseen, struct finding *out)
{
    char line[4096];
    bool has_line = host_line(unseen->machine_view->root, "/proc/cmdline", line, sizeof line);
    if (*unseen->adapter->driver || !has_line || !text_has_word(line, "nomodeset") ||
        unseen->adapter->vendor == VENDOR_NVIDIA)
        return false;
    finding_mend(out, "sudo sed -i 's/ *nomodeset//' /etc/default/grub && sudo update-grub && sudo reboot",
                 "no kernel driver is bound, because the kernel was started with nomodeset (/proc/cmdline)");
    return true;
}

static bool is_by_nouveau(const struct unseen *unseen, struct finding *out)
{
    char command[COMMAND_ROOM];
    if (strcmp(unseen->adapter->driver, "nouveau") != 0)
        return false;
    finding_mend(out, install_hint_command(unseen->machine_view, HINT_NVIDIA_DRIVER, command),
                 "its kernel driver is nouveau, on which NVIDIA's OpenCL and CUDA cannot work; they want NVIDIA's own");
    return true;
}

static bool has_own_driver(const struct unseen *unseen)
{
    for (const char *const *module = unseen->maker->modules; *module; module++)
        if (strcmp(*module, unseen->adapter->driver) == 0)
            return true;
    return false;
}

/* By what is missing: the firmware that the driver loads, the driver itself, or neither, which a look at the kernel's
 * messages tells. */
static bool is_without_driver(const struct unseen *unseen, struct finding *out)
{
    const struct maker *maker = unseen->maker;
    char command[COMMAND_ROOM], bound[64] = "no kernel driver is bound", module[64];
    if (has_own_driver(unseen))
        return false;
    if (*unseen->adapter->driver)
        snprintf(bound, sizeof bound, "its kernel driver is %s", unseen->adapter->driver);
    snprintf(module, sizeof module, "/sys/module/%s", maker->modules[0]);
    bool is_loaded = machine_view_has(unseen->machine_view, module);
    if (maker->firmware && !machine_view_has(unseen->machine_view, maker->firmware))
        finding_mend(out, install_hint_command(unseen->machine_view, maker->on_no_driver, command),
                     "%s, and the firmware that %s loads is not installed (%s)", bound, maker->modules[0],
                     maker->firmware);
    else if (!maker->firmware && !is_loaded)
        finding_mend(out, install_hint_command(unseen->machine_view, maker->on_no_driver, command),
                     "%s, and the module %s is not loaded", bound, maker->modules[0]);
    else if (!is_loaded) {
        snprintf(command, sizeof command, "sudo modprobe %s", maker->modules[0]);
        finding_mend(out, command, "%s, and the module %s is not loaded", bound, maker->modules[0]);
    } else {
        snprintf(command, sizeof command, "sudo dmesg | grep -i %s", maker->modules[0]);
        finding_mend(out, command,
                     "%s, though the module %s is loaded: this kernel may be older than the adapter, and its messages "
                     "say why",
                     bound, maker->modules[0]);
    }
    return true;
}

/* What a program opens to reach it; "" where the driver made none. */
static void node_of(const struct unseen *unseen, char to[64])
{
    const char *render = unseen->adapter->render_node;
    if (unseen->adapter->vendor == VENDOR_NVIDIA)
        snprintf(to, 64, "/dev/nvidiactl");
    else
        snprintf(to, 64, "%s%s", *render ? "/dev/dri/" : "", render);
}

static bool is_without_node(const struct unseen *unseen, struct finding *out)
{
    bool is_nvidia = unseen->adapter->vendor == VENDOR_NVIDIA;
    const char *container = machine_view_container(unseen->machine_view);
    char node[64], command[COMMAND_ROOM];
    node_of(unseen, node);
    snprintf(command, sizeof command, "sudo dmesg | grep -i %s", unseen->adapter->driver);
    if (!*node)
        finding_mend(out, command, "its kernel driver %s made no render node for it, and its messages say why",
                     unseen->adapter->driver);
    else if (machine_view_has(unseen->machine_view, node))
        return false;
    else if (container && is_nvidia)
        finding_mend(out, "docker run --gpus all ...   # with nvidia-container-toolkit on the host",
                     "this is a container (%s), and it was not given %s", container, node);
    else if (container)
        finding_mend(out, "docker run --device /dev/dri ...   # podman takes the same option",
                     "this is a container (%s), and it was not given %s", container, node);
    else
        finding_mend(out, is_nvidia ? "sudo nvidia-modprobe -c 0 -u" : "sudo udevadm trigger --subsystem-match=drm",
                     "its kernel driver is %s, and there is no %s", unseen->adapter->driver, node);
    return true;
}

static bool is_forbidden(const struct unseen *unseen, struct finding *out)
{
    char node[64], full[512];
    node_of(unseen, node);
    snprintf(full, sizeof full, "%.400s%s", unseen->machine_view->root, node);
    if (unseen->machine_view->may_use(full))
        return false;
    if (unseen->adapter->vendor == VENDOR_NVIDIA)
        finding_mend(out,
                     "sudo usermod -aG video $USER   # or the group that `ls -l /dev/nvidia*` names; then log in again",
                     "you may not use %s, which belongs to the group video", node);
    else
        finding_mend(out,
                     "sudo usermod -aG render $USER   # or the group that `ls -l /dev/dri` names; then log in again",
                     "you may not use %s, which belongs to the group render or video", node);
    return true;
}

/* Of NVIDIA's kernel module, and of the first library of another version. */
struct versions {
    char module[32], library[32];
    bool has_fitting; /* library; others may be left from an installation before */
};

/* A library with its version behind its name, as drivers of NVIDIA have it. */
static void take_version(void *context, const char *root, const char *path)
{
    (void)root;
    struct versions *versions = context;
    const char *found = strstr(path, ".so.");
    if (!found || !strchr(found + 4, '.'))
        return;
    versions->has_fitting |= strcmp(found + 4, versions->module) == 0;
    if (!*versions->library)
        text_clean(versions->library, sizeof versions->library, found + 4);
}

/* The module stays what it was when a package was upgraded, until the next start. */
static bool is_of_two_versions(const struct unseen *unseen, struct finding *out)
{
    static const char *const libraries[] = { "/usr/lib/*-linux-*/libcuda.so.*", "/usr/lib64/libcuda.so.*",
                                             "/usr/lib/libcuda.so.*", "/usr/lib/*-linux-*/nvidia/current/libcuda.so.*",
                                             "/usr/lib/*-linux-*/libnvidia-ml.so.*" };
    struct versions versions = { .has_fitting = false };
    if (unseen->adapter->vendor != VENDOR_NVIDIA)
        return false;
    host_line(unseen->machine_view->root, "/sys/module/nvidia/version", versions.module, sizeof versions.module);
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
        host_each(unseen->machine_view->root, libraries[i], take_version, &versions);
    if (!*versions.module || !*versions.library || versions.has_fitting)
        return false;
    finding_mend(out, machine_view_container(unseen->machine_view) ? "docker restart CONTAINER" : "sudo reboot",
                 "the kernel module is NVIDIA's %s and the library %s: one was upgraded while the other was in use",
                 versions.module, versions.library);
    return true;
}

static bool is_hidden(const struct unseen *unseen, struct finding *out)
{
    char command[COMMAND_ROOM];
    for (const char *const *name = unseen->maker->hiding; *name; name++) {
        const char *value = unseen->machine_view->variable(*name);
        if (!value || strcmp(value, "all") == 0)
            continue;
        snprintf(command, sizeof command, "unset %s", *name);
        finding_mend(out, command, "%s is \"%.60s\", which hides devices from programs", *name, value);
        return true;
    }
    return false;
}

/* The first .icd file that serves the adapter, rusticl's last; NULL where there is none. */
static const struct driver_file *serving(const struct unseen *unseen)
{
    const struct driver_file *found = NULL;
    for (unsigned i = 0; i < unseen->driver_files; i++) {
        const struct driver_file *driver_file = &unseen->driver_file[i];
        if (driver_file_serves(driver_file, unseen->adapter->vendor) && (!found || driver_file_is_rusticl(found)))
            found = driver_file;
    }
    return found;
}

static bool is_unserved(const struct unseen *unseen, struct finding *out)
{
    char command[COMMAND_ROOM];
    const char *chosen = unseen->machine_view->variable("OCL_ICD_VENDORS");
    if (serving(unseen))
        return false;
    if (chosen && *chosen)
        finding_mend(out, "unset OCL_ICD_VENDORS", "OCL_ICD_VENDORS is \"%.100s\", where no driver is for it", chosen);
    else
        finding_mend(out, install_hint_command(unseen->machine_view, unseen->maker->on_no_opencl, command),
                     "its kernel driver is %s, and no OpenCL driver for it is installed (no such .icd file in "
                     "/etc/OpenCL/vendors)",
                     unseen->adapter->driver);
    return true;
}

static bool is_served_by_nothing(const struct unseen *unseen, struct finding *out)
{
    char command[COMMAND_ROOM];
    const struct driver_file *driver_file = serving(unseen);
    if (driver_file->is_there)
        return false;
    finding_mend(out, install_hint_command(unseen->machine_view, unseen->maker->on_no_opencl, command),
                 "%s names the driver %s, which is not there", driver_file->path, driver_file->library);
    return true;
}

/* This program lets rusticl use radeonsi where nobody says anything. */
static bool is_not_enabled(const struct unseen *unseen, struct finding *out)
{
    char command[COMMAND_ROOM];
    const char *value = unseen->machine_view->variable("RUSTICL_ENABLE"), *enabled = value ? value : "radeonsi";
    if (!driver_file_is_rusticl(serving(unseen)) || strstr(enabled, unseen->maker->rusticl))
        return false;
    snprintf(command, sizeof command, "export RUSTICL_ENABLE=%s", unseen->maker->rusticl);
    finding_mend(out, command, "its only OpenCL driver is Mesa's rusticl, and RUSTICL_ENABLE %s%.60s%s",
                 value ? "is \"" : "is not set: it does not name ", value ? value : unseen->maker->rusticl,
                 value ? "\"" : "");
    return true;
}

/* Of a package, by Debian's list of what is installed; "" unknown. */
static void package_version(const struct unseen *unseen, const char *package, char *to, size_t room)
{
    char line[512], wanted[96];
    bool is_it = false;
    FILE *file = host_open(unseen->machine_view->root, "/var/lib/dpkg/status");
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

/* 24.35 was the last of Intel's drivers that knew its generations 8, 9 and 11 (LEGACY_PLATFORMS.md of its compute
 * runtime); 24.48 the first that was good for Xe2 (its release notes). */
static bool is_of_another_generation(const struct unseen *unseen, struct finding *out)
{
    enum { LAST_OF_OLD = 2435, FIRST_OF_XE2 = 2448 };
    const char *architecture = adapter_intel_architecture(unseen->adapter->device);
    char version[64], command[COMMAND_ROOM];
    unsigned year, week;
    package_version(unseen, "intel-opencl-icd", version, sizeof version);
    if (unseen->adapter->vendor != VENDOR_INTEL || driver_file_is_rusticl(serving(unseen)) ||
        sscanf(version, "%u.%u", &year, &week) != 2 || strcasestr(serving(unseen)->library, "legacy"))
        return false;
    bool is_old = strncmp(architecture, "intel gen", 9) == 0, is_new = strcmp(architecture, "intel xe2") == 0;
    if (is_old && 100 * year + week > LAST_OF_OLD)
        finding_mend(out, install_hint_command(unseen->machine_view, HINT_INTEL_LEGACY, command),
                     "it is of generation %s, and intel-opencl-icd %s serves none before 12; where no such package is: "
                     "github.com/intel/compute-runtime/releases/tag/24.35.30872.22",
                     architecture + 9, version);
    else if (is_new && 100 * year + week < FIRST_OF_XE2)
        finding_mend(out, "# install a newer intel-opencl-icd: github.com/intel/compute-runtime/releases",
                     "it is of generation Xe2, and intel-opencl-icd %s is older than 24.48, which serves it", version);
    else
        return false;
    return true;
}

/* What the driver itself said when it was listed. */
static bool is_shown_nothing(const struct unseen *unseen, struct finding *out)
{
    const struct driver_file *driver_file = serving(unseen);
    const char *reason = machine_view_told_of(unseen->machine_view, driver_file->path);
    finding_mend(out, "clinfo   # and the messages of the kernel: sudo dmesg",
                 "its kernel driver is %s and its OpenCL driver %s is there, but does not show it%s%.200s",
                 unseen->adapter->driver, driver_file->library, reason ? ": " : "; no reason is known",
                 reason ? reason : "");
    return true;
}

void diagnosis_unseen(struct finding *out, const struct machine_view *machine_view, const struct adapter *adapter)
{
    static cause *const causes[] = {
        is_emulated,       is_set_aside,         is_of_no_maker, is_without_modesetting,   is_by_nouveau,
        is_without_driver, is_without_node,      is_forbidden,   is_of_two_versions,       is_hidden,
        is_unserved,       is_served_by_nothing, is_not_enabled, is_of_another_generation, is_shown_nothing,
    };
    struct unseen unseen = { .machine_view = machine_view, .adapter = adapter };
    for (unsigned i = 0; i < sizeof makers / sizeof *makers; i++)
        if (makers[i].vendor == adapter->vendor)
            unseen.maker = &makers[i];
    unseen.driver_files = driver_files_read(machine_view, unseen.driver_file, unseen.where, sizeof unseen.where);
    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i](&unseen, out))
            return;
}
