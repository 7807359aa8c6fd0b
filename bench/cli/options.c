#include "bench/cli/options.h"

#include "bench/cli/option.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

#include <string.h>

static const char *const suites[] = { "quick", "standard", "full", "uhd620", NULL };
static const char *const list_formats[] = { "table", "json", NULL };
static const char *const fail_on_verdicts[] = {
    [FAIL_ON_NOTHING] = "nothing", [FAIL_ON_SLOWER] = "slower", [FAIL_ON_UNSURE] = "unsure", NULL
};

static const char *const colors[] = { [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL };

void words_add(struct words *words, const char *word)
{
    if (words->count < WORDS_MAX && name_find(word, words->word, words->count) == words->count)
        words->word[words->count++] = word;
}

static void dtype_words(struct words *words)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        words_add(words, dtype_name(dtype));
}

void workload_words(struct words *words)
{
    for (unsigned i = 0; workloads[i]; i++)
        words_add(words, workloads[i]->name);
}

void sweepable_words(struct words *words)
{
    for (unsigned i = 0; workloads[i]; i++)
        if (workloads[i]->range)
            words_add(words, workloads[i]->name);
}

static void method_words(struct words *words)
{
    for (unsigned i = 0; workloads[i]; i++)
        for (const struct method *method = workloads[i]->methods; method && method->name; method++)
            words_add(words, method->name);
}

static void add_format(struct words *words, const struct report *report)
{
    words_add(words, report->name);
    words_add(words, report->extension);
}

static void format_words(struct words *words)
{
    for (unsigned i = 0; reports[i]; i++)
        add_format(words, reports[i]);
}

static void comparison_format_words(struct words *words)
{
    for (unsigned i = 0; reports[i]; i++)
        if (report_compares(reports[i]))
            add_format(words, reports[i]);
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
    FLEET = 1 << VERB_FLEET,
    EVERY = (1 << VERBS) - 1
};

/* The members that every row has; a letter of 0 is none. */
#define OPTION(long_name, short_name, value, commands, kind_of_value, member)                                          \
    .name = long_name, .letter = short_name, .argument = value, .verbs = commands, .kind = kind_of_value,              \
    .offset = offsetof(struct options, member)

