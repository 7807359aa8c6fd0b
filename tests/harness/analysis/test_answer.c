#include "harness/analysis/answer_parts.h"
#include "harness/report/content/answer_words.h"
#include "tests/support/generator.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct answer_set set;

static void answers_end(void)
{
    answer_set_release(&set);
    release_kept();
}

TestSuite(answer, .fini = answers_end);

static void read_answers(const struct record *record)
{
    answer_set_release(&set);
    cr_assert(answer_set_read(&set, record));
}

/* Break-even says nothing that the verdicts do not. */
static void expect_agreement(const struct answer *answer)
{
    const enum verdict stays = answer->use[USE_RESIDENT].verdict, moves = answer->use[USE_COPIED].verdict;
    const struct breakeven *breakeven = &answer->breakeven;
    const char *where = answer->block->name;
    if (breakeven->outcome == BREAKEVEN_NEVER)
        cr_expect(stays != VERDICT_FASTER && moves != VERDICT_FASTER && verdict_is_judged(stays) &&
                      verdict_is_judged(moves),
                  "%s: never pays", where);
    if (breakeven->outcome == BREAKEVEN_KNOWN) {
        cr_expect(stays == VERDICT_FASTER && verdict_is_judged(moves), "%s: pays from %g on", where, breakeven->uses);
        cr_expect_eq(breakeven->high <= 1, moves == VERDICT_FASTER, "%s: pays from %g on", where, breakeven->uses);
        cr_expect(breakeven->low <= breakeven->uses && breakeven->uses <= breakeven->high, "%s", where);
    }
    cr_expect_eq(isnan(breakeven->uses), breakeven->outcome != BREAKEVEN_KNOWN, "%s", where);
}

/* Returns the number of verdicts. */
static unsigned expect_consistent(const struct record *record)
{
    unsigned verdicts = 0;
    read_answers(record);
    for (unsigned i = 0; i < set.answers; i++) {
        const struct answer *answer = &set.answer[i];
        cr_expect_not(answer->part->is_baseline);
        for (enum use use = 0; use < USES; use++) {
            const struct figure *one = &answer->use[use];
            cr_expect_eq(one->verdict, verdict_of(&one->speedup), "%s: %s, %g [%g, %g]", answer->block->name,
                         verdict_words[one->verdict], one->speedup.value, one->speedup.low, one->speedup.high);
            verdicts += one->verdict != VERDICT_NONE;
        }
        expect_agreement(answer);
    }
    return verdicts;
}

Test(answer, no_verdict_of_a_golden_journal_contradicts_its_interval)
{
    unsigned verdicts = 0;
    for (unsigned i = 0; i < JOURNALS + MACHINES; i++) {
        struct record *record = read_golden(GOLDEN, i < JOURNALS ? journals[i] : machines[i - JOURNALS]);
        verdicts += expect_consistent(record);
    }
    cr_assert_gt(verdicts, 40);
}

enum { SLICES_MAX = 16 };

/* A series of one cell: times around `seconds` that vary by `noise`, in turn with other cells. */
static void add_series(struct record *record, const char *key, const char *series, double seconds, double moves,
                       double noise, unsigned slices, unsigned turn, struct generator *g)
{
    for (unsigned i = 0; i < slices; i++) {
        double run = seconds * exp(noise * normal(g)), up = moves * exp(noise * normal(g));
        if (strcmp(series, "copied") == 0)
            addf(record,
                 "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f],'phases':{'upload_ns':[%.0f],'"
                 "compute_ns':[%.0f],'download_ns':[%.0f]}}",
                 key, series, 4 * i + turn, 1e9 * (run + up), 0.6e9 * up, 1e9 * run, 0.4e9 * up);
        else
            addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", key, series,
                 4 * i + turn, 1e9 * run);
    }
}

/* more: "" or further members, with a comma before each. */
static void add_cell(struct record *record, const char *key, unsigned block, const char *device, double flops,
                     const char *more)
{
    addf(record,
         "{'line':'cell','key':'%s','block':'b%u','device':'%s','workload':'w%u','dtype':'f32','shape':'n=%.0f','"
         "method':'m','memory':'pageable','flops':%g,'bytes':%g,'baseline':'c%u'%s}",
         key, block, device, block % 2, flops, flops, 4 * flops, block, more);
    addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", key);
    addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", key);
}

