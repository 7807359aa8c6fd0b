#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"

#include <string.h>

enum { NAME_ROOM = 256 };

/* Writes a text between two pieces of markup. In the text nothing is markup, the backquotes of Markdown are left out,
 * and a dash stays one that can be copied to a shell. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fprintf(out, "%s%s", before, *text == '.' || *text == '\'' ? "\\&" : "");
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text != '`')
            fputc(*text, out);
    }
    fputs(after, out);
}

/* A paragraph with a heading: "-f, --format NAME". */
static void put_option(FILE *out, const struct option *option, enum verb verb)
{
    char sentence[SENTENCE_MAX];
    option_describe(sentence, option, verb);
    fputs(".TP\n\\fB", out);
    if (option->letter)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    put(out, "\\-\\-", option->name, "\\fR");
    if (option->argument)
        put(out, " \\fI", option->argument, "\\fR");
    put(out, "\n", sentence, "\n");
}

static void put_examples(FILE *out, const struct verb_row *row)
{
    fputs(".PP\n.nf\n", out);
    for (unsigned i = 0; row->examples[i]; i++)
        put(out, "    ", row->examples[i], "\n");
    fputs(".fi\n", out);
}

/* The rows of the table in a chapter of docs/troubleshooting.md: "| NAME | TEXT |". */
static void put_section(FILE *out, const char *heading, const char *chapter)
{
    bool is_in = false;
    fprintf(out, ".SH %s\n", heading);
    for (const char *const *line = troubleshooting_lines; *line; line++) {
        const char *bar = strncmp(*line, "| ", 2) == 0 ? strstr(*line + 2, " | ") : NULL;
        char name[NAME_ROOM], text[TEXT_ROOM];
        if (strncmp(*line, "## ", 3) == 0)
            is_in = strcmp(*line + 3, chapter) == 0;
        if (!is_in || !bar)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(bar - *line) - 2, *line + 2);
        snprintf(text, sizeof text, "%.*s", (int)strlen(bar) - 5, bar + 3);
        put(out, ".TP\n\\fB", name, "\\fR\n");
        put(out, "", text, "\n");
    }
}

int manual(const struct options *options, struct error *err)
{
    FILE *out = stdout;
    const struct verb_row *program = verb_row(VERB_NONE);
    fputs(".TH BENCH 1 \"\" \"bench " BENCH_VERSION "\" \"User Commands\"\n", out);
    put(out, ".SH NAME\nbench \\- ", program->summary, "\n");
    put(out, ".SH SYNOPSIS\n.B bench\n", program->operand, "\n");
    put(out, ".SH DESCRIPTION\n.PP\n", program->text, "\n");
    put_examples(out, program);
    put(out, ".SH COMMANDS\n.PP\n", "Every command has --help and --version.", "\n");
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary) {
            put(out, ".SS bench ", row->name, " ");
            put(out, "", row->operand, "\n");
            put(out, ".PP\n", row->text, "\n");
            for (const struct option *option = option_rows; option->name; option++)
                if (option->verbs & 1u << row->verb && strcmp(option->name, "help") != 0 &&
                    strcmp(option->name, "version") != 0)
                    put_option(out, option, row->verb);
            put_examples(out, row);
        }
    put_section(out, "EXIT STATUS", "Exit status");
    put_section(out, "ENVIRONMENT", "Environment");
    return EXIT_OK;
}