/* In the order of the help. */
const struct option option_rows[] = {
    { OPTION("with", 0, "FILE...", COMPARE, KIND_TEXTS, with), .heading = "What to compare", .default_text = "required",
      .help = "journals of the new side: this FILE and all that follow" },
    { OPTION("margin", 0, "WIDTH", COMPARE, KIND_FRACTION, margin), .default_value = "5%",
      .help = "a change that is certainly smaller than this counts as no change" },
    { OPTION("fail-on", 0, "VERDICT", COMPARE, KIND_CHOICE, fail_on), .words = fail_on_verdicts,
      .default_value = "nothing",
      .help = "exit with 1 if a cell is slower or broken; with 'unsure' also if one is unsure or gone" },
    { OPTION("against", 0, "DIR", FLEET, KIND_TEXT, against), .default_text = "none",
      .help = "folder with journals of the same nodes from an earlier day: finds nodes that became slow" },
    { OPTION("fail-on", 0, "LIST", FLEET, KIND_SET, fail_states), .words = fleet_state_names, .default_text = "nothing",
      .help = "exit with 1 if a node is in one of these states" },
    { OPTION("device", 'd', "LIST", MEASURE, KIND_LIST, device), .heading = "What to measure",
      .default_text = "the CPU and every GPU; without a GPU, all",
      .help = "devices to use: all, cpu, gpu, opencl, opencl:1 or part of a name; a run also measures its baseline, "
              "unless that is none",
      .sweep_help = "devices to use, the baseline first if there are several: all, cpu, gpu, opencl, opencl:1 or part "
                    "of a name" },
    { OPTION("device", 'd', "LIST", DEVICES, KIND_LIST, device), .default_text = "all",
      .help = "devices to list: all, cpu, gpu, opencl, opencl:1 or part of a name" },
    { OPTION("workload", 'w', "LIST", RUN, KIND_LIST, workload), .find_words = workload_words,
      .default_text = "those of the suite",
      .help = "workloads (one outside the suite has the sizes of the smallest suite that has it)" },
    { OPTION("suite", 's', "NAME", RUN, KIND_CHOICE, suite), .words = suites, .default_value = "standard",
      .changes_figures = true, .help = "fixed set of sizes to measure" },
    { OPTION("size", 'n', "SHAPE", MEASURE, KIND_TEXTS, size), .default_text = "those of the suite",
      .sweep_default = "as above",
      .sweep_help = "a shape of your own: dimensions with {} are swept, the others are fixed",
      .help = "a size of your own, such as 40M, n=1Mi or bytes=64Mi,direction=up; may be repeated" },
    { OPTION("dtype", 't', "LIST", MEASURE, KIND_SET, dtype), .find_words = dtype_words,
      .default_text = "those of the suite", .sweep_default = "f32", .help = "element types" },
    { OPTION("method", 0, "LIST", MEASURE, KIND_LIST, method), .find_words = method_words, .all = true,
      .default_text = "the fastest of each device, found by trying each", .help = "methods, each measured separately" },
    { OPTION("memory", 'm', "LIST", MEASURE, KIND_SET, memory), .words = memory_names, .all = true,
      .default_text = "the best of each device", .help = "host memory that holds the data" },
    { OPTION("from", 0, "SIZE", SWEEP, KIND_SIZE, from), .default_text = "the workload's", .help = "smallest size" },
    { OPTION("to", 0, "SIZE", SWEEP, KIND_SIZE, to), .default_text = "the workload's", .help = "largest size" },
    { OPTION("points", 0, "COUNT", SWEEP, KIND_COUNT, points), .default_value = "9", .least = 2, .most = 64,
      .help = "number of sizes, spaced by a constant ratio and rounded; more sizes follow near a crossing" },
    { OPTION("uses", 0, "COUNT", SWEEP, KIND_COUNT, uses), .default_value = "10", .least = 1, .most = 1000000,
      .help = "uses of the same data for one upload and one download, reported beside resident and copied" },
    { OPTION("baseline", 0, "DEVICE", RUN, KIND_TEXT, baseline), .heading = "How to measure", .default_value = "auto",
      .help = "device that speed-ups are relative to; measured even if --device does not name it: a device, none, or "
              "auto for the fastest on the CPU" },
    { OPTION("precision", 'p', "WIDTH", MEASURE, KIND_FRACTION, precision), .default_text = "the suite's visits, or 2%",
      .sweep_default = "12 visits", .changes_figures = true,
      .help = "stop a series when the 95 % interval of its ratio is within this, such as 2% or 0.02" },
    { OPTION("budget", 'b', "TIME", MEASURE, KIND_SECONDS, budget), .default_text = "the suite's",
      .sweep_default = "0.6s", .changes_figures = true,
      .help = "stop each series after this time, but not before 6 visits, such as 500ms or 3s" },
    { OPTION("time", 0, "TIME", MEASURE, KIND_SECONDS, time), .default_text = "no limit", .changes_figures = true,
      .help =
          "time for the whole run, such as 60s: the most important sizes come first; sizes predicted not to fit are "
          "skipped and listed" },
    { OPTION("wait-quiet", 0, "[TIME]", MEASURE, KIND_SECONDS, wait_quiet), .default_text = "no wait", .implied = "60s",
      .changes_figures = true,
      .help = "before measuring, wait until other programs use at most 5 % of the cores, at most for this long; 60s if "
              "no TIME is given" },
    { OPTION("cold", 0, NULL, RUN, KIND_FLAG, cold), .changes_figures = true,
      .help = "flush the caches before each run; the flush is not timed" },
    { OPTION("no-peaks", 0, NULL, RUN, KIND_FLAG, no_peaks), .former = "no-ceilings", .changes_figures = true,
      .help = "do not measure the peaks: the best rates of each device, which show how good a time is" },
    { OPTION("retune", 0, NULL, MEASURE, KIND_FLAG, retune), .changes_figures = true,
      .help = "compare all methods and kernel shapes again, and ignore what earlier runs chose" },
    { OPTION("sustained", 0, "[TIME]", RUN, KIND_SECONDS, sustained), .implied = "10s",
      .default_text = "10s in suite full, otherwise off", .changes_figures = true,
      .help = "after the visits, run each device alone without a pause for this long; 10s if no TIME is given" },
    { OPTION("timeout", 0, "TIME", LIST_OR_MEASURE, KIND_SECONDS, timeout), .default_value = "30s",
      .changes_figures = true,
      .help = "give up on a device that does not answer for this long, or for ten times the expected time if that is "
              "longer; four times as long while it opens and compiles" },
    { OPTION("threads", 'j', "COUNT", MEASURE, KIND_COUNT, threads), .default_text = "one per core", .least = 1,
      .most = 4096, .changes_figures = true, .help = "number of CPU threads" },
    { OPTION("seed", 0, "NUMBER", MEASURE, KIND_SEED, seed), .default_value = "1", .changes_figures = true,
      .help = "seed of the random data" },
    { OPTION("output", 'o', "FILE", MEASURE | REPORT | COMPARE | FLEET, KIND_TEXTS, output), .heading = "Output",
      .default_text = "standard output", .only_display = true,
      .help = "file of the report; its name chooses the format if --format does not; pictures of a run's Markdown "
              "report are put beside it; may be repeated" },
    { OPTION("journal", 0, "FILE", MEASURE, KIND_TEXT, journal), .default_text = "a new one in ~/.local/state/bench",
      .help = "journal to write: samples of every slice, as JSON Lines; {host}, {date} and {job} in its name are "
              "replaced" },
    { OPTION("resume", 0, "JOURNAL", MEASURE, KIND_TEXT, resume), .default_text = "a new run", .only_display = true,
      .help = "complete an interrupted run, with the options of its journal, on the same machine" },
    { OPTION("format", 'f', "NAME", MEASURE | REPORT | FLEET, KIND_TEXT, format),
      .given = offsetof(struct options, format_given), .find_words = format_words, .default_value = "table",
      .only_display = true, .help = "format of the report" },
    { OPTION("format", 'f', "NAME", LISTS, KIND_TEXT, format), .words = list_formats, .default_value = "table",
      .help = "format of the list" },
    { OPTION("all-columns", 0, NULL, MEASURE | REPORT, KIND_FLAG, all_columns), .only_display = true,
      .help = "all columns in CSV, instead of the most important ones" },
    { OPTION("width", 0, "COUNT", MEASURE | REPORT | COMPARE | EXPLAIN | FLEET, KIND_COUNT, width),
      .default_text = "that of the terminal, from 60 to 200; 100 without a terminal", .least = 40, .most = 1000,
      .only_display = true, .help = "width of text and tables, in columns" },
    { OPTION("format", 'f', "NAME", COMPARE, KIND_TEXT, format), .given = offsetof(struct options, format_given),
      .find_words = comparison_format_words, .default_value = "table", .help = "format of the comparison" },
    { OPTION("full", 0, NULL, MEASURE | REPORT, KIND_FLAG, full), .only_display = true,
      .help = "the whole report: every figure with its interval, the methods tried, the notes" },
    { OPTION("color", 0, "WHEN", MEASURE | REPORT, KIND_CHOICE, color), .words = colors, .default_value = "auto",
      .only_display = true, .help = "colours of the words; auto: on a terminal, unless NO_COLOR is set" },
    { OPTION("thresholds", 0, "FILE", SWEEP, KIND_TEXT, thresholds), .default_text = "none", .only_display = true,
      .help = "JSON file for programs; the thresholds are added to it" },
    { OPTION("to", 0, "FOLDER", PUBLISH, KIND_TEXT, folder), .help = "folder of published results" },
    { OPTION("name", 0, "MACHINE", PUBLISH, KIND_TEXT, name), .default_text = "made from its processor and graphics",
      .help = "name of the machine's folder" },
    { OPTION("keep", 0, "COUNT", CLEAN, KIND_COUNT, keep), .default_value = "20", .least = 0, .most = 1000000,
      .help = "number of newest runs to keep" },
    { OPTION("dry-run", 0, NULL, MEASURE, KIND_FLAG, dry_run),
      .help = "measure nothing; print what would be measured, and how long that is predicted to take" },
    { OPTION("dry-run", 0, NULL, PUBLISH | CLEAN, KIND_FLAG, dry_run),
      .help = "write and remove nothing; print what would be written or removed" },
    { OPTION("quiet", 'q', NULL, MEASURE, KIND_FLAG, quiet), .heading = "General", .only_display = true,
      .help = "show no progress" },
    { OPTION("help", 'h', NULL, EVERY, KIND_FLAG, help), .only_display = true, .help = "show this help" },
    { OPTION("version", 'V', NULL, EVERY, KIND_FLAG, version), .only_display = true, .help = "show the version" },
    { .name = NULL },
};
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_ROWS_MAX, "raise OPTION_ROWS_MAX");

bool options_names(const char *const list[], const char *word)
{
    bool is_named = !list[0];
    for (; *list; list++)
        is_named |= strcmp(*list, word) == 0;
    return is_named;
}

struct words option_words(const struct option *option)
{
    struct words words = { .count = 0 };
    for (unsigned i = 0; option->words && option->words[i]; i++)
        words_add(&words, option->words[i]);
    if (option->find_words)
        option->find_words(&words);
    if (option->all)
        words_add(&words, "all");
    return words;
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
