/* A host clock that jumps, for tests. Preloaded (LD_PRELOAD), it changes CLOCK_MONOTONIC_RAW in every worker of the
 * program and in no other process. BENT_CLOCK_BY: seconds of the jump. BENT_CLOCK_AT: readings before it.
 * BENT_CLOCK_ALL=1: CLOCK_MONOTONIC as well. BENT_CLOCK_MARKER: a file that the jump creates, which shows that this
 * library was loaded. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_worker(void)
{
    static int known = -1;
    char line[4096];
    if (known >= 0)
        return known;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, line, sizeof line - 1) : 0;
    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = '\0';
    size_t first = strlen(line) + 1;
    return known = length > (ssize_t)first && strcmp(line + first, "worker") == 0;
}

/* The size of the jump so far, ns. */
static long long bent(clockid_t clock)
{
    static long readings;
    const char *by = getenv("BENT_CLOCK_BY"), *at = getenv("BENT_CLOCK_AT"), *marker = getenv("BENT_CLOCK_MARKER");
    if (!by || !at || !is_worker())
        return 0;
    long reading = clock == CLOCK_MONOTONIC_RAW ? __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED)
                                                : __atomic_load_n(&readings, __ATOMIC_RELAXED);
    if (reading < strtol(at, NULL, 10))
        return 0;
    if (clock == CLOCK_MONOTONIC_RAW && reading == strtol(at, NULL, 10) && marker)
        close(open(marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return (long long)(strtod(by, NULL) * 1e9);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
    int code = (int)syscall(SYS_clock_gettime, clock, out);
    int is_ours = clock == CLOCK_MONOTONIC_RAW || (clock == CLOCK_MONOTONIC && getenv("BENT_CLOCK_ALL"));
    if (code != 0 || !is_ours)
        return code;
    long long ns = (long long)out->tv_sec * 1000000000 + out->tv_nsec + bent(clock);
    out->tv_sec = (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
    if (out->tv_nsec < 0) {
        out->tv_nsec += 1000000000;
        out->tv_sec--;
    }
    return 0;
}
