#include "double.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 8 };

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

static int module_load(struct module **module, const void *image)
{
    if (memcmp(image, "\177ELF", 4) == 0) /* a real GPU's: what the double of NVRTC makes begins with a length */
        return NO_BINARY_FOR_GPU;
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
    state.held[HELD_MODULES]++;
    return SUCCESS;
}

/* Takes what the double of NVRTC calls PTX, too. What it refuses as invalid has a line of its compiler in the buffer of
 * options 5 and 6, if both are given. */
int cuModuleLoadDataEx(struct module **module, const void *image, unsigned options, const int option[],
                       void *const value[])
{
    static const char head[] = "// double\n";
    const char *text = (const char *)image + strlen(head);
    const int planned = answer(__func__);
    if (planned == INVALID_PTX && options == 2 && option[0] == 5 && option[1] == 6)
        snprintf(value[0], (size_t)(uintptr_t)value[1],
                 "ptxas application ptx input, line 9; error   : Unknown symbol\n");
    if (planned != SUCCESS)
        return planned;
    if (strncmp(image, head, strlen(head)) != 0)
        return module_load(module, image);
    const size_t bytes = strlen(text) / 2;
    unsigned char *code = malloc(bytes);
    for (size_t i = 0; code && i < bytes; i++) {
        const char digits[] = { text[2 * i], text[2 * i + 1], '\0' };
        code[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    const int loaded = code ? module_load(module, code) : OUT_OF_MEMORY;
    free(code);
    return loaded;
}

int cuModuleUnload(struct module *module)
{
    dlclose(module->library);
    free(module);
    state.held[HELD_MODULES]--;
    return answer(__func__);
}

int cuModuleGetFunction(struct function **function, struct module *module, const char *name)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    void *entry = dlsym(module->library, name);
    if (!entry || module->functions == FUNCTIONS)
        return NOT_FOUND;
    *function = &module->function[module->functions++];
    **function = (struct function){ module, entry };
    return SUCCESS;
}

/* Of NVIDIA's numbers 0 is the threads of a group at most and 3 the bytes of a thread that are not in registers. */
int cuFuncGetAttribute(int *value, int attribute, struct function *function)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!function || (attribute != 0 && attribute != 3))
        return INVALID_VALUE;
    *value =
        attribute == 0 ? (int)number_of("CUDA_DOUBLE_KERNEL_THREADS", 1024) : (int)number_of("CUDA_DOUBLE_SPILLS", 0);
    return SUCCESS;
}

int function_run(const struct function *function, const unsigned blocks[3], const unsigned threads[3], void **arguments)
{
    state.launches++;
    if (number_of("CUDA_DOUBLE_IDLE", 0))
        return SUCCESS;
    return function->module->launch(function->entry, blocks, threads, arguments) == 0 ? SUCCESS : INVALID_VALUE;
}

int cuLaunchKernel(const struct function *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                   const struct stream *stream, void **arguments, void **extra)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    const unsigned blocks[3] = { blocks_x, blocks_y, blocks_z }, threads[3] = { threads_x, threads_y, threads_z };
    if (!stream_is_current(stream))
        return INVALID_HANDLE;
    if (shared != 0 || extra || blocks_x == 0)
        return INVALID_VALUE;
    if (stream->recording)
        return graph_add(stream->recording, function, blocks, threads, arguments);
    return is_idle() ? SUCCESS : function_run(function, blocks, threads, arguments);
}
