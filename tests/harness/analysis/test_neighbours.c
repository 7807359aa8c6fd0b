/* Which looks count as shared, and which series were disturbed. */

#include "harness/analysis/neighbours.h"

#include <criterion/criterion.h>
#include <math.h>

/* Two processors, of which the second is twice as fast. */
static struct record made(struct look_record look[], unsigned looks)
{
    return (struct record){ .look = look, .looks = looks, .usual_look = { { 0, 2 }, { 7, 4 } }, .usual_looks = 2 };
}

Test(neighbours, a_look_is_shared_below_four_fifths_of_its_own_processor)
{
    struct look_record look[] = { { 0, 1.59 }, { 0, 1.61 }, { 7, 3.19 }, { 7, 3.21 }, { 9, 0.1 } };
    struct record record = made(look, 5);
    cr_expect_float_eq(neighbours_share(&record), 0.4, 1e-12);
    record.usual_looks = 0;
    cr_expect(isnan(neighbours_share(&record)));
}

/* Slices begin after the look before them: the first after none, the last ones after the last one. Of fewer than ten
 * nothing is said. */
Test(neighbours, a_series_is_disturbed_if_more_than_half_of_its_slices_follow_such_a_look)
{
    enum { SLICES = 11 };
    struct look_record look[] = { { 0, 2 }, { 0, 1 }, { 7, 2 } };
    struct slice slice[SLICES] = { { .looks = 0 }, { .looks = 1 }, { .looks = 1 }, { .looks = 0 }, { .looks = 1 } };
    const struct record record = made(look, 3);
    for (unsigned i = 5; i < SLICES; i++)
        slice[i].looks = 2 + i % 2;
    cr_expect(neighbours_disturbed(&record, &(struct track){ .slice = slice, .slices = SLICES }));
    cr_expect_not(neighbours_disturbed(&record, &(struct track){ .slice = slice, .slices = SLICES - 1 }));
    cr_expect(neighbours_disturbed(&record, &(struct track){ .slice = slice + 1, .slices = 10 }));
    cr_expect_not(neighbours_disturbed(&record, &(struct track){ .slice = slice + 2, .slices = 9 }));
    cr_expect_not(neighbours_disturbed(&record, &(struct track){ .slices = 0 }));
}