static void end_cell(struct record *record, const char *key, struct generator *g)
{
    addf(record, "{'line':'outcome','cell':'%s','status':'%s'}", key, uniform(g) < 0.03 ? "wrong" : "ok");
}

/* One row: a cell of both uses, or one cell of each. The one with transfers is of another method, `slower` in times. */
static void add_row(struct record *record, const char *key, unsigned block, const char *device, double flops,
                    const double seconds[USES], double noise, unsigned slices, double slower, struct generator *g)
{
    char moving[40], more[96] = "";
    const bool is_apart = slower > 0;
    const unsigned turn = *key == 'c' ? 0 : 1;
    snprintf(moving, sizeof moving, "%s%s", key, is_apart ? "-moves" : "");
    for (unsigned use = 0; use < (is_apart ? 2 : 1); use++) {
        if (is_apart)
            snprintf(more, sizeof more, ",\"baseline_copied\":\"c%u-moves\",\"measures\":\"%s\"", block,
                     use ? "copied" : "resident");
        add_cell(record, use ? moving : key, block, device, flops, more);
    }
    add_series(record, key, "resident", seconds[USE_RESIDENT], 0, noise, slices, turn, g);
    if (*key != 'c' || is_apart)
        add_series(record, moving, "copied", seconds[USE_RESIDENT] * (is_apart ? slower : 1), seconds[USE_COPIED],
                   noise, slices, turn + 2, g);
    end_cell(record, key, g);
    if (is_apart)
        end_cell(record, moving, g);
}

/* A block of a CPU and one to three GPUs whose speeds, transfers, noise and rounds are random. */
static void add_block(struct record *record, unsigned block, unsigned devices, bool is_apart, struct generator *g)
{
    char key[32];
    const unsigned slices = 1 + (unsigned)(uniform(g) * (SLICES_MAX - 1));
    const double noise = 0.001 + 0.1 * pow(uniform(g), 3), flops = 1000 + floor(1e6 * uniform(g));
    snprintf(key, sizeof key, "c%u", block);
    add_row(record, key, block, "cpu", flops, (const double[]){ 1e-3, 1e-5 }, noise, slices, is_apart ? 1.2 : 0, g);
    for (unsigned i = 0; i < devices; i++) {
        char device[16];
        double run = 1e-3 * exp(normal(g) * (uniform(g) < 0.5 ? 0.05 : 1)), moves = 1e-3 * exp(2 * normal(g) - 2);
        snprintf(key, sizeof key, "g%u-%u", block, i);
        snprintf(device, sizeof device, "gpu:%u", i);
        add_row(record, key, block, device, flops, (const double[]){ run, moves }, noise, slices,
                is_apart ? 0.9 + uniform(g) : 0, g);
    }
}

static void add_device(struct record *record, const char *id, const char *backend, const char *name, const char *class,
                       const char *silicon)
{
    addf(record,
         "{'line':'device','id':'%s','key':'%s','backend':'%s','name':'%s','class':'%s','silicon':'%s','works_in_host_"
         "memory':%s}",
         id, id, backend, name, class, silicon, strcmp(backend, "cpu") == 0 ? "true" : "false");
}

Test(answer, no_verdict_of_ten_thousand_random_records_contradicts_its_interval)
{
    enum { RECORDS = 10000 };
    unsigned verdicts = 0;
    for (unsigned i = 0; i < RECORDS; i++) {
        struct generator g = { .seed = 20261122, .run = i };
        struct record *record = new_record();
        unsigned devices = 1 + i % 3;
        add_device(record, "cpu", "cpu", "a CPU", "CPU", "cpu");
        add_device(record, "gpu:0", "cuda", "a GPU", "dGPU", "pci 1");
        add_device(record, "gpu:1", "cuda", i % 2 ? "a GPU" : "another", "dGPU", "pci 2");
        add_device(record, "gpu:2", "opencl", "a GPU by another API", "dGPU", "pci 1");
        for (unsigned block = 0; block < 1 + i % 2; block++)
            add_block(record, block, devices, i / 6 % 2 == 1, &g);
        add(record, "{'line':'end','status':'complete'}");
        verdicts += expect_consistent(record);
    }
    cr_assert_gt(verdicts, RECORDS);
}

