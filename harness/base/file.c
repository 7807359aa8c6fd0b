#include "harness/base/file.h"

#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

FILE *file_open(const char *path, const char *mode)
{
    return fopen(path, text_print("%.6se", mode).text);
}

int file_append(const char *path, int flags, bool own)
{
    return open(path, flags | O_APPEND | O_CLOEXEC | (own ? O_NOFOLLOW : 0), 0666);
}

int file_append_in(const char *folder, const char *name)
{
    const int place = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int file = openat(place, name, O_CREAT | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (place >= 0)
        close(place);
    return file;
}

/* Processes that share a folder may have the same process id, in containers or on two machines, so letters are random.
 * mkostemps keeps the file from all other users, and it shall be like any other. */
int file_create_beside(char *path, const char *ending)
{
    const mode_t mask = umask(0);
    umask(mask);
    const int fd = mkostemps(path, (int)strlen(ending), O_CLOEXEC);
    if (fd < 0 || fchmod(fd, 0666 & ~mask) == 0)
        return fd;
    const int why = errno;
    close(fd);
    unlink(path);
    errno = why;
    return -1;
}

bool file_lock(int fd, bool waits)
{
    return flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0;
}

bool file_is_locked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_locked;
}

long file_read_at(int fd, void *to, size_t bytes, long long offset)
{
    return pread(fd, to, bytes, offset);
}

bool file_save(int fd)
{
    return fdatasync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == ENOSYS;
}

void file_save_name(const char *path)
{
    struct text folder = text_print("%s", path);
    int fd = open(dirname(folder.text), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

bool file_rename(const char *from, const char *to, bool is_new)
{
    if (!is_new)
        return rename(from, to) == 0;
    return link(from, to) == 0 && unlink(from) == 0;
}

void file_each(const char *pattern, void (*take)(void *context, const char *path), void *context)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        take(context, found.gl_pathv[i]);
    globfree(&found);
}

double disk_room(const char *path)
{
    struct statvfs disk;
    return statvfs(path, &disk) == 0 && disk.f_blocks > 0 ? (double)disk.f_bavail * (double)disk.f_frsize : NAN;
}

bool disk_takes(const char *folder, size_t bytes)
{
    char path[PATH_MAX], *end = path;
    text_copy(path, sizeof path - sizeof "/bench-XXXXXX", folder);
    while (access(path, F_OK) != 0 && (end = strrchr(path, '/')))
        *end = '\0';
    text_append(path, sizeof path, "/bench-XXXXXX");
    const int file = mkostemp(path, O_CLOEXEC);
    const bool fits = file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0;
    if (file >= 0)
        unlink(path);
    close(file);
    return fits;
}

bool folder_make(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_entry, 1, FTW_DEPTH | FTW_PHYS);
}

/* The XDG Base Directory Specification: a relative path is invalid, and ignored. */
bool folder_of_user(enum folder which, char to[PATH_MAX])
{
    const char *chosen = getenv(which == FOLDER_STATE ? "XDG_STATE_HOME" : "XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (chosen && chosen[0] == '/')
        length = snprintf(to, PATH_MAX, "%s", chosen);
    else if (home && home[0] == '/')
        length = snprintf(to, PATH_MAX, "%s/%s", home, which == FOLDER_STATE ? ".local/state" : ".cache");
    return length > 0 && length < PATH_MAX;
}

bool folder_make_own(char *to, size_t room, const char *name, unsigned closed, const char **why)
{
    enum { ROOM_NEEDED = 1 << 20 }; /* bytes */
    const char *temporary = getenv("TMPDIR");
    const bool is_usable = temporary && temporary[0] == '/' && access(temporary, F_OK) == 0;
    struct stat is;
    snprintf(to, room, "%s/%s-%lu", is_usable && disk_takes(temporary, ROOM_NEEDED) ? temporary : "/tmp", name,
             (unsigned long)geteuid());
    *why = mkdir(to, 0700) == 0 || errno == EEXIST ? "other users can write to it" : strerror(errno);
    return lstat(to, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && !(is.st_mode & closed);
}

void file_of_program(char to[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", to, PATH_MAX - 1);
    to[length > 0 ? length : 0] = '\0';
}
