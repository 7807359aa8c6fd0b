#include "harness/base/clock.h"

#include <math.h>
#include <time.h>

/* Seconds within which two clocks are read in sequence, unless interrupted. */
static const double read_gap = 20e-6;

/* While the time is adjusted, CLOCK_MONOTONIC runs faster or slower by at most some milliseconds per second. */
static const double slew = 0.01, slack = 0.002;

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

/* Repeats if interrupted between the readings. */
struct clock_pair clock_both(void)
{
    enum { TRIES = 100 };
    struct clock_pair pair = { NAN, NAN };
    for (unsigned i = 0; i < TRIES; i++) {
        double before = seconds_of(CLOCK_MONOTONIC);
        pair.raw = clock_wall();
        pair.second = seconds_of(CLOCK_MONOTONIC);
        if (pair.second - before < read_gap)
            break;
    }
    return pair;
}

bool clock_agrees(const struct clock_pair *from, const struct clock_pair *to, struct error *err)
{
    double raw = to->raw - from->raw, second = to->second - from->second;
    if (raw < 0)
        return fail_in(err, "clock", STATUS_IMPOSSIBLE, "the host's clock went back by %s", text_seconds(-raw).text);
    if (fabs(raw - second) <= slack + slew * second)
        return true;
    return fail_in(err, "clock", STATUS_IMPOSSIBLE,
                   "the host's clocks disagree: %s by CLOCK_MONOTONIC_RAW are %s by CLOCK_MONOTONIC",
                   text_seconds(raw).text, text_seconds(second).text);
}

double clock_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

struct text clock_date(void)
{
    struct text date;
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date.text, sizeof date.text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return date;
}
