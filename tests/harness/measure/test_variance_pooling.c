#include "harness/measure/variance_pooling.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_close(double value, double wanted)
{
    cr_expect(fabs(value - wanted) <= 1e-5 * fabs(wanted), "%.8g, not %.8g", value, wanted);
}

/* Tables of Student's distribution. */
Test(variance_pooling, quantiles_are_those_of_the_tables)
{
    expect_close(student_quantile(0.95, 1), 12.706205);
    expect_close(student_quantile(0.95, 8), 2.306004);
    expect_close(student_quantile(0.997, 8), 4.199146);
    expect_close(student_quantile(0.99, 120), 2.617421);
    expect_close(student_quantile(0.95, INFINITY), 1.959964);
    expect_close(student_quantile(0.997, INFINITY), 2.967738);
}

Test(variance_pooling, quantiles_of_nonsense_are_none)
{
    cr_expect(isnan(student_quantile(0.95, 0)));
    cr_expect(isnan(student_quantile(1, 5)));
    cr_expect(isnan(student_quantile(NAN, 5)));
    cr_expect(isnan(student_quantile(0.95, NAN)));
}

static const struct variance usual = { 1.44e-4, 4 };

Test(variance_pooling, cells_that_are_alike_share_one_variance)
{
    struct variance cell[] = {
        { 1e-4, 8 }, { 2e-4, 8 }, { 5e-5, 8 }, { 1.5e-4, 8 }, { 8e-5, 8 }, { 9e-5, 8 }, { 0, 0 }
    };
    variance_pool(cell, 7, usual);
    for (unsigned i = 0; i < 7; i++) {
        cr_expect(cell[i].variance > 7e-5 && cell[i].variance < 1.4e-4, "%g", cell[i].variance);
        cr_expect(cell[i].freedom >= 16 && cell[i].freedom <= 24, "%g", cell[i].freedom);
    }
}

Test(variance_pooling, cells_that_are_not_alike_keep_most_of_their_own)
{
    struct variance cell[] = { { 1e-4, 8 }, { 2e-2, 8 }, { 8e-6, 8 }, { 1.5e-3, 8 }, { 9e-6, 8 }, { 1e-3, 8 } };
    variance_pool(cell, 6, usual);
    cr_expect(cell[1].variance > 1e-2 && cell[1].variance <= 2e-2);
    cr_expect(cell[2].variance >= 8e-6 && cell[2].variance < 1e-4);
    cr_expect(cell[0].freedom > 8 && cell[0].freedom < 12);
}

Test(variance_pooling, a_cell_that_was_steady_by_chance_is_shrunk)
{
    struct variance cell[] = { { 1e-4, 4 }, { 2e-4, 4 }, { 2e-5, 4 }, { 1.5e-4, 4 }, { 8e-5, 4 }, { 2e-4, 4 } };
    variance_pool(cell, 6, usual);
    cr_expect(cell[2].variance > 5e-5 && cell[2].freedom > 4);
}

Test(variance_pooling, a_disturbed_cell_keeps_its_own_and_does_not_affect_the_others)
{
    struct variance cell[] = { { 1e-4, 4 }, { 2e-4, 4 }, { 7e-5, 4 }, { 1.5e-4, 4 }, { 9e-2, 4 }, { 1.2e-4, 4 } };
    variance_pool(cell, 6, usual);
    expect_close(cell[4].variance, 9e-2);
    expect_close(cell[4].freedom, 4);
    cr_expect(cell[0].variance < 2e-4 && cell[0].freedom > 8);
}

Test(variance_pooling, a_steady_cell_among_unsteady_ones_keeps_its_own)
{
    struct variance cell[12];
    for (unsigned i = 0; i < 12; i++)
        cell[i] = (struct variance){ i == 4 ? 9e-6 : 7e-4 + 1e-4 * i, 4 };
    variance_pool(cell, 12, usual);
    expect_close(cell[4].variance, 9e-6);
    expect_close(cell[4].freedom, 4);
    cr_expect(cell[0].variance > 7e-4 && cell[0].freedom > 8);
}

Test(variance_pooling, few_cells_are_shrunk_towards_the_usual_but_not_below_their_mean)
{
    struct variance cell[] = { { 1e-4, 2 }, { 9e-4, 2 }, { 0, 0 } };
    variance_pool(cell, 3, usual);
    expect_close(cell[0].variance, 5e-4);
    expect_close(cell[0].freedom, 6);
    expect_close(cell[1].variance, 9e-4); /* far beyond what is usual */
    expect_close(cell[1].freedom, 2);
    expect_close(cell[2].variance, 5e-4);
    struct variance steady[] = { { 4e-6, 2 }, { 6e-5, 2 } };
    variance_pool(steady, 2, usual);
    expect_close(steady[0].variance, (2 * 4e-6 + 4 * 1.44e-4) / 6);
    expect_close(steady[1].variance, (2 * 6e-5 + 4 * 1.44e-4) / 6);
}

Test(variance_pooling, a_single_cell_keeps_its_own)
{
    struct variance cell[] = { { 1e-4, 4 }, { 0, 0 } };
    variance_pool(cell, 2, usual);
    expect_close(cell[0].variance, 1e-4);
    expect_close(cell[0].freedom, 4);
}

Test(variance_pooling, without_known_variances_all_stay_unknown)
{
    struct variance cell[] = { { 0, 0 }, { 0, 0 } };
    variance_pool(cell, 2, usual);
    cr_expect_eq(cell[0].freedom, 0);
    variance_pool(cell, 0, usual);
}

Test(variance_pooling, runs_that_are_all_the_same_are_not_taken_for_perfect)
{
    struct variance cell[] = { { 0, 8 }, { 0, 8 }, { 0, 8 }, { 0, 8 }, { 0, 8 }, { 0, 8 } };
    variance_pool(cell, 6, usual);
    cr_expect(cell[0].variance > 0 && isfinite(cell[0].variance));
}
