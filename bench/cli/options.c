#include "bench/cli/options.h"

#include "bench/backends/registry.h"
#include "bench/cli/option.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

#include <string.h>

static const char *const suites[] = { "quick", "standard", "full", "uhd620", NULL };
static const char *const orders[] = { [ORDER_INTERLEAVED] = "interleaved", [ORDER_SEQUENTIAL] = "sequential", NULL };
static const char *const list_formats[] = { "table", "json", NULL };
static const char *const explanation_formats[] = { "table", "markdown", NULL };
static const char *const fail_on_verdicts[] = {
    [FAIL_ON_NOTHING] = "nothing", [FAIL_ON_SLOWER] = "slower", [FAIL_ON_UNSURE] = "unsure", NULL
};

static const char *const colors[] = { [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL };

static void add_word(const char *words[WORDS_MAX], const char *word)
{
    unsigned count = 0;
    for (; words[count]; count++)
        if (strcmp(words[count], word) == 0)
            return;
    if (count < WORDS_MAX - 1) {
        words[count] = word;
        words[count + 1] = NULL;
    }
}

static void dtype_words(const char *out[WORDS_MAX])
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        add_word(out, dtype_name(dtype));
}

static void memory_words(const char *out[WORDS_MAX])
{
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++)
        add_word(out, memory_name(memory));
}

void workload_words(const char *out[WORDS_MAX])
{
    out[0] = NULL;
    for (unsigned i = 0; workloads[i]; i++)
        add_word(out, workloads[i]->name);
}

void sweepable_words(const char *out[WORDS_MAX])
{
    out[0] = NULL;
    for (unsigned i = 0; workloads[i]; i++)
        if (workloads[i]->range)
            add_word(out, workloads[i]->name);
}

static void method_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; workloads[i]; i++)
        for (const struct method *method = workloads[i]->methods; method && method->name; method++)
            add_word(out, method->name);
}

static void format_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; reports[i]; i++)
        add_word(out, reports[i]->name);
}

static void comparison_format_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; comparison_reports[i]; i++)
        add_word(out, comparison_reports[i]->name);
}

enum {
    RUN = 1 << VERB_RUN,
    SWEEP = 1 << VERB_SWEEP,
    MEASURE = RUN | SWEEP,
    DEVICES = 1 << VERB_DEVICES,
    LIST_OR_MEASURE = MEASURE | DEVICES,
    REPORT = 1 << VERB_REPORT,
    COMPARE = 1 << VERB_COMPARE,
    LISTS = 1 << VERB_LIST | 1 << VERB_DEVICES | 1 << VERB_WORKLOADS | 1 << VERB_DOCTOR,
    CLEAN = 1 << VERB_CLEAN,
    EXPLAIN = 1 << VERB_EXPLAIN,
    PUBLISH = 1 << VERB_PUBLISH,
    EVERY = (1 << VERBS) - 1
};

#define FIELD(kind_of_option, member) .kind = kind_of_option, .offset = offsetof(struct options, member)

