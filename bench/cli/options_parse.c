#include "bench/cli/option.h"
#include "harness/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_MAX = 48, JOINED_MAX = 96, WHY_MAX = 160 };

struct parse {
    struct options *out;
    size_t stored;                      /* bytes of out->storage in use */
    const char *given[OPTION_ROWS_MAX]; /* the value of each row so far, to find contradictions */
};

static void *field_of(const struct parse *parse, const struct option *option)
{
    return (char *)parse->out + option->offset;
}

/* An argument; a long one is cut so that the sentence fits. */
static struct text shorten(const char *typed)
{
    struct text shown;
    text_copy(shown.text, SHOWN_MAX, typed);
    if (strlen(typed) >= SHOWN_MAX)
        memcpy(shown.text + SHOWN_MAX - 4, "...", 4);
    return shown;
}

/* What others call our words. */
static const struct {
    const char *typed, *ours;
} synonyms[] = {
    { "gemm", "matmul" }, { "sgemm", "matmul" },  { "dgemm", "matmul" },    { "mm", "matmul" },
    { "conv2d", "conv" }, { "copy", "transfer" }, { "memcpy", "transfer" }, { "bandwidth", "transfer" },
    { "float", "f32" },   { "single", "f32" },    { "float32", "f32" },     { "fp32", "f32" },
    { "double", "f64" },  { "float64", "f64" },   { "fp64", "f64" },        { "half", "f16" },
    { "float16", "f16" }, { "fp16", "f16" },      { "bfloat16", "bf16" },   { "int8", "i8" },
    { "text", "table" },
};

