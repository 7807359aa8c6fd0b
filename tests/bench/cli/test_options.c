/* The command line: what is accepted, what is refused and in which words, and the help, all from one table. The
 * registry here is the test's own, so that nothing depends on what happens to be plugged in. */

#include "bench/backends/registry.h"
#include "bench/cli/option.h"
#include "bench/cli/options.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40 };

static const struct method methods[] = { { .name = "streaming" }, { .name = "portable" }, { .name = NULL } };
static const struct dim dims[] = { { .name = "n" }, { .name = NULL } };
static const struct range range = { "n={}", 1000, 40000000, 1, NULL };
static const struct workload multiply = { .name = "multiply", .dims = dims, .range = &range, .methods = methods };
static const struct workload transfer = { .name = "transfer" };
const struct workload *const workloads[] = { &multiply, &transfer, NULL };

static bool no_comparison(const struct comparison *comparison, FILE *out, struct error *err)
{
    return false;
}
static const struct report table = { .name = "table", .extension = "txt", .write_comparison = no_comparison },
                           csv = { .name = "csv", .extension = "csv" }, json = { .name = "json", .extension = "json" };
const struct report *const reports[] = { &table, &csv, &json, NULL };

/* Parses a line cut at blanks; "''" is an empty word. `line` stays alive in `cut`, as argv would. */
static bool parse(struct options *out, char cut[1024], const char *line, struct error *err)
{
    char *argv[WORDS + 2] = { (char *)"bench" }, *rest = cut;
    int argc = 1;
    text_copy(cut, 1024, line);
    *err = (struct error){ 0 };
    for (char *word; (word = strsep(&rest, " ")) && argc <= WORDS;)
        if (word[0])
            argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
    return options_parse(out, argc, argv, err);
}

static void accept(struct options *out, char cut[1024], const char *line)
{
    struct error err;
    cr_assert(parse(out, cut, line, &err), "'%s' was refused: %s", line, err.message);
}

static void refuse(const char *line, const char *message)
{
    static struct options options;
    char cut[1024];
    struct error err;
    cr_expect_not(parse(&options, cut, line, &err), "'%s' was accepted", line);
    cr_expect_eq(err.status, STATUS_USAGE, "'%s' ended with status %s", line, status_names[err.status]);
    cr_expect_str_eq(err.message, message, "'%s' was refused as \"%s\"", line, err.message);
}

Test(options, run_alone_has_the_defaults_that_its_help_names)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run");
    cr_expect_eq(o.verb, VERB_RUN);
    cr_expect_null(o.device[0]);
    cr_expect_null(o.device[1]);
    cr_expect_null(o.workload[0]);
    cr_expect_null(o.size[0]);
    cr_expect_null(o.method[0]);
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        cr_expect_not(o.dtype[i]);
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        cr_expect_not(o.memory[i]);
    cr_expect_eq(o.suite, SUITE_STANDARD);
    cr_expect(isnan(o.precision));
    cr_expect(isnan(o.budget));
    cr_expect_eq(o.timeout, 30);
    cr_expect_str_eq(o.baseline, "auto");
    cr_expect_eq(o.threads, 0);
    cr_expect_eq(o.seed, 1);
    cr_expect_null(o.journal);
    cr_expect_str_eq(o.format, "table");
    cr_expect_not(o.quiet);
}

Test(options, every_spelling_of_a_value_means_the_same)
{
    static const char *const lines[] = { "run --seed 7", "run --seed=7", "run --seed 7 --seed=7" };
    struct options o;
    char cut[1024];
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        accept(&o, cut, lines[i]);
        cr_expect_eq(o.seed, 7, "%s", lines[i]);
    }
    accept(&o, cut, "run -s quick -ohere.jsonl -q");
    cr_expect_eq(o.suite, SUITE_QUICK);
    cr_expect_str_eq(o.output[0], "here.jsonl");
    cr_expect(o.quiet);
}

