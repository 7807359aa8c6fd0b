#include "harness/journal/journal.h"

#include "harness/base/fields.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAD "{\"line\":\"journal\",\"schema\":\"bench-journal/3\"}\n"
#define NOTE "{\"line\":\"note\",\"cell\":\"\",\"text\":\"hello\"}\n"
#define END  "{\"line\":\"end\",\"status\":\"complete\",\"elapsed_ns\":5}\n"

/* They replace those of the C library: they count, and fail on demand. */
static unsigned saved_data, saved_folders;
static int cannot_save; /* an errno; 0: saves */

int fdatasync(int fd)
{
    saved_data++;
    errno = cannot_save;
    return cannot_save ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    struct stat status;
    saved_folders += fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    errno = cannot_save;
    return cannot_save ? -1 : (int)syscall(SYS_fsync, fd);
}

/* The result of reading a file. */
struct reading {
    bool read;
    unsigned taken, stop_after; /* lines; stop_after 0: never */
    struct journal_faults faults;
    struct error err;
};

static bool count_line(void *context, const json_t *line, struct error *err)
{
    struct reading *reading = context;
    cr_assert(json_is_object(line));
    reading->taken++;
    if (reading->stop_after && reading->taken == reading->stop_after)
        return fail(err, STATUS_FAILED, "enough after %u lines", reading->taken);
    return true;
}

static struct reading read_path(const char *path, unsigned stop_after)
{
    struct reading reading = { .stop_after = stop_after };
    reading.read = journal_read(path, count_line, &reading, &reading.faults, &reading.err);
    cr_assert_eq(reading.read, reading.err.status == STATUS_OK);
    return reading;
}

/* The file of a test. */
static char path[32];

static void path_make(void)
{
    strcpy(path, "/tmp/bench-journal-XXXXXX");
    close(mkstemp(path));
}

static void path_remove(void)
{
    unlink(path);
}

TestSuite(journal, .init = path_make, .fini = path_remove);

static void write_bytes(const char *bytes, size_t size)
{
    FILE *out = fopen(path, "w");
    cr_assert(out && fwrite(bytes, 1, size, out) == size);
    fclose(out);
}

