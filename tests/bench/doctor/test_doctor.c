/* Recorded machines, each with a problem that must be found. */

#include "bench/doctor/doctor.h"
#include "bench/doctor/finding.h"
#include "harness/machine/adapter.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The content of a device node that the caller may not use. */
static const char forbidden[] = "forbidden";

static bool may_use(const char *path)
{
    char line[16] = "";
    FILE *file = fopen(path, "r");
    bool is_read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    return !is_read || strcmp(line, forbidden) != 0;
}

static char *nothing_set(const char *name)
{
    (void)name;
    return NULL;
}

#define PCI(place) "/sys/bus/pci/devices/" place "/"
#define UHD_620                                                                                                        \
    { PCI("0000:00:02.0") "class", "0x030000\n" }, { PCI("0000:00:02.0") "vendor", "0x8086\n" },                       \
    {                                                                                                                  \
        PCI("0000:00:02.0") "device", "0x5917\n"                                                                       \
    }
#define BY(place, driver)                                                                                              \
    {                                                                                                                  \
        PCI(place) "uevent", "DRIVER=" driver "\nPCI_CLASS=30000\n"                                                    \
    }
#define NODE(place, node)                                                                                              \
    {                                                                                                                  \
        PCI(place) "drm/" node "/dev", "226:128\n"                                                                     \
    }
#define RADEON                                                                                                         \
    { PCI("0000:0a:00.0") "class", "0x030000\n" }, { PCI("0000:0a:00.0") "vendor", "0x1002\n" },                       \
        { PCI("0000:0a:00.0") "device", "0x73bf\n" }, BY("0000:0a:00.0", "amdgpu"),                                    \
        NODE("0000:0a:00.0", "renderD128"),                                                                            \
    {                                                                                                                  \
        "/dev/dri/renderD128", ""                                                                                      \
    }
#define GEFORCE                                                                                                        \
    { PCI("0000:01:00.0") "class", "0x030200\n" }, { PCI("0000:01:00.0") "vendor", "0x10de\n" },                       \
    {                                                                                                                  \
        PCI("0000:01:00.0") "device", "0x2684\n"                                                                       \
    }
#define DEBIAN                                                                                                         \
    {                                                                                                                  \
        "/etc/os-release", "PRETTY_NAME=\"Debian\"\nID=debian\nVERSION_CODENAME=bookworm\n"                            \
    }
