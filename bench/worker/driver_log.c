#include "bench/worker/driver_log.h"

#include "harness/base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4200, TAIL = 4096 };

static void folder_of(char to[PATH_ROOM], const char *journal_path)
{
    snprintf(to, PATH_ROOM, "%s.log", journal_path);
}

static void file_of(char to[PATH_ROOM], const char *journal_path, const char *device_id)
{
    char id[64];
    text_copy(id, sizeof id, device_id);
    for (char *c = id; *c; c++)
        if (*c == ':' || *c == '/')
            *c = '-';
    snprintf(to, PATH_ROOM, "%.4090s.log/%s.txt", journal_path, id);
}

/* A file descriptor; -1 if the file cannot be opened. */
static int log_open(const char *journal_path, const char *device_id)
{
    char path[PATH_ROOM];
    folder_of(path, journal_path);
    mkdir(path, 0777);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* others may have put a link there */
    file_of(path, journal_path, device_id);
    int file = openat(folder, strrchr(path, '/') + 1, O_CREAT | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (folder >= 0)
        close(folder);
    return file;
}

struct client *driver_log_client(const char *journal_path, const struct worker_setup *setup,
                                 const struct device *device, struct error *err)
{
    int log = log_open(journal_path, device->id);
    struct client *client = client_start(setup, device->works_in_host_memory, log, err);
    if (log >= 0)
        close(log);
    return client;
}

static long time_of_writing(const struct stat *about)
{
    return about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec;
}

long driver_log_written(const char *journal_path, const char *device_id)
{
    char path[PATH_ROOM];
    struct stat about;
    file_of(path, journal_path, device_id);
    return stat(path, &about) == 0 && about.st_size > 0 ? time_of_writing(&about) : 0;
}

void driver_log_tail(char *to, size_t room, const char *journal_path, const char *device_id, long before)
{
    char path[PATH_ROOM], tail[TAIL];
    struct stat about;
    file_of(path, journal_path, device_id);
    to[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    bool is_new = fstat(fd, &about) == 0 && time_of_writing(&about) != before;
    if (is_new && about.st_size > TAIL - 1)
        lseek(fd, -(TAIL - 1), SEEK_END);
    ssize_t got = is_new ? read(fd, tail, sizeof tail - 1) : 0;
    close(fd);
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r'))
        got--;
    if (got <= 0)
        return;
    tail[got] = '\0';
    const char *line = strrchr(tail, '\n');
    text_clean(to, room, line ? line + 1 : tail);
}

void driver_log_tidy(const char *journal_path, const char *device_id)
{
    char path[PATH_ROOM];
    struct stat about;
    file_of(path, journal_path, device_id);
    if (stat(path, &about) == 0 && about.st_size == 0)
        unlink(path);
    folder_of(path, journal_path);
    rmdir(path);
}
