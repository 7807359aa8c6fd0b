#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "bench/plan/published.h"
#include "harness/report/report.h"

#include <string.h>

enum { PICTURE_NAME_MAX = 64 };

/* By the name of the --output file, unless --format was given. */
static bool choose_format(const struct report **out, const struct options *options, struct error *err)
{
    char endings[ENDINGS_MAX] = "";
    *out = report_find(options->format);
    if (!options->report || options->format_given)
        return true;
    for (const struct report *const *report = reports; *report; report++) {
        *out = *report;
        if (output_ends_in(options, (*report)->extension, endings))
            return true;
    }
    return output_refuse(options, endings, err);
}

/* "results/report" of "results/report.md": the names of picture files start with it. */
static void put_stem(char to[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    snprintf(to, PATH_MAX, "%.*s", dot && dot > file ? (int)(dot - path) : (int)strlen(path), path);
}

/* A damaged journal is reported as far as it can be read, and the status is EXIT_USAGE. */
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
    struct layout layout = { .width = terminal_width(options), .claims = published };
    char stem[PATH_MAX];
    struct output output;
    const struct report *format;
    if (options->report && strlen(options->report) + PICTURE_NAME_MAX > sizeof stem) {
        fail(err, STATUS_USAGE, "--output: the path is too long");
        return EXIT_USAGE;
    }
    if (!output_open(&output, options, err) || !choose_format(&format, options, err)) {
        output_close(&output, false, err);
        return EXIT_USAGE;
    }
    if (options->report) {
        put_stem(stem, options->report);
        layout.pictures = stem;
    }
    int status = report_to(output.out, format, options, &layout, err);
    bool is_complete = status != EXIT_BAD_CELL && ftell(output.out) != 0;
    return output_close(&output, is_complete, err) ? status : EXIT_BAD_CELL;
}
