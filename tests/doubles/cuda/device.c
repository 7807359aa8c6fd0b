#include "double.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The devices: whole GPUs, or two slices of each. */
static bool is_sliced(void)
{
    return getenv("CUDA_DOUBLE_SLICES");
}

static int gpu_of(int device)
{
    return is_sliced() ? device / 2 : device;
}

/* "GPU-10000000-0000-...", or "MIG-20010000-..." for the second slice of the first GPU. */
static void uuid_of(int device, bool is_slice, unsigned char uuid[16])
{
    memset(uuid, 0, 16);
    uuid[0] = (unsigned char)((is_slice ? 0x20 : 0x10) + gpu_of(device));
    uuid[1] = is_slice ? device % 2 : 0;
}

/* An entry of CUDA_VISIBLE_DEVICES up to the next comma: a number, or the beginning of a UUID. -1: no such GPU. */
static int entry_find(const char *entry, const int order[DEVICES], int all)
{
    const size_t length = strcspn(entry, ",");
    char *end;
    long number = strtol(entry, &end, 10);
    if (end == entry + length && length > 0)
        return number >= 0 && number < all ? order[number] : -1;
    for (int i = 0; i < all; i++) {
        unsigned char uuid[16];
        char text[48];
        uuid_of(i, is_sliced(), uuid);
        snprintf(text, sizeof text, "%s-%02x%02x0000-0000-0000-0000-000000000000", is_sliced() ? "MIG" : "GPU", uuid[0],
                 uuid[1]);
        if (length > 4 && strncmp(entry, text, length) == 0)
            return i;
    }
    return -1;
}

/* All devices in the driver's order: the fastest first, unless CUDA_DEVICE_ORDER asks for the order of the bus. */
static int in_order(int order[DEVICES])
{
    const char *by = getenv("CUDA_DEVICE_ORDER");
    const long fastest = number_of("CUDA_DOUBLE_FASTEST", 0);
    const int all = (int)number_of("CUDA_DOUBLE_DEVICES", 1) * (is_sliced() ? 2 : 1);
    int count = 0;
    if (!by || strcmp(by, "PCI_BUS_ID") != 0)
        order[count++] = (int)fastest;
    for (int i = 0; i < all && count < DEVICES; i++)
        if (count == 0 || i != order[0] || by)
            order[count++] = i;
    return all < DEVICES ? all : DEVICES;
}

/* The devices in CUDA_VISIBLE_DEVICES, in its order. A process sees one slice only. */
static int visible(int out[DEVICES])
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    int order[DEVICES], all = in_order(order), count = 0;
    if (!list)
        memcpy(out, order, sizeof order);
    for (int device; list && *list && count < all && (device = entry_find(list, order, all)) >= 0;) {
        out[count++] = device;
        list += strcspn(list, ",");
        list += *list == ',';
    }
    count = list || getenv("CUDA_VISIBLE_DEVICES") ? count : all;
    return is_sliced() && count > 1 ? 1 : count;
}

/* Every process that uses the driver keeps a shared lock of the file until it ends. */
static void wake(void)
{
    const char *path = getenv("CUDA_DOUBLE_WAKE");
    const int file = path ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        dprintf(file, "initialised\n");
    flock(file, LOCK_SH);
}

int cuInit(unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    int devices[DEVICES];
    wake();
    return visible(devices) > 0 ? SUCCESS : NO_DEVICE;
}

/* The real NVRTC asks this double for internal tables, and accepts that there are none. */
int cuGetExportTable(const void **table, const void *id)
{
    *table = NULL;
    return NOT_FOUND;
}

int cuDriverGetVersion(int *version)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    *version = (int)number_of("CUDA_DOUBLE_VERSION", 12040);
    return SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    int devices[DEVICES];
    *count = visible(devices);
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    int devices[DEVICES];
    if (ordinal < 0 || ordinal >= visible(devices))
        return INVALID_DEVICE;
    *device = devices[ordinal];
    return SUCCESS;
}

int cuDeviceGetName(char *name, int room, int device)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    snprintf(name, (size_t)room, "Double %d, not a GPU%s", gpu_of(device), is_sliced() ? " MIG 3g.20gb" : "");
    return SUCCESS;
}

int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    uuid_of(device, is_sliced(), uuid);
    return SUCCESS;
}

int cuDeviceGetUuid(unsigned char uuid[16], int device)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    uuid_of(device, false, uuid);
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    *bytes = (size_t)number_of("CUDA_DOUBLE_MEMORY", 8L << 30);
    return SUCCESS;
}

/* Of "8.9" the 8 or the 9. */
static int capability(bool is_minor)
{
    const char *text = getenv("CUDA_DOUBLE_CAPABILITY"), *point = text ? strchr(text, '.') : NULL;
    return point ? atoi(is_minor ? point + 1 : text) : is_minor ? 0 : 9;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    static const struct {
        int attribute, value;
    } known[] = { { 1, 1024 }, { 8, 48 << 10 }, { 13, 1000000 }, { 16, 4 },       { 17, 0 }, { 18, 0 },
                  { 19, 1 },   { 36, 1000000 }, { 37, 256 },     { 38, 4 << 20 }, { 34, 0 }, { 50, 0 } };
    *value = attribute == 33 && !getenv("CUDA_DOUBLE_SOC") ? 0x65 + gpu_of(device) : 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute)
            *value = known[i].value;
    if (attribute == 75 || attribute == 76)
        *value = capability(attribute == 76);
    if (attribute == 20 && device == 0 && getenv("CUDA_DOUBLE_EXCLUSIVE"))
        *value = 3; /* compute mode EXCLUSIVE_PROCESS */
    return SUCCESS;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    cuda_double_asked(__func__, flags);
    return flags <= 7 ? SUCCESS : INVALID_VALUE;
}

bool is_taken(const char *variable)
{
    const char *path = getenv(variable);
    const int file = path ? open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600) : -1;
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;
}

int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
    const int planned = answer(__func__);
    const char *lost = getenv("CUDA_DOUBLE_LOST");
    if (planned != SUCCESS)
        return planned;
    if (device == 0 && lost && access(lost, F_OK) == 0)
        return UNKNOWN;
    if (device == 0 && is_taken("CUDA_DOUBLE_EXCLUSIVE"))
        return DEVICE_UNAVAILABLE;
    state.held[HELD_CONTEXTS]++;
    *context = &state.context[device];
    return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    state.held[HELD_CONTEXTS]--;
    return answer(__func__);
}

int cuCtxSetCurrent(struct context *context)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    state.current = context;
    return SUCCESS;
}
