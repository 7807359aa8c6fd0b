#include "harness/base/atomic_file.h"

#include "harness/base/file.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a new file beside `path`, or `path` itself. */
static bool open_out(struct atomic_file *file, bool is_beside, enum status status, struct error *err)
{
    static const char ending[] = ".new";
    int fd = -1;
    errno = ENAMETOOLONG;
    if (!is_beside)
        fd = file_append(file->path, O_WRONLY, false);
    else if (snprintf(file->beside, sizeof file->beside, "%s.XXXXXX%s", file->path, ending) < (int)sizeof file->beside)
        fd = file_create_beside(file->beside, ending);
    file->out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file->out)
        return true;
    fail(err, status, "%.100s cannot be written: %s", file->path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(file->beside);
    }
    *file->beside = '\0';
    return false;
}

static bool set_path(struct atomic_file *file, const char *path, struct error *err)
{
    *file = (struct atomic_file){ .out = NULL };
    if (strlen(path) >= sizeof file->path)
        return fail(err, STATUS_USAGE, "%.60s...: the path is too long", path);
    strcpy(file->path, path);
    return true;
}

bool atomic_file_open(struct atomic_file *file, const char *path, struct error *err)
{
    struct stat is;
    const bool is_there = stat(path, &is) == 0;
    file->out = NULL;
    if (!is_there && lstat(path, &is) == 0)
        return fail(err, STATUS_USAGE,
                    "%.100s is a link to a file that is not there: remove the link, or name another file", path);
    if (is_there && S_ISDIR(is.st_mode))
        return fail(err, STATUS_USAGE, "%.100s is a directory: name a file in it", path);
    if (is_there && access(path, W_OK) != 0)
        return fail(err, STATUS_USAGE, "%.100s cannot be written: %s", path, strerror(errno));
    char *target = is_there ? realpath(path, NULL) : NULL;
    bool ok = set_path(file, target ? target : path, err) &&
              open_out(file, !is_there || S_ISREG(is.st_mode), STATUS_USAGE, err);
    free(target);
    return ok;
}

bool atomic_file_open_in(struct atomic_file *file, const char *folder, struct error *err)
{
    char path[PATH_MAX];
    *file = (struct atomic_file){ .out = NULL };
    if (snprintf(path, sizeof path, "%s/.draft", folder) >= (int)sizeof path)
        return fail(err, STATUS_USAGE, "%.60s...: the path is too long", folder);
    return set_path(file, path, err) && open_out(file, true, STATUS_FAILED, err);
}

bool atomic_file_save(struct atomic_file *file, struct error *err)
{
    errno = 0;
    bool is_written = fflush(file->out) == 0 && !ferror(file->out);
    if (is_written && *file->beside && !file_save(fileno(file->out)))
        is_written = false;
    int why = errno;
    if (fclose(file->out) != 0 && is_written) {
        is_written = false;
        why = errno;
    }
    file->out = NULL;
    return is_written || fail(err, STATUS_FAILED, "%.120s could not be written: %s", file->path,
                              why ? strerror(why) : "only a part was written");
}

bool atomic_file_keep_as(struct atomic_file *file, const char *path, struct error *err)
{
    if (!file_rename(file->beside, path, false))
        return fail(err, STATUS_FAILED, "%.120s could not be written: %s", path, strerror(errno));
    *file->beside = '\0';
    return true;
}

bool atomic_file_keep(struct atomic_file *file, struct error *err)
{
    bool ok = atomic_file_save(file, err) && (!*file->beside || atomic_file_keep_as(file, file->path, err));
    atomic_file_drop(file);
    return ok;
}

/* Whether both are regular files with the same content. */
static bool files_are_same(const char *a, const char *b)
{
    struct stat status;
    if (lstat(b, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *one = file_open(a, "r"), *other = file_open(b, "r");
    bool same = one && other;
    while (same) {
        char of_one[4096], of_other[sizeof of_one];
        size_t got = fread(of_one, 1, sizeof of_one, one), got_other = fread(of_other, 1, sizeof of_other, other);
        same = got == got_other && memcmp(of_one, of_other, got) == 0 && !ferror(one) && !ferror(other);
        if (got == 0)
            break;
    }
    if (one)
        fclose(one);
    if (other)
        fclose(other);
    return same;
}

bool atomic_file_keep_new(struct atomic_file *file, const char *path, bool *taken, bool *same, struct error *err)
{
    *taken = *same = false;
    if (file_rename(file->beside, path, true)) {
        *file->beside = '\0';
        return true;
    }
    if (errno != EEXIST)
        return fail(err, STATUS_FAILED, "%.120s could not be written: %s", path, strerror(errno));
    *taken = true;
    *same = files_are_same(file->beside, path);
    return true;
}

void atomic_file_drop(struct atomic_file *file)
{
    if (file->out)
        fclose(file->out);
    file->out = NULL;
    if (*file->beside)
        unlink(file->beside);
    *file->beside = '\0';
}

bool folder_make_for(const char *path, struct error *err)
{
    char part[PATH_MAX];
    text_copy(part, sizeof part, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!folder_make(part))
            return fail(err, STATUS_FAILED, "cannot make the folder %.100s: %s", part, strerror(errno));
        *slash = '/';
    }
    return true;
}
