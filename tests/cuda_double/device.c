#include "double.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The GPUs that CUDA_VISIBLE_DEVICES leaves, in its order. */
static int visible(int out[DEVICES])
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    const long all = number_of("CUDA_DOUBLE_DEVICES", 1);
    int count = 0;
    for (int i = 0; !list && i < all && i < DEVICES; i++)
        out[count++] = i;
    while (list && *list && count < DEVICES) {
        char *end;
        long device = strtol(list, &end, 10);
        if (end == list || device < 0 || device >= all)
            break;
        out[count++] = (int)device;
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

int cuInit(unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    int devices[DEVICES];
    (void)flags;
    return visible(devices) > 0 ? SUCCESS : NO_DEVICE;
}

/* The real NVRTC, where it meets this double, asks for tables of the driver's own, and takes it that there are none. */
int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return NOT_FOUND;
}

int cuDriverGetVersion(int *version)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    *version = (int)number_of("CUDA_DOUBLE_VERSION", 12040);
    return SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    int devices[DEVICES];
    *count = visible(devices);
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    int devices[DEVICES];
    if (ordinal < 0 || ordinal >= visible(devices))
        return INVALID_DEVICE;
    *device = devices[ordinal];
    return SUCCESS;
}

int cuDeviceGetName(char *name, int room, int device)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    snprintf(name, (size_t)room, "Double %d, not a GPU", device);
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)device;
    *bytes = (size_t)number_of("CUDA_DOUBLE_MEMORY", 8L << 30);
    return SUCCESS;
}

/* Of "8.9" the 8, or the 9. */
static int capability(bool is_minor)
{
    const char *text = getenv("CUDA_DOUBLE_CAPABILITY"), *point = text ? strchr(text, '.') : NULL;
    return point ? atoi(is_minor ? point + 1 : text) : is_minor ? 0 : 9;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    static const struct {
        int attribute, value;
    } known[] = { { 1, 1024 }, { 8, 48 << 10 }, { 13, 1000000 }, { 16, 4 },       { 17, 0 }, { 18, 0 },
                  { 19, 1 },   { 36, 1000000 }, { 37, 256 },     { 38, 4 << 20 }, { 34, 0 }, { 50, 0 } };
    *value = attribute == 33 && !getenv("CUDA_DOUBLE_SOC") ? 0x65 + device : 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute)
            *value = known[i].value;
    if (attribute == 75 || attribute == 76)
        *value = capability(attribute == 76);
    return SUCCESS;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)device;
    return flags <= 7 ? SUCCESS : INVALID_VALUE;
}

/* Whether another process has it, which nobody may share; held until the process ends. */
static bool is_taken(void)
{
    const char *path = getenv("CUDA_DOUBLE_EXCLUSIVE");
    const int file = path ? open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600) : -1;
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;
}

int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
    const int told = answer(__func__);
    const char *lost = getenv("CUDA_DOUBLE_LOST");
    if (told != SUCCESS)
        return told;
    if (device == 0 && lost && access(lost, F_OK) == 0)
        return UNKNOWN;
    if (device == 0 && is_taken())
        return DEVICE_UNAVAILABLE;
    state.held[HELD_CONTEXTS]++;
    *context = &state.context[device];
    return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    state.held[HELD_CONTEXTS]--;
    return answer(__func__);
}

int cuCtxSetCurrent(struct context *context)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    state.current = context;
    return SUCCESS;
}
