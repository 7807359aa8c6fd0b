#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"

#include <string.h>

struct entry {
    const char *name, *text;
};

/* docs/troubleshooting.md has the same two lists. */
static const struct entry statuses[] = {
    { "0", "something was measured, and the rest is unsupported for a reason" },
    { "1", "run, sweep: a cell was wrong, impossible, failed, crashed, timed out or was abandoned; compare: it found "
           "what --fail-on names, or nothing to compare; doctor: something needs repair; any command: a journal or "
           "report could not be written" },
    { "2", "the command line, or a file that it names, is not valid; compare: too few runs a side for --fail-on" },
    { "3",
      "nothing was measured: no device matched --device or --baseline, or every cell is unsupported or was left out" },
    { "130", "interrupted; what was measured is kept and reported" },
    { "141", "the reader of the output, such as head, closed it early; the journal is whole" },
    { NULL, NULL },
};

static const struct entry variables[] = {
    { "BENCH_BUILD", "folder in which the scripts build; build/ unless set" },
    { "BENCH_SETUP=no", "the scripts install nothing and go on with what is there" },
    { "XDG_STATE_HOME", "without --journal journals go to its folder bench; ~/.local/state unless set" },
    { "XDG_CACHE_HOME", "what was tuned is remembered in its folder bench; ~/.cache unless set" },
    { "OCL_ICD_VENDORS, POCL_DEVICES ...", "variables of the OpenCL loader and drivers reach them unchanged" },
    { "RUSTICL_ENABLE", "drivers of Mesa that rusticl uses; radeonsi unless set" },
    { "CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER", "which NVIDIA GPUs there are, and in which order" },
    { "CUDA_LAUNCH_BLOCKING, CUDA_FORCE_PTX_JIT, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
      "reach NVIDIA's driver unchanged, and change what is measured; bench devices says so" },
    { "OPENBLAS_CORETYPE, ONEDNN_MAX_CPU_ISA, ONEDNN_CPU_ISA_HINTS, DNNL_...",
      "the kernels that CPU libraries choose; a setting of yours is kept, and the report warns of one that costs "
      "speed" },
    { "OMP_THREAD_LIMIT, OMP_DYNAMIC, OMP_PLACES, GOMP_CPU_AFFINITY",
      "limits of OpenMP's threads; kept, and the report warns of them" },
    { "BENCH_LIBRARY_PATH, CUDA_HOME",
      "where else to look for CUDA's libraries: folders separated by colons, and the toolkit" },
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

int manual(const struct options *options, struct error *err)
{
    (void)options, (void)err;
    FILE *out = stdout;
    const struct verb_row *program = verb_row(VERB_NONE);
    fputs(".TH BENCH 1 \"\" \"bench " BENCH_VERSION "\" \"User Commands\"\n", out);
    put(out, ".SH NAME\nbench \\- ", program->summary, "\n");
    put(out, ".SH SYNOPSIS\n.B bench\n", program->operand, "\n");
    put(out, ".SH DESCRIPTION\n.PP\n", program->text, "\n");
    put_examples(out, program);
    put(out, ".SH COMMANDS\n.PP\n", "Every command has --help and --version.", "\n");
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary)
            put_verb(out, row);
    put_section(out, "EXIT STATUS", statuses);
    put_section(out, "ENVIRONMENT", variables);
    return EXIT_OK;
}
