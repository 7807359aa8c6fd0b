#include "harness/journal/schema.h"
#include "harness/publish/redaction.h"
#include "tests/support/lines.h"

#include <string.h>

static json_t *schema;

static struct redaction *new_redaction(const char *const hidden[])
{
    static const char *const kept[] = { "opencl", NULL };
    schema = schema ? schema : schema_new();
    struct redaction *redaction = redaction_new(schema, &(struct redaction_words){ hidden, kept });
    cr_assert(redaction);
    return redaction;
}

/* Releases the line and returns a redacted copy. */
static json_t *redacted_line(struct redaction *redaction, json_t *line)
{
    struct error err = { .status = STATUS_OK };
    cr_assert(line && redaction_learn(redaction, line, &err), "%s", err.message);
    json_t *copy = redaction_line(redaction, line, &err);
    cr_assert(copy, "%s", err.message);
    json_decref(line);
    return copy;
}

/* The text in that member of a redacted line; to be freed. */
static char *redacted_in(struct redaction *redaction, const char *member, const char *text)
{
    const char *kind = strcmp(member, "text") == 0 || strcmp(member, "cell") == 0 ? "note" : "device";
    json_t *line = redacted_line(redaction, json_pack("{s:s, s:s}", "line", kind, member, text));
    char *out = strdup(json_string_value(json_object_get(line, member)));
    json_decref(line);
    return out;
}

static void expect_redacted(const char *member, const char *text, const char *wanted)
{
    static const char *const words[] = { "jdoe", "thinkpad", "root", "a", NULL };
    struct redaction *redaction = new_redaction(words);
    char *once = redacted_in(redaction, member, text), *twice = redacted_in(redaction, member, once);
    cr_expect_str_eq(once, wanted, "'%s' became '%s', not '%s'", text, once, wanted);
    cr_expect_str_eq(twice, once, "'%s' was redacted again, to '%s'", once, twice);
    free(once);
    free(twice);
    redaction_free(redaction);
}

Test(redaction, what_identifies_is_replaced_in_free_text)
{
    static const char *const cases[][2] = {
        { "cannot open /home/ada/src/x.cl: denied", "cannot open [path-1]: denied" },
        { "in '/tmp/build-7/a.so' (from /tmp/build-7/a.so:12)", "in '[path-1]' (from [path-1]:12)" },
        { "/srv/a and /srv/b, then /srv/a", "[path-1] and [path-2], then [path-1]" },
        { "~/.cache/pocl is full", "[path-1] is full" },
        { "run from ../../build/bench", "run from [path-1]" },
        { "C:\\Users\\ada\\x.dll is missing", "[path-1] is missing" },
        { "--x=/home/ada/y", "--x=[path-1]" },
        { "/usr/../home/ada/x", "[path-1]" },
        { "GPU-5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5b fell off the bus", "GPU-[uuid-1] fell off the bus" },
        { "id 5f2e1c9a0b1d4e6f8a7b0c1d2e3f4a5b", "id [uuid-1]" },
        { "via 192.168.1.17 port 8080", "via [address-1] port 8080" },
        { "via fe80::1ff:fe23:4567:890a%eth0", "via [address-1]%eth0" },
        { "2001:db8:0:0:0:0:2:1 answers", "[address-1] answers" },
        { "eth 00:1A:2b:3c:4d:5e up", "eth [address-1] up" },
        { "mail ada.l@example.org today", "mail [mail-1] today" },
        { "jdoe on thinkpad", "[name-1] on [name-2]" },
        { "JDOE, jdoes and root keep", "JDOE, jdoes and root keep" },
        { "/home/Ada King/x.cl: denied", "[path-1]: denied" },
        { "cannot open '/home/Ada King'", "cannot open '[path-1]'" },
        { "C:\\Users\\Ada King\\a b.dll is missing", "[path-1] b.dll is missing" },
        { "\"C:\\Users\\Ada King\\a b.dll\" is missing", "\"[path-1]\" is missing" },
        { "file:///srv/x, //srv/y and -I/srv/z", "file:[path-1], [path-2] and -I[path-3]" },
        { "x86/home/ada/y", "x86[path-1]" },
        { "of thinkpad.corp.example-1.org. Now", "of [name-1]. Now" },
        { "serial number: 0325017C55, S/N 1322021033333", "serial number: [serial-1], S/N [serial-2]" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_redacted("text", cases[i][0], cases[i][1]);
}

Test(redaction, other_text_stays)
{
    static const char *const same[] = {
        "",
        "drift: the last third of the slices took over 5 % longer than the first",
        "45 GB/s and 3.7 GFLOP/s, before and/or after",
        "/etc/OpenCL/vendors/pocl.icd, /usr/lib/x86_64-linux-gnu/libOpenCL.so.1, /dev/dri/renderD128, /sys/class/drm",
        "pci 0000:01:00.0 at 12:34:56",
        "OpenBLAS 0.3.21, driver 27.20.100.8681 and 550.54.14",
        "multiply/f32/n=40000000/native/pageable@cpu/Intel(R)-Xeon(R)-Processor",
        "std::bad_alloc, cl::Error, a::b",
        "n={}, k=[1, 2], 5 / 7 = x; ~5 ms",
        "2026-11-21T20:52:46Z",
        "0123456789abcdef",
        "serial code, in serial 12",
        "a run/s, /usr/bin/x y/z",
    };
    for (unsigned i = 0; i < sizeof same / sizeof *same; i++)
        expect_redacted("text", same[i], same[i]);
}

/* The path of a library shows a user; its version is no network address. */
Test(redaction, libraries_lose_only_their_paths)
{
    static const char *const words[] = { NULL };
    struct redaction *redaction = new_redaction(words);
    json_t *line = json_pack("{s:s, s:[{s:s, s:s, s:s}, {s:s, s:s}]}", "line", "device", "libraries", "name", "cuDNN",
                             "version", "9.10.2.21", "path", "/home/ada/venv/nvidia/cudnn/lib/libcudnn.so.9", "name",
                             "cuBLAS", "trouble", "cuBLAS is installed but does not load: /home/ada/x.so: no");
    line = redacted_line(redaction, line);
    const json_t *list = json_object_get(line, "libraries"), *first = json_array_get(list, 0);
    cr_expect_str_eq(json_string_value(json_object_get(first, "version")), "9.10.2.21");
    cr_expect_str_eq(json_string_value(json_object_get(first, "path")), "[path-1]");
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "trouble")),
                     "cuBLAS is installed but does not load: [path-2]: no");
    json_decref(line);
    redaction_free(redaction);
}

