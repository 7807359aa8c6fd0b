/* What a problem needs of memory, and which problems are open together by that. */

#include "bench/schedule/room.h"
#include "tests/support/made_plan.h"

#include <math.h>
#include <string.h>

enum { PROBLEMS = 6, POOLS = 3 };

/* Gigabytes of 100 of the host's memory and of two chips' own each, of which 70 may be used. Where each problem goes: a
 * letter for each, the same for those of one rotation; upper case where its methods take turns. */
static const struct {
    const char *what, *rotations;
    struct {
        double kept[POOLS], choosing[POOLS], seconds;
    } problem[PROBLEMS]; /* up to the one without seconds */
    double host;         /* gigabytes of the host's memory; 0: 100; NAN: unknown */
    bool one_process;
} plans[] = {
    { "everything fits", "aaa", .problem = { { { 20 }, { 10 }, 1 }, { { 20 }, { 10 }, 2 }, { { 20 }, { 10 }, 3 } } },
    { "up to seven tenths", "aa", .problem = { { { 35 }, { 0 }, 1 }, { { 35 }, { 0 }, 2 } } },
    { "and no more", "ab", .problem = { { { 35 }, { 0 }, 1 }, { { 36 }, { 0 }, 2 } } },
    { "as few rotations as possible, of like length", "abba",
      .problem = { { { 20 }, { 0 }, 1 }, { { 20 }, { 0 }, 2 }, { { 20 }, { 0 }, 3 }, { { 20 }, { 0 }, 4 } } },
    { "which count for length as they take, not as they are many", "abbb",
      .problem = { { { 20 }, { 0 }, 9 }, { { 20 }, { 0 }, 3 }, { { 20 }, { 0 }, 3 }, { { 20 }, { 0 }, 3 } } },
    { "other methods of one problem at a time are open beside those that stay", "aa",
      .problem = { { { 10 }, { 45 }, 1 }, { { 10 }, { 40 }, 2 } } },
    { "they need room beside all of them", "ab", .problem = { { { 10 }, { 55 }, 1 }, { { 10 }, { 40 }, 2 } } },
    { "a problem that is too large is by itself, and the others stay together", "aBaa",
      .problem = { { { 10 }, { 0 }, 5 }, { { 90 }, { 0 }, 1 }, { { 10 }, { 0 }, 4 }, { { 10 }, { 0 }, 3 } } },
    { "even if it needs nothing where they do", "aBa",
      .problem = { { { 10 }, { 0 }, 5 }, { { 0, 90 }, { 0 }, 1 }, { { 10 }, { 0 }, 4 } } },
    { "and so is each of two", "ABc", .problem = { { { 90 }, { 0 }, 1 }, { { 80 }, { 0 }, 2 }, { { 1 }, { 0 }, 3 } } },
    { "unknown memory has room", "aa", .problem = { { { 900 }, { 900 }, 1 }, { { 900, 10 }, { 900 }, 2 } },
      .host = NAN },
    { "each chip has memory of its own", "aaa",
      .problem = { { { 1, 60 }, { 0 }, 1 }, { { 1, 0, 60 }, { 0 }, 2 }, { { 60, 1 }, { 0 }, 3 } } },
    { "which may be the one that is short", "aab",
      .problem = { { { 1, 40 }, { 0 }, 1 }, { { 1, 0, 40 }, { 0 }, 2 }, { { 1, 40 }, { 0 }, 3 } } },
    { "methods take turns only where they do not fit even alone", "Ab",
      .problem = { { { 30 }, { 41 }, 1 }, { { 30 }, { 40 }, 2 } } },
    { "and then need no room for others", "Aa", .problem = { { { 30 }, { 45 }, 1 }, { { 30 }, { 5 }, 2 } } },
    { "on a chip too", "Aa", .problem = { { { 1, 30 }, { 1, 41 }, 1 }, { { 1, 30 }, { 1 }, 2 } } },
    { "with one process problems and methods come one by one", "AB",
      .problem = { { { 1 }, { 1 }, 1 }, { { 1 }, { 1 }, 2 } }, .host = NAN, .one_process = true },
    { "nothing to measure", "", .problem = { { { 0 }, { 0 }, 0 } } },
};

/* As the table has it: letters in the order in which rotations first appear. */
static const char *letters(const struct room_problem problem[], unsigned problems, char to[PROBLEMS + 1])
{
    unsigned seen[PROBLEMS], rotations = 0;
    for (unsigned i = 0; i < problems; i++) {
        unsigned at = 0;
        while (at < rotations && seen[at] != problem[i].rotation)
            at++;
        if (at == rotations)
            seen[rotations++] = problem[i].rotation;
        to[i] = (char)((problem[i].in_turn ? 'A' : 'a') + (int)at);
    }
    to[problems] = '\0';
    return to;
}