#define UBUNTU                                                                                                         \
    {                                                                                                                  \
        "/etc/os-release", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"                                                 \
    }
#define ICD(name, library)                                                                                             \
    { "/etc/OpenCL/vendors/" name ".icd", library "\n" },                                                              \
    {                                                                                                                  \
        "/usr/lib/x86_64-linux-gnu/" library, ""                                                                       \
    }

/* The finding whose subject contains this. */
static const struct finding *find(const struct diagnosis *diagnosis, const char *about)
{
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (strstr(diagnosis->finding[i].subject, about))
            return &diagnosis->finding[i];
    cr_assert(false, "no finding about '%s'", about);
    return NULL;
}

static void expect_mend(const struct diagnosis *diagnosis, const char *about, const char *says, const char *command)
{
    const struct finding *finding = find(diagnosis, about);
    cr_expect(!finding->is_fine, "%s is called fine: %s", about, finding->text);
    cr_expect(strstr(finding->text, says), "'%s' does not say '%s'", finding->text, says);
    cr_expect(strstr(finding->command, command), "'%s' is not '%s'", finding->command, command);
}

static void expect_fine(const struct diagnosis *diagnosis, const char *about, const char *says)
{
    const struct finding *finding = find(diagnosis, about);
    cr_expect(finding->is_fine, "%s: %s", finding->text, finding->command);
    cr_expect(strstr(finding->text, says), "'%s' does not say '%s'", finding->text, says);
}

static bool is_listed(const json_t *absent, const char *source)
{
    const json_t *line;
    size_t i;
    json_array_foreach (absent, i, line)
        if (strcmp(json_string_value(json_object_get(line, "source")), source) == 0)
            return true;
    return false;
}

/* The listing has a line for each .icd file of the machine, as that of a driver without a platform. */
static struct diagnosis tried(const struct record_file files[], const struct listing *listing,
                              char *(*variable)(const char *name), const struct probe *probe)
{
    struct listing whole = { .devices = 0 };
    struct tree tree = tree_make(files);
    const struct machine_view view = { tree.root, &whole, may_use, variable ? variable : nothing_set, probe, "" };
    struct diagnosis diagnosis;
    if (listing)
        whole = *listing;
    whole.absent = listing && listing->absent ? json_copy(listing->absent) : json_array();
    for (unsigned i = 0; files[i].path; i++)
        if (strstr(files[i].path, ".icd") && !is_listed(whole.absent, files[i].path))
            json_array_append_new(whole.absent,
                                  json_pack("{s:s, s:s, s:s, s:s}", "backend", "opencl", "source", files[i].path,
                                            "status", "unsupported", "reason", "a driver without a platform"));
    diagnosis_make(&diagnosis, &view);
    for (unsigned i = 0; i < diagnosis.findings; i++)
        cr_expect(!strpbrk(diagnosis.finding[i].text, "{}") && !strpbrk(diagnosis.finding[i].command, "{}"),
                  "%s has a name without a fact: %s", diagnosis.finding[i].text, diagnosis.finding[i].command);
    json_decref(whole.absent);
    tree_remove(&tree);
    return diagnosis;
}

static struct diagnosis of(const struct record_file files[], const struct listing *listing,
                           char *(*variable)(const char *name))
{
    return tried(files, listing, variable, NULL);
}

Test(doctor, a_laptop_without_a_driver_file_needs_the_package_of_its_distribution)
{
    const struct record_file debian[] = { DEBIAN,
                                          UHD_620,
                                          BY("0000:00:02.0", "i915"),
                                          NODE("0000:00:02.0", "renderD128"),
                                          { "/dev/dri/renderD128", "" },
                                          ICD("pocl", "libpocl.so.2"),
                                          { "/usr/share/misc/pci.ids", "# list\n8086  Intel Corporation\n"
                                                                       "\t5916  HD Graphics 620\n"
                                                                       "\t5917  UHD Graphics 620\n"
                                                                       "\t\t1028 0819  Latitude\n"
                                                                       "ffff  Illegal\n" },
                                          { NULL, NULL } };
    struct diagnosis found = of(debian, NULL, NULL);
    expect_mend(&found, "Intel UHD Graphics 620 [8086:5917] at 0000:00:02.0", "no OpenCL driver for it is installed",
                "sudo apt install intel-opencl-icd");
    expect_mend(&found, "pocl.icd", "libpocl.so.2 is for CPUs, and lists none", "clinfo");

    const struct record_file other[] = { { "/etc/os-release", "ID=gentoo\n" }, UHD_620,
                                         BY("0000:00:02.0", "i915"),           NODE("0000:00:02.0", "renderD128"),
                                         { "/dev/dri/renderD128", "" },        { NULL, NULL } };
    found = of(other, NULL, NULL);
    expect_mend(&found, "Intel [8086:5917]", "no OpenCL driver",
                "# no package here is known to support it; try Mesa's rusticl");
}

Test(doctor, no_access_to_the_render_node_needs_a_group)
{
    const struct record_file files[] = { UHD_620,
                                         BY("0000:00:02.0", "i915"),
                                         NODE("0000:00:02.0", "renderD129"),
                                         { "/dev/dri/renderD129", forbidden },
                                         ICD("intel", "libigdrcl.so"),
                                         { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "you have no access to /dev/dri/renderD129", "sudo usermod -aG render $USER");
    const struct record_file nvidia[] = {
        GEFORCE, BY("0000:01:00.0", "nvidia"), { "/dev/nvidiactl", forbidden }, { NULL, NULL }
    };
    found = of(nvidia, NULL, NULL);
    expect_mend(&found, "0000:01:00.0", "you have no access to /dev/nvidiactl, which belongs to the group video",
                "sudo usermod -aG video $USER");
}

Test(doctor, an_old_intel_gpu_under_a_new_driver_needs_the_legacy_one)
{
    static const char *const versions[] = { "24.39.31294.20-1", "24.31.30508.7-1", "22.43.24595.41-1" };
    for (unsigned i = 0; i < 3; i++) {
        char status[256];
        snprintf(status, sizeof status,
                 "Package: other\nVersion: 99.9\n\nPackage: intel-opencl-icd\nStatus: install ok installed\n"
                 "Version: %s\n",
                 versions[i]);
        const struct record_file files[] = { UBUNTU,
                                             UHD_620,
                                             BY("0000:00:02.0", "i915"),
                                             NODE("0000:00:02.0", "renderD128"),
                                             { "/dev/dri/renderD128", "" },
                                             ICD("intel", "libigdrcl.so"),
                                             { "/var/lib/dpkg/status", status },
                                             { NULL, NULL } };
        struct diagnosis found = of(files, NULL, NULL);
        if (i == 0)
            expect_mend(
                &found, "0000:00:02.0",
                "intel gen9, and Intel's OpenCL driver 24.39.31294.20-1 does not support it: versions before 24.35 do",
                "sudo apt install intel-opencl-icd-legacy");
        else
            expect_mend(&found, "0000:00:02.0", "are installed, but OpenCL does not show it", "clinfo");
    }
}

static char *llvmpipe_only(const char *name)
{
    static char value[] = "llvmpipe";
    return strcmp(name, "RUSTICL_ENABLE") == 0 ? value : NULL;
}

Test(doctor, rusticl_must_be_given_the_driver)
{
    const struct record_file amd[] = { RADEON, ICD("rusticl", "libRusticlOpenCL.so.1"), { NULL, NULL } };
    struct diagnosis found = of(amd, NULL, llvmpipe_only);
    expect_mend(&found, "AMD [1002:73bf]", "RUSTICL_ENABLE is \"llvmpipe\"", "export RUSTICL_ENABLE=radeonsi");

    /* If it is not set, this program sets it: the reason is that of the driver. */
    struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}]", "backend", "opencl", "source",
                                                   "/etc/OpenCL/vendors/rusticl.icd", "reason",
                                                   "rusticl: a platform without devices", "status", "unsupported") };
    found = of(amd, &listing, NULL);
    expect_mend(&found, "AMD [1002:73bf]", "does not show it: rusticl: a platform without devices", "clinfo");
    json_decref(listing.absent);

    const struct record_file intel[] = { UHD_620,
                                         BY("0000:00:02.0", "i915"),
                                         NODE("0000:00:02.0", "renderD128"),
                                         { "/dev/dri/renderD128", "" },
                                         ICD("rusticl", "libRusticlOpenCL.so.1"),
                                         { NULL, NULL } };
    found = of(intel, NULL, llvmpipe_only);
    expect_mend(&found, "0000:00:02.0", "RUSTICL_ENABLE is \"llvmpipe\"", "export RUSTICL_ENABLE=iris");
}