Test(options, lists_grow_by_commas_and_by_repetition_and_hold_each_word_once)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --device cpu,opencl:1 -d gpu,cpu transfer --workload multiply transfer");
    cr_expect_str_eq(o.device[0], "cpu");
    cr_expect_str_eq(o.device[1], "opencl:1");
    cr_expect_str_eq(o.device[2], "gpu");
    cr_expect_null(o.device[3]);
    cr_expect_str_eq(o.workload[0], "transfer");
    cr_expect_str_eq(o.workload[1], "multiply");
    cr_expect_null(o.workload[2]);
}

Test(options, a_shape_and_a_file_keep_their_commas)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --size m=1,n=2 --size 40M");
    cr_expect_str_eq(o.size[0], "m=1,n=2");
    cr_expect_str_eq(o.size[1], "40M");
    cr_expect_null(o.size[2]);
    accept(&o, cut, "explain the last of the slices -- --budget");
    cr_expect_str_eq(o.term_words[0], "the");
    cr_expect_str_eq(o.term_words[3], "the", "a word may come twice");
    cr_expect_str_eq(o.term_words[5], "--budget");
    cr_expect_null(o.term_words[6]);
    accept(&o, cut, "report a,b.jsonl -- --c.jsonl");
    cr_expect_str_eq(o.file[0], "a,b.jsonl");
    cr_expect_str_eq(o.file[1], "--c.jsonl");
    cr_expect_null(o.file[2]);
    accept(&o, cut, "report - -- -- -q");
    cr_expect_str_eq(o.file[0], "-");
    cr_expect_str_eq(o.file[1], "--");
    cr_expect_str_eq(o.file[2], "-q");
}

Test(options, sets_hold_what_was_named_and_all_sets_each)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --dtype f64 --memory pinned,mapped-copy");
    cr_expect_not(o.dtype[DTYPE_F32]);
    cr_expect(o.dtype[DTYPE_F64]);
    cr_expect_not(o.memory[MEMORY_PAGEABLE]);
    cr_expect(o.memory[MEMORY_PINNED]);
    cr_expect_not(o.memory[MEMORY_MAPPED]);
    cr_expect(o.memory[MEMORY_MAPPED_COPY]);
    accept(&o, cut, "run --memory all");
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        cr_expect(o.memory[i]);
}

Test(options, numbers_are_read_with_their_units_up_to_their_limits)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --precision 0.1% --budget 500ms --timeout 1m --threads 4096 --seed 18446744073709551615");
    cr_expect_float_eq(o.precision, 0.001, 1e-15);
    cr_expect_float_eq(o.budget, 0.5, 1e-12);
    cr_expect_float_eq(o.timeout, 60, 1e-12);
    cr_expect_eq(o.threads, 4096);
    cr_expect_eq(o.seed, UINT64_MAX);
    accept(&o, cut, "run --precision 50% --seed 0 --threads 1");
    cr_expect_float_eq(o.precision, 0.5, 1e-15);
    cr_expect_eq(o.seed, 0);
    accept(&o, cut, "run --precision 0.02 --budget 1ms");
    cr_expect_float_eq(o.precision, 0.02, 1e-15);
    cr_expect_float_eq(o.budget, 0.001, 1e-15);
}

