#include "bench/backends/common/driver_cache.h"
#include "bench/backends/opencl/architecture.h"
#include "bench/backends/opencl/opencl.h"
#include "harness/base/text.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS_MAX = 16, EXTENSIONS_MAX = 16384 };

/* cl_khr_pci_bus_info, which headers before 2021 lack: domain, bus, device, function. */
enum { DEVICE_PCI_BUS_INFO = 0x410F };

/* cl_nv_device_attribute_query. The slot holds device (five bits) and function (three bits), as PCI does. */
enum { DEVICE_PCI_BUS_NV = 0x4008, DEVICE_PCI_SLOT_NV = 0x4009, DEVICE_PCI_DOMAIN_NV = 0x400A };

static void device_text(cl_device_id handle, cl_device_info what, char *to, size_t room)
{
    char text[EXTENSIONS_MAX] = "";
    if (CL(clGetDeviceInfo)(handle, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        *text = '\0';
    text_clean(to, room, text);
}

static void platform_text(cl_device_id handle, char *to, size_t room)
{
    char text[1024] = "";
    cl_platform_id platform = NULL;
    if (CL(clGetDeviceInfo)(handle, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS ||
        CL(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof text - 1, text, NULL) != CL_SUCCESS)
        *text = '\0';
    text_clean(to, room, text);
}

/* A number of 32 or 64 bits; 0 where the driver has none. */
static double device_number(cl_device_id handle, cl_device_info what)
{
    union {
        cl_uint narrow;
        cl_ulong wide;
    } value = { .wide = 0 };
    size_t size = 0;
    if (CL(clGetDeviceInfo)(handle, what, sizeof value, &value, &size) != CL_SUCCESS)
        return 0;
    return size == sizeof value.narrow ? (double)value.narrow : size == sizeof value.wide ? (double)value.wide : 0;
}

/* The PCI address, by whichever of three extensions the driver has; "" without any. */
static void pci_address(cl_device_id handle, const char *extensions, char *to, size_t room)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    cl_uint pci[4];
    cl_device_topology_amd place;
    if (text_has_word(extensions, "cl_khr_pci_bus_info")) {
        if (CL(clGetDeviceInfo)(handle, DEVICE_PCI_BUS_INFO, sizeof pci, pci, NULL) == CL_SUCCESS)
            domain = pci[0], bus = pci[1], slot = pci[2], function = pci[3];
    } else if (text_has_word(extensions, "cl_nv_device_attribute_query")) {
        const unsigned number = (unsigned)device_number(handle, DEVICE_PCI_SLOT_NV);
        domain = (unsigned)device_number(handle, DEVICE_PCI_DOMAIN_NV);
        bus = (unsigned)device_number(handle, DEVICE_PCI_BUS_NV) & 0xff;
        slot = number >> 3, function = number & 7;
    } else if (text_has_word(extensions, "cl_amd_device_attribute_query") &&
               CL(clGetDeviceInfo)(handle, CL_DEVICE_TOPOLOGY_AMD, sizeof place, &place, NULL) == CL_SUCCESS &&
               place.raw.type == CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) {
        bus = (unsigned char)place.pcie.bus, slot = (unsigned char)place.pcie.device;
        function = (unsigned char)place.pcie.function;
    }
    *to = '\0';
    if (domain + bus + slot > 0) /* zeros are the address of the bus's own bridge */
        snprintf(to, room, "%04x:%02x:%02x.%x", domain, bus, slot, function);
}

static enum device_class device_class_of(cl_device_id handle, bool shares_host_memory)
{
    cl_device_type type = 0;
    CL(clGetDeviceInfo)(handle, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (type & CL_DEVICE_TYPE_CPU)
        return CLASS_CPU;
    if (type & CL_DEVICE_TYPE_GPU)
        return shares_host_memory ? CLASS_IGPU : CLASS_DGPU;
    return CLASS_ACCELERATOR;
}

/* Properties that only one vendor's driver has, each with its extension, which also defines the number. */
static void properties_read(struct opencl_properties *out, cl_device_id handle, const char *extensions)
{
    const struct {
        const char *extension;
        cl_device_info what;
        unsigned *to;
    } questions[] = {
        { "cl_nv_device_attribute_query", 0x4000, &out->capability_major },
        { "cl_nv_device_attribute_query", 0x4001, &out->capability_minor },
        { "cl_amd_device_attribute_query", 0x4040, &out->simds },
        { "cl_amd_device_attribute_query", 0x4041, &out->simd_width },
        { "cl_intel_device_attribute_query", 0x4251, &out->device_id },
    };
    *out = (struct opencl_properties){ .extensions = extensions,
                                       .cache = device_number(handle, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE) };
    for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++)
        if (text_has_word(extensions, questions[i].extension))
            *questions[i].to = (unsigned)device_number(handle, questions[i].what);
    pci_address(handle, extensions, out->pci, sizeof out->pci);
}

/* What is not as usual with PoCL. */
static void note_settings(struct device *out)
{
    const char *variable = driver_cache_changed_by(getenv);
    if (driver_cache_refused())
        snprintf(out->note, sizeof out->note,
                 "its cache %.64s cannot be written or is full: a private one is used; POCL_CACHE_DIR names another",
                 driver_cache_refused());
    if (variable)
        text_join(out->note, sizeof out->note, "; ",
                  text_print("%s=%.32s may make it slower: unset it", variable, getenv(variable)).text);
}

static void device_describe(cl_device_id handle, unsigned index, struct device *out)
{
    char extensions[EXTENSIONS_MAX];
    struct opencl_properties properties;
    char pci[sizeof properties.pci] = "";
    *out = (struct device){ .index = index };
    text_copy(out->backend, sizeof out->backend, "opencl");
    platform_text(handle, out->platform, sizeof out->platform);
    device_text(handle, CL_DEVICE_NAME, out->name, sizeof out->name);
    device_text(handle, CL_DEVICE_VENDOR, out->vendor, sizeof out->vendor);
    device_text(handle, CL_DEVICE_VERSION, out->api_version, sizeof out->api_version);
    unsigned major,
        minor; /* "OpenCL 3.0 PoCL HSTR: ...": after the number comes vendor text, with the driver's version */
    if (sscanf(out->api_version, "OpenCL %u.%u", &major, &minor) == 2)
        snprintf(out->api_version, sizeof out->api_version, "OpenCL %u.%u", major, minor);
    device_text(handle, CL_DRIVER_VERSION, out->driver_version, sizeof out->driver_version);
    device_text(handle, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);

    out->units = (unsigned)device_number(handle, CL_DEVICE_MAX_COMPUTE_UNITS);
    out->clock = 1e6 * device_number(handle, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    if (out->clock > 0)
        text_copy(out->clock_origin, sizeof out->clock_origin, "reported maximum");
    out->memory = device_number(handle, CL_DEVICE_GLOBAL_MEM_SIZE);
    out->largest_buffer = device_number(handle, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    out->shares_host_memory = device_number(handle, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    out->computes[DTYPE_F32] = true;
    out->computes[DTYPE_F64] = text_has_word(extensions, "cl_khr_fp64");
    device_computes_small(out);

    out->class = device_class_of(handle, out->shares_host_memory);
    if (strstr(out->name, "llvmpipe")) {
        out->class = CLASS_CPU; /* whatever type it claims */
        out->units = 0;
        out->clock = 0;
        *out->clock_origin = '\0';
        text_copy(out->note, sizeof out->note, "software on the CPU; its units and clock are not real");
    }
    out->shares_host_memory |= out->class == CLASS_CPU;
    if (out->class == CLASS_CPU)
        text_copy(out->silicon, sizeof out->silicon, "cpu");
    properties_read(&properties, handle, extensions);
    /* The key has what the driver reports, and nothing that is found below. */
    if (out->class != CLASS_CPU)
        text_copy(pci, sizeof pci, properties.pci);
    opencl_architecture(out, &properties, "");
    if (driver_cache_is_of(out->platform))
        note_settings(out);
    if (out->class == CLASS_CPU)
        out->lanes = (unsigned)device_number(handle, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    char key[sizeof out->key];
    snprintf(key, sizeof key, "opencl/%.56s/%.64s%s%s", out->platform, out->name, *pci ? "/" : "", pci);
    device_key_write(out, key);
}

/* Equal devices need different keys: the second one gets "/2". */
static void key_distinguish(const struct device *before, unsigned count, struct device *device)
{
    const size_t length = strlen(device->key);
    unsigned number = 2;
    for (unsigned i = 0; i < count;) {
        const bool is_taken = strcmp(before[i].key, device->key) == 0;
        if (is_taken)
            snprintf(device->key + length, sizeof device->key - length, "/%u", number++);
        i = is_taken ? 0 : i + 1;
    }
}

/* The devices of one platform that are not in `out` yet: a loader that reads both variables may load a driver twice.
 * Why it has none goes to `reason`. */
static bool platform_devices(cl_platform_id platform, cl_device_id out[DEVICES_MAX], unsigned *count,
                             struct error *reason, struct error *err)
{
    cl_device_id found[DEVICES_MAX];
    cl_uint all = 0;
    const cl_int code = CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, found, &all);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && all == 0)) {
        char name[128] = "";
        CL(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        const char *chosen = driver_cache_is_of(name) ? getenv("POCL_DEVICES") : NULL;
        fail_in(reason, "clGetDeviceIDs", STATUS_UNSUPPORTED, "%s: a platform without devices%s%.80s%s", name,
                chosen ? ": POCL_DEVICES is \"" : "", chosen ? chosen : "", chosen ? "\"" : "");
        return true;
    }
    if (!opencl_check(code, "clGetDeviceIDs", err))
        return false;
    for (cl_uint i = 0; i < all && i < DEVICES_MAX && *count < DEVICES_MAX; i++) {
        unsigned k = 0;
        while (k < *count && out[k] != found[i])
            k++;
        out[k] = found[i];
        *count = k == *count ? k + 1 : *count;
    }
    return true;
}

/* All devices of a source. Where there are none, err says why. */
static bool devices_get(const char *source, cl_device_id out[DEVICES_MAX], unsigned *count, struct error *err)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_uint platforms = 0;
    struct error reason = { .status = STATUS_OK };
    *count = 0;
    if (!opencl_source_select(source, err))
        return false;
    cl_int code = CL(clGetPlatformIDs)(PLATFORMS_MAX, platform, &platforms);
    if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && platforms == 0)) {
        char load_error[160];
        opencl_source_error(source, load_error, sizeof load_error);
        if (*load_error)
            return fail_in(err, "dlopen", STATUS_FAILED, "%s", load_error);
        fail_in(&reason, "clGetPlatformIDs", STATUS_UNSUPPORTED, "a driver without a platform");
        code = CL_SUCCESS;
    }
    if (!opencl_check(code, "clGetPlatformIDs", err))
        return false;
    for (cl_uint i = 0; i < platforms && i < PLATFORMS_MAX; i++)
        if (!platform_devices(platform[i], out, count, &reason, err))
            return false;
    if (*count == 0 && err && err->status == STATUS_OK)
        *err = reason;
    return true;
}

bool opencl_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    cl_device_id handle[DEVICES_MAX];
    unsigned all;
    *count = 0;
    if (!devices_get(source, handle, &all, err))
        return false;
    for (; *count < all && *count < room; ++*count) {
        device_describe(handle[*count], *count, &out[*count]);
        key_distinguish(out, *count, &out[*count]);
    }
    return true;
}

/* Finds it by its index, which tells equal devices apart, and checks the name: the driver may list others by now. The
 * key is not compared: it may have been changed where several sources were listed. */
bool opencl_find(const struct device *device, cl_device_id *out, struct error *err)
{
    cl_device_id handle[DEVICES_MAX];
    unsigned count;
    char name[sizeof device->name] = "";
    if (!devices_get(device->source, handle, &count, err))
        return false;
    if (device->index < count)
        device_text(handle[device->index], CL_DEVICE_NAME, name, sizeof name);
    if (device->index >= count || strcmp(name, device->name) != 0)
        return fail(err, STATUS_FAILED, "%s is no longer device %u of %u of %s", device->name, device->index, count,
                    device->source);
    *out = handle[device->index];
    return true;
}
