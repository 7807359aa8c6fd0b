#include "harness/journal/run_log.h"

#include "harness/base/atomic_file.h"
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/process.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool run_log_folder(char *to, size_t room, int access_mode, struct error *err)
{
    char state[PATH_MAX];
    const char *why;
    if (folder_of_user(FOLDER_STATE, state) && snprintf(to, room, "%s/bench/", state) < (int)room &&
        folder_make_for(to, NULL) && access(to, access_mode) == 0)
        return true;
    return folder_make_own(to, room, "bench", 022, &why)
               ? text_append(to, room, "/")
               : fail(err, STATUS_FAILED, "no folder for journals, %.100s: %s; set HOME, or name a --journal", to, why);
}

static bool default_path(char *to, size_t room, struct error *err)
{
    const struct text date = clock_date();
    if (!run_log_folder(to, room, W_OK, err))
        return false;
    for (const char *c = date.text; *c; c++)
        text_append(to, room, "%.*s", *c != '-' && *c != ':', c);
    text_append(to, room, "-%ld.jsonl", (long)getpid());
    return true;
}

/* The first of these environment variables that is set; "": none. */
static const char *first_set(const char *const names[])
{
    for (; *names; names++)
        if (getenv(*names) && *getenv(*names))
            return getenv(*names);
    return "";
}

/* The value of the placeholder at the start of a path, so many bytes long; "" with err where it has none. */
static struct text placeholder_value(const char *path, size_t length, struct error *err)
{
    static const char *const nodes[] = { "SLURMD_NODENAME", NULL }; /* several of a test cluster share a machine */
    static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", NULL };
    struct text value = { "" };
    if (strncmp(path, "{host}", length) == 0) {
        value = text_print("%s", first_set(nodes));
        if (!*value.text && !process_host_name(value.text, sizeof value.text))
            fail(err, STATUS_FAILED, "--journal: {host}: this system has no name");
    } else if (strncmp(path, "{date}", length) == 0) {
        value = text_print("%.10s", clock_date().text);
    } else if (strncmp(path, "{job}", length) == 0) {
        value = text_print("%s", first_set(jobs));
        if (!*value.text)
            fail(err, STATUS_USAGE,
                 "--journal: {job}: this is no batch job: none of SLURM_JOB_ID, PBS_JOBID, LSB_JOBID is set");
    } else {
        fail(err, STATUS_USAGE, "--journal: '%.40s' is no placeholder; they are {host}, {date} and {job}", path);
    }
    for (char *c = value.text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '-';
    return value;
}

bool run_log_path(char *to, size_t room, const char *path, struct error *err)
{
    to[0] = '\0';
    while (*path) {
        const size_t plain = strcspn(path, "{"), length = plain > 0 ? plain : strcspn(path, "}") + 1;
        const struct text value =
            plain > 0 ? text_print("%.*s", (int)plain, path) : placeholder_value(path, length, err);
        if (!*value.text)
            return false;
        if (!text_append(to, room, "%s", value.text))
            return fail(err, STATUS_USAGE, "--journal: a path of more than %zu bytes", room - 1);
        path += length;
    }
    return true;
}

/* Removes the new journal of a disk that has no room for it. */
static bool has_room(const char *path, struct error *err)
{
    static const double needed = 8e6; /* bytes: more than a run of the standard suite writes */
    struct stat is;
    const bool is_file = stat(path, &is) == 0 && S_ISREG(is.st_mode);
    const double room = is_file ? disk_room(path) : NAN;
    if (!(room < needed))
        return true;
    unlink(path);
    return fail(err, STATUS_USAGE,
                "the disk of the journal %.80s has %s left, and a run may need %s: make room, or "
                "name another with --journal",
                path, text_bytes(room).text, text_bytes(needed).text);
}

bool run_log_open(struct run_log *out, const char *path, bool *interrupted, struct error *err)
{
    *out = (struct run_log){ .started = clock_wall(), .interrupted = interrupted };
    if (!(path ? run_log_path(out->path, sizeof out->path, path, err) : default_path(out->path, sizeof out->path, err)))
        return false;
    out->record = record_new();
    if (!out->record)
        return fail(err, STATUS_NO_MEMORY, "no memory for a record");
    out->journal = journal_open(out->path, path ? JOURNAL_NEW : JOURNAL_OWN, err);
    return out->journal && has_room(out->path, err);
}

/* Seconds from the start to the end of the run, or to its last slice. */
static double seconds_until(const struct record *record)
{
    double latest = fmax(0, record->elapsed); /* fmax(0, NAN) is 0 */
    for (unsigned i = 0; i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++) {
            const struct track *track = &record->cell[i]->track[series];
            if (track->slices > 0)
                latest = fmax(latest, track->slice[track->slices - 1].at);
        }
    return latest;
}

void run_log_reopen(struct run_log *out, const char *path, bool *interrupted, struct journal *journal,
                    struct record *record)
{
    *out = (struct run_log){ .journal = journal, .record = record, .interrupted = interrupted };
    out->started = clock_wall() - seconds_until(record);
    text_copy(out->path, sizeof out->path, path);
}

bool run_log_has(const struct run_log *run_log, const char *block)
{
    const struct block_record *found = run_log->record ? record_find_block(run_log->record, block) : NULL;
    return found && found->is_done;
}

void run_log_write(struct run_log *run_log, const struct journal_line *line)
{
    json_t *json = line_to_json(line);
    *run_log->interrupted |= !journal_write(run_log->journal, json, &run_log->fault);
    record_add(run_log->record, json, &run_log->fault);
    json_decref(json);
}

void run_log_write_json(struct run_log *run_log, enum line_kind kind, json_t *members)
{
    run_log_write(run_log, &(struct journal_line){ .kind = kind, .json = members });
    json_decref(members);
}

void run_log_note(struct run_log *run_log, const char *cell, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    run_log_write(run_log, &(struct journal_line){ .kind = LINE_NOTE, .cell = cell, .text = text });
}

void run_log_close(struct run_log *run_log)
{
    if (run_log->journal)
        journal_close(run_log->journal, &run_log->fault);
    run_log->journal = NULL;
}

void run_log_free(struct run_log *run_log)
{
    run_log_close(run_log);
    record_free(run_log->record);
    run_log->record = NULL;
}