Test(options, each_mistake_names_the_option_the_value_and_what_would_be_right)
{
    refuse("", "no command given; start with 'bench run', or see 'bench --help'");
    refuse("rnu", "command 'rnu' is unknown; use one of run, sweep, devices, workloads, report, compare, fleet, list, "
                  "clean, explain, doctor, publish "
                  "(did you mean 'run'?)");
    refuse("frobnicate", "command 'frobnicate' is unknown; use one of run, sweep, devices, workloads, report, compare, "
                         "fleet, list, clean, "
                         "explain, doctor, publish");
    refuse("--seed 1", "--seed: the command comes first, as in 'bench run --seed'");
    refuse("run --dtype f32,f31",
           "--dtype: 'f31' is unknown; use one of f32, f64, f16, bf16, tf32, i8 (did you mean 'f32'?)");
    refuse("run --workload mutliply",
           "--workload: 'mutliply' is unknown; use one of multiply, transfer (did you mean 'multiply'?)");
    refuse("run --method tiled", "--method: 'tiled' is unknown; use one of streaming, portable, all");
    refuse("run --memory pined", "--memory: 'pined' is unknown; use one of pageable, pinned, mapped, "
                                 "mapped-copy, all (did you mean 'pinned'?)");
    refuse("run --suite qick",
           "--suite: 'qick' is unknown; use one of quick, standard, full, uhd620 (did you mean 'quick'?)");
    refuse("run --order sequential", "unknown option '--order': every run visits its problems and devices in turn");
    refuse("run --warmup=3", "unknown option '--warmup': every series is warmed up before it is timed");
    for (const char *const *name = (const char *const[]){ "runs", "min-runs", "max-runs", "samples", "min-samples",
                                                          "min-time", "iterations", NULL };
         *name; name++) {
        char line[64], message[200];
        snprintf(line, sizeof line, "sweep multiply --%s 5", *name);
        snprintf(message, sizeof message,
                 "unknown option '--%s': --precision, --budget and --time say how long a run measures", *name);
        refuse(line, message);
    }
    refuse("report --export-csv x.csv", "unknown option '--export-csv': a report is written to a file by '--output "
                                        "NAME', which may end in .json, .csv, .md, .html");
    refuse("list --export-json x", "unknown option '--export-json'; see 'bench list --help'");
    refuse("run --format cvs", "--format: 'cvs' is unknown; use one of table, txt, csv, json (did you mean 'csv'?)");
    refuse("run --sede 3", "unknown option '--sede' (did you mean '--seed'?); see 'bench run --help'");
    refuse("run -z", "unknown option '-z'; see 'bench run --help'");
    refuse("sweep", "sweep: needs a WORKLOAD, as in 'bench sweep multiply'");
    refuse("run --uses 3", "--uses: not an option of 'bench run', but of 'bench sweep'");
    refuse("--points 3", "--points: the command comes first, as in 'bench sweep --points'");
    refuse("sweep --from 0 x", "--from: '0' is not a size; give a whole number from 1 on, such as 1000, 40M or 64Ki");
    refuse("sweep --to 1.5", "--to: '1.5' is not a size; give a whole number from 1 on, such as 1000, 40M or 64Ki");
    refuse("sweep --from 1k",
           "--from: '1k' is not a size; give a whole number from 1 on, such as 1000, 40M or 64Ki; suffixes "
           "are capitals: K M G T, or Ki Mi Gi Ti");
    refuse("sweep --points 1", "--points: '1' is not a count; give a whole number from 2 to 64");
    refuse("report --seed 3 a", "--seed: not an option of 'bench report', but of 'bench run'");
    refuse("run multply", "run: 'multply' is not a workload; use one of multiply, transfer (did you mean 'multiply'?)");
    refuse("workloads x", "workloads: 'x' is not a workload; use one of multiply, transfer");
    refuse("sweep multiply transfer", "sweep: 'transfer' is a second WORKLOAD; give one");
    for (const char *const *flag = (const char *const[]){ "cold", "no-peaks", "retune", "dry-run", NULL }; *flag;
         flag++) {
        char line[64], message[200];
        snprintf(line, sizeof line, "run --resume last --%s", *flag);
        snprintf(message, sizeof message,
                 "--%s: a resumed run has the options of its journal; leave this one out, or start a new run", *flag);
        refuse(line, message);
    }
    refuse("run --resume last multiply", "run: a resumed run has the WORKLOAD of its journal; leave 'multiply' out");
    refuse("devices x", "unexpected word 'x': 'devices' takes options only");
    refuse("run --json", "unknown option '--json' (did you mean '--format json'?)");
    refuse("report --csv", "unknown option '--csv' (did you mean '--format csv'?)");
    refuse("run quick", "run: 'quick' is not a workload (did you mean '--suite quick'?)");
    refuse("completion ksh", "completion: 'ksh' is not a SHELL; use one of bash, zsh, fish (did you mean 'zsh'?)");
    refuse("compare old.jsonl", "compare: needs the new side, as in 'bench compare old.jsonl NEW'");
    refuse("compare a b c", "compare: needs the new side, as in 'bench compare a ... --with NEW...'");
    refuse("run --journal -", "--journal -: a journal needs a file; end its name in .jsonl");
    refuse("report ''", "report: the empty text is not a FILE");
}

