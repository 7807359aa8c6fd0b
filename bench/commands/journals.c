#include "bench/commands/journals.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static void print_faults(const struct result *result, FILE *to)
{
    char sentence[FAULTS_MAX][FAULT_ROOM];
    unsigned sentences = result_faults(result, sentence);
    for (unsigned i = 0; i < sentences; i++)
        fprintf(to, "bench: %s: %s\n", result->path, sentence[i]);
}

static const char *journal_path(const char *typed)
{
    return strcmp(typed, "-") == 0 ? "/dev/stdin" : typed;
}

/* The first of these journals that is the same file; NULL where none is. */
static const char *same_file(const char *const path[], unsigned count, const char *file)
{
    struct stat own, other;
    if (stat(file, &own) != 0)
        return NULL;
    for (unsigned i = 0; i < count && path[i]; i++)
        if (stat(journal_path(path[i]), &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino)
            return path[i];
    return NULL;
}

/* Of several journals, each error is printed before the report; of one, main prints it. */
static void read_journal(struct results *out, const char *path, bool are_several, FILE *to, struct error *err)
{
    struct result *result = &out->run[out->runs];
    struct error own = { .status = STATUS_OK };
    if (result_read(result, path, &own)) {
        print_faults(result, to);
        out->runs++;
        return;
    }
    result_release(result);
    if (are_several)
        fprintf(to, "bench: %s\n", own.message);
    if (err->status == STATUS_OK)
        *err = own;
}

bool journals_open(struct results *out, const char *const path[], FILE *to, struct error *err)
{
    unsigned count = 0;
    while (path[count])
        count++;
    *out = (struct results){ .run = calloc(count + 1, sizeof *out->run) };
    if (!out->run)
        return fail(err, STATUS_NO_MEMORY, "no memory for %u journals", count);
    for (unsigned i = 0; i < count; i++) {
        const char *same = same_file(path, i, journal_path(path[i]));
        if (same)
            fprintf(to, "bench: %s: the same journal as %s; it is shown once\n", path[i], same);
        else
            read_journal(out, journal_path(path[i]), count > 1, to, err);
    }
    return err->status == STATUS_OK;
}

void journals_close(struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++)
        result_release(&results->run[i]);
    free(results->run);
    *results = (struct results){ 0 };
}

bool journals_are_whole(const struct results *results)
{
    bool whole = true;
    for (unsigned i = 0; i < results->runs; i++)
        whole &= result_is_whole(&results->run[i]);
    return whole;
}

bool output_ends_in(const struct options *options, const char *extension, char endings[ENDINGS_MAX])
{
    const char *slash = strrchr(options->report, '/'), *dot = strrchr(slash ? slash : options->report, '.');
    text_join(endings, ENDINGS_MAX, ", .", extension);
    return dot && strcasecmp(dot + 1, extension) == 0;
}

bool output_refuse(const struct options *options, const char *endings, struct error *err)
{
    return fail(err, STATUS_USAGE, "--output %.80s: its name does not choose a format; end it in .%s, or give --format",
                options->report, endings);
}

bool output_open(struct output *output, const struct options *options, struct error *err)
{
    *output = (struct output){ .out = stdout };
    if (!options->report)
        return true;
    if (same_file(options->file, LIST_MAX, options->report) || same_file(options->with, LIST_MAX, options->report))
        return fail(err, STATUS_USAGE, "--output %.80s: is one of the journals to read; give another name",
                    options->report);
    if (!atomic_file_open(&output->file, options->report, err))
        return false;
    output->out = output->file.out;
    return true;
}

bool output_close(struct output *output, bool is_complete, struct error *err)
{
    if (output->out != stdout && is_complete)
        return atomic_file_keep(&output->file, err);
    if (output->out != stdout)
        atomic_file_drop(&output->file);
    return true;
}
