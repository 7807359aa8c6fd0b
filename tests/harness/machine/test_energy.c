#include "harness/machine/energy.h"

#include "harness/base/text.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(energy, .fini = recorded_remove);

#define COUNTERS "/sys/class/powercap/"

/* An i5-8250U: cores and graphics are in the package, and the same package is shown once more by another way in. */
static void laptop(void)
{
    recorded_make(NULL);
    recorded_add(COUNTERS "intel-rapl", "enabled=1");
    recorded_add(COUNTERS "intel-rapl:0", "name=package-0|energy_uj=5000000|max_energy_range_uj=262143328850");
    recorded_add(COUNTERS "intel-rapl:0:0", "name=core|energy_uj=3000000|max_energy_range_uj=262143328850");
    recorded_add(COUNTERS "intel-rapl:0:1", "name=uncore|energy_uj=1000000");
    recorded_add(COUNTERS "intel-rapl:0:2", "name=dram|energy_uj=2000000|max_energy_range_uj=262143328850");
    recorded_add(COUNTERS "intel-rapl:1", "name=psys|energy_uj=9000000|max_energy_range_uj=262143328850");
    recorded_add(COUNTERS "intel-rapl-mmio:0", "name=package-0|energy_uj=5000000");
}

static struct energy energy_of(void)
{
    struct energy energy;
    energy_open(&energy, recorded.root);
    return energy;
}

/* A reading of the tree as it is, with the time set to `at` seconds. */
static struct energy_reading look(const struct energy *energy, double at)
{
    struct energy_reading reading;
    energy_read(energy, recorded.root, &reading);
    reading.at = at;
    return reading;
}

static void expect_joules(const double joules[ENERGY_DOMAINS], enum energy_domain domain, double want)
{
    bool is_right = isnan(want) ? isnan(joules[domain]) : fabs(joules[domain] - want) < 1e-6;
    cr_expect(is_right, "%s: %g J, should be %g", energy_domain_names[domain], joules[domain], want);
}

static void expect_description(const struct energy *energy, const char *want)
{
    cr_expect_str_eq(energy_describe(energy).text, want);
}

/* From what the tree says to `counts` of one file, so many seconds later. */
static void move(const char *path, const char *counts, double seconds, double joules[ENERGY_DOMAINS])
{
    struct energy energy = energy_of();
    struct energy_reading from = look(&energy, 10);
    recorded_write(path, counts);
    struct energy_reading to = look(&energy, 10 + seconds);
    energy_between(&energy, &from, &to, joules);
}

static const char package[] = "/sys/class/powercap/intel-rapl:0/energy_uj";

Test(energy, a_laptop_has_counters_of_package_memory_and_system)
{
    laptop();
    struct energy energy = energy_of();
    double joules[ENERGY_DOMAINS];
    cr_expect(energy.counters == 3 && !energy.denied, "%u counters", energy.counters);
    expect_description(&energy, "package, dram, psys");
    struct energy_reading from = look(&energy, 10);
    recorded_write(package, "6500000\n");
    recorded_write("/sys/class/powercap/intel-rapl:0:0/energy_uj", "4000000\n"); /* in the package already */
    recorded_write("/sys/class/powercap/intel-rapl:0:2/energy_uj", "2250000\n");
    recorded_write("/sys/class/powercap/intel-rapl:1/energy_uj", "11000000\n");
    struct energy_reading to = look(&energy, 10.1);
    energy_between(&energy, &from, &to, joules);
    expect_joules(joules, ENERGY_PACKAGE, 1.5);
    expect_joules(joules, ENERGY_DRAM, 0.25);
    expect_joules(joules, ENERGY_PSYS, 2);
}

