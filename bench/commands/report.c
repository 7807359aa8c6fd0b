#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "bench/commands/target.h"
#include "harness/base/atomic_file.h"
#include "harness/report/report.h"

#include <string.h>

/* By the name of the file, where nothing else was asked for; fails where that names none. */
static bool choose_format(const struct report **out, const struct options *options, struct error *err)
{
    char endings[TARGET_ENDINGS] = "";
    *out = report_find(options->format);
    if (!options->report || options->format_given)
        return true;
    for (const struct report *const *report = reports; *report; report++) {
        *out = *report;
        if (target_ends_in(endings, options->report, (*report)->extension, !report[1]))
            return true;
    }
    return target_refuse(options->report, endings, err);
}

/* "results/report" of "results/report.md": pictures are put beside it. */
static bool put_stem(char to[PATH_MAX], const char *path, struct error *err)
{
    enum { NAME_ROOM = 64 };
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - path) : strlen(path);
    if (length + NAME_ROOM > PATH_MAX)
        return fail(err, STATUS_USAGE, "--output: the path is too long");
    memcpy(to, path, length);
    to[length] = '\0';
    return true;
}

/* A damaged journal is reported as far as it can be read; that not all of it was shows in the status. */
static int report_to(FILE *out, const struct report *format, const struct options *options, const struct layout *layout,
                     struct error *err)
{
    struct results results;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !format->write(&results, layout, out, err))
        status = EXIT_BAD_CELL;
    if (results.runs == 0)
        status = EXIT_USAGE;
    journals_close(&results);
    return status;
}

int report(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    struct layout layout = { .width = terminal_width(options) };
    char stem[PATH_MAX];
    struct atomic_file file;
    const struct report *format;
    if ((options->report && !target_check(options, err)) || !choose_format(&format, options, err))
        return EXIT_USAGE;
    if (!options->report)
        return report_to(stdout, format, options, &layout, err);
    if (!put_stem(stem, options->report, err) || !atomic_file_open(&file, options->report, err))
        return EXIT_USAGE;
    layout.pictures = stem;
    int status = report_to(file.out, format, options, &layout, err);
    bool is_empty = ftell(file.out) == 0;
    if (status == EXIT_BAD_CELL || is_empty)
        atomic_file_drop(&file);
    else if (!atomic_file_keep(&file, err))
        status = EXIT_BAD_CELL;
    return status;
}
