/* Reasons and peaks: which figures of which cells an answer is made of. */

#include "harness/analysis/answer_parts.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct answer_set set;

static void answers_end(void)
{
    answer_set_release(&set);
    release_kept();
}

TestSuite(answer_limits, .fini = answers_end);

static void read_answers(const struct record *record)
{
    answer_set_release(&set);
    cr_assert(answer_set_read(&set, record));
}

enum { SLICES = 24 };

static void add_device(struct record *record, const char *id, const char *name, const char *silicon, const char *more)
{
    const bool is_host = strcmp(id, "cpu") == 0;
    addf(record, "{'line':'device','id':'%s','key':'%s','backend':'%s','name':'%s','class':'%s','silicon':'%s'%s}", id,
         id, is_host ? "cpu" : "cuda", name, is_host ? "CPU" : "dGPU", silicon, more);
}

/* Times that spread evenly. After each slice of a disturbed series follows one with a look that is shared. */
static void add_series(struct record *record, const char *key, const char *series, double seconds, unsigned slices,
                       unsigned turn, bool is_disturbed)
{
    for (unsigned i = 0; i < slices; i++) {
        addf(record, "{'line':'look','processor':0,'rate':%d}", is_disturbed ? 1 : 2);
        addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", key, series,
             8 * i + turn, 1e9 * seconds * (1 + 1e-4 * (i * 7 % 5)));
    }
}

/* A loop that measures a peak: so much a second, or the seconds of a launch. */
static void add_peak(struct record *record, const char *device, const char *dtype, const char *roof, double rate,
                     double held, unsigned slices)
{
    char key[64];
    const bool is_launch = strcmp(roof, "latency") == 0;
    snprintf(key, sizeof key, "%s-%s-%s-%g", device, dtype, roof, held);
    addf(record,
         "{'line':'cell','key':'%s','block':'peaks','device':'%s','workload':'peak','dtype':'%s','shape':'n=1','method'"
         ":'m','memory':'pageable','roof':'%s','ceiling':true,'flops':%g,'bytes':%g,'held':%g}",
         key, device, dtype, roof, 1e-3 * rate, 1e-3 * rate, held);
    add_series(record, key, "resident", is_launch ? rate : 1e-3, slices, 0, false);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
}

static const double beyond_caches = 1 << 30;

/* A CPU of 100 GFLOP/s and 10 GB/s, and a GPU of 2 TFLOP/s and 100 GB/s, whose launches take 10 us. */
static struct record *measured_peaks(const char *of_gpu, unsigned slices)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','schema':'bench-journal/3'}");
    add_device(record, "cpu", "a CPU", "cpu", ",\"works_in_host_memory\":true");
    add_device(record, "gpu", "a GPU", "pci 1", of_gpu);
    add_peak(record, "cpu", "f32", "flops", 1e11, 8, SLICES);
    add_peak(record, "cpu", "f32", "bandwidth", 1e10, beyond_caches, SLICES);
    add_peak(record, "gpu", "f32", "flops", 2e12, 8, slices);
    add_peak(record, "gpu", "f32", "bandwidth", 1e11, beyond_caches, slices);
    add_peak(record, "gpu", "f32", "latency", 1e-5, 8, SLICES);
    return record;
}

/* A row of the problem "b". Seconds 0: there is no such series. */
struct row {
    const char *device, *dtype;
    double flops, bytes, resident, copied;
    unsigned slices; /* of the resident series; 0: as many as usual */
    bool is_disturbed, is_unverified;
    double held;      /* 0: beyond caches */
    const char *more; /* of its names, which makes it another problem; NULL: nothing */
    bool is_copied_disturbed;
};

static void add_row(struct record *record, const struct row *row)
{
    char key[64];
    const char *dtype = row->dtype ? row->dtype : "f32";
    const unsigned turn = strcmp(row->device, "cpu") == 0 ? 0 : 1;
    const char *more = row->more ? row->more : "";
    snprintf(key, sizeof key, "%s-%s%s", row->device, dtype, more);
    addf(record,
         "{'line':'cell','key':'%s','block':'b-%s%s','device':'%s','workload':'w','dtype':'%s','shape':'n=9','method':'"
         "m','memory':'pageable','flops':%g,'bytes':%g,'held':%g,'baseline':'cpu-%s%s'}",
         key, dtype, more, row->device, dtype, row->flops, row->bytes, row->held > 0 ? row->held : beyond_caches, dtype,
         more);
    add_series(record, key, "resident", row->resident, row->slices ? row->slices : SLICES, turn, row->is_disturbed);
    if (row->copied > 0)
        add_series(record, key, "copied", row->copied, SLICES, turn + 2, row->is_disturbed || row->is_copied_disturbed);
    if (row->is_unverified)
        addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
    else
        end_well(record, key);
}

