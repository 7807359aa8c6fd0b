#include "bench/plan/resume.h"

#include "config.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const nothing[] = { NULL };

static const json_t *head_of(const struct resume *resume, const char *name)
{
    return json_object_get(resume->result.record->head, name);
}

/* A value for a message: a text as it is, anything else as JSON. */
static void value_text(const json_t *value, char to[48])
{
    char *text = json_is_string(value) || !value ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    const char *shown = json_is_string(value) ? json_string_value(value) : text ? text : "unknown";
    text_clean(to, 48, *shown ? shown : "nothing");
    free(text);
}

/* Whether each member of `was` is the same in `is`, except those that `but_for` lists. Memory is listed everywhere:
 * firmware reserves another part of it at each start. */
static bool is_as_it_was(const char *of, const json_t *was, const json_t *is, const char *const but_for[],
                         struct error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)was, name, value) {
        const json_t *now = json_object_get(is, name);
        bool is_same =
            json_equal(value, now) || (json_is_number(value) && json_number_value(value) == json_number_value(now));
        for (unsigned i = 0; but_for[i]; i++)
            is_same = is_same || strcmp(but_for[i], name) == 0;
        if (is_same)
            continue;
        char before[48], after[48];
        value_text(value, before);
        value_text(now, after);
        return fail(err, STATUS_USAGE, "--resume: %.24s has changed: its %.24s was %s and is %s", of, name, before,
                    after);
    }
    return true;
}

static bool is_readable(const struct resume *resume, struct error *err)
{
    const char *path = resume->result.path, *version = json_string_value(head_of(resume, "version")),
               *started = json_string_value(head_of(resume, "started"));
    char fault[FAULTS_MAX][FAULT_ROOM];
    if (result_left_out(&resume->result) > 0) {
        result_faults(&resume->result, fault);
        return fail(err, STATUS_USAGE, "%.60s cannot be resumed: %.110s", path, fault[0]);
    }
    if (started && !strchr(started, 'T')) /* without the time of day */
        return fail(err, STATUS_USAGE, "%.120s is a published journal: resume the one that it was made from", path);
    if (strcmp(journal_text(resume->result.record->head, "schema"), JOURNAL_SCHEMA) != 0)
        return fail(err, STATUS_USAGE, "%.100s is a %.40s, and only a %s can be resumed: begin a new run", path,
                    journal_text(resume->result.record->head, "schema"), JOURNAL_SCHEMA);
    if (!version || strcmp(version, BENCH_VERSION) != 0)
        return fail(err, STATUS_USAGE, "%.100s was begun by bench %.20s, and this is %s: begin a new run", path,
                    version ? version : "of an unknown version", BENCH_VERSION);
    return true;
}

/* Parses the command of the journal. It must give the options that the journal states. */
static bool read_command(struct resume *resume, const struct options *asked, struct error *err)
{
    const char *path = resume->result.path;
    const json_t *command = head_of(resume, "command"), *word;
    const int count = (int)json_array_size(command);
    struct error why = { .status = STATUS_OK };
    size_t i;
    resume->word = calloc((size_t)count + 1, sizeof *resume->word);
    if (!resume->word)
        return fail(err, STATUS_NO_MEMORY, "no memory for a command of %d words", count);
    json_array_foreach (command, i, word)
        resume->word[i] = strdup(json_is_string(word) ? json_string_value(word) : "");
    if (count < 2 || !options_parse(&resume->options, count, resume->word, &why))
        return fail(err, STATUS_USAGE, "%.60s does not name the command that began it: %.100s", path,
                    count < 2 ? "it has none" : why.message);
    if (resume->options.verb != asked->verb)
        return fail(err, STATUS_USAGE, "%.100s was begun by 'bench %.12s': resume it with that command", path,
                    resume->word[1]);
    json_t *options = options_to_json(&resume->options);
    bool is_same = is_as_it_was("its command", head_of(resume, "options"), options, nothing, NULL);
    json_decref(options);
    options_copy_display(&resume->options, asked);
    resume->options.argc = asked->argc; /* the journal records both commands */
    resume->options.argv = asked->argv;
    return is_same || fail(err, STATUS_USAGE, "%.100s: its command and its options contradict each other", path);
}

bool resume_open(struct resume *out, const struct options *asked, struct error *err)
{
    *out = (struct resume){ .journal = journal_open(asked->resume, JOURNAL_RESUMED, err) };
    return out->journal && result_read(&out->result, asked->resume, err) && is_readable(out, err) &&
           read_command(out, asked, err);
}

void resume_close(struct resume *resume)
{
    if (resume->journal)
        journal_close(resume->journal, NULL);
    result_release(&resume->result);
    for (char **word = resume->word; word && *word; word++)
        free(*word);
    free(resume->word);
    *resume = (struct resume){ 0 };
}

/* Each device of the journal must be there, and no other may take part. */
static bool check_devices(const struct record *record, const struct listing *listing,
                          const bool takes_part[DEVICES_MAX], struct error *err)
{
    static const char *const but_for[] = {
        "clock", "clock_origin", "note", "silicon", "memory", "largest_buffer", NULL
    };
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *was = &record->device[i], *is = listing_find(listing, was->id);
        if (!is || !takes_part[is - listing->device])
            return fail(err, STATUS_USAGE, "--resume: %s, %.100s, was measured and is no longer there", was->id,
                        was->name);
        json_t *before = device_to_json(was), *after = device_to_json(is);
        bool is_same = is_as_it_was(was->id, before, after, but_for, err);
        json_decref(before);
        json_decref(after);
        if (!is_same)
            return false;
    }
    for (unsigned i = 0; i < listing->devices; i++)
        if (takes_part[i] && !record_device(record, listing->device[i].id))
            return fail(err, STATUS_USAGE, "--resume: %s, %.100s, is there now and was not measured",
                        listing->device[i].id, listing->device[i].name);
    return true;
}

bool resume_check(const struct resume *resume, const struct host *host, const json_t *libraries,
                  const struct listing *listing, const bool takes_part[DEVICES_MAX], struct error *err)
{
    static const char *const but_for[] = { "clock", "energy", "cache", "memory", NULL };
    json_t *now = host_to_json(host);
    bool is_same = is_as_it_was("the machine", head_of(resume, "host"), now, but_for, err);
    json_decref(now);
    return is_same && is_as_it_was("the program", head_of(resume, "libraries"), libraries, nothing, err) &&
           check_devices(resume->result.record, listing, takes_part, err);
}

bool resume_take(struct resume *resume, struct run_log *run_log, bool *interrupted, struct error *err)
{
    if (!journal_mend(resume->journal, resume->result.faults.truncated, err))
        return false;
    run_log_reopen(run_log, resume->result.path, interrupted, resume->journal, resume->result.record);
    resume->journal = NULL;
    resume->result.record = NULL;
    return true;
}
