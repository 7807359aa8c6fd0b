/* The state that a machine is in, on recorded ones: a laptop, a server of two sockets, containers, a guest. */

#include "harness/base/fields.h"
#include "harness/base/processors.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"
#include "harness/machine/topology.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(host_state, .fini = recorded_remove);

static struct host_state state_of(void)
{
    struct host_state state;
    host_state_read(&state, recorded.root, 0);
    return state;
}

static void expect(const char *what, double got, double want)
{
    bool is_right = isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * fabs(want);
    cr_expect(is_right, "%s: %.9g, should be %.9g", what, got, want);
}

/* An i5-8250U on its battery, hot, with a disk that sleeps and a wireless card among its sensors. */
static void laptop(void)
{
    recorded_make(NULL);
    recorded_add("/proc", "stat=cpu  1000 200 300 90000 50 20 10 40 500 0\ncpu0 1 2 3 4 5 6 7 8 9 0|"
                          "meminfo=MemTotal: 8038780 kB\nSwapTotal: 2000000 kB\nSwapFree: 1500000 kB|"
                          "vmstat=pgpgin 1\npswpin 100\npswpout 300\npswpoutx 7|"
                          "pressure/cpu=some avg10=2.13 avg60=1.00 avg300=0.37 total=3628853|"
                          "loadavg=0.75 0.50 0.25 1/400 12345|self/status=VmHWM:\t  200 kB\nVmRSS:\t  100 kB|"
                          "self/cgroup=0::/user.slice");
    recorded_add("/sys/fs/cgroup/user.slice", "cpu.stat=usage_usec 7\nuser_usec 5\nsystem_usec 2");
    recorded_add("/sys/devices/system/cpu/cpu0", "cpufreq/scaling_governor=powersave");
    recorded_add("/sys/devices/system/cpu/cpu0/thermal_throttle",
                 "core_throttle_count=3|package_throttle_count=40|core_throttle_total_time_ms=999");
    recorded_add("/sys/devices/system/cpu/cpu1/thermal_throttle", "core_throttle_count=4|package_throttle_count=40");
    recorded_add("/sys/devices/system/node", "online=0");
    recorded_add("/sys/bus/pci/devices/0000:00:02.0", "numa_node=-1"); /* i915 */
    recorded_add("/sys/class/hwmon/hwmon0", "name=nvme|temp1_input=88850");
    recorded_add("/sys/class/hwmon/hwmon1", "name=coretemp|temp1_input=67000|temp2_input=71500");
    recorded_add("/sys/class/hwmon/hwmon1", "temp3_input=-273000|temp4_input=255000"); /* sensors that lie */
    recorded_add("/sys/class/hwmon/hwmon2", "name=iwlwifi");
    recorded_add("/sys/class/thermal/thermal_zone0", "temp=99000");
    recorded_add("/sys/class/power_supply/BAT0", "type=Battery|status=Discharging");
}

Test(host_state, of_a_laptop)
{
    laptop();
    struct host_state state = state_of();
    double tick = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
    expect("busy", state.busy, 1530 / tick);
    expect("idle", state.idle, 90050 / tick);
    expect("steal", state.steal, 40 / tick);
    expect("own", state.own, NAN); /* the caller's business */
    expect("pressure", state.pressure, 2.13);
    expect("temperature of the processor", state.temperature, 71.5);
    expect("overheated", state.overheated, 3 + 40 + 4 + 40);
    expect("load", state.load, 0.75);
    expect("throttled", state.throttled, NAN);
    expect("swap used", state.swap_used, 500000 * 1024.0);
    expect("swapped", state.swapped, 400 * page);
    expect("bytes", host_process_bytes(recorded.root), 100 * 1024);
    expect("peak", host_process_peak(recorded.root), 200 * 1024);
    cr_expect(state.on_battery == 1 && strcmp(state.governor, "powersave") == 0);
    cr_expect(host_node_of_silicon(recorded.root, "pci 0000:00:02.0") == -1);
    int node;
    double held;
    cr_expect(isnan(host_largest_node(recorded.root, &node, &held)), "one node has no share");
}

/* A second battery that is full, on either side of the first, and that of a mouse. A mains adapter has no status. */
Test(host_state, on_battery_while_any_of_its_own_discharges)
{
    laptop();
    recorded_write("/sys/class/power_supply/AC/type", "Mains\n");
    recorded_write("/sys/class/power_supply/BAT1/type", "Battery\n");
    recorded_write("/sys/class/power_supply/BAT1/status", "Full\n");
    cr_expect_eq(state_of().on_battery, 1);
    recorded_write("/sys/class/power_supply/BAT0/status", "Not charging\n");
    cr_expect_eq(state_of().on_battery, 0);
    recorded_write("/sys/class/power_supply/BAT1/status", "Discharging\n");
    cr_expect_eq(state_of().on_battery, 1);
    recorded_write("/sys/class/power_supply/BAT1/scope", "Device\n");
    cr_expect_eq(state_of().on_battery, 0);
}

