/* The tables of docs/cluster.md: how many fleets in a hundred accuse a healthy node, and the smallest slowness that is
 * found 90 times in 100.
 *
 *     fleet_power [FLEETS]      fleets for each figure; 200, fewer of large ones */

#include "tests/support/simulated_fleet.h"

#include <stdio.h>

static const unsigned sizes[] = { 5, 8, 20, 50, 200, 500, 5000 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned fleets_of(unsigned nodes, unsigned fleets)
{
    unsigned most = 500000 / nodes;
    return fleets < most ? fleets : most;
}

static double accused(unsigned nodes, double spread, enum between between, double slowdown, unsigned fleets)
{
    unsigned count = 0;
    for (unsigned i = 0; i < fleets; i++) {
        struct generator g = { .seed = 1000 * nodes + between, .run = i };
        struct fleet fleet;
        unsigned slow = slowdown > 1 ? nodes / 2 : nodes;
        struct error err = { .status = STATUS_OK };
        fleet_simulate(&fleet, &g, nodes, spread, between, slow, slowdown);
        if (!fleet_judge(&fleet, NULL, &err))
            exit(1);
        count += slow < nodes ? fleet.device[slow].is_slow : fleet.count[FLEET_SLOW] > 0;
        fleet_release(&fleet);
    }
    return (double)count / fleets;
}

/* By halving, to a tenth of a percent. */
static double smallest(unsigned nodes, double spread, unsigned fleets)
{
    double low = 0.02, high = 0.64;
    while (high - low > 0.001) {
        double middle = (low + high) / 2;
        if (accused(nodes, spread, BETWEEN_NORMAL, 1 + middle, fleets) >= 0.9)
            high = middle;
        else
            low = middle;
    }
    return high;
}

int main(int argc, char *argv[])
{
    static const double spreads[] = { 0.005, 0.01, 0.02 };
    unsigned fleets = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200;
    puts("| nodes | normal | skewed | exponential | two kinds | drift |\n|---|---|---|---|---|---|");
    for (unsigned i = 0; i < SIZES; i++) {
        printf("| %u |", sizes[i]);
        for (enum between between = 0; between < BETWEENS; between++)
            printf(" %.1f |", 100 * accused(sizes[i], 0.01, between, 1, fleets_of(sizes[i], 5 * fleets)));
        puts("");
        fflush(stdout);
    }
    puts("\n| nodes | 0.5 % | 1 % | 2 % |\n|---|---|---|---|");
    for (unsigned i = 0; i < SIZES; i++) {
        printf("| %u |", sizes[i]);
        for (unsigned k = 0; k < 3; k++)
            printf(" %.1f %% |", 100 * smallest(sizes[i], spreads[k], fleets_of(sizes[i], fleets)));
        puts("");
        fflush(stdout);
    }
    return 0;
}
