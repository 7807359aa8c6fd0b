#include "harness/publish/redaction.h"

#include "harness/base/pool.h"
#include "harness/publish/redaction_patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LEAST = 3, WORDS_MAX = 256, STAND_IN_ROOM = 32 };

struct redaction {
    struct pool pool;
    json_t *place; /* of what was found, by its text */
    struct redacted *found;
    unsigned count, room;
    const char *word[WORDS_MAX];
    unsigned words;
};

static bool out_of_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "no memory to redact a journal");
}

/* Words that half of all machines have, those that cells are named by, and makers: hidden they would hide nobody. */
static bool is_common(const char *word, size_t length)
{
    static const char *const common[] = {
        "root",    "user",     "localhost", "localdomain", "debian", "ubuntu",   "admin",  "runner", "build",
        "bench",   "home",     "shared",    "cpu",         "gpu",    "opencl",   "cuda",   "host",   "native",
        "linux",   "intel",    "nvidia",    "amd",         "arm",    "mesa",     "pocl",   "kvm",    "multiply",
        "matmul",  "conv",     "transfer",  "launch",      "peak",   "portable", "mapped", "pinned", "pageable",
        "clblast", "openblas", "onednn",    "cublas",      "cudnn",  "guest",    "server", "laptop", "desktop",
    };
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        if (strlen(common[i]) == length && strncmp(common[i], word, length) == 0)
            return true;
    return false;
}

static void add_word(struct redaction *redaction, const char *word, size_t length)
{
    if (length < WORD_LEAST || redaction->words == WORDS_MAX || is_common(word, length))
        return;
    for (unsigned i = 0; i < redaction->words; i++)
        if (strlen(redaction->word[i]) == length && strncmp(redaction->word[i], word, length) == 0)
            return;
    redaction->word[redaction->words++] = pool_print(&redaction->pool, "%.*s", (int)length, word);
}

struct redaction *redaction_new(const char *const words[])
{
    struct redaction *redaction = calloc(1, sizeof *redaction);
    if (!redaction || !(redaction->place = json_object())) {
        free(redaction);
        return NULL;
    }
    for (unsigned i = 0; words && words[i]; i++)
        add_word(redaction, words[i], strlen(words[i]));
    return redaction;
}

void redaction_free(struct redaction *redaction)
{
    if (!redaction)
        return;
    json_decref(redaction->place);
    pool_release(&redaction->pool);
    free(redaction);
}

/* Where the same stand-in was given before, or the next number of its kind. */
static const char *stand_in(struct redaction *redaction, const char *kind, const char *text)
{
    const json_t *place = json_object_get(redaction->place, text);
    if (place) {
        struct redacted *known = &redaction->found[json_integer_value(place)];
        known->count++;
        return known->stand_in;
    }
    unsigned number = 1;
    size_t length = strlen(kind);
    for (unsigned i = 0; i < redaction->count; i++)
        number += strncmp(redaction->found[i].stand_in + 1, kind, length) == 0;
    redaction->found =
        pool_grow(&redaction->pool, redaction->found, redaction->count, &redaction->room, sizeof *redaction->found);
    if (redaction->pool.is_short || json_object_set_new(redaction->place, text, json_integer(redaction->count)) != 0) {
        redaction->pool.is_short = true;
        return "";
    }
    struct redacted *found = &redaction->found[redaction->count++];
    *found = (struct redacted){ .text = pool_copy(&redaction->pool, text), .count = 1 };
    found->stand_in = pool_print(&redaction->pool, "[%s-%u]", kind, number);
    return found->stand_in;
}

/* A name of a host goes on with its domain. */
static size_t domain_length(const char *text)
{
    size_t length = 0;
    while (text[length] == '.' && !redaction_ends(text, length + 1))
        for (length++; !redaction_ends(text, length) || text[length] == '-';)
            length++;
    return length;
}

