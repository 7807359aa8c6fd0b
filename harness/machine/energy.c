#include "harness/machine/energy.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Watts, more than any package takes: the largest server CPUs are made for some 500. */
static const double power_limit = 5000;

/* Seconds. In a shorter time, a single step of the counter, a millisecond, could be all of the change. */
static const double shortest = 1e-3;

const char *const energy_domain_names[ENERGY_DOMAINS] = { "package", "dram", "psys", "gpu" };

static double microjoules(const char *root, const char *path)
{
    double value = host_number(root, path);
    return value >= 0 && isfinite(value) ? value * 1e-6 : NAN;
}

/* `path`: a zone's name: "package-0", or "package-0-die-1" for packages of several dies, which have separate counters.
 * The domain of cores is part of its package's. */
static void zone_read(void *context, const char *root, const char *path)
{
    struct energy *energy = context;
    struct energy_counter counter = { .range = INFINITY };
    const struct text name = host_line(root, path), total = host_beside(path, "energy_uj");
    if (strlen(total.text) >= ENERGY_PATH)
        return;
    while (counter.domain < ENERGY_GPU &&
           strncmp(name.text, energy_domain_names[counter.domain], strlen(energy_domain_names[counter.domain])) != 0)
        counter.domain++;
    if (counter.domain == ENERGY_GPU)
        return;
    double range = microjoules(root, host_beside(path, "max_energy_range_uj").text);
    if (range > 0)
        counter.range = range;
    strcpy(counter.path, total.text);
    errno = 0;
    const bool is_read = !isnan(microjoules(root, counter.path));
    if (errno == EACCES || errno == EPERM)
        energy->denied = "/sys/class/powercap/intel-rapl:*/energy_uj";
    if (energy->counters == ENERGY_COUNTERS_MAX || !is_read)
        energy->is_partial[counter.domain] = true;
    else
        energy->counter[energy->counters++] = counter;
}

/* The colon in the pattern excludes intel-rapl-mmio, which shows the same packages again. */
void energy_open(struct energy *out, const char *root)
{
    *out = (struct energy){ 0 };
    host_each(root, "/sys/class/powercap/intel-rapl:*/name", zone_read, out);
}

struct text energy_describe(const struct energy *energy)
{
    struct text to = { "" };
    bool is_listed[ENERGY_DOMAINS] = { false };
    for (unsigned i = 0; i < energy->counters; i++) {
        enum energy_domain domain = energy->counter[i].domain;
        if (!is_listed[domain] && !energy->is_partial[domain])
            text_join(to.text, sizeof to.text, ", ", energy_domain_names[domain]);
        is_listed[domain] = true;
    }
    return *to.text          ? to
           : !energy->denied ? text_print("unavailable")
                             : text_print("unavailable: only root may read %s", energy->denied);
}

void energy_read(const struct energy *energy, const char *root, struct energy_reading *out)
{
    out->at = clock_wall();
    for (unsigned i = 0; i < energy->counters; i++)
        out->joules[i] = microjoules(root, energy->counter[i].path);
}

/* Joules of one counter, which may have wrapped once. */
static double moved(const struct energy_counter *counter, double from, double to, double seconds)
{
    double joules = to >= from ? to - from : to - from + counter->range;
    return joules <= power_limit * seconds ? joules : NAN;
}

void energy_between(const struct energy *energy, const struct energy_reading *from, const struct energy_reading *to,
                    double out[ENERGY_DOMAINS])
{
    bool is_counted[ENERGY_DOMAINS] = { false };
    double seconds = fmax(to->at - from->at, shortest);
    for (unsigned i = 0; i < ENERGY_DOMAINS; i++)
        out[i] = NAN;
    for (unsigned i = 0; i < energy->counters; i++) {
        const struct energy_counter *counter = &energy->counter[i];
        if (energy->is_partial[counter->domain])
            continue;
        double joules = moved(counter, from->joules[i], to->joules[i], seconds);
        double *sum = &out[counter->domain];
        *sum = is_counted[counter->domain] ? *sum + joules : joules;
        is_counted[counter->domain] = true;
    }
}
