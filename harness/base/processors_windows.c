#include "harness/base/processors.h"

#include <windows.h>

/* The system counts processors in groups of up to 64, and a process begins in one of them: only that one is used. */
bool processors_read(struct processors *out)
{
    GROUP_AFFINITY own;
    const bool is_read = GetThreadGroupAffinity(GetCurrentThread(), &own);
    *out = (struct processors){ { is_read ? own.Mask : 0 } };
    return is_read;
}

bool processors_read_parent(struct processors *out)
{
    DWORD_PTR process = 0, system;
    const bool is_read = GetProcessAffinityMask(GetCurrentProcess(), &process, &system);
    *out = (struct processors){ { process } };
    return is_read;
}

bool processors_use(const struct processors *processors)
{
    return SetThreadAffinityMask(GetCurrentThread(), processors->bits[0]) != 0;
}

/* libgomp says "Affinity not supported on this configuration". */
bool processors_may_bind(void)
{
    return false;
}

/* A new thread may run wherever its process may, not only where its creator is kept. */
void processors_widen(const struct processors *from, const struct processors *to)
{
}
