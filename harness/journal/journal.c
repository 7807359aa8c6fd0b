#include "harness/journal/journal.h"

#include "harness/journal/jsonline.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINE_MAX_BYTES = 4 << 20, /* of one line, fifty times the longest slice; parsed, it may take 80 times as much */
};

struct journal {
    int fd;
    bool is_file;       /* not a pipe or a device */
    struct error first; /* what went wrong first; everything after it fails the same way */
    char path[4096];
};

/* Never empties anything: what is in a file may be all that is left of hours of measuring. */
static bool file_open(struct journal *journal, const char *path, struct error *err)
{
    struct stat status;
    journal->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0 || fstat(journal->fd, &status) != 0) {
        fail(err, STATUS_FAILED, "cannot write the journal %.120s: %s", path, strerror(errno));
        if (journal->fd >= 0)
            close(journal->fd);
        return false;
    }
    journal->is_file = S_ISREG(status.st_mode);
    if (journal->is_file && flock(journal->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(journal->fd);
        return fail(err, STATUS_USAGE, "%.120s is being written by another run: name another", path);
    }
    if (!journal->is_file || status.st_size == 0)
        return true;
    close(journal->fd);
    return fail(err, STATUS_USAGE, "%.120s exists already: name another, or remove it", path);
}

/* A new file survives the machine's end only with its folder saved too. Where that is not possible there is nothing to
 * be done about it, and the journal itself is still worth writing. */
static void save_name(const char *path)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

struct journal *journal_create(const char *path, struct error *err)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal) {
        fail(err, STATUS_NO_MEMORY, "no memory for the journal %s", path);
        return NULL;
    }
    snprintf(journal->path, sizeof journal->path, "%s", path);
    if (!file_open(journal, path, err)) {
        free(journal);
        return NULL;
    }
    if (journal->is_file)
        save_name(path);
    return journal;
}

/* Where the last line begins that has no end; the size of the file where each has one. -1: it cannot be read. */
static off_t whole_lines(int fd)
{
    char bytes[4096];
    off_t end = lseek(fd, 0, SEEK_END);
    while (end > 0) {
        off_t begin = end > (off_t)sizeof bytes ? end - (off_t)sizeof bytes : 0;
        ssize_t got = pread(fd, bytes, (size_t)(end - begin), begin);
        if (got != end - begin)
            return -1;
        for (; end > begin; end--)
            if (bytes[end - begin - 1] == '\n')
                return end;
    }
    return end;
}

struct journal *journal_reopen(const char *path, struct error *err)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal) {
        fail(err, STATUS_NO_MEMORY, "no memory for the journal %s", path);
        return NULL;
    }
    snprintf(journal->path, sizeof journal->path, "%s", path);
    journal->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    journal->is_file = true;
    struct stat status;
    if (journal->fd < 0 || fstat(journal->fd, &status) != 0)
        fail(err, STATUS_USAGE, "cannot go on with %.120s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        fail(err, STATUS_USAGE, "cannot go on with %.120s: it is no file", path);
    else if (flock(journal->fd, LOCK_EX | LOCK_NB) != 0)
        fail(err, STATUS_USAGE, "%.120s is being written by another run: wait until that has ended", path);
    else
        return journal;
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal);
    return NULL;
}

bool journal_mend(struct journal *journal, bool is_truncated, struct error *err)
{
    off_t whole = whole_lines(journal->fd), size = lseek(journal->fd, 0, SEEK_END);
    bool mended =
        whole >= 0 &&
        (whole == size || (is_truncated ? ftruncate(journal->fd, whole) == 0 : write(journal->fd, "\n", 1) == 1));
    return mended ||
           fail(err, STATUS_FAILED, "cannot mend the last line of %.120s: %s", journal->path, strerror(errno));
}

/* Straight to the kernel, with no buffer of ours in between: a failed write must not be tried again later, behind lines
 * that came after it. */