/* In the order of the help. */
const struct option option_rows[] = {
    { .heading = "What to compare",
      .name = "with",
      .argument = "FILE...",
      .verbs = COMPARE,
      FIELD(KIND_TEXTS, with),
      .default_text = "required",
      .help = "journals of the new side: this one and all that follow" },
    { .name = "margin",
      .argument = "WIDTH",
      .verbs = COMPARE,
      FIELD(KIND_FRACTION, margin),
      .default_value = "5%",
      .help = "a change that is certainly smaller than this counts as no change" },
    { .name = "fail-on",
      .argument = "VERDICT",
      .verbs = COMPARE,
      FIELD(KIND_CHOICE, fail_on),
      .words = fail_on_verdicts,
      .default_value = "nothing",
      .help = "exit with 1 if a cell is slower or broken; with 'unsure' also if one is unsure or gone" },
    { .heading = "What to measure",
      .name = "device",
      .letter = 'd',
      .argument = "LIST",
      .verbs = MEASURE,
      FIELD(KIND_LIST, device),
      .default_text = "the CPU and every GPU; without a GPU, all",
      .help = "devices to use: all, cpu, gpu, opencl, opencl:1 or part of a name; a run also measures its baseline, "
              "unless that is none",
      .sweep_help = "devices to use, the baseline first if there are several: all, cpu, gpu, opencl, opencl:1 or part "
                    "of a name" },
    { .name = "device",
      .letter = 'd',
      .argument = "LIST",
      .verbs = DEVICES,
      FIELD(KIND_LIST, device),
      .default_text = "all",
      .help = "devices to list: all, cpu, gpu, opencl, opencl:1 or part of a name" },
    { .name = "workload",
      .letter = 'w',
      .argument = "LIST",
      .verbs = RUN,
      FIELD(KIND_LIST, workload),
      .find_words = workload_words,
      .default_text = "those of the suite",
      .help = "workloads; one that the suite lacks has the sizes of the smallest suite with it" },
    { .name = "suite",
      .letter = 's',
      .argument = "NAME",
      .verbs = RUN,
      FIELD(KIND_CHOICE, suite),
      .given = offsetof(struct options, suite_given),
      .words = suites,
      .default_value = "standard",
      .changes_figures = true,
      .help = "fixed set of sizes to measure" },
    { .name = "size",
      .letter = 'n',
      .argument = "SHAPE",
      .verbs = MEASURE,
      FIELD(KIND_TEXTS, size),
      .default_text = "those of the suite",
      .sweep_default = "as above",
      .sweep_help = "a shape of your own: dimensions with {} are swept, the others are fixed",
      .help = "a size of your own, such as 40M, n=1Mi or bytes=64Mi,direction=up; may be repeated" },
    { .name = "dtype",
      .letter = 't',
      .argument = "LIST",
      .verbs = MEASURE,
      FIELD(KIND_SET, dtype),
      .find_words = dtype_words,
      .default_text = "those of the suite",
      .sweep_default = "f32",
      .help = "element types" },
    { .name = "method",
      .argument = "LIST",
      .verbs = MEASURE,
      FIELD(KIND_LIST, method),
      .find_words = method_words,
      .all = true,
      .default_text = "the fastest of each device, found by trying each",
      .help = "methods, each measured separately" },
    { .name = "memory",
      .letter = 'm',
      .argument = "LIST",
      .verbs = MEASURE,
      FIELD(KIND_SET, memory),
      .find_words = memory_words,
      .all = true,
      .default_text = "the best of each device",
      .help = "host memory that holds the data" },
    { .name = "from",
      .argument = "SIZE",
      .verbs = SWEEP,
      FIELD(KIND_SIZE, from),
      .typed = offsetof(struct options, from_typed),
      .default_text = "the workload's",
      .help = "smallest size" },
    { .name = "to",
      .argument = "SIZE",
      .verbs = SWEEP,
      FIELD(KIND_SIZE, to),
      .typed = offsetof(struct options, to_typed),
      .default_text = "the workload's",
      .help = "largest size" },
    { .name = "points",
      .argument = "COUNT",
      .verbs = SWEEP,
      FIELD(KIND_COUNT, points),
      .default_value = "9",
      .least = 2,
      .most = 64,
      .help = "number of sizes, evenly spaced by ratio and rounded; more sizes follow near a crossing" },
    { .name = "uses",
      .argument = "COUNT",
      .verbs = SWEEP,
      FIELD(KIND_COUNT, uses),
      .default_value = "10",
      .least = 1,
      .most = 1000000,
      .help = "uses of the same data per transfer, for the case between a transfer for each use and none" },
    { .heading = "How to measure",
      .name = "baseline",
      .argument = "DEVICE",
      .verbs = RUN,
      FIELD(KIND_TEXT, baseline),
      .default_value = "auto",
      .help = "device that speed-ups are relative to; measured even if --device does not name it: a device, none, or "
              "auto for the fastest on the CPU" },
    { .name = "precision",
      .letter = 'p',
      .argument = "WIDTH",
      .verbs = MEASURE,
      FIELD(KIND_FRACTION, precision),
      .default_value = "2%",
      .changes_figures = true,
      .help = "stop when the 95 % interval of the ratio is within this, such as 2% or 0.02" },
    { .name = "budget",
      .letter = 'b',
      .argument = "TIME",
      .verbs = MEASURE,
      FIELD(KIND_SECONDS, budget),
      .default_text = "the suite's",
      .sweep_default = "0.6s",
      .changes_figures = true,
      .help = "stop each series after this time in any case, such as 500ms or 3s" },
    { .name = "cold",
      .verbs = RUN,
      FIELD(KIND_FLAG, cold),
      .changes_figures = true,
      .help = "flush the caches before each run; the flush is not timed" },
    { .name = "no-ceilings",
      .verbs = RUN,
      FIELD(KIND_FLAG, no_ceilings),
      .changes_figures = true,
      .help = "do not measure the ceilings: the best rates of each device, which show how good a time is" },
    { .name = "retune",
      .verbs = MEASURE,
      FIELD(KIND_FLAG, retune),
      .changes_figures = true,
      .help = "race all methods and kernel shapes, whatever earlier runs remember, for up to 10 minutes" },
    { .name = "sustained",
      .argument = "[TIME]",
      .verbs = RUN,
      FIELD(KIND_SECONDS, sustained),
      .implied = "10s",
      .default_text = "10s in suite full, otherwise off",
      .changes_figures = true,
      .help = "after the rounds, run each device alone without a pause for this long; 10s if no TIME is given" },
    { .name = "timeout",
      .argument = "TIME",
      .verbs = LIST_OR_MEASURE,
      FIELD(KIND_SECONDS, timeout),
      .default_value = "30s",
      .changes_figures = true,
      .help = "give up on a device that does not answer for this long, or for ten times the expected time if that is "
              "longer; four times as long while it opens and compiles" },
    { .name = "order",
      .argument = "NAME",
      .verbs = RUN,
      FIELD(KIND_CHOICE, order),
      .words = orders,
      .default_value = "interleaved",
      .changes_figures = true,
      .help = "order of the measurements of different devices" },
    { .name = "threads",
      .letter = 'j',
      .argument = "COUNT",
      .verbs = MEASURE,
      FIELD(KIND_COUNT, threads),
      .default_text = "one per core",
      .least = 1,
      .most = 4096,
      .changes_figures = true,
      .help = "number of CPU threads" },
    { .name = "seed",
      .argument = "NUMBER",
      .verbs = MEASURE,
      FIELD(KIND_SEED, seed),
      .default_value = "1",
      .changes_figures = true,
      .help = "seed of the random data" },
    { .heading = "What comes out",
      .name = "output",
      .letter = 'o',
      .argument = "FILE",
      .verbs = MEASURE | REPORT | COMPARE,
      FIELD(KIND_TEXT, output),
      .default_text = "standard output",
      .only_display = true,
      .help = "file of the report; its name chooses the format if --format does not; pictures of a Markdown report are "
              "put beside it" },
    { .name = "journal",
      .argument = "FILE",
      .verbs = MEASURE,
      FIELD(KIND_TEXT, journal),
      .default_text = "a new one in ~/.local/state/bench",
      .help = "journal to write: every sample, as JSON Lines" },
    { .name = "resume",
      .argument = "JOURNAL",
      .verbs = MEASURE,
      FIELD(KIND_TEXT, resume),
      .default_text = "a new run",
      .only_display = true,
      .help = "complete an interrupted run, with the options of its journal, on the same machine" },
    { .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = MEASURE | REPORT,
      FIELD(KIND_TEXT, format),
      .given = offsetof(struct options, format_given),
      .find_words = format_words,
      .default_value = "table",
      .only_display = true,
      .help = "format of the report" },
    { .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = LISTS,
      FIELD(KIND_TEXT, format),
      .words = list_formats,
      .default_value = "table",
      .help = "format of the list" },
    { .name = "all-columns",
      .verbs = MEASURE | REPORT,
      FIELD(KIND_FLAG, all_columns),
      .only_display = true,
      .help = "all columns in CSV, instead of the most important ones" },
    { .name = "width",
      .argument = "COUNT",
      .verbs = MEASURE | REPORT | COMPARE | EXPLAIN,
      FIELD(KIND_COUNT, width),
      .default_text = "that of the terminal, from 60 to 200; 100 without a terminal",
      .least = 40,
      .most = 1000,
      .only_display = true,
      .help = "columns that text and tables fit into" },
    { .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = COMPARE,
      FIELD(KIND_TEXT, format),
      .given = offsetof(struct options, format_given),
      .find_words = comparison_format_words,
      .default_value = "table",
      .help = "format of the comparison" },
    { .name = "format",
      .letter = 'f',
      .argument = "NAME",
      .verbs = EXPLAIN,
      FIELD(KIND_TEXT, format),
      .words = explanation_formats,
      .default_value = "table",
      .help = "format; markdown is for the whole glossary, or one kind of term" },
    { .name = "full",
      .verbs = MEASURE | REPORT,
      FIELD(KIND_FLAG, full),
      .only_display = true,
      .help = "the whole report: every figure with its interval, the methods tried, the notes" },
    { .name = "color",
      .argument = "WHEN",
      .verbs = MEASURE | REPORT,
      FIELD(KIND_CHOICE, color),
      .words = colors,
      .default_value = "auto",
      .only_display = true,
      .help = "colours beside the symbols; auto: on a terminal, unless NO_COLOR is set" },
    { .name = "thresholds",
      .argument = "FILE",
      .verbs = SWEEP,
      FIELD(KIND_TEXT, thresholds),
      .default_text = "none",
      .help = "JSON file for programs; the thresholds are added to it" },
    { .name = "to",
      .argument = "FOLDER",
      .verbs = PUBLISH,
      FIELD(KIND_TEXT, folder),
      .help = "folder of published results" },
    { .name = "name",
      .argument = "MACHINE",
      .verbs = PUBLISH,
      FIELD(KIND_TEXT, name),
      .default_text = "made from its processor and graphics",
      .help = "name of the machine's folder" },
    { .name = "keep",
      .argument = "COUNT",
      .verbs = CLEAN,
      FIELD(KIND_COUNT, keep),
      .default_value = "20",
      .least = 0,
      .most = 1000000,
      .help = "the newest runs, which stay" },
    { .name = "dry-run",
      .verbs = PUBLISH | CLEAN,
      FIELD(KIND_FLAG, dry_run),
      .help = "write and remove nothing; print what would be written or removed" },
    { .heading = "General",
      .name = "quiet",
      .letter = 'q',
      .verbs = MEASURE,
      FIELD(KIND_FLAG, quiet),
      .only_display = true,
      .help = "show no progress" },
    { .name = "help",
      .letter = 'h',
      .verbs = EVERY,
      FIELD(KIND_FLAG, help),
      .only_display = true,
      .help = "show this help" },
    { .name = "version",
      .letter = 'V',
      .verbs = EVERY,
      FIELD(KIND_FLAG, version),
      .only_display = true,
      .help = "show the version" },
    { .name = NULL },
};

unsigned option_words(const struct option *option, const char *out[WORDS_MAX])
{
    unsigned count = 0;
    out[0] = NULL;
    for (unsigned i = 0; option->words && option->words[i]; i++)
        add_word(out, option->words[i]);
    if (option->find_words)
        option->find_words(out);
    while (out[count])
        count++;
    if (option->all)
        add_word(out, "all");
    return count;
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
