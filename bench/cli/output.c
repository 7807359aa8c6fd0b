#include "bench/cli/output.h"

#include "harness/base/text.h"

#include <stdlib.h>
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
            own.st_ino == other.st_ino && (own.st_ino != 0 || strcmp(path[i], file) == 0)) /* 0: of any file */
            return path[i];
    return NULL;
}

static bool choose_format(struct output *output, struct error *err)
{
    const struct options *options = output->options;
    char endings[ENDINGS_MAX] = "";
    if (!output->path || options->format_given) {
        output->format = report_find(reports, options->format);
        return true;
    }
    for (const struct report *const *report = reports; *report; report++) {
        output->format = *report;
        if (options->verb == VERB_COMPARE && !report_compares(*report))
            continue;
        if (strcasecmp(text_ending(output->path), (*report)->extension) == 0)
            return true;
        text_join(endings, ENDINGS_MAX, ", .", (*report)->extension);
    }
    return fail(err, STATUS_USAGE, "--output %.80s: its name does not choose a format; end it in .%s, or give --format",
                output->path, endings);
}

static bool open_one(struct output *output, struct error *err)
{
    const struct options *options = output->options;
    const char *path = output->path;
    if (!path)
        return choose_format(output, err);
    if (strlen(path) + PICTURE_NAME_MAX > sizeof output->stem)
        return fail(err, STATUS_USAGE, "--output: the path is too long");
    if (path_same(options->file, LIST_MAX, path) || path_same(options->with, LIST_MAX, path) ||
        path_same(&options->resume, 1, path))
        return fail(err, STATUS_USAGE, "--output %.80s: is one of the journals; give another name", path);
    if (!choose_format(output, err) || !atomic_file_open(&output->file, path, err))
        return false;
    const size_t ending = strlen(text_ending(path));
    snprintf(output->stem, sizeof output->stem, "%.*s", (int)(strlen(path) - (ending > 0 ? ending + 1 : 0)), path);
    output->out = output->file.out;
    return true;
}

bool outputs_open(struct outputs *outputs, const struct options *options, struct error *err)
{
    const bool measures = options->verb == VERB_RUN || options->verb == VERB_SWEEP;
    outputs->output = calloc(LIST_MAX + 1, sizeof *outputs->output); /* too large for a small stack */
    bool is_open = outputs->output || fail(err, STATUS_NO_MEMORY, "no memory for the names of reports");
    bool is_shown = false;
    for (outputs->count = 0; is_open && (outputs->count == 0 || options->output[outputs->count]);) {
        const char *path = options->output[outputs->count];
        struct output *output = &outputs->output[outputs->count++];
        *output =
            (struct output){ .options = options, .path = path && strcmp(path, "-") != 0 ? path : NULL, .out = stdout };
        is_open = open_one(output, err);
        is_shown |= !output->path;
    }
    if (is_open && measures && !is_shown)
        outputs->output[outputs->count++] =
            (struct output){ .options = options, .out = stdout, .format = &report_table };
    return is_open;
}

void outputs_close(struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        atomic_file_drop(&outputs->output[i].file);
    free(outputs->output);
    *outputs = (struct outputs){ .count = 0 };
}

bool outputs_write(struct outputs *outputs, output_write *write, const void *what, struct error *err)
{
    bool is_written = true;
    for (unsigned i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->output[i];
        struct error why = { .status = STATUS_OK };
        if (!write(what, output, &why))
            is_written = fail_in(err, why.where, why.status, "%.100s%s%s", output->path ? output->path : "",
                                 output->path ? ": " : "", why.message);
        else if (output->path)
            is_written &= atomic_file_keep(&output->file, err);
    }
    return is_written;
}

unsigned output_width(const struct output *output)
{
    return !output->path || output->options->width > 0 ? terminal_width(output->options) : FILE_WIDTH;
}

struct layout output_layout(const struct output *output)
{
    const struct options *options = output->options;
    return (struct layout){ .width = output_width(output),
                            .all_columns = options->all_columns,
                            .is_brief = !options->full,
                            .is_colored = !output->path && terminal_is_colored(options),
                            .is_newest = options->is_newest && !options->resume,
                            .program = options->argv[0],
                            .pictures = output->path ? output->stem : NULL };
}