/* GPUs on no PCI bus. tests/scripts/test_setup.sh has the same names. */
#define GPU "/sys/bus/platform/devices/ff9a0000.gpu/"
Test(doctor, a_gpu_of_a_system_on_a_chip_is_seen_in_the_device_tree)
{
    static const struct {
        const char *names, *driver, *subject, *says, *command;
    } rows[] = {
        { "OF_COMPATIBLE_0=rockchip,rk3399-mali\nOF_COMPATIBLE_1=arm,mali-t860\n", "panfrost",
          "Arm arm,mali-t860 at ff9a0000.gpu", "no OpenCL driver for it is installed",
          "sudo apt install mesa-opencl-icd" },
        { "OF_COMPATIBLE_0=arm,mali-valhall-csf\n", "", "Arm arm,mali-valhall-csf",
          "no kernel driver is bound, and the module panfrost is not loaded", "sudo modprobe panfrost" },
        { "OF_COMPATIBLE_0=qcom,adreno-630.2\nOF_COMPATIBLE_1=qcom,adreno\n", "adreno", "Qualcomm qcom,adreno-630.2",
          "RUSTICL_ENABLE is \"llvmpipe\"", "export RUSTICL_ENABLE=msm" },
        { "OF_COMPATIBLE_0=brcm,2712-v3d\n", "v3d", "Broadcom brcm,2712-v3d", "RUSTICL_ENABLE is \"llvmpipe\"",
          "export RUSTICL_ENABLE=v3d" },
        { "OF_COMPATIBLE_0=nvidia,ga10b\n", "gk20a", "NVIDIA nvidia,ga10b", "only CUDA can use it", "nvidia-jetpack" },
        { "OF_COMPATIBLE_0=arm,mali-400\n", "lima", NULL, NULL, NULL }, /* which cannot compute */
        { "OF_COMPATIBLE_0=arm,cortex-a72\n", "", NULL, NULL, NULL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool has_rusticl = rows[i].command && strstr(rows[i].command, "RUSTICL");
        char uevent[256];
        snprintf(uevent, sizeof uevent, "DRIVER=%s\nOF_NAME=gpu\n%sOF_COMPATIBLE_N=2\n", rows[i].driver, rows[i].names);
        const struct record_file files[] = { DEBIAN,
                                             { GPU "uevent", uevent + (*rows[i].driver ? 0 : strlen("DRIVER=\n")) },
                                             { "/sys/bus/platform/devices/display/drm/renderD128/dev", "226:128\n" },
                                             { "/dev/dri/renderD128", "" },
                                             { has_rusticl ? "/etc/OpenCL/vendors/rusticl.icd" : "/unused",
                                               "libRusticlOpenCL.so.1\n" },
                                             { NULL, NULL } };
        struct diagnosis found = of(files, NULL, llvmpipe_only);
        if (rows[i].subject)
            expect_mend(&found, rows[i].subject, rows[i].says, rows[i].command);
        else
            cr_expect(strstr(found.headline, "No GPU on this machine"), "%s", found.headline);
    }
}

#define NVIDIA_MODULE                                                                                                  \
    BY("0000:01:00.0", "nvidia"), { "/dev/nvidiactl", "" }, { "/sys/module/nvidia/version", "535.183.01\n" },          \
        ICD("nvidia", "libnvidia-opencl.so.1")

/* Mesa's rusticl serves NVIDIA's adapters on nouveau only; of two drivers the vendor's counts. */
Test(doctor, rusticl_is_no_driver_of_nvidia_and_the_last_choice_of_others)
{
    const struct record_file nvidia[] = { DEBIAN,
                                          GEFORCE,
                                          BY("0000:01:00.0", "nvidia"),
                                          { "/dev/nvidiactl", "" },
                                          ICD("rusticl", "libRusticlOpenCL.so.1"),
                                          { NULL, NULL } };
    struct diagnosis found = of(nvidia, NULL, NULL);
    expect_mend(&found, "NVIDIA [10de:2684]", "no OpenCL driver for it is installed",
                "sudo apt install nvidia-opencl-icd");
    const struct record_file two[] = {
        RADEON, ICD("mesa", "libRusticlOpenCL.so.1"), ICD("other", "libamdocl64.so"), { NULL, NULL }
    };
    found = of(two, NULL, NULL);
    expect_mend(&found, "0000:0a:00.0", "its OpenCL driver libamdocl64.so are installed", "clinfo");
}

static char *hidden(const char *name)
{
    static char value[] = "";
    return strcmp(name, "CUDA_VISIBLE_DEVICES") == 0 ? value : NULL;
}

Test(doctor, a_variable_that_hides_devices_is_named)
{
    const struct record_file files[] = { GEFORCE, NVIDIA_MODULE, { NULL, NULL } };
    struct diagnosis found = of(files, NULL, hidden);
    expect_mend(&found, "NVIDIA [10de:2684]", "CUDA_VISIBLE_DEVICES is \"\"", "unset CUDA_VISIBLE_DEVICES");
}

static char *elsewhere(const char *name)
{
    static char value[] = "/nowhere";
    return strcmp(name, "OCL_ICD_VENDORS") == 0 ? value : NULL;
}

Test(doctor, another_folder_for_driver_files_is_named)
{
    const struct record_file files[] = {
        GEFORCE, BY("0000:01:00.0", "nvidia"), { "/dev/nvidiactl", "" }, { NULL, NULL }
    };
    struct diagnosis found = of(files, NULL, elsewhere);
    expect_mend(&found, "NVIDIA [10de:2684]", "OCL_ICD_VENDORS is \"/nowhere\"", "unset OCL_ICD_VENDORS");
}

Test(doctor, nouveau_cannot_compute)
{
    const struct record_file files[] = { UBUNTU, GEFORCE, BY("0000:01:00.0", "nouveau"), { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    expect_mend(&found, "NVIDIA [10de:2684]", "its kernel driver is nouveau",
                "sudo ubuntu-drivers install && sudo reboot");
}

Test(doctor, an_adapter_without_a_driver_needs_module_firmware_or_modesetting)
{
    const struct record_file bare[] = { DEBIAN, UHD_620, { NULL, NULL } };
    struct diagnosis found = of(bare, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "the firmware that i915 loads is not installed (/lib/firmware/i915)",
                "sudo apt install firmware-misc-nonfree && sudo reboot   # of non-free-firmware");
    const struct record_file unloaded[] = { UHD_620, { "/lib/firmware/i915/kbl.bin", "" }, { NULL, NULL } };
    found = of(unloaded, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "the module i915 is not loaded", "sudo modprobe i915");
    const struct record_file loaded[] = {
        UHD_620, { "/lib/firmware/i915/kbl.bin", "" }, { "/sys/module/i915/refcnt", "0" }, { NULL, NULL }
    };
    found = of(loaded, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "but the module i915 is loaded", "dmesg");
    const struct record_file nomodeset[] = { UHD_620, { "/proc/cmdline", "quiet nomodeset splash\n" }, { NULL, NULL } };
    found = of(nomodeset, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "started with nomodeset", "nomodeset");
    const struct record_file nvidia[] = { DEBIAN, GEFORCE, { NULL, NULL } };
    found = of(nvidia, NULL, NULL);
    expect_mend(&found, "NVIDIA", "the module nvidia is not loaded", "sudo apt install nvidia-driver");
}

Test(doctor, a_container_was_not_given_the_device)
{
    const struct record_file inside[] = {
        UHD_620, BY("0000:00:02.0", "i915"), NODE("0000:00:02.0", "renderD128"), { "/.dockerenv", "" }, { NULL, NULL }
    };
    struct diagnosis found = of(inside, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "this is a container (/.dockerenv), and it was not given /dev/dri/renderD128",
                "--device /dev/dri");
    const struct record_file outside[] = {
        UHD_620, BY("0000:00:02.0", "i915"), NODE("0000:00:02.0", "renderD128"), { NULL, NULL }
    };
    found = of(outside, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "there is no /dev/dri/renderD128", "udevadm");
    const struct record_file nvidia[] = {
        GEFORCE, BY("0000:01:00.0", "nvidia"), { "/.dockerenv", "" }, { NULL, NULL }
    };
    found = of(nvidia, NULL, NULL);
    expect_mend(&found, "NVIDIA", "was not given /dev/nvidiactl", "docker run --gpus all");
}

Test(doctor, an_adapter_of_a_hypervisor_or_a_bmc_is_no_problem)
{
    static const char *const numbers[][3] = {
        { "0x1af4", "0x1050", "virtio" },  { "0x1b36", "0x0100", "QXL" },    { "0x15ad", "0x0405", "VMware" },
        { "0x1414", "0x5353", "Hyper-V" }, { "0x1a03", "0x2000", "ASPEED" }, { "0x1234", "0x1111", "QEMU" },
    };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct record_file files[] = { { PCI("0000:00:01.0") "class", "0x030000\n" },
                                             { PCI("0000:00:01.0") "vendor", numbers[i][0] },
                                             { PCI("0000:00:01.0") "device", numbers[i][1] },
                                             BY("0000:00:01.0", "some"),
                                             { NULL, NULL } };
        struct diagnosis found = of(files, NULL, NULL);
        expect_fine(&found, "0000:00:01.0", "a display adapter that cannot compute");
        expect_fine(&found, "0000:00:01.0", numbers[i][2]);
    }
}

/* A Radeon with a known place, and an Intel GPU that only its vendor identifies. */
Test(doctor, of_two_adapters_the_one_that_is_shown_is_fine)
{
    const struct record_file files[] = { DEBIAN,
                                         UHD_620,
                                         BY("0000:00:02.0", "i915"),
                                         NODE("0000:00:02.0", "renderD129"),
                                         { "/dev/dri/renderD129", "" },
                                         RADEON,
                                         ICD("rusticl", "libRusticlOpenCL.so.1"),
                                         { NULL, NULL } };
    struct device device[3] = { 0 };
    struct listing listing = { .device = device, .devices = 1 };
    listing.device[0] = (struct device){ .id = "opencl:0", .backend = "opencl", .class = CLASS_DGPU };
    strcpy(listing.device[0].silicon, "pci 0000:0a:00.0");
    struct diagnosis found = of(files, &listing, NULL);
    expect_fine(&found, "0000:0a:00.0", "shown as opencl:0");
    expect_mend(&found, "0000:00:02.0", "does not show it", "clinfo");

    strcpy(listing.device[0].silicon, "");
    strcpy(listing.device[0].vendor, "Intel(R) Corporation");
    found = of(files, &listing, NULL);
    expect_fine(&found, "0000:00:02.0", "shown as opencl:0");
    expect_mend(&found, "0000:0a:00.0", "does not show it", "clinfo");

    listing.devices = 2;
    listing.device[1] = (struct device){ .id = "cuda:0", .backend = "cuda", .class = CLASS_DGPU };
    strcpy(listing.device[1].silicon, "pci 0000:0A:00.0");
    found = of(files, &listing, NULL);
    expect_fine(&found, "0000:0a:00.0", "shown as cuda:0");
}

Test(doctor, a_cpu_device_does_not_count_for_an_adapter)
{
    const struct record_file files[] = { DEBIAN, UHD_620, BY("0000:00:02.0", "i915"), { NULL, NULL } };
    struct device device[3] = { 0 };
    struct listing listing = { .device = device, .devices = 1 };
    listing.device[0] =
        (struct device){ .id = "opencl:0", .backend = "opencl", .class = CLASS_CPU, .vendor = "Intel(R) Corporation" };
    struct diagnosis found = of(files, &listing, NULL);
    cr_expect_not(find(&found, "0000:00:02.0")->is_fine);
}

Test(doctor, without_a_driver_the_reason_of_the_listing_is_said)
{
    const struct record_file files[] = { { NULL, NULL } };
    struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}]", "backend", "opencl", "source", "",
                                                   "status", "unsupported", "reason", "no driver in that folder") };
    struct diagnosis found = of(files, &listing, NULL);
    expect_fine(&found, "opencl", "no driver in that folder");
    found = of(files, &listing, elsewhere);
    expect_mend(&found, "opencl", "no driver in that folder", "unset OCL_ICD_VENDORS");
    json_decref(listing.absent);
}

