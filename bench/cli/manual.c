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

/* Text as it is: nothing in it is a request, and a dash is one that can be copied to a shell. */
static void put(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
    }
}

static void put_paragraph(FILE *out, const char *text)
{
    fputs(".PP\n", out);
    put(out, text);
    fputc('\n', out);
}

/* ".TP" and what the paragraph is of: "-f, --format NAME". */
static void put_option(FILE *out, const struct option *option, enum verb verb)
{
    char sentence[SENTENCE_MAX];
    option_describe(sentence, option, verb);
    fputs(".TP\n\\fB", out);
    if (option->letter)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    fputs("\\-\\-", out);
    put(out, option->name);
    fputs("\\fR", out);
    if (option->argument) {
        fputs(" \\fI", out);
        put(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put(out, sentence);
    fputc('\n', out);
}

static void put_examples(FILE *out, const struct verb_row *row)
{
    fputs(".PP\n.nf\n", out);
    for (unsigned i = 0; row->examples[i]; i++) {
        fputs("    ", out);
        put(out, row->examples[i]);
        fputc('\n', out);
    }
    fputs(".fi\n", out);
}

static void put_verb(FILE *out, const struct verb_row *row)
{
    fputs(".SS bench ", out);
    put(out, row->name);
    fputc(' ', out);
    put(out, row->operand);
    fputc('\n', out);
    put_paragraph(out, row->text);
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
        fputs(".TP\n\\fB", out);
        put(out, entry->name);
        fputs("\\fR\n", out);
        put(out, entry->text);
        fputc('\n', out);
    }
}

int manual(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv, (void)err;
    FILE *out = stdout;
    const struct verb_row *whole = verb_row(VERB_NONE);
    fputs(".TH BENCH 1 \"\" \"bench " BENCH_VERSION "\" \"User Commands\"\n.SH NAME\nbench \\- ", out);
    put(out, whole->summary);
    fputs("\n.SH SYNOPSIS\n.B bench\n", out);
    put(out, whole->operand);
    fputs("\n.SH DESCRIPTION\n", out);
    put_paragraph(out, whole->text);
    put_examples(out, whole);
    fputs(".SH COMMANDS\n", out);
    put_paragraph(out, "Each takes --help, and --version.");
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary)
            put_verb(out, row);
    put_section(out, "EXIT STATUS", statuses);
    put_section(out, "ENVIRONMENT", variables);
    return EXIT_OK;
}
