/* A libcuda.so.1 for tests: GPUs whose memory is the host's, and whose kernels the double of NVRTC has compiled for the
 * host. It proves that the backend calls the driver rightly, and nothing about GPUs. What it is told to do:
 *
 *   CUDA_DOUBLE_DEVICES   how many GPUs there are; 1
 *   CUDA_DOUBLE_MEMORY    bytes of each; 8 GiB
 *   CUDA_DOUBLE_VERSION   of CUDA, as the driver tells it; 12040
 *   CUDA_DOUBLE_SOC       anything: each is on no bus, as those of Tegra
 *   CUDA_DOUBLE_FAULT     "NAME NUMBER KIND": that call of that function fails with the code KIND, hangs or crashes;
 *                         number 0: each call
 *   CUDA_DOUBLE_LEDGER    file that gets what was not given back when the process ends
 *   CUDA_VISIBLE_DEVICES  as for the real one: numbers with commas between, up to the first that makes no sense */

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700
};
enum { DEVICES = 8, NAMES = 64, FUNCTIONS = 8 };

struct event {
    double at;
};
struct stream {
    int unused;
};
struct function {
    struct module *module;
    void *entry;
};
struct module {
    void *library;
    struct function function[FUNCTIONS];
    unsigned functions;
    int (*launch)(void *entry, const unsigned blocks[3], const unsigned threads[3], void **arguments);
};

/* What there is of each kind, and how often each function was called. */
static struct {
    long contexts, memory, host, streams, events, modules;
    size_t bytes;
    bool initialised, current;
    int poison; /* what every later call answers */
    struct {
        const char *name;
        long calls;
    } called[NAMES];
} state;

static long number_of(const char *name, long fallback)
{
    const char *value = getenv(name);
    return value ? atol(value) : fallback;
}

static void ledger_write(void)
{
    const char *path = getenv("CUDA_DOUBLE_LEDGER");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "contexts %ld memory %ld host %ld streams %ld events %ld modules %ld\n", state.contexts, state.memory,
            state.host, state.streams, state.events, state.modules);
    fclose(file);
}

static long count_call(const char *name)
{
    for (unsigned i = 0; i < NAMES; i++) {
        if (!state.called[i].name)
            state.called[i].name = name;
        if (strcmp(state.called[i].name, name) == 0)
            return ++state.called[i].calls;
    }
    return 0;
}

/* What the call answers at once, if it was told to. */
static int answer(const char *name)
{
    char wanted[64], kind[32];
    long number, call = count_call(name);
    const char *fault = getenv("CUDA_DOUBLE_FAULT");
    if (state.poison)
        return state.poison;
    if (!fault || sscanf(fault, "%63s %ld %31s", wanted, &number, kind) != 3 || strcmp(wanted, name) != 0 ||
        (number != 0 && number != call))
        return SUCCESS;
    if (strcmp(kind, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kind, "crash") == 0)
        *(volatile int *)NULL = 0;
    if (atoi(kind) == ILLEGAL_ADDRESS)
        state.poison = ILLEGAL_ADDRESS;
    return atoi(kind);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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
    if (!state.initialised)
        atexit(ledger_write);
    state.initialised = true;
    return visible(devices) > 0 ? SUCCESS : NO_DEVICE;
}

int cuDriverGetVersion(int *version)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    *version = (int)number_of("CUDA_DOUBLE_VERSION", 12040);
    return SUCCESS;
}

int cuGetErrorName(int code, const char **name)
{
    *name = code == OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                      : "CUDA_ERROR_OF_THE_DOUBLE";
    return SUCCESS;
}

int cuGetErrorString(int code, const char **text)
{
    *text = code == OUT_OF_MEMORY     ? "out of memory"
            : code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                      : "as it was told to";
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

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    static const struct {
        int attribute, value;
    } known[] = { { 1, 1024 },     { 8, 48 << 10 }, { 13, 1000000 }, { 16, 4 }, { 17, 0 }, { 18, 0 }, { 19, 1 },
                  { 36, 1000000 }, { 37, 256 },     { 38, 4 << 20 }, { 34, 0 }, { 50, 0 }, { 75, 9 }, { 76, 0 } };
    *value = attribute == 33 && !getenv("CUDA_DOUBLE_SOC") ? 0x65 + device : 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute)
            *value = known[i].value;
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

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    state.contexts++;
    *context = &state.called[device];
    return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    state.contexts--;
    return SUCCESS;
}