Test(doctor, the_cpu_side_is_examined_too)
{
    const struct record_file poor[] = { DEBIAN,
                                        { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n" },
                                        { "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n" },
                                        { NULL, NULL } };
    struct diagnosis found = of(poor, NULL, NULL);
    expect_mend(&found, "OpenBLAS", "not installed", "sudo apt install libopenblas0-openmp");
    expect_mend(&found, "oneDNN", "not installed", "sudo apt install libdnnl-dev");
    expect_mend(&found, "CLBlast", "not installed", "sudo apt install libclblast1");
    expect_mend(&found, "clock", "powersave",
                "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
    expect_mend(&found, "huge pages", "off", "transparent_hugepage/enabled");
    cr_expect_str_eq(found.headline,
                     "No GPU on this machine: there is no graphics adapter or accelerator on the PCI bus");
    cr_expect_eq(diagnosis_troubles(&found), 5);

    const struct record_file rich[] = { { "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0", "" },
                                        { "/usr/lib64/libdnnl.so.3.6", "" },
                                        { "/usr/local/lib/libclblast.so.1", "" },
                                        { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n" },
                                        { "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
                                        { NULL, NULL } };
    found = of(rich, NULL, NULL);
    expect_fine(&found, "OpenBLAS", "openblas-openmp/libopenblas.so.0 is installed");
    expect_fine(&found, "oneDNN", "libdnnl.so.3.6 is installed");
    cr_expect_eq(diagnosis_troubles(&found), 0);
}

Test(doctor, a_limit_of_the_clock_and_a_cpu_that_is_not_listed_are_found)
{
    const struct record_file files[] = { { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n" },
                                         { "/sys/devices/system/cpu/intel_pstate/max_perf_pct", "25\n" },
                                         { NULL, NULL } };
    struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}]", "backend", "cpu", "source", "", "status",
                                                   "usage", "reason", "HWLOC_XMLFILE describes another machine") };
    struct diagnosis found = of(files, &listing, NULL);
    expect_mend(&found, "clock", "max_perf_pct is 25 instead of 100",
                "echo 100 | sudo tee /sys/devices/system/cpu/intel_pstate/max_perf_pct");
    expect_mend(&found, "cpu", "HWLOC_XMLFILE describes another machine", "unset HWLOC_XMLFILE");
    json_decref(listing.absent);
}

/* tests/scripts/test_setup.sh has the same machines. */
Test(doctor, the_package_is_the_one_that_serves_the_chip_on_this_release)
{
    static const struct {
        const char *release, *chip, *command;
    } machines[] = {
        { "ID=debian\nVERSION_CODENAME=bookworm\n", "0x5917\n", "sudo apt install intel-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=bookworm\n", "0x7d55\n", "sudo apt install mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=bookworm\n", "0x22b0\n", "sudo apt install mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=trixie\n", "0x5917\n", "sudo apt install mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=trixie\n", "0x46a6\n", "sudo apt install mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=forky\n", "0x5917\n", "sudo apt install mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=forky\n", "0x46a6\n", "sudo apt install intel-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=bullseye\n", "0x46a6\n",
          "# no package here is known to support it; try Mesa's rusticl, or "
          "github.com/intel/compute-runtime/releases" },
        { "ID=ubuntu\nVERSION_CODENAME=focal\n", "0x5917\n", "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=jammy\n", "0x5917\n", "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=jammy\n", "0x7d55\n",
          "# no package here is known to support it; try Mesa's rusticl, or "
          "github.com/intel/compute-runtime/releases" },
        { "ID=ubuntu\nVERSION_CODENAME=noble\n", "0x5917\n", "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=noble\n", "0x64a0\n", "sudo apt install mesa-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=noble\n", "0x4626\n", "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=noble\n", "0xb080\n", "sudo apt install mesa-opencl-icd" },
        { "ID=linuxmint\nID_LIKE=debian\nVERSION_CODENAME=gigi\nDEBIAN_CODENAME=trixie\n", "0x46a6\n",
          "sudo apt install mesa-opencl-icd" },
        { "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nUBUNTU_CODENAME=noble\n", "0x5917\n",
          "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=questing\n", "0x5917\n", "sudo apt install intel-opencl-icd-legacy" },
        { "ID=ubuntu\nVERSION_CODENAME=questing\n", "0x64a0\n", "sudo apt install intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=questing\n", "0xd740\n", "sudo apt install mesa-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=resolute\n", "0x5917\n", "sudo apt install intel-opencl-icd-legacy" },
        { "ID=ubuntu\nVERSION_CODENAME=resolute\n", "0xd740\n", "sudo apt install intel-opencl-icd" },
        { "VERSION_CODENAME=\nID=fedora\nVERSION_ID=42\n", "0x5917\n", "sudo dnf install mesa-libOpenCL" },
        { "ID=fedora\n", "0x46a6\n", "sudo dnf install intel-opencl" },
        { "ID=arch\n", "0x5917\n", "sudo pacman -S opencl-mesa" },
        { "ID=arch\n", "0xffff\n", "sudo pacman -S intel-compute-runtime" },
        { "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "0x5917\n",
          "sudo zypper install Mesa-libRusticlOpenCL" },
        { "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "0x46a6\n",
          "# no package here is known to support it; try Mesa's rusticl, or "
          "github.com/intel/compute-runtime/releases" },
        { "VERSION_CODENAME=bookworm\nID=other\n", "0x5917\n", "sudo apt install intel-opencl-icd" },
    };
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        const struct record_file files[] = { { "/etc/os-release", machines[i].release },
                                             { PCI("0000:00:02.0") "class", "0x030000\n" },
                                             { PCI("0000:00:02.0") "vendor", "0x8086\n" },
                                             { PCI("0000:00:02.0") "device", machines[i].chip },
                                             BY("0000:00:02.0", "i915"),
                                             NODE("0000:00:02.0", "renderD128"),
                                             { "/dev/dri/renderD128", "" },
                                             { NULL, NULL } };
        struct diagnosis found = of(files, NULL, NULL);
        cr_expect_str_eq(find(&found, "0000:00:02.0")->command, machines[i].command, "machine %u: %s", i,
                         find(&found, "0000:00:02.0")->command);
    }
}