/* A series whose times spread evenly, so that its interval is known for sure. */
static void add_even_series(struct record *record, const char *key, const char *series, double seconds, double moves,
                            unsigned turn)
{
    enum { SLICES = 24 };
    for (unsigned i = 0; i < SLICES; i++) {
        double run = seconds * (1 + 1e-4 * (i * 7 % 5));
        addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", key, series,
             4 * i + turn, 1e9 * (run + moves));
    }
}

/* One row of a problem: `ratio` times as fast without transfers, `copied` times with them. */
static void add_problem(struct record *record, unsigned block, const char *device, double ratio, double copied)
{
    char key[32];
    snprintf(key, sizeof key, "c%u", block);
    if (!record_cell(record, key)) {
        add_cell(record, key, block, "cpu", 1000.0 * (block + 1), "");
        add_even_series(record, key, "resident", 1e-3, 0, 0);
        addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
    }
    snprintf(key, sizeof key, "%s-%u", device, block);
    add_cell(record, key, block, device, 1000.0 * (block + 1), "");
    add_even_series(record, key, "resident", 1e-3 / ratio, 0, 1);
    add_even_series(record, key, "copied", 1e-3 / ratio, 1e-3 / copied - 1e-3 / ratio, 2);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
}

static struct record *two_cards(const char *second)
{
    struct record *record = new_record();
    add_device(record, "cpu", "cpu", "a CPU", "CPU", "cpu");
    add_device(record, "cuda:0", "cuda", "a GPU", "dGPU", "pci 1");
    add_device(record, "cuda:1", "cuda", second, "dGPU", "pci 2");
    add_device(record, "opencl:0", "opencl", "a GPU", "dGPU", "pci 1");
    return record;
}

Test(answer, equal_cards_fold_and_the_slower_one_stands_for_both)
{
    struct record *record = two_cards("a GPU");
    add_problem(record, 0, "cuda:0", 4, 2);
    add_problem(record, 0, "cuda:1", 3, 1.5);
    add_problem(record, 0, "opencl:0", 8, 3);
    add(record, "{'line':'end','status':'complete'}");
    read_answers(record);
    cr_assert_eq(set.parts, 2);
    cr_assert_eq(set.part[1].cards, 2);
    cr_assert_eq(set.answers, 1);
    const struct ratio_range cards = set.answer[0].cards[USE_COPIED];
    cr_expect_str_eq(set.answer[0].device->id, "cuda:1");
    cr_expect_float_eq(cards.least, 1.5, 0.01);
    cr_expect_float_eq(cards.most, 3, 0.02, "of the faster API of the other card: %g", cards.most);
}

Test(answer, an_equal_card_without_an_interval_stands_for_none)
{
    for (unsigned judged = 0; judged < 2; judged++) {
        struct record *record = two_cards("a GPU");
        add_problem(record, 0, judged == 0 ? "cuda:0" : "cuda:1", 4, 2);
        add_cell(record, "unjudged", 0, judged == 0 ? "cuda:1" : "cuda:0", 1000, "");
        addf(record, "{'line':'slice','cell':'unjudged','series':'resident','number':1,'wall_ns':[%d]}", 900000);
        addf(record, "{'line':'slice','cell':'unjudged','series':'copied','number':2,'wall_ns':[%d]}", 950000);
        addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", "unjudged");
        add(record, "{'line':'end','status':'complete'}");
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        cr_expect_str_eq(set.answer[0].device->id, judged == 0 ? "cuda:0" : "cuda:1");
        for (enum use use = 0; use < USES; use++) {
            const struct figure *held = &set.answer[0].use[use];
            const struct ratio_range cards = set.answer[0].cards[use];
            cr_expect_eq(held->verdict, VERDICT_FASTER);
            cr_expect_float_eq(cards.least, held->speedup.value, 1e-9, "%g", cards.least);
            cr_expect_float_eq(cards.most, held->speedup.value, 1e-9, "%g", cards.most);
        }
    }
}