Test(options, each_value_that_is_absent_empty_or_out_of_range_is_refused)
{
    refuse("run --seed", "--seed: needs a NUMBER after it");
    refuse("run --output --quiet",
           "--output: needs a FILE, but '--quiet' looks like an option; if you mean it, write --output=--quiet");
    refuse("run --quiet=yes", "--quiet: takes no value, but 'yes' is attached to it");
    refuse("run --device ''", "--device: needs a LIST, not the empty text");
    refuse("run --size=", "--size: needs a SHAPE, not the empty text");
    refuse("run --baseline=", "--baseline: needs a DEVICE, not the empty text");
    refuse("run --device cpu,,gpu", "--device: 'cpu,,gpu' has an empty word; put one word on each side of a comma");
    refuse("run --device ,", "--device: ',' has an empty word; put one word on each side of a comma");
    refuse("run --seed 1 --seed 2", "--seed: '2' contradicts the '1' given before; give it once");
    refuse("run --precision 80%", "--precision: '80%' is out of range; give a value from 0.1% to 50%");
    refuse("run --precision 2", "--precision: '2' is out of range; give a value from 0.1% to 50%");
    refuse("compare a b --margin 5", "--margin: '5' is out of range; give a value from 0.1% to 50%");
    refuse("run --precision 0.7", "--precision: '0.7' is out of range; give a value from 0.1% to 50%");
    refuse("run --precision 0", "--precision: '0' is out of range; give a value from 0.1% to 50%");
    refuse("run --budget 0", "--budget: '0' is out of range; give a value from 0.001 to 86400 seconds");
    refuse("run --budget 0.9ms", "--budget: '0.9ms' is out of range; give a value from 0.001 to 86400 seconds");
    for (const char *const *text = (const char *const[]){ "nan", "inf", "-2%", "0x1", "2%%", "1e", ".", "%", NULL };
         *text; text++) {
        char line[64], message[200];
        snprintf(line, sizeof line, "run --precision=%s", *text);
        snprintf(message, sizeof message, "--precision: '%s' is not a fraction; write it as 2%% or 0.02", *text);
        refuse(line, message);
    }
    refuse("run --budget soon", "--budget: 'soon' is not a time; write it as 500ms, 2.5s, 1m, 1h or plain seconds");
    refuse("run --threads 0", "--threads: '0' is not a count; give a whole number from 1 to 4096");
    refuse("run --threads 4097", "--threads: '4097' is not a count; give a whole number from 1 to 4096");
    refuse("run --threads=-1", "--threads: '-1' is not a count; give a whole number from 1 to 4096");
    refuse("run --seed 18446744073709551616",
           "--seed: '18446744073709551616' is not a seed; give a whole number from 0 to 18446744073709551615");
}

