#include "bench/backends/common/nvml.h"
#include "bench/backends/cuda/cuda.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuda_attribute(const struct cuda_driver *driver, int ordinal, enum cuda_attribute attribute)
{
    int value = 0;
    return CUDA(driver, device_attribute, &value, (int)attribute, ordinal) == CUDA_OK ? value : 0;
}

struct cuda_target cuda_target_of(const struct cuda_driver *driver, int ordinal)
{
    struct cuda_target target = { .driver = 0 };
    CUDA(driver, version, &target.driver);
    target.architecture = 10 * cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MAJOR) +
                          cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MINOR);
    return target;
}

/* A GPU's function is always 0. A GPU that is not on a PCI bus, such as Tegra's, reports zeros, which is the address of
 * the bus's own bridge. */
void cuda_pci_text(const struct cuda_driver *driver, int ordinal, char to[CUDA_PCI_ROOM])
{
    const unsigned domain = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_DOMAIN) & 0xffff,
                   bus = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_BUS) & 0xff,
                   device = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_DEVICE) & 0xff;
    *to = '\0';
    if (domain + bus + device > 0)
        snprintf(to, CUDA_PCI_ROOM, "pci %04x:%02x:%02x.0", domain, bus, device);
}

/* Searches for every library that a method may use. None is loaded that is found in a folder. */
static void find_libraries(const struct cuda_driver *driver, int ordinal, struct device *out)
{
    const struct cuda_target target = cuda_target_of(driver, ordinal);
    _Static_assert((int)CUDA_LIBRARIES < (int)DEVICE_LIBRARIES_MAX, "every library has a place in a device");
    for (unsigned i = 0; i < CUDA_LIBRARIES; i++) {
        struct device_library *library = &out->library[i];
        struct cuda_found found;
        struct error err = { .status = STATUS_OK };
        text_copy(library->name, sizeof library->name, cuda_library_name((enum cuda_library)i));
        if (cuda_library_find((enum cuda_library)i, &target, &found, &err)) {
            text_copy(library->version, sizeof library->version, found.version);
            text_clean(library->path, sizeof library->path, found.path);
            text_copy(library->trouble, sizeof library->trouble, found.passed_over);
        } else {
            text_copy(library->trouble, sizeof library->trouble, err.message);
        }
    }
}

/* "MIG-1a2b3c4d", enough to tell the slices of one machine apart; "" for a whole GPU. A slice has the PCI address of
 * its GPU: it is the same silicon. */
enum { SLICE_ROOM = 16 };
static void slice_name(const struct cuda_driver *driver, int ordinal, char to[SLICE_ROOM])
{
    unsigned char whole[16] = { 0 }, part[16] = { 0 };
    *to = '\0';
    if (CUDA(driver, slice_uuid, part, ordinal) != CUDA_OK || CUDA(driver, device_uuid, whole, ordinal) != CUDA_OK ||
        memcmp(whole, part, sizeof whole) == 0)
        return;
    snprintf(to, SLICE_ROOM, "MIG-%02x%02x%02x%02x", part[0], part[1], part[2], part[3]);
}

static void note_add(struct device *device, const char *sentence)
{
    text_join(device->note, sizeof device->note, "; ", sentence);
}

/* Variables that change how the driver works, and those that renumber and hide devices. */
static void note_environment(struct device *device)
{
    static const struct {
        const char *name, *effect;
        bool is_switch; /* "0" changes nothing */
    } variables[] = {
        { "CUDA_LAUNCH_BLOCKING", "the host waits for each launch", true },
        { "CUDA_FORCE_PTX_JIT", "the driver accepts no machine code", true },
        { "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "limited to a part of the GPU", true },
        { "CUDA_VISIBLE_DEVICES", "sets the numbers", false },
        { "CUDA_DEVICE_ORDER", "sets the numbers", false },
    };
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i].name);
        if (value && *value && !(variables[i].is_switch && strcmp(value, "0") == 0))
            note_add(device, text_print("%s=%.60s: %s", variables[i].name, value, variables[i].effect).text);
    }
}