/* Of the package, as counts in the file. */
Test(energy, a_counter_may_wrap_once_and_neither_runs_backwards_nor_jumps)
{
    static const struct {
        const char *what, *from, *to;
        double seconds, joules;
        const char *range;
    } rows[] = {
        { "it wraps", "262143000000\n", "671150\n", 0.1, 1, "262143328850\n" },
        { "262 kJ in a tenth of a second, had it begun again", "5000000\n", "4999999\n", 0.1, NAN, "262143328850\n" },
        { "backwards, and its range is not known", "5000000\n", "4999999\n", 1e6, NAN, "rubbish\n" },
        { "1 kJ at 10 kW", "5000000\n", "1005000000\n", 0.1, NAN, "262143328850\n" },
        { "1 kJ at 100 W", "5000000\n", "1005000000\n", 10, 1000, "262143328850\n" },
        { "a step of the counter just then", "5000000\n", "5001000\n", 0, 0.001, "262143328850\n" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double joules[ENERGY_DOMAINS];
        laptop();
        recorded_write("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", rows[i].range);
        recorded_write(package, rows[i].from);
        move(package, rows[i].to, rows[i].seconds, joules);
        const double got = joules[ENERGY_PACKAGE];
        cr_expect(isnan(rows[i].joules) ? isnan(got) : fabs(got - rows[i].joules) < 1e-6, "%s: %g J", rows[i].what,
                  got);
        expect_joules(joules, ENERGY_DRAM, 0);
    }
}

Test(energy, garbage_in_a_counter_gives_no_energy)
{
    static const char *const rubbish[] = { "",     "\n",      "x\n",        "nan\n", "inf\n",
                                           "-1\n", "1e400\n", "\xff\xfe\n", "- 1\n", "0x\x01" };
    for (unsigned i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        laptop();
        double joules[ENERGY_DOMAINS];
        move(package, rubbish[i], 0.1, joules);
        cr_expect(isnan(joules[ENERGY_PACKAGE]), "\"%s\" was taken for %g J", rubbish[i], joules[ENERGY_PACKAGE]);
        expect_joules(joules, ENERGY_DRAM, 0);
        recorded_write(package, rubbish[i]);
        struct energy energy = energy_of();
        if (strcmp(rubbish[i], "0x\x01") != 0) /* begins with a 0 */
            expect_description(&energy, "dram, psys");
    }
}

/* Two sockets of two dies each. */
Test(energy, a_server_counts_all_its_packages_or_none)
{
    recorded_make(NULL);
    recorded_add(COUNTERS "intel-rapl:0", "name=package-0-die-0|energy_uj=100000000|max_energy_range_uj=65532610987");
    recorded_add(COUNTERS "intel-rapl:0:0", "name=dram|energy_uj=7000000");
    recorded_add(COUNTERS "intel-rapl:1", "name=package-1-die-0|energy_uj=65532000000|max_energy_range_uj=65532610987");
    recorded_add(COUNTERS "intel-rapl:1:0", "name=dram|energy_uj=8000000");
    struct energy energy = energy_of();
    double joules[ENERGY_DOMAINS];
    expect_description(&energy, "package, dram");
    struct energy_reading from = look(&energy, 10);
    recorded_write("/sys/class/powercap/intel-rapl:0/energy_uj", "130000000\n");
    recorded_write("/sys/class/powercap/intel-rapl:1/energy_uj", "19389013\n");
    recorded_write("/sys/class/powercap/intel-rapl:1:0/energy_uj", "9000000\n");
    struct energy_reading to = look(&energy, 10.1);
    energy_between(&energy, &from, &to, joules);
    expect_joules(joules, ENERGY_PACKAGE, 30 + 20);
    expect_joules(joules, ENERGY_DRAM, 1);
    expect_joules(joules, ENERGY_PSYS, NAN);
    recorded_write("/sys/class/powercap/intel-rapl:1/energy_uj", "");
    to = look(&energy, 10.1);
    energy_between(&energy, &from, &to, joules);
    expect_joules(joules, ENERGY_PACKAGE, NAN);
    expect_joules(joules, ENERGY_DRAM, 1);
}

Test(energy, a_machine_without_counters_says_so)
{
    recorded_make(NULL);
    struct energy energy = energy_of();
    double joules[ENERGY_DOMAINS];
    struct energy_reading from = look(&energy, 0), to = look(&energy, 1);
    expect_description(&energy, "unavailable");
    energy_between(&energy, &from, &to, joules);
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++)
        expect_joules(joules, domain, NAN);
}

/* Half of the packages would pass for all of them; a counter of memory that cannot be read leaves that of the package.
 */
Test(energy, an_unreadable_counter_makes_its_sum_unknown)
{
    double joules[ENERGY_DOMAINS];
    char path[128];
    laptop();
    snprintf(path, sizeof path, "%s%s", recorded.root, package);
    cr_assert(remove(path) == 0 && mkdir(path, 0700) == 0); /* a folder in its place */
    struct energy energy = energy_of();
    expect_description(&energy, "dram, psys");

    laptop();
    recorded_write("/sys/class/powercap/intel-rapl:2/name", "package-1\n");
    recorded_write("/sys/class/powercap/intel-rapl:2/energy_uj", "\n");
    move(package, "6000000\n", 0.1, joules);
    expect_joules(joules, ENERGY_PACKAGE, NAN);
    expect_joules(joules, ENERGY_DRAM, 0);
    energy = energy_of();
    expect_description(&energy, "dram, psys");

    laptop();
    recorded_write("/sys/class/powercap/intel-rapl:0:2/energy_uj", "rubbish\n");
    move(package, "6000000\n", 0.1, joules);
    expect_joules(joules, ENERGY_PACKAGE, 1);
    expect_joules(joules, ENERGY_DRAM, NAN);
    expect_joules(joules, ENERGY_PSYS, 0);
}

/* In place of that of the C library: the kernel keeps counters from root, too, when it is locked down. */
static int refused; /* an errno; 0: files are opened */
FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*open_file)(const char *, const char *);
    if (!open_file)
        *(void **)&open_file = dlsym(RTLD_NEXT, "fopen");
    if (refused == 0 || !strstr(path, "energy_uj"))
        return open_file(path, mode);
    errno = refused;
    return NULL;
}

Test(energy, whoever_refuses_them_counters_are_reported_as_refused)
{
    static const int codes[] = { EACCES, EPERM, EIO };
    laptop();
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        refused = codes[i];
        struct energy energy = energy_of();
        cr_expect_eq(energy.denied != NULL, codes[i] != EIO, "%s", strerror(codes[i]));
        cr_expect_eq(energy.counters, 0);
        expect_description(&energy, codes[i] == EIO ? "unavailable"
                                                    : "unavailable: only root may read "
                                                      "/sys/class/powercap/intel-rapl:*/energy_uj");
    }
}

Test(energy, too_many_counters_are_harmless)
{
    recorded_make(NULL);
    for (unsigned i = 0; i < 2 * ENERGY_COUNTERS_MAX; i++)
        recorded_add(text_print(COUNTERS "intel-rapl:%u", i).text, "name=package-0|energy_uj=1");
    struct energy energy = energy_of();
    cr_expect(energy.counters == ENERGY_COUNTERS_MAX, "%u counters", energy.counters);
    expect_description(&energy, "unavailable"); /* a part of the packages is not all of them */
}
