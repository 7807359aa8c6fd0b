#include "bench/cli/options.h"

#include "bench/backends/registry.h"
#include "bench/cli/option.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

#include <string.h>

static const char *const suite_names[] = { "quick", "standard", "full", "uhd620", NULL };

static void copy_words(const char *out[WORDS_MAX], const char *const words[])
{
    unsigned count = 0;
    for (; words[count] && count < WORDS_MAX - 1; count++)
        out[count] = words[count];
    out[count] = NULL;
}

static void suite_words(const char *out[WORDS_MAX])
{
    copy_words(out, suite_names);
}

static void order_words(const char *out[WORDS_MAX])
{
    copy_words(out,
               (const char *const[]){ [ORDER_INTERLEAVED] = "interleaved", [ORDER_SEQUENTIAL] = "sequential", NULL });
}

static void dtype_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        out[i] = dtype_name((enum dtype)i);
    out[DTYPE_COUNT] = NULL;
}

static void memory_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        out[i] = memory_name((enum memory)i);
    out[MEMORY_COUNT] = NULL;
}

static void workload_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; workloads[count] && count < WORDS_MAX - 1; count++)
        out[count] = workloads[count]->name;
    out[count] = NULL;
}

void sweepable_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (unsigned w = 0; workloads[w] && count < WORDS_MAX - 1; w++)
        if (workloads[w]->range)
            out[count++] = workloads[w]->name;
    out[count] = NULL;
}

static bool holds(const char *const words[], unsigned count, const char *word)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* The methods of all workloads, each name once, and "all". */
static void method_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (unsigned w = 0; workloads[w]; w++) {
        for (const struct method *method = workloads[w]->methods; method && method->name; method++)
            if (count < WORDS_MAX - 2 && !holds(out, count, method->name))
                out[count++] = method->name;
    }
    out[count++] = "all";
    out[count] = NULL;
}

static void format_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; reports[count] && count < WORDS_MAX - 1; count++)
        out[count] = reports[count]->name;
    out[count] = NULL;
}

static void comparison_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; comparison_reports[count] && count < WORDS_MAX - 1; count++)
        out[count] = comparison_reports[count]->name;
    out[count] = NULL;
}

static void explanation_words(const char *out[WORDS_MAX])
{
    copy_words(out, (const char *const[]){ "table", "markdown", NULL });
}

static void fail_on_words(const char *out[WORDS_MAX])
{
    copy_words(out,
               (const char *const[]){
                   [FAIL_ON_NOTHING] = "nothing", [FAIL_ON_SLOWER] = "slower", [FAIL_ON_UNSURE] = "unsure", NULL });
}

enum {
    RUN = 1 << VERB_RUN,
    SWEEP = 1 << VERB_SWEEP,
    MEASURE = RUN | SWEEP,
    LIST_OR_MEASURE = MEASURE | 1 << VERB_DEVICES,
    REPORT = 1 << VERB_REPORT,
    COMPARE = 1 << VERB_COMPARE,
    EXPLAIN = 1 << VERB_EXPLAIN,
    DOCTOR = 1 << VERB_DOCTOR,
    PUBLISH = 1 << VERB_PUBLISH,
    HIDDEN = 1 << VERB_MANUAL | 1 << VERB_COMPLETION,
    EVERY = HIDDEN | DOCTOR | 1 << VERB_NONE | MEASURE | 1 << VERB_DEVICES | 1 << VERB_WORKLOADS | 1 << VERB_REPORT |
            EXPLAIN | COMPARE | PUBLISH
};

#define FIELD(member) .offset = offsetof(struct options, member)

/* The headings of the help. */
static const char what_to_compare[] = "What to compare", what_to_measure[] = "What to measure",
                  how_to_measure[] = "How to measure", what_comes_out[] = "What comes out", general[] = "General";

