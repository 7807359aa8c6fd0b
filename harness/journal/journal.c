#include "harness/journal/journal.h"

#include "harness/base/file.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINE_MAX_BYTES = 4 << 20, /* of one line: fifty times the longest slice; parsing may take 80 times as much memory */
};

struct journal {
    int fd;
    struct error first; /* the first failure; every later call fails with it */
    char path[PATH_MAX];
};

/* Never truncates a file: it may hold all that is left of hours of measuring. */
struct journal *journal_open(const char *path, enum journal_use use, struct error *err)
{
    const bool is_new = use != JOURNAL_RESUMED, is_own = use == JOURNAL_OWN;
    struct stat status;
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for the journal %s", path);
    text_copy(journal->path, sizeof journal->path, path);
    journal->fd = file_append(path,
                              is_own   ? O_WRONLY | O_CREAT | O_EXCL
                              : is_new ? O_WRONLY | O_CREAT
                                       : O_RDWR,
                              is_own);
    const bool is_open = journal->fd >= 0 && fstat(journal->fd, &status) == 0;
    const bool is_file = is_open && S_ISREG(status.st_mode); /* not a pipe or a device */
    if (!is_open)
        fail(err, is_new ? STATUS_FAILED : STATUS_USAGE, "cannot %s %.120s: %s",
             is_new ? "write the journal" : "resume", path, strerror(errno));
    else if (!is_new && !is_file)
        fail(err, STATUS_USAGE, "cannot resume %.120s: it is no file", path);
    else if (is_file && !file_lock(journal->fd, false) && errno == EWOULDBLOCK)
        fail(err, STATUS_USAGE, "%.120s is being written by another run: %s", path,
             is_new ? "name another" : "wait until that has ended");
    else if (is_new && status.st_size > 0) /* a pipe has none */
        fail(err, STATUS_USAGE, "%.120s exists already: name another, or remove it", path);
    else {
        if (is_new && is_file) /* it survives a crash of the machine only with its name */
            file_save_name(path);
        return journal;
    }
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal);
    return NULL;
}

/* The size of all complete lines. -1: the file cannot be read. */
static off_t whole_lines(int fd)
{
    char bytes[4096];
    off_t end = lseek(fd, 0, SEEK_END);
    while (end > 0) {
        off_t begin = end > (off_t)sizeof bytes ? end - (off_t)sizeof bytes : 0;
        long got = file_read_at(fd, bytes, (size_t)(end - begin), begin);
        if (got != end - begin)
            return -1;
        for (; end > begin; end--)
            if (bytes[end - begin - 1] == '\n')
                return end;
    }
    return end;
}

bool journal_mend(struct journal *journal, bool is_truncated, struct error *err)
{
    off_t whole = whole_lines(journal->fd), size = lseek(journal->fd, 0, SEEK_END);
    bool mended =
        whole >= 0 &&
        (whole == size || (is_truncated ? ftruncate(journal->fd, whole) == 0 : write(journal->fd, "\n", 1) == 1));
    return mended ||
           fail(err, STATUS_FAILED, "cannot repair the last line of %.120s: %s", journal->path, strerror(errno));
}

