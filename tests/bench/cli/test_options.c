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

/* The words of the latest two commands, and of the latest its options and why it was refused. */
static char cut[2][1024];
static struct options o;
static struct error err;

/* Parses a line cut at blanks; "''" is an empty word. */
static bool parse(const char *line)
{
    static unsigned turn;
    char *argv[WORDS + 2] = { (char *)"bench" }, *rest = cut[++turn % 2];
    int argc = 1;
    text_copy(rest, sizeof *cut, line);
    err = (struct error){ 0 };
    for (char *word; (word = strsep(&rest, " ")) && argc <= WORDS;)
        if (word[0])
            argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
    return options_parse(&o, argc, argv, &err);
}

static void accept(const char *line)
{
    cr_assert(parse(line), "'%s' was refused: %s", line, err.message);
}

static void refuse(const char *line, const char *message)
{
    cr_expect_not(parse(line), "'%s' was accepted", line);
    cr_expect_eq(err.status, STATUS_USAGE, "'%s' ended with status %s", line, status_names[err.status]);
    cr_expect_str_eq(err.message, message, "'%s' was refused as \"%s\"", line, err.message);
}

/* What the journal gets of a command, or some of its members: JSON with ' in place of ". */
static void expect_says(const char *line, const char *members)
{
    char quoted[1024];
    const char *name;
    json_t *wanted;
    text_copy(quoted, sizeof quoted, members);
    for (char *at = quoted; (at = strchr(at, '\''));)
        *at = '"';
    accept(line);
    json_t *all = json_loads(quoted, 0, NULL), *says = options_to_json(&o);
    cr_assert(all, "the test's own JSON is broken: %s", members);
    json_object_foreach (all, name, wanted) {
        char *text = json_dumps(json_object_get(says, name), JSON_ENCODE_ANY);
        cr_expect(json_equal(json_object_get(says, name), wanted), "'%s': %s is %s, not as in %s", line, name, text,
                  members);
        free(text);
    }
    json_object_foreach (says, name, wanted)
        cr_expect(json_object_get(all, name) || json_object_size(all) < 20, "'%s': %s was not looked at", line, name);
    json_decref(all);
    json_decref(says);
}

