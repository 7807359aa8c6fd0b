#include "harness/base/pages.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <windows.h>

void *pages_alloc(size_t bytes, size_t alignment)
{
    return _aligned_malloc(bytes, alignment);
}

void pages_release(void *memory)
{
    _aligned_free(memory);
}

char *pages_map(size_t bytes, size_t alignment)
{
    char *start = VirtualAlloc(NULL, bytes + alignment, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!start) {
        errno = ENOMEM;
        return NULL;
    }
    return start + (alignment - (uintptr_t)start % alignment) % alignment;
}

/* The system knows where the region begins. */
void pages_unmap(char *memory, size_t bytes)
{
    MEMORY_BASIC_INFORMATION region;
    if (VirtualQuery(memory, &region, sizeof region) > 0)
        VirtualFree(region.AllocationBase, 0, MEM_RELEASE);
}

/* They need a privilege that users do not have. */
void pages_prefer_huge(void *memory, size_t bytes)
{
}

size_t pages_size(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}
