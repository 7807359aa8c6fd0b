/* How often a fleet accuses a healthy node, and whether it finds a slow one, by simulation. */

#include "tests/support/simulated_fleet.h"

#include <criterion/criterion.h>

/* Fleets out of `fleets` with a healthy node that is called slow. */
static unsigned wrong_fleets(unsigned nodes, double spread, enum between between, unsigned fleets)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < fleets; i++) {
        struct generator g = { .seed = 100 * nodes + between, .run = i };
        struct fleet fleet;
        struct error err = { .status = STATUS_OK };
        fleet_simulate(&fleet, &g, nodes, spread, between, nodes, 1);
        cr_assert(fleet_judge(&fleet, NULL, &err), "%s", err.message);
        wrong += fleet.count[FLEET_SLOW] > 0;
        fleet_release(&fleet);
    }
    return wrong;
}

/* One in twenty is the promise; three standard deviations of chance are above it. */
static void expect_honest(unsigned nodes, double spread, unsigned fleets)
{
    for (enum between between = 0; between < BETWEENS; between++) {
        unsigned wrong = wrong_fleets(nodes, spread, between, fleets);
        double expected = 0.05 * fleets, most = expected + 3 * sqrt(0.95 * expected);
        cr_expect(wrong <= most, "%u of %u fleets of %u nodes (distribution %d)", wrong, fleets, nodes, (int)between);
    }
}

Test(fleet_simulated, small_fleets_seldom_accuse_a_healthy_node)
{
    expect_honest(5, 0.01, 400);
    expect_honest(8, 0.02, 400);
    expect_honest(20, 0.01, 400);
    expect_honest(50, 0.005, 300);
}

Test(fleet_simulated, nor_do_large_ones)
{
    expect_honest(200, 0.01, 200);
    expect_honest(500, 0.01, 150);
    expect_honest(2000, 0.005, 60);
    expect_honest(5000, 0.02, 40);
}

/* Eight GPUs a node; the effect of the node is none, half, or all of what differs. */
Test(fleet_simulated, nor_do_nodes_of_eight_gpus_with_absent_and_uncertain_times)
{
    static const double shares[] = { 0, 0.5, 1 };
    static const unsigned sizes[] = { 3, 5, 12, 40 };
    enum { FLEETS = 100 };
    for (unsigned i = 0; i < 2 * 3 * 4; i++) {
        unsigned wrong = 0, nodes = sizes[i / 6];
        for (unsigned run = 0; run < FLEETS; run++) {
            struct generator g = { .seed = 1000 + i, .run = run };
            struct fleet fleet, before;
            struct error err = { .status = STATUS_OK };
            fleet_simulate_gpus(&fleet, &g, nodes, 8, 0.01, shares[i / 2 % 3], 0.01);
            fleet_simulate_gpus(&before, &g, nodes, 8, 0.01, shares[i / 2 % 3], 0.01);
            cr_assert(fleet_judge(&fleet, i % 2 ? &before : NULL, &err), "%s", err.message);
            wrong += fleet.count[FLEET_SLOW] > 0;
            fleet_release(&fleet);
            fleet_release(&before);
        }
        cr_expect(wrong <= 11, "%u of %d fleets of %u nodes, shared %g, earlier %u", wrong, FLEETS, nodes,
                  shares[i / 2 % 3], i % 2);
    }
}

static double found(unsigned nodes, double spread, double slowdown, unsigned fleets)
{
    unsigned count = 0;
    for (unsigned i = 0; i < fleets; i++) {
        struct generator g = { .seed = nodes, .run = i };
        struct fleet fleet;
        struct error err = { .status = STATUS_OK };
        fleet_simulate(&fleet, &g, nodes, spread, BETWEEN_NORMAL, nodes / 2, slowdown);
        cr_assert(fleet_judge(&fleet, NULL, &err), "%s", err.message);
        count += fleet.device[nodes / 2].is_slow;
        fleet_release(&fleet);
    }
    return (double)count / fleets;
}

Test(fleet_simulated, five_or_six_percent_are_found_where_nodes_differ_by_half_a_percent)
{
    cr_expect_geq(found(50, 0.005, 1.05, 200), 0.9);
    cr_expect_geq(found(500, 0.005, 1.05, 60), 0.9);
    cr_expect_geq(found(5000, 0.005, 1.06, 20), 0.9);
}

Test(fleet_simulated, a_difference_below_two_percent_is_no_fault)
{
    cr_expect_eq(found(200, 0.0002, 1.015, 20), 0);
    cr_expect_eq(found(200, 0.0002, 1.025, 20), 1);
}

/* 24 nodes, n7 slow in memory; the problems from `first` on only of nodes that `has` names, and with a spread of 0.1 %.
 */
static void some_lack(struct fleet *fleet, unsigned run, double slowdown, unsigned first, bool (*has)(unsigned node))
{
    struct generator g = { .seed = 24, .run = run };
    fleet_simulate(fleet, &g, 24, 0.03, BETWEEN_NORMAL, 7, slowdown);
    for (unsigned i = 0; i < 24; i++) {
        struct fleet_device *device = &fleet->device[i];
        device->figures = 0;
        for (unsigned k = 0; k < FLEET_PROBLEMS; k++)
            if (k < first || has(i))
                device->figure[device->figures++] = device->figure[k];
        for (unsigned k = first; k < device->figures; k++)
            device->figure[k].seconds = exp(0.001 * normal(&g));
    }
}

static bool only_n7(unsigned node)
{
    return node == 7;
}

static bool all_but_three(unsigned node)
{
    return node > 2;
}

static bool few(unsigned node)
{
    return node % 4 == 0;
}

static void judge(struct fleet *fleet)
{
    struct error err = { .status = STATUS_OK };
    cr_assert(fleet_judge(fleet, NULL, &err), "%s", err.message);
}

Test(fleet_simulated, problems_of_one_node_alone_do_not_hide_that_it_is_slow)
{
    struct fleet fleet;
    some_lack(&fleet, 1, 1.6, 4, only_n7);
    judge(&fleet);
    cr_expect(fleet.device[7].is_slow);
    cr_expect_eq(fleet.count[FLEET_FAILED], 0);
    fleet_release(&fleet);
    some_lack(&fleet, 1, 1.6, 4, few);
    judge(&fleet);
    cr_expect(fleet.device[7].is_slow);
    fleet_release(&fleet);
}

Test(fleet_simulated, who_lacks_the_precise_problems_is_named_and_not_called_slow)
{
    for (unsigned run = 0; run < 20; run++) {
        struct fleet fleet;
        some_lack(&fleet, run, 1, 4, all_but_three);
        judge(&fleet);
        cr_expect_eq(fleet.count[FLEET_SLOW], 0);
        cr_expect_eq(fleet.count[FLEET_FAILED], 3);
        fleet_release(&fleet);
    }
}

Test(fleet_simulated, a_time_without_an_interval_accuses_nobody)
{
    struct fleet fleet;
    struct generator g = { .seed = 5 };
    fleet_simulate(&fleet, &g, 24, 0.002, BETWEEN_NORMAL, 7, 1.08);
    for (unsigned k = 0; k < FLEET_PROBLEMS; k++)
        fleet.device[7].figure[k].half_width = NAN;
    judge(&fleet);
    cr_expect_eq(fleet.count[FLEET_SLOW], 0);
    cr_expect_eq(fleet.count[FLEET_FAILED], 1);
    fleet_release(&fleet);
}
