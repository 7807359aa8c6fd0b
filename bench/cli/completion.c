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

static void print_bash(FILE *out)
{
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
}

/* The text between single quotes of a shell, without what has a meaning in a description of zsh. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("\xe2\x80\x99", out); /* an apostrophe that ends no quotes */
        else if (!strchr("[]\\", *text))
            fputc(*text == ':' ? ',' : *text, out);
}

static void put_choices(FILE *out, const struct option *option)
{
    const char *words[WORDS_MAX];
    option_words(option, words);
    if (is_device(option))
        fputs("all cpu gpu cuda opencl", out);
    print_words(out, words);
}

static void print_fish_option(FILE *out, const struct verb_row *verb, const struct option *option)
{
    const char *kind = kind_of(option);
    fprintf(out, "complete -c bench -n '__fish_seen_subcommand_from %s' -l %s", verb->name, option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (strcmp(kind, "file") == 0)
        fputs(" -rF", out);
    else if (strcmp(kind, "none") != 0)
        fputs(strcmp(kind, "text") == 0 ? " -x" : strcmp(kind, "one") == 0 ? " -xa '" : " -xa '(__fish_append , ", out);
    if (strcmp(kind, "one") == 0 || strcmp(kind, "list") == 0) {
        put_choices(out, option);
        fputs(*kind == 'l' ? ")'" : "'", out);
    }
    fputs(" -d '", out);
    put_text(out, option->help);
    fputs("'\n", out);
}

static void print_fish(FILE *out)
{
    fputs("# Completion of bench for fish, made by 'bench completion fish'.\n", out);
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++) {
        if (!verb->summary)
            continue;
        const bool has_files = is_file(verb->operand);
        fprintf(out, "complete -c bench -n __fish_use_subcommand -fa %s -d '", verb->name);
        put_text(out, verb->summary);
        fprintf(out, "'\ncomplete -c bench -n '__fish_seen_subcommand_from %s' %s", verb->name,
                has_files ? "-F" : "-fa '");
        if (!has_files && (verb->verb == VERB_EXPLAIN || verb->verb == VERB_SWEEP))
            print_operand(out, verb);
        fputs(has_files ? "\n" : "'\n", out);
        for (const struct option *option = option_rows; option->name; option++)
            if (option->verbs & 1u << verb->verb)
                print_fish_option(out, verb, option);
    }
}

/* "'(-d --device)'{-d,--device=}'[devices to use]:LIST:_sequence compadd - all cpu'" */
static void print_zsh_option(FILE *out, const struct option *option)
{
    const char *kind = kind_of(option), *equals = option->kind == KIND_FLAG || option->implied ? "" : "=";
    if (option->letter)
        fprintf(out, " \\\n            '(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
                *equals ? "+" : "", option->name, equals);
    else
        fprintf(out, " \\\n            '--%s%s[", option->name, equals);
    put_text(out, option->help);
    fputc(']', out);
    if (*equals)
        fprintf(out, ":%s:%s", option->argument,
                strcmp(kind, "file") == 0   ? "_files"
                : strcmp(kind, "one") == 0  ? "("
                : strcmp(kind, "list") == 0 ? "_sequence compadd - "
                                            : " ");
    if (*equals && (strcmp(kind, "one") == 0 || strcmp(kind, "list") == 0))
        put_choices(out, option);
    fputs(*equals && strcmp(kind, "one") == 0 ? ")'" : "'", out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef bench\n# Completion of bench for zsh, made by 'bench completion zsh'.\n_bench() {\n"
          "    if ((CURRENT == 2)); then\n        local -a commands=(",
          out);
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++)
        if (verb->summary) {
            fprintf(out, "\n            '%s:", verb->name);
            put_text(out, verb->summary);
            fputc('\'', out);
        }
    fputs(")\n        _describe command commands\n        return\n    fi\n    local command=$words[2]\n"
          "    shift words\n    ((CURRENT--))\n    case $command in\n",
          out);
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++) {
        if (!verb->summary)
            continue;
        fprintf(out, "    %s)\n        _arguments -s", verb->name);
        for (const struct option *option = option_rows; option->name; option++)
            if (option->verbs & 1u << verb->verb)
                print_zsh_option(out, option);
        if (is_file(verb->operand))
            fputs(" \\\n            '*:FILE:_files'", out);
        if (verb->verb == VERB_EXPLAIN || verb->verb == VERB_SWEEP) {
            fputs(" \\\n            '*:WORD:(", out);
            print_operand(out, verb);
            fputs(")'", out);
        }
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n_bench \"$@\"\n", out);
}

int completion(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv, (void)err;
    const char *shell = options->file[0] ? options->file[0] : "bash";
    FILE *out = stdout;
    if (strcmp(shell, "zsh") == 0)
        print_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        print_fish(out);
    else
        print_bash(out);
    return EXIT_OK;
}
