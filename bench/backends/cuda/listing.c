#include "bench/backends/common/nvml.h"
#include "bench/backends/cuda/cuda.h"
#include "harness/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PCI_ROOM = 24 };

int cuda_attribute(const struct cuda_driver *driver, int ordinal, enum cuda_attribute attribute)
{
    int value = 0;
    return driver->device_attribute(&value, (int)attribute, ordinal) == CUDA_OK ? value : 0;
}

struct cuda_target cuda_target_of(const struct cuda_driver *driver, int ordinal)
{
    struct cuda_target target = { .driver = 0 };
    driver->version(&target.driver);
    target.architecture = 10 * cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MAJOR) +
                          cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MINOR);
    return target;
}

/* "0000:65:00.0", the function being 0 of every GPU; "" of one that is on no bus, as those of Tegra are: at the place
 * of only zeros that they name is the bridge of the bus itself. */
static void pci_address(const struct cuda_driver *driver, int ordinal, char to[PCI_ROOM])
{
    const unsigned domain = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_DOMAIN) & 0xffff,
                   bus = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_BUS) & 0xff,
                   device = (unsigned)cuda_attribute(driver, ordinal, CUDA_PCI_DEVICE) & 0xff;
    *to = '\0';
    if (domain + bus + device > 0)
        snprintf(to, PCI_ROOM, "%04x:%02x:%02x.0", domain, bus, device);
}

void cuda_place(const struct cuda_driver *driver, int ordinal, char to[CUDA_PLACE_ROOM])
{
    char pci[PCI_ROOM];
    pci_address(driver, ordinal, pci);
    snprintf(to, CUDA_PLACE_ROOM, "%s%s", *pci ? "pci " : "", pci);
}

/* "550.54.14", as the kernel's part of the driver has it: the library's own function tells only the version of CUDA. */
static void driver_version(char *to, size_t room)
{
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    char line[64] = "";
    if (file && fgets(line, sizeof line, file))
        text_clean(to, room, line);
    if (file)
        fclose(file);
}

/* Each that methods may want, found or not. None is loaded that takes long. */
static void find_libraries(const struct cuda_driver *driver, int ordinal, struct device *out)
{
    const struct cuda_target target = cuda_target_of(driver, ordinal);
    _Static_assert((int)CUDA_LIBRARIES <= (int)DEVICE_LIBRARIES_MAX, "every library has a place in a device");
    for (unsigned i = 0; i < CUDA_LIBRARIES; i++) {
        struct device_library *library = &out->library[i];
        struct cuda_found found;
        struct error err = { .status = STATUS_OK };
        text_copy(library->name, sizeof library->name, cuda_library_name((enum cuda_library)i));
        if (cuda_library_find((enum cuda_library)i, &target, &found, &err)) {
            text_copy(library->version, sizeof library->version, found.version);
            text_clean(library->path, sizeof library->path, found.path);
        } else {
            text_copy(library->trouble, sizeof library->trouble, err.message);
        }
    }
}

static void describe(const struct cuda_driver *driver, int ordinal, struct device *out)
{
    char name[sizeof out->name] = "", pci[PCI_ROOM], key[sizeof out->key];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    size_t bytes = 0;
    int version = 0;
    if (driver->device_name(name, sizeof name, ordinal) != CUDA_OK)
        text_copy(name, sizeof name, "a GPU without a name");
    driver->device_memory(&bytes, ordinal);
    driver->version(&version);
    pci_address(driver, ordinal, pci);
    text_copy(out->backend, sizeof out->backend, "cuda");
    text_clean(out->name, sizeof out->name, name);
    text_copy(out->vendor, sizeof out->vendor, "NVIDIA Corporation");
    text_copy(out->platform, sizeof out->platform, "NVIDIA CUDA");
    snprintf(out->api_version, sizeof out->api_version, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    driver_version(out->driver_version, sizeof out->driver_version);
    snprintf(out->architecture, sizeof out->architecture, "nvidia %d.%d",
             cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MAJOR),
             cuda_attribute(driver, ordinal, CUDA_CAPABILITY_MINOR));

    out->shares_host_memory = cuda_attribute(driver, ordinal, CUDA_IS_INTEGRATED) != 0;
    out->class = out->shares_host_memory ? CLASS_IGPU : CLASS_DGPU;
    out->units = (unsigned)cuda_attribute(driver, ordinal, CUDA_MULTIPROCESSORS);
    out->clock = 1e3 * cuda_attribute(driver, ordinal, CUDA_CLOCK_KILOHERTZ);
    if (out->clock > 0)
        text_copy(out->clock_origin, sizeof out->clock_origin, "reported maximum");
    out->memory_clock = 1e3 * cuda_attribute(driver, ordinal, CUDA_MEMORY_KILOHERTZ);
    out->memory_width = (unsigned)cuda_attribute(driver, ordinal, CUDA_MEMORY_BITS);
    out->cache = cuda_attribute(driver, ordinal, CUDA_CACHE_BYTES);
    out->memory = out->largest_buffer = (double)bytes;
    out->computes[DTYPE_F32] = out->computes[DTYPE_F64] = true;
    device_computes_small(out);
    if (*pci)
        snprintf(out->silicon, sizeof out->silicon, "pci %s", pci);
    if (visible)
        snprintf(out->note, sizeof out->note, "numbered by CUDA_VISIBLE_DEVICES=%.60s", visible);
    nvml_describe(out, pci);
    find_libraries(driver, ordinal, out);
    snprintf(key, sizeof key, "cuda/%.100s%s%s", out->name, *pci ? "/" : "", pci);
    device_key_write(out, key);
}

/* No driver, and no GPU, are no failure of anything: err says so, and there are no devices. */
bool cuda_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    (void)source;
    struct cuda_driver driver;
    int devices = 0;
    *count = 0;
    if (!cuda_driver_load(&driver, err))
        return err->status == STATUS_UNSUPPORTED;
    driver.device_count(&devices);
    for (int i = 0; i < devices && *count < room; i++) {
        int ordinal;
        int code = driver.device_get(&ordinal, i);
        if (code != CUDA_OK)
            return cuda_refuse(&driver, err, "cuDeviceGet", code);
        struct device *device = &out[*count];
        *device = (struct device){ .index = (unsigned)i, .peers = devices > 1 ? (unsigned)devices : 0 };
        describe(&driver, ordinal, device);
        (*count)++;
    }
    return true;
}

bool cuda_find(const struct cuda_driver *driver, const struct device *device, int *ordinal, struct error *err)
{
    char silicon[CUDA_PLACE_ROOM];
    int code = driver->device_get(ordinal, (int)device->index);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuDeviceGet", code);
    cuda_place(driver, *ordinal, silicon);
    return strcmp(silicon, device->silicon) == 0 ||
           fail(err, STATUS_FAILED, "device %u of CUDA is at '%s', no longer %s at '%s'", device->index, silicon,
                device->name, device->silicon);
}
