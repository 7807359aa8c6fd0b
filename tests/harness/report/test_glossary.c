#include "bench/backends/registry.h"
#include "harness/analysis/breakeven.h"
#include "harness/analysis/compare/comparison.h"
#include "harness/analysis/figure.h"
#include "harness/analysis/roofline.h"
#include "harness/journal/record.h"
#include "harness/journal/results.h"
#include "harness/report/content/columns.h"
#include "harness/report/glossary/glossary.h"
#include "harness/report/makers/makers.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>

/* Whether every term that the program prints is explained, and how the words of a person are understood.
 * program/explain.sh checks the notes. */

Test(glossary, explains_each_term_without_marks_of_Markdown)
{
    for (struct term term = { 0 }; glossary_next(workload_term, &term);) {
        cr_expect(term.explanation && *term.explanation, "%s is not explained", term.name);
        cr_expect(!strchr(term.explanation, '`') && !(term.remedy && strchr(term.remedy, '`')), "%s", term.name);
    }
}

Test(glossary, is_in_the_order_of_its_kinds_and_has_each_name_once)
{
    static const char *const kinds[] = { "column", "metric", "outcome", "note", "word" };
    unsigned kind = 0;
    for (struct term term = { 0 }; glossary_next(workload_term, &term);) {
        while (kind < 5 && strcmp(kinds[kind], term.kind) != 0)
            kind++;
        cr_assert(kind < 5, "%s is a %s, out of order", term.name, term.kind);
        for (struct term later = term; glossary_next(workload_term, &later);)
            cr_expect(strcmp(term.name, later.name) != 0, "%s is there twice", term.name);
    }
    cr_expect_eq(kind, 4);
}

static bool finds(const char *text, const struct term *wanted)
{
    struct term found[64];
    unsigned count = glossary_search(workload_term, text, found, 64);
    for (unsigned i = 0; i < count; i++)
        if (found[i].name == wanted->name)
            return true;
    return false;
}

Test(glossary, finds_every_term_by_each_of_its_names)
{
    for (struct term term = { 0 }; glossary_next(workload_term, &term);) {
        cr_expect(finds(term.name, &term), "%s", term.name);
        for (const char *at = term.aliases; at; at = strchr(at, '|')) {
            char name[256];
            at += strspn(at, "| ");
            size_t length = strcspn(at, "|");
            cr_assert(length > 0 && length < sizeof name, "%s", term.name);
            memcpy(name, at, length);
            name[length - (name[length - 1] == ' ')] = '\0';
            cr_expect(strchr(name, '*') || finds(name, &term), "%s is not found as '%s'", term.name, name);
        }
    }
}

static void expect_known(const char *word)
{
    cr_expect(glossary_find(workload_term, word).name, "'%s' is not explained", word);
}

Test(glossary, explains_every_name_of_an_enumeration)
{
    for (enum status status = 0; status < STATUS_COUNT; status++)
        expect_known(status_names[status]);
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++)
        expect_known(memory_names[memory]);
    for (enum device_class class = 0; class < CLASS_COUNT; class ++)
        expect_known(class_names[class]);
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        expect_known(dtype_name(dtype));
    for (enum series series = 0; series < SERIES_COUNT; series++)
        expect_known(series_names[series]);
    for (enum stop stop = 0; stop < STOP_COUNT; stop++)
        expect_known(stop_names[stop]);
    for (enum bound bound = BOUND_UNKNOWN + 1; bound < BOUND_COUNT; bound++)
        expect_known(bound_names[bound]);
    for (unsigned i = 0; i < BREAKEVEN_COUNT; i++)
        expect_known(breakeven_outcomes[i]);
    for (enum change change = 0; change < CHANGE_COUNT; change++)
        expect_known(change_names[change]);
    for (unsigned i = 0; i <= EVENT_DOUBTFUL; i++)
        expect_known(event_clock_names[i]);
}