Test(options, too_many_or_too_long_is_refused_not_overrun)
{
    static struct options o;
    char cut[1024], line[1024] = "run --device a0";
    struct error err;
    for (unsigned i = 1; i < LIST_MAX; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), ",a%u", i);
    accept(&o, cut, line);
    cr_expect_null(o.device[LIST_MAX]);
    strcat(line, ",one-more");
    refuse(line, "--device: 'one-more' is one too many; at most 16 can be given");

    char *word = malloc(4097), program[] = "bench", verb[] = "run", device[] = "--device", workload[] = "--workload";
    memset(word, 'x', 4096);
    word[4096] = '\0';
    char *argv[] = { program, verb, device, word };
    err = (struct error){ 0 };
    cr_expect(options_parse(&o, 4, argv, &err)); /* whole, so it need not be cut */
    word[1] = ',';
    cr_expect_not(options_parse(&o, 4, argv, &err));
    cr_expect(strstr(err.message, "--device: 'x,xxx") && strstr(err.message, "...' is too long"), "%s", err.message);
    word[1] = 'x';
    argv[2] = workload;
    err = (struct error){ 0 };
    cr_expect_not(options_parse(&o, 4, argv, &err));
    cr_expect(strstr(err.message, "...' is unknown; use one of multiply, transfer"), "%s", err.message);
    free(word);
}

Test(options, help_and_version_need_nothing_else)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "--version");
    cr_expect(o.version && o.verb == VERB_NONE);
    accept(&o, cut, "report --help");
    cr_expect(o.help && o.verb == VERB_REPORT);
    accept(&o, cut, "-h");
    cr_expect(o.help && o.verb == VERB_NONE);
    accept(&o, cut, "--help run");
    cr_expect(o.help && o.verb == VERB_RUN);
}

/* The help of one verb, to be freed. */
static char *help_of(enum verb verb)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    options_help(out, verb);
    fclose(out);
    return text;
}

Test(options, every_help_fits_eighty_columns_and_ends_its_lines_cleanly)
{
    for (enum verb verb = VERB_NONE; verb <= VERB_COMPARE; verb++) {
        char *text = help_of(verb), *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));) {
            size_t length = strlen(line);
            cr_expect_leq(length, 80, "%s", line);
            cr_expect(length == 0 || line[length - 1] != ' ', "'%s' ends with a blank", line);
        }
        free(text);
    }
}

Test(options, a_sustained_stretch_may_be_given_its_length_or_not)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --sustained --cold");
    cr_assert_eq(o.sustained, 10);
    cr_assert(o.cold);
    accept(&o, cut, "run --sustained -q");
    cr_assert_eq(o.sustained, 10);
    cr_assert(o.quiet);
    accept(&o, cut, "run --sustained 500ms --quiet");
    cr_assert_eq(o.sustained, 0.5);
    accept(&o, cut, "run --sustained=2s");
    cr_assert_eq(o.sustained, 2);
    accept(&o, cut, "run");
    cr_assert(isnan(o.sustained));
    cr_assert_not(o.cold);
    refuse("run --sustained soon",
           "--sustained: 'soon' is not a time; write it as 500ms, 2.5s, 1m, 1h or plain seconds");
    refuse("run --cold=yes", "--cold: takes no value, but 'yes' is attached to it");
}

Test(options, the_help_of_a_sweep_says_what_can_be_swept)
{
    char *text = help_of(VERB_SWEEP);
    cr_expect(strstr(text, "\n  multiply                n from 1000 to 40000000\n"), "%s", text);
    cr_expect_not(strstr(text, "  transfer"), "it has no sizes to sweep");
    cr_expect_not(strstr(text, "suite"));
    cr_expect(strstr(text, "(default: 0.6s)"));
    free(text);
    text = help_of(VERB_RUN);
    cr_expect_not(strstr(text, "sweep"));
    free(text);
}