/* Versions look like addresses and stay; anything else that identifies is replaced in names, too. */
Test(redaction, names_stay_names)
{
    expect_redacted("driver_version", "10.18.15.42", "10.18.15.42");
    expect_redacted("key", "opencl/NVIDIA-T4/pci-0000:01:00.0", "opencl/NVIDIA-T4/pci-0000:01:00.0");
    expect_redacted("key", "opencl/T4-of-jdoe/thinkpad.lan/10.1.2.3", "opencl/T4-of-[name-1]/[name-2]/10.1.2.3");
    expect_redacted("key", "cuda/H100/GPU-5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5b", "cuda/H100/GPU-[uuid-1]");
    expect_redacted("name", "/home/ada/fake-gpu", "[path-1]");
    expect_redacted("name", "GPU at 00:1a:2b:3c:4d:5e of jdoe@example.org", "GPU at [address-1] of [mail-1]");
}

Test(redaction, equal_devices_keep_different_names)
{
    struct redaction *redaction = new_redaction(NULL);
    char *one = redacted_in(redaction, "key", "cuda/GPU-5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5b");
    char *other = redacted_in(redaction, "key", "cuda/GPU-5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5c");
    char *again = redacted_in(redaction, "cell", "multiply@cuda/GPU-5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5b");
    cr_expect_str_eq(one, "cuda/GPU-[uuid-1]");
    cr_expect_str_eq(other, "cuda/GPU-[uuid-2]");
    cr_expect_str_eq(again, "multiply@cuda/GPU-[uuid-1]");
    cr_assert_eq(redaction_count(redaction), 2);
    cr_expect_eq(redaction_at(redaction, 0).count, 2);
    cr_expect_str_eq(redaction_at(redaction, 1).text, "5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5c");
    free(one);
    free(other);
    free(again);
    redaction_free(redaction);
}

/* A home directory anywhere shows the name of a user, which is then hidden everywhere. */
Test(redaction, users_are_learned_from_their_folders)
{
    struct error err = { .status = STATUS_OK };
    struct redaction *redaction = new_redaction(NULL);
    json_t *head = json_pack("{s:s, s:[s, s]}", "line", "journal", "command", "/home/lovelace/b/bench", "run");
    cr_assert(redaction_learn(redaction, head, &err));
    char *note = redacted_in(redaction, "text", "lovelace's kernel");
    cr_expect_str_eq(note, "[name-1]'s kernel");
    free(note);
    json_decref(head);
    redaction_free(redaction);
}

/* As many different users as `count`, each seen twice. */
static bool learns_users(struct redaction *redaction, unsigned count, struct error *err)
{
    bool ok = true;
    for (unsigned i = 0; i < 2 * count; i++) {
        json_t *line = json_pack("{s:s, s:o}", "line", "note", "text", json_sprintf("/home/person%u/x", i / 2));
        ok = redaction_learn(redaction, line, err) && ok;
        json_decref(line);
    }
    return ok;
}