static void expect_content(const char *wanted)
{
    char text[512] = "";
    FILE *in = fopen(path, "r");
    cr_assert(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    cr_expect_str_eq(text, wanted, "it has %s", text);
}

static struct reading read_bytes(const char *bytes, size_t size)
{
    write_bytes(bytes, size);
    return read_path(path, 0);
}

static struct reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static struct journal *open_new(const char *at)
{
    struct error err = { 0 };
    struct journal *journal = journal_open(at, JOURNAL_NEW, &err);
    cr_assert(journal, "%s", err.message);
    return journal;
}

/* Nothing is opened, for that reason. */
static void expect_not_opened(const char *at, enum journal_use kind, const char *message)
{
    struct error err = { 0 };
    cr_expect_null(journal_open(at, kind, &err), "%s", at);
    cr_expect(strstr(err.message, message), "'%s' does not say '%s'", err.message, message);
}

static void expect_refused(const struct reading *reading, const char *because)
{
    cr_assert_not(reading->read);
    cr_assert_eq(reading->taken, 0);
    cr_assert_neq(strstr(reading->err.message, because), NULL, "\"%s\" does not say \"%s\"", reading->err.message,
                  because);
}

Test(journal, only_the_first_of_two_in_one_file_is_read)
{
    struct reading reading = read_text(HEAD "{\"line\":\"note\"}\n" HEAD "{\"line\":\"note\"}\nno JSON\n" END);
    cr_assert(reading.read);
    cr_assert_eq(reading.faults.second_head, 3);
    cr_assert_eq(reading.taken, 2);
    cr_assert_eq(reading.faults.line, 2);
    cr_assert(reading.faults.bad_lines == 0 && !reading.faults.complete, "nothing of the second counts");
    reading = read_text(HEAD END);
    cr_assert_eq(reading.faults.second_head, 0);
    cr_assert_eq(read_text(HEAD HEAD END).faults.second_head, 2);
}

/* Interrupted, resumed and killed; or resumed and ended. */
Test(journal, a_resumed_run_is_complete_once_it_has_ended_again)
{
#define RESUME "{\"line\":\"resume\"}\n"
    cr_expect(read_text(HEAD END).faults.complete);
    cr_expect(read_text(HEAD END NOTE).faults.complete);
    cr_expect_not(read_text(HEAD END RESUME).faults.complete);
    cr_expect_not(read_text(HEAD END RESUME NOTE).faults.complete);
    cr_expect(read_text(HEAD END RESUME NOTE END).faults.complete);
    cr_expect_not(read_text(HEAD END RESUME END RESUME NOTE).faults.complete);
}

Test(journal, written_lines_are_read_back)
{
    struct error err = { 0 };
    struct journal *journal = open_new(path);
    json_t *head = json_pack("{s:s, s:s, s:f}", "line", "journal", "schema", JOURNAL_SCHEMA, "third", 1.0 / 3.0),
           *end = json_pack("{s:s, s:o}", "line", "end", "elapsed_ns", seconds_to_json(1.5));
    cr_assert(journal_write(journal, head, &err));
    struct reading half_way = read_path(path, 0);
    cr_assert_eq(half_way.taken, 1, "a line is in the file as soon as it is written");
    cr_assert_not(half_way.faults.complete);
    cr_assert(journal_write(journal, end, &err));
    cr_assert(journal_close(journal, &err));
    expect_content("{\"line\":\"journal\",\"schema\":\"bench-journal/4\",\"third\":0.33333333333333331}\n"
                   "{\"line\":\"end\",\"elapsed_ns\":1500000000}\n");
    struct reading reading = read_path(path, 0);
    cr_assert(reading.read && reading.faults.complete && !reading.faults.truncated);
    cr_assert_eq(reading.taken, 2);
    cr_assert_eq(reading.faults.bad_lines, 0);
    json_decref(head);
    json_decref(end);
}

static bool write_kind(struct journal *journal, const char *kind, struct error *err)
{
    json_t *line = json_pack("{s:s}", "line", kind);
    bool written = journal_write(journal, line, err);
    json_decref(line);
    return written;
}

Test(journal, important_lines_are_saved_to_the_disk_at_once)
{
    static const struct {
        const char *kind;
        bool is_saved;
    } kinds[] = { { "journal", false }, { "cell", false },   { "first", true }, { "verify", false },
                  { "slice", false },   { "outcome", true }, { "end", true },   { "done", true } };
    unlink(path);
    struct journal *journal = open_new(path);
    cr_expect_eq(saved_folders, 1, "a new name is saved with its folder only");
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned before = saved_data;
        cr_expect(write_kind(journal, kinds[i].kind, NULL));
        cr_expect_eq(saved_data - before, kinds[i].is_saved, "%s: saved %u times", kinds[i].kind, saved_data - before);
    }
    cr_expect(journal_close(journal, NULL));
}

Test(journal, a_disk_that_fails_to_save_is_reported_and_one_that_cannot_is_not)
{
    static const struct {
        int code;
        bool is_failure;
    } cases[] = { { EINVAL, false }, { ENOTSUP, false }, { EROFS, false },
                  { ENOSYS, false }, { EIO, true },      { ENOSPC, true } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[128];
        struct error err = { 0 }, last = { 0 };
        write_bytes("", 0);
        cannot_save = cases[i].code;
        struct journal *journal = open_new(path);
        snprintf(want, sizeof want, "cannot save the journal %s: %s", path, strerror(cannot_save));
        cr_expect_eq(write_kind(journal, "outcome", &err), !cases[i].is_failure, "%s", strerror(cannot_save));
        cr_expect_eq(journal_close(journal, &last), !cases[i].is_failure);
        if (cases[i].is_failure) {
            cr_expect_str_eq(err.message, want);
            cr_expect_str_eq(last.message, want);
        }
    }
}

Test(journal, an_existing_file_is_never_overwritten)
{
    struct error err = { 0 };
    write_bytes(HEAD, strlen(HEAD));
    cr_assert_null(journal_open(path, JOURNAL_NEW, &err));
    cr_expect_eq(err.status, STATUS_USAGE);
    cr_expect(strstr(err.message, " exists already: name another, or remove it"), "%s", err.message);
    expect_content(HEAD);
}

