#include "harness/base/loader.h"

#include <windows.h>

void *loader_open(const char *file)
{
    return (void *)LoadLibraryA(file);
}

void *loader_find(const char *file)
{
    HMODULE library = NULL;
    return GetModuleHandleExA(0, file, &library) ? (void *)library : NULL;
}

void loader_close(void *library)
{
    FreeLibrary(library);
}

void *loader_symbol(void *library, const char *name)
{
    return (void *)(intptr_t)GetProcAddress(library, name);
}

bool loader_path(void *library, char to[PATH_MAX])
{
    const DWORD length = GetModuleFileNameA(library, to, PATH_MAX);
    for (char *at = to; length > 0 && *at; at++)
        *at = *at == '\\' ? '/' : *at;
    return length > 0 && length < PATH_MAX;
}

/* The usual failure is a missing file, which needs no number. */
const char *loader_error(void)
{
    return GetLastError() == ERROR_MOD_NOT_FOUND ? "not found" : "it does not load";
}
