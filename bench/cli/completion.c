/* `bench completion`: the script of a shell. It asks `bench completion -- words [COMMAND [OPTION]]` what may follow,
 * which is answered from the tables of commands and options. */

#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"
#include "harness/report/glossary/glossary.h"

#include <string.h>

static bool is_file(const char *argument)
{
    return argument && (strstr(argument, "FILE") || strstr(argument, "JOURNAL") || strstr(argument, "FOLDER") ||
                        strstr(argument, "OLD"));
}

static bool is_device(const struct option *option)
{
    return strcmp(option->name, "device") == 0 || strcmp(option->name, "baseline") == 0;
}

/* What the value of an option is. "devices" are those of this machine, besides the words. */
static const char *kind_of(const struct option *option)
{
    if (option->kind == KIND_FLAG || option->implied)
        return "none";
    if (is_device(option))
        return "devices";
    if (is_file(option->argument))
        return "file";
    if (!option_words(option).count)
        return "text";
    return option->kind == KIND_LIST || option->kind == KIND_SET ? "list" : "one";
}

static void print_list(FILE *out, const struct words *words)
{
    for (unsigned i = 0; i < words->count; i++)
        fprintf(out, "%s\n", words->word[i]);
}

/* Whether the command takes files, then the other words that it takes, and its options. */
static void print_command(FILE *out, const struct verb_row *verb)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    struct words words = { .count = 0 };
    fprintf(out, "%s\n", is_file(verb->operand) ? "file" : "one");
    if (verb->verb == VERB_SWEEP)
        sweepable_words(&words);
    else if (verb->verb == VERB_RUN || verb->verb == VERB_WORKLOADS)
        workload_words(&words);
    else if (verb->verb == VERB_EXPLAIN)
        fputs("columns\nmetrics\noutcomes\nnotes\nwords\n", out);
    print_list(out, &words);
    /* Only terms of one word without special characters: a shell would split the others. */
    for (struct term term = { 0 }; verb->verb == VERB_EXPLAIN && glossary_next(workload_term, &term);)
        if (!term.name[strspn(term.name, plain)])
            fprintf(out, "%s\n", term.name);
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << verb->verb)
            fprintf(out, "--%s\t%s\n", option->name, option->help);
}

static void print_option(FILE *out, const struct option *option)
{
    const struct words words = option_words(option);
    fprintf(out, "%s\n%s", kind_of(option), is_device(option) ? "all\ncpu\ngpu\ncuda\nopencl\n" : "");
    fputs(strcmp(option->name, "baseline") == 0 ? "auto\nnone\n" : "", out);
    print_list(out, &words);
}

/* Of a wrong command or option nothing follows. */
static void print_words(FILE *out, const char *command, const char *typed)
{
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++)
        if (!command && verb->summary)
            fprintf(out, "%s%s\t%s\n", verb == verb_rows + 1 ? "one\n" : "", verb->name, verb->summary);
        else if (command && strcmp(verb->name, command) == 0 && !typed)
            print_command(out, verb);
        else if (command && strcmp(verb->name, command) == 0)
            for (const struct option *option = option_rows; option->name; option++)
                if (option->verbs & 1u << verb->verb && (strcmp(typed + strspn(typed, "-"), option->name) == 0 ||
                                                         (typed[1] == option->letter && !typed[2])))
                    print_option(out, option);
}

int completion(const struct options *options, struct error *err)
{
    const char *const *word = options->file, *shell = word[0] ? word[0] : "bash";
    if (strcmp(shell, "words") == 0)
        print_words(stdout, word[1], word[1] ? word[2] : NULL);
    else
        fputs(strcmp(shell, "zsh") == 0    ? completion_zsh
              : strcmp(shell, "fish") == 0 ? completion_fish
                                           : completion_bash,
              stdout);
    return EXIT_OK;
}
