/* Recorded machines, each with a problem that must be found. */

#include "bench/doctor/doctor.h"
#include "bench/doctor/finding.h"
#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine is one text: its files, each with its content. */
#define HAS(path, content) path "\1" content "\2"
#define PCI(place)         "/sys/bus/pci/devices/" place "/"
#define CARD(place, class, vendor, device)                                                                             \
    HAS(PCI(place) "class", class) HAS(PCI(place) "vendor", vendor) HAS(PCI(place) "device", device)
#define BY(place, driver) HAS(PCI(place) "uevent", "DRIVER=" driver "\nPCI_CLASS=30000\n")
#define NODE(place, node) HAS(PCI(place) "drm/" node "/dev", "226:128\n") HAS("/dev/dri/" node, "")
#define UHD_620           CARD("0000:00:02.0", "0x030000\n", "0x8086\n", "0x5917\n")
#define UHD_620_BY_I915   UHD_620 BY("0000:00:02.0", "i915") HAS(PCI("0000:00:02.0") "drm/renderD128/dev", "226:128\n")
#define UHD_620_WITH_NODE UHD_620 BY("0000:00:02.0", "i915") NODE("0000:00:02.0", "renderD128")
#define RADEON                                                                                                         \
    CARD("0000:0a:00.0", "0x030000\n", "0x1002\n", "0x73bf\n")                                                         \
    BY("0000:0a:00.0", "amdgpu") NODE("0000:0a:00.0", "renderD128")
#define GEFORCE               CARD("0000:01:00.0", "0x030200\n", "0x10de\n", "0x2684\n")
#define GEFORCE_BY_NVIDIA     GEFORCE BY("0000:01:00.0", "nvidia")
#define EMULATED              CARD("0000:00:01.0", "0x030000\n", "0x1234\n", "0x1111\n")
#define IN_WINDOWS            CARD("1c05:00:00.0", "0x030200\n", "0x1414\n", "0x008e\n") HAS("/dev/dxg", "")
#define IN_WINDOWS_WITH_INTEL IN_WINDOWS HAS("/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1/igd.inf", "")
#define RELEASE(text)         HAS("/etc/os-release", text)
#define DEBIAN                RELEASE("PRETTY_NAME=\"Debian\"\nID=debian\nVERSION_CODENAME=bookworm\n")
#define UBUNTU                RELEASE("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n")
#define VENDORS(name)         "/etc/OpenCL/vendors/" name ".icd"
#define ICD(name, library)    HAS(VENDORS(name), library "\n") HAS("/usr/lib/x86_64-linux-gnu/" library, "")
#define INTEL_PACKAGE(version)                                                                                         \
    HAS("/var/lib/dpkg/status", "Package: other\nVersion: 99.9\n\nPackage: intel-opencl-icd\n"                         \
                                "Status: install ok installed\nVersion: " version "\n")

#define INTEL_BY(library, version) UHD_620_WITH_NODE ICD("intel", library) INTEL_PACKAGE(version)
#define GEFORCE_WITH_NODE          GEFORCE_BY_NVIDIA HAS("/dev/nvidiactl", "")

/* The content of a device node that the caller may not use. */
#define FORBIDDEN "forbidden"

static bool may_use(const char *path)
{
    char line[16] = "";
    FILE *file = fopen(path, "r");
    bool is_read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    return !is_read || strcmp(line, FORBIDDEN) != 0;
}

/* The environment: one variable, "NAME=VALUE"; NULL: none. */
static const char *environment;

/* Of a process, in words; NULL: there is none. */
static const char *limits;

static char *variable_of(const char *name)
{
    const size_t length = strlen(name);
    const bool is_set = environment && strncmp(environment, name, length) == 0 && environment[length] == '=';
    return is_set ? (char *)(uintptr_t)environment + length + 1 : NULL;
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

/* A source of devices that gave none: "opencl libpocl.so failed why it was so", "cuda - crashed why"; a line each. */
static void absent_add(json_t *list, const char *lines)
{
    char *text = strdup(lines), *rest = text;
    while (rest) {
        char *reason = strsep(&rest, "\n");
        const char *backend = strsep(&reason, " "), *source = strsep(&reason, " "), *status = strsep(&reason, " ");
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "backend", backend, "source",
                                        strcmp(source, "-") == 0 ? "" : source, "status", status, "reason", reason));
    }
    free(text);
}

static enum { NOTHING, PROC, SYS } lacks; /* what is not mounted */

static struct pool texts_of_diagnoses;

static void texts_release(void)
{
    pool_release(&texts_of_diagnoses);
}

TestSuite(doctor, .fini = texts_release);

