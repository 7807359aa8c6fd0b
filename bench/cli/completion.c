/* `bench completion`: one walk over the tables of commands and options, filled into the templates of a shell. */

#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"
#include "harness/report/glossary/glossary.h"

#include <string.h>

/* What the value of an option, or the operand of a command, is. */
enum value { VALUE_NONE, VALUE_TEXT, VALUE_FILE, VALUE_WORD, VALUE_LIST, VALUES };
static const char *const value_names[VALUES] = { "none", "text", "file", "one", "list" };

/* In the templates %v and %s are name and summary of a command, %o its operand and %O its options; of an option %n is
 * the name, %l the letter, %a the argument, %h the help, %k what its value is, %w the words, %x the template of that
 * value; %+ and %= are these characters if it takes a value. */
struct shell {
    const char *name, *devices; /* the words for a device */
    const char *begin, *command,
        *middle; /* `command` is of a first walk, which in bash begins with the program itself */
    const char *verb, *operand[VALUES], *option, *option_with_letter, *value[VALUES], *verb_end, *end;
};

static const struct shell shells[] = {
    { .name = "bash",
      .devices = "$(_bench_devices)",
      .begin = "_bench_verb() { # VERB: sets operand and options\n    case $1 in\n",
      .command = "    '%v') operand='%o' options='%O' ;;\n",
      .middle = "    *) operand=none options='' ;;\n    esac\n}\n\n"
                "_bench_option() { # VERB OPTION: sets kind and choices\n    kind='' choices=''\n    case $1 in\n",
      .option = "    '%v --%n') kind=%k choices=\"%w\" ;;\n",
      .option_with_letter = "    '%v -%l' | '%v --%n') kind=%k choices=\"%w\" ;;\n",
      .end = "    esac\n}\n\ncomplete -F _bench bench\n" },
    /* "'(-d --device)'{-d+,--device=}'[devices to use]:LIST:_sequence compadd - all cpu'" */
    { .name = "zsh",
      .devices = "all cpu gpu cuda opencl",
      .begin = "#compdef bench\n# Completion of bench for zsh, made by 'bench completion zsh'.\n_bench() {\n"
               "    if ((CURRENT == 2)); then\n        local -a commands=(",
      .command = "\n            '%v:%s'",
      .middle = ")\n        _describe command commands\n        return\n    fi\n    local command=$words[2]\n"
                "    shift words\n    ((CURRENT--))\n    case $command in\n",
      .verb = "    %v)\n        _arguments -s",
      .operand = { "", "", " \\\n            '*:FILE:_files'", " \\\n            '*:WORD:(%o)'" },
      .option = " \\\n            '--%n%=[%h]%x'",
      .option_with_letter = " \\\n            '(-%l --%n)'{-%l%+,--%n%=}'[%h]%x'",
      .value = { "", ":%a: ", ":%a:_files", ":%a:(%w)", ":%a:_sequence compadd - %w" },
      .verb_end = " ;;\n",
      .end = "    esac\n}\n_bench \"$@\"\n" },
    { .name = "fish",
      .devices = "all cpu gpu cuda opencl",
      .begin = "# Completion of bench for fish, made by 'bench completion fish'.\n",
      .verb = "complete -c bench -n __fish_use_subcommand -fa %v -d '%s'\n"
              "complete -c bench -n '__fish_seen_subcommand_from %v' ",
      .operand = { "-fa ''\n", "-fa ''\n", "-F\n", "-fa '%o'\n" },
      .option = "complete -c bench -n '__fish_seen_subcommand_from %v' -l %n%x -d '%h'\n",
      .option_with_letter = "complete -c bench -n '__fish_seen_subcommand_from %v' -l %n -s %l%x -d '%h'\n",
      .value = { "", " -x", " -rF", " -xa '%w'", " -xa '(__fish_append , %w)'" } },
};

