#include "bench/worker/driver_log.h"

#include "harness/base/file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4200 };

/* The log of the device, "FOLDER/opencl-0.txt". Returns the name within the folder. */
static const char *file_of(char to[PATH_ROOM], const char *journal_path, const char *device_id)
{
    const int folder = snprintf(to, PATH_ROOM, "%.4090s.log/", journal_path);
    char *name = to + folder;
    snprintf(name, PATH_ROOM - (size_t)folder, "%.64s.txt", device_id);
    for (char *c = name; *c; c++)
        if (*c == ':' || *c == '/')
            *c = '-';
    return name;
}

struct client *driver_log_client(const char *journal_path, const struct worker_setup *setup,
                                 const struct device *device, struct error *err)
{
    char folder[PATH_ROOM], file[PATH_ROOM];
    snprintf(folder, sizeof folder, "%.4090s.log", journal_path);
    folder_make(folder);
    /* others may have put a link there */
    const int log = file_append_in(folder, file_of(file, journal_path, device->id));
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
    snprintf(path, sizeof path, "%.4090s.log", journal_path);
    rmdir(path);
}
