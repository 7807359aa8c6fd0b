#include "harness/base/filing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool filing_open(struct filing *out, const char *folder, struct error *err)
{
    *out = (struct filing){ .out = NULL };
    int length = snprintf(out->path, sizeof out->path, "%s/.draft-%ld", folder, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof out->path) {
        *out->path = '\0';
        return fail(err, STATUS_USAGE, "%.120s...: the name of a folder is too long", folder);
    }
    unlink(out->path); /* of a process that had this number, and died */
    int fd = open(out->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    out->out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out->out)
        return true;
    fail(err, STATUS_FAILED, "cannot write into %.120s: %s", folder, strerror(errno));
    if (fd >= 0)
        close(fd);
    *out->path = '\0';
    return false;
}

bool filing_save(struct filing *filing, struct error *err)
{
    errno = 0;
    bool written = fflush(filing->out) == 0 && !ferror(filing->out);
    if (written && fsync(fileno(filing->out)) != 0)
        written = errno == EINVAL || errno == EROFS || errno == ENOTSUP;
    int why = errno;
    if (fclose(filing->out) != 0 && written) {
        written = false;
        why = errno;
    }
    filing->out = NULL;
    if (!written)
        fail(err, STATUS_FAILED, "cannot write %.120s: %s", filing->path,
             why ? strerror(why) : "not all of it arrived");
    return written;
}

bool filing_are_same(const char *a, const char *b)
{
    struct stat status;
    if (lstat(b, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *one = fopen(a, "re"), *other = fopen(b, "re");
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

bool filing_keep(struct filing *filing, const char *path, unsigned *written, struct error *err)
{
    if (filing_are_same(filing->path, path)) {
        filing_drop(filing);
        return true;
    }
    if (rename(filing->path, path) != 0)
        return fail(err, STATUS_FAILED, "cannot write %.120s: %s", path, strerror(errno));
    *filing->path = '\0';
    ++*written;
    return true;
}

bool filing_keep_new(struct filing *filing, const char *path, bool *taken, bool *same, struct error *err)
{
    *taken = *same = false;
    if (link(filing->path, path) == 0) {
        filing_drop(filing);
        return true;
    }
    if (errno != EEXIST)
        return fail(err, STATUS_FAILED, "cannot write %.120s: %s", path, strerror(errno));
    *taken = true;
    *same = filing_are_same(filing->path, path);
    return true;
}

void filing_drop(struct filing *filing)
{
    if (filing->out)
        fclose(filing->out);
    filing->out = NULL;
    if (*filing->path)
        unlink(filing->path);
    *filing->path = '\0';
}
