/* `bench completion`: completion.bash, and two functions for it with the tables of commands and options. */

#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"
#include "bench/workloads/workload.h"
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
    for (struct term term = { 0 }; glossary_next(workload_term, &term);)
        if (!term.name[strspn(term.name, plain)])
            fprintf(out, " %s", term.name);
}

/* "file", "none", or the words that a command takes after its name; those of the program itself are its commands. */
static void print_operand(FILE *out, const struct verb_row *verb)
{
    const char *words[WORDS_MAX];
    if (verb->verb == VERB_NONE) {
        for (const struct verb_row *row = verb_rows + 1; row->name; row++)
            if (row->summary)
                fprintf(out, " %s", row->name);
    } else if (verb->verb == VERB_EXPLAIN) {
        print_terms(out);
    } else if (verb->verb == VERB_SWEEP) {
        sweepable_words(words);
        print_words(out, words);
    } else
        fputs(is_file(verb->operand) ? "file" : "none", out);
}

static void print_verb(FILE *out, const struct verb_row *verb)
{
    fprintf(out, "    '%s') operand='", verb->name);
    print_operand(out, verb);
    fputs("' options='", out);
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << verb->verb)
            fprintf(out, " --%s", option->name);
    fputs("' ;;\n", out);
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

/* An option may differ between commands, so each has a case for each command. */
static void print_option(FILE *out, const struct verb_row *verb, const struct option *option)
{
    const char *words[WORDS_MAX];
    option_words(option, words);
    fputs("    ", out);
    if (option->letter)
        fprintf(out, "'%s -%c' | ", verb->name, option->letter);
    fprintf(out, "'%s --%s') kind=%s choices=", verb->name, option->name, kind_of(option));
    if (is_device(option)) {
        fprintf(out, "\"%s$(_bench_devices)\"", strcmp(option->name, "baseline") == 0 ? "auto none " : "");
    } else {
        fputc('\'', out);
        print_words(out, words);
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
}

int completion(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv, (void)err;
    FILE *out = stdout;
    fputs(completion_bash, out);
    fputs("_bench_verb() { # VERB: sets operand and options\n    case $1 in\n", out);
    for (const struct verb_row *verb = verb_rows; verb->name; verb++)
        if (verb->summary)
            print_verb(out, verb);
    fputs("    *) operand=none options='' ;;\n    esac\n}\n\n"
          "_bench_option() { # VERB OPTION: sets kind and choices\n    kind='' choices=''\n    case $1 in\n",
          out);
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++)
        for (const struct option *option = option_rows; option->name; option++)
            if (verb->summary && option->verbs & 1u << verb->verb)
                print_option(out, verb, option);
    fputs("    esac\n}\n\ncomplete -F _bench bench\n", out);
    return EXIT_OK;
}
