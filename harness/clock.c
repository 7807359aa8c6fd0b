#include "harness/clock.h"

#include <math.h>
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

void clock_date(char to[21])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(to, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
