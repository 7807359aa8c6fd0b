#include "bench/schedule/journal_path.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_ROOM = 256 };

/* The first of these environment variables that is set; "": none. */
static const char *first_set(const char *const names[])
{
    for (; *names; names++)
        if (getenv(*names) && *getenv(*names))
            return getenv(*names);
    return "";
}

/* The value of the placeholder at the start of a path. Returns its length, or 0 with err. */
static size_t read_placeholder(const char *path, char value[VALUE_ROOM], struct error *err)
{
    static const char *const nodes[] = { "SLURMD_NODENAME", NULL }; /* several of a test cluster share a machine */
    static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", NULL };
    const size_t length = strcspn(path, "}") + 1;
    char date[21];
    if (strncmp(path, "{host}", length) == 0) {
        text_copy(value, VALUE_ROOM, first_set(nodes));
        if (!*value && (gethostname(value, VALUE_ROOM) != 0 || !*value))
            fail(err, STATUS_FAILED, "--journal: {host}: this system has no name");
    } else if (strncmp(path, "{date}", length) == 0) {
        clock_date(date);
        snprintf(value, VALUE_ROOM, "%.10s", date);
    } else if (strncmp(path, "{job}", length) == 0) {
        text_copy(value, VALUE_ROOM, first_set(jobs));
        if (!*value)
            fail(err, STATUS_USAGE,
                 "--journal: {job}: this is no batch job: none of SLURM_JOB_ID, PBS_JOBID, LSB_JOBID is set");
    } else {
        fail(err, STATUS_USAGE, "--journal: '%.40s' is no placeholder; they are {host}, {date} and {job}", path);
    }
    for (char *c = value; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '-';
    return *value ? length : 0;
}

bool journal_path_expand(char *to, size_t room, const char *path, struct error *err)
{
    to[0] = '\0';
    while (*path) {
        char value[VALUE_ROOM] = "";
        const size_t length = *path == '{' ? read_placeholder(path, value, err) : 1;
        if (length == 0)
            return false;
        if (*path != '{')
            value[0] = *path;
        if (strlen(to) + strlen(value) >= room)
            return fail(err, STATUS_USAGE, "--journal: a path of more than %zu bytes", room - 1);
        strcat(to, value);
        path += length;
    }
    return true;
}
