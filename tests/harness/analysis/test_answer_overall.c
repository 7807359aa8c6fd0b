/* What holds for all answers: costs, the order of sizes, how a size is called. Of figures that are made up. */

#include "harness/analysis/answer_parts.h"

#include <criterion/criterion.h>
#include <math.h>

Test(answer_overall, costs_are_those_of_single_launches_and_of_plain_copies_between_host_and_device)
{
    static const char one_launch[] = "n=1,count=1";
    static const struct {
        const char *shape;
        double seconds, bandwidth;
        unsigned launches; /* 0: a transfer */
        bool is_unsound, is_graph;
    } made[] = {
        { .shape = "bytes=9,direction=up", .bandwidth = 5e9 },
        { .shape = "bytes=9,direction=up", .bandwidth = 7e9 },
        { .shape = "bytes=9,direction=up", .bandwidth = 6e9 },
        { .shape = "bytes=9,direction=up", .bandwidth = 9e9, .is_unsound = true },
        { .shape = "bytes=9,direction=up", .bandwidth = NAN }, /* handed over */
        { .shape = "bytes=9,direction=down", .bandwidth = 4e9 },
        { .shape = "bytes=9,direction=within", .bandwidth = 99e9 },
        { .shape = "bytes=9,direction=upwards", .bandwidth = 88e9 },
        { .shape = one_launch, .seconds = 9e-6, .launches = 1 },
        { .shape = "n=1,count=8", .seconds = 8e-6, .launches = 8 },
        { .shape = one_launch, .seconds = 6e-6, .launches = 1, .is_graph = true },
        { .shape = one_launch, .seconds = 7e-6, .launches = 1, .is_graph = true },
    };
    static const unsigned wanted[] = { [COST_UPLOAD] = 1, [COST_DOWNLOAD] = 5, [COST_LAUNCH] = 8, [COST_GRAPH] = 10 };
    enum { MADE = sizeof made / sizeof *made };
    struct device device = { .id = "g" };
    struct cell_record cell[MADE];
    struct figures metrics[MADE], *of_block = metrics;
    struct block_record block = { .cells = MADE };
    struct record record = { .device = &device, .devices = 1, .block = &block, .blocks = 1 };
    struct answer_part part[2] = { { .device = &device } };
    for (unsigned i = 0; i < MADE; i++) {
        cell[i] = (struct cell_record){
            .shape = made[i].shape, .method = made[i].is_graph ? "graph" : "native", .bytes = 9, .ended = true
        };
        metrics[i] = (struct figures){
            .cell = &cell[i],
            .device = &device,
            .measured = true,
            .verified = !made[i].is_unsound,
            .only_moves = made[i].launches == 0,
            .bandwidth = made[i].bandwidth,
            .time.value = made[i].seconds,
            .launches = { .is_launch = made[i].launches > 0, .count = made[i].launches, .queued = 2e-6 },
        };
    }
    struct answer_set own = { .record = &record, .figures = &of_block, .part = part, .parts = 2 };
    own.part_of = &(unsigned){ 0 };
    for (enum cost cost = 0; cost <= COST_GRAPH; cost++) {
        cr_expect_eq(answer_cost(&own, &part[0], cost), &metrics[wanted[cost]], "%d", (int)cost);
        cr_expect_null(answer_cost(&own, &part[1], cost));
    }
}

Test(answer_overall, the_sizes_of_a_workload_grow_by_operations)
{
    const struct cell_record problem[] = {
        { .workload = "w", .dtype = "f32", .shape = "n=3", .flops = 3e6, .bytes = 1e3 },
        { .workload = "w", .dtype = "f32", .shape = "n=1", .flops = 1e6, .bytes = 3e3 },
        { .workload = "w", .dtype = "f32", .shape = "n=2", .flops = 2e6, .bytes = 2e3 },
    };
    struct answer_part part = { .is_gpu = true };
    struct answer answer[3];
    for (unsigned i = 0; i < 3; i++)
        answer[i] = (struct answer){ .problem = &problem[i], .part = &part };
    const struct record record = { .devices = 0 };
    struct answer_set own = { .record = &record, .part = &part, .parts = 1, .answer = answer, .answers = 3 };
    cr_assert(answer_workloads_read(&own));
    for (unsigned i = 0; i < 3; i++)
        cr_expect_float_eq(own.answer[i].problem->flops, 1e6 * (i + 1), 1);
    cr_assert_eq(part.workloads, 1);
    cr_expect(part.workload[0].first == 0 && part.workload[0].count == 3);
    pool_release(&own.pool);
}

Test(answer_overall, a_size_is_short)
{
    static const char *const cases[][2] = {
        { "n=40000000", "40M" },
        { "m=2048,n=2048,k=2048", "2048" },
        { "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", "8x64x56" },
        { "m=1000,n=20,k=30", "1000x20x30" },
        { "n=1500000", "1.5M" },
        { "n=1500000000", "1.5G" },
        { "n=100000000000", "100G" },
        { "n=1048000", "1048K" },
        { "n=1550000", "1550K" },
        { "n=9000", "9000" },
        { "m=20,n=2,k=2", "20x2x2" },
        { "kind=fma,a=1,b=2,threads=all", "fma 1x2" },
        { "kind=fma,a=1,b=2,threads=one", "fma 1x2 threads=one" },
        { "n=200000", "200K" },
        { "", "" },
        { "bytes=268435456,direction=within", "256 MiB within" },
        { "n==,,999999999999999999999999,a=b", "=xx999999999999999999999999 b" },
    };
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(answer_size(&pool, &(struct cell_record){ .shape = cases[i][0] }), cases[i][1]);
    pool_release(&pool);
}
