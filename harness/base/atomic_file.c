#include "harness/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file beside it, with the rights that any new file gets. */
static int open_beside(struct draft *draft)
{
    int length = snprintf(draft->beside, sizeof draft->beside, "%s.%ld.new", draft->path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof draft->beside) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(draft->beside); /* of a process that died with the same number */
    return open(draft->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool draft_open(struct draft *draft, const char *path, struct error *err)
{
    struct stat is;
    bool is_there = stat(path, &is) == 0;
    *draft = (struct draft){ .out = NULL };
    if (is_there && S_ISDIR(is.st_mode))
        return fail(err, STATUS_USAGE, "%.100s is a directory: name a file in it", path);
    if (strlen(path) >= sizeof draft->path)
        return fail(err, STATUS_USAGE, "%.60s...: the path is too long", path);
    strcpy(draft->path, path);
    if (is_there) { /* what a link leads to is replaced, not the link */
        char *target = realpath(path, NULL);
        if (target && strlen(target) < sizeof draft->path)
            strcpy(draft->path, target);
        free(target);
    }
    bool replaces = !is_there || S_ISREG(is.st_mode);
    if (is_there && access(path, W_OK) != 0)
        return fail(err, STATUS_USAGE, "%.100s cannot be written: %s", path, strerror(errno));
    int fd = replaces ? open_beside(draft) : open(draft->path, O_WRONLY | O_CLOEXEC);
    draft->out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (draft->out)
        return true;
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && replaces)
        unlink(draft->beside);
    return fail(err, STATUS_USAGE, "%.100s cannot be written: %s", path, strerror(why));
}

bool draft_keep(struct draft *draft, struct error *err)
{
    bool is_lost = ferror(draft->out) != 0;
    is_lost |= fclose(draft->out) != 0;
    draft->out = NULL;
    if (!is_lost && (!*draft->beside || rename(draft->beside, draft->path) == 0))
        return true;
    int why = errno;
    if (*draft->beside)
        unlink(draft->beside);
    return fail(err, STATUS_FAILED, "%.100s could not be written: %s", draft->path, strerror(why));
}

void draft_drop(struct draft *draft)
{
    if (!draft->out)
        return;
    fclose(draft->out);
    draft->out = NULL;
    if (*draft->beside)
        unlink(draft->beside);
}