Test(answer_limits, a_reason_follows_from_what_limits_both_sides)
{
    static const char *const own_memory = "", *const shared = ",\"shares_host_memory\":true";
    static const struct {
        const char *memory;
        double flops, bytes, cpu, gpu;
        unsigned slices; /* of the GPU's peaks: of few there is no interval */
        enum why why;
    } cases[] = {
        { own_memory, 1e8, 1e8, 12e-3, 1.2e-3, SLICES, WHY_MEMORY },
        { shared, 1e8, 1e8, 12e-3, 1.2e-3, SLICES, WHY_UNKNOWN },
        { own_memory, 4e9, 1e8, 45e-3, 2.2e-3, SLICES, WHY_COMPUTE },
        { shared, 4e9, 1e8, 45e-3, 2.2e-3, SLICES, WHY_COMPUTE },
        { own_memory, 1.5e9, 1e8, 16e-3, 1.1e-3, SLICES, WHY_DIFFERENT_LIMITS },
        { own_memory, 1.5e9, 1e8, 16e-3, 1.1e-3, 2, WHY_UNKNOWN },
        { own_memory, 1e4, 1e4, 5e-6, 15e-6, SLICES, WHY_LAUNCH },
        { own_memory, 1e4, 1e4, 50e-6, 15e-6, SLICES, WHY_DIFFERENT_LIMITS },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = measured_peaks(cases[i].memory, cases[i].slices);
        add_row(record,
                &(struct row){
                    .device = "cpu", .flops = cases[i].flops, .bytes = cases[i].bytes, .resident = cases[i].cpu });
        add_row(record,
                &(struct row){
                    .device = "gpu", .flops = cases[i].flops, .bytes = cases[i].bytes, .resident = cases[i].gpu });
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        cr_expect_eq(set.answer[0].why[USE_RESIDENT], cases[i].why, "case %u: %d", i, set.answer[0].why[USE_RESIDENT]);
    }
}

/* Transfers are not named as the reason for a difference to what was not judged. */
Test(answer_limits, a_reason_of_transfers_needs_a_verdict_without_them)
{
    for (unsigned judged = 0; judged < 2; judged++) {
        struct record *record = measured_peaks("", SLICES);
        add_row(record, &(struct row){ .device = "cpu", .flops = 1e8, .bytes = 1e8, .resident = 12e-3 });
        add_row(record, &(struct row){ .device = "gpu",
                                       .flops = 1e8,
                                       .bytes = 1e8,
                                       .resident = 1.2e-3,
                                       .copied = 40e-3,
                                       .slices = judged ? SLICES : 3 });
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        cr_expect_eq(set.answer[0].use[USE_RESIDENT].verdict, judged ? VERDICT_FASTER : VERDICT_UNJUDGED);
        cr_expect_eq(set.answer[0].use[USE_COPIED].verdict, VERDICT_SLOWER);
        cr_expect_eq(set.answer[0].why[USE_COPIED], judged ? WHY_TRANSFER : WHY_UNKNOWN);
    }
}

