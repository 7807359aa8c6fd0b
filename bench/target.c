#include "bench/target.h"

#include <string.h>
#include <sys/stat.h>

const char *target_extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    return dot ? dot + 1 : NULL;
}

static bool is_among(const char *const path[], const struct stat *target)
{
    struct stat journal;
    for (; *path; path++)
        if (stat(*path, &journal) == 0 && journal.st_dev == target->st_dev && journal.st_ino == target->st_ino)
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