static void print_words(FILE *out, const struct words *words)
{
    for (unsigned i = 0; i < words->count; i++)
        fprintf(out, "%s%s", i ? " " : "", words->word[i]);
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

static enum value value_of(const struct option *option)
{
    if (option->kind == KIND_FLAG || option->implied)
        return VALUE_NONE;
    if (is_file(option->argument))
        return VALUE_FILE;
    if (!option_words(option).count && !is_device(option))
        return VALUE_TEXT;
    return option->kind == KIND_LIST || option->kind == KIND_SET ? VALUE_LIST : VALUE_WORD;
}

static enum value operand_of(const struct verb_row *verb)
{
    const bool has_words = verb->verb == VERB_NONE || verb->verb == VERB_EXPLAIN || verb->verb == VERB_SWEEP;
    return has_words ? VALUE_WORD : is_file(verb->operand) ? VALUE_FILE : VALUE_NONE;
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
    struct words words = { .count = 0 };
    if (verb->verb == VERB_NONE)
        verb_words(&words);
    else if (verb->verb == VERB_SWEEP)
        sweepable_words(&words);
    else if (verb->verb == VERB_EXPLAIN)
        print_terms(out);
    else
        words_add(&words, value_names[operand_of(verb)]);
    print_words(out, &words);
}

/* The text between single quotes of a shell, without what has a meaning in a description of zsh. */
static void print_quoted(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("\xe2\x80\x99", out); /* an apostrophe that ends no quotes */
        else if (!strchr("[]\\", *text))
            fputc(*text == ':' ? ',' : *text, out);
}

static void print_choices(FILE *out, const struct shell *shell, const struct option *option)
{
    const struct words words = option_words(option);
    if (is_device(option))
        fprintf(out, "%s%s", strcmp(option->name, "baseline") == 0 ? "auto none " : "", shell->devices);
    print_words(out, &words);
}

static void fill(FILE *out, const struct shell *shell, const char *template, const struct verb_row *verb,
                 const struct option *option);

/* The text that a letter of a template stands for. */
static void fill_letter(FILE *out, const struct shell *shell, char letter, const struct verb_row *verb,
                        const struct option *option)
{
    if (letter == 'v')
        fputs(verb->name, out);
    else if (letter == 'n' || letter == 'a')
        fputs(letter == 'n' ? option->name : option->argument, out);
    else if (letter == 'k')
        fputs(value_names[value_of(option)], out);
    else if (letter == 's' || letter == 'h')
        print_quoted(out, letter == 's' ? verb->summary : option->help);
    else if (letter == 'o')
        print_operand(out, verb);
    else if (letter == 'w')
        print_choices(out, shell, option);
    else if (letter == 'x')
        fill(out, shell, shell->value[value_of(option)], verb, option);
    else if (letter == 'l' || ((letter == '+' || letter == '=') && value_of(option) != VALUE_NONE))
        fputc(letter == 'l' ? option->letter : letter, out);
    for (const struct option *each = option_rows; letter == 'O' && each->name; each++)
        if (each->verbs & 1u << verb->verb)
            fprintf(out, " --%s", each->name);
}

/* NULL is no template. */
static void fill(FILE *out, const struct shell *shell, const char *template, const struct verb_row *verb,
                 const struct option *option)
{
    for (; template && *template; template ++)
        if (*template == '%')
            fill_letter(out, shell, *++template, verb, option);
        else
            fputc(*template, out);
}

static void print_completion(FILE *out, const struct shell *shell)
{
    const bool is_bash = shell == shells;
    fprintf(out, "%s%s", is_bash ? completion_bash : "", shell->begin);
    for (const struct verb_row *verb = is_bash ? verb_rows : verb_rows + 1; verb->name; verb++)
        if (verb->summary)
            fill(out, shell, shell->command, verb, NULL);
    fill(out, shell, shell->middle, NULL, NULL);
    for (const struct verb_row *verb = verb_rows + 1; verb->name; verb++) {
        if (!verb->summary)
            continue;
        fill(out, shell, shell->verb, verb, NULL);
        fill(out, shell, shell->operand[operand_of(verb)], verb, NULL);
        for (const struct option *option = option_rows; option->name; option++)
            if (option->verbs & 1u << verb->verb)
                fill(out, shell, option->letter ? shell->option_with_letter : shell->option, verb, option);
        fill(out, shell, shell->verb_end, verb, NULL);
    }
    fill(out, shell, shell->end, NULL, NULL);
}

int completion(const struct options *options, struct error *err)
{
    (void)err;
    const struct shell *shell = shells; /* bash */
    for (unsigned i = 0; i < sizeof shells / sizeof *shells; i++)
        if (options->file[0] && strcmp(options->file[0], shells[i].name) == 0)
            shell = &shells[i];
    print_completion(stdout, shell);
    return EXIT_OK;
}
