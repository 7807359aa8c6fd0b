#include "bench/commands/output.h"

#include "bench/commands/journals.h"
#include "harness/base/text.h"

#include <string.h>
#include <strings.h>

bool output_ends_in(const struct options *options, const char *extension, char endings[ENDINGS_MAX])
{
    const char *slash = strrchr(options->report, '/'), *dot = strrchr(slash ? slash : options->report, '.');
    text_join(endings, ENDINGS_MAX, ", .", extension);
    return dot && strcasecmp(dot + 1, extension) == 0;
}

bool output_refuse(const struct options *options, const char *endings, struct error *err)
{
    return fail(err, STATUS_USAGE,
                "--output %.80s: its name does not choose a format; end it in one of .%s, or give "
                "--format",
                options->report, endings);
}

static bool is_among(const char *const path[], const char *output)
{
    for (; *path; path++)
        if (is_same_file(journals_path(*path), output))
            return true;
    return false;
}

bool output_open(struct output *output, const struct options *options, struct error *err)
{
    *output = (struct output){ .out = stdout };
    if (!options->report)
        return true;
    if (is_among(options->file, options->report) || is_among(options->with, options->report))
        return fail(err, STATUS_USAGE, "--output %.80s: is a journal that the report is of; give another name",
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
