#include "bench/schedule/journal_path.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_ROOM = 256 };

static bool host_value(char to[VALUE_ROOM], struct error *err)
{
    const char *node = getenv("SLURMD_NODENAME"); /* several nodes of a test cluster share a machine */
    if (node && *node)
        text_copy(to, VALUE_ROOM, node);
    else if (gethostname(to, VALUE_ROOM) != 0 || !*to)
        return fail(err, STATUS_FAILED, "--journal: {host}: this system has no name");
    return true;
}

static bool date_value(char to[VALUE_ROOM], struct error *err)
{
    (void)err;
    char date[21];
    clock_date(date);
    snprintf(to, VALUE_ROOM, "%.10s", date);
    return true;
}

static bool job_value(char to[VALUE_ROOM], struct error *err)
{
    static const char *const variables[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID" };
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *job = getenv(variables[i]);
        if (job && *job) {
            text_copy(to, VALUE_ROOM, job);
            return true;
        }
    }
    return fail(err, STATUS_USAGE,
                "--journal: {job}: this is no batch job: none of SLURM_JOB_ID, PBS_JOBID, LSB_JOBID is set");
}

static const struct placeholder {
    const char *name;
    bool (*value)(char to[VALUE_ROOM], struct error *err);
} placeholders[] = { { "{host}", host_value }, { "{date}", date_value }, { "{job}", job_value } };

/* The placeholder at the start of a text; NULL: none. */
static const struct placeholder *placeholder_at(const char *text)
{
    for (unsigned i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (strncmp(text, placeholders[i].name, strlen(placeholders[i].name)) == 0)
            return &placeholders[i];
    return NULL;
}

bool journal_path_expand(char *to, size_t room, const char *path, struct error *err)
{
    bool fits = room > 0;
    to[0] = '\0';
    while (*path && fits) {
        char value[VALUE_ROOM] = { *path, '\0' };
        const struct placeholder *placeholder = placeholder_at(path);
        if (!placeholder && *path == '{')
            return fail(err, STATUS_USAGE, "--journal: '%.40s' is no placeholder; they are {host}, {date} and {job}",
                        path);
        if (placeholder && !placeholder->value(value, err))
            return false;
        for (char *c = value; placeholder && *c; c++)
            if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
                *c = '-';
        fits = strlen(to) + strlen(value) < room;
        if (fits)
            strcat(to, value);
        path += placeholder ? strlen(placeholder->name) : 1;
    }
    return fits || fail(err, STATUS_USAGE, "--journal: a path of more than %zu bytes", room - 1);
}
