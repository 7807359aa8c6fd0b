#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <cpuid.h>
#include <string.h>
#include <windows.h>
/* After windows.h. */
#include <psapi.h>

/* There are no such files: the system's calls answer for those whose contents it has. */

static void model_name(char *to, size_t room)
{
    unsigned name[13] = { 0 };
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &name[4 * i], &name[4 * i + 1], &name[4 * i + 2], &name[4 * i + 3]);
    text_clean(to, room, (const char *)name);
}

static void vendor(char *to, size_t room)
{
    unsigned name[4] = { 0 }, highest;
    __get_cpuid(0, &highest, &name[0], &name[2], &name[1]);
    text_clean(to, room, (const char *)name);
}

/* Family, model and stepping (Intel, "Intel 64 and IA-32 Architectures Software Developer's Manual", CPUID leaf 1). */
static void signature(unsigned *family, unsigned *model, unsigned *stepping)
{
    unsigned a = 0, b, c, d;
    __get_cpuid(1, &a, &b, &c, &d);
    *stepping = a & 15;
    *family = a >> 8 & 15;
    *model = a >> 4 & 15;
    if (*family == 6 || *family == 15)
        *model += a >> 12 & 0xf0;
    if (*family == 15)
        *family += a >> 20 & 0xff;
}

static void family(char *to, size_t room)
{
    unsigned number, ignored, more;
    signature(&number, &ignored, &more);
    text_append(to, room, "%u", number);
}

static void model(char *to, size_t room)
{
    unsigned number, ignored, more;
    signature(&ignored, &number, &more);
    text_append(to, room, "%u", number);
}

static void stepping(char *to, size_t room)
{
    unsigned number, ignored, more;
    signature(&ignored, &more, &number);
    text_append(to, room, "%u", number);
}

/* By the names of Linux. */
static void flags(char *to, size_t room)
{
    if (__builtin_cpu_supports("avx2"))
        text_join(to, room, " ", "avx2");
    if (__builtin_cpu_supports("avx512f"))
        text_join(to, room, " ", "avx512f");
    if (__builtin_cpu_supports("avx512bf16"))
        text_join(to, room, " ", "avx512_bf16");
}

static void memory_total(char *to, size_t room)
{
    MEMORYSTATUSEX memory = { .dwLength = sizeof memory };
    if (GlobalMemoryStatusEx(&memory))
        text_append(to, room, "%llu kB", memory.ullTotalPhys >> 10);
}

static void memory_available(char *to, size_t room)
{
    MEMORYSTATUSEX memory = { .dwLength = sizeof memory };
    if (GlobalMemoryStatusEx(&memory))
        text_append(to, room, "%llu kB", memory.ullAvailPhys >> 10);
}

static void resident(char *to, size_t room)
{
    PROCESS_MEMORY_COUNTERS memory = { .cb = sizeof memory };
    if (GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory))
        text_append(to, room, "%llu kB", (unsigned long long)memory.WorkingSetSize >> 10);
}

static void most_resident(char *to, size_t room)
{
    PROCESS_MEMORY_COUNTERS memory = { .cb = sizeof memory };
    if (GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory))
        text_append(to, room, "%llu kB", (unsigned long long)memory.PeakWorkingSetSize >> 10);
}

/* A value of the registry, where the system names itself. */
static void product(char *to, size_t room, const char *value)
{
    char text[128] = "";
    DWORD bytes = sizeof text - 1;
    RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", value, RRF_RT_REG_SZ, NULL,
                 text, &bytes);
    text_clean(to, room, text);
}

static void product_name(char *to, size_t room)
{
    product(to, room, "ProductName");
}

static void build(char *to, size_t room)
{
    product(to, room, "CurrentBuildNumber");
}

static const struct {
    const char *path, *key; /* NULL: the file's first line */
    void (*write)(char *to, size_t room);
} facts[] = {
    { "/proc/cpuinfo", "model name", model_name },      { "/proc/cpuinfo", "vendor_id", vendor },
    { "/proc/cpuinfo", "cpu family", family },          { "/proc/cpuinfo", "model", model },
    { "/proc/cpuinfo", "stepping", stepping },          { "/proc/cpuinfo", "flags", flags },
    { "/proc/meminfo", "MemTotal", memory_total },      { "/proc/meminfo", "MemAvailable", memory_available },
    { "/proc/self/status", "VmRSS", resident },         { "/proc/self/status", "VmHWM", most_resident },
    { "/etc/os-release", "PRETTY_NAME", product_name }, { "/proc/sys/kernel/osrelease", NULL, build },
};

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

struct text host_member(const char *root, const char *path, const char *key)
{
    struct text value = { "" };
    for (unsigned i = 0; !*root && i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].path, path) == 0 && is_same(facts[i].key, key))
            facts[i].write(value.text, sizeof value.text);
    return value;
}

struct text host_line(const char *root, const char *path)
{
    return host_member(root, path, NULL);
}

bool host_has_files(void)
{
    return false;
}

FILE *host_open(const char *root, const char *path)
{
    return NULL;
}

void host_each(const char *root, const char *pattern, void (*take)(void *context, const char *root, const char *path),
               void *context)
{
}
