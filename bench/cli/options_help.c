#include "bench/cli/option.h"
#include "bench/workloads/shape_template.h"
#include "harness/base/process.h"
#include "harness/report/formats/prose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 79, INDENT = 26, NARROWEST = 60, WIDEST = 200, ELSEWHERE = 100 };

void option_describe(char to[SENTENCE_MAX], const struct option *option, enum verb verb)
{
    const struct words words = option_words(option);
    const char *default_value = option->default_value ? option->default_value : option->default_text;
    const char *help = verb == VERB_SWEEP && option->sweep_help ? option->sweep_help : option->help;
    if (verb == VERB_SWEEP && option->sweep_default)
        default_value = option->sweep_default;
    char joined[256];
    option_join(joined, sizeof joined, words.word);
    snprintf(to, SENTENCE_MAX, "%s%s%s%s%s%s", help, joined[0] ? ": " : "", joined, default_value ? " (default: " : "",
             default_value ? default_value : "", default_value ? ")" : "");
}

/* The workloads of a sweep with their default sizes. */
static void print_swept(FILE *out)
{
    fputs("\nWORKLOAD\n", out);
    for (const struct workload *const *each = workloads; *each; each++) {
        struct shape_template shape_template;
        struct error err = { .status = STATUS_OK };
        if (!(*each)->range || !shape_template_make(&shape_template, *each, NULL, &err))
            continue;
        fprintf(out, "  %-*s%s from %" PRId64 " to %" PRId64 "\n", INDENT - 2, (*each)->name, shape_template.unit,
                shape_template.from, shape_template.to);
        if (strcspn(shape_template.shape, "0123456789") < strlen(shape_template.shape))
            fprintf(out, "%*s%s\n", INDENT, "", shape_template.shape);
    }
}

void options_help(FILE *out, enum verb verb)
{
    const struct verb_row *row = verb_row(verb);
    fprintf(out, "Usage: bench %s%s%s\n\n", row->name, row->name[0] && row->operand[0] ? " " : "", row->operand);
    if (verb == VERB_NONE)
        prose_flow(0, 0, row->summary, COLUMNS, out);
    prose_flow(0, 0, row->text, COLUMNS, out);
    if (verb == VERB_NONE)
        fputs("\nCommands\n", out);
    for (const struct verb_row *each = verb_rows + 1; each->name && verb == VERB_NONE; each++)
        if (each->summary) {
            fprintf(out, "  %-*s", INDENT - 2, each->name);
            prose_flow(INDENT, INDENT, each->summary, COLUMNS, out);
        }

    if (verb == VERB_SWEEP)
        print_swept(out);

    const char *heading = NULL;
    for (const struct option *option = option_rows; option->name; option++) {
        heading = option->heading ? option->heading : heading;
        if (!(option->verbs & 1u << verb))
            continue;
        if (heading)
            fprintf(out, "\n%s\n", heading);
        heading = NULL;
        char sentence[SENTENCE_MAX], letter[] = { '-', option->letter, ',', '\0' };
        const int used = fprintf(out, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
                                 option->argument ? " " : "", option->argument ? option->argument : "");
        fprintf(out, "%*s", used < INDENT ? INDENT - used : 0, "");
        option_describe(sentence, option, verb);
        prose_flow(used > INDENT ? (unsigned)used : INDENT, used > INDENT ? (unsigned)used : INDENT, sentence, COLUMNS,
                   out);
    }

    fputs("\nExamples\n", out);
    for (unsigned i = 0; row->examples[i]; i++)
        fprintf(out, "  %s\n", row->examples[i]);
    if (verb == VERB_NONE)
        fputs("\nEach command has its own help: bench run --help, or bench help run\n"
              "The meaning of a term in a report: bench explain TERM\n"
              "The manual page: bench manual | man -l -\n"
              "Completion in bash: source <(bench completion)\n",
              out);
}

unsigned terminal_width(const struct options *options)
{
    const unsigned columns = terminal_columns(STDOUT_FILENO);
    if (options->width > 0)
        return options->width;
    if (columns == 0)
        return ELSEWHERE;
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : columns;
}

/* https://no-color.org: any text that is not empty. */
bool terminal_is_colored(const struct options *options)
{
    const char *no_color = getenv("NO_COLOR");
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    return terminal_has_escapes(STDOUT_FILENO) && !(no_color && *no_color);
}