/* The word that was probably meant: one of another name, or the nearest. NULL: none. */
static const char *meant_word(const char *typed, const char *const words[])
{
    for (unsigned i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (unsigned k = 0; strcmp(typed, synonyms[i].typed) == 0 && words[k]; k++)
            if (strcmp(words[k], synonyms[i].ours) == 0)
                return words[k];
    return text_nearest(typed, words);
}

/* " (did you mean 'f32'?)", or nothing when no word is near. */
static struct text suggestion(const char *prefix, const char *typed, const struct words *words)
{
    struct text near = { "" };
    const char *nearest = meant_word(typed, words->word);
    if (nearest)
        snprintf(near.text, sizeof near.text, " (did you mean '%s%.40s'?)", prefix, nearest);
    return near;
}

/* Fails with "LEAD 'TYPED' PROBLEM" and the valid words. */
static bool refuse_word(const char *lead, const char *typed, const char *problem, const struct words *words,
                        struct error *err)
{
    char joined[JOINED_MAX];
    return fail(err, STATUS_USAGE, "%s '%s' %s; use one of %s%s", lead, shorten(typed).text, problem,
                option_join(joined, sizeof joined, words->word), suggestion("", typed, words).text);
}

/* Fails with "--NAME: 'VALUE' " and the reason. */
static bool __attribute__((format(printf, 4, 5)))
refuse(const struct option *option, const char *value, struct error *err, const char *format, ...)
{
    char why[WHY_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    return fail(err, STATUS_USAGE, "--%s: '%s' %s", option->name, shorten(value).text, why);
}

/* Finds the index of a word among the valid ones. Without valid words, any text but the empty one has index 0. */
static bool find_word(const struct option *option, const char *typed, unsigned *place, struct error *err)
{
    const struct words words = option_words(option);
    char lead[SHOWN_MAX];
    *place = name_find(typed, words.word, words.count);
    if (!typed[0])
        return fail(err, STATUS_USAGE, "--%s: needs a %s, not the empty text", option->name, option->argument);
    snprintf(lead, sizeof lead, "--%s:", option->name);
    return *place < words.count || words.count == 0 || refuse_word(lead, typed, "is unknown", &words, err);
}

static bool read_text(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    unsigned place;
    *(const char **)field_of(parse, option) = value;
    return find_word(option, value, &place, err);
}

static bool read_choice(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    return find_word(option, value, field_of(parse, option), err);
}

/* Appends to a list that has room for `most`. */
static bool append(const char *list[], unsigned most, const char *text, const char *what, struct error *err)
{
    unsigned count = 0;
    while (list[count])
        count++;
    if (count == most)
        return fail(err, STATUS_USAGE, "%s: '%s' is one too many; at most %u can be given", what, shorten(text).text,
                    most);
    list[count] = text;
    return true;
}

static bool take_item(struct parse *parse, const struct option *option, const char *item, struct error *err)
{
    unsigned place;
    char what[SHOWN_MAX];
    if (!find_word(option, item, &place, err))
        return false;
    if (option->kind == KIND_SET) {
        const unsigned count = option_words(option).count - option->all;
        bool *set = field_of(parse, option);
        for (unsigned i = 0; i < count; i++)
            set[i] = set[i] || i == place || place == count; /* place == count is "all" */
        return true;
    }
    const char **list = field_of(parse, option);
    for (unsigned i = 0; list[i]; i++)
        if (strcmp(list[i], item) == 0) /* a repeated word counts once */
            return true;
    snprintf(what, sizeof what, "--%s", option->name);
    return append(list, LIST_MAX, item, what, err);
}

static bool read_list(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    const size_t room = sizeof parse->out->storage - parse->stored, length = strlen(value) + 1;
    if (!strchr(value, ','))
        return take_item(parse, option, value, err);
    if (length > room)
        return refuse(option, value, err, "is too long: all lists together may have %zu characters",
                      sizeof parse->out->storage);
    /* A copy is cut at commas: argv must not change. */
    char *rest = memcpy(parse->out->storage + parse->stored, value, length);
    parse->stored += length;
    while (rest) {
        const char *item = strsep(&rest, ",");
        if (!item[0])
            return refuse(option, value, err, "has an empty word; put one word on each side of a comma");
        if (!take_item(parse, option, item, err))
            return false;
    }
    return true;
}

static bool read_fraction(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    char *end;
    double number = strtod(value, &end);
    const bool is_percent = strcmp(end, "%") == 0;
    if (end == value || end != value + strspn(value, "0123456789.") || (*end && !is_percent))
        return refuse(option, value, err, "is not a fraction; write it as 2%% or 0.02");
    if (is_percent)
        number /= 100;
    if (!(number >= 0.001 && number <= 0.5))
        return refuse(option, value, err, "is out of range; give a value from 0.1%% to 50%%");
    *(double *)field_of(parse, option) = number;
    return true;
}

static bool read_seconds(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    double seconds;
    if (!text_parse_seconds(value, &seconds))
        return refuse(option, value, err, "is not a time; write it as 500ms, 2.5s, 1m, 1h or plain seconds");
    if (!(seconds >= 0.001 && seconds <= 86400))
        return refuse(option, value, err, "is out of range; give a value from 0.001 to 86400 seconds");
    *(double *)field_of(parse, option) = seconds;
    return true;
}

static bool read_count(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    int64_t number;
    if (!text_parse_count(value, &number) || number < option->least || number > option->most)
        return refuse(option, value, err, "is not a count; give a whole number from %u to %u", option->least,
                      option->most);
    *(unsigned *)field_of(parse, option) = (unsigned)number;
    return true;
}

static bool read_size(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    int64_t *size = field_of(parse, option);
    if (!text_parse_count(value, size) || *size < 1)
        return refuse(option, value, err, "is not a size; give a whole number from 1 on, such as 1000, 40M or 64Ki%s",
                      text_suffix_hint(value));
    return true;
}

static bool read_seed(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    const bool is_number = value[0] && !value[strspn(value, "0123456789")];
    errno = 0;
    *(uint64_t *)field_of(parse, option) = strtoull(value, NULL, 10);
    return (is_number && errno == 0) ||
           refuse(option, value, err, "is not a seed; give a whole number from 0 to %" PRIu64, UINT64_MAX);
}

static bool read_flag(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    *(bool *)field_of(parse, option) = true;
    return true;
}

static bool (*const readers[])(struct parse *, const struct option *, const char *, struct error *) = {
    [KIND_FLAG] = read_flag,         [KIND_TEXT] = read_text,       [KIND_LIST] = read_list,
    [KIND_TEXTS] = take_item,        [KIND_SET] = read_list,        [KIND_CHOICE] = read_choice,
    [KIND_FRACTION] = read_fraction, [KIND_SECONDS] = read_seconds, [KIND_COUNT] = read_count,
    [KIND_SEED] = read_seed,         [KIND_SIZE] = read_size,
};

/* Stores the value of an option. An option with one value may be repeated only with the same value. */
static bool take_option(struct parse *parse, const struct option *option, const char *value, struct error *err)
{
    const char **given = &parse->given[option - option_rows];
    bool gathers = option->kind == KIND_LIST || option->kind == KIND_TEXTS || option->kind == KIND_SET;
    if (*given && !gathers && strcmp(*given, value) != 0)
        return fail(err, STATUS_USAGE, "--%s: '%s' contradicts the '%s' given before; give it once", option->name,
                    shorten(value).text, shorten(*given).text);
    *given = value;
    if (option->given)
        *(bool *)((char *)parse->out + option->given) = true;
    return readers[option->kind](parse, option, value, err);
}

static bool applies(const struct option *option, enum verb verb)
{
    return option->verbs & 1u << verb;
}

/* The first command that has the option, for a message. Several rows may have one name. */
static const struct verb_row *owner_of(const struct option *option)
{
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++)
        for (const struct option *row = option_rows; row->name; row++)
            if (strcmp(row->name, option->name) == 0 && applies(row, verb->verb))
                return verb;
    return verb_rows;
}

/* Options of other benchmarks, and of earlier versions. */
static const struct {
    const char *names, *says;
} foreign[] = {
    { "warmup", "every series is warmed up before it is timed" },
    { "order", "every run visits its problems and devices in turn" },
    { "runs min-runs max-runs samples min-samples min-time iterations",
      "--precision, --budget and --time say how long a run measures" },
    { "export-json export-csv export-markdown",
      "a report is written to a file by '--output NAME', which may end in .json, .csv, .md, .html" },
};

/* Fails: the option is unknown, or belongs to other commands. */
static bool refuse_option(const struct parse *parse, const char *typed, const struct option *option, struct error *err)
{
    enum verb verb = parse->out->verb;
    if (option && verb == VERB_NONE)
        return fail(err, STATUS_USAGE, "--%s: the command comes first, as in 'bench %s --%s'", option->name,
                    owner_of(option)->name, option->name);
    if (option)
        return fail(err, STATUS_USAGE, "--%s: not an option of 'bench %s', but of 'bench %s'", option->name,
                    verb_row(verb)->name, owner_of(option)->name);

    struct words known = { .count = 0 };
    char name[SHOWN_MAX];
    text_copy(name, sizeof name, typed + strspn(typed, "-"));
    name[strcspn(name, "=")] = '\0';
    for (const struct option *row = option_rows; row->name; row++) {
        if (!applies(row, verb == VERB_NONE ? VERB_RUN : verb))
            continue;
        words_add(&known, row->name);
        const struct words formats = option_words(row);
        if (strcmp(row->name, "format") == 0 && name_find(name, formats.word, formats.count) < formats.count)
            return fail(err, STATUS_USAGE, "unknown option '%s' (did you mean '--format %s'?)", shorten(typed).text,
                        name);
    }
    for (unsigned i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (text_has_word(foreign[i].names, name) && name_find("output", known.word, known.count) < known.count)
            return fail(err, STATUS_USAGE, "unknown option '--%s': %s", name, foreign[i].says);
    return fail(err, STATUS_USAGE, "unknown option '%s'%s; see 'bench%s%s --help'", shorten(typed).text,
                suggestion("--", name, &known).text, verb == VERB_NONE ? "" : " ", verb_row(verb)->name);
}

static bool is_name(const char *name, const char *typed, size_t length)
{
    return name && strlen(name) == length && strncmp(name, typed, length) == 0;
}

/* Finds the row of "--name", "--name=VALUE", "-n", "-nVALUE"; *value is the attached value, or NULL. If several rows
 * have the name, returns that of the verb. */
static const struct option *find_option(enum verb verb, const char *typed, const char **value)
{
    const struct option *found = NULL;
    bool is_long = typed[1] == '-';
    size_t length = is_long ? strcspn(typed, "=") - 2 : 1;
    *value = is_long ? strchr(typed, '=') : typed[2] ? typed + 1 : NULL;
    if (*value)
        ++*value;
    for (const struct option *option = option_rows; option->name; option++) {
        bool is_it = is_long ? is_name(option->name, typed + 2, length) || is_name(option->former, typed + 2, length)
                             : option->letter == typed[1];
        if (is_it && (!found || applies(option, verb)))
            found = option;
    }
    return found;
}

/* Parses the option argv[*at] and its value, which may be the next argument. */
static bool parse_option(struct parse *parse, int argc, char *const argv[], int *at, struct error *err)
{
    const char *typed = argv[*at], *value;
    const struct option *option = find_option(parse->out->verb, typed, &value);
    if (!option || !applies(option, parse->out->verb))
        return refuse_option(parse, typed, option, err);
    if (option->kind == KIND_FLAG && value)
        return fail(err, STATUS_USAGE, "--%s: takes no value, but '%s' is attached to it", option->name,
                    shorten(value).text);
    if (option->kind == KIND_FLAG)
        return take_option(parse, option, "", err);
    if (value)
        return take_option(parse, option, value, err);
    if (option->implied && (*at + 1 >= argc || argv[*at + 1][0] == '-'))
        return take_option(parse, option, option->implied, err);
    if (*at + 1 >= argc)
        return fail(err, STATUS_USAGE, "--%s: needs a %s after it", option->name, option->argument);
    value = argv[++*at];
    if (strncmp(value, "--", 2) == 0)
        return fail(err, STATUS_USAGE, "--%s: needs a %s, but '%s' looks like an option; if you mean it, write --%s=%s",
                    option->name, option->argument, shorten(value).text, option->name, shorten(value).text);
    return take_option(parse, option, value, err);
}

static bool take_verb(struct parse *parse, const char *typed, struct error *err)
{
    struct words words = { .count = 0 };
    if (strcmp(typed, "help") == 0) { /* alone, or before a command */
        parse->out->help = true;
        return true;
    }
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (strcmp(typed, row->name) == 0)
            parse->out->verb = row->verb;
    verb_words(&words);
    return parse->out->verb != VERB_NONE || refuse_word("command", typed, "is unknown", &words, err);
}

/* A workload to list, to run or to sweep. One that cannot be swept is accepted here: the sweep has a message with the
 * reason. A suite is an option. */
static bool take_workload(struct parse *parse, const char *typed, struct error *err)
{
    const char *value;
    const enum verb verb = parse->out->verb;
    const struct words suites = option_words(find_option(VERB_RUN, "--suite", &value));
    struct words words = { .count = 0 };
    (verb == VERB_SWEEP ? sweepable_words : workload_words)(&words);
    if (verb == VERB_SWEEP && parse->out->workload[0])
        return fail(err, STATUS_USAGE, "sweep: '%s' is a second WORKLOAD; give one", shorten(typed).text);
    if (workload_find(typed))
        return take_item(parse, find_option(VERB_RUN, "--workload", &value), typed, err);
    if (verb == VERB_RUN && meant_word(typed, suites.word))
        return fail(err, STATUS_USAGE, "run: '%s' is not a workload%s", shorten(typed).text,
                    suggestion("--suite ", typed, &suites).text);
    return refuse_word(text_print("%s:", verb_row(verb)->name).text, typed,
                       verb == VERB_SWEEP ? "is not a workload that can be swept" : "is not a workload", &words, err);
}

static bool take_shell(struct parse *parse, const char *typed, struct error *err)
{
    static const struct words shells = { { "bash", "zsh", "fish" }, 3 };
    const char **file = parse->out->file;
    const bool asks =
        strcmp(file[0] ? file[0] : typed, "words") == 0; /* as the scripts do, for a command and an option */
    if (!asks && (file[0] || name_find(typed, shells.word, shells.count) == shells.count))
        return refuse_word("completion:", typed, "is not a SHELL", &shells, err);
    return append(file, 3, typed, "completion", err);
}

/* The command or one of its positional arguments. The same file may be given twice: journals_open finds that. */
static bool take_operand(struct parse *parse, const char *typed, struct error *err)
{
    struct options *out = parse->out;
    const char *name = verb_row(out->verb)->name;
    switch (out->verb) {
    case VERB_NONE:
        return take_verb(parse, typed, err);
    case VERB_SWEEP:
    case VERB_RUN:
    case VERB_WORKLOADS:
        return take_workload(parse, typed, err);
    case VERB_EXPLAIN:
        return typed[0] ? append(out->term_words, TERM_WORDS_MAX, typed, name, err)
                        : fail(err, STATUS_USAGE, "explain: the empty text is not a TERM");
    case VERB_COMPARE:
        name = out->with[0] ? "compare, new side" : "compare, old side";
        /* fall through */
    case VERB_FLEET:
    case VERB_REPORT:
    case VERB_PUBLISH:
        if ((out->verb == VERB_REPORT || out->verb == VERB_FLEET) && out->file[LIST_MAX - 1])
            return fail(err, STATUS_USAGE,
                        "%s: more than %d paths; 'bench fleet DIR' compares all journals of a folder", name, LIST_MAX);
        return typed[0] ? append(out->with[0] ? out->with : out->file, LIST_MAX, typed, name, err)
                        : fail(err, STATUS_USAGE, "%s: the empty text is not a FILE", name);
    case VERB_COMPLETION:
        return take_shell(parse, typed, err);
    default:
        return fail(err, STATUS_USAGE, "unexpected word '%s': '%s' takes options only", shorten(typed).text, name);
    }
}

/* Sets the defaults of options that were not given. A time or a share without a default is NAN, everything else zero.
 */
static bool apply_defaults(struct parse *parse, struct error *err)
{
    for (const struct option *option = option_rows; option->name; option++) {
        bool given = false; /* rows of other verbs may have the same field */
        for (const struct option *row = option_rows; row->name; row++)
            given |= row->offset == option->offset && parse->given[row - option_rows];
        if (!given && option->default_value && !readers[option->kind](parse, option, option->default_value, err))
            return false;
        if (!given && !option->default_value && (option->kind == KIND_SECONDS || option->kind == KIND_FRACTION))
            *(double *)field_of(parse, option) = NAN;
    }
    return true;
}

/* A resumed run uses the options of its journal. */
static bool check_resumed(const struct options *options, const char *const given[], struct error *err)
{
    for (const struct option *option = option_rows; option->name && options->resume; option++)
        if (given[option - option_rows] && !option->only_display)
            return fail(err, STATUS_USAGE,
                        "--%s: a resumed run has the options of its journal; leave this one out, or start a new run",
                        option->name);
    return !options->resume || !options->workload[0] ||
           fail(err, STATUS_USAGE, "%s: a resumed run has the WORKLOAD of its journal; leave '%.40s' out",
                verb_row(options->verb)->name, options->workload[0]);
}

/* Arguments that a command requires. Standard output has the report. */
static bool check_required(const struct options *options, struct error *err)
{
    if (options->help || options->version)
        return true;
    if (options->journal && strcmp(options->journal, "-") == 0)
        return fail(err, STATUS_USAGE, "--journal -: a journal needs a file; end its name in .jsonl");
    if (options->verb == VERB_NONE)
        return fail(err, STATUS_USAGE, "no command given; start with 'bench run', or see 'bench --help'");
    if (options->verb == VERB_COMPARE && !options->file[0])
        return fail(err, STATUS_USAGE,
                    "compare: needs two runs, as in 'bench compare OLD NEW' or 'bench compare last~1 last'");
    if (options->verb == VERB_COMPARE && !options->with[0])
        return fail(err, STATUS_USAGE, "compare: needs the new side, as in 'bench compare %.60s %s NEW%s'",
                    options->file[0], options->file[1] ? "... --with" : "", options->file[1] ? "..." : "");
    if (options->verb == VERB_FLEET && !options->file[0])
        return fail(err, STATUS_USAGE, "fleet: needs a folder of journals, as in 'bench fleet results'");
    if (options->verb == VERB_PUBLISH && !options->folder)
        return fail(err, STATUS_USAGE, "publish: needs --to FOLDER, as in 'bench publish run.jsonl --to results'");
    if (options->verb == VERB_SWEEP && !options->workload[0] && !options->resume)
        return fail(err, STATUS_USAGE, "sweep: needs a WORKLOAD, as in 'bench sweep multiply'");
    return true;
}

/* "compare OLD NEW" is "compare OLD --with NEW", and "report" is "report last". */
static void expand(struct options *options)
{
    if (options->verb == VERB_COMPARE && options->file[0] && options->file[1] && !options->file[2] &&
        !options->with[0]) {
        options->with[0] = options->file[1];
        options->file[1] = NULL;
    }
    options->is_newest = !options->file[0] && !options->journal;
    if (options->is_newest && options->verb == VERB_REPORT)
        options->file[0] = "last";
}

bool options_parse(struct options *out, int argc, char *const argv[], struct error *err)
{
    struct parse parse = { .out = out };
    bool operands_only = false;
    *out = (struct options){ .argc = argc, .argv = argv };
    for (int at = 1; at < argc; at++) {
        const char *typed = argv[at];
        if (!operands_only && strcmp(typed, "--") == 0)
            operands_only = true;
        else if (operands_only || typed[0] != '-' || !typed[1]) {
            if (!take_operand(&parse, typed, err))
                return false;
        } else if (!parse_option(&parse, argc, argv, &at, err))
            return false;
    }
    expand(out);
    return apply_defaults(&parse, err) && check_resumed(out, parse.given, err) && check_required(out, err);
}