Test(options, the_help_of_run_shows_every_option_with_its_words_and_its_default)
{
    char *text = help_of(VERB_RUN);
    static const char *const expected[] = {
        "-d, --device LIST", "--workload",      "multiply, transfer", "--suite",    "quick, standard,", "--size",
        "--dtype",           "f16, bf16, tf32", "--method",           "streaming,", "found by trying",  "--memory",
        "--baseline",        "--precision",     "visits, or 2%",      "--budget",   "--timeout",        "--cold",
        "--threads",         "--seed",          "--journal",          "--format",   "--quiet",          "--help",
        "--version"
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect(strstr(text, expected[i]), "'%s' is missing", expected[i]);
    free(text);

    text = help_of(VERB_REPORT);
    cr_expect_null(strstr(text, "--seed"));
    free(text);

    text = help_of(VERB_NONE);
    cr_expect_null(strstr(text, "worker"));
    cr_expect(strstr(text, "workloads "));
    free(text);
}

Test(options, the_journal_gets_every_option_of_run_with_its_value)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "run --device cpu,gpu --dtype f64 --memory all --seed 18446744073709551615");
    json_t *got = options_to_json(&o);
    json_t *expected =
        json_pack("{s:[ss], s:[], s:s, s:[], s:[s], s:[], s:[ssss], s:s, s:n, s:n, s:n, s:f, s:i, s:s, s:[], s:n, "
                  "s:n, s:s, s:i, s:s, s:n, s:n}",
                  "device", "cpu", "gpu", "workload", "suite", "standard", "size", "dtype", "f64", "method", "memory",
                  "pageable", "pinned", "mapped", "mapped-copy", "baseline", "auto", "precision", "budget", "sustained",
                  "timeout", 30.0, "threads", 0, "seed", "18446744073709551615", "output", "journal", "resume",
                  "format", "table", "width", 0, "color", "auto", "time", "wait-quiet");
    char *left = json_dumps(got, JSON_SORT_KEYS), *right = json_dumps(expected, JSON_SORT_KEYS);
    cr_expect_str_eq(left, right);
    free(left);
    free(right);
    json_decref(got);
    json_decref(expected);
}

/* A resumed run has the options of its journal, but shows its report as it is asked to: as `report` would. */
Test(options, what_a_run_shares_with_a_report_is_taken_from_the_command_that_resumes_it)
{
    struct options o, asked;
    char cut[1024], other[1024];
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << VERB_RUN && option->verbs & 1u << VERB_REPORT)
            cr_expect(option->only_display, "--%s", option->name);
    accept(&o, cut, "run multiply --size 64 --no-peaks --cold");
    accept(&asked, other, "run -o a.csv --format csv --all-columns --full --width 70 --color never --quiet");
    options_copy_display(&o, &asked);
    cr_expect(o.all_columns && o.full && o.quiet && o.width == 70 && o.color == COLOR_NEVER);
    cr_expect_str_eq(o.output[0], "a.csv");
    cr_expect_str_eq(o.format, "csv");
    cr_expect(o.format_given);
    cr_expect_str_eq(o.size[0], "64");
    cr_expect(o.no_peaks && o.cold, "what was measured is that of the journal");
}

Test(options, two_files_to_compare_are_old_and_new)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "compare last~1 last");
    cr_expect_str_eq(o.file[0], "last~1");
    cr_expect_null(o.file[1]);
    cr_expect_str_eq(o.with[0], "last");
    cr_expect_null(o.with[1]);
    accept(&o, cut, "compare a b --with c");
    cr_expect_str_eq(o.file[1], "b");
    cr_expect_str_eq(o.with[0], "c");
    cr_expect_null(o.with[1]);
    accept(&o, cut, "sweep --resume last");
    cr_expect_null(o.workload[0], "that of the journal");
}

Test(options, output_is_the_report_and_journal_the_journal)
{
    struct options o;
    char cut[1024];
    accept(&o, cut, "report here.jsonl -o there.md --width 80");
    cr_expect_str_eq(o.output[0], "there.md");
    cr_expect_null(o.journal);
    cr_expect_eq(o.width, 80);
    cr_expect_not(o.format_given);
    accept(&o, cut, "run --output there --journal there.jsonl --format csv");
    cr_expect_str_eq(o.output[0], "there");
    cr_expect_str_eq(o.journal, "there.jsonl");
    cr_expect(o.format_given);
    accept(&o, cut, "run -o - -o here.html -o -");
    cr_expect_str_eq(o.output[0], "-");
    cr_expect_str_eq(o.output[1], "here.html");
    cr_expect_null(o.output[2]);
}

