#include "bench/worker/driver_log.h"

#include "harness/base/file.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4200 };

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
    char folder[PATH_ROOM], file[PATH_ROOM];
    folder_of(folder, journal_path);
    folder_make(folder);
    file_of(file, journal_path, device_id);
    return file_append_in(folder, strrchr(file, '/') + 1); /* others may have put a link there */
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
