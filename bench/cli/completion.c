/* The completion for bash: completion.bash, and functions that it calls, which hold the tables of commands and options.
 */

#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"
#include "harness/report/glossary/glossary.h"

#include <string.h>

static void print_words(FILE *out, const char *const words[])
{
    for (unsigned i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

static bool is_file(const char *argument)
{
    return argument && (strstr(argument, "FILE") || strstr(argument, "JOURNAL") || strstr(argument, "FOLDER") ||
                        strstr(argument, "OLD"));
}

/* --device and --baseline take the devices of this machine besides words. */
static bool is_device(const struct option *option)
{
    return strcmp(option->name, "device") == 0 || strcmp(option->name, "baseline") == 0;
}

/* Only those of one word without special characters: bash would split the others. */
static void print_terms(FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    fputs("columns metrics outcomes notes words", out);
    for (struct term term = { 0 }; glossary_next(&term);)
        if (!term.name[strspn(term.name, plain)])
            fprintf(out, " %s", term.name);
}

/* "file", "none", or the words that a command takes after its name. */
static void print_operand(FILE *out, const struct verb_row *verb)
{
    const char *words[WORDS_MAX];
    if (verb->verb == VERB_EXPLAIN) {
        print_terms(out);
    } else if (verb->verb == VERB_SWEEP) {
        sweepable_words(words);
        print_words(out, words);
    } else
        fputs(is_file(verb->operand) ? "file" : "none", out);
}

static const char *kind_of(const struct option *option)
{
    const char *words[WORDS_MAX];
    option_words(option, words);
    if (option->kind == KIND_FLAG)
        return "none";
    if (is_file(option->argument))
        return "file";
    if (!words[0] && !is_device(option))
        return option->implied ? "none" : "text";
    return option->kind == KIND_LIST || option->kind == KIND_SET ? "list" : "one";
}

static void print_verbs(FILE *out)
{
    fputs("_bench_verbs() {\n    echo '", out);
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary)
            fprintf(out, "%s ", row->name);
    fputs("'\n}\n\n_bench_options() { # VERB\n    case $1 in\n", out);
    for (const struct verb_row *row = verb_rows; row->name; row++) {
        if (!row->summary)
            continue;
        fprintf(out, "    '%s') echo '", row->name);
        for (const struct option *option = option_rows; option->name; option++)
            if (option->verbs & 1u << row->verb)
                fprintf(out, "--%s ", option->name);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n_bench_operand() { # VERB: file, none, or the words\n    case $1 in\n", out);
    for (const struct verb_row *row = verb_rows + 1; row->name; row++) {
        if (!row->summary)
            continue;
        fprintf(out, "    %s) echo '", row->name);
        print_operand(out, row);
        fputs("' ;;\n", out);
    }
    fputs("    *) echo none ;;\n    esac\n}\n\n", out);
}

/* Prints a case for one option of one command: an option may differ between commands. */
typedef void print_case(FILE *out, const struct verb_row *verb, const struct option *option);

static void print_cases(FILE *out, const char *function, print_case *print)
{
    fprintf(out, "%s() { # VERB OPTION\n    case $1 in\n", function);
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        for (const struct option *option = option_rows; option->name; option++)
            if (row->summary && option->verbs & 1u << row->verb)
                print(out, row, option);
    fputs("    esac\n}\n\n", out);
}

static void print_long(FILE *out, const struct verb_row *verb, const struct option *option)
{
    fputs("    ", out);
    if (option->letter)
        fprintf(out, "'%s -%c' | ", verb->name, option->letter);
    fprintf(out, "'%s --%s') echo --%s ;;\n", verb->name, option->name, option->name);
}

static void print_kind(FILE *out, const struct verb_row *verb, const struct option *option)
{
    fprintf(out, "    '%s --%s') echo %s ;;\n", verb->name, option->name, kind_of(option));
}

static void print_right_words(FILE *out, const struct verb_row *verb, const struct option *option)
{
    const char *words[WORDS_MAX];
    option_words(option, words);
    if (is_device(option)) {
        const char *more = strcmp(option->name, "baseline") == 0 ? "auto none " : "";
        fprintf(out, "    '%s --%s') echo \"%s$(_bench_devices)\" ;;\n", verb->name, option->name, more);
    } else if (words[0]) {
        fprintf(out, "    '%s --%s') echo '", verb->name, option->name);
        print_words(out, words);
        fputs("' ;;\n", out);
    }
}

int completion(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv, (void)err;
    FILE *out = stdout;
    fputs(completion_bash, out);
    print_verbs(out);
    print_cases(out, "_bench_long", print_long);
    print_cases(out, "_bench_kind", print_kind);
    print_cases(out, "_bench_words", print_right_words);
    fputs("complete -F _bench bench\n", out);
    return EXIT_OK;
}
