#include "harness/host_parts.h"
#include "harness/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The "cpu" line of /proc/stat (proc(5)), in ticks. Guests are counted in user and nice already. */
static void processor_time_read(struct host_state *out, const char *root)
{
    char line[256];
    double user, nice, system, idle, iowait, irq, softirq, steal, tick = (double)sysconf(_SC_CLK_TCK);
    if (!host_member(root, "/proc/stat", "cpu", line, sizeof line) ||
        sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &iowait, &irq, &softirq,
               &steal) != 8)
        return;
    out->busy = (user + nice + system + irq + softirq) / tick;
    out->steal = steal / tick;
}

static void pressure_read(struct host_state *out, const char *root)
{
    char line[128];
    if (host_member(root, "/proc/pressure/cpu", "some", line, sizeof line) &&
        sscanf(line, "avg10=%lf", &out->pressure) != 1)
        out->pressure = NAN;
}

/* Sensors that are not connected say absurd things. */
static void hottest(void *context, const char *root, const char *path)
{
    double *temperature = context, celsius = host_number(root, path) / 1000;
    if (celsius > -40 && celsius < 150)
        *temperature = fmax(*temperature, celsius);
}

/* Of all threads of this process; a recorded tree knows its first one's only. */
static long involuntary_switches(const char *root)
{
    struct rusage usage;
    if (!*root)
        return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : -1;
    double count = host_member_number(root, "/proc/self/status", "nonvoluntary_ctxt_switches");
    return isnan(count) ? -1 : (long)count;
}

struct power {
    bool has_mains, on_mains, has_battery, discharging;
};

/* `path` is that of a supply's type; what else is said lies beside it. */
static void supply_read(void *context, const char *root, const char *path)
{
    struct power *power = context;
    char type[32], scope[32], status[32], beside[256];
    int directory = (int)(strrchr(path, '/') - path);
    host_line(root, path, type, sizeof type);
    snprintf(beside, sizeof beside, "%.*s/scope", directory, path);
    host_line(root, beside, scope, sizeof scope);
    if (strcmp(scope, "Device") == 0) /* a mouse, not us */
        return;
    if (strcmp(type, "Mains") == 0) {
        snprintf(beside, sizeof beside, "%.*s/online", directory, path);
        power->has_mains = true;
        power->on_mains |= host_number(root, beside) > 0;
    } else if (strcmp(type, "Battery") == 0) {
        snprintf(beside, sizeof beside, "%.*s/status", directory, path);
        power->has_battery = true;
        host_line(root, beside, status, sizeof status);
        power->discharging |= strcmp(status, "Discharging") == 0;
    }
}

static int battery_read(const char *root)
{
    struct power power = { 0 };
    host_each(root, "/sys/class/power_supply/*/type", supply_read, &power);
    if (power.has_mains)
        return !power.on_mains;
    return power.has_battery ? power.discharging : -1;
}

void host_governor(const char *root, char *to, size_t room)
{
    host_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", to, room);
}

void host_state_read(struct host_state *out, const char *root, double clock_seconds)
{
    *out = (struct host_state){ .clock = NAN, .steal = NAN, .busy = NAN, .pressure = NAN, .temperature = NAN };
    processor_time_read(out, root);
    pressure_read(out, root);
    host_each(root, "/sys/class/hwmon/hwmon*/temp*_input", hottest, &out->temperature);
    host_each(root, "/sys/class/thermal/thermal_zone*/temp", hottest, &out->temperature);
    out->load = host_number(root, "/proc/loadavg");
    out->involuntary = involuntary_switches(root);
    out->on_battery = battery_read(root);
    host_governor(root, out->governor, sizeof out->governor);
    if (clock_seconds > 0)
        out->clock = host_sample_clock(clock_seconds);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *host_state_to_json(const struct host_state *state)
{
    json_t *json = json_object();
    json_object_set_new(json, "clock", number_or_null(state->clock));
    json_object_set_new(json, "steal", number_or_null(state->steal));
    json_object_set_new(json, "busy", number_or_null(state->busy));
    json_object_set_new(json, "pressure", number_or_null(state->pressure));
    json_object_set_new(json, "temperature", number_or_null(state->temperature));
    json_object_set_new(json, "load", number_or_null(state->load));
    json_object_set_new(json, "involuntary", state->involuntary < 0 ? json_null() : json_integer(state->involuntary));
    json_object_set_new(json, "governor", json_string(state->governor));
    json_object_set_new(json, "on_battery", state->on_battery < 0 ? json_null() : json_boolean(state->on_battery));
    return json;
}

static double number_member(const json_t *json, const char *name)
{
    const json_t *number = json_object_get(json, name);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* What counts something since the machine started, or is a share of it. */
static double amount_member(const json_t *json, const char *name)
{
    double amount = number_member(json, name);
    return amount >= 0 ? amount : NAN;
}

void host_state_from_json(struct host_state *out, const json_t *json)
{
    const json_t *on_battery = json_object_get(json, "on_battery");
    const char *governor = json_string_value(json_object_get(json, "governor"));
    double involuntary = amount_member(json, "involuntary");
    *out = (struct host_state){
        .clock = amount_member(json, "clock"),
        .steal = amount_member(json, "steal"),
        .busy = amount_member(json, "busy"),
        .pressure = amount_member(json, "pressure"),
        .temperature = number_member(json, "temperature"),
        .load = amount_member(json, "load"),
        .involuntary = involuntary <= (double)INT_MAX ? (long)involuntary : -1,
        .on_battery = json_is_boolean(on_battery) ? json_is_true(on_battery) : -1,
    };
    text_clean(out->governor, sizeof out->governor, governor ? governor : "");
}