/* Intel's driver of that release is installed and does not serve the chip; rpm's versions are not read. */
Test(doctor, where_versions_are_not_known_the_driver_is_that_of_the_release)
{
    const struct record_file files[] = { { "/etc/os-release", "ID=fedora\n" },
                                         UHD_620,
                                         BY("0000:00:02.0", "i915"),
                                         NODE("0000:00:02.0", "renderD128"),
                                         { "/dev/dri/renderD128", "" },
                                         ICD("intel", "libigdrcl.so"),
                                         { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    expect_mend(&found, "0000:00:02.0", "Intel's OpenCL driver 25.48 does not support it",
                "dnf install mesa-libOpenCL");
}

#define IN_WINDOWS                                                                                                     \
    { PCI("1c05:00:00.0") "class", "0x030200\n" }, { PCI("1c05:00:00.0") "vendor", "0x1414\n" },                       \
        { PCI("1c05:00:00.0") "device", "0x008e\n" },                                                                  \
    {                                                                                                                  \
        "/dev/dxg", ""                                                                                                 \
    }

Test(doctor, windows_with_intel_graphics_needs_the_package_of_the_distribution)
{
    const struct record_file bare[] = { { "/etc/os-release", "ID=ubuntu\nVERSION_CODENAME=noble\n" },
                                        IN_WINDOWS,
                                        { "/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1/igd.inf", "" },
                                        { NULL, NULL } };
    struct diagnosis found = of(bare, NULL, NULL);
    expect_mend(&found, "Windows", "is not installed", "sudo apt install intel-opencl-icd");
    cr_expect(strstr(found.headline, "No GPU can be used: Windows subsystem for Linux") == found.headline, "%s",
              found.headline);

    const struct record_file with_driver[] = { { "/etc/os-release", "ID=ubuntu\nVERSION_CODENAME=questing\n" },
                                               IN_WINDOWS,
                                               { "/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1/igd.inf", "" },
                                               ICD("intel", "libigdrcl.so"),
                                               { NULL, NULL } };
    found = of(with_driver, NULL, NULL);
    expect_mend(&found, "Windows", "generations 9 and 11 need Intel's driver before 24.35",
                "sudo apt install intel-opencl-icd-legacy");
    struct device device[1];
    struct listing listing = { .device = device, .devices = 1 };
    listing.device[0] = (struct device){ .id = "opencl:0", .backend = "opencl", .class = CLASS_IGPU };
    found = of(with_driver, &listing, NULL);
    expect_fine(&found, "Windows", "/dev/dxg exists");
}

Test(doctor, windows_without_a_driver_that_computes_needs_one)
{
    const struct record_file nvidia[] = { IN_WINDOWS, { "/usr/lib/wsl/lib/libcuda.so.1", "" }, { NULL, NULL } };
    struct diagnosis found = of(nvidia, NULL, NULL);
    expect_mend(&found, "Windows", "has CUDA for Linux, but shows no GPU", "nvidia-smi");
    const struct record_file none[] = { IN_WINDOWS, { NULL, NULL } };
    found = of(none, NULL, NULL);
    expect_mend(&found, "Windows", "provides nothing", "# in Windows");
}

Test(doctor, windows_subsystem_without_its_device_needs_an_update)
{
    const struct record_file old[] = { { "/usr/lib/wsl/lib/libcuda.so.1", "" }, { NULL, NULL } };
    struct diagnosis found = of(old, NULL, NULL);
    expect_mend(&found, "Windows", "no /dev/dxg", "wsl.exe --update");
}

Test(doctor, control_characters_are_removed)
{
    const struct record_file files[] = { { "/etc/OpenCL/vendors/a.icd", "\x1b[31mlib\xff.so\n" }, { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    for (unsigned i = 0; i < found.findings; i++)
        cr_expect(!strchr(found.finding[i].text, '\x1b') && !strchr(found.finding[i].subject, '\x1b'));
}

Test(doctor, problems_come_first_with_their_command_on_a_line)
{
    const struct record_file files[] = { DEBIAN, GEFORCE, BY("0000:01:00.0", "nouveau"), { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    doctor_print(&found, out);
    fclose(out);
    static const char top[] = "No GPU can be used: NVIDIA [10de:2684] at 0000:01:00.0: its kernel driver is nouveau; ";
    cr_expect_eq(strncmp(text, top, strlen(top)), 0, "%s", text);
    cr_expect(strstr(text, "\n\nTo fix\n  NVIDIA [10de:2684] at 0000:01:00.0: its kernel driver is nouveau"), "%s",
              text);
    cr_expect(strstr(text, "\n      sudo apt install nvidia-driver nvidia-opencl-icd && sudo reboot"), "%s", text);
    cr_expect(strstr(text, "\n\nOK\n  "), "%s", text);
    free(text);

    out = open_memstream(&text, &size);
    doctor_print_json(&found, out);
    fclose(out);
    json_t *json = json_loads(text, 0, NULL);
    const json_t *to_fix = json_object_get(json, "to_fix"), *fine = json_object_get(json, "ok");
    const json_t *first = json_array_get(to_fix, 0);
    cr_expect_str_eq(json_string_value(json_object_get(json, "headline")), found.headline);
    cr_expect(json_is_false(json_object_get(json, "has_gpu")));
    cr_expect_eq(json_array_size(to_fix), diagnosis_troubles(&found));
    cr_expect_eq(json_array_size(to_fix) + json_array_size(fine) + json_array_size(json_object_get(json, "seen")),
                 found.findings);
    cr_expect_str_eq(json_string_value(json_object_get(first, "subject")), "NVIDIA [10de:2684] at 0000:01:00.0");
    cr_expect_str_eq(json_string_value(json_object_get(first, "command")), found.finding[0].command);
    cr_expect_null(json_object_get(json_array_get(fine, 0), "command"));
    json_decref(json);
    free(text);
}

Test(doctor, the_headline_is_the_gpus_or_why_there_is_none)
{
    const struct record_file emulated[] = { { PCI("0000:00:01.0") "class", "0x030000\n" },
                                            { PCI("0000:00:01.0") "vendor", "0x1234\n" },
                                            { PCI("0000:00:01.0") "device", "0x1111\n" },
                                            { "/.dockerenv", "" },
                                            { NULL, NULL } };
    struct diagnosis found = of(emulated, NULL, NULL);
    cr_expect(strstr(found.headline, "No GPU on this machine: ") == found.headline &&
                  strstr(found.headline, "a display adapter that cannot compute"),
              "%s", found.headline);
    cr_expect_not(found.has_gpu);
    const struct record_file bare[] = { { "/.dockerenv", "" }, { NULL, NULL } };
    found = of(bare, NULL, NULL);
    cr_expect(strstr(found.headline, "on the PCI bus of this container"), "%s", found.headline);

    struct device device[3] = { 0 };
    struct listing listing = { .device = device, .devices = 3 };
    listing.device[0] = (struct device){ .id = "cpu", .backend = "cpu", .class = CLASS_CPU, .name = "a processor" };
    listing.device[1] = (struct device){ .id = "opencl:0", .backend = "opencl", .class = CLASS_CPU };
    listing.device[2] = (struct device){ .id = "cuda:0", .backend = "cuda", .class = CLASS_DGPU, .name = "a card" };
    found = of(bare, &listing, NULL);
    cr_expect_str_eq(found.headline, "GPU: cuda:0 a card");
    cr_expect(found.has_gpu);
    listing.devices = 2;
    found = of(bare, &listing, NULL);
    cr_expect_not(found.has_gpu);
}

/* Of two adapters the one that could compute is the reason. */
Test(doctor, an_adapter_with_a_problem_comes_before_one_that_cannot_compute)
{
    const struct record_file files[] = { { PCI("0000:00:01.0") "class", "0x030000\n" },
                                         { PCI("0000:00:01.0") "vendor", "0x1234\n" },
                                         { PCI("0000:00:01.0") "device", "0x1111\n" },
                                         GEFORCE,
                                         BY("0000:01:00.0", "nouveau"),
                                         { NULL, NULL } };
    struct diagnosis found = of(files, NULL, NULL);
    cr_expect(strstr(found.headline, "No GPU can be used: NVIDIA [10de:2684] at 0000:01:00.0: ") == found.headline,
              "%s", found.headline);
}

Test(doctor, the_driver_of_an_adapter_that_cannot_be_loaded_is_installed_again)
{
    const struct record_file files[] = { DEBIAN, RADEON, ICD("amd", "libamdocl64.so"), { NULL, NULL } };
    struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}]", "backend", "opencl", "source",
                                                   "/etc/OpenCL/vendors/amd.icd", "status", "failed", "reason",
                                                   "libamdocl64.so: cannot open shared object file") };
    struct diagnosis found = of(files, &listing, NULL);
    expect_mend(&found, "0000:0a:00.0",
                "the OpenCL driver of /etc/OpenCL/vendors/amd.icd does not work: libamdocl64.so: cannot open",
                "sudo apt install ");
    json_decref(listing.absent);
}

Test(doctor, a_driver_that_cannot_be_loaded_is_a_fault)
{
    const struct record_file files[] = { { "/etc/os-release",
                                           "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n" },
                                         ICD("intel", "libintelocl.so"),
                                         ICD("mesa", "libMesaOpenCL.so.1"),
                                         { "/etc/OpenCL/vendors/void.icd", "" },
                                         { NULL, NULL } };
    struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s}]", "backend", "opencl",
                                                   "source", "/etc/OpenCL/vendors/intel.icd", "status", "failed",
                                                   "reason", "libimf.so: cannot open shared object file", "backend",
                                                   "opencl", "source", "/etc/OpenCL/vendors/mesa.icd", "status",
                                                   "unsupported", "reason", "Clover: a platform without devices") };
    struct diagnosis found = of(files, &listing, NULL);
    expect_mend(&found, "intel.icd", "its driver libintelocl.so does not work: libimf.so: cannot open",
                "rpm -qf /etc/OpenCL/vendors/intel.icd   # then reinstall that package");
    expect_mend(&found, "void.icd", "it names no driver", "rpm -qf /etc/OpenCL/vendors/void.icd");
    expect_fine(&found, "mesa.icd", "its driver libMesaOpenCL.so.1 exists; Clover: a platform without devices");
    expect_mend(&found, "OpenBLAS", "not installed", "sudo zypper install libopenblas_openmp0");
    expect_mend(&found, "CLBlast", "not installed", "# install the package that Debian calls libclblast1");
    json_decref(listing.absent);
}