Test(host_state, of_this_machine_only_ever_grows)
{
    struct host_state before, after;
    host_state_read(&before, "", 0.005);
    host_state_read(&after, "", 0);
    cr_expect(isnan(after.clock));
    if (!isnan(before.busy))
        cr_expect(after.busy >= before.busy && after.steal >= before.steal);
}

/* Of the processors that this process may use, here the one named first. The time of one that is not listed is unknown.
 */
Test(host_state, the_busy_time_is_that_of_the_processors_that_may_be_used)
{
    static const struct {
        const char *before, *name, *figures;
        double ticks;
    } cases[] = {
        { "cpu  0 9 9 9 9 9 9 9 9 9\n", "cpu", "1000 200 300 90000 50 20 10 40 500 0\nintr 7\n", 1570 },
        { "", "cpu", "1 2 3 4 5 6 7 8\ncpu2000 1 2 3 4 5 6 7 8\n", 27 },
        { "intr 7\n", "cpu", "1 2 3 4 5 6 7 8\n", NAN },
        { "cpu  9 9 9 9 9 9 9 9 9 9\n", "cpu10", "1 2 3 4 5 6 7 8\n", NAN },
        { "cpu  9 9 9 9 9 9 9 9 9 9\n", "cpu", "1 2 3 4\n", NAN },
    };
    struct processors allowed, one;
    unsigned first = 0;
    cr_assert(processors_read(&allowed));
    while (!processors_have(&allowed, first))
        first++;
    one = processors_one(first);
    cr_assert(processors_use(&one));
    laptop();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s%u %s", cases[i].before, cases[i].name, first, cases[i].figures);
        recorded_write("/proc/stat", text);
        expect(text, host_busy(recorded.root), cases[i].ticks / (double)sysconf(_SC_CLK_TCK));
    }
}

/* Two sockets, a node each; a card near the second one; most of our memory on the first. */
static void server(void)
{
    recorded_make(NULL);
    recorded_add("/proc", "stat=cpu  1 1 1 1 1 1 1 1 1 1|vmstat=pswpin 0\npswpout 0|"
                          "meminfo=MemTotal: 527000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB");
    recorded_write("/proc/self/numa_maps",
                   "7f0000000000 default anon=1000 dirty=1000 active=0 N0=900 N1=100 kernelpagesize_kB=2048\n"
                   "7f1000000000 default file=/usr/lib/libN0=9.so mapped=8 N1=8 kernelpagesize_kB=4\n"
                   "7f2000000000 default heap\nrubbish N7= N=3 N0=x N999=5 kernelpagesize_kB=\n");
    recorded_add("/sys/devices/system", "node/online=0-1|cpu/cpu0/cpufreq/scaling_governor=performance");
    recorded_add("/sys/bus/pci/devices/0000:c1:00.0", "numa_node=1|current_link_width=8");
    recorded_add("/sys/bus/pci/devices/0000:c2:00.0", "numa_node=junk|current_link_width=255");
    recorded_add("/sys/bus/pci/devices/0000:c3:00.0", "numa_node=1e30");
    recorded_add("/sys/bus/pci/devices/0000:41:00.0", "numa_node=0");
    recorded_add("/sys/class/hwmon", "hwmon0/name=coretemp|hwmon0/temp1_input=44000|hwmon1/name=coretemp|"
                                     "hwmon1/temp1_input=52000|hwmon2/name=coretemp|hwmon2/temp1_input=48000");
}

Test(host_state, of_a_server_with_two_sockets)
{
    server();
    struct host_state state = state_of();
    expect("temperature", state.temperature, 52);
    expect("swap used", state.swap_used, 0);
    expect("swapped", state.swapped, 0);
    cr_expect(state.on_battery == -1 && strcmp(state.governor, "performance") == 0);
    static const struct {
        const char *silicon;
        int node;
        unsigned lanes;
    } links[] = { { "pci 0000:c1:00.0", 1, 8 },
                  { "pci 0000:c2:00.0", -1, 0 },
                  { "pci 0000:c3:00.0", -1, 0 },
                  { "pci 0000:ff:00.0", -1, 0 },
                  { "pci 0000:41:00.0", 0, 0 },
                  { "pci ../devices/0000:c1:00.0", -1, 0 },
                  { "cpu", -1, 0 },
                  { "", -1, 0 } };
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
        cr_expect_eq(host_node_of_silicon(recorded.root, links[i].silicon), links[i].node, "%s", links[i].silicon);
        cr_expect_eq(host_link_lanes(recorded.root, links[i].silicon), links[i].lanes, "%s", links[i].silicon);
    }
    int node;
    double held, here = 900 * 2048.0, there = 100 * 2048.0 + 8 * 4.0;
    expect("largest node", host_largest_node(recorded.root, &node, &held), here / (here + there));
    expect("bytes on it", held, here * 1024);
    cr_expect(node == 0, "node %d", node);
    recorded_write("/sys/devices/system/node/online", "0,2\n");
    cr_expect(host_node_of_silicon(recorded.root, "pci 0000:c1:00.0") == 1, "two of three are there");
}