/* What a reader copies from a report, and the only term that it means. */
Test(glossary, leads_from_a_part_of_a_sentence_to_its_term)
{
    static const struct {
        const char *typed, *name, *says;
    } cases[] = {
        { "slow", "slow", "In a fleet: " },
        { "failed", "failed", "In a fleet: " },
        { "missing", "missing", "In a fleet: " },
        { "different", "different", "In a fleet: " },
        { "called slow when", "slow", "In a fleet: " },
        { "CPU threads 1, usual is 2", "different", "In a fleet: " },
        { "No GPU was measured", "no GPU", "found no GPU" },
        { "drift", "visits", "drift" },
        { "copied runs took less time", "total below its part", "copied runs" },
        { "it is dated", "dated after today", "clock" },
        { "the last line is cut off", "left out", "cut off" },
        { "a clock is wrong", "dated after today", "clock" },
        { "OpenBLAS uses fewer instruction sets", "the CPU is held back", "OpenBLAS" },
        { "ONEDNN_MAX_CPU_ISA=SSE41 keeps oneDNN from wider instruction sets: unset it", "the CPU is held back", "" },
        { "ONEDNN_CPU_ISA_HINTS=PREFER_YMM keeps oneDNN from 512-bit vectors", "the CPU is held back", "" },
        { "OMP_THREAD_LIMIT=1 leaves", "the CPU is held back", "Fewer cores" },
        { "LD_PRELOAD=libgomp.so replaces the OpenMP runtime", "the CPU is held back", "" },
        { "fixed allowance", "UNSURE", "fixed allowance" },
        { "so a fixed allowance is used", "UNSURE", "fixed allowance" },
        { "too few to judge", "slow", "too few to judge" },
        { "the mapped device needs fewer operations", "fast algorithm", "fewer operations" },
        { "its cache cannot be written or is full", "folder of compiled kernels", "full" },
        { "needs fewer operations", "fast algorithm", "fewer operations" },
        { "not judged now (too much other load on the cores: measure again)", "slices disturbed", "load" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct term found[8] = { { 0 } };
        cr_expect_eq(glossary_search(workload_term, cases[i].typed, found, 8), 1, "%s", cases[i].typed);
        cr_expect(found[0].name && strcmp(found[0].name, cases[i].name) == 0, "%s: %s", cases[i].typed, found[0].name);
        cr_expect(found[0].name && strstr(found[0].explanation, cases[i].says), "%s", cases[i].typed);
    }
}

Test(glossary, explains_every_workload_and_every_method)
{
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        expect_known((*workload)->name);
        for (const struct method *method = (*workload)->methods; method && method->name; method++)
            expect_known(method->name);
    }
}

Test(glossary, explains_every_column_of_the_CSV_and_the_JSON_under_a_name_of_its_own)
{
    struct pool pool = { 0 };
    const struct cell_columns columns = columns_read(&pool, FORMAT_ALL);
    cr_assert_gt(columns.count, 200);
    for (unsigned i = 0; i < columns.count; i++) {
        const struct cell_column *column = &columns.column[i];
        const char *name = column->csv ? column->csv : column->json ? column->json : column->shown.title;
        cr_assert(name);
        cr_expect(glossary_named(column->term).explanation, "'%s' has the term '%s'", name, column->term);
        for (unsigned k = 0; k < i; k++) {
            const struct cell_column *other = &columns.column[k];
            cr_expect(!column->csv || !other->csv || strcmp(column->csv, other->csv) != 0, "%s", column->csv);
            cr_expect(!column->json || !other->json || strcmp(column->json, other->json) != 0, "%s", column->json);
        }
        if (column->csv)
            cr_expect_str_eq(column_term(column->csv), column->term);
    }
    cr_expect_str_eq(column_term("series.resident.p5_s"), "p5");
    cr_expect_str_eq(column_term("held_twice_bytes"), "memory cost");
    cr_expect_null(column_term("flux_kg"));
    pool_release(&pool);
}

