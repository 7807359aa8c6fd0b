#define _CRT_RAND_S
#include "harness/base/file.h"

#include "harness/base/text.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

static bool set_errno(DWORD code)
{
    static const struct {
        DWORD code;
        int is;
    } known[] = { { ERROR_FILE_NOT_FOUND, ENOENT },    { ERROR_PATH_NOT_FOUND, ENOENT },
                  { ERROR_ACCESS_DENIED, EACCES },     { ERROR_SHARING_VIOLATION, EACCES },
                  { ERROR_ALREADY_EXISTS, EEXIST },    { ERROR_FILE_EXISTS, EEXIST },
                  { ERROR_DISK_FULL, ENOSPC },         { ERROR_LOCK_VIOLATION, EWOULDBLOCK },
                  { ERROR_NOT_ENOUGH_MEMORY, ENOMEM }, { ERROR_INVALID_NAME, ENOENT } };
    errno = EIO;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        errno = known[i].code == code ? known[i].is : errno;
    return false;
}

FILE *file_open(const char *path, const char *mode)
{
    return fopen(path, text_print("%.5sbN", mode).text);
}

/* Others may read, rename and remove the file while it is open, as on other systems. */
static int open_shared(const char *path, DWORD access, DWORD how)
{
    HANDLE file = CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                              FILE_ATTRIBUTE_NORMAL, NULL);
    if (file != INVALID_HANDLE_VALUE)
        return _open_osfhandle((intptr_t)file, _O_APPEND | _O_BINARY | _O_NOINHERIT);
    set_errno(GetLastError());
    return -1;
}

int file_append(const char *path, int flags, bool own)
{
    return open_shared(path, GENERIC_READ | GENERIC_WRITE,
                       !(flags & O_CREAT) ? OPEN_EXISTING
                       : flags & O_EXCL   ? CREATE_NEW
                                          : OPEN_ALWAYS);
}

/* With this right alone each write goes to the end of the file, whichever process writes it. */
int file_append_in(const char *folder, const char *name)
{
    return open_shared(text_print("%s/%s", folder, name).text, FILE_APPEND_DATA | GENERIC_READ, OPEN_ALWAYS);
}

int file_create_beside(char *path, const char *ending)
{
    enum { LETTERS = 6, TRIES = 100 };
    char *letters = path + strlen(path) - strlen(ending) - LETTERS;
    int fd = -1;
    for (unsigned try = 0; fd < 0 && try < TRIES; try++) {
        for (unsigned i = 0, number; i < LETTERS; i++)
            letters[i] = (char)('a' + (rand_s(&number) == 0 ? number % 26 : 0));
        fd = _open(path, _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* A lock keeps others from reading and writing, so it is on a byte far behind the end of any file. */
static bool lock(HANDLE file, DWORD how)
{
    OVERLAPPED far_away = { .OffsetHigh = 0x7fffffff };
    return LockFileEx(file, how, 0, 1, 0, &far_away) || set_errno(GetLastError());
}

bool file_lock(int fd, bool waits)
{
    return lock((HANDLE)_get_osfhandle(fd), LOCKFILE_EXCLUSIVE_LOCK | (waits ? 0 : LOCKFILE_FAIL_IMMEDIATELY));
}

bool file_is_locked(const char *path)
{
    const int fd = open_shared(path, GENERIC_READ, OPEN_EXISTING);
    const bool is_locked =
        fd >= 0 && !lock((HANDLE)_get_osfhandle(fd), LOCKFILE_FAIL_IMMEDIATELY) && errno == EWOULDBLOCK;
    if (fd >= 0)
        _close(fd);
    return is_locked;
}

long file_read_at(int fd, void *to, size_t bytes, long long offset)
{
    OVERLAPPED at = { .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
    DWORD got = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(fd), to, (DWORD)bytes, &got, &at) && GetLastError() != ERROR_HANDLE_EOF)
        return -1;
    return (long)got;
}

bool file_save(int fd)
{
    return GetFileType((HANDLE)_get_osfhandle(fd)) != FILE_TYPE_DISK || _commit(fd) == 0;
}

/* NTFS writes names to its own journal. */
void file_save_name(const char *path)
{
}

bool file_rename(const char *from, const char *to, bool is_new)
{
    const DWORD how = is_new ? MOVEFILE_WRITE_THROUGH : MOVEFILE_WRITE_THROUGH | MOVEFILE_REPLACE_EXISTING;
    return MoveFileExA(from, to, how) || set_errno(GetLastError());
}

/* The system knows patterns in the last part of a path. */
void file_each(const char *pattern, void (*take)(void *context, const char *path), void *context)
{
    WIN32_FIND_DATAA found;
    const char *end = strrchr(pattern, '/');
    HANDLE search = FindFirstFileA(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return;
    do
        take(context, text_print("%.*s%s", end ? (int)(end + 1 - pattern) : 0, pattern, found.cFileName).text);
    while (FindNextFileA(search, &found));
    FindClose(search);
}

double disk_room(const char *path)
{
    char folder[PATH_MAX];
    ULARGE_INTEGER room;
    text_copy(folder, sizeof folder, path);
    char *end = strrchr(folder, '/');
    if (end)
        end[1] = '\0';
    return GetDiskFreeSpaceExA(end ? folder : ".", &room, NULL, NULL) ? (double)room.QuadPart : NAN;
}

bool disk_takes(const char *folder, size_t bytes)
{
    return !(disk_room(folder) < (double)bytes);
}

bool folder_make(const char *path)
{
    return _mkdir(path) == 0 || errno == EEXIST || (path[0] && strcmp(path + 1, ":") == 0);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return kind == FTW_DP ? _rmdir(path) : _unlink(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_entry, 1, FTW_DEPTH | FTW_PHYS);
}

static void with_slashes(char *path)
{
    for (; *path; path++)
        *path = *path == '\\' ? '/' : *path;
}

bool folder_of_user(enum folder which, char to[PATH_MAX])
{
    const char *local = getenv("LOCALAPPDATA");
    text_copy(to, PATH_MAX, local ? local : "");
    with_slashes(to);
    return *to;
}

/* The folder for temporary files is the user's own. */
bool folder_make_own(char *to, size_t room, const char *name, unsigned closed, const char **why)
{
    char temporary[PATH_MAX];
    if (GetTempPathA(sizeof temporary, temporary) == 0)
        return false;
    with_slashes(temporary);
    snprintf(to, room, "%s%s", temporary, name);
    *why = strerror(errno);
    return folder_make(to);
}

void file_of_program(char to[PATH_MAX])
{
    const DWORD length = GetModuleFileNameA(NULL, to, PATH_MAX);
    to[length < PATH_MAX ? length : 0] = '\0';
    with_slashes(to);
}