Test(answer, different_cards_have_an_answer_each_by_name_in_the_order_of_the_list)
{
    struct record *record = two_cards("another GPU");
    for (unsigned block = 0; block < 6; block += 2) {
        add_problem(record, block, "cuda:0", 2, block < 4 ? 0.5 : 1.5);
        add_problem(record, block, "cuda:1", 3, 1.5);
    }
    add(record, "{'line':'end','status':'complete'}");
    read_answers(record);
    cr_assert_eq(set.answers, 6);
    cr_assert_eq(set.parts, 3);
    cr_expect_eq(set.part[0].workloads, 0, "the baseline");
    static const char *const questions[] = { "Is the a GPU worth it?", "Is the another GPU worth it?" };
    for (unsigned i = 0; i < 2; i++) {
        const struct answer_part *part = &set.part[i + 1];
        cr_assert_eq(part->workloads, 1);
        cr_expect(part->workload[0].first == 3 * i && part->workload[0].count == 3);
        cr_expect_str_eq(question_words(&set.pool, &set, part), questions[i]);
    }
}

/* A part is named by the API that its first answer rests on, whichever row failed. */
Test(answer, a_failed_row_does_not_change_the_device_of_the_heading)
{
    static const struct {
        const char *by[4]; /* the device that measured each problem, the first API of the other two; NULL: it failed */
        const char *wanted;
    } cases[] = {
        { { "cuda:0", "cuda:0", "cuda:0", "cuda:0" }, "cuda:0" },
        { { "opencl:0", "cuda:0", "cuda:0", "cuda:0" }, "opencl:0" },
        { { "cuda:0", "cuda:0", "cuda:0", "opencl:0" }, "cuda:0" },
        { { "cuda:0", NULL, NULL, NULL }, "cuda:0" },
        { { NULL, NULL, NULL, NULL }, "opencl:0" },               /* the first in the list */
        { { NULL, "opencl:0", "cuda:0", "opencl:0" }, "cuda:0" }, /* by workload */
    };
    static const char *const names[] = { "opencl:0", "cuda:0" };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = new_record();
        add_device(record, "cpu", "cpu", "a CPU", "CPU", "cpu");
        for (unsigned k = 0; k < 2; k++)
            add_device(record, names[k], k == 0 ? "opencl" : "cuda", "a GPU", "dGPU", "pci 1");
        for (unsigned block = 0; block < 4; block++)
            for (unsigned k = 0; k < 2; k++) {
                char key[32];
                if (cases[i].by[block] && strcmp(cases[i].by[block], names[k]) == 0) {
                    add_problem(record, block, names[k], 4, 2);
                    continue;
                }
                snprintf(key, sizeof key, "%s-%u", names[k], block);
                add_cell(record, key, block, names[k], 1000.0 * (block + 1), "");
                addf(record, "{'line':'outcome','cell':'%s','status':'failed'}", key);
            }
        add(record, "{'line':'end','status':'complete'}");
        read_answers(record);
        cr_expect_str_eq(set.part[set.part_of[1]].device->id, cases[i].wanted, "case %u: %s", i,
                         set.part[set.part_of[1]].device->id);
    }
}

Test(answer, gpus_come_before_cpus_that_are_not_the_baseline)
{
    struct record *record = new_record();
    add_device(record, "cpu", "cpu", "a CPU", "CPU", "cpu");
    add_device(record, "opencl:0", "opencl", "another CPU", "CPU", "cpu 2");
    add_device(record, "cuda:0", "cuda", "a GPU", "dGPU", "pci 1");
    add_problem(record, 0, "opencl:0", 0.5, 0.4);
    add_problem(record, 0, "cuda:0", 4, 2);
    add(record, "{'line':'end','status':'complete'}");
    read_answers(record);
    cr_assert_eq(set.parts, 3);
    cr_expect(set.part[0].is_baseline);
    cr_expect_str_eq(set.part[1].device->id, "cuda:0");
    cr_expect_str_eq(set.part[2].device->id, "opencl:0");
}

/* It repacks: with transfers that is part of its time. */
Test(answer, the_time_beside_a_speed_up_is_that_of_the_same_use)
{
    struct record *record = two_cards("a GPU");
    add_cell(record, "c0", 0, "cpu", 1000, "");
    add_even_series(record, "c0", "resident", 1e-3, 0, 0);
    add_even_series(record, "c0", "copied", 1e-3, 3e-3, 3);
    add(record, "{'line':'outcome','cell':'c0','status':'ok'}");
    add_problem(record, 0, "cuda:0", 4, 2);
    add(record, "{'line':'end','status':'complete'}");
    read_answers(record);
    cr_assert_eq(set.answers, 1);
    cr_expect_float_eq(set.answer[0].use[USE_RESIDENT].baseline_seconds, 1e-3, 1e-6);
    cr_expect_float_eq(set.answer[0].use[USE_COPIED].baseline_seconds, 4e-3, 1e-6);
}