/* Counts the columns without an entry. A column without a title is the unit of the column before it and needs none. */
static unsigned unexplained(const struct table *table)
{
    unsigned count = 0;
    for (unsigned i = 0; i < table->columns; i++) {
        const struct column *column = &table->column[i];
        struct term term = glossary_find(workload_term, column->term);
        bool is_explained = term.name && strcmp(term.kind, "column") == 0 && strcmp(term.name, column->term) == 0;
        bool needs_none = !*column->title && !*column->below && !*column->term;
        if (!is_explained && !needs_none)
            fprintf(stderr, "'%s %s' has the term '%s'\n", column->title, column->below, column->term);
        count += !is_explained && !needs_none;
    }
    return count;
}

Test(glossary, explains_every_column_of_the_reports)
{
    static const char *const journals[] = { "tests/golden/mixed", "tests/golden/hostile", "tests/journals/standard",
                                            "tests/journals/sweep-multiply" };
    enum { RUNS = sizeof journals / sizeof *journals };
    struct result run[RUNS] = { 0 };
    char path[RUNS][512]; /* the results go on naming them */
    struct document document = { .medium = MEDIUM_TEXT };
    struct answer_set set[RUNS];
    struct error err = { .status = STATUS_OK };
    for (unsigned i = 0; i < RUNS; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s.jsonl", ROOT, journals[i]);
        cr_assert(result_read(&run[i], path[i], &err), "%s", err.message);
    }
    for (unsigned i = 0; i < RUNS; i++)
        cr_assert(answer_set_read(&set[i], run[i].record));
    cr_assert(run_document(&document, &(struct results){ run, RUNS }, set, &(struct layout){ .width = 0 }, &err));
    unsigned tables = 0;
    for (const struct item *item = document.item; item < document.item + document.items; item++)
        if (item->kind == ITEM_TABLE && item->level == LEVEL_FULL && *item->table->column->term) {
            cr_expect_eq(unexplained(item->table), 0);
            tables++;
        }
    cr_assert_gt(tables, RUNS);
    pool_release(&document.pool);
    for (unsigned i = 0; i < RUNS; i++) {
        answer_set_release(&set[i]);
        result_release(&run[i]);
    }
}

Test(glossary, reports_a_column_without_an_entry)
{
    struct column column[] = { { .title = "device", .below = "", .term = "device" },
                               { .title = "flux", .below = "kg", .term = "" },
                               { .title = "flux", .below = "", .term = "flux" },
                               { .title = "", .below = "", .term = "" },
                               { .title = "ceiling", .below = "", .term = "too-slow" } };
    cr_expect_eq(unexplained(&(struct table){ .column = column, .columns = 5 }), 3);
}

