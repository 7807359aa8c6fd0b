#include "bench/commands/target.h"

#include "bench/commands/journals.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool target_ends_in(char endings[TARGET_ENDINGS], const char *path, const char *extension, bool is_last)
{
    const size_t used = strlen(endings);
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    snprintf(endings + used, TARGET_ENDINGS - used, "%s.%s", used == 0 ? "" : is_last ? " or " : ", ", extension);
    return dot && strcasecmp(dot + 1, extension) == 0;
}

bool target_refuse(const char *path, const char *endings, struct error *err)
{
    return fail(err, STATUS_USAGE, "--output %.80s: its name tells no format; end it in %s, or give --format", path,
                endings);
}

static bool is_among(const char *const path[], const struct stat *target)
{
    struct stat journal;
    for (; *path; path++)
        if (stat(journals_path(*path), &journal) == 0 && journal.st_dev == target->st_dev &&
            journal.st_ino == target->st_ino)
            return true;
    return false;
}

bool target_check(const struct options *options, struct error *err)
{
    struct stat target;
    if (stat(options->report, &target) == 0 && (is_among(options->file, &target) || is_among(options->with, &target)))
        return fail(err, STATUS_USAGE, "--output %.80s: is a journal that the report is of; give another name",
                    options->report);
    return true;
}
