/* Which journals can be resumed, and what counts as done: a journal cut after each of its lines, and within each. */

#include "bench/plan/resume.h"
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES = 17, DONE = 15, TEXT_MAX = 16384 };

#define CELL "\"cell\":\"multiply/f32/n=1000/native/pageable@cpu\""

/* One line of each kind, in the order of a run. Line 0 is the head, which needs the options as JSON. */
static const char *const lines[LINES] = {
    NULL,
    "{\"line\":\"device\",\"id\":\"cpu\",\"key\":\"cpu\",\"backend\":\"cpu\",\"name\":\"Made up\",\"class\":\"CPU\"}",
    "{\"line\":\"absent\",\"backend\":\"cuda\",\"source\":\"\",\"status\":\"unsupported\",\"reason\":\"none\"}",
    "{\"line\":\"race\",\"block\":\"multiply/f32/"
    "n=1000\",\"device\":\"cpu\",\"memory\":\"pageable\",\"for\":\"resident\","
    "\"rounds\":4,\"contenders\":[{\"method\":\"native\",\"status\":\"ok\",\"end\":\"measured\"}]}",
    "{\"line\":\"cell\",\"key\":\"multiply/f32/n=1000/native/pageable@cpu\",\"block\":\"multiply/f32/n=1000\","
    "\"device\":\"cpu\",\"workload\":\"multiply\",\"dtype\":\"f32\",\"shape\":\"n=1000\",\"method\":\"native\","
    "\"memory\":\"pageable\",\"flops\":1000,\"bytes\":12000,\"baseline\":\"\",\"repro\":\"\"}",
    "{\"line\":\"naive\"," CELL ",\"process\":0,\"status\":\"ok\"}",
    "{\"line\":\"first\"," CELL ",\"run_ns\":1000}",
    "{\"line\":\"verify\"," CELL ",\"pass\":\"before\",\"checks\":[{\"checked\":1}]}",
    "{\"line\":\"warmup\"," CELL ",\"series\":\"resident\",\"wall_ns\":1000}",
    "{\"line\":\"state\"," CELL ",\"when\":\"before\"}",
    "{\"line\":\"slice\"," CELL ",\"series\":\"resident\",\"number\":0,\"at_ns\":5000,\"wall_ns\":[1000],"
    "\"elapsed_ns\":1000}",
    "{\"line\":\"stop\"," CELL ",\"series\":\"resident\",\"reason\":\"budget\"}",
    "{\"line\":\"meter\"," CELL "}",
    "{\"line\":\"outcome\"," CELL ",\"status\":\"ok\"}",
    "{\"line\":\"note\"," CELL ",\"text\":\"made up\"}",
    "{\"line\":\"done\",\"block\":\"multiply/f32/n=1000\"}",
    "{\"line\":\"end\",\"status\":\"complete\",\"elapsed_ns\":1000000}",
};

/* The command of the journal, which its options must match. */
static const char *const command[] = { "bench", "run", "--device", "cpu", "--budget", "1s", NULL };

/* `edit` replaces one member of the head (NULL: none); the caller owns `value`. */
static char *head_text(const char *edit, json_t *value)
{
    struct options options;
    struct error err = { .status = STATUS_OK };
    json_t *words = json_array();
    for (unsigned i = 0; command[i]; i++)
        json_array_append_new(words, json_string(command[i]));
    cr_assert(options_parse(&options, 6, (char *const *)(uintptr_t)command, &err), "%s", err.message);
    json_t *head = json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:{}, s:{}}", "line", "journal", "schema",
                             JOURNAL_SCHEMA, "version", BENCH_VERSION, "started", "2026-01-02T03:04:05Z", "command",
                             words, "seed", "1", "options", options_to_json(&options), "host", "libraries");
    if (edit)
        json_object_set(head, edit, value);
    char *text = json_dumps(head, JSON_COMPACT);
    json_decref(head);
    return text;
}

/* The file of a test. */
static char path[64];

static void path_make(void)
{
    snprintf(path, sizeof path, "/tmp/bench-resume-XXXXXX");
    close(mkstemp(path));
}

static void path_remove(void)
{
    unlink(path);
}

TestSuite(resume, .init = path_make, .fini = path_remove);

