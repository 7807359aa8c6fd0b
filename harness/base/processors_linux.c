#include "harness/base/file.h"
#include "harness/base/processors.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel's form is a row of bits, too: that of the processor 0 is the lowest of the first word. */
static bool read_of(pid_t thread, struct processors *out)
{
    *out = (struct processors){ { 0 } };
    return sched_getaffinity(thread, sizeof *out, (cpu_set_t *)(void *)out) == 0;
}

bool processors_read(struct processors *out)
{
    return read_of(0, out);
}

bool processors_read_parent(struct processors *out)
{
    return read_of(getppid(), out);
}

bool processors_use(const struct processors *processors)
{
    return sched_setaffinity(0, sizeof *processors, (const cpu_set_t *)(const void *)processors) == 0;
}

bool processors_may_bind(void)
{
    struct processors own;
    return !processors_read(&own) || processors_use(&own);
}

struct widening {
    const struct processors *from, *to;
};

static void widen(void *context, const char *path)
{
    const struct widening *widening = context;
    const pid_t thread = (pid_t)strtol(strrchr(path, '/') + 1, NULL, 10);
    struct processors own;
    if (thread != getpid() && read_of(thread, &own) && processors_equal(&own, widening->from))
        sched_setaffinity(thread, sizeof *widening->to, (const cpu_set_t *)(const void *)widening->to);
}

void processors_widen(const struct processors *from, const struct processors *to)
{
    file_each("/proc/self/task/*", widen, &(struct widening){ from, to });
}
