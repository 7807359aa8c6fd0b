/* Whether two clocks agree, and lines that arrive in pieces. */

#include "harness/base/clock.h"
#include "harness/base/lines.h"

#include <criterion/criterion.h>
#include <string.h>

/* Seconds that pass by both clocks: they may differ by two milliseconds and one percent. */
Test(clock, two_clocks_agree_within_what_the_system_adjusts)
{
    static const struct {
        double raw, second;
        const char *says; /* NULL: they agree */
    } cases[] = {
        { 1, 1, NULL },
        { 0, 0, NULL },
        { 1, 1.011, NULL },
        { 1, 0.9895, NULL },
        { 100, 100.9, NULL },
        { 100, 99.2, NULL },
        { 0.001, 0.0029, NULL },
        { 1, 1.02, "the host's clocks disagree: 1.00 s by CLOCK_MONOTONIC_RAW are 1.02 s by CLOCK_MONOTONIC" },
        { 1, 0.98, "disagree" },
        { 100, 102, "disagree" },
        { 0.001, 0.02, "disagree" },
        { 1, -3600, "disagree" },
        { -0.5, 1, "the host's clock went back by 500 ms" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = { .status = STATUS_OK };
        const struct clock_pair from = { 5, 7 }, to = { 5 + cases[i].raw, 7 + cases[i].second };
        cr_expect_eq(clock_agrees(&from, &to, &err), !cases[i].says, "case %u: %s", i, err.message);
        cr_expect(!cases[i].says || (err.status == STATUS_IMPOSSIBLE && strstr(err.message, cases[i].says)),
                  "case %u: %s", i, err.message);
    }
}

Test(clock, both_are_read_at_the_same_moment)
{
    const struct clock_pair from = clock_both(), to = clock_both();
    cr_expect(to.raw >= from.raw && to.second >= from.second);
    cr_expect(clock_agrees(&from, &to, NULL));
}

/* Pieces end anywhere: within a line, at its end, after several lines. */
Test(lines, come_out_whole_however_they_came_in)
{
    static const char text[] = "one\n\ntwo and more\nthree\nfour";
    static const char *const wanted[] = { "one", "", "two and more", "three" };
    for (size_t size = 1; size < sizeof text; size++) {
        struct lines lines = { .buffer = NULL };
        unsigned count = 0;
        for (size_t at = 0; at + 1 < sizeof text; at += size) {
            const size_t left = sizeof text - 1 - at, bytes = size < left ? size : left;
            char *to = lines_reserve(&lines, bytes);
            cr_assert(to);
            memcpy(to, text + at, bytes);
            lines.used += bytes;
            for (const char *line; (line = lines_take(&lines)); count++)
                cr_expect(count < 4 && strcmp(line, wanted[count]) == 0, "pieces of %zu: '%s'", size, line);
        }
        cr_expect_eq(count, 4, "pieces of %zu: %u lines", size, count);
        cr_expect(lines_has_part(&lines), "pieces of %zu: the last line has no end", size);
        lines_release(&lines);
    }
    struct lines none = { .buffer = NULL };
    cr_expect(!lines_take(&none) && !lines_has_part(&none));
}