/* In a folder for everyone the name of a journal can be guessed, and taken before. */
Test(journal, a_journal_of_our_own_is_no_file_that_was_prepared)
{
    char target[40];
    snprintf(target, sizeof target, "%s.target", path);
    close(open(target, O_CREAT, 0600));
    for (unsigned i = 0; i < 3; i++) { /* an empty file, a link to one, a link to nothing */
        expect_not_opened(path, JOURNAL_OWN, "File exists");
        unlink(i == 0 ? path : target);
        cr_assert(i > 0 || symlink(target, path) == 0);
    }
    cr_expect_eq(access(target, F_OK), -1, "the target of the link is made");
    unlink(path);
    struct error err = { 0 };
    struct journal *journal = journal_open(path, JOURNAL_OWN, &err);
    cr_expect(journal, "%s", err.message);
    cr_expect(journal_close(journal, &err));
}

Test(journal, pipes_and_devices_may_have_content)
{
    char text[32] = "";
    struct error err = { 0 };
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR); /* so that opening it does not wait */
    cr_assert_eq(write(reader, "before ", 7), 7);
    const char *const paths[] = { path, "/dev/null" };
    for (unsigned i = 0; i < 2; i++) {
        struct journal *journal = open_new(paths[i]);
        cr_expect(write_kind(journal, "end", &err), "%s", err.message);
        cr_expect(journal_close(journal, &err), "%s", err.message);
    }
    cr_expect_gt(read(reader, text, sizeof text - 1), 0);
    cr_expect_str_eq(text, "before {\"line\":\"end\"}\n");
    close(reader);
}

Test(journal, a_full_disk_fails_every_later_call)
{
    static const char full[] = "cannot write the journal /dev/full: No space left on device";
    struct error last = { 0 };
    struct journal *journal = journal_open("/dev/full", JOURNAL_NEW, &last);
    if (!journal)
        cr_skip_test("/dev/full cannot be opened here: %s", last.message);
    for (int i = 0; i < 2; i++) {
        struct error err = { 0 };
        cr_assert_not(write_kind(journal, "note", &err));
        cr_assert_eq(err.status, STATUS_FAILED);
        cr_assert_str_eq(err.message, full);
        cr_assert_str_eq(err.where, "write_all");
    }
    cr_assert_not(journal_close(journal, &last));
    cr_assert_str_eq(last.message, full);
    cr_assert(journal_close(NULL, NULL));
}

Test(journal, paths_that_cannot_be_written_or_read_are_named)
{
    expect_not_opened("/proc/nonexistent/run.jsonl", JOURNAL_NEW,
                      "cannot write the journal /proc/nonexistent/run.jsonl: No such file or directory");
    expect_not_opened("/", JOURNAL_NEW, "cannot write the journal /: Is a directory");
    expect_not_opened("/dev/null", JOURNAL_RESUMED, "cannot resume /dev/null: it is no file");
    struct reading absent = read_path("/proc/nonexistent/run.jsonl", 0), folder = read_path("/", 0),
                   endless = read_path("/dev/zero", 0); /* of which not all is read */
    expect_refused(&absent, "cannot read /proc/nonexistent/run.jsonl: No such file or directory");
    expect_refused(&folder, "cannot read /: Is a directory");
    expect_refused(&endless, "/dev/zero is not a bench journal");
}

