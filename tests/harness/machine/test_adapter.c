/* Which generation a chip of Intel is of, and which versions of the driver serve it. */

#include "harness/machine/adapter.h"

#include <criterion/criterion.h>

Test(adapter, each_range_of_device_numbers_has_both_its_ends)
{
    static const struct {
        unsigned device;
        const char *architecture;
    } rows[] = {
        { 0x15ff, "" },
        { 0x1600, "intel gen8" },
        { 0x16ff, "intel gen8" },
        { 0x1700, "" },
        { 0x0a84, "intel gen9lp" },
        { 0x0a85, "" },
        { 0x58ff, "" },
        { 0x5917, "intel gen9" },
        { 0x59ff, "intel gen9" },
        { 0x22b3, "intel gen8" },
        { 0x22b4, "" },
        { 0x9aff, "intel xe-lp" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(intel_chip_find(rows[i].device).architecture, rows[i].architecture, "%04x", rows[i].device);
}

Test(adapter, a_chip_is_served_from_its_first_version_to_before_its_end)
{
    const struct intel_chip old = intel_chip_find(0x5917), new = intel_chip_find(0x4680), unknown = intel_chip_find(1);
    cr_expect(intel_chip_is_served(&old, 24.34) && !intel_chip_is_served(&old, 24.35));
    cr_expect(intel_chip_is_served(&new, 21.34) && !intel_chip_is_served(&new, 21.33));
    cr_expect(intel_chip_is_served(&unknown, 0) && intel_chip_is_served(&unknown, 30));
}