/* In the order of the help. */
const struct option option_rows[] = {
    { .group = what_to_compare,
      .name = "with",
      .argument = "FILE...",
      .verbs = COMPARE,
      .kind = KIND_TEXTS,
      FIELD(with),
      .default_text = "none: it must be given",
      .help = "the new side: this journal and all that follow it" },
    { .group = what_to_compare,
      .name = "margin",
      .argument = "WIDTH",
      .verbs = COMPARE,
      .kind = KIND_FRACTION,
      FIELD(margin),
      .default_value = "5%",
      .least = 0.001,
      .most = 0.5,
      .help = "what surely changed by less than this is the same" },
    { .group = what_to_compare,
      .name = "fail-on",
      .argument = "VERDICT",
      .verbs = COMPARE,
      .kind = KIND_CHOICE,
      FIELD(fail_on),
      .words = fail_on_words,
      .noun = "a verdict to fail on",
      .default_value = "nothing",
      .help = "exit with 1 when a cell is slower or broken; 'unsure' also when one is unsure or gone" },
    { .group = what_to_measure,
      .name = "device",
      .letter = 'd',
      .argument = "LIST",
      .verbs = LIST_OR_MEASURE,
      .kind = KIND_LIST,
      FIELD(device),
      .default_value = "all",
      .help = "which devices: all, cpu, gpu, opencl, opencl:1 or part of a name; a run measures its baseline besides, "
              "unless that is none",
      .sweep_help = "which devices, the first of several to compare with: all, cpu, gpu, opencl, opencl:1 or part of a "
                    "name" },
    { .group = what_to_measure,
      .name = "workload",
      .letter = 'w',
      .argument = "LIST",
      .verbs = RUN,
      .kind = KIND_LIST,
      FIELD(workload),
      .words = workload_words,
      .noun = "a workload",
      .default_text = "those of the suite",
      .help = "which workloads, one that the suite lacks at the sizes of the smallest that has it" },
    { .group = what_to_measure,
      .name = "suite",
      .letter = 's',
      .argument = "NAME",
      .verbs = RUN,
      .kind = KIND_CHOICE,
      FIELD(suite),
      .given = offsetof(struct options, suite_given),
      .words = suite_words,
      .noun = "a suite",
      .default_value = "standard",
      .changes_figures = true,
      .help = "the fixed set of sizes to measure" },
    { .group = what_to_measure,
      .name = "size",
      .letter = 'n',
      .argument = "SHAPE",
      .verbs = MEASURE,
      .kind = KIND_TEXTS,
      FIELD(size),
      .default_text = "those of the suite",
      .sweep_default = "as above",
      .sweep_help = "a shape of your own: what it fixes stays, and what it marks with {} is swept",
      .help = "a size of your own, such as 40M, n=1Mi or bytes=64Mi,direction=up; repeat it for more" },
    { .group = what_to_measure,
      .name = "dtype",
      .letter = 't',
      .argument = "LIST",
      .verbs = MEASURE,
      .kind = KIND_SET,
      FIELD(dtype),
      .words = dtype_words,
      .noun = "an element type",
      .default_text = "those of the suite",
      .sweep_default = "f32",
      .help = "which element types" },
    { .group = what_to_measure,
      .name = "method",
      .argument = "LIST",
      .verbs = MEASURE,
      .kind = KIND_LIST,
      FIELD(method),
      .words = method_words,
      .noun = "a method",
      .default_text = "each is tried, the fastest of each device is measured",
      .help = "which ways to compute, each measured by itself" },
    { .group = what_to_measure,
      .name = "memory",
      .letter = 'm',
      .argument = "LIST",
      .verbs = MEASURE,
      .kind = KIND_SET,
      FIELD(memory),
      .words = memory_words,
      .noun = "a kind of memory",
      .all = true,
      .default_text = "the best of each device",
      .help = "where the host keeps the data" },
    { .group = what_to_measure,
      .name = "from",
      .argument = "SIZE",
      .verbs = SWEEP,
      .kind = KIND_SIZE,
      FIELD(from),
      .typed = offsetof(struct options, from_typed),
      .default_text = "the workload's",
      .least = 1,
      .help = "the smallest size" },
    { .group = what_to_measure,
      .name = "to",
      .argument = "SIZE",
      .verbs = SWEEP,
      .kind = KIND_SIZE,
      FIELD(to),
      .typed = offsetof(struct options, to_typed),
      .default_text = "the workload's",
      .least = 1,
      .help = "the largest size" },
    { .group = what_to_measure,
      .name = "points",
      .argument = "COUNT",
      .verbs = SWEEP,
      .kind = KIND_COUNT,
      FIELD(points),
      .default_value = "9",
      .least = 2,
      .most = 64,
      .help = "sizes from one to the other, evenly spaced by ratio and rounded; more follow where a crossing lies" },
    { .group = what_to_measure,
      .name = "uses",
      .argument = "COUNT",
      .verbs = SWEEP,
      .kind = KIND_COUNT,
      FIELD(uses),
      .default_value = "10",
      .least = 1,
      .most = 1000000,
      .help = "how often the same data are used, between moved every time and never moved" },
    { .group = how_to_measure,
      .name = "baseline",
      .argument = "DEVICE",
      .verbs = RUN,
      .kind = KIND_TEXT,
      FIELD(baseline),
      .default_value = "auto",
      .help = "what speed-ups are relative to, and measured beside --device: a device, none, or auto for the fastest "
              "on the CPU" },
    { .group = how_to_measure,
      .name = "precision",
      .letter = 'p',
      .argument = "WIDTH",
      .verbs = MEASURE,
      .kind = KIND_FRACTION,
      FIELD(precision),
      .default_value = "2%",
      .least = 0.001,
      .most = 0.5,
      .changes_figures = true,
      .help = "stop when the 95 % interval of the ratio is within this, 2% or 0.02" },
    { .group = how_to_measure,
      .name = "budget",
      .letter = 'b',
      .argument = "TIME",
      .verbs = MEASURE,
      .kind = KIND_SECONDS,
      FIELD(budget),
      .default_text = "the suite's",
      .sweep_default = "0.6s",
      .least = 0.001,
      .most = 86400,
      .changes_figures = true,
      .help = "stop after this long per series anyway, 500ms or 3s" },
    { .group = how_to_measure,
      .name = "cold",
      .verbs = RUN,
      .kind = KIND_FLAG,
      FIELD(cold),
      .changes_figures = true,
      .help = "flush the caches before each run, untimed" },
    { .group = how_to_measure,
      .name = "no-ceilings",
      .verbs = RUN,
      .kind = KIND_FLAG,
      FIELD(no_ceilings),
      .changes_figures = true,
      .help = "leave out what tells how good a time is: the best that each device can do, measured in the same run" },
    { .group = how_to_measure,
      .name = "sustained",
      .argument = "[TIME]",
      .verbs = RUN,
      .kind = KIND_SECONDS,
      FIELD(sustained),
      .implied = "10s",
      .default_text = "only in full; 10s",
      .least = 0.001,
      .most = 86400,
      .changes_figures = true,
      .help = "after the rounds, each device by itself without a pause for this long" },
    { .group = how_to_measure,
      .name = "timeout",
      .argument = "TIME",
      .verbs = LIST_OR_MEASURE,
      .kind = KIND_SECONDS,
      FIELD(timeout),
      .default_value = "30s",
      .least = 0.001,
      .most = 86400,
      .changes_figures = true,
      .help = "give up on a device that is silent for this long, four times so while it opens and compiles" },
    { .group = how_to_measure,
      .name = "order",
      .argument = "NAME",
      .verbs = RUN,
      .kind = KIND_CHOICE,
      FIELD(order),
      .words = order_words,
      .noun = "an order",
      .default_value = "interleaved",
      .changes_figures = true,
      .help = "how the devices take turns" },
    { .group = how_to_measure,
      .name = "threads",
      .letter = 'j',
      .argument = "COUNT",
      .verbs = MEASURE,
      .kind = KIND_COUNT,
      FIELD(threads),
      .default_text = "one per core",
      .least = 1,
      .most = 4096,
      .changes_figures = true,
      .help = "CPU threads to use" },
    { .group = how_to_measure,
      .name = "seed",
      .argument = "NUMBER",
      .verbs = MEASURE,
      .kind = KIND_SEED,
      FIELD(seed),
      .default_value = "1",
      .changes_figures = true,
      .help = "seed of the random data" },
    { .group = what_comes_out,
      .name = "output",
      .letter = 'o',
      .argument = "FILE",
      .verbs = MEASURE,
      .kind = KIND_TEXT,
      FIELD(output),
      .default_text = "a new one in ~/.local/state/bench",
      .help = "journal to write, JSON Lines" },
    { .group = what_comes_out,
      .name = "output",
      .letter = 'o',
      .argument = "FILE",
      .verbs = REPORT,
      .kind = KIND_TEXT,
      FIELD(report),
      .default_text = "standard output",
      .help = "file to write the report to; its name tells the format where --format does not, and pictures of a page "
              "of Markdown are put beside it" },
    { .group = what_comes_out,
      .name = "output",
      .letter = 'o',
      .argument = "FILE",
      .verbs = COMPARE,
      .kind = KIND_TEXT,
      FIELD(report),
      .default_text = "standard output",
      .help = "file to write the comparison to; its name tells the format where --format does not" },
    { .group = what_comes_out,
      .name = "resume",
      .argument = "JOURNAL",
      .verbs = MEASURE,
      .kind = KIND_TEXT,
      FIELD(resume),
      .default_text = "a new run",
      .only_display = true,
      .help = "complete a run that was broken off, with the options of its journal and on the same machine" },
    { .group = what_comes_out,
      .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = MEASURE | REPORT,
      .kind = KIND_TEXT,
      FIELD(format),
      .given = offsetof(struct options, format_given),
      .words = format_words,
      .noun = "a format",
      .default_value = "table",
      .only_display = true,
      .help = "how the report is written" },
    { .group = what_comes_out,
      .name = "width",
      .argument = "COUNT",
      .verbs = MEASURE | REPORT | EXPLAIN,
      .kind = KIND_COUNT,
      FIELD(width),
      .default_text = "the terminal's from 60 to 200, otherwise 100",
      .least = 40,
      .most = 1000,
      .only_display = true,
      .help = "columns that the tables of a report are cut to" },
    { .group = what_comes_out,
      .name = "width",
      .argument = "COUNT",
      .verbs = COMPARE,
      .kind = KIND_COUNT,
      FIELD(width),
      .default_text = "the terminal's from 60 to 200, otherwise 100",
      .least = 40,
      .most = 1000,
      .help = "columns that sentences fit; the table stays whole, and takes some 90" },
    { .group = what_comes_out,
      .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = COMPARE,
      .kind = KIND_TEXT,
      FIELD(format),
      .given = offsetof(struct options, format_given),
      .words = comparison_words,
      .noun = "a format",
      .default_value = "table",
      .help = "how the comparison is written" },
    { .group = what_comes_out,
      .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = EXPLAIN,
      .kind = KIND_TEXT,
      FIELD(format),
      .words = explanation_words,
      .noun = "a format",
      .default_value = "table",
      .help = "how it is written; as markdown the whole glossary, or one kind of its words" },
    { .group = what_comes_out,
      .name = "thresholds",
      .argument = "FILE",
      .verbs = SWEEP,
      .kind = KIND_TEXT,
      FIELD(thresholds),
      .default_text = "none",
      .help = "put the thresholds into this file for programs, beside those that it has, JSON" },
    { .group = what_comes_out,
      .name = "to",
      .argument = "FOLDER",
      .verbs = PUBLISH,
      .kind = KIND_TEXT,
      FIELD(folder),
      .help = "folder of published results" },
    { .group = what_comes_out,
      .name = "name",
      .argument = "MACHINE",
      .verbs = PUBLISH,
      .kind = KIND_TEXT,
      FIELD(name),
      .default_text = "by its processor and graphics",
      .help = "what the machine's folder there is called" },
    { .group = what_comes_out,
      .name = "dry-run",
      .verbs = PUBLISH,
      .kind = KIND_FLAG,
      FIELD(dry_run),
      .help = "write nothing, and say what would be filed where, and what would be taken out" },
    { .group = general,
      .name = "quiet",
      .letter = 'q',
      .verbs = MEASURE,
      .kind = KIND_FLAG,
      FIELD(quiet),
      .only_display = true,
      .help = "show no progress" },
    { .group = general,
      .name = "help",
      .letter = 'h',
      .verbs = EVERY,
      .kind = KIND_FLAG,
      FIELD(help),
      .only_display = true,
      .help = "show this help" },
    { .group = general,
      .name = "version",
      .letter = 'V',
      .verbs = EVERY,
      .kind = KIND_FLAG,
      FIELD(version),
      .only_display = true,
      .help = "show the version" },
    { .name = NULL },
};

void option_words(const struct option *option, const char *out[WORDS_MAX])
{
    out[0] = NULL;
    if (option->words)
        option->words(out);
    if (!option->all)
        return;
    unsigned count = 0;
    while (out[count])
        count++;
    out[count] = "all";
    out[count + 1] = NULL;
}

const char *option_join(char *to, size_t room, const char *const words[])
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; words[i]; i++) {
        size_t length = strlen(words[i]) + (i ? 2 : 0), more = words[i + 1] ? strlen(", ...") : 0;
        if (used + length + more >= room) {
            text_copy(to + used, room - used, ", ...");
            break;
        }
        used += (size_t)snprintf(to + used, room - used, "%s%s", i ? ", " : "", words[i]);
    }
    return to;
}
