#include "harness/base/last_call.h"

#include <stdint.h>
#include <string.h>
#include <windows.h>

/* As in last_call.c: a parameter would go through each function of each backend. */
static char *shared;

void last_call_begin(const char *entry)
{
    if (shared)
        strncpy(shared, entry, LAST_CALL_ROOM - 1);
}

const char *last_call_create(int *passed)
{
    SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
    HANDLE memory = CreateFileMappingA(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE, 0, LAST_CALL_ROOM, NULL);
    const char *name = memory ? MapViewOfFile(memory, FILE_MAP_READ, 0, 0, LAST_CALL_ROOM) : NULL;
    if (memory && !name)
        CloseHandle(memory);
    *passed = name ? (int)(intptr_t)memory : -1; /* of a handle only so many bits count */
    return name;
}

void last_call_release(const char *name)
{
    if (name)
        UnmapViewOfFile(name);
}

void last_call_open(int passed)
{
    shared = passed > 0 ? MapViewOfFile((HANDLE)(intptr_t)passed, FILE_MAP_WRITE, 0, 0, LAST_CALL_ROOM) : NULL;
    if (passed > 0)
        CloseHandle((HANDLE)(intptr_t)passed);
}
