#include "bench/report.h"

#include "bench/journals.h"
#include "bench/stand.h"
#include "bench/terminal.h"
#include "harness/draft.h"
#include "harness/report.h"

#include <string.h>
#include <sys/stat.h>

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By the name of the file, where nothing else was asked for. */
static const struct report *choose_format(const struct options *options)
{
    const char *dot = options->report ? strrchr(file_of(options->report), '.') : NULL;
    for (const struct report *const *report = reports; *report && dot && !options->format_given; report++)
        if (strcmp((*report)->extension, dot + 1) == 0)
            return *report;
    return report_find(options->format);
}

/* What is read must not be what is written. */
static bool check_target(const struct options *options, struct error *err)
{
    struct stat target, journal;
    if (stat(options->report, &target) != 0)
        return true;
    for (const char *const *path = options->file; *path; path++)
        if (stat(*path, &journal) == 0 && journal.st_dev == target.st_dev && journal.st_ino == target.st_ino)
            return fail(err, STATUS_USAGE, "--output %.80s: is a journal that the report is of; give another name",
                        options->report);
    return true;
}

/* "results/report" of "results/report.md": pictures are put beside it. */
static bool put_stem(char to[PATH_MAX], const char *path, struct error *err)
{
    enum { NAME_ROOM = 64 };
    const char *dot = strrchr(file_of(path), '.');
    size_t length = dot && dot > file_of(path) ? (size_t)(dot - path) : strlen(path);
    if (length + NAME_ROOM > PATH_MAX)
        return fail(err, STATUS_USAGE, "--output: the path is too long");
    memcpy(to, path, length);
    to[length] = '\0';
    return true;
}

/* A damaged journal is reported as far as it can be read; that not all of it was shows in the status. */
static int report_to(FILE *out, const struct options *options, const struct layout *layout, struct error *err)
{
    struct results results;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !choose_format(options)->write(&results, layout, out, err))
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
    struct draft draft;
    if (!options->report)
        return report_to(stdout, options, &layout, err);
    if (!check_target(options, err) || !put_stem(stem, options->report, err) ||
        !draft_open(&draft, options->report, err))
        return EXIT_USAGE;
    layout.pictures = stem;
    int status = report_to(draft.out, options, &layout, err);
    bool is_empty = ftell(draft.out) == 0;
    if (status == EXIT_BAD_CELL || is_empty)
        draft_drop(&draft);
    else if (!draft_keep(&draft, err))
        status = EXIT_BAD_CELL;
    return status;
}
