/* What a journal gives a fleet: the figures of a device, each with its own interval, and which of them are compared. */

#include "harness/analysis/fleet/fleet.h"
#include "harness/journal/results.h"
#include "tests/support/lines.h"
#include "tests/support/simulated_fleet.h"

#include <string.h>

/* A cell that states its figures: of 2 ms +- 1 %, 3 times as fast as the baseline, with transfers of 0.5 ms. */
static void add_cell(struct record *record, const char *workload, const char *shape, const char *memory, double flops,
                     double bytes, const char *series)
{
    char key[128];
    snprintf(key, sizeof key, "%s/%s/%s", workload, shape, memory);
    addf(record,
         "{\"line\":\"cell\",\"key\":\"%s\",\"block\":\"%s\",\"device\":\"cuda:0\",\"workload\":\"%s\",\"dtype\":"
         "\"f32\","
         "\"shape\":\"%s\",\"method\":\"m\",\"memory\":\"%s\",\"flops\":%g,\"bytes\":%g}",
         key, key, workload, shape, memory, flops, bytes);
    addf(record, "{\"line\":\"outcome\",\"cell\":\"%s\",\"status\":\"ok\"}", key);
    addf(record,
         "{\"line\":\"figures\",\"cell\":\"%s\",\"series\":\"%s\",\"seconds\":0.002,\"half_width\":0.01,\"speedup\":3,"
         "\"moved\":0.0005}",
         key, series);
}

/* The figure of a problem of the first device; NULL: none. */
static const struct fleet_figure *figure_named(const struct fleet *fleet, const char *name)
{
    for (unsigned i = 0; i < fleet->device[0].figures; i++)
        if (strcmp(fleet->problem[fleet->device[0].figure[i].problem].name, name) == 0)
            return &fleet->device[0].figure[i];
    return NULL;
}

static void read_cells(struct fleet *fleet, const char *options, void (*add_cells)(struct record *record))
{
    struct result result = { .record = record_new(), .faults = { .complete = true } };
    addf(result.record, "{\"line\":\"journal\",\"schema\":\"bench-journal/3\",\"seed\":1,\"options\":{%s}}", options);
    add(result.record, "{\"line\":\"device\",\"id\":\"cuda:0\",\"key\":\"g\",\"backend\":\"cuda\",\"name\":\"a "
                       "GPU\",\"class\":\"dGPU\"}");
    add_cells(result.record);
    add(result.record, "{\"line\":\"end\",\"status\":\"complete\"}");
    *fleet = (struct fleet){ .nodes = 0 };
    fleet_add(fleet, "n1", &result);
    cr_assert_eq(fleet->devices, 1);
    record_free(result.record);
}

static void three_cells(struct record *record)
{
    add_cell(record, "matmul", "n=1", "pinned", 1e9, 1e6, "resident");
    add_cell(record, "multiply", "n=2", "pinned", 1e6, 1e7, "copied");
    add_cell(record, "transfer", "n=3", "pinned", 0, 1e7, "copied");
}

/* The interval and the speed-up are those of the whole run: transfers alone have neither. */
Test(fleet, each_figure_has_its_own_interval_speedup_and_part)
{
    static const struct {
        const char *name;
        double seconds;
        bool is_whole;
        enum fleet_part part;
    } wanted[] = {
        { "matmul f32 n=1 pinned", 2e-3, true, PART_COMPUTE },
        { "matmul f32 n=1 pinned transfers alone", 0.5e-3, false, PART_LINK },
        { "multiply f32 n=2 pinned with transfers", 2e-3, true, PART_LINK },
        { "multiply f32 n=2 pinned transfers alone", 0.5e-3, false, PART_LINK },
        { "transfer f32 n=3 pinned", 2e-3, true, PART_LINK },
    };
    enum { WANTED = sizeof wanted / sizeof *wanted };
    struct fleet fleet;
    read_cells(&fleet, "", three_cells);
    cr_expect_eq(fleet.device[0].figures, WANTED);
    for (unsigned i = 0; i < WANTED; i++) {
        const struct fleet_figure *figure = figure_named(&fleet, wanted[i].name);
        cr_assert(figure, "%s", wanted[i].name);
        const struct fleet_problem *problem = &fleet.problem[figure->problem];
        cr_expect_float_eq(figure->seconds, wanted[i].seconds, 1e-12, "%s: %g", wanted[i].name, figure->seconds);
        cr_expect_eq(problem->part, wanted[i].part, "%s: %s", wanted[i].name, fleet_part_names[problem->part]);
        cr_expect(wanted[i].is_whole ? figure->half_width == 0.01 : isnan(figure->half_width), "%s: %g", wanted[i].name,
                  figure->half_width);
        cr_expect(wanted[i].is_whole ? figure->speedup == 3 : isnan(figure->speedup), "%s: %g", wanted[i].name,
                  figure->speedup);
        cr_expect(isnan(figure->earlier) && isnan(figure->share), "%s", wanted[i].name);
        cr_expect((problem->flops > 0) == (strstr(wanted[i].name, "alone") == NULL && i < 4), "%s: %g FLOP",
                  wanted[i].name, problem->flops);
    }
    fleet_release(&fleet);
}