static void describe(const struct cuda_driver *driver, int ordinal, struct device *out)
{
    char name[sizeof out->name] = "", silicon[CUDA_PCI_ROOM], key[sizeof out->key];
    char slice[SLICE_ROOM];
    size_t bytes = 0;
    int version = 0;
    CUDA(driver, device_name, name, sizeof name, ordinal);
    CUDA(driver, device_memory, &bytes, ordinal);
    CUDA(driver, version, &version);
    cuda_pci_text(driver, ordinal, silicon);
    const char *pci = *silicon ? silicon + strlen("pci ") : "";
    text_copy(out->backend, sizeof out->backend, "cuda");
    text_clean(out->name, sizeof out->name, name);
    text_copy(out->vendor, sizeof out->vendor, "NVIDIA Corporation");
    text_copy(out->platform, sizeof out->platform, "NVIDIA CUDA");
    snprintf(out->api_version, sizeof out->api_version, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    /* "550.54.14", from the driver's kernel module: the library reports only the version of CUDA. */
    text_copy(out->driver_version, sizeof out->driver_version, host_line("", "/sys/module/nvidia/version").text);
    snprintf(out->architecture, sizeof out->architecture, "nvidia %d.%d",
             cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MAJOR),
             cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MINOR));

    out->shares_host_memory = cuda_attribute(driver, ordinal, CUDA_IS_INTEGRATED) != 0;
    out->class = out->shares_host_memory ? CLASS_IGPU : CLASS_DGPU;
    out->takes_one_process = cuda_attribute(driver, ordinal, CUDA_COMPUTE_MODE) == CUDA_MODE_EXCLUSIVE_PROCESS;
    out->units = (unsigned)cuda_attribute(driver, ordinal, CUDA_MULTIPROCESSORS);
    out->clock = 1e3 * cuda_attribute(driver, ordinal, CUDA_CLOCK_KILOHERTZ);
    if (out->clock > 0)
        text_copy(out->clock_origin, sizeof out->clock_origin, "boost");
    out->memory_clock = 1e3 * cuda_attribute(driver, ordinal, CUDA_MEMORY_KILOHERTZ);
    out->memory_width = (unsigned)cuda_attribute(driver, ordinal, CUDA_MEMORY_BITS);
    out->cache = cuda_attribute(driver, ordinal, CUDA_CACHE_BYTES);
    out->memory = out->largest_buffer = (double)bytes;
    out->computes[DTYPE_F32] = out->computes[DTYPE_F64] = true;
    device_computes_small(out);
    if (*silicon)
        text_copy(out->silicon, sizeof out->silicon, silicon);
    slice_name(driver, ordinal, slice);
    if (*slice)
        note_add(out, text_print("a slice (%s) of a GPU; others may use its memory and power", slice).text);
    note_environment(out);
    nvml_describe(out, pci);
    find_libraries(driver, ordinal, out);
    snprintf(key, sizeof key, "cuda/%.100s%s%s%s%s", out->name, *pci ? "/" : "", pci, *slice ? "/" : "", slice);
    device_key_write(out, key);
}

/* No driver and no GPU are not errors: err says so, and there are no devices. */
bool cuda_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    struct cuda_driver driver;
    int devices = 0;
    *count = 0;
    if (!cuda_driver_load(&driver, err))
        return err->status == STATUS_UNSUPPORTED;
    CUDA(&driver, device_count, &devices);
    for (int i = 0; i < devices && *count < room; i++) {
        int ordinal;
        if (!cuda_call(&driver, err, device_get, &ordinal, i))
            return false;
        struct device *device = &out[*count];
        *device = (struct device){ .index = (unsigned)i, .peers = devices > 1 ? (unsigned)devices : 0 };
        describe(&driver, ordinal, device);
        (*count)++;
    }
    return true;
}

bool cuda_find(const struct cuda_driver *driver, const struct device *device, int *ordinal, struct error *err)
{
    char silicon[CUDA_PCI_ROOM];
    if (!cuda_call(driver, err, device_get, ordinal, (int)device->index))
        return false;
    cuda_pci_text(driver, *ordinal, silicon);
    return strcmp(silicon, device->silicon) == 0 ||
           fail(err, STATUS_FAILED, "device %u of CUDA is now at '%s' and no longer %s at '%s'", device->index, silicon,
                device->name, device->silicon);
}