Test(room, problems_are_open_together_as_the_table_states)
{
    for (unsigned i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct room_problem problem[PROBLEMS], *all[PROBLEMS];
        double memory[POOLS_MAX];
        unsigned problems = 0, last = 0;
        char text[PROBLEMS + 1];
        for (unsigned pool = 0; pool < POOLS_MAX; pool++)
            memory[pool] = pool < POOLS ? 100 : NAN;
        memory[0] = plans[i].host != 0 ? plans[i].host : memory[0];
        for (; problems < PROBLEMS && plans[i].problem[problems].seconds > 0; problems++) {
            all[problems] = &problem[problems];
            problem[problems] = (struct room_problem){ .seconds = plans[i].problem[problems].seconds };
            memcpy(problem[problems].kept, plans[i].problem[problems].kept, sizeof plans[i].problem[0].kept);
            memcpy(problem[problems].choosing, plans[i].problem[problems].choosing, sizeof plans[i].problem[0].kept);
        }
        const unsigned rotations = room_plan(all, problems, memory, plans[i].one_process);
        for (unsigned k = 0; k < problems; k++)
            last = problem[k].rotation > last ? problem[k].rotation : last;
        cr_expect_str_eq(letters(problem, problems, text), plans[i].rotations, "%s: %s", plans[i].what, text);
        cr_expect(problems == 0 || rotations == last + 1, "%s: %u rotations", plans[i].what, rotations);
    }
}

/* --- what a problem needs --- */

/* A CPU with four methods, and two cards through three devices, of two methods each. */
Test(room, a_problem_needs_room_for_two_methods_of_each_row_and_for_the_others_of_one)
{
    struct made_plan made = { .plan = { 0 } };
    made_plan_of(&made, "cpu opencl:0 opencl:1 opencl:2", "--workload matmul --size 2048");
    struct context context = { .listing = made.listing, .setup.host = &made.host };
    context.tuning_cache = (struct tuning_cache){ .found = json_object(), .own = json_object() };
    strcpy(made.device[1].silicon, "pci 0000:01:00.0");
    strcpy(made.device[3].silicon, "pci 0000:01:00.0");
    double host[4] = { 0 }, own[4] = { 0 }, least = INFINITY;
    unsigned methods = 0;
    for (unsigned i = 0; i < made.plan.cells; i++) {
        const struct cell *cell = &made.plan.cell[i];
        const unsigned device = (unsigned)(cell->device - made.device);
        host[device] += cell_host_bytes(cell) + (device > 0 ? 190e6 : 40e6); /* our program, and a usual driver */
        own[device] += cell_device_bytes(cell);
        methods += device == 0;
        least = device == 0 ? fmin(least, cell_host_bytes(cell) + 40e6) : least;
    }
    cr_assert_eq(methods, 4);
    struct room_problem needs = room_needed(&context, made.plan.cell, made.plan.cells);
    cr_expect_float_eq(needs.kept[0] + needs.choosing[0], host[0] + host[1] + host[2] + host[3], 1);
    cr_expect_geq(needs.choosing[0], 2 * least, "the two methods of the CPU that need least");
    cr_expect_leq(needs.choosing[0], host[0] / 2);
    cr_expect_float_eq(needs.kept[1 + 1], own[1] + own[3], 1, "two devices of one chip");
    cr_expect_float_eq(needs.kept[1 + 2], own[2], 1);
    cr_expect(own[2] > 0 && needs.kept[1 + 0] == 0 && needs.kept[1 + 3] == 0);
    const struct cell *card = made_plan_cell(&made, "opencl:1", "portable", "m=2048,n=2048,k=2048");
    const double before = needs.kept[0];
    room_remember(&context, card, 400e6);
    needs = room_needed(&context, made.plan.cell, made.plan.cells);
    cr_expect_float_eq(needs.kept[0], before + 2 * 250e6, 1, "what its driver took");
    fail(&made.plan.cell[card - made.plan.cell].refused, STATUS_NO_MEMORY, "too large");
    needs = room_needed(&context, made.plan.cell, made.plan.cells);
    cr_expect_float_eq(needs.kept[1 + 2], own[2] - cell_device_bytes(card), 1, "what is refused needs nothing");
    tuning_cache_close(&context.tuning_cache);
    made_plan_free(&made);
}