static size_t match_word(const struct redaction *redaction, const char *text, size_t at)
{
    if (!redaction_begins(text, at))
        return 0;
    for (unsigned i = 0; i < redaction->words; i++) {
        size_t length = strlen(redaction->word[i]);
        if (strncmp(text + at, redaction->word[i], length) == 0 && redaction_ends(text, at + length))
            return length + domain_length(text + at + length);
    }
    return 0;
}

/* Bytes that identify something and begin there, and of which kind they are. */
static size_t match(const struct redaction *redaction, const char *text, size_t at, bool is_name, const char **kind)
{
    size_t length;
    for (const struct pattern *pattern = redaction_patterns; pattern->stand_in; pattern++) {
        *kind = pattern->stand_in;
        if ((pattern->in_names || !is_name) && (length = pattern->match(text, at)) > 0)
            return length;
    }
    *kind = "name";
    return match_word(redaction, text, at);
}

const char *redaction_strip(const struct redaction *redaction, char *text)
{
    const char *kind;
    char *to = text;
    size_t at = 0, length;
    while (text[at]) {
        if ((length = match(redaction, text, at, true, &kind)) > 0)
            at += length;
        else
            *to++ = text[at++];
    }
    *to = '\0';
    return text;
}

/* The text without what identifies, to be freed; NULL when memory is short. */
static char *redact(struct redaction *redaction, const char *text, bool is_name)
{
    char *to = NULL;
    size_t size, length;
    const char *kind;
    FILE *out = open_memstream(&to, &size);
    for (size_t at = 0; out && text[at]; at += length) {
        length = match(redaction, text, at, is_name, &kind);
        char *found = length > 0 ? strndup(text + at, length) : NULL;
        if (found)
            fputs(stand_in(redaction, kind, found), out);
        else
            fputc(text[at], out);
        redaction->pool.is_short |= length > 0 && !found;
        free(found);
        length += length == 0;
    }
    if (!out || fclose(out) != 0 || redaction->pool.is_short) {
        free(to);
        return NULL;
    }
    return to;
}

/* Members that name something: other lines refer to it by the same text, or it is one of a few words. All others are
 * free text. */
static bool is_name(const char *member)
{
    static const char *const names[] = {
        "id",      "key",    "cell",         "block",    "device",   "devices",     "baseline", "repro",
        "name",    "vendor", "platform",     "silicon",  "workload", "dtype",       "shape",    "method",
        "memory",  "series", "architecture", "features", "version",  "api_version", "line",     "driver_version",
        "forgets", "detail", "libraries",    "os",       "schema",   "unit",        "dim",      "computes",
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], member) == 0)
            return true;
    return false;
}

/* What the texts below a member are. */
enum texts { TEXTS_BY_MEMBER, TEXTS_NAMES, TEXTS_FREE };

static enum texts texts_of(const char *member)
{
    bool was_typed = strcmp(member, "options") == 0 || strcmp(member, "environment") == 0;
    return was_typed ? TEXTS_FREE : is_name(member) ? TEXTS_NAMES : TEXTS_BY_MEMBER;
}

static json_t *redacted_value(struct redaction *redaction, json_t *value, enum texts texts);

static bool redact_members(struct redaction *redaction, json_t *object, enum texts texts)
{
    const char *member;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, member, value)
    {
        json_t *fresh = redacted_value(redaction, value, texts == TEXTS_BY_MEMBER ? texts_of(member) : texts);
        if (!fresh || json_object_set_new(object, member, fresh) != 0)
            return false;
    }
    return true;
}