/* A row that was measured in one use only. */
static void add_half(struct record *record, const char *key, enum use use, const char *device, double seconds,
                     double moves, const char *more)
{
    char members[160];
    const char *series = use == USE_COPIED ? "copied" : "resident";
    snprintf(members, sizeof members, ",\"baseline_copied\":\"c0-moves\",\"measures\":\"%s\"%s", series, more);
    add_cell(record, key, 0, device, 1000, members);
    add_even_series(record, key, series, seconds, moves, 2 * (*key != 'c') + use);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
}

/* The algorithm with fewer operations is that of the resident row only. */
Test(answer, a_reason_is_not_that_of_another_method)
{
    struct record *record = two_cards("a GPU");
    add_half(record, "c0", USE_RESIDENT, "cpu", 1e-3, 0, "");
    add_half(record, "c0-moves", USE_COPIED, "cpu", 1e-3, 2e-3, "");
    add_half(record, "g0", USE_RESIDENT, "cuda:0", 1e-4, 0, ",\"fast_algorithm\":true");
    add_half(record, "g0-moves", USE_COPIED, "cuda:0", 2e-4, 1e-4, "");
    add(record, "{'line':'end','status':'complete'}");
    read_answers(record);
    cr_assert_eq(set.answers, 1);
    const struct figure *stays = &set.answer[0].use[USE_RESIDENT], *moves = &set.answer[0].use[USE_COPIED];
    cr_assert(stays->verdict == VERDICT_FASTER && moves->verdict == VERDICT_FASTER);
    cr_assert_neq(stays->cell, moves->cell);
    cr_expect_eq(set.answer[0].why[USE_RESIDENT], WHY_DEVICE_FEWER);
    cr_expect_eq(set.answer[0].why[USE_COPIED], WHY_UNKNOWN);
}

Test(answer, what_copying_adds_is_to_the_time_of_the_resident_row)
{
    struct record *record = two_cards("a GPU");
    add_half(record, "c0", USE_RESIDENT, "cpu", 2e-3, 0, "");
    add_half(record, "c0-moves", USE_COPIED, "cpu", 2e-3, 0, "");
    add_half(record, "g0", USE_RESIDENT, "cuda:0", 1e-3, 0, "");
    add_half(record, "g0-moves", USE_COPIED, "cuda:0", 4e-3, 0, "");
    read_answers(record);
    cr_assert_eq(set.answers, 1);
    cr_expect_eq(set.answer[0].why[USE_COPIED], WHY_TRANSFER);
    cr_expect_str_eq(why_words(&set.pool, &set, &set.answer[0], USE_COPIED), "copying takes 3.0x the computing time");
}

/* A problem in a type on the CPU and on a GPU: seconds of a run, and of moving on the GPU. */
static void add_typed(struct record *record, const char *dtype, double cpu, double gpu, double moves)
{
    struct generator g = { .seed = 20261122 };
    for (unsigned i = 0; i < 2; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s-%s", dtype, i ? "gpu" : "cpu");
        addf(record,
             "{'line':'cell','key':'%s','block':'%s','device':'%s','workload':'matmul','dtype':'%s','shape':'n=9','"
             "method':'m','memory':'pageable','flops':1e6,'baseline':'%s-cpu'}",
             key, dtype, i ? "cuda:0" : "cpu", dtype, dtype);
        add_series(record, key, "resident", i ? gpu : cpu, 0, 1e-4, SLICES_MAX, i, &g);
        if (i)
            add_series(record, key, "copied", gpu, moves, 1e-4, SLICES_MAX, 2, &g);
        end_well(record, key);
    }
}