/* What a machine is, beside its state: which counters, and over how many nodes its threads are spread. */
Test(host_state, counters_and_nodes_are_in_the_description)
{
    struct host host;
    struct error err = { 0 };
    server();
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] core:32 pu:2", 1);
    recorded_write("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
    recorded_write("/sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
    cr_assert(host_read(&host, recorded.root, 0, &err), "%s", err.message);
    cr_expect(host.nodes == 2 && host.worker_nodes == 2 && strcmp(host.energy, "package") == 0);
    cr_assert(host_read(&host, recorded.root, 4, &err), "%s", err.message);
    cr_expect(host.worker_nodes == 1, "%u nodes", host.worker_nodes);
    laptop();
    setenv("HWLOC_SYNTHETIC", "pack:1 [numa] core:4 pu:2", 1);
    cr_assert(host_read(&host, recorded.root, 0, &err), "%s", err.message);
    cr_expect(host.nodes == 1 && host.worker_nodes == 1 && strcmp(host.energy, "unavailable") == 0);
}

Test(host_state, quotas_that_made_tasks_wait_are_added_on_the_way_up)
{
    static const struct record_file container[] = {
        { "/proc/self/cgroup", "0::/a/b\n" },
        { "/sys/fs/cgroup/cpu.stat", "usage_usec 1000\n" },
        { "/sys/fs/cgroup/a/cpu.stat", "usage_usec 1000\nnr_throttled 2\nthrottled_usec 500000\n" },
        { "/sys/fs/cgroup/a/b/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_usec 2000000\n" },
        { "/sys/fs/cgroup/other/cpu.stat", "throttled_usec 77000000\n" },
        { NULL, NULL },
    };
    static const char *const rubbish[] = { "", "throttled_usec\n", "throttled_usec -5\n", "throttled_usec nan\n",
                                           "throttled_usec 1e999\n" };
    recorded_make(container);
    expect("throttled", state_of().throttled, 2.5);
    for (unsigned i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        recorded_write("/sys/fs/cgroup/a/b/cpu.stat", rubbish[i]);
        expect(rubbish[i], state_of().throttled, 0.5);
    }
    /* version 1: the controller under two names, as most systems of that time have it, is one and the same */
    static const char old[] = "nr_periods 9\nnr_throttled 3\nthrottled_time 1500000000\n";
    recorded_make(NULL);
    recorded_write("/proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n0::/\n");
    recorded_write("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", old);
    recorded_write("/sys/fs/cgroup/cpu/cpu.stat", old);
    expect("throttled in version 1", state_of().throttled, 1.5);
}

Test(host_state, of_a_guest_without_any_data)
{
    recorded_make(NULL);
    struct host_state state = state_of();
    const double numbers[] = { state.clock,     state.steal,     state.busy,       state.idle,
                               state.own,       state.pressure,  state.overheated, state.load,
                               state.throttled, state.swap_used, state.swapped };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cr_expect(isnan(numbers[i]), "number %u: %g", i, numbers[i]);
    cr_expect(isnan(state.temperature) && state.on_battery == -1 && !*state.governor);
    cr_expect(host_node_of_silicon(recorded.root, "pci 0000:00:02.0") == -1);
    int node;
    double held;
    cr_expect(isnan(host_largest_node(recorded.root, &node, &held)) && isnan(host_process_bytes(recorded.root)));
}

/* Root can read every file; a folder in place of a file is what it cannot read. */
Test(host_state, unreadable_values_are_unknown)
{
    char paths[] = "/proc/stat /proc/meminfo /proc/vmstat /proc/self/status /proc/pressure/cpu "
                   "/sys/class/hwmon/hwmon1/temp1_input /sys/class/hwmon/hwmon1/temp2_input "
                   "/sys/class/power_supply/BAT0/status "
                   "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
         *rest = paths;
    laptop();
    for (const char *path; (path = strsep(&rest, " "));) {
        char full[256];
        snprintf(full, sizeof full, "%s%s", recorded.root, path);
        cr_assert(remove(full) == 0 && mkdir(full, 0700) == 0, "%s", full);
    }
    struct host_state state = state_of();
    expect("busy", state.busy, NAN);
    expect("swap used", state.swap_used, NAN);
    expect("swapped", state.swapped, NAN);
    expect("pressure", state.pressure, NAN);
    expect("overheated", state.overheated, 40 + 4 + 40);
    expect("bytes", host_process_bytes(recorded.root), NAN);
    expect("of all sensors", state.temperature, 99);
}

Test(host_state, garbage_is_unknown)
{
    static const char *const rubbish[] = { "", "\n", "\xff\xff", "nan", "-1", "-1e300 kB", "1e999", "inf kB" };
    for (unsigned i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        char line[128];
        laptop();
        snprintf(line, sizeof line, "SwapTotal: %s\nSwapFree: 0 kB\n", rubbish[i]);
        recorded_write("/proc/meminfo", line);
        snprintf(line, sizeof line, "pswpin %s\npswpout 1\n", rubbish[i]);
        recorded_write("/proc/vmstat", line);
        snprintf(line, sizeof line, "VmRSS: %s\nVmHWM: %s\n", rubbish[i], rubbish[i]);
        recorded_write("/proc/self/status", line);
        recorded_write("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", rubbish[i]);
        recorded_write("/proc/stat", rubbish[i]);
        struct host_state state = state_of();
        expect(rubbish[i], state.swap_used, NAN);
        cr_expect(isnan(state.swapped) || state.swapped >= 0, "\"%s\": %g", rubbish[i], state.swapped);
        expect(rubbish[i], host_process_bytes(recorded.root), NAN);
        expect(rubbish[i], state.overheated, 40 + 4 + 40);
        expect(rubbish[i], state.busy, NAN);
    }
}

/* What a reader of a journal takes of it. */
Test(host_state, implausible_values_are_dropped)
{
    static const char *const amounts[] = { "busy", "idle", "own", "overheated", "throttled", "swap_used", "swapped" };
    struct host_state back;
    json_t *json = json_pack("{s:f, s:s}", "temperature", 20.0, "clock", "fast");
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
        json_object_set_new(json, amounts[i], json_real(-1));
    fields_forget(&back, &host_state_fields);
    fields_from_json(&back, &host_state_fields, json, NULL);
    cr_expect(isnan(back.busy) && isnan(back.idle) && isnan(back.own) && isnan(back.overheated));
    cr_expect(isnan(back.throttled) && isnan(back.swap_used) && isnan(back.swapped) && isnan(back.clock));
    cr_expect(back.temperature == 20);
    json_decref(json);
}

/* Memory goes where it is asked to: a node that is there is taken, one that is not is refused. */
Test(host_state, memory_of_this_process)
{
    double before = host_process_bytes("");
    size_t bytes = 64 << 20;
    char *volatile memory = malloc(bytes); /* volatile: a compiler leaves out memory that nobody reads */
    cr_assert(memory);
    memset(memory, 1, bytes);
    double after = host_process_bytes("");
    cr_expect(after - before > 0.9 * (double)bytes, "grew by %g bytes", after - before);
    cr_expect(host_process_peak("") >= after);
    free(memory);
    hwloc_topology_t topology = topology_open();
    cr_expect(topology_prefer_node(topology, 0));
    cr_expect(!topology_prefer_node(topology, -1) && !topology_prefer_node(topology, 1 << 20));
    cr_expect(!topology_prefer_node(NULL, 0) && !topology_stay_on_node(NULL, 0));
    topology_close(topology);
}

/* On any machine the processor that this runs on can be a node of its own in a topology that says so. */
Test(host_state, a_thread_goes_to_a_node)
{
    cpu_set_t home, there, back;
    char machine[80];
    const int here = sched_getcpu();
    cr_assert(sched_getaffinity(0, sizeof home, &home) == 0);
    snprintf(machine, sizeof machine, "node:3 pu:1(indexes=900,%d,901)", here);
    setenv("HWLOC_SYNTHETIC", machine, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    hwloc_topology_t topology = topology_open();
    cr_expect(topology_stay_on_node(topology, 1));
    cr_assert(sched_getaffinity(0, sizeof there, &there) == 0);
    cr_expect(CPU_COUNT(&there) == 1 && CPU_ISSET(here, &there));
    cr_assert(sched_setaffinity(0, sizeof home, &home) == 0);

    static const int nowhere[] = { 0, 2, 3, -1 }; /* of processors that do not exist, not there, unknown */
    for (unsigned i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        cr_expect_not(topology_stay_on_node(topology, nowhere[i]), "node %d", nowhere[i]);
        cr_assert(sched_getaffinity(0, sizeof back, &back) == 0);
        cr_expect(CPU_EQUAL(&home, &back), "node %d", nowhere[i]);
    }
    topology_close(topology);
}
