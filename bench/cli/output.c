#include "bench/cli/output.h"

#include "harness/base/text.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { ENDINGS_MAX = 128, PICTURE_NAME_MAX = 64, FILE_WIDTH = 100 };

const char *path_same(const char *const path[], unsigned count, const char *file)
{
    struct stat own, other;
    if (stat(file, &own) != 0)
        return NULL;
    for (unsigned i = 0; i < count && path[i]; i++)
        if (stat(strcmp(path[i], "-") == 0 ? "/dev/stdin" : path[i], &other) == 0 && own.st_dev == other.st_dev &&
            own.st_ino == other.st_ino)
            return path[i];
    return NULL;
}

static bool refuse_name(const struct options *options, const char *endings, struct error *err)
{
    const bool measures = options->verb == VERB_RUN || options->verb == VERB_SWEEP;
    if (measures && strcasecmp(text_ending(options->output), "jsonl") == 0)
        return fail(err, STATUS_USAGE, "--output %.50s: is the report; the journal is '--journal %.50s'",
                    options->output, options->output);
    return fail(err, STATUS_USAGE, "--output %.80s: its name does not choose a format; end it in .%s, or give --format",
                options->output, endings);
}

static bool choose_format(const struct report **out, const struct options *options, struct error *err)
{
    char endings[ENDINGS_MAX] = "";
    if (!options->output || options->format_given) {
        *out = report_find(reports, options->format);
        return true;
    }
    for (const struct report *const *report = reports; *report; report++) {
        *out = *report;
        if (options->verb == VERB_COMPARE && !(*out)->write_comparison && !(*out)->document)
            continue;
        if (strcasecmp(text_ending(options->output), (*out)->extension) == 0)
            return true;
        text_join(endings, ENDINGS_MAX, ", .", (*out)->extension);
    }
    return refuse_name(options, endings, err);
}

bool output_open(struct output *output, const struct options *options, struct error *err)
{
    *output = (struct output){ .out = stdout };
    if (!options->output)
        return choose_format(&output->format, options, err);
    if (strlen(options->output) + PICTURE_NAME_MAX > sizeof output->stem)
        return fail(err, STATUS_USAGE, "--output: the path is too long");
    if (path_same(options->file, LIST_MAX, options->output) || path_same(options->with, LIST_MAX, options->output) ||
        path_same(&options->resume, 1, options->output))
        return fail(err, STATUS_USAGE, "--output %.80s: is one of the journals; give another name", options->output);
    if (!choose_format(&output->format, options, err) || !atomic_file_open(&output->file, options->output, err))
        return false;
    const size_t ending = strlen(text_ending(options->output));
    snprintf(output->stem, sizeof output->stem, "%.*s", (int)(strlen(options->output) - (ending > 0 ? ending + 1 : 0)),
             options->output);
    output->out = output->file.out;
    return true;
}

bool output_close(struct output *output, bool is_complete, struct error *err)
{
    FILE *out = output->out;
    output->out = stdout;
    if (!out || out == stdout)
        return true;
    if (is_complete)
        return atomic_file_keep(&output->file, err);
    atomic_file_drop(&output->file);
    return true;
}

void output_json(json_t *value, FILE *out)
{
    json_dumpf(value, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(value);
}

unsigned output_width(const struct output *output, const struct options *options)
{
    return output->out == stdout || options->width > 0 ? terminal_width(options) : FILE_WIDTH;
}

struct layout output_layout(const struct output *output, const struct options *options)
{
    const bool is_file = output->out != stdout;
    return (struct layout){ .width = output_width(output, options),
                            .all_columns = options->all_columns,
                            .is_brief = !options->full,
                            .is_colored = !is_file && terminal_is_colored(options),
                            .is_newest = options->is_newest,
                            .pictures = is_file ? output->stem : NULL };
}