/* The listing gets a line for each .icd file of the machine, as that of a driver without a platform. */
static struct diagnosis tried(const char *machine, const struct listing *listing, const struct probe *probe)
{
    enum { FILES_MAX = 32 };
    struct record_file file[FILES_MAX] = { { NULL, NULL } };
    struct listing whole = listing ? *listing : (struct listing){ .devices = 0 };
    char *texts = strdup(machine), *rest = texts;
    whole.absent = whole.absent ? json_copy(whole.absent) : json_array();
    for (unsigned i = 0; *rest; i++) {
        cr_assert_lt(i + 3, FILES_MAX);
        file[i].path = strsep(&rest, "\1");
        file[i].text = strsep(&rest, "\2");
        if (strstr(file[i].path, ".icd") && !is_listed(whole.absent, file[i].path))
            absent_add(whole.absent,
                       text_print("opencl %s unsupported a driver without a platform", file[i].path).text);
    }
    unsigned files = 0;
    while (file[files].path)
        files++;
    file[files] = (struct record_file){ lacks == PROC ? "/proc" : "/proc/self/stat", "" };
    file[files + 1] = (struct record_file){ lacks == SYS ? "/sys" : "/sys/bus/uevent", "" };
    struct tree tree = tree_make(file);
    const struct machine_view view = {
        tree.root, &whole, may_use, variable_of, probe, "", limits, &texts_of_diagnoses
    };
    struct diagnosis diagnosis;
    diagnosis_make(&diagnosis, &view);
    for (unsigned i = 0; i < diagnosis.findings; i++)
        cr_expect(!strpbrk(diagnosis.finding[i].text, "{}") && !strpbrk(diagnosis.finding[i].command, "{}"),
                  "%s has a name without a fact: %s", diagnosis.finding[i].text, diagnosis.finding[i].command);
    json_decref(whole.absent);
    tree_remove(&tree);
    free(texts);
    return diagnosis;
}

static struct diagnosis of(const char *machine, const struct listing *listing)
{
    return tried(machine, listing, NULL);
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

static void expect_finding(const struct diagnosis *diagnosis, const char *about, const char *says, const char *fix)
{
    const struct finding *finding = find(diagnosis, about);
    cr_expect_eq(finding->is_fine, !fix, "%s: %s; %s", about, finding->text, finding->command);
    cr_expect(strstr(finding->text, says), "'%s' does not say '%s'", finding->text, says);
    cr_expect(!fix || strstr(finding->command, fix), "'%s' is not '%s'", finding->command, fix);
}

struct diagnosis_case {
    const char *machine;            /* NULL: that of the row before, with what was found there */
    const char *about, *says, *fix; /* fix NULL: it is called fine */
    const char *variable, *absent;  /* NULL: none */
    const char *limit;              /* of address space */
};

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof rows / sizeof *rows)
static void expect_rows(const struct diagnosis_case rows[], size_t count)
{
    struct diagnosis found;
    for (size_t i = 0; i < count; i++) {
        const struct diagnosis_case *row = &rows[i];
        struct listing listing = { .absent = json_array() };
        if (row->absent)
            absent_add(listing.absent, row->absent);
        environment = row->variable;
        limits = row->limit;
        if (row->machine)
            found = of(row->machine, &listing);
        json_decref(listing.absent);
        expect_finding(&found, row->about, row->says, row->fix);
    }
    environment = limits = NULL;
}

Test(doctor, without_a_driver_file_the_package_of_the_distribution_is_named)
{
    static const char named[] = DEBIAN UHD_620_WITH_NODE ICD("pocl", "libpocl.so.2")
        HAS("/usr/share/misc/pci.ids", "8086  Intel Corporation\n\t5916  HD Graphics 620\n\t5917  UHD Graphics 620\n");
    static const struct diagnosis_case rows[] = {
        { named, "Intel UHD Graphics 620 [8086:5917] at 0000:00:02.0", "no OpenCL driver for it is installed",
          .fix = "sudo apt install intel-opencl-icd" },
        { NULL, "pocl.icd", "libpocl.so.2 is for CPUs, and lists none", .fix = "clinfo" },
        { RELEASE("ID=gentoo\n") UHD_620_WITH_NODE, "Intel [8086:5917]", "no OpenCL driver",
          .fix = "# no package here is known to support it; try Mesa's rusticl" },
        { DEBIAN GEFORCE_WITH_NODE ICD("rusticl", "libRusticlOpenCL.so.1"), "NVIDIA [10de:2684]",
          "no OpenCL driver for it is installed", .fix = "sudo apt install nvidia-opencl-icd" },
    };
    EXPECT_ROWS(rows);
}

Test(doctor, no_access_to_the_render_node_needs_a_group)
{
    static const struct diagnosis_case rows[] = {
        { UHD_620 BY("0000:00:02.0", "i915") HAS(PCI("0000:00:02.0") "drm/renderD129/dev", "226:128\n")
              HAS("/dev/dri/renderD129", FORBIDDEN) ICD("intel", "libigdrcl.so"),
          "0000:00:02.0", "you have no access to /dev/dri/renderD129", .fix = "sudo usermod -aG render $USER" },
        { GEFORCE_BY_NVIDIA HAS("/dev/nvidiactl", FORBIDDEN), "0000:01:00.0",
          "you have no access to /dev/nvidiactl, which belongs to the group video",
          .fix = "sudo usermod -aG video $USER" },
    };
    EXPECT_ROWS(rows);
}