/* Also where it is compared with another type: then the CPU's f32 is the second row, else the first. */
Test(answer_limits, what_was_disturbed_is_not_judged)
{
    enum { ROWS = 3 };
    for (unsigned disturbed = 0; disturbed <= ROWS; disturbed++)
        for (unsigned small = 0; small < 2; small++) {
            struct record *record = measured_peaks("", SLICES);
            for (unsigned i = 0; i < ROWS; i++) {
                const struct row row = { .device = i < 2 ? "cpu" : "gpu",
                                         .dtype = i == 1 || !small ? "f32" : "f16",
                                         .flops = 1e8,
                                         .bytes = 1e8,
                                         .resident = i == 2   ? 1.2e-3
                                                     : i == 1 ? 12e-3
                                                              : 50e-3,
                                         .copied = i == 2 ? 40e-3 : 0,
                                         .is_disturbed = disturbed == i + 1 };
                if (i > 0 || small)
                    add_row(record, &row);
            }
            read_answers(record);
            cr_assert_eq(set.answers, 1);
            const struct figure *use = set.answer[0].use;
            for (enum use kind = 0; kind < USES; kind++) {
                const bool is_judged = disturbed == 0 || (disturbed == 1 && !small);
                cr_expect_eq(use[kind].is_against_f32, small == 1);
                cr_expect_eq(verdict_is_judged(use[kind].verdict), is_judged, "row %u, %u, %u", disturbed, small, kind);
                cr_expect(is_judged || set.answer[0].why[kind] == WHY_UNJUDGED, "row %u, %u, %u", disturbed, small,
                          kind);
            }
        }
}

Test(answer_limits, what_the_baseline_takes_with_transfers_counts_against_another_type_too)
{
    struct record *record = measured_peaks("", SLICES);
    add_row(record,
            &(struct row){
                .device = "cpu", .dtype = "f32", .flops = 1e8, .bytes = 1e8, .resident = 10e-3, .copied = 15e-3 });
    add_row(record,
            &(struct row){
                .device = "cpu", .dtype = "f16", .flops = 1e8, .bytes = 1e8, .resident = 50e-3, .copied = 60e-3 });
    add_row(record,
            &(struct row){
                .device = "gpu", .dtype = "f16", .flops = 1e8, .bytes = 1e8, .resident = 5e-3, .copied = 36e-3 });
    read_answers(record);
    cr_assert_eq(set.answers, 1);
    cr_expect(set.answer[0].use[USE_COPIED].is_against_f32);
    cr_expect_eq(set.answer[0].breakeven.uses, 6, "%g: 15 + 5 * 10 ms against 36 + 5 * 5 ms",
                 set.answer[0].breakeven.uses);
}

/* Twice the peak, which need not have an interval; but not by a row in another type, without verification, or in
 * caches. */
Test(answer_limits, a_verified_row_above_a_peak_is_the_peak)
{
    static const struct {
        struct row row;
        double flops, bandwidth;
    } cases[] = {
        { { .device = "gpu", .dtype = "f32", .flops = 4e9, .bytes = 1e6, .resident = 1e-3 }, 4e12, 1e11 },
        { { .device = "gpu", .dtype = "f32", .flops = 4e9, .bytes = 1e6, .resident = 1e-3, .is_unverified = true },
          2e12,
          1e11 },
        { { .device = "gpu", .dtype = "f64", .flops = 4e9, .bytes = 1e6, .resident = 1e-3 }, 2e12, 1e11 },
        { { .device = "gpu", .dtype = "f32", .flops = 1e6, .bytes = 2e8, .resident = 1e-3 }, 2e12, 2e11 },
        { { .device = "gpu", .dtype = "f32", .flops = 1e6, .bytes = 8e8, .resident = 1e-3, .held = 1 << 20 },
          2e12,
          1e11 },
    };
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const unsigned k = i / 2;
        struct record *record = measured_peaks("", i % 2 ? 2 : SLICES);
        add_peak(record, "gpu", "f64", "flops", 1e12, 8, SLICES);
        add_peak(record, "gpu", "f32", "bandwidth", 4e11, 1 << 20, SLICES);
        add_row(record, &cases[k].row);
        read_answers(record);
        const struct answer_part *part = &set.part[set.part_of[1]];
        cr_expect_float_eq(part->flops / cases[k].flops, 1, 0.01, "case %u: %g", i, part->flops);
        cr_expect_float_eq(part->bandwidth / cases[k].bandwidth, 1, 0.01, "case %u: %g", i, part->bandwidth);
    }
}