/* The first row has all members, by their defaults, which its help names. */
Test(options, values_are_taken_as_they_are_given)
{
    static const char *const rows[][2] = {
        { "run",
          "{'device':[],'workload':[],'suite':'standard','size':[],'dtype':[],'method':[],'memory':[],"
          "'baseline':'auto','precision':null,'budget':null,'sustained':null,'timeout':30.0,'threads':0,'seed':'1',"
          "'output':[],'journal':null,'resume':null,'format':'table','width':0,'color':'auto','time':null,"
          "'wait-quiet':null}" },
        /* each spelling */
        { "run --seed 7", "{'seed':'7'}" },
        { "run --seed=7", "{'seed':'7'}" },
        { "run --seed 7 --seed=7", "{'seed':'7'}" },
        { "run -s quick -ohere.jsonl -q", "{'suite':'quick','output':['here.jsonl']}" },
        /* lists grow by commas and by repetition, and hold each word once; a shape and a file keep their commas */
        { "run --device cpu,opencl:1 -d gpu,cpu transfer --workload multiply transfer",
          "{'device':['cpu','opencl:1','gpu'],'workload':['transfer','multiply']}" },
        { "run --size m=1,n=2 --size 40M", "{'size':['m=1,n=2','40M']}" },
        /* sets hold what was named, and "all" is each */
        { "run --dtype f64 --memory pinned,mapped-copy", "{'dtype':['f64'],'memory':['pinned','mapped-copy']}" },
        { "run --memory all", "{'memory':['pageable','pinned','mapped','mapped-copy']}" },
        /* numbers with their units, up to their limits */
        { "run --budget 500ms --timeout 1m --threads 4096 --seed 18446744073709551615",
          "{'budget':0.5,'timeout':60.0,'threads':4096,'seed':'18446744073709551615'}" },
        { "run --precision 50% --seed 0 --threads 1", "{'precision':0.5,'seed':'0','threads':1}" },
        { "run --precision 0.02 --budget 1ms", "{'precision':0.02,'budget':0.001}" },
        /* the length of a sustained stretch may be left out */
        { "run --sustained --cold", "{'sustained':10.0}" },
        { "run --sustained -q", "{'sustained':10.0}" },
        { "run --sustained 500ms --quiet", "{'sustained':0.5}" },
        { "run --sustained=2s", "{'sustained':2.0}" },
        /* --output is the report, --journal the journal */
        { "report here.jsonl -o there.md --width 80", "{'output':['there.md'],'width':80}" },
        { "run --output there --journal there.jsonl", "{'output':['there'],'journal':'there.jsonl'}" },
        { "run -o - -o here.html -o -", "{'output':['-','here.html']}" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_says(rows[i][0], rows[i][1]);
    accept("run --precision 0.1%");
    cr_expect_float_eq(o.precision, 0.001, 1e-15);
}

Test(options, flags_are_set_by_their_names_alone)
{
    accept("run");
    cr_expect(o.verb == VERB_RUN && !o.quiet && !o.cold && !o.format_given);
    accept("run -q --cold --format csv");
    cr_expect(o.quiet && o.cold && o.format_given);
    accept("run --sustained --cold");
    cr_expect(o.cold && !o.quiet);
    accept("--version");
    cr_expect(o.version && o.verb == VERB_NONE);
    accept("report --help");
    cr_expect(o.help && o.verb == VERB_REPORT);
    accept("-h");
    cr_expect(o.help && o.verb == VERB_NONE);
    accept("--help run");
    cr_expect(o.help && o.verb == VERB_RUN);
}

/* The words of a list: "a b". */
static const char *listed(const char *const list[])
{
    static char text[256];
    *text = '\0';
    for (; *list; list++)
        text_join(text, sizeof text, " ", *list);
    return text;
}

/* Words without an option; two files to compare are old and new. */
Test(options, words_are_files_or_a_term)
{
    accept("explain the last of the slices -- --budget");
    cr_expect_str_eq(listed(o.term_words), "the last of the slices --budget", "a word may come twice");
    accept("report a,b.jsonl -- --c.jsonl");
    cr_expect_str_eq(listed(o.file), "a,b.jsonl --c.jsonl");
    accept("report - -- -- -q");
    cr_expect_str_eq(listed(o.file), "- -- -q");
    accept("compare last~1 last");
    cr_expect_str_eq(listed(o.file), "last~1");
    cr_expect_str_eq(listed(o.with), "last");
    accept("sweep --resume last");
    cr_expect_null(o.workload[0], "that of the journal");
    accept("compare a b --with c");
    cr_expect_str_eq(listed(o.file), "a b");
    cr_expect_str_eq(listed(o.with), "c");
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
         *name; name++)
        refuse(text_print("sweep multiply --%s 5", *name).text,
               text_print("unknown option '--%s': --precision, --budget and --time say how long a run measures", *name)
                   .text);
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
         flag++)
        refuse(text_print("run --resume last --%s", *flag).text,
               text_print("--%s: a resumed run has the options of its journal; leave this one out, or start a new run",
                          *flag)
                   .text);
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
         *text; text++)
        refuse(text_print("run --precision=%s", *text).text,
               text_print("--precision: '%s' is not a fraction; write it as 2%% or 0.02", *text).text);
    refuse("run --budget soon", "--budget: 'soon' is not a time; write it as 500ms, 2.5s, 1m, 1h or plain seconds");
    refuse("run --sustained soon",
           "--sustained: 'soon' is not a time; write it as 500ms, 2.5s, 1m, 1h or plain seconds");
    refuse("run --threads 0", "--threads: '0' is not a count; give a whole number from 1 to 4096");
    refuse("run --threads 4097", "--threads: '4097' is not a count; give a whole number from 1 to 4096");
    refuse("run --threads=-1", "--threads: '-1' is not a count; give a whole number from 1 to 4096");
    refuse("run --seed 18446744073709551616",
           "--seed: '18446744073709551616' is not a seed; give a whole number from 0 to 18446744073709551615");
}

