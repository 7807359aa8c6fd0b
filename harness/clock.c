#include "harness/clock.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return NAN;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_wall(void)
{
    return seconds_of(CLOCK_MONOTONIC_RAW);
}

double clock_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_cpu_of(long pid)
{
    clockid_t clock;
    return clock_getcpuclockid((pid_t)pid, &clock) == 0 ? seconds_of(clock) : NAN;
}

static double seconds_in(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

double clock_cpu_family(void)
{
    struct rusage children;
    if (getrusage(RUSAGE_CHILDREN, &children) != 0)
        return NAN;
    return clock_cpu() + seconds_in(&children.ru_utime) + seconds_in(&children.ru_stime);
}

void clock_date(char to[21])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(to, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