/* rpm's versions are not read: there the driver is that of the release. Of two drivers the vendor's counts. */
Test(doctor, a_driver_that_does_not_serve_the_chip_is_told_with_the_one_that_does)
{
    static const struct diagnosis_case rows[] = {
        { UBUNTU INTEL_BY("libigdrcl.so", "24.39.31294.20-1"), "0000:00:02.0",
          "intel gen9, and Intel's OpenCL driver 24.39.31294.20-1 does not support it: versions before 24.35 do",
          .fix = "sudo apt install intel-opencl-icd-legacy" },
        { UBUNTU INTEL_BY("libigdrcl.so", "24.31.30508.7-1"), "0000:00:02.0",
          "are installed, but OpenCL does not show it", .fix = "clinfo" },
        { UBUNTU INTEL_BY("libigdrcl.so", "22.43.24595.41-1"), "0000:00:02.0",
          "are installed, but OpenCL does not show it", .fix = "clinfo" },
        { RELEASE("ID=fedora\n") UHD_620_WITH_NODE ICD("intel", "libigdrcl.so"), "0000:00:02.0",
          "Intel's OpenCL driver 25.48 does not support it", .fix = "dnf install mesa-libOpenCL" },
        { RADEON ICD("mesa", "libRusticlOpenCL.so.1") ICD("other", "libamdocl64.so"), "0000:0a:00.0",
          "its OpenCL driver libamdocl64.so are installed", .fix = "clinfo" },
        /* the package that is installed is not proposed, whatever version of it the release has */
        { RELEASE("ID=ubuntu\nVERSION_CODENAME=noble\n") INTEL_BY("libigdrcl.so", "24.39.31294.20-1"), "0000:00:02.0",
          "versions before 24.35 do", .fix = "sudo apt install mesa-opencl-icd" },
        { DEBIAN CARD("0000:00:02.0", "0x030000\n", "0x8086\n", "0x22b0\n") BY("0000:00:02.0", "i915")
              NODE("0000:00:02.0", "renderD128") ICD("intel", "libigdrcl.so") INTEL_PACKAGE("22.43.24595.41-1"),
          "0000:00:02.0", "does not support it: no version does", .fix = "sudo apt install mesa-opencl-icd" },
        /* other drivers serve chips of their own */
        { UBUNTU INTEL_BY("libigdrcl_legacy1.so", "24.39.31294.20-1"), "0000:00:02.0",
          "libigdrcl_legacy1.so are installed", .fix = "clinfo" },
        { UBUNTU UHD_620_WITH_NODE ICD("rusticl", "libRusticlOpenCL.so.1") INTEL_PACKAGE("24.39.31294.20-1"),
          "0000:00:02.0", "libRusticlOpenCL.so.1 are installed", .fix = "clinfo" },
    };
    EXPECT_ROWS(rows);
}

/* If RUSTICL_ENABLE is not set, this program sets it: the reason is that of the driver. */
Test(doctor, a_variable_that_hides_devices_is_named)
{
    static const struct diagnosis_case rows[] = {
        { RADEON ICD("rusticl", "libRusticlOpenCL.so.1"), "AMD [1002:73bf]", "RUSTICL_ENABLE is \"llvmpipe\"",
          .fix = "export RUSTICL_ENABLE=radeonsi", .variable = "RUSTICL_ENABLE=llvmpipe" },
        { RADEON ICD("rusticl", "libRusticlOpenCL.so.1"), "AMD [1002:73bf]",
          "does not show it: rusticl: a platform without devices", .fix = "clinfo",
          .absent = "opencl " VENDORS("rusticl") " unsupported rusticl: a platform without devices" },
        { UHD_620_BY_I915 HAS("/dev/dri/renderD128", "") ICD("rusticl", "libRusticlOpenCL.so.1"), "0000:00:02.0",
          "RUSTICL_ENABLE is \"llvmpipe\"", .fix = "export RUSTICL_ENABLE=iris",
          .variable = "RUSTICL_ENABLE=llvmpipe" },
        { GEFORCE_WITH_NODE HAS("/sys/module/nvidia/version", "535.183.01\n") ICD("nvidia", "libnvidia-opencl.so.1"),
          "NVIDIA [10de:2684]", "CUDA_VISIBLE_DEVICES is \"\"", .fix = "unset CUDA_VISIBLE_DEVICES",
          .variable = "CUDA_VISIBLE_DEVICES=" },
        { GEFORCE_WITH_NODE ICD("nvidia", "libnvidia-opencl.so.1"), "NVIDIA [10de:2684]",
          "are installed, but OpenCL does not show it", .fix = "clinfo", .variable = "NVIDIA_VISIBLE_DEVICES=all" },
        { RADEON ICD("amd", "libamdocl64.so"), "AMD [1002:73bf]", "libamdocl64.so are installed", .fix = "clinfo",
          .variable = "RUSTICL_ENABLE=llvmpipe" },
        { GEFORCE_WITH_NODE, "NVIDIA [10de:2684]", "OCL_ICD_VENDORS is \"/nowhere\"", .fix = "unset OCL_ICD_VENDORS",
          .variable = "OCL_ICD_VENDORS=/nowhere" },
        { "", "opencl", "no driver in that folder", .fix = NULL,
          .absent = "opencl - unsupported no driver in that folder" },
        { "", "opencl", "no driver in that folder", .fix = "unset OCL_ICD_VENDORS",
          .variable = "OCL_ICD_VENDORS=/nowhere", .absent = "opencl - unsupported no driver in that folder" },
    };
    EXPECT_ROWS(rows);
}