static char *limited(const char *name)
{
    static char value[] = "2";
    return strcmp(name, "OMP_THREAD_LIMIT") == 0 ? value : NULL;
}

Test(doctor, what_holds_the_processor_back_is_found)
{
    static const struct {
        const char *core, *better, *bound;
        const char *says, *command; /* NULL: fine */
    } cases[] = {
        { "SkylakeX", "", "", "those of SkylakeX", NULL },
        { "Prescott", "SkylakeX", "", "OpenBLAS would use those of Prescott; runs use those of SkylakeX", NULL },
        { "Haswell", "", "build", "this build has only those of Haswell", NULL },
        { "Prescott", "SkylakeX", "OPENBLAS_CORETYPE", "OPENBLAS_CORETYPE is Prescott", "unset OPENBLAS_CORETYPE" },
        { "Prescott", "Haswell", "build", "this build has only those of Prescott",
          "sudo apt install libopenblas0-openmp" },
    };
    const struct record_file files[] = { DEBIAN, { NULL, NULL } };
    struct device device[3] = { 0 };
    struct listing listing = { .device = device, .devices = 1 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        *device = (struct device){
            .id = "cpu", .backend = "cpu", .class = CLASS_CPU, .works_in_host_memory = true, .threads = 4
        };
        strcpy(device->blas_core, cases[i].core);
        strcpy(device->blas_better, cases[i].better);
        strcpy(device->blas_bound, cases[i].bound);
        struct diagnosis found = of(files, &listing, i == 0 ? limited : NULL);
        if (cases[i].command)
            expect_mend(&found, "OpenBLAS kernels", cases[i].says, cases[i].command);
        else
            expect_fine(&found, "OpenBLAS kernels", cases[i].says);
        bool is_limited = false;
        for (unsigned k = 0; k < found.findings; k++)
            is_limited |= strcmp(found.finding[k].command, "unset OMP_THREAD_LIMIT") == 0;
        cr_expect_eq(is_limited, i == 0);
    }
}

