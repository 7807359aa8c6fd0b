/* The limit of a group. */

#include "harness/analysis/fleet/outlier.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>

/* Each value is of a node of its own. */
static struct outlier_rule rule_of(const double value[], unsigned n, double tests)
{
    static double scratch[2000];
    static unsigned node[2000];
    for (unsigned i = 0; i < n; i++)
        node[i] = i;
    return outlier_rule_of(value, node, n, tests, scratch);
}

Test(outlier, fewer_than_five_values_have_no_limit)
{
    const double value[] = { 1, 2, NAN, 3, 40, INFINITY };
    struct outlier_rule rule;
    rule = rule_of(value, 6, 6);
    cr_expect_eq(rule.count, 4);
    cr_expect(isnan(rule.limit));
    cr_expect_eq(rule.center, 2.5);
}

Test(outlier, the_limit_is_that_of_the_formula)
{
    /* median 5, MAD 2, upper quartile 7 */
    const double value[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    struct outlier_rule rule;
    rule = rule_of(value, 9, 30);
    cr_expect_float_eq(rule.center, 5, 1e-12);
    cr_expect_float_eq(rule.spread, 2 / 0.6744897501960817, 1e-12);
    cr_expect_float_eq(rule.limit, 2 * log2(30 / (2 * 0.05)) * (1 + 8.0 / 9 + 65.0 / 81), 1e-9);
}

Test(outlier, one_slow_value_changes_neither_center_nor_limit_much)
{
    double value[101];
    struct outlier_rule without, with;
    for (unsigned i = 0; i < 101; i++)
        value[i] = i / 100.0;
    without = rule_of(value, 101, 100);
    value[3] = 1e6;
    with = rule_of(value, 101, 100);
    cr_expect_float_eq(with.center, without.center, 0.02);
    cr_expect_float_eq(with.limit, without.limit, 0.05 * without.limit);
    cr_expect_gt(value[3], with.center + with.limit);
}

Test(outlier, more_tests_raise_the_limit)
{
    const double value[] = { 1, 2, 3, 4, 5, 6 };
    struct outlier_rule few, many;
    few = rule_of(value, 6, 10);
    many = rule_of(value, 6, 10000);
    cr_expect_gt(many.limit, few.limit);
}

Test(outlier, a_whole_bad_node_is_found)
{
    double value[40], scratch[40];
    unsigned node[40];
    struct generator g = { .seed = 3 };
    for (unsigned i = 0; i < 40; i++) {
        node[i] = i / 8;
        value[i] = 0.002 * normal(&g) + (node[i] == 3 ? 0.22 : 0);
    }
    struct outlier_rule rule = outlier_rule_of(value, node, 40, 40, scratch);
    for (unsigned i = 0; i < 40; i++)
        cr_expect_eq(value[i] > rule.center + rule.limit, node[i] == 3);
}

Test(outlier, devices_that_share_the_effect_of_their_node_count_as_one_value)
{
    double value[40], shared[40], scratch[40];
    unsigned node[40];
    struct generator g = { .seed = 4 };
    struct outlier_rule alone, together;
    for (unsigned i = 0; i < 40; i++) {
        node[i] = i / 8;
        value[i] = normal(&g);
        shared[i] = i % 8 == 0 ? normal(&g) : shared[i - 1];
    }
    alone = outlier_rule_of(value, node, 40, 40, scratch);
    together = outlier_rule_of(shared, node, 40, 40, scratch);
    cr_expect_lt(alone.limit / alone.spread, 10.5);
    cr_expect_gt(together.limit / together.spread, 30, "as of five values");
}

Test(outlier, two_of_eight_do_not_widen_the_limit)
{
    const double value[] = { 1, 2, 3, 4, 5, 6, 1000, 2000 };
    struct outlier_rule rule;
    rule = rule_of(value, 8, 8);
    cr_expect_lt(rule.limit, 100);
}