static void one_mapped_cell(struct record *record)
{
    add_cell(record, "matmul", "n=1", "mapped", 1e9, 1e6, "resident");
    add_cell(record, "matmul", "n=2", "pinned", 0.5e6, 1e5, "resident");
}

Test(fleet, mapped_memory_has_no_transfers_alone_and_a_run_by_methods_has_none_at_all)
{
    struct fleet fleet;
    read_cells(&fleet, "", one_mapped_cell);
    cr_expect_eq(fleet.device[0].figures, 3);
    cr_expect(figure_named(&fleet, "matmul f32 n=1 mapped"));
    cr_expect_null(figure_named(&fleet, "matmul f32 n=1 mapped transfers alone"));
    cr_expect_eq(fleet.problem[figure_named(&fleet, "matmul f32 n=2 pinned")->problem].part, PART_MEMORY,
                 "5 FLOP for each byte");
    fleet_release(&fleet);
    read_cells(&fleet, "\"method\":[\"m\"]", one_mapped_cell);
    cr_expect_eq(fleet.device[0].figures, 2);
    cr_expect(figure_named(&fleet, "matmul f32 n=2 pinned m"));
    fleet_release(&fleet);
}

/* Three nodes of which one is read again: the first, the middle and the last of three names are all found. */
Test(fleet, a_second_journal_of_a_node_is_found_wherever_the_first_one_is)
{
    static const char *const names[] = { "n1", "n2", "n3" };
    for (unsigned again = 0; again < 3; again++) {
        struct fleet fleet = { .nodes = 0 };
        struct result result = { .record = record_new(), .faults = { .complete = true } };
        add(result.record, "{\"line\":\"device\",\"id\":\"cuda:0\",\"key\":\"g\",\"backend\":\"cuda\",\"name\":\"a "
                           "GPU\",\"class\":\"dGPU\"}");
        for (unsigned i = 0; i < 3; i++)
            fleet_add(&fleet, names[i], &result);
        fleet_add(&fleet, names[again], &result);
        cr_expect_eq(fleet.nodes, 3);
        for (unsigned i = 0; i < 3; i++)
            cr_expect_eq(strncmp(fleet.node[i].missing, "it has two journals", 19) == 0, i == again, "%u: %s", again,
                         fleet.node[i].missing);
        fleet_release(&fleet);
        record_free(result.record);
    }
}

/* Two days of 24 nodes in which n7 became slow: the earlier day's times are n7's own. */
Test(fleet, an_earlier_day_has_its_own_times_and_its_own_limit)
{
    struct fleet now, before;
    struct error err = { .status = STATUS_OK };
    struct generator g = { .seed = 31 };
    fleet_simulate_gpus(&now, &g, 24, 1, 0.01, 0, 0);
    fleet_simulate_gpus(&before, &g, 24, 1, 0.001, 0, 0);
    for (unsigned k = 0; k < before.device[7].figures; k++)
        before.device[7].figure[k].seconds *= 0.5;
    cr_assert(fleet_judge(&now, &before, &err), "%s", err.message);
    cr_expect_eq(now.count[FLEET_SLOW], 1);
    cr_expect_eq(now.finding[0].node, 7);
    cr_expect_eq(now.finding[0].view, FLEET_EARLIER);
    cr_expect_float_eq(now.finding[0].share, 0.5, 0.05, "%g", now.finding[0].share);
    for (unsigned i = 0; i < 24; i++)
        for (unsigned k = 0; k < now.device[i].figures; k++) {
            const struct fleet_figure *figure = &now.device[i].figure[k];
            cr_expect(isnan(figure->earlier) ||
                          fabs(figure->earlier / figure->seconds - (i == 7 ? 0.5 : 1)) < (i == 7 ? 0.05 : 0.1),
                      "n%u: %g after %g", i, figure->seconds, figure->earlier);
        }
    fleet_release(&now);
    fleet_release(&before);
}