/* Each API calls it by another name. One that went wrong is not forgotten beside one that did not. */
Test(answer_limits, a_chip_is_one_part_under_all_its_names)
{
    for (unsigned wrong_first = 0; wrong_first < 2; wrong_first++) {
        struct record *record = measured_peaks("", SLICES);
        add_device(record, "again", "gfx1100", "pci 1", "");
        add_row(record, &(struct row){ .device = "cpu", .flops = 1e8, .bytes = 1e8, .resident = 12e-3 });
        add_row(record, &(struct row){
                            .device = wrong_first ? "again" : "gpu", .flops = 1e8, .bytes = 1e8, .resident = 1.2e-3 });
        add_row(record, &(struct row){ .device = wrong_first ? "gpu" : "again",
                                       .flops = 1e8,
                                       .bytes = 1e8,
                                       .resident = 1e-3,
                                       .is_unverified = true });
        read_answers(record);
        cr_expect_eq(set.parts, 2);
        cr_assert_eq(set.answers, 1);
        cr_expect_eq(set.part[1].cards, 1);
        cr_expect_str_eq(set.answer[0].device->id, wrong_first ? "again" : "gpu");
        cr_assert(set.answer[0].unsound);
        cr_expect_str_eq(set.answer[0].unsound->cell->device_id, wrong_first ? "gpu" : "again");
    }
}

/* Against the CPU's own type, and against its f32. */
Test(answer_limits, a_disturbed_use_withholds_the_verdict_of_that_use_alone)
{
    for (unsigned small = 0; small < 2; small++) {
        struct record *record = measured_peaks("", SLICES);
        add_row(record, &(struct row){ .device = "cpu", .flops = 1e8, .bytes = 1e8, .resident = 12e-3 });
        if (small)
            add_row(record,
                    &(struct row){ .device = "cpu", .dtype = "f16", .flops = 1e8, .bytes = 1e8, .resident = 50e-3 });
        add_row(record, &(struct row){ .device = "gpu",
                                       .dtype = small ? "f16" : "f32",
                                       .flops = 1e8,
                                       .bytes = 1e8,
                                       .resident = 1.2e-3,
                                       .copied = 40e-3,
                                       .is_copied_disturbed = true });
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        const struct figure *use = set.answer[0].use;
        cr_expect_eq(use[USE_COPIED].is_against_f32, small == 1);
        cr_expect_eq(use[USE_RESIDENT].verdict, VERDICT_FASTER);
        cr_expect_eq(use[USE_COPIED].verdict, VERDICT_UNJUDGED);
        cr_expect_eq(set.answer[0].why[USE_COPIED], WHY_UNJUDGED);
    }
}

/* The first, the second or the third name of a chip has the highest peaks. */
Test(answer_limits, the_highest_peak_under_any_name_of_a_chip_is_its_peak)
{
    static const char *const ids[] = { "gpu", "again", "more" };
    for (unsigned highest = 0; highest < 3; highest++) {
        struct record *record = new_record();
        add(record, "{'line':'journal','schema':'bench-journal/3'}");
        for (unsigned i = 0; i < 3; i++) {
            const double times = i == highest ? 2 : 1;
            add_device(record, ids[i], ids[i], "pci 1", "");
            add_peak(record, ids[i], "f32", "flops", times * 1e12, 8, SLICES);
            add_peak(record, ids[i], "f32", "bandwidth", times * 1e11, beyond_caches, SLICES);
        }
        read_answers(record);
        cr_assert_eq(set.parts, 1);
        cr_expect_float_eq(set.part[0].flops / 2e12, 1, 0.01, "%s: %g", ids[highest], set.part[0].flops);
        cr_expect_float_eq(set.part[0].bandwidth / 2e11, 1, 0.01, "%s: %g", ids[highest], set.part[0].bandwidth);
    }
}

Test(answer_limits, of_several_rows_above_a_peak_the_highest_is_the_peak)
{
    for (unsigned highest = 0; highest < 3; highest++) {
        static const char *const problems[] = { "", "-2", "-3", "-4", "-5", "-6" };
        struct record *record = measured_peaks("", SLICES);
        for (unsigned i = 0; i < 3; i++) {
            const double times = i == highest ? 2 : 1.5;
            add_row(record,
                    &(struct row){
                        .device = "gpu", .more = problems[i], .flops = times * 2e9, .bytes = 1e6, .resident = 1e-3 });
            add_row(
                record,
                &(struct row){
                    .device = "gpu", .more = problems[3 + i], .flops = 1e6, .bytes = times * 1e8, .resident = 1e-3 });
        }
        read_answers(record);
        const struct answer_part *part = &set.part[set.part_of[1]];
        cr_expect_float_eq(part->flops / 4e12, 1, 0.01, "%u: %g", highest, part->flops);
        cr_expect_float_eq(part->bandwidth / 2e11, 1, 0.01, "%u: %g", highest, part->bandwidth);
    }
}

