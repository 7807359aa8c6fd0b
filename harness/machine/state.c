#include "harness/base/fields.h"
#include "harness/base/pages.h"
#include "harness/base/processors.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The figures of a "cpu" line of /proc/stat (proc(5)), or that of a processor, in ticks. Time of guests is already part
 * of user and nice. */
static bool processor_time_parse(struct host_state *out, const char *figures)
{
    double user, nice, system, idle, iowait, irq, softirq, steal, tick = (double)sysconf(_SC_CLK_TCK);
    if (sscanf(figures, "%lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &iowait, &irq, &softirq,
               &steal) != 8)
        return false;
    out->busy = (user + nice + system + irq + softirq) / tick;
    out->idle = (idle + iowait) / tick;
    out->steal = steal / tick;
    return true;
}

double host_busy(const char *root)
{
    double seconds = 0;
    struct processors allowed;
    struct host_state state;
    char line[512];
    FILE *stat = host_open(root, "/proc/stat");
    unsigned missing = processors_read(&allowed) ? processors_count(&allowed) : 1;
    while (stat && fgets(line, sizeof line, stat) && strncmp(line, "cpu", 3) == 0) {
        char *figures;
        const unsigned long cpu = strtoul(line + 3, &figures, 10);
        if (line[3] == ' ' || cpu >= PROCESSORS_MAX || !processors_have(&allowed, (unsigned)cpu) ||
            !processor_time_parse(&state, figures))
            continue;
        seconds += state.busy + state.steal;
        missing--;
    }
    if (stat)
        fclose(stat);
    return missing == 0 ? seconds : NAN;
}

/* Sensors that are not connected report absurd values. */
static void hottest(void *context, const char *root, const char *path)
{
    double *temperature = context, celsius = host_number(root, path) / 1000;
    if (celsius > 0 && celsius < 150)
        *temperature = fmax(*temperature, celsius);
}

/* `path`: a driver's name. */
static void hottest_of_processor(void *context, const char *root, const char *path)
{
    static const char *const drivers[] = { "coretemp", "k10temp",     "k8temp",      "fam15h_power",
                                           "zenpower", "cpu_thermal", "soc_thermal", "via_cputemp" };
    enum { DRIVERS = sizeof drivers / sizeof *drivers };
    if (name_find(host_line(root, path).text, drivers, DRIVERS) == DRIVERS)
        return;
    host_each(root, host_beside(path, "temp*_input").text, hottest, context);
}

/* Of the CPU if a driver is known to be for it: other sensors take milliseconds to read, and reading may wake a
 * sleeping device. */
static double temperature_read(const char *root)
{
    double temperature = NAN;
    host_each(root, "/sys/class/hwmon/hwmon*/name", hottest_of_processor, &temperature);
    if (!isnan(temperature))
        return temperature;
    host_each(root, "/sys/class/hwmon/hwmon*/temp*_input", hottest, &temperature);
    host_each(root, "/sys/class/thermal/thermal_zone*/temp", hottest, &temperature);
    return temperature;
}

static void add_number(void *context, const char *root, const char *path)
{
    double *sum = context, number = host_number(root, path);
    if (number >= 0 && isfinite(number))
        *sum = isnan(*sum) ? number : *sum + number;
}

static double amount(double value)
{
    return value >= 0 && isfinite(value) ? value : NAN;
}

static void swap_read(struct host_state *out, const char *root)
{
    double total = host_member_number(root, "/proc/meminfo", "SwapTotal");
    double free = host_member_number(root, "/proc/meminfo", "SwapFree");
    double in = host_member_number(root, "/proc/vmstat", "pswpin");
    double back = host_member_number(root, "/proc/vmstat", "pswpout");
    out->swap_used = amount(1024 * (total - free));
    out->swapped = amount((in + back) * (double)pages_size());
}

/* `path`: a power supply's type; its other members are beside it. The battery of a mouse has the scope "Device". */
static void supply_read(void *context, const char *root, const char *path)
{
    int *on_battery = context;
    const struct text scope = host_line(root, host_beside(path, "scope").text),
                      status = host_line(root, host_beside(path, "status").text);
    if (strcmp(host_line(root, path).text, "Battery") == 0 && strcmp(scope.text, "Device") != 0 && *status.text)
        *on_battery = *on_battery > 0 || strcmp(status.text, "Discharging") == 0;
}

struct text host_governor(const char *root)
{
    return host_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

/* Limit for waking a core, as a multiple of the time of the clock measurement; usually it takes a small part of that.
 */
static const double waking = 5;

void host_state_read(struct host_state *out, const char *root, double clock_seconds)
{
    fields_forget(out, &host_state_fields);
    processor_time_parse(out, host_member(root, "/proc/stat", "cpu").text);
    sscanf(host_member(root, "/proc/pressure/cpu", "some").text, "avg10=%lf", &out->pressure); /* or it stays NAN */
    swap_read(out, root);
    out->temperature = temperature_read(root);
    /* Each processor has a counter of its own and one of its package. */
    host_each(root, "/sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count", add_number, &out->overheated);
    out->load = host_number(root, "/proc/loadavg");
    out->throttled = host_cgroup_throttled(root);
    host_each(root, "/sys/class/power_supply/*/type", supply_read, &out->on_battery);
    text_copy(out->governor, sizeof out->governor, host_governor(root).text);
    if (clock_seconds <= 0)
        return;
    host_wake_clock(waking * clock_seconds);
    out->clock = host_sample_clock(clock_seconds);
}

static const struct field fields[] = {
    FIELD(struct host_state, clock),       FIELD(struct host_state, steal),      FIELD(struct host_state, busy),
    FIELD(struct host_state, idle),        FIELD(struct host_state, own),        FIELD(struct host_state, pressure),
    FIELD(struct host_state, temperature), FIELD(struct host_state, overheated), FIELD(struct host_state, load),
    FIELD(struct host_state, throttled),   FIELD(struct host_state, swap_used),  FIELD(struct host_state, swapped),
    FIELD(struct host_state, governor),    TRUTH(struct host_state, on_battery),
};
const struct fields host_state_fields = FIELDS(struct host_state, fields, 0);