Test(answer, a_small_type_competes_with_the_cpus_f32_where_that_is_faster)
{
    for (unsigned i = 0; i < 2; i++) {
        const double cpu_in_f16 = i ? 9e-3 : 50e-3; /* slower, or faster, than its f32 */
        struct record *record = two_cards("another GPU");
        add_typed(record, "f32", 10e-3, 5e-3, 1e-3);
        add_typed(record, "f16", cpu_in_f16, 20e-3, 1e-3);
        add(record, "{'line':'end','status':'complete'}");
        read_answers(record);
        cr_assert_eq(set.answers, 2);
        for (enum use use = 0; use < USES; use++) {
            const struct figure *wide = &set.answer[0].use[use], *small = &set.answer[1].use[use];
            cr_expect_eq(wide->verdict, VERDICT_FASTER);
            cr_expect_not(wide->is_against_f32);
            cr_expect_eq(small->verdict, VERDICT_SLOWER, "%g", small->speedup.value);
            cr_expect_eq(small->is_against_f32, i == 0);
            cr_expect_float_eq(small->speedup.value, (i ? 9.0 : 10.0) / (use ? 21 : 20), 0.001);
            cr_expect_eq(set.answer[1].why[use] == WHY_BASELINE_WIDER, i == 0);
        }
        cr_expect_eq(set.answer[1].breakeven.outcome, BREAKEVEN_NEVER);
    }
}

/* The cell that measured the transfers has to be verified: what it costs to move the data is its claim. */
Test(answer, break_even_needs_a_verified_answer_of_the_cell_with_transfers)
{
    static const char *const cells[] = { "cpu", "stays", "moves" };
    for (unsigned verified = 0; verified < 2; verified++) {
        struct generator g = { .seed = 20261123 };
        struct record *record = two_cards("another GPU");
        for (unsigned i = 0; i < 3; i++) {
            addf(record,
                 "{'line':'cell','key':'%s','block':'b','device':'%s','workload':'matmul','dtype':'f32','shape':'n=9','"
                 "method':'m','memory':'pinned','flops':1e6,'baseline':'cpu'%s}",
                 cells[i], i ? "cuda:0" : "cpu",
                 i == 0   ? ""
                 : i == 1 ? ",\"measures\":\"resident\""
                          : ",\"measures\":\"copied\"");
            for (unsigned pass = 0; pass < 2 && (i < 2 || verified); pass++)
                addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", cells[i]);
            if (i < 2)
                add_series(record, cells[i], "resident", i ? 5e-3 : 10e-3, 0, 1e-4, SLICES_MAX, i, &g);
            else
                add_series(record, cells[i], "copied", 5e-3, 20e-3, 1e-4, SLICES_MAX, 2, &g);
            addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", cells[i]);
        }
        add(record, "{'line':'end','status':'complete'}");
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        cr_expect_eq(set.answer[0].use[USE_COPIED].verdict, verified ? VERDICT_SLOWER : VERDICT_NONE);
        cr_expect_eq(set.answer[0].breakeven.outcome, verified ? BREAKEVEN_KNOWN : BREAKEVEN_NONE);
    }
}

/* A launch that sleeps, or one of more work, does not hide what the shortest one costs, whichever comes first. */
Test(answer, the_shortest_launch_of_a_device_is_its_cost)
{
    for (unsigned longer = 0; longer < 2; longer++) {
        struct generator g = { .seed = 20261123 };
        struct record *record = two_cards("another GPU");
        for (unsigned i = 0; i < 2; i++) {
            const char *key = i ? "second" : "first";
            addf(record,
                 "{'line':'cell','key':'%s','block':'b','device':'cuda:0','workload':'launch','dtype':'f32','shape':'n="
                 "1,count=1','method':'%s','memory':'pinned','flops':1}",
                 key, key);
            add_series(record, key, "resident", i == longer ? 50e-6 : 10e-6, 0, 0, SLICES_MAX, i, &g);
            end_well(record, key);
        }
        read_answers(record);
        const struct figures *row = answer_cost(&set, &set.part[0], COST_LAUNCH);
        cr_assert(row);
        cr_expect_float_eq(row->time.value, 10e-6, 1e-9, "%g", row->time.value);
    }
}

/* Metrics of one device, as far as a choice looks at them. */
static struct figures metrics_of(const struct device *device, struct cell_record *cell, const char *memory,
                                 double resident, double copied)
{
    *cell = (struct cell_record){ .memory = memory, .method = "m", .device_id = device->id, .ended = true };
    return (struct figures){
        .cell = cell,
        .device = device,
        .measured = true,
        .verified = true,
        .use[USE_RESIDENT].speedup = { resident, 0.99 * resident, 1.01 * resident, 12 },
        .use[USE_COPIED].speedup = { copied, 0.99 * copied, 1.01 * copied, 12 },
    };
}