static bool write_all(struct journal *journal, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(journal->fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail(&journal->first, STATUS_FAILED, "cannot write the journal %.120s: %s", journal->path,
                        strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_line(struct journal *journal, const json_t *line)
{
    if (journal->first.status != STATUS_OK)
        return false;
    char *text = json_dumps(line, JOURNAL_FORMAT);
    if (!text)
        return fail(&journal->first, STATUS_FAILED,
                    "cannot write the journal %.100s: a line is no JSON or memory is short", journal->path);
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the terminator: line and end go out in one write */
    bool written = write_all(journal, text, length + 1);
    free(text);
    return written;
}

static bool is_kind(const json_t *json, const char *kind)
{
    const char *line = json_string_value(json_object_get(json, "line"));
    return line && strcmp(line, kind) == 0;
}

/* Pipes, terminals and some file systems cannot be synchronised, and need not be. */
static bool synchronise(struct journal *journal)
{
    if (fdatasync(journal->fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == ENOSYS)
        return true;
    return fail(&journal->first, STATUS_FAILED, "cannot save the journal %.120s: %s", journal->path, strerror(errno));
}

/* A driver can take the machine down, and what led there is what one wants to read afterwards. Slices come too often,
 * in the midst of measuring. */
static bool must_be_saved(const json_t *line)
{
    return is_kind(line, "first") || is_kind(line, "outcome") || is_kind(line, "done") || is_kind(line, "end");
}

bool journal_write(struct journal *journal, const json_t *line, struct error *err)
{
    if (write_line(journal, line) && (!must_be_saved(line) || synchronise(journal)))
        return true;
    return fail_in(err, journal->first.where, journal->first.status, "%s", journal->first.message);
}

bool journal_close(struct journal *journal, struct error *err)
{
    if (!journal)
        return true;
    synchronise(journal);
    if (close(journal->fd) != 0)
        fail(&journal->first, STATUS_FAILED, "cannot close the journal %.120s: %s", journal->path, strerror(errno));
    struct error first = journal->first;
    free(journal);
    return first.status == STATUS_OK || fail_in(err, first.where, first.status, "%s", first.message);
}

/* What is read of the file at a time, and how far that is used up. */
struct input {
    FILE *file;
    size_t at, end;
    char chunk[1 << 16];
};

/* One line of the file in a buffer that grows to LINE_MAX_BYTES and no further. */
struct line {
    char *bytes;
    size_t length, room; /* room for one byte more than the length */
    unsigned long number;
    bool ended;    /* by a line break, not by the end of the file */
    bool too_long; /* cut at LINE_MAX_BYTES */
};

/* False at the end of the file. */
static bool input_fill(struct input *in)
{
    if (in->at < in->end)
        return true;
    in->at = 0;
    in->end = fread(in->chunk, 1, sizeof in->chunk, in->file);
    return in->end > 0;
}

/* Passes over what there is of the line here, and its end: how many bytes of it there were. */
static size_t input_take(struct input *in, bool *ended)
{
    const char *start = in->chunk + in->at, *end = memchr(start, '\n', in->end - in->at);
    size_t length = end ? (size_t)(end - start) : in->end - in->at;
    in->at += length + (end != NULL);
    *ended = end != NULL;
    return length;
}

static bool line_append(struct line *line, const char *bytes, size_t count, struct error *err)
{
    size_t room = line->room ? line->room : 4096;
    while (room <= line->length + count)
        room *= 2;
    if (room > line->room) {
        char *grown = realloc(line->bytes, room);
        if (!grown)
            return fail(err, STATUS_NO_MEMORY, "no memory for line %lu of %zu bytes", line->number, room);
        line->bytes = grown;
        line->room = room;
    }
    memcpy(line->bytes + line->length, bytes, count);
    line->length += count;
    return true;
}

/* Reads on until the line's end, the file's, or the limit. False with err unset: there is no further line. */
static bool line_read(struct line *line, struct input *in, struct error *err)
{
    line->number++;
    line->length = 0;
    line->ended = line->too_long = false;
    bool is_empty = true;
    while (!line->ended && !line->too_long && input_fill(in)) {
        const char *bytes = in->chunk + in->at;
        size_t count = input_take(in, &line->ended), left = LINE_MAX_BYTES - line->length;
        is_empty = false;
        line->too_long = count > left;
        if (!line_append(line, bytes, line->too_long ? left : count, err))
            return false;
    }
    return !is_empty;
}

static void line_skip_rest(struct line *line, struct input *in)
{
    while (!line->ended && input_fill(in))
        input_take(in, &line->ended);
}

/* A line is a JSON object that says of which kind it is. One that names a member twice contradicts itself: refused. */
static json_t *line_parse(const struct line *line)
{
    if (line->too_long || line->length == 0)
        return NULL;
    json_t *json = jsonline_parse(line->bytes, line->length);
    if (json && json_is_string(json_object_get(json, "line")))
        return json;
    json_decref(json);
    return NULL;
}

/* Whether the file begins as our reports in JSON do, which are one object over many lines. */
static bool is_report(const struct input *in)
{
    static const char begins[] = "{\n  \"runs\": [";
    return in->end >= strlen(begins) && memcmp(in->chunk, begins, strlen(begins)) == 0;
}

/* The first line decides whether this is a journal, and whether it is one that we can read. */
static bool check_head(const json_t *head, const struct input *in, const char *path, struct error *err)
{
    static const char family[] = "bench-journal/";
    if (!head && is_report(in))
        return fail(err, STATUS_USAGE, "%.120s is a report, not a journal: give the journal that it was made of", path);
    if (!head)
        return fail(err, STATUS_USAGE, "%.120s is not a bench journal: line 1 is not one of its JSON objects", path);
    const char *schema = json_string_value(json_object_get(head, "schema"));
    if (!is_kind(head, "journal") || !schema)
        return fail(err, STATUS_USAGE, "%.120s is not a bench journal: line 1 names no schema \"%s\"", path,
                    JOURNAL_SCHEMA);
    if (strcmp(schema, JOURNAL_SCHEMA) == 0)
        return true;
    if (strncmp(schema, family, strlen(family)) == 0)
        return fail(err, STATUS_USAGE,
                    "%.100s is a %.40s, and this bench reads %s: report it with the version of bench that wrote it",
                    path, schema, JOURNAL_SCHEMA);
    return fail(err, STATUS_USAGE, "%.120s is not a bench journal: its schema is \"%.40s\", not \"%s\"", path, schema,
                JOURNAL_SCHEMA);
}

static bool take_line(const json_t *json, const struct line *line, journal_take *take, void *context,
                      struct journal_faults *faults, struct error *err)
{
    faults->line = line->number;
    if (json) {
        faults->complete = (faults->complete || is_kind(json, "end")) && !is_kind(json, "resume");
        return take(context, json, err);
    }
    if (!line->ended) {
        faults->truncated = true;
        return true;
    }
    if (faults->bad_lines++ == 0)
        faults->first_bad = line->number;
    return true;
}

static bool read_lines(struct input *in, const char *path, struct line *line, journal_take *take, void *context,
                       struct journal_faults *faults, struct error *err)
{
    struct error local = { 0 };
    while (line_read(line, in, &local)) {
        json_t *json = line_parse(line);
        bool go_on = line->number > 1 || check_head(json, in, path, &local);
        if (line->number > 1 && json && is_kind(json, "journal")) {
            faults->second_head = line->number;
            json_decref(json);
            return true;
        }
        if (go_on && line->too_long)
            line_skip_rest(line, in);
        go_on = go_on && take_line(json, line, take, context, faults, &local);
        json_decref(json);
        if (!go_on)
            return fail_in(err, local.where, local.status, "%s", local.message);
    }
    if (local.status != STATUS_OK)
        return fail_in(err, local.where, local.status, "%.120s: %s", path, local.message);
    if (ferror(in->file))
        return fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    if (line->number == 1)
        return fail(err, STATUS_USAGE, "%.120s is empty: not a bench journal", path);
    return true;
}

bool journal_read(const char *path, journal_take *take, void *context, struct journal_faults *faults, struct error *err)
{
    struct journal_faults unused;
    faults = faults ? faults : &unused;
    *faults = (struct journal_faults){ 0 };
    struct input *in = calloc(1, sizeof *in);
    if (!in)
        return fail(err, STATUS_NO_MEMORY, "no memory to read %.120s", path);
    in->file = fopen(path, "re");
    if (!in->file) {
        free(in);
        return fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    }
    struct line line = { 0 };
    errno = 0;
    bool read = read_lines(in, path, &line, take, context, faults, err);
    free(line.bytes);
    fclose(in->file);
    free(in);
    return read;
}

json_t *journal_ns(double seconds)
{
    const double limit = 9e18; /* safely inside a 64-bit integer */
    double ns = seconds * 1e9;
    if (!isfinite(ns) || fabs(ns) > limit)
        return json_null();
    return json_integer((json_int_t)llround(ns));
}

double journal_seconds(const json_t *ns)
{
    return json_is_number(ns) ? json_number_value(ns) / 1e9 : NAN;
}