/* Otherwise the journal would be published with those names that were too many. */
Test(redaction, more_names_than_can_be_hidden_are_an_error)
{
    enum { ROOM = 255 };
    struct error err = { .status = STATUS_OK };
    json_t *line = json_pack("{s:s, s:s}", "line", "note", "text", "person254 and person255");
    struct redaction *redaction = new_redaction(NULL);
    cr_expect(learns_users(redaction, ROOM, &err), "%s", err.message);
    json_t *copy = redaction_line(redaction, line, &err);
    cr_expect_str_eq(json_string_value(json_object_get(copy, "text")), "[name-1] and person255");
    json_decref(copy);
    cr_expect_not(learns_users(redaction, ROOM + 1, &err));
    cr_expect(err.status == STATUS_FAILED && strstr(err.message, "more than 255 names"), "%s", err.message);
    err = (struct error){ .status = STATUS_OK };
    cr_expect_null(redaction_line(redaction, line, &err));
    cr_expect_eq(err.status, STATUS_FAILED);
    json_decref(line);
    redaction_free(redaction);
}

static void expect_line(const char *line, const char *wanted)
{
    struct redaction *redaction = new_redaction(NULL);
    json_t *once = redacted_line(redaction, json_loads(line, 0, NULL)), *want = json_loads(wanted, 0, NULL);
    cr_expect(json_equal(once, want), "%s", json_dumps(once, 0));
    json_t *twice = redacted_line(redaction, once);
    cr_expect(json_equal(twice, want), "%s", json_dumps(twice, 0));
    json_decref(twice);
    json_decref(want);
    redaction_free(redaction);
}

Test(redaction, files_logs_and_the_time_of_day_are_left_out)
{
    expect_line("{\"line\": \"journal\", \"started\": \"2026-11-21T20:52:46Z\", \"command\": [\"../b/bench\", \"run\", "
                "\"--output\", \"ada.jsonl\", \"-o\", \"x\", \"-oy\", \"--thresholds=/z\", \"--device\", \"cpu\"], "
                "\"options\": {\"output\": \"ada.jsonl\", \"device\": [\"cpu\"], \"thresholds\": null}}",
                "{\"line\": \"journal\", \"started\": \"2026-11-21\", \"command\": [\"bench\", \"run\", \"--device\", "
                "\"cpu\"], \"options\": {\"output\": null, \"device\": [\"cpu\"], \"thresholds\": null}}");
    expect_line("{\"line\": \"outcome\", \"log\": \"hello ada\"}", "{\"line\": \"outcome\", \"log\": \"\"}");
}

Test(redaction, only_members_that_the_schema_describes_are_copied)
{
    expect_line("{\"line\": \"end\", \"status\": \"complete\", \"elapsed_ns\": 5, \"user\": \"ada\"}",
                "{\"line\": \"end\", \"status\": \"complete\", \"elapsed_ns\": 5}");
    expect_line("{\"line\": \"first\", \"cell\": \"a\", \"memory_cost\": {\"peak_host\": 1, \"owner\": \"ada\"}, "
                "\"environment\": {\"OMP_PLACES\": \"cores\"}}",
                "{\"line\": \"first\", \"cell\": \"a\", \"memory_cost\": {\"peak_host\": 1}, "
                "\"environment\": {\"OMP_PLACES\": \"cores\"}}");
    expect_line("{\"line\": \"verify\", \"checks\": [{\"name\": \"exact\", \"by\": \"ada\"}]}",
                "{\"line\": \"verify\", \"checks\": [{\"name\": \"exact\"}]}");
}

Test(redaction, a_line_of_an_unknown_kind_is_refused)
{
    static const char *const lines[] = { "{}", "{\"line\": 5}", "{\"line\": \"x\", \"text\": \"ada\"}" };
    struct redaction *redaction = new_redaction(NULL);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct error err = { .status = STATUS_OK };
        json_t *line = json_loads(lines[i], 0, NULL);
        cr_expect_null(redaction_line(redaction, line, &err));
        cr_expect_eq(err.status, STATUS_USAGE);
        json_decref(line);
    }
    redaction_free(redaction);
}

Test(redaction, anything_can_be_in_a_line)
{
    static const char *const lines[] = {
        "{\"line\": \"journal\", \"command\": 7, \"options\": [], \"started\": {}, \"host\": [[{}]]}",
        "{\"line\": \"journal\", \"command\": [], \"started\": \"\", \"libraries\": {\"/home/ada\": \"~\"}}",
        "{\"line\": \"journal\", \"command\": [1, null, \"--output\"], \"options\": {\"size\": [[[\"/home/\"]]]}}",
        "{\"line\": \"outcome\", \"log\": null, \"reason\": \"@@@ ::: ... --- /// [path-1] \\u202e\"}",
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct redaction *redaction = new_redaction(NULL);
        json_decref(redacted_line(redaction, json_loads(lines[i], 0, NULL)));
        redaction_free(redaction);
    }
}