/* The term that is found first; NULL: none is. */
static const struct {
    const char *typed, *meant;
} typed[] = {
    { "speedup", "resident speed-up" },
    { "SPEED-UPS", "resident speed-up" },
    { "resident", "resident speed-up" },
    { "bandwidth", "GB/s" },
    { "gb/s", "GB/s" },
    { "gflops", "GFLOP/s" },
    { "Gflop/s per w", "GFLOP/s per W" },
    { "of_peak", "of peak %" },
    { "ceiling", "measured peak" },
    { "+-", "+-" },
    { "±", "+-" },
    { "  No   Memory ", "no-memory" },
    { "toosslow", NULL },
    { "breakeven", "break-even" },
    { "mapped copy", "mapped-copy" },
    { "nChw8c", "nChw16c" },
    { "OIhw8i8o", "NK16k64n" },
    { "3 uses", "uses speed-up" },
    { "1.31 (1.20 - 1.40)", "interval" },
    { "governor", "governor" },
    { "the governor is powersave, so the clock follows the load: sudo cpupower", "governor" },
    { "too few visits for an interval: give the run more time", "no interval" },
    { " 3  stopped by its budget, before it was as precise as asked: --budget gives more", "stopped by its budget" },
    { "14 launches take 1.2 times as long as one does for the same work: 2 us more for each, so do more per launch",
      "price of many launches" },
    { "NUMA", "memory on one NUMA node" },
    { "xyzzy", NULL },
    { "", NULL },
    { " - ", NULL },
    /* the beginning of a name */
    { "thresh", "threshold" },
    { "slowed down", "slowed down for heat" },
    { "what does bound by mean?", "bound by" },
    /* one word of several */
    { "the governor hummed", NULL },
    { "why is it slower", NULL },
    { "8.1 slower", "SLOWER" },
    /* warnings of a comparison */
    { "kernel: 6.1.0 before, 6.2.0 now", "differs between the sides" },
    { "memory, bytes: 25276502016 before, 1000 now", "differs between the sides" },
    { "instruction set: avx2 before, avx512 now", "differs between the sides" },
    { "--budget: 10 before, unknown now", "differs between the sides" },
    { "driver of cuda:0: 570.1 before, 575.2 now", "differs between the sides" },
    { "power: battery before, mains or unknown now", "differs between the sides" },
    { "another method: onednn-winograd before, portable now", "another method" },
    { "other memory: pinned before, mapped now", "other memory" },
    { "the same method in another way: oneDNN 2.6 before, oneDNN 3.1 now", "the same method in another way" },
    /* values of a table */
    { "(not judged)", "not judged" },
    { "0.47 (0.47 - 0.48)", "interval" },
    { "nChw16c", "nChw16c" },
    { "doubtful", "event clock" },
    /* terms of GPUs */
    { "sm_120", "PTX" },
    { "machine code", "PTX" },
    { "tensor cores", "tensor cores" },
    { "MIG", "MIG" },
    { "spill", "spills" },
    { "CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES" },
    { "NVIDIA_TF32_OVERRIDE", "NVIDIA_TF32_OVERRIDE" },
    /* words of a screen: the entry of its own, not one that has the word somewhere */
    { "drift", "visits" },
    { "peak", "peak" },
    { "disturbed", "slices disturbed" },
    { "stride", "conv" },
    { "Copy 64 MiB", "copy 64 MiB" },
    { "gemm", "onednn" },
    { "from 3 uses", "break-even" },
    { "fair", "fair" },
    { "UTC", "started" },
    { "Unsettled", "settled" },
    { "by size", "times as fast" },
    { "printed peak", "above the printed peak" },
    { "*", "above the printed peak" },
    { "8.1 so far", "so far" },
    { "B against A", "times as fast" },
    { "cold", "cold" },
    { "Launch", "launch" },
    { "Break-even", "break-even" },
    { "equal", "equal" },
};

Test(glossary, finds_first_what_is_meant)
{
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct term found[8];
        unsigned count = glossary_search(workload_term, typed[i].typed, found, 8);
        const char *first = count > 0 ? found[0].name : NULL;
        if (typed[i].meant)
            cr_expect(first && strcmp(first, typed[i].meant) == 0, "'%s' finds %s", typed[i].typed, first);
        else
            cr_expect_eq(count, 0, "'%s' finds %s", typed[i].typed, first);
    }
}

