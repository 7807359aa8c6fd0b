#include "harness/journal/schema.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <string.h>

enum type {
    TYPE_TEXT,
    TYPE_NAME, /* a text that is not empty */
    TYPE_TEXTS,
    TYPE_COUNT,  /* a whole number, not negative */
    TYPE_NUMBER, /* not negative, or null */
    TYPE_TIME,   /* the same, whole nanoseconds */
    TYPE_TIMES,  /* an array of whole nanoseconds, or null each */
    TYPE_MAYBE_TIMES,
    TYPE_FLAG,
    TYPE_OBJECT,
    TYPE_ARRAY,
    TYPE_SEED,
    TYPE_STATUS,
    TYPE_MOMENT,
    TYPE_WHEN,
    TYPE_END
};

static const char *const type_names[] = {
    [TYPE_TEXT] = "a text",
    [TYPE_NAME] = "a text that is not empty",
    [TYPE_TEXTS] = "an array of texts",
    [TYPE_COUNT] = "a whole number from 0 on",
    [TYPE_NUMBER] = "a number from 0 on, or null",
    [TYPE_TIME] = "whole nanoseconds, or null",
    [TYPE_TIMES] = "an array of whole nanoseconds",
    [TYPE_MAYBE_TIMES] = "an array of whole nanoseconds, or null",
    [TYPE_FLAG] = "true or false",
    [TYPE_OBJECT] = "an object",
    [TYPE_ARRAY] = "an array",
    [TYPE_SEED] = "a text or a whole number",
    [TYPE_STATUS] = "the status of a cell",
    [TYPE_MOMENT] = "a date, or a date and time of day in UTC",
    [TYPE_WHEN] = "\"before\" or \"after\"",
    [TYPE_END] = "\"complete\" or \"interrupted\"",
};

/* Members by the kinds that have them, as a list of words; `needed`: by all of these. */
static const struct member {
    const char *kinds, *name;
    enum type type;
    bool needed;
} members[] = {
    { "journal", "schema", TYPE_NAME, true },
    { "journal", "version", TYPE_TEXT, true },
    { "journal", "started", TYPE_MOMENT, true },
    { "resume", "started", TYPE_MOMENT, false },
    { "journal resume", "command", TYPE_TEXTS, false },
    { "resume", "forgets", TYPE_TEXTS, false },
    { "journal", "seed", TYPE_SEED, false },
    { "journal", "options", TYPE_OBJECT, false },
    { "journal", "host", TYPE_OBJECT, false },
    { "journal", "libraries", TYPE_OBJECT, false },

    { "device", "id", TYPE_NAME, true },
    { "device", "key", TYPE_NAME, true },
    { "device", "backend", TYPE_NAME, true },
    { "device", "class", TYPE_NAME, true },
    { "device", "name", TYPE_TEXT, false },
    { "device", "driver_version", TYPE_TEXT, false },
    { "device", "silicon", TYPE_TEXT, false },
    { "device", "libraries", TYPE_ARRAY, false },
    { "device", "units", TYPE_COUNT, false },
    { "device", "clock", TYPE_NUMBER, false },
    { "device", "memory", TYPE_NUMBER, false },
    { "absent", "backend", TYPE_TEXT, true },
    { "absent", "reason", TYPE_TEXT, false },
    { "sweep", "workload", TYPE_NAME, true },
    { "sweep", "shape", TYPE_TEXT, true },
    { "sweep", "devices", TYPE_TEXTS, false },

    { "cell", "key", TYPE_NAME, true },
    { "trial cell", "block", TYPE_NAME, true },
    { "cell", "device", TYPE_NAME, true },
    { "trial", "device", TYPE_TEXT, true },
    { "cell", "workload", TYPE_TEXT, true },
    { "cell", "dtype", TYPE_NAME, true },
    { "cell", "shape", TYPE_TEXT, true },
    { "trial cell", "method", TYPE_TEXT, true },
    { "cell", "memory", TYPE_TEXT, true },
    { "trial", "memory", TYPE_TEXT, false },
    { "cell", "flops", TYPE_NUMBER, false },
    { "cell", "bytes", TYPE_NUMBER, false },
    { "cell", "held", TYPE_NUMBER, false },
    { "cell", "launches", TYPE_COUNT, false },
    { "cell", "baseline", TYPE_TEXT, false },
    { "cell", "repro", TYPE_TEXT, false },
    { "cell", "link", TYPE_FLAG, false },
    { "cell", "ceiling", TYPE_FLAG, false },
    { "cell", "cold", TYPE_FLAG, false },
    { "cell", "fast_algorithm", TYPE_FLAG, false },

    { "baseline first verify warmup state slice meter stop naive outcome", "cell", TYPE_NAME, true },
    { "done", "block", TYPE_NAME, true },
    { "trial first naive", "alloc_ns", TYPE_TIME, false },
    { "trial first naive", "compile_ns", TYPE_TIME, false },
    { "trial first naive verify", "run_ns", TYPE_TIME, false },
    { "trial first", "open_ns", TYPE_TIME, false },
    { "trial first", "upload_ns", TYPE_TIME, false },
    { "trial first", "repack_ns", TYPE_TIME, false },
    { "trial first", "download_ns", TYPE_TIME, false },
    { "trial first", "detail", TYPE_TEXT, false },
    { "trial warmup", "wall_ns", TYPE_TIME, false },
    { "naive", "fetch_ns", TYPE_TIME, false },
    { "naive", "process", TYPE_COUNT, true },
    { "verify", "pass", TYPE_WHEN, true },
    { "verify", "checks", TYPE_ARRAY, true },
    { "state", "when", TYPE_WHEN, true },
    { "state", "clock", TYPE_NUMBER, false },
    { "state", "busy", TYPE_NUMBER, false },
    { "warmup slice stop", "series", TYPE_NAME, true },
    { "slice", "number", TYPE_COUNT, true },
    { "slice", "wall_ns", TYPE_TIMES, true },
    { "slice", "event_ns", TYPE_MAYBE_TIMES, false },
    { "slice", "enqueue_ns", TYPE_MAYBE_TIMES, false },
    { "slice", "at_ns", TYPE_TIME, false },
    { "slice", "cpu_ns", TYPE_TIME, false },
    { "slice", "elapsed_ns", TYPE_TIME, false },
    { "state slice meter", "gpu", TYPE_OBJECT, false },
    { "meter", "runs", TYPE_COUNT, false },
    { "meter", "elapsed_ns", TYPE_TIME, false },
    { "meter", "energy_j", TYPE_OBJECT, false },
    { "meter", "error", TYPE_NUMBER, false },
    { "first", "counts_energy", TYPE_FLAG, false },
    { "stop", "reason", TYPE_NAME, true },
    { "trial outcome", "status", TYPE_STATUS, true },
    { "naive absent", "status", TYPE_STATUS, false },
    { "trial naive outcome", "where", TYPE_TEXT, false },
    { "trial naive outcome", "reason", TYPE_TEXT, false },
    { "trial outcome", "log", TYPE_TEXT, false },
    { "note", "cell", TYPE_TEXT, false },
    { "note", "text", TYPE_TEXT, true },
    { "end", "status", TYPE_END, true },
    { "end", "elapsed_ns", TYPE_TIME, false },
};