/* What the shell sets is proposed before a package. */
Test(doctor, a_failure_is_put_down_to_the_variable_or_the_limit_that_causes_it)
{
    static const char limit[] = "ulimit -v allows 307 MB of address space";
    static const struct {
        const char *absent, *about, *variable, *fix;
        bool is_limited;
    } rows[] = {
        { "opencl other.so failed why", "other", "OCL_ICD_VENDORS=/x", "unset OCL_ICD_VENDORS", false },
        { "opencl other.so failed why", "other", "OCL_ICD_FILENAMES=x", "unset OCL_ICD_FILENAMES", false },
        { "opencl - unsupported why", "opencl", "OPENCL_VENDOR_PATH=x", "unset OPENCL_VENDOR_PATH", false },
        { "opencl - failed why", "opencl", "LD_LIBRARY_PATH=/x", "unset LD_LIBRARY_PATH", false },
        { "opencl - crashed why", "opencl", NULL, "clinfo", false },
        { "opencl - unsupported why", "opencl", "LD_LIBRARY_PATH=/x", NULL, false },
        { "opencl libpocl.so unsupported why", "pocl", "POCL_DEVICES=x", "unset POCL_DEVICES", false },
        { "opencl other.so failed why", "other", "HWLOC_COMPONENTS=x", "reinstall", false },
        { "opencl libpocl.so failed why", "pocl", "HWLOC_COMPONENTS=x", "unset HWLOC_COMPONENTS", false },
        { "opencl libpocl.so failed why", "pocl", NULL, "reinstall", false },
        { "opencl libpocl.so crashed why", "pocl", NULL, "without the limit", true },
        { "cuda - crashed why", "NVIDIA", NULL, "without the limit", true },
        { "cuda - crashed why", "NVIDIA", NULL, "nvidia-smi", false },
        { "cpu - timeout why", "cpu", NULL, "without the limit", true },
        { "cpu - usage why", "cpu", "HWLOC_COMPONENTS=x", "unset HWLOC_COMPONENTS", false },
        { "cpu - failed why", "cpu", NULL, "lstopo", false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_rows(&(struct diagnosis_case){ "", rows[i].about, "why", rows[i].fix, rows[i].variable, rows[i].absent,
                                              rows[i].is_limited ? limit : NULL },
                    1);
    expect_rows(&(struct diagnosis_case){ "", "limits", .says = limit, .limit = limit }, 1);
}

Test(doctor, an_adapter_without_a_driver_needs_module_firmware_modesetting_or_its_node)
{
    static const struct diagnosis_case rows[] = {
        { UBUNTU GEFORCE BY("0000:01:00.0", "nouveau"), "NVIDIA [10de:2684]", "its kernel driver is nouveau",
          .fix = "sudo ubuntu-drivers install && sudo reboot" },
        { DEBIAN UHD_620, "0000:00:02.0", "the firmware that i915 loads is not installed (/lib/firmware/i915)",
          .fix = "sudo apt install firmware-misc-nonfree && sudo reboot   # of non-free-firmware" },
        { UHD_620 HAS("/lib/firmware/i915/kbl.bin", "") HAS("/proc/cmdline", "quiet radeon.nomodeset=0\n"),
          "0000:00:02.0", "the module i915 is not loaded", .fix = "sudo modprobe i915" },
        { UHD_620 HAS("/lib/firmware/i915/kbl.bin", "") HAS("/sys/module/i915/refcnt", "0"), "0000:00:02.0",
          "but the module i915 is loaded", .fix = "dmesg" },
        { UHD_620 HAS("/proc/cmdline", "quiet nomodeset splash\n"), "0000:00:02.0", "started with nomodeset",
          .fix = "nomodeset" },
        { DEBIAN GEFORCE, "NVIDIA", "the module nvidia is not loaded", .fix = "sudo apt install nvidia-driver" },
        { UHD_620_BY_I915 HAS("/.dockerenv", ""), "0000:00:02.0",
          "this is a container (/.dockerenv), and it was not given /dev/dri/renderD128", .fix = "--device /dev/dri" },
        { UHD_620_BY_I915, "0000:00:02.0", "there is no /dev/dri/renderD128", .fix = "udevadm" },
        { GEFORCE_BY_NVIDIA HAS("/.dockerenv", ""), "NVIDIA", "was not given /dev/nvidiactl",
          .fix = "docker run --gpus all" },
    };
    EXPECT_ROWS(rows);
}

Test(doctor, windows_needs_a_driver_that_computes_or_an_update)
{
    static const struct diagnosis_case rows[] = {
        { RELEASE("ID=ubuntu\nVERSION_CODENAME=noble\n") IN_WINDOWS_WITH_INTEL, "Windows", "is not installed",
          .fix = "sudo apt install intel-opencl-icd" },
        { RELEASE("ID=ubuntu\nVERSION_CODENAME=questing\n") IN_WINDOWS_WITH_INTEL ICD("intel", "libigdrcl.so"),
          "Windows", "generations 9 and 11 need Intel's driver before 24.35",
          .fix = "sudo apt install intel-opencl-icd-legacy" },
        { RELEASE("ID=ubuntu\nVERSION_CODENAME=noble\n") IN_WINDOWS_WITH_INTEL ICD("rusticl", "libRusticlOpenCL.so.1"),
          "Windows", "is not installed", .fix = "sudo apt install intel-opencl-icd" },
        { IN_WINDOWS HAS("/usr/lib/wsl/lib/libcuda.so.1", ""), "Windows", "has CUDA for Linux, but shows no GPU",
          .fix = "nvidia-smi" },
        { IN_WINDOWS, "Windows", "provides nothing", .fix = "# in Windows" },
        { HAS("/usr/lib/wsl/lib/libcuda.so.1", ""), "Windows", "no /dev/dxg", .fix = "wsl.exe --update" },
    };
    struct device device = { .id = "opencl:0", .backend = "opencl", .class = CLASS_IGPU };
    const struct listing listing = { .device = &device, .devices = 1 };
    const struct diagnosis found = of(rows[1].machine, &listing);
    expect_finding(&found, "Windows", "/dev/dxg exists", NULL);
    EXPECT_ROWS(rows);
}

Test(doctor, the_cpu_side_is_examined_too)
{
    static const char *const governor = "echo performance | sudo tee "
                                        "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    const struct diagnosis_case rows[] = {
        { DEBIAN HAS("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
              HAS("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"),
          "OpenBLAS", "not installed", .fix = "sudo apt install libopenblas0-openmp" },
        { NULL, "oneDNN", "not installed", .fix = "sudo apt install libdnnl-dev" },
        { NULL, "CLBlast", "not installed", .fix = "sudo apt install libclblast1" },
        { NULL, "clock", "powersave", .fix = governor },
        { NULL, "huge pages", "off", .fix = "transparent_hugepage/enabled" },
        { HAS("/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0", "") HAS("/usr/lib64/libdnnl.so.3.6", "")
              HAS("/usr/local/lib/libclblast.so.1", "")
                  HAS("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n")
                      HAS("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
          "OpenBLAS", "openblas-openmp/libopenblas.so.0 is installed", .fix = NULL },
        { NULL, "oneDNN", "libdnnl.so.3.6 is installed", .fix = NULL },
        { HAS("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
              HAS("/sys/devices/system/cpu/intel_pstate/max_perf_pct", "25\n"),
          "clock", "max_perf_pct is 25 instead of 100",
          .fix = "echo 100 | sudo tee /sys/devices/system/cpu/intel_pstate/max_perf_pct",
          .variable = "HWLOC_XMLFILE=/x", .absent = "cpu - usage HWLOC_XMLFILE describes another machine" },
        { NULL, "cpu", "HWLOC_XMLFILE describes another machine", .fix = "unset HWLOC_XMLFILE" },
    };
    EXPECT_ROWS(rows);
    struct diagnosis found = of(rows[0].machine, NULL);
    cr_expect_eq(diagnosis_troubles(&found), 5);
    cr_expect_str_eq(found.headline,
                     "No GPU on this machine: there is no graphics adapter or accelerator on the PCI bus");
    found = of(rows[5].machine, NULL);
    cr_expect_eq(diagnosis_troubles(&found), 0);
}

Test(doctor, a_driver_that_cannot_be_loaded_is_installed_again)
{
    static const struct diagnosis_case rows[] = {
        { DEBIAN RADEON ICD("amd", "libamdocl64.so"), "0000:0a:00.0",
          "the OpenCL driver of /etc/OpenCL/vendors/amd.icd does not work: libamdocl64.so: cannot open",
          .fix = "sudo apt install ",
          .absent = "opencl " VENDORS("amd") " failed libamdocl64.so: cannot open shared object file" },
        { RELEASE("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n") ICD("intel", "libintelocl.so")
              ICD("mesa", "libMesaOpenCL.so.1") HAS(VENDORS("void"), ""),
          "intel.icd", "its driver libintelocl.so does not work: libimf.so: cannot open",
          .fix = "rpm -qf /etc/OpenCL/vendors/intel.icd   # then reinstall that package",
          .absent =
              "opencl " VENDORS("intel") " failed libimf.so: cannot open shared object file"
                                         "\n"
                                         "opencl " VENDORS("mesa") " unsupported Clover: a platform without devices" },
        { NULL, "void.icd", "it names no driver", .fix = "rpm -qf /etc/OpenCL/vendors/void.icd" },
        { NULL, "mesa.icd", "its driver libMesaOpenCL.so.1 exists; Clover: a platform without devices", .fix = NULL },
        { NULL, "OpenBLAS", "not installed", .fix = "sudo zypper install libopenblas_openmp0" },
        { NULL, "CLBlast", "not installed", .fix = "# install the package that Debian calls libclblast1" },
        { HAS(VENDORS("a"), "libpocl.so.2"), "a.icd", "", .fix = "" }, /* without a device one for CPUs is a problem */
        { HAS(VENDORS("a"), "/opt/intel/lib/libintelocl.so"), "a.icd", "", .fix = "" },
        { HAS(VENDORS("a"), "libMesaOpenCL.so.1"), "a.icd", "", .fix = NULL },
        { HAS(VENDORS("a"), "libRusticlOpenCL.so.1"), "a.icd", "", .fix = NULL },
    };
    EXPECT_ROWS(rows);
}

/* GPUs on no PCI bus. tests/scripts/test_setup.sh has the same names. */
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
    environment = "RUSTICL_ENABLE=llvmpipe";
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char machine[1024];
        const bool has_rusticl = rows[i].command && strstr(rows[i].command, "RUSTICL");
        snprintf(machine, sizeof machine,
                 DEBIAN HAS("/sys/bus/platform/devices/ff9a0000.gpu/uevent", "%s%s%sOF_NAME=gpu\n%sOF_COMPATIBLE_N=2\n")
                     HAS("/sys/bus/platform/devices/display/drm/renderD128/dev", "226:128\n")
                         HAS("/dev/dri/renderD128", "") "%s",
                 *rows[i].driver ? "DRIVER=" : "", rows[i].driver, *rows[i].driver ? "\n" : "", rows[i].names,
                 has_rusticl ? HAS(VENDORS("rusticl"), "libRusticlOpenCL.so.1\n") : "");
        const struct diagnosis found = of(machine, NULL);
        if (rows[i].subject)
            expect_finding(&found, rows[i].subject, rows[i].says, rows[i].command);
        else
            cr_expect(strstr(found.headline, "No GPU on this machine"), "%s", found.headline);
    }
}

Test(doctor, an_adapter_of_a_hypervisor_or_a_bmc_is_no_problem)
{
#define SHOWS(vendor, device) CARD("0000:00:01.0", "0x030000\n", vendor, device) BY("0000:00:01.0", "some"), "00:01.0"
    static const struct diagnosis_case rows[] = {
        { SHOWS("0x1af4", "0x1050"), .says = "virtio" },
        { SHOWS("0x1b36", "0x0100"), .says = "QXL" },
        { SHOWS("0x15ad", "0x0405"), .says = "VMware" },
        { SHOWS("0x1414", "0x5353"), .says = "Hyper-V" },
        { SHOWS("0x1a03", "0x2000"), .says = "ASPEED" },
        { SHOWS("0x1234", "0x1111"), .says = "QEMU" },
        { NULL, "00:01.0", .says = "a display adapter that cannot compute" },
    };
    EXPECT_ROWS(rows);
}

/* A Radeon with a known place, and an Intel GPU that only its vendor identifies. */
Test(doctor, of_two_adapters_the_one_that_is_shown_is_fine)
{
    static const char machine[] = DEBIAN UHD_620 BY("0000:00:02.0", "i915") NODE("0000:00:02.0", "renderD129")
        RADEON ICD("rusticl", "libRusticlOpenCL.so.1");
    struct device device[2] = { { .id = "opencl:0", .backend = "opencl", .class = CLASS_DGPU },
                                { .id = "cuda:0", .backend = "cuda", .class = CLASS_DGPU } };
    struct listing listing = { .device = device, .devices = 1 };
    strcpy(device[0].silicon, "pci 0000:0a:00.0");
    struct diagnosis found = of(machine, &listing);
    expect_finding(&found, "0000:0a:00.0", "shown as opencl:0", NULL);
    expect_finding(&found, "0000:00:02.0", "does not show it", "clinfo");

    strcpy(device[0].silicon, "");
    strcpy(device[0].vendor, "Intel(R) Corporation");
    found = of(machine, &listing);
    expect_finding(&found, "0000:00:02.0", "shown as opencl:0", NULL);
    expect_finding(&found, "0000:0a:00.0", "does not show it", "clinfo");

    listing.devices = 2;
    strcpy(device[1].silicon, "pci 0000:0A:00.0");
    found = of(machine, &listing);
    expect_finding(&found, "0000:0a:00.0", "shown as cuda:0", NULL);

    /* two of one vendor, of which no place is known */
    for (unsigned i = 0; i < 2; i++) {
        snprintf(device[i].id, sizeof device[i].id, "opencl:%u", i);
        strcpy(device[i].backend, "opencl");
        strcpy(device[i].silicon, "");
        strcpy(device[i].vendor, "Intel(R) Corporation");
    }
    found = of(UHD_620 CARD("0000:03:00.0", "0x030000\n", "0x8086\n", "0x56a0\n"), &listing);
    expect_finding(&found, "0000:00:02.0", "shown as opencl:0", NULL);
    expect_finding(&found, "0000:03:00.0", "shown as opencl:1", NULL);

    listing.devices = 1;
    device[0].class = CLASS_CPU;
    found = of(DEBIAN UHD_620 BY("0000:00:02.0", "i915"), &listing);
    cr_expect_not(find(&found, "0000:00:02.0")->is_fine, "a CPU device does not count for an adapter");
}

/* By the last number of the chip; "46a6=": none is known to support it. tests/scripts/test_setup.sh has the same
 * machines.
 */
Test(doctor, the_package_is_the_one_that_serves_the_chip_on_this_release)
{
    static const struct {
        const char *release, *installs, *chips;
    } machines[] = {
        { "ID=debian\nVERSION_CODENAME=bookworm\n", "apt install",
          "5917=intel-opencl-icd 7d55=mesa-opencl-icd 22b0=mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=trixie\n", "apt install", "5917=mesa-opencl-icd 46a6=mesa-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=forky\n", "apt install", "5917=mesa-opencl-icd 46a6=intel-opencl-icd" },
        { "ID=debian\nVERSION_CODENAME=bullseye\n", "apt install", "46a6=" },
        { "ID=ubuntu\nVERSION_CODENAME=focal\n", "apt install", "5917=intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=jammy\n", "apt install", "5917=intel-opencl-icd 7d55=" },
        { "ID=ubuntu\nVERSION_CODENAME=noble\n", "apt install",
          "5917=intel-opencl-icd 64a0=mesa-opencl-icd 4626=intel-opencl-icd b080=mesa-opencl-icd" },
        { "ID=linuxmint\nID_LIKE=debian\nVERSION_CODENAME=gigi\nDEBIAN_CODENAME=trixie\n", "apt install",
          "46a6=mesa-opencl-icd" },
        { "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nUBUNTU_CODENAME=noble\n", "apt install", "5917=intel-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=questing\n", "apt install",
          "5917=intel-opencl-icd-legacy 64a0=intel-opencl-icd d740=mesa-opencl-icd" },
        { "ID=ubuntu\nVERSION_CODENAME=resolute\n", "apt install",
          "5917=intel-opencl-icd-legacy d740=intel-opencl-icd" },
        { "VERSION_CODENAME=\nID=fedora\nVERSION_ID=42\n", "dnf install", "5917=mesa-libOpenCL" },
        { "ID=fedora\n", "dnf install", "46a6=intel-opencl" },
        { "ID=arch\n", "pacman -S", "5917=opencl-mesa ffff=intel-compute-runtime" },
        { "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "zypper install", "5917=Mesa-libRusticlOpenCL" },
        { "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "zypper install", "46a6=" },
        { "VERSION_CODENAME=bookworm\nID=other\n", "apt install", "5917=intel-opencl-icd" },
    };
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        char *chips = strdup(machines[i].chips), *rest = chips;
        for (char *package; (package = strsep(&rest, " "));) {
            const char *chip = strsep(&package, "=");
            const struct text machine =
                text_print(RELEASE("%s") CARD("0000:00:02.0", "0x030000\n", "0x8086\n", "0x%s\n")
                               BY("0000:00:02.0", "i915") NODE("0000:00:02.0", "renderD128"),
                           machines[i].release, chip);
            const struct text wanted =
                *package ? text_print("sudo %s %s", machines[i].installs, package)
                         : text_print("# no package here is known to support it; try Mesa's rusticl, or "
                                      "github.com/intel/compute-runtime/releases");
            const struct diagnosis found = of(machine.text, NULL);
            cr_expect_str_eq(find(&found, "0000:00:02.0")->command, wanted.text, "%s %s: %s", machines[i].release, chip,
                             find(&found, "0000:00:02.0")->command);
        }
        free(chips);
    }
}

Test(doctor, control_characters_are_removed)
{
    const struct diagnosis found = of(HAS(VENDORS("a"), "\x1b[31mlib\xff.so\n"), NULL);
    for (unsigned i = 0; i < found.findings; i++)
        cr_expect(!strchr(found.finding[i].text, '\x1b') && !strchr(found.finding[i].subject, '\x1b'));
}

Test(doctor, problems_come_first_with_their_command_on_a_line)
{
    struct diagnosis found = of(DEBIAN GEFORCE BY("0000:01:00.0", "nouveau"), NULL);
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

/* Of two adapters the one that could compute is the reason. */
Test(doctor, the_headline_is_the_gpus_or_why_there_is_none)
{
    static const struct {
        const char *machine, *begins, *says;
    } none[] = {
        { EMULATED HAS("/.dockerenv", ""), "No GPU on this machine: ", "a display adapter that cannot compute" },
        { HAS("/.dockerenv", ""), "", "on the PCI bus of this container" },
        { EMULATED CARD("0000:00:03.0", "0x030000\n", "0x1af4", "0x1050"),
          "No GPU on this machine: ", "at 0000:00:01.0: a display adapter that cannot compute" },
        { EMULATED GEFORCE BY("0000:01:00.0", "nouveau"),
          "No GPU can be used: NVIDIA [10de:2684] at 0000:01:00.0: ", "" },
        { RELEASE("ID=ubuntu\nVERSION_CODENAME=noble\n") IN_WINDOWS_WITH_INTEL,
          "No GPU can be used: Windows subsystem for Linux", "" },
    };
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        const struct diagnosis found = of(none[i].machine, NULL);
        cr_expect(strstr(found.headline, none[i].begins) == found.headline && strstr(found.headline, none[i].says),
                  "%s", found.headline);
        cr_expect_not(found.has_gpu);
    }
    struct device device[3] = { { .id = "cpu", .backend = "cpu", .class = CLASS_CPU, .name = "a processor" },
                                { .id = "opencl:0", .backend = "opencl", .class = CLASS_CPU },
                                { .id = "cuda:0", .backend = "cuda", .class = CLASS_DGPU, .name = "a card" } };
    struct listing listing = { .device = device, .devices = 3 };
    struct diagnosis found = of(none[1].machine, &listing);
    cr_expect_str_eq(found.headline, "GPU: cuda:0 a card");
    cr_expect(found.has_gpu);
    listing.devices = 2;
    found = of(none[1].machine, &listing);
    cr_expect_not(found.has_gpu);
}

/* Without /proc nothing else is said, as no process can be started. */
Test(doctor, what_is_not_mounted_is_named)
{
    static const char *const says[] = { [PROC] = "/proc is not mounted", [SYS] = "/sys is not mounted" };
    static const char *const fix[] = {
        [PROC] = "sudo mount -t proc proc /proc", [SYS] = "sudo mount -t sysfs sysfs /sys"
    };
    for (lacks = PROC; lacks <= SYS; lacks++) {
        const struct diagnosis found = of(DEBIAN, NULL);
        expect_finding(&found, "this system", says[lacks], fix[lacks]);
        cr_expect(strstr(found.headline, says[lacks]), "%s", found.headline);
        cr_expect_eq(found.findings == 1, lacks == PROC, "%u findings", found.findings);
    }
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
    struct device device[3] = { 0 };
    struct listing listing = { .device = device, .devices = 1 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        *device = (struct device){
            .id = "cpu", .backend = "cpu", .class = CLASS_CPU, .works_in_host_memory = true, .threads = 4
        };
        strcpy(device->blas_core, cases[i].core);
        strcpy(device->blas_better, cases[i].better);
        strcpy(device->blas_bound, cases[i].bound);
        environment = i == 0 ? "OMP_THREAD_LIMIT=2" : NULL;
        const struct diagnosis found = of(DEBIAN, &listing);
        expect_finding(&found, "OpenBLAS kernels", cases[i].says, cases[i].command);
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
        { "", true, false, NULL, "a device [dGPU]: a test ran, and its result was right", "", false },
        { "", true, false, "clBuildProgram answered CL_COMPILER_NOT_AVAILABLE (-3)",
          "does not compute: clBuildProgram answered CL_COMPILER_NOT_AVAILABLE (-3)", "sudo dmesg", false },
        { "Portable Computing Language", true, true, NULL, "its driver's cache of compiled kernels is damaged",
          "rm -r '", false },
        { "", true, false, "crashed; it printed last: no memory", "it printed last: no memory", "sudo dmesg", false },
    };
    struct device device = { .id = "opencl:0", .backend = "opencl", .class = CLASS_DGPU, .name = "a device" };
    struct listing listing = { .device = &device, .devices = 1 };
    struct probe probe;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        probe = (struct probe){ .is_done = cases[i].is_done, .has_damaged_cache = cases[i].has_damaged_cache };
        strcpy(device.platform, cases[i].platform);
        if (cases[i].failure)
            fail(&probe.outcome, STATUS_FAILED, "%s", cases[i].failure);
        struct diagnosis found = tried(DEBIAN, &listing, i == 0 ? NULL : &probe);
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
    static const char with[] = DEBIAN GEFORCE_WITH_NODE HAS("/sys/module/nvidia/version", "535.183.01\n")
        ICD("nvidia", "libnvidia-opencl.so.1");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listing listing = { .absent = json_array() };
        absent_add(listing.absent, text_print("cuda - %s %s", cases[i].status, reason).text);
        struct diagnosis found = of(cases[i].has_adapter ? with : "", &listing);
        cr_expect_eq(strstr(found.headline, reason) != NULL, cases[i].is_cause, "case %u: %s", i, found.headline);
        if (cases[i].is_cause)
            expect_finding(&found, "NVIDIA", reason, "nvidia-smi");
        unsigned times = 0;
        for (unsigned k = 0; k < found.findings; k++)
            times += strstr(found.finding[k].text, reason) != NULL;
        cr_expect_eq(times, cases[i].is_cause, "case %u: %u times", i, times);
        cr_expect(doctor_why_no_gpu(&texts_of_diagnoses, &listing));
        json_decref(listing.absent);
    }
}

/* --- the tables --- */

extern const char *const findings_lines[];

static bool is_package(const char *name)
{
    char start[80];
    const int length = snprintf(start, sizeof start, "package %s ", name);
    for (const char *const *line = gpu_driver_lines; *line; line++)
        if (strncmp(*line, start, (size_t)length) == 0)
            return true;
    return false;
}

static const char vendor_facts[] = "module modules firmware_package nodes group make_node give_node opencl rusticl "
                                   "hiding api";

/* The lines of gpu_drivers.txt: all fields of their kind, and nothing after the last. */
static const char driver_line[] = "^(chip +[0-9a-f]{4} +[0-9a-f]{4} +[^ ]+ +[0-9.]+ +[0-9.]+"
                                  "|release +[^ ]+ +[0-9.]+( +[^ ]+){4}"
                                  "|package +[^ ]+ +[^ ]+ +[^ ].*"
                                  "|vendor +(any|Intel|AMD|NVIDIA|Arm|Qualcomm|Broadcom) +[a-z_]+ +[^ ].*"
                                  "|soc +[^ ]+ +[0-9a-f]{4} +(NVIDIA|Arm|Qualcomm|Broadcom)"
                                  "|emulation +[0-9a-f]{4} +([0-9a-f]{4}|[*]) +[^ ].*)$";

Test(doctor, every_line_of_the_table_of_drivers_has_all_its_fields)
{
    regex_t form;
    char fact[64];
    unsigned first, last, lines = 0;
    cr_assert_eq(regcomp(&form, driver_line, REG_EXTENDED | REG_NOSUB), 0);
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        if (!**line || **line == '#')
            continue;
        lines++;
        cr_expect_eq(regexec(&form, *line, 0, NULL, 0), 0, "%s", *line);
        cr_expect(sscanf(*line, "chip %4x %4x", &first, &last) != 2 || first <= last, "%s", *line);
        cr_expect(sscanf(*line, "vendor %*s %63s", fact) != 1 || text_has_word(vendor_facts, fact), "%s", *line);
    }
    cr_expect_gt(lines, 100);
    regfree(&form);
}

/* Those that diagnosis.c sets, beside those of the vendors. */
static const char facts_set[] =
    "absence api_failure architecture better bound cache changed_by choice chosen_by class clblast_file command "
    "computes container core cuda damaged devices driver effect emulation end failed faulty_loader failure for_cpus "
    "forbidden governor gpu hidden_by hidden_to icd intel_package legacy_package library limit limits loader_path name "
    "no_cpu no_dxg no_files no_firmware no_node no_proc no_sys node nomodeset not_enabled note onednn_file "
    "openblas_file opencl_package other_package owner pages pocl_devices reason serving soc source topology_variable "
    "unloaded used variable vendor version windows_intel";

static bool is_fact(const char *name)
{
    return text_has_word(facts_set, name) || text_has_word(vendor_facts, name);
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

/* A kind, '@'; conditions, '?'; what is said if one holds; and what to type, '>' or '~'. */
Test(doctor, every_line_of_the_table_of_findings_names_kinds_and_facts_that_there_are)
{
    static const char kinds[] = "@system @adapter @wsl @device @limit @kernels @driver @host @api";
    /* after a line that begins so, t being what is said, comes one of these */
    static const char *const next[] = { "@?", "?t", "t?>~@", ">?@", "~?@" };
    char kind[16], before = '~';
    for (const char *const *line = findings_lines; *line; line++) {
        if (!**line || **line == '#')
            continue;
        const char is = strchr("@?>~", **line) ? **line : 't';
        cr_expect(is != '@' || (sscanf(*line, "%15s", kind) == 1 && text_has_word(kinds, kind)), "%s", *line);
        for (unsigned i = 0; i < sizeof next / sizeof *next; i++)
            cr_expect(*next[i] != before || strchr(next[i] + 1, is), "%s is out of order", *line);
        if (is != '@')
            expect_known_facts(*line, is == '?');
        before = is;
    }
    cr_expect(strchr("t>~", before));
}