/* The value itself, or another text in its place. */
static json_t *redacted_value(struct redaction *redaction, json_t *value, enum texts texts)
{
    json_t *element;
    size_t i;
    if (json_is_string(value)) {
        char *text = redact(redaction, json_string_value(value), texts == TEXTS_NAMES);
        json_t *fresh = text ? json_string(text) : NULL;
        free(text);
        return fresh;
    }
    if (json_is_object(value))
        return redact_members(redaction, value, texts) ? json_incref(value) : NULL;
    json_array_foreach (value, i, element) {
        if (json_is_number(element) || json_is_null(element))
            continue; /* times, by the thousand */
        json_t *fresh = redacted_value(redaction, element, texts);
        if (!fresh || json_array_set_new(value, i, fresh) != 0)
            return NULL;
    }
    return json_incref(value);
}

/* Options that name a file of the user's. */
static const char *const file_options[] = { "output", "thresholds", "resume", NULL };

/* How many words of the command from this one on are such an option. */
static unsigned file_words(const char *word)
{
    if (strncmp(word, "-o", 2) == 0)
        return word[2] ? 1 : 2;
    for (unsigned i = 0; strncmp(word, "--", 2) == 0 && file_options[i]; i++) {
        size_t length = strlen(file_options[i]);
        if (strncmp(word + 2, file_options[i], length) == 0 && (!word[2 + length] || word[2 + length] == '='))
            return word[2 + length] ? 1 : 2;
    }
    return 0;
}

/* The program without its folder, and options without those that name files. */
static bool shorten_command(json_t *command)
{
    const char *program = json_string_value(json_array_get(command, 0));
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (slash && json_array_set_new(command, 0, json_string(slash + 1)) != 0)
        return false;
    for (size_t i = 1; i < json_array_size(command);) {
        const char *word = json_string_value(json_array_get(command, i));
        unsigned words = word ? file_words(word) : 0;
        for (unsigned gone = 0; gone < words && i < json_array_size(command); gone++)
            json_array_remove(command, i);
        i += words == 0;
    }
    return true;
}

/* What is left out as a whole. */
static bool leave_out(json_t *line)
{
    enum { DAY = sizeof "2026-11-21" - 1 };
    json_t *options = json_object_get(line, "options");
    const char *started = json_string_value(json_object_get(line, "started"));
    bool complete = shorten_command(json_object_get(line, "command"));
    for (unsigned i = 0; file_options[i]; i++)
        if (json_is_string(json_object_get(options, file_options[i])))
            complete &= json_object_set_new(options, file_options[i], json_null()) == 0;
    if (json_is_string(json_object_get(line, "log")))
        complete &= json_object_set_new(line, "log", json_string("")) == 0;
    if (started && strlen(started) > DAY)
        complete &= json_object_set_new(line, "started", json_stringn(started, DAY)) == 0;
    return complete;
}

bool redaction_line(struct redaction *redaction, json_t *line, struct error *err)
{
    return (leave_out(line) && redact_members(redaction, line, TEXTS_BY_MEMBER)) || out_of_memory(err);
}

/* A name, and each part of one that has blanks. */
static void add_words(struct redaction *redaction, const char *name, size_t length)
{
    add_word(redaction, name, length);
    for (size_t at = 0, part; memchr(name, ' ', length) && at < length; at += part + 1) {
        part = strcspn(name + at, " /\\");
        add_word(redaction, name + at, part);
    }
}

static void learn(struct redaction *redaction, const json_t *value)
{
    const char *member, *name;
    json_t *element;
    size_t i, length;
    json_object_foreach ((json_t *)value, member, element)
        learn(redaction, element);
    json_array_foreach (value, i, element)
        if (!json_is_number(element) && !json_is_null(element))
            learn(redaction, element);
    for (const char *text = json_string_value(value); text && *text; text++)
        if ((length = redaction_user(text, &name)) > 0)
            add_words(redaction, name, length);
}

bool redaction_learn(struct redaction *redaction, const json_t *line, struct error *err)
{
    learn(redaction, line);
    return !redaction->pool.is_short || out_of_memory(err);
}

unsigned redaction_count(const struct redaction *redaction)
{
    return redaction->count;
}

struct redacted redaction_at(const struct redaction *redaction, unsigned i)
{
    return redaction->found[i];
}
