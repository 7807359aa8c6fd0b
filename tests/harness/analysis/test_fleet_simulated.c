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

static double found(unsigned nodes, double spread, double slowdown, unsigned fleets)
{
    unsigned count = 0;
    for (unsigned i = 0; i < fleets; i++) {
        struct generator g = { .seed = nodes, .run = i };
        struct fleet fleet;
        struct error err = { .status = STATUS_OK };
        fleet_simulate(&fleet, &g, nodes, spread, BETWEEN_NORMAL, nodes / 2, slowdown);
        cr_assert(fleet_judge(&fleet, NULL, &err), "%s", err.message);
        count += fleet_accuses(&fleet, nodes / 2);
        fleet_release(&fleet);
    }
    return (double)count / fleets;
}

Test(fleet_simulated, five_percent_are_found_where_nodes_differ_by_half_a_percent)
{
    cr_expect_geq(found(50, 0.005, 1.05, 200), 0.9);
    cr_expect_geq(found(500, 0.005, 1.05, 60), 0.9);
    cr_expect_geq(found(5000, 0.005, 1.05, 20), 0.9);
}

Test(fleet_simulated, a_difference_below_two_percent_is_no_fault)
{
    cr_expect_eq(found(200, 0.0002, 1.015, 20), 0);
    cr_expect_eq(found(200, 0.0002, 1.025, 20), 1);
}