/* It gets the first `count` lines, and the first half of the next one if `torn`. */
static void write_journal(const char *head, unsigned count, bool torn)
{
    FILE *out = fopen(path, "w");
    cr_assert(out);
    for (unsigned i = 0; i < count + torn && i < LINES; i++) {
        const char *text = i == 0 ? head : lines[i];
        fprintf(out, "%.*s%s", (int)(i < count ? strlen(text) : strlen(text) / 2), text, i < count ? "\n" : "");
    }
    fclose(out);
}

static long size_now(void)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (long)status.st_size;
}

static bool open_journal(struct resume *resume, enum verb verb, struct error *err)
{
    char *words[] = { NULL };
    const struct options asked = { .verb = verb, .resume = path, .argc = 7, .argv = words, .full = true };
    *err = (struct error){ .status = STATUS_OK };
    const bool is_open = resume_open(resume, &asked, err);
    if (is_open)
        cr_expect(resume->options.argc == 7 && resume->options.argv == words && resume->options.full &&
                      resume->options.budget == 1,
                  "it has the command and the display that are asked for, and the rest of the journal");
    return is_open;
}

/* Whether the file can be resumed, and what of it is done. */
struct outcome {
    bool opens, is_done, is_complete;
    long bytes; /* of the file once it was taken over */
};

static struct outcome outcome_now(void)
{
    struct resume resume;
    struct error err;
    struct outcome outcome = { .opens = open_journal(&resume, VERB_RUN, &err) };
    if (outcome.opens) {
        struct run_log run_log = { 0 };
        bool interrupted = false;
        outcome.is_complete = strcmp(resume.result.record->end, "complete") == 0;
        cr_assert(resume_take(&resume, &run_log, &interrupted, &err), "%s", err.message);
        outcome.is_done = run_log_has(&run_log, "multiply/f32/n=1000");
        outcome.bytes = size_now();
        run_log_close(&run_log);
        run_log_free(&run_log);
    }
    resume_close(&resume);
    return outcome;
}

/* After any line, or within one: the rest of a torn line is removed, so that the next line begins in the first column.
 */
Test(resume, a_journal_that_ends_anywhere_can_be_resumed)
{
    char *head = head_text(NULL, NULL);
    for (unsigned count = 0; count <= LINES; count++)
        for (unsigned torn = 0; torn < 2 && count + torn <= LINES; torn++) {
            write_journal(head, count, false);
            const long whole = size_now();
            write_journal(head, count, torn);
            const struct outcome outcome = outcome_now();
            cr_expect_eq(outcome.opens, count > 0, "%u lines, %u", count, torn);
            cr_expect_eq(outcome.is_done, count > DONE, "%u lines, %u", count, torn);
            cr_expect_eq(outcome.is_complete, count == LINES, "%u lines, %u", count, torn);
            cr_expect(count == 0 || outcome.bytes == whole, "%u lines, %u: %ld bytes", count, torn, outcome.bytes);
        }
    free(head);
}

static void expect_refused(const char *edit, json_t *value, enum verb verb, const char *reason)
{
    char *head = head_text(edit, value);
    struct resume resume;
    struct error err;
    write_journal(head, DONE, false);
    cr_expect_not(open_journal(&resume, verb, &err), "%s", reason);
    cr_expect_eq(err.status, STATUS_USAGE);
    cr_expect(strstr(err.message, reason), "%s: %s", reason, err.message);
    resume_close(&resume);
    free(head);
    json_decref(value);
}

Test(resume, what_cannot_be_resumed_is_refused_with_the_reason)
{
    expect_refused("schema", json_string("bench-journal/3"), VERB_RUN,
                   "is a bench-journal/3, and only a bench-journal/4 can be resumed: begin a new run");
    expect_refused("version", json_string("0.0.1"), VERB_RUN, "was begun by bench 0.0.1");
    expect_refused("started", json_string("2026-01-02"), VERB_RUN, "is a published journal");
    expect_refused("command", json_array(), VERB_RUN, "does not name the command");
    expect_refused("command", json_pack("[s, s, s]", "bench", "run", "--banana"), VERB_RUN,
                   "does not name the command");
    expect_refused("command", json_pack("[s, s, s, s]", "bench", "run", "--budget", "9s"), VERB_RUN, "contradict");
    expect_refused(NULL, NULL, VERB_SWEEP, "was begun by 'bench run'");
}

