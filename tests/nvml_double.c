/* A libnvidia-ml.so.1 for tests: it knows an H100 at 65:00.0, at 66:00.0 a card of which it cannot tell everything, at
 * 68:00.0 a GeForce, at 69:00.0 a card for workstations, at 6a:00.0 one whose brand it does not know. */

#include <stdbool.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device);
int nvmlDeviceGetBrand(void *device, int *brand);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz);
int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits);

enum { SUCCESS = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static int users;
enum { KNOWN = 5 };
static const char known[KNOWN][16] = { "0000:65:00.0", "0000:66:00.0", "0000:68:00.0", "0000:69:00.0", "0000:6a:00.0" };
static const int brands[KNOWN] = { 14, 2, 15, 13, -1 }; /* NVIDIA, Tesla, GeForce RTX, NVIDIA RTX */

int nvmlInit_v2(void)
{
    users++;
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return users-- > 0 ? SUCCESS : UNINITIALIZED;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    for (unsigned i = 0; i < KNOWN; i++)
        if (users == 1 && strcmp(bus_id, known[i]) == 0) {
            *device = (void *)known[i];
            return SUCCESS;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetBrand(void *device, int *brand)
{
    *brand = brands[((const char *)device - known[0]) / (long)sizeof known[0]];
    return *brand < 0 ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz)
{
    *megahertz = type == 1 ? 1980 : type == 2 ? 2619 : 1;
    return device == known[1] && type == 2 ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits)
{
    *bits = 5120;
    return device == known[1] ? NOT_SUPPORTED : SUCCESS;
}