/* No buffer of stdio in between: it would try a failed write again later, after other lines. */
static bool write_all(struct journal *journal, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(journal->fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail(&journal->first, STATUS_FAILED, "cannot write the journal %.120s: %s%s", journal->path,
                        strerror(errno), errno == EFBIG ? " (ulimit -f unlimited allows more)" : "");
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_line(struct journal *journal, const json_t *line)
{
    if (journal->first.status != STATUS_OK)
        return false;
    char *text = json_is_object(line) ? json_dumps(line, JOURNAL_FORMAT) : NULL;
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

static bool synchronise(struct journal *journal)
{
    return file_save(journal->fd) ||
           fail(&journal->first, STATUS_FAILED, "cannot save the journal %.120s: %s", journal->path, strerror(errno));
}

bool journal_write(struct journal *journal, const json_t *line, struct error *err)
{
    /* A driver can crash the machine, and then the last lines say why. Slices are too frequent to be saved one by one.
     */
    const bool is_saved =
        is_kind(line, "first") || is_kind(line, "outcome") || is_kind(line, "done") || is_kind(line, "end");
    if (write_line(journal, line) && (!is_saved || synchronise(journal)))
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

/* One line of the file, in a buffer of LINE_MAX_BYTES and one byte more. */
struct line {
    char *bytes;
    size_t length;
    unsigned long number;
    bool ended;    /* by a line break, not by the end of the file */
    bool too_long; /* cut at LINE_MAX_BYTES */
};

/* Reads up to the end of the line or of the file, or the limit. False where there is no further line. A byte 0 in the
 * last, incomplete line ends it: a crash of the machine may leave a block of them. */
static bool line_read(struct line *line, FILE *in)
{
    line->number++;
    if (!fgets(line->bytes, LINE_MAX_BYTES + 1, in))
        return false;
    const char *end = feof(in) ? NULL : memchr(line->bytes, '\n', LINE_MAX_BYTES);
    line->ended = end != NULL;
    line->too_long = !end && !feof(in);
    line->length = end ? (size_t)(end - line->bytes) : line->too_long ? LINE_MAX_BYTES : strlen(line->bytes);
    return true;
}

/* NULL unless the line is a JSON object with a kind and no member twice. jansson passes over a byte 0 behind a number
 * or a word, which is no JSON. */
static json_t *line_parse(const struct line *line)
{
    bool is_text = !line->too_long && !memchr(line->bytes, '\0', line->length);
    json_t *json = is_text ? json_loadb(line->bytes, line->length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_is_string(json_object_get(json, "line")))
        return json;
    json_decref(json);
    return NULL;
}

/* Whether the file begins as our JSON reports do, which are one object over many lines. */
static bool is_report(struct line *line, FILE *in)
{
    static const char second[] = "  \"schema\": \"bench-";
    return line->length == 1 && *line->bytes == '{' && line_read(line, in) && line->length >= strlen(second) &&
           memcmp(line->bytes, second, strlen(second)) == 0;
}

/* Nothing but blanks: no line is lost there. A block of bytes 0 is no such line. */
static bool line_is_blank(const struct line *line)
{
    return line->length + line->ended > 0 && strspn(line->bytes, " \t\r\n") >= line->length;
}

/* What else a file is by its first bytes, and what makes a journal of it; NULL: unknown. */
static const char *other_kind(const char *bytes)
{
    static const struct {
        const char *begins, *is;
    } kinds[] = {
        { "\x1f\x8b", "compressed: unpack it with gunzip" },
        { "\xff\xfe", "in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'" },
        { "\xfe\xff", "in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'" },
        { "\xef\xbb\xbf", "in UTF-8 with a byte order mark (BOM): remove it with 'tail -c +4'" },
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(bytes, kinds[i].begins, strlen(kinds[i].begins)) == 0)
            return kinds[i].is;
    return NULL;
}

/* The first line shows whether this is a journal that we can read. */
static bool check_head(const json_t *head, struct line *line, FILE *in, const char *path, struct error *err)
{
    static const char family[] = "bench-journal/";
    const char *other = head ? NULL : other_kind(line->bytes);
    if (other)
        return fail(err, STATUS_USAGE, "%.120s is %s", path, other);
    if (!head && is_report(line, in))
        return fail(err, STATUS_USAGE, "%.120s is a report, not a journal: give the journal that it was made of", path);
    if (!head)
        return fail(err, STATUS_USAGE, "%.120s is not a bench journal: line 1 is not one of its JSON objects", path);
    const char *schema = json_string_value(json_object_get(head, "schema"));
    if (!is_kind(head, "journal") || !schema)
        return fail(err, STATUS_USAGE, "%.120s is not a bench journal: line 1 names no schema \"%s\"", path,
                    JOURNAL_SCHEMA);
    if (strcmp(schema, JOURNAL_SCHEMA) == 0 || strcmp(schema, JOURNAL_SCHEMA_3) == 0)
        return true;
    if (strncmp(schema, family, strlen(family)) == 0)
        return fail(err, STATUS_USAGE,
                    "%.100s is a %.40s, and this bench reads " JOURNAL_SCHEMA_3 " and " JOURNAL_SCHEMA
                    ": report it with the version of bench that wrote it",
                    path, schema);
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

static bool read_lines(FILE *in, const char *path, struct line *line, journal_take *take, void *context,
                       struct journal_faults *faults, struct error *err)
{
    while (line_read(line, in)) {
        if (line->number > 1 && line_is_blank(line))
            continue;
        json_t *json = line_parse(line);
        bool go_on = line->number > 1 || check_head(json, line, in, path, err);
        if (line->number > 1 && json && is_kind(json, "journal")) {
            faults->second_head = line->number;
            json_decref(json);
            return true;
        }
        for (int byte = 0; go_on && line->too_long && !line->ended && byte != EOF;) {
            byte = getc_unlocked(in);
            line->ended = byte == '\n';
        }
        go_on = go_on && take_line(json, line, take, context, faults, err);
        json_decref(json);
        if (!go_on)
            return false;
    }
    if (ferror(in))
        return fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    if (line->number == 1)
        return fail(err, STATUS_USAGE, "%.120s is empty: not a bench journal", path);
    return true;
}

bool journal_read(const char *path, journal_take *take, void *context, struct journal_faults *faults, struct error *err)
{
    struct journal_faults unused;
    struct line line = { .bytes = malloc(LINE_MAX_BYTES + 1) };
    faults = faults ? faults : &unused;
    *faults = (struct journal_faults){ 0 };
    FILE *in = line.bytes ? file_open(path, "r") : NULL;
    bool read = in && read_lines(in, path, &line, take, context, faults, err);
    if (!line.bytes)
        fail(err, STATUS_NO_MEMORY, "no memory to read %.120s", path);
    else if (!in)
        fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    else
        fclose(in);
    free(line.bytes);
    return read;
}

const char *journal_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}