/* What must be typed again of a command line. */
static void repeats(const char *line, const char *expected)
{
    struct options o;
    char cut[1024], got[512];
    accept(&o, cut, line);
    cr_expect_str_eq(options_repro(&o, got, sizeof got), expected, "%s: '%s'", line, got);
}

Test(options, what_changes_figures_is_repeated_where_it_is_not_the_default)
{
    repeats("run", "");
    repeats("run --device cpu --size 40M --journal here.jsonl --output here.md --quiet --format csv", "");
    repeats("run --seed 1 --timeout 30 --suite standard", "");
    repeats("run --budget 500ms", " --budget 0.5s");
    repeats("run --sustained", " --sustained 10s");
    repeats("run --cold --no-peaks", " --cold --no-peaks");
    repeats("run --no-ceilings", " --no-peaks"); /* its former name */
    repeats("run -s quick -p 0.5% -b 1m -j 2 --timeout 1m --seed 18446744073709551615",
            " --suite quick --precision 0.005 --budget 60s --timeout 60s --threads 2"
            " --seed 18446744073709551615");
}

Test(options, every_option_of_how_to_measure_is_repeated)
{
    const char *heading = "";
    for (const struct option *option = option_rows; option->name; option++) {
        heading = option->heading ? option->heading : heading;
        bool is_how = strcmp(heading, "How to measure") == 0 && strcmp(option->name, "baseline") != 0;
        cr_expect(!is_how || option->changes_figures, "--%s", option->name);
    }
}

Test(options, a_list_that_fits_is_shown_to_its_end)
{
    const char *const words[] = { "one", "two", "three", NULL };
    char room[32];
    cr_expect_str_eq(option_join(room, sizeof "one, two, three", words), "one, two, three");
    cr_expect_str_eq(option_join(room, sizeof "one, two, three" - 1, words), "one, two, ...");
    cr_expect_str_eq(option_join(room, sizeof "one, two, ..." - 1, words), "one, ...");
}

/* A small generator of its own, so that a failure can be repeated. */
static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

Test(options, random_words_are_accepted_or_refused_in_one_whole_sentence)
{
    static const char *const words[] = { "run",
                                         "report",
                                         "devices",
                                         "--device",
                                         "-d",
                                         "cpu,gpu",
                                         ",",
                                         "--",
                                         "-",
                                         "--size=",
                                         "--seed",
                                         "1",
                                         "-1",
                                         "--memory",
                                         "all",
                                         "-qx",
                                         "--dtype",
                                         "f32,f64",
                                         "",
                                         "--quiet",
                                         "--=",
                                         "worker",
                                         "---",
                                         "--budget=9",
                                         "-o",
                                         "a,b,c",
                                         "\xff\n",
                                         "--precision=2%",
                                         "a,a,a,a,a,a,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u",
                                         "--a-rather-long-word-that-is-no-option-and-does-not-fit-in-any-sentence=x" };
    static struct options o;
    unsigned state = 1, accepted = 0;
    for (unsigned round = 0; round < 20000; round++) {
        char copy[WORDS][96], *argv[WORDS];
        int argc = 1 + (int)(next(&state) % 9);
        for (int i = 0; i < argc; i++) {
            text_copy(copy[i], sizeof copy[i], words[next(&state) % (i == 1 ? 2 : sizeof words / sizeof *words)]);
            argv[i] = copy[i];
        }
        struct error err = { 0 };
        bool right = options_parse(&o, argc, argv, &err);
        accepted += right;
        cr_assert_eq(right, err.status == STATUS_OK);
        cr_assert(right || err.status == STATUS_USAGE);
        cr_assert_lt(strlen(err.message), sizeof err.message - 1, "the sentence was cut: %s", err.message);
        if (right)
            json_decref(options_to_json(&o));
    }
    cr_expect_gt(accepted, 100);
    cr_expect_lt(accepted, 19000);
}