/* Three equal cards in each order. The one that is the slowest with transfers stands for all, though another one
 * computes more slowly. */
Test(answer_limits, the_card_that_is_slowest_with_transfers_stands_for_all_and_the_range_is_of_all)
{
    static const char *const ids[] = { "gpu", "gpu2", "gpu3" };
    static const double resident[] = { 1e-3, 2e-3, 1.5e-3 }, copied[] = { 40e-3, 20e-3, 30e-3 };
    for (unsigned first = 0; first < 3; first++) {
        struct record *record = measured_peaks("", SLICES);
        add_device(record, "gpu2", "a GPU", "pci 2", "");
        add_device(record, "gpu3", "a GPU", "pci 3", "");
        add_row(record, &(struct row){ .device = "cpu", .flops = 1e8, .bytes = 1e8, .resident = 12e-3 });
        for (unsigned i = 0; i < 3; i++) {
            const unsigned which = (first + i) % 3;
            add_row(record, &(struct row){ .device = ids[i],
                                           .flops = 1e8,
                                           .bytes = 1e8,
                                           .resident = resident[which],
                                           .copied = copied[which] });
        }
        read_answers(record);
        cr_assert_eq(set.answers, 1);
        cr_expect_eq(set.part[1].cards, 3);
        const struct answer *answer = &set.answer[0];
        cr_expect_str_eq(answer->device->id, ids[(3 - first) % 3]);
        cr_expect_float_eq(answer->use[USE_COPIED].speedup.value, 0.3, 0.01);
        cr_expect_float_eq(answer->cards[USE_RESIDENT].least, 6, 0.1, "%g", answer->cards[USE_RESIDENT].least);
        cr_expect_float_eq(answer->cards[USE_RESIDENT].most, 12, 0.1, "%g", answer->cards[USE_RESIDENT].most);
        cr_expect_float_eq(answer->cards[USE_COPIED].least, 0.3, 0.01, "%g", answer->cards[USE_COPIED].least);
        cr_expect_float_eq(answer->cards[USE_COPIED].most, 0.6, 0.01, "%g", answer->cards[USE_COPIED].most);
    }
}

/* The CPU has a method for each use: 12 ms where data stay, 14 ms where they are copied. */
Test(answer_limits, each_use_has_the_baseline_that_it_is_compared_with)
{
    static const char *const keys[] = { "cpu-stays", "cpu-moves", "gpu-both" };
    static const char *const measures[] = { "resident", "copied", "both" };
    static const double seconds[] = { 12e-3, 14e-3, 1e-3 };
    struct record *record = measured_peaks("", SLICES);
    for (unsigned i = 0; i < 3; i++) {
        addf(record,
             "{'line':'cell','key':'%s','block':'b','device':'%.3s','workload':'w','dtype':'f32','shape':'n=9','method'"
             ":'m%u','memory':'pageable','flops':1e8,'bytes':1e8,'measures':'%s','baseline':'cpu-stays','baseline_"
             "copied':'cpu-moves'}",
             keys[i], keys[i], i, measures[i]);
        if (i != 1)
            add_series(record, keys[i], "resident", seconds[i], SLICES, i, false);
        if (i != 0)
            add_series(record, keys[i], "copied", 2 * seconds[i], SLICES, i + 2, false);
        end_well(record, keys[i]);
    }
    read_answers(record);
    cr_assert_eq(set.answers, 1);
    for (enum use use = 0; use < USES; use++) {
        const struct figure *one = &set.answer[0].use[use];
        const struct figures *baseline = set.answer[0].baseline[use];
        cr_assert(baseline && one->cell);
        cr_expect_str_eq(baseline->cell->key, keys[use == USE_COPIED]);
        cr_expect_float_eq(one->baseline_seconds, use == USE_COPIED ? 28e-3 : 12e-3, 1e-4, "%g", one->baseline_seconds);
        cr_expect_float_eq(one->time.value, use == USE_COPIED ? 2e-3 : 1e-3, 1e-5, "%g", one->time.value);
        cr_expect_float_eq(one->speedup.value, one->baseline_seconds / one->time.value, 0.1, "%g", one->speedup.value);
    }
}