Test(journal, foreign_files_are_refused_with_a_reason)
{
    static const struct {
        const char *text, *because;
    } cases[] = {
        { "", "is empty" },
        { "\n", "line 1 is not one of its JSON objects" },
        { "hello\n" NOTE, "line 1 is not one of its JSON objects" },
        { "[1,2,3]\n", "line 1 is not one of its JSON objects" },
        { "{}\n", "line 1 is not one of its JSON objects" },
        { "{\"line\":7}\n", "line 1 is not one of its JSON objects" },
        { "{\"line\":\"journal\"", "line 1 is not one of its JSON objects" },
        { NOTE HEAD, "names no schema" },
        { "{\"line\":\"journal\"}\n", "names no schema" },
        { "{\"line\":\"journal\",\"schema\":1}\n", "names no schema" },
        { "{\"line\":\"journal\",\"schema\":\"other/1\"}\n", "its schema is \"other/1\"" },
        { "{\"line\":\"journal\",\"schema\":\"bench-journal/2\"}\n",
          "is a bench-journal/2, and this bench reads bench-journal/3 and bench-journal/4: report it with the version "
          "of bench that "
          "wrote" },
        { "{\"line\":\"journal\",\"schema\":\"bench-journal/3\",\"schema\":\"bench-journal/3\"}\n",
          "line 1 is not one of its JSON objects" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading reading = read_text(cases[i].text);
        expect_refused(&reading, cases[i].because);
        cr_assert_eq(reading.err.status, STATUS_USAGE);
    }
}

Test(journal, an_unreadable_file_is_named)
{
    if (geteuid() == 0)
        cr_skip_test("root reads everything");
    chmod(path, 0);
    struct reading reading = read_path(path, 0);
    expect_refused(&reading, "Permission denied");
}

Test(journal, bad_lines_are_counted_and_skipped)
{
    static const char *const bad[] = { "garbage",
                                       "{\"line\":\"note\"",
                                       "{\"line\":\"note\"} trailing",
                                       "[]",
                                       "null",
                                       "{\"kind\":\"note\"}",
                                       "{\"line\":[]}",
                                       "{\"line\":\"note\",\"n\":1e999}",
                                       "{\"line\":\"note\",\"n\":99999999999999999999999999}",
                                       "{\"line\":\"note\",\"n\":NaN}",
                                       "{\"line\":\"note\",\"text\":\"\xff\xfe\"}",
                                       "{\"line\":\"note\",\"text\":\"\xed\xa0\x80\"}",
                                       "{\"line\":\"note\",\"text\":\"\\u0000\"}",
                                       "{\"line\":\"note\",\"text\":\"\\ud800\"}",
                                       "{\"line\":\"note\",\"text\":\"a\",\"text\":\"b\"}",
                                       "{\"line\":\"note\",\"text\":\"a\tb\"}" };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD NOTE "%s\n" NOTE "%s\n" END, bad[i], bad[i]);
        struct reading reading = read_text(text);
        cr_assert(reading.read, "%s", reading.err.message);
        cr_assert_eq(reading.taken, 4, "\"%s\" was taken for a line", bad[i]);
        cr_assert_eq(reading.faults.bad_lines, 2);
        cr_assert_eq(reading.faults.first_bad, 3);
        cr_assert(reading.faults.complete && !reading.faults.truncated);
    }
}