Test(glossary, takes_texts_of_any_length)
{
    char text[4096];
    struct term found[2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cr_expect_eq(glossary_search(workload_term, text, found, 2), 0);
    cr_expect_null(glossary_find(workload_term, text).name);
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        text[i] = ' ';
    cr_expect_eq(glossary_search(workload_term, text, found, 2), 0);
    memcpy(text, "held back ", 10);
    cr_expect_eq(glossary_search(workload_term, text, found, 2), 1);
    cr_expect_eq(glossary_search(workload_term, "speedup", found, 1), 1, "room is for one");
}

Test(glossary, suggests_the_nearest_name)
{
    char nearest[64];
    cr_expect(glossary_nearest(workload_term, "bandwith", nearest, sizeof nearest));
    cr_expect_str_eq(nearest, "bandwidth");
    cr_expect(glossary_nearest(workload_term, "Pined", nearest, sizeof nearest));
    cr_expect_str_eq(nearest, "pinned");
    cr_expect(!glossary_nearest(workload_term, "xyzzyxyzzy", nearest, sizeof nearest));
    cr_expect(glossary_nearest(workload_term, "the governor hummed", nearest, sizeof nearest));
    cr_expect_str_eq(nearest, "governor", "a word of several is no answer, but near");
}

static void expect_among(const char *text, const char *name)
{
    struct term found[64];
    bool is_among = false;
    for (unsigned count = glossary_search(workload_term, text, found, 64), i = 0; i < count; i++)
        is_among |= strcmp(found[i].name, name) == 0;
    cr_expect(is_among, "'%s' does not find %s", text, name);
}

Test(glossary, finds_all_meanings_of_a_word)
{
    expect_among("throttling", "slowed down for heat");
    expect_among("throttling", "clock held down");
    expect_among("within", "copy");
    expect_among("within", "transfer");
    expect_among("turns", "peak");
}

/* Words of plain English, names of machines, and what a user types; "-" belongs to "(1.01 - 1.03)", an interval. */
static const char *const plain[] = {
    "-",          "they",     "needs",    "differ",   "x",           "No",    "Yes",  "Is",      "a",
    "and",        "as",       "at",       "both",     "by",          "in",    "is",   "it",      "its",
    "of",         "on",       "the",      "this",     "to",          "up",    "most", "fewer",   "here",
    "though",     "well",     "slowest",  "against",  "charts",      "bench", "or",   "another", "fewer",
    "so",         "instead",  "report",   "-o",       "report.html", "FILE",  "@",    "AMD",     "Intel",
    "GeForce",    "RTX",      "Laptop",   "Radeon",   "UHD",         "Ryzen", "Xeon", "EPYC",    "A10",
    "H200",       "Platinum", "i5-8250U", "Instinct", "MI50",        "an",    "use",  "machine", "display",
    "controller", "no",       "PCI",      "bus",
};

static bool is_known(const char *text)
{
    struct term found;
    const unsigned plains = sizeof plain / sizeof *plain;
    return name_find(text, plain, plains) < plains || glossary_search(workload_term, text, &found, 1) > 0;
}

/* Counts the words, signs and units of a line that nothing explains. Numbers and sizes begin with a digit. A warning is
 * explained as a whole. */
static unsigned unknown_in(const char *line)
{
    static const char around[] = "()?!.,;:\"*";
    unsigned unknown = 0;
    if (*line == '!')
        return !is_known(line + 2);
    for (const char *at = line; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        char word[128];
        const char *from = at + strspn(at, around);
        size_t length = strcspn(from, " ");
        while (length > 0 && strchr(around, from[length - 1]))
            length--;
        snprintf(word, sizeof word, "%.*s", (int)length, from);
        unknown += length > 0 && !(*word >= '0' && *word <= '9') && !is_known(word);
    }
    return unknown;
}

Test(glossary, explains_every_word_sign_and_unit_of_a_screen)
{
    glob_t screens;
    unsigned lines = 0;
    cr_assert_eq(glob(ROOT "/tests/golden/made-*-120.txt", 0, NULL, &screens), 0);
    cr_assert_geq(screens.gl_pathc, 5);
    for (size_t i = 0; i < screens.gl_pathc; i++) {
        char line[512];
        bool in_warning = false; /* of which the first line is looked up */
        FILE *file = fopen(screens.gl_pathv[i], "r");
        cr_assert(file);
        for (; fgets(line, sizeof line, file); lines++) {
            line[strcspn(line, "\n")] = '\0';
            in_warning = in_warning && *line == ' ';
            cr_expect(in_warning || unknown_in(line) == 0, "%s: %s", screens.gl_pathv[i], line);
            in_warning |= *line == '!';
        }
        fclose(file);
    }
    cr_expect_gt(lines, 150);
    cr_expect_eq(unknown_in("a frobnicator, at 3 GFLOP/s: (flux)"), 2);
    cr_expect_eq(unknown_in("! the frobnicator hummed"), 1);
    globfree(&screens);
}