/* Fine is what was used; what was not tried is only seen, and what failed has a command. */
Test(doctor, only_what_was_used_is_called_fine)
{
    static const struct {
        const char *platform;
        bool is_done, has_damaged_cache;
        const char *failure; /* NULL: none */
        const char *says, *command;
        bool is_seen;
    } cases[] = {
        { "", false, false, NULL, "a device [dGPU]", "", true },
        { "", true, false, NULL, "a device [dGPU]: a kernel was built and ran", "", false },
        { "", true, false, "clBuildProgram answered CL_COMPILER_NOT_AVAILABLE (-3)",
          "does not compute: clBuildProgram answered CL_COMPILER_NOT_AVAILABLE (-3)", "sudo dmesg", false },
        { "Portable Computing Language", true, true, NULL, "its driver's cache of compiled kernels is damaged",
          "rm -r '", false },
        { "", true, false, "crashed; it printed last: no memory", "it printed last: no memory", "sudo dmesg", false },
    };
    const struct record_file files[] = { DEBIAN, { NULL, NULL } };
    struct device device = { .id = "opencl:0", .backend = "opencl", .class = CLASS_DGPU, .name = "a device" };
    struct listing listing = { .device = &device, .devices = 1 };
    struct probe probe;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        probe = (struct probe){ .is_done = cases[i].is_done, .has_damaged_cache = cases[i].has_damaged_cache };
        strcpy(device.platform, cases[i].platform);
        if (cases[i].failure)
            fail(&probe.outcome, STATUS_FAILED, "%s", cases[i].failure);
        struct diagnosis found = tried(files, &listing, NULL, i == 0 ? NULL : &probe);
        const struct finding *finding = find(&found, "opencl:0");
        cr_expect(strstr(finding->text, cases[i].says), "case %u: %s", i, finding->text);
        cr_expect_eq(strncmp(finding->command, cases[i].command, strlen(cases[i].command)), 0, "case %u: %s", i,
                     finding->command);
        cr_expect_eq(finding->is_fine, !*cases[i].command, "case %u", i);
        cr_expect_eq(finding->is_seen, cases[i].is_seen, "case %u", i);
    }
}

/* An API that fails is the cause, whether its adapter is on the bus or not, and every screen has all of it. */
Test(doctor, an_api_that_fails_is_the_cause_in_its_own_words)
{
    static const char reason[] = "CUDA_ERROR_SYSTEM_NOT_READY (802): system not yet initialized; GPUs with an NVSwitch "
                                 "need a service: 'sudo systemctl start nvidia-fabricmanager'";
    static const struct {
        const char *status;
        bool has_adapter, is_cause;
    } cases[] = {
        { "failed", true, true },       { "failed", false, true },       { "crashed", true, true },
        { "unsupported", true, false }, { "unsupported", false, false }, { "timeout", false, true },
    };
    const struct record_file with[] = { DEBIAN, GEFORCE, NVIDIA_MODULE, { NULL, NULL } },
                             without[] = { { NULL, NULL } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listing listing = { .absent = json_pack("[{s:s, s:s, s:s, s:s}]", "backend", "cuda", "source", "",
                                                       "status", cases[i].status, "reason", reason) };
        struct diagnosis found = of(cases[i].has_adapter ? with : without, &listing, NULL);
        cr_expect_eq(strstr(found.headline, reason) != NULL, cases[i].is_cause, "case %u: %s", i, found.headline);
        if (cases[i].is_cause)
            expect_mend(&found, "NVIDIA", reason, "nvidia-smi");
        char why[DOCTOR_HEADLINE];
        cr_expect(doctor_why_no_gpu(&listing, why, sizeof why));
        json_decref(listing.absent);
    }
}