/* Copies that a program need not make say nothing about a device in the host's memory, however fast they are. */
Test(answer, mapped_memory_stands_for_a_device_that_shares_the_hosts)
{
    struct device device = { .id = "g" };
    struct cell_record cell[3];
    struct figures metrics[] = { metrics_of(&device, &cell[0], "pinned", 2, 2),
                                 metrics_of(&device, &cell[1], "mapped", 1.1, 1.1),
                                 metrics_of(&device, &cell[2], "mapped-copy", 3, 1.5) };
    struct answer choice = { .device = &device };
    cr_assert(answer_choose(&choice, metrics, 3));
    cr_expect_eq(choice.row[USE_COPIED], &metrics[0], "by the speed-up with transfers");
    cr_expect_eq(choice.row[USE_RESIDENT], &metrics[0], "and both uses are of one kind of memory");
    device.shares_host_memory = true;
    cr_assert(answer_choose(&choice, metrics, 3));
    cr_expect_eq(choice.row[USE_COPIED], &metrics[1]);
}

Test(answer, what_failed_or_was_not_verified_supports_no_claim)
{
    struct device device = { .id = "g" };
    struct cell_record cell[4];
    struct figures metrics[] = { metrics_of(&device, &cell[0], "pinned", 9, 9),
                                 metrics_of(&device, &cell[1], "pinned", 8, 8),
                                 metrics_of(&device, &cell[2], "pinned", 7, 7),
                                 metrics_of(&device, &cell[3], "pinned", 2, 2) };
    struct answer choice = { .device = &device };
    metrics[0].measured = false;
    cell[0].outcome.status = STATUS_WRONG;
    metrics[1].measured = false;
    cell[1].outcome.status = STATUS_CRASHED;
    metrics[2].verified = false;
    cr_assert(answer_choose(&choice, metrics, 4));
    cr_expect_eq(choice.row[USE_COPIED], &metrics[3]);
    cr_expect_eq(choice.unsound, &metrics[0]);
}

Test(answer, a_row_whose_copies_were_disturbed_stands_behind_one_whose_were_not)
{
    struct device device = { .id = "g" };
    struct cell_record cell[2];
    for (unsigned disturbed = 0; disturbed < 2; disturbed++) {
        struct figures metrics[] = { metrics_of(&device, &cell[0], "pinned", 3, 3 - disturbed),
                                     metrics_of(&device, &cell[1], "mapped", 3, 2 + disturbed) };
        struct answer choice = { .device = &device };
        struct estimate *speedup = &metrics[disturbed].use[USE_COPIED].speedup;
        *speedup = verdict_withhold(speedup);
        cr_assert(answer_choose(&choice, metrics, 2));
        cr_expect_eq(choice.row[USE_COPIED], &metrics[1 - disturbed], "%u", disturbed);
    }
}

/* A wide interval may reach far above a narrow one, and below it. */
Test(answer, of_two_rows_the_one_whose_interval_begins_higher_is_chosen)
{
    struct device device = { .id = "g" };
    struct cell_record cell[2];
    struct figures metrics[] = { metrics_of(&device, &cell[0], "pinned", 3, 3),
                                 metrics_of(&device, &cell[1], "mapped", 2.5, 2.5) };
    struct answer choice = { .device = &device };
    metrics[0].use[USE_RESIDENT].speedup.low = metrics[0].use[USE_COPIED].speedup.low = 1.5;
    metrics[0].use[USE_RESIDENT].speedup.high = metrics[0].use[USE_COPIED].speedup.high = 4;
    cr_assert(answer_choose(&choice, metrics, 2));
    cr_expect_eq(choice.row[USE_COPIED], &metrics[1]);
    cr_expect_eq(choice.row[USE_RESIDENT], &metrics[1]);
}

/* A race for data that stay and one for data that move chose differently. */
Test(answer, two_cells_may_stand_for_the_two_uses)
{
    struct device device = { .id = "g" };
    struct cell_record cell[2];
    struct figures metrics[] = { metrics_of(&device, &cell[0], "pinned", 3, NAN),
                                 metrics_of(&device, &cell[1], "pinned", NAN, 2) };
    struct answer choice = { .device = &device };
    cr_assert(answer_choose(&choice, metrics, 2));
    cr_expect_eq(choice.row[USE_RESIDENT], &metrics[0]);
    cr_expect_eq(choice.row[USE_COPIED], &metrics[1]);
}
