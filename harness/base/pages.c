#include "harness/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *pages_alloc(size_t bytes, size_t alignment)
{
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

void pages_release(void *memory)
{
    free(memory);
}

char *pages_map(size_t bytes, size_t alignment)
{
    char *start = mmap(NULL, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (alignment - (uintptr_t)start % alignment) % alignment;
    if (before > 0)
        munmap(start, before);
    munmap(start + before + bytes, alignment - before);
    return start + before;
}

void pages_unmap(char *memory, size_t bytes)
{
    munmap(memory, bytes);
}

void pages_prefer_huge(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_HUGEPAGE);
}

size_t pages_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}