/* What a run left that was killed: the rest of a line goes, and a last line gets its end. */
Test(journal, the_last_line_is_mended_before_more_follows)
{
    char much[3 * 4096];
    memset(much, 'x', sizeof much);
    much[sizeof much - 1] = '\0';
    const struct {
        const char *whole, *rest;
        bool is_truncated;
        const char *added; /* to what is whole */
    } cases[] = { { HEAD NOTE, "", false, "" },
                  { HEAD NOTE, "{\"line\"", true, "" },
                  { HEAD, "{\"line\":\"x\"}", false, "{\"line\":\"x\"}\n" },
                  { HEAD NOTE, much, true, "" },
                  { HEAD, much + 4095, true, "" },
                  { HEAD, much + 2 * 4096, true, "" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[3 * 4096 + 200], want[512];
        struct error err = { .status = STATUS_OK };
        snprintf(text, sizeof text, "%s%s", cases[i].whole, cases[i].rest);
        write_bytes(text, strlen(text));
        struct journal *journal = journal_open(path, JOURNAL_RESUMED, &err);
        cr_assert(journal, "%s", err.message);
        cr_expect(journal_mend(journal, cases[i].is_truncated, &err), "%s", err.message);
        expect_not_opened(path, JOURNAL_RESUMED, "is being written by another run: wait until that has ended");
        cr_expect(journal_close(journal, NULL));
        snprintf(want, sizeof want, "%s%s", cases[i].whole, cases[i].added);
        expect_content(want);
    }
}

Test(journal, a_truncated_last_line_costs_that_line_only)
{
    static const char whole[] = HEAD NOTE NOTE;
    size_t start = strlen(HEAD NOTE);
    for (size_t size = start + 1; size < strlen(whole) - 1; size++) {
        struct reading reading = read_bytes(whole, size);
        cr_assert(reading.read && reading.faults.truncated, "cut at byte %zu", size);
        cr_assert_eq(reading.taken, 2);
        cr_assert_eq(reading.faults.bad_lines, 0);
        cr_assert_not(reading.faults.complete);
    }
}

Test(journal, a_whole_last_line_needs_no_line_break_and_unknown_kinds_are_passed_on)
{
    static const char whole[] = HEAD "{\"line\":\"plot\",\"of\":3}\n" END;
    struct reading reading = read_bytes(whole, strlen(whole) - 1);
    cr_assert(reading.read && reading.faults.complete && !reading.faults.truncated);
    cr_assert_eq(reading.taken, 3);
    cr_assert_eq(reading.faults.bad_lines, 0);
}

Test(journal, binary_garbage_and_nul_bytes_are_only_bad_lines)
{
    char bytes[8192];
    size_t head = strlen(HEAD);
    memcpy(bytes, HEAD, head);
    srand(7);
    for (size_t i = head; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 100 < 10 ? 0 : rand());
    bytes[sizeof bytes - 1] = '\n';
    struct reading reading = read_bytes(bytes, sizeof bytes);
    cr_assert(reading.read);
    cr_assert_eq(reading.taken, 1);
    cr_assert_gt(reading.faults.bad_lines, 0);

    static const char nul[] = HEAD "{\"line\":\"note\"}\0{\"line\":\"note\"}\n{\"line\":\"note\",\"n\":1\0}\n" END;
    reading = read_bytes(nul, sizeof nul - 1);
    cr_assert_eq(reading.taken, 2);
    cr_assert_eq(reading.faults.bad_lines, 2);
}

/* One of a million brackets, and one that is longer than a line may be. */
Test(journal, deep_nesting_and_a_line_beyond_the_limit_are_bad_lines)
{
    enum { LONG = (4 << 20) + 100, DEPTH = 1000000 };
    for (unsigned is_deep = 0; is_deep < 2; is_deep++) {
        char *text = malloc(LONG + 1024);
        char *end = text + sprintf(text, HEAD "{\"line\":\"note\",\"text\":%s", is_deep ? "" : "\"");
        memset(end, is_deep ? '[' : 'a', is_deep ? 2 * DEPTH : LONG);
        if (is_deep)
            memset(end + DEPTH, ']', DEPTH);
        strcpy(end + (is_deep ? 2 * DEPTH : LONG), is_deep ? "}\n" END : "\"}\n" END);
        struct reading reading = read_text(text);
        free(text);
        cr_assert(reading.read);
        cr_assert_eq(reading.taken, 2);
        cr_assert_eq(reading.faults.bad_lines, 1);
        cr_assert_eq(reading.faults.first_bad, 2);
    }
}

/* The longest real line: a slice of a thousand copied runs of some hours each. */
Test(journal, the_longest_slice_is_far_below_the_limit)
{
    static const char *const series[] = { "wall_ns", "event_ns", "upload_ns", "compute_ns", "download_ns" };
    json_t *slice = json_pack("{s:s}", "line", "slice");
    for (unsigned i = 0; i < sizeof series / sizeof *series; i++) {
        json_t *runs = json_array();
        for (unsigned run = 0; run < 1000; run++)
            json_array_append_new(runs, seconds_to_json(9876.543210987 + run));
        json_object_set_new(slice, series[i], runs);
    }
    char *text = json_dumps(slice, JSON_COMPACT);
    cr_expect_lt(strlen(text), (4 << 20) / 40);
    free(text);
    json_decref(slice);
}

Test(journal, the_callback_can_end_the_reading)
{
    write_bytes(HEAD NOTE NOTE END, strlen(HEAD NOTE NOTE END));
    struct reading reading = read_path(path, 2);
    cr_assert_not(reading.read);
    cr_assert_eq(reading.taken, 2);
    cr_assert_str_eq(reading.err.message, "enough after 2 lines");
}

Test(journal, nanoseconds_are_read_back_exactly)
{
    for (json_int_t ns = 1; ns < 4000000000000000; ns = ns * 3 + 1) {
        json_t *first = seconds_to_json((double)ns / 1e9);
        cr_assert_eq(json_integer_value(first), ns);
        json_t *second = seconds_to_json(seconds_from_json(first));
        cr_assert_eq(json_integer_value(second), ns);
        json_decref(first);
        json_decref(second);
    }
}

Test(journal, an_unknown_time_is_null_and_null_is_unknown)
{
    const double none[] = { NAN, INFINITY, -INFINITY, 1e300, -1e10 };
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        json_t *ns = seconds_to_json(none[i]);
        cr_assert(json_is_null(ns));
        cr_assert(isnan(seconds_from_json(ns)));
        json_decref(ns);
    }
    cr_assert(isnan(seconds_from_json(NULL)));
    json_t *word = json_string("17");
    cr_assert(isnan(seconds_from_json(word)));
    json_decref(word);
}
