#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"

#include <string.h>

/* What is described, and the description. */
struct entry {
    const char *name, *text;
};

static const struct entry statuses[] = {
    { "0", "all is well, or a device honestly cannot do something" },
    { "1", "a cell was wrong, impossible, failed, crashed, timed out or was abandoned; a comparison found what it "
           "was told to fail on, or nothing to compare; the doctor found something to mend; a journal or report "
           "could not be written to "
           "its end" },
    { "2", "the command line, or a file it names, makes no sense or cannot be opened" },
    { "3", "no device matched" },
    { "130", "interrupted; what was measured is kept and reported" },
    { "141", "whoever read the output, such as head, closed it before its end; of a run the journal is whole" },
    { NULL, NULL },
};

static const struct entry variables[] = {
    { "BENCH_BUILD", "where the scripts of the source build; build/ unless set" },
    { "BENCH_SETUP=no", "the scripts of the source install nothing and go on with what is there" },
    { "XDG_STATE_HOME", "where journals go when none is named: its folder bench; ~/.local/state unless set" },
    { "OCL_ICD_VENDORS, POCL_DEVICES ...", "what OpenCL's loader and drivers obey reaches them unchanged" },
    { "RUSTICL_ENABLE", "which of Mesa's drivers rusticl may use: radeonsi unless set" },
    { "CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER", "which NVIDIA GPUs CUDA shows, and as which number" },
    { "CUDA_LAUNCH_BLOCKING, CUDA_FORCE_PTX_JIT, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
      "reach NVIDIA's driver unchanged, and change what is measured; bench devices says so" },
    { "BENCH_LIBRARY_PATH, CUDA_HOME", "where libraries of the CUDA Toolkit are looked for besides the usual "
                                       "places; the first may name several folders with colons between" },
    { NULL, NULL },
};

/* Writes a text between two pieces of markup. In the text nothing is markup, and a dash stays one that can be copied to
 * a shell. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fprintf(out, "%s%s", before, *text == '.' || *text == '\'' ? "\\&" : "");
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
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

static void put_verb(FILE *out, const struct verb_row *row)
{
    put(out, ".SS bench ", row->name, " ");
    put(out, "", row->operand, "\n");
    put(out, ".PP\n", row->text, "\n");
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << row->verb && strcmp(option->name, "help") != 0 &&
            strcmp(option->name, "version") != 0)
            put_option(out, option, row->verb);
    put_examples(out, row);
}

static void put_section(FILE *out, const char *heading, const struct entry entries[])
{
    fprintf(out, ".SH %s\n", heading);
    for (const struct entry *entry = entries; entry->name; entry++) {
        put(out, ".TP\n\\fB", entry->name, "\\fR\n");
        put(out, "", entry->text, "\n");
    }
}

int manual(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv, (void)err;
    FILE *out = stdout;
    const struct verb_row *program = verb_row(VERB_NONE);
    fputs(".TH BENCH 1 \"\" \"bench " BENCH_VERSION "\" \"User Commands\"\n", out);
    put(out, ".SH NAME\nbench \\- ", program->summary, "\n");
    put(out, ".SH SYNOPSIS\n.B bench\n", program->operand, "\n");
    put(out, ".SH DESCRIPTION\n.PP\n", program->text, "\n");
    put_examples(out, program);
    put(out, ".SH COMMANDS\n.PP\n", "Each takes --help, and --version.", "\n");
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary)
            put_verb(out, row);
    put_section(out, "EXIT STATUS", statuses);
    put_section(out, "ENVIRONMENT", variables);
    return EXIT_OK;
}