Test(options, too_many_or_too_long_is_refused_not_overrun)
{
    char line[1024] = "run --device a0";
    for (unsigned i = 1; i < LIST_MAX; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), ",a%u", i);
    accept(line);
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
    char expected[] =
        "-d, --device LIST|--workload|multiply, transfer|--suite|quick, standard,|--size|--dtype|f16, bf16, tf32|"
        "--method|streaming,|found by trying|--memory|--baseline|--precision|visits, or 2%|--budget|"
        "--timeout|--cold|--threads|--seed|--journal|--format|--quiet|--help|--version",
         *rest = expected;
    for (const char *part; (part = strsep(&rest, "|"));)
        cr_expect(strstr(text, part), "'%s' is missing", part);
    free(text);

    text = help_of(VERB_REPORT);
    cr_expect_null(strstr(text, "--seed"));
    free(text);

    text = help_of(VERB_NONE);
    cr_expect_null(strstr(text, "worker"));
    cr_expect(strstr(text, "workloads "));
    free(text);
}

/* A resumed run has the options of its journal, but shows its report as it is asked to: as `report` would. */
Test(options, what_a_run_shares_with_a_report_is_taken_from_the_command_that_resumes_it)
{
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << VERB_RUN && option->verbs & 1u << VERB_REPORT)
            cr_expect(option->only_display, "--%s", option->name);
    accept("run -o a.csv --format csv --all-columns --full --width 70 --color never --quiet");
    const struct options asked = o;
    accept("run multiply --size 64 --no-peaks --cold");
    options_copy_display(&o, &asked);
    cr_expect(o.all_columns && o.full && o.quiet && o.width == 70 && o.color == COLOR_NEVER);
    cr_expect_str_eq(o.output[0], "a.csv");
    cr_expect_str_eq(o.format, "csv");
    cr_expect(o.format_given);
    cr_expect_str_eq(o.size[0], "64");
    cr_expect(o.no_peaks && o.cold, "what was measured is that of the journal");
}

/* What must be typed again of a command line. */
static void repeats(const char *line, const char *expected)
{
    char got[512];
    accept(line);
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
    static const char many[] = "a,a,a,a,a,a,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u",
                      long_one[] = "--a-rather-long-word-that-is-no-option-and-does-not-fit-in-any-sentence=x";
    static const char *const words[] = { "run", "report",   "devices", "--device", "-d",      "cpu,gpu",
                                         ",",   "--",       "-",       "--size=",  "--seed",  "1",
                                         "-1",  "--memory", "all",     "-qx",      "--dtype", "f32,f64",
                                         "''",  "--quiet",  "--=",     "worker",   "---",     "--budget=9",
                                         "-o",  "a,b,c",    "\xff\n",  many,       long_one,  "--precision=2%" };
    unsigned state = 1, accepted = 0;
    for (unsigned round = 0; round < 20000; round++) {
        char line[1024] = "";
        const unsigned count = next(&state) % 9;
        for (unsigned i = 0; i < count; i++)
            text_join(line, sizeof line, " ", words[next(&state) % (i == 0 ? 2 : sizeof words / sizeof *words)]);
        const bool right = parse(line);
        accepted += right;
        cr_assert_eq(right, err.status == STATUS_OK, "%s", line);
        cr_assert(right || err.status == STATUS_USAGE, "%s", line);
        cr_assert_lt(strlen(err.message), sizeof err.message - 1, "the sentence was cut: %s", err.message);
        if (right)
            json_decref(options_to_json(&o));
    }
    cr_expect_gt(accepted, 100);
    cr_expect_lt(accepted, 19000);
}