int cuCtxSetCurrent(void *context)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    state.current = context != NULL;
    return SUCCESS;
}

/* The length stands in front of what is given away. */
enum { FRONT = 4096 };

static int take(void **out, size_t bytes, long *count)
{
    if (!state.current)
        return INVALID_CONTEXT;
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > (size_t)number_of("CUDA_DOUBLE_MEMORY", 8L << 30) - state.bytes)
        return OUT_OF_MEMORY;
    char *base = mmap(NULL, bytes + FRONT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return OUT_OF_MEMORY;
    *(size_t *)base = bytes;
    *out = base + FRONT;
    state.bytes += bytes;
    (*count)++;
    return SUCCESS;
}

static int give_back(void *what, long *count)
{
    char *base = (char *)what - FRONT;
    size_t bytes = *(size_t *)base;
    state.bytes -= bytes;
    (*count)--;
    return munmap(base, bytes + FRONT) == 0 ? SUCCESS : INVALID_VALUE;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    void *memory = NULL;
    int code = take(&memory, bytes, &state.memory);
    *address = (uint64_t)(uintptr_t)memory;
    return code;
}

int cuMemFree_v2(uint64_t address)
{
    return give_back((void *)(uintptr_t)address, &state.memory);
}

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)flags;
    return take(host, bytes, &state.host);
}

int cuMemFreeHost(void *host)
{
    return give_back(host, &state.host);
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    *address = (uint64_t)(uintptr_t)host;
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuStreamCreate(struct stream **stream, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    state.streams++;
    return *stream ? SUCCESS : OUT_OF_MEMORY;
}

int cuStreamDestroy_v2(struct stream *stream)
{
    free(stream);
    state.streams--;
    return SUCCESS;
}

int cuStreamSynchronize(struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuEventCreate(struct event **event, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)flags;
    *event = calloc(1, sizeof **event);
    state.events++;
    return *event ? SUCCESS : OUT_OF_MEMORY;
}

int cuEventDestroy_v2(struct event *event)
{
    free(event);
    state.events--;
    return SUCCESS;
}

int cuEventRecord(struct event *event, struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    event->at = now();
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuEventElapsedTime(float *milliseconds, const struct event *start, const struct event *end)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    *milliseconds = (float)(1e3 * (end->at - start->at));
    return SUCCESS;
}

int cuModuleLoadData(struct module **module, const void *image)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    char path[] = "/tmp/cuda_double_code.XXXXXX";
    uint64_t bytes;
    memcpy(&bytes, image, sizeof bytes);
    int file = mkstemp(path);
    bool written = file >= 0 && write(file, (const char *)image + sizeof bytes, bytes) == (ssize_t)bytes;
    if (file >= 0)
        close(file);
    *module = calloc(1, sizeof **module);
    if (*module && written)
        (*module)->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    if (!*module || !(*module)->library) {
        free(*module);
        return INVALID_IMAGE;
    }
    void *launch = dlsym((*module)->library, "host_launch");
    memcpy(&(*module)->launch, &launch, sizeof launch);
    state.modules++;
    return SUCCESS;
}

int cuModuleUnload(struct module *module)
{
    dlclose(module->library);
    free(module);
    state.modules--;
    return SUCCESS;
}

int cuModuleGetFunction(struct function **function, struct module *module, const char *name)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    void *entry = dlsym(module->library, name);
    if (!entry || module->functions == FUNCTIONS)
        return NOT_FOUND;
    *function = &module->function[module->functions++];
    **function = (struct function){ module, entry };
    return SUCCESS;
}

int cuLaunchKernel(const struct function *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared, struct stream *stream,
                   void **arguments, void **extra)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    const unsigned blocks[3] = { blocks_x, blocks_y, blocks_z }, threads[3] = { threads_x, threads_y, threads_z };
    if (!stream || shared != 0 || extra || blocks_x == 0)
        return INVALID_VALUE;
    return function->module->launch(function->entry, blocks, threads, arguments) == 0 ? SUCCESS : INVALID_VALUE;
}