/* A whole number may be written with a point. */
static bool is_whole(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_integer(value) ||
           (json_is_real(value) && number > -1e18 && number < 1e18 && number == (double)(json_int_t)number);
}

static bool are_texts(const json_t *array)
{
    size_t i;
    json_t *element;
    json_array_foreach (array, i, element)
        if (!json_is_string(element))
            return false;
    return json_is_array(array);
}

static bool are_times(const json_t *array)
{
    size_t i;
    json_t *element;
    json_array_foreach (array, i, element)
        if (!json_is_null(element) && !is_whole(element))
            return false;
    return json_is_array(array);
}

/* "2026-11-21", alone or with "T20:52:46Z". */
static bool is_moment(const char *text)
{
    static const char like[] = "0000-00-00T00:00:00Z";
    size_t length = strlen(text);
    if (length != strlen("0000-00-00") && length != strlen(like))
        return false;
    for (size_t i = 0; i < length; i++)
        if (like[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != like[i])
            return false;
    return true;
}

static bool is_either(const json_t *value, const char *one, const char *other)
{
    const char *text = json_string_value(value);
    return text && (strcmp(text, one) == 0 || strcmp(text, other) == 0);
}

static bool has_type(const json_t *value, enum type type)
{
    const char *text = json_string_value(value);
    enum status status;
    switch (type) {
    case TYPE_TEXT:
        return text != NULL;
    case TYPE_NAME:
        return text && *text;
    case TYPE_TEXTS:
        return are_texts(value);
    case TYPE_COUNT:
        return is_whole(value) && json_number_value(value) >= 0;
    case TYPE_NUMBER:
        return json_is_null(value) || (json_is_number(value) && json_number_value(value) >= 0);
    case TYPE_TIME:
        return json_is_null(value) || (is_whole(value) && json_number_value(value) >= 0);
    case TYPE_TIMES:
        return are_times(value);
    case TYPE_MAYBE_TIMES:
        return json_is_null(value) || are_times(value);
    case TYPE_FLAG:
        return json_is_boolean(value);
    case TYPE_OBJECT:
        return json_is_object(value);
    case TYPE_ARRAY:
        return json_is_array(value);
    case TYPE_SEED:
        return text || is_whole(value);
    case TYPE_STATUS:
        return text && status_parse(text, &status) && status != STATUS_USAGE;
    case TYPE_MOMENT:
        return text && is_moment(text);
    case TYPE_WHEN:
        return is_either(value, "before", "after");
    case TYPE_END:
        return is_either(value, "complete", "interrupted");
    }
    return false;
}

bool schema_check(const json_t *line, struct error *err)
{
    const char *kind = json_string_value(json_object_get(line, "line"));
    bool known = false;
    if (!kind)
        return fail(err, STATUS_USAGE, "a line that does not say of which kind it is");
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++) {
        const struct member *member = &members[i];
        if (strchr(kind, ' ') || !text_has_word(member->kinds, kind))
            continue;
        const json_t *value = json_object_get(line, member->name);
        known = true;
        if (!value && member->needed)
            return fail(err, STATUS_USAGE, "a line '%.20s' has no \"%s\"", kind, member->name);
        if (value && !has_type(value, member->type))
            return fail(err, STATUS_USAGE, "in a line '%.20s' \"%s\" is not %s", kind, member->name,
                        type_names[member->type]);
    }
    return known || fail(err, STATUS_USAGE, "a line of a kind that this bench does not know: '%.40s'", kind);
}