Test(resume, a_damaged_journal_is_refused)
{
    char *head = head_text(NULL, NULL);
    struct resume resume;
    struct error err;
    write_journal(head, DONE, false);
    FILE *out = fopen(path, "a");
    fputs("{\"line\":\n", out);
    fclose(out);
    cr_expect_not(open_journal(&resume, VERB_RUN, &err));
    cr_expect(strstr(err.message, "cannot be resumed: 1 line"), "%s", err.message);
    resume_close(&resume);
    free(head);
}

/* What resume_check says of the journal, begun on this host, on another host and with other devices. "": it passes. */
static const char *checked(const struct host *began, const struct host *host, struct device device[], unsigned devices,
                           const bool takes_part[DEVICES_MAX], const char *library)
{
    static struct error err;
    struct resume resume;
    json_t *was = host_to_json(began), *libraries = json_object(), *value;
    const char *name;
    json_object_foreach (was, name, value) /* a whole number, as other programs write it */
        if (json_is_real(value))
            json_object_set_new(was, name, json_integer((json_int_t)json_real_value(value)));
    char *head = head_text("host", was);
    const struct listing listing = { .device = device, .devices = devices };
    write_journal(head, DONE, false);
    cr_assert(open_journal(&resume, VERB_RUN, &err), "%s", err.message);
    json_object_set_new(json_object_get(resume.result.record->head, "libraries"), "jansson", json_string("2"));
    if (library)
        json_object_set_new(libraries, "jansson", json_string(library));
    cr_expect_eq(resume_check(&resume, host, libraries, &listing, takes_part, &err), err.status == STATUS_OK);
    resume_close(&resume);
    free(head);
    json_decref(was);
    json_decref(libraries);
    return err.message;
}

static void expect_changed(const char *said, const char *reason)
{
    cr_expect(*reason ? strstr(said, reason) != NULL : !*said, "\"%s\" instead of \"%s\"", said, reason);
}

Test(resume, another_machine_or_driver_is_refused_and_what_varies_from_start_to_start_is_not)
{
    const struct host began = { .name = "one", .cores = 4, .clock = 3e9, .memory = 8e9, .energy = "package" };
    const struct device was = { .id = "cpu", .key = "cpu", .backend = "cpu", .name = "Made up", .class = CLASS_CPU };
    static const bool all[DEVICES_MAX] = { true, true }, first[DEVICES_MAX] = { true }, none[DEVICES_MAX] = { false };
    struct host host = began;
    struct device device[2] = { was, was };
    strcpy(device[1].id, "fake:1");
    expect_changed(checked(&began, &host, device, 1, all, "2"), "");
    expect_changed(checked(&began, &host, device, 2, first, "2"), "");
    expect_changed(checked(&began, &host, device, 2, all, "2"),
                   "--resume: fake:1, Made up, is there now and was not measured");
    expect_changed(checked(&began, &host, device + 1, 1, all, "2"),
                   "--resume: cpu, Made up, was measured and is no longer there");
    expect_changed(checked(&began, &host, device, 1, none, "2"), "was measured and is no longer there");
    expect_changed(checked(&began, &host, device, 1, all, "3"), "the program has changed: its jansson was 2 and is 3");
    expect_changed(checked(&began, &host, device, 1, all, NULL), "its jansson was 2 and is unknown");
    strcpy(device->driver_version, "2");
    expect_changed(checked(&began, &host, device, 1, all, "2"),
                   "cpu has changed: its driver_version was nothing and is 2");
    device[0] = was;
    strcpy(device->key, "other");
    expect_changed(checked(&began, &host, device, 1, all, "2"), "cpu has changed: its key was cpu and is other");
    device[0] = was;
    device->clock = 1e9;
    device->memory = 1e9;
    strcpy(device->silicon, "pci 1");
    host.clock = 2e9;
    host.memory = 7e9;
    strcpy(host.energy, "unavailable");
    host.cache[0] = (struct cache){ 3, 8e6, 1 };
    host.caches = 1;
    expect_changed(checked(&began, &host, device, 1, all, "2"), "");
    host.cores = 2;
    expect_changed(checked(&began, &host, device, 1, all, "2"), "the machine has changed: its cores was 4 and is 2");
    host = began;
    strcpy(host.kernel, "6.1");
    expect_changed(checked(&began, &host, device, 1, all, "2"),
                   "the machine has changed: its kernel was nothing and is 6.1");
}