Test(doctor, a_driver_for_cpus_without_a_device_is_a_problem)
{
    static const struct {
        const char *library;
        bool is_trouble;
    } cases[] = { { "libpocl.so.2", true },
                  { "/opt/intel/lib/libintelocl.so", true },
                  { "libMesaOpenCL.so.1", false },
                  { "libRusticlOpenCL.so.1", false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct record_file files[] = { { "/etc/OpenCL/vendors/a.icd", cases[i].library }, { NULL, NULL } };
        struct diagnosis found = of(files, NULL, NULL);
        cr_expect_eq(find(&found, "a.icd")->is_fine, !cases[i].is_trouble, "%s", cases[i].library);
    }
}

/* --- the tables --- */

extern const char *const findings_lines[];

static bool is_one_of(const char *word, const char *const words[])
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

static bool is_package(const char *name)
{
    char start[80];
    const int length = snprintf(start, sizeof start, "package %s ", name);
    for (const char *const *line = gpu_driver_lines; *line; line++)
        if (strncmp(*line, start, (size_t)length) == 0)
            return true;
    return false;
}

static const char *const vendors[] = { "any", "Intel", "AMD", "NVIDIA", "Arm", "Qualcomm", "Broadcom", NULL };
static const char *const vendor_facts[] = { "module",    "modules", "firmware_package", "nodes",  "group", "make_node",
                                            "give_node", "opencl",  "rusticl",          "hiding", "api",   NULL };

/* Whether a line of gpu_drivers.txt has all fields of its kind, and nothing after the last. */
static bool is_driver_line(const char *line)
{
    char kind[16], one[64], two[64], word[4][64];
    double version, end;
    unsigned first, last;
    int used = 0;
    if (sscanf(line, "%15s", kind) != 1)
        return false;
    if (strcmp(kind, "chip") == 0)
        return sscanf(line, "chip %4x %4x %9s %lf %lf%n", &first, &last, one, &version, &end, &used) == 5 &&
               !line[used] && first <= last && version <= end;
    if (strcmp(kind, "release") == 0)
        return sscanf(line, "release %63s %lf %31s %31s %31s %31s%n", one, &version, word[0], word[1], word[2], word[3],
                      &used) == 6 &&
               !line[used];
    if (strcmp(kind, "package") == 0)
        return sscanf(line, "package %40s %63s %n", one, two, &used) == 2 && line[used];
    if (strcmp(kind, "vendor") == 0)
        return sscanf(line, "vendor %15s %63s %n", one, two, &used) == 2 && line[used] && is_one_of(one, vendors) &&
               is_one_of(two, vendor_facts);
    if (strcmp(kind, "soc") == 0)
        return sscanf(line, "soc %31s %4x %15s%n", one, &first, two, &used) == 3 && !line[used] &&
               strcmp(adapter_vendor_name(first), two) == 0 && is_one_of(two, vendors);
    return sscanf(line, "emulation %4x %4s %n", &first, one, &used) == 2 && line[used] &&
           (strcmp(one, "*") == 0 || strspn(one, "0123456789abcdef") == 4);
}

Test(doctor, every_line_of_the_table_of_drivers_has_all_its_fields)
{
    unsigned lines = 0;
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        if (!**line || **line == '#')
            continue;
        lines++;
        cr_expect(is_driver_line(*line), "%s", *line);
    }
    cr_expect_gt(lines, 100);
}

/* Those that diagnosis.c sets, beside those of the vendors. */
static const char *const facts_set[] = { "absence",
                                         "api_failure",
                                         "architecture",
                                         "better",
                                         "bound",
                                         "cache",
                                         "chosen",
                                         "class",
                                         "clblast_file",
                                         "computes",
                                         "container",
                                         "core",
                                         "cuda",
                                         "damaged",
                                         "devices",
                                         "command",
                                         "limit",
                                         "no_cpu",
                                         "driver",
                                         "effect",
                                         "emulation",
                                         "end",
                                         "failed",
                                         "failure",
                                         "for_cpus",
                                         "forbidden",
                                         "governor",
                                         "gpu",
                                         "hidden_by",
                                         "hidden_to",
                                         "icd",
                                         "intel_package",
                                         "legacy_package",
                                         "library",

                                         "name",
                                         "no_dxg",
                                         "no_firmware",
                                         "no_node",
                                         "node",
                                         "nomodeset",
                                         "not_enabled",
                                         "note",
                                         "onednn_file",
                                         "openblas_file",
                                         "opencl_package",
                                         "other_package",
                                         "owner",
                                         "pages",
                                         "reason",
                                         "restart",
                                         "serving",
                                         "soc",
                                         "source",
                                         "unloaded",
                                         "used",
                                         "variable",
                                         "vendor",
                                         "version",
                                         "windows_intel",
                                         NULL };

static bool is_fact(const char *name)
{
    return is_one_of(name, facts_set) || is_one_of(name, vendor_facts);
}

static void expect_known_facts(const char *line, bool is_condition)
{
    char name[64];
    int used = 0;
    for (const char *at = line + 1; is_condition && sscanf(at, " %63[^ ]%n", name, &used) == 1; at += used) {
        name[strcspn(name, "=")] = '\0';
        cr_expect(is_fact(name + (*name == '!')), "%s: %s", line, name);
    }
    for (const char *at = line; !is_condition && (at = strchr(at, '{')); at++) {
        const bool is_install = sscanf(at, "{install %63[^} ]}%n", name, &used) == 1 && used > 0;
        cr_assert(is_install || (sscanf(at, "{%63[^} ]}%n", name, &used) == 1 && used > 0), "%s", line);
        cr_expect(is_fact(name) || (is_install && is_package(name)), "%s: %s", line, name);
        used = 0;
    }
}

/* A kind, conditions, what is said if one holds, and what to type. */
Test(doctor, every_line_of_the_table_of_findings_names_kinds_and_facts_that_there_are)
{
    static const char *const kinds[] = {
        "adapter", "wsl", "device", "limit", "kernels", "driver", "host", "api", NULL
    };
    char before = '\0'; /* '@', '?', 't' for what is said, '>', '~' */
    for (const char *const *line = findings_lines; *line; line++) {
        char kind[16] = "", is = **line;
        if (!is || is == '#')
            continue;
        if (is == '@') {
            cr_expect(sscanf(*line, "@%15s", kind) == 1 && is_one_of(kind, kinds), "%s", *line);
            cr_expect_null(strchr("@?", before ? before : 't'), "%s follows what says nothing", *line);
        } else {
            is = strchr("?>~", is) ? is : 't';
            cr_expect(before && strchr(is == '?'   ? "@t>~"
                                       : is == 't' ? "?"
                                                   : "t",
                                       before),
                      "%s is out of order", *line);
            expect_known_facts(*line, is == '?');
        }
        before = is;
    }
    cr_expect(strchr("t>~", before));
}
