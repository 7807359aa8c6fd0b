#include "harness/publish/redaction.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/journal/schema.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LEAST = 3, WORDS_MAX = 256, OPTION_ROOM = 32 };

/* Extended regular expressions in the C locale. A LETTER of a word is an ASCII letter, a digit, '_' or any byte beyond
 * ASCII; it is written as the complement of the other characters. */
#define LETTER     "[^\001-/:-@[-^`{-\177]"
#define LETTER_DOT "[^\001-,/:-@[-^`{-\177]"    /* or '-' or '.' */
#define LETTER_BAR "[^\001-,./:-@[-^`{-\177]"   /* or '-' */
#define LETTER_APO "[^\001-&(-,/:-@[-^`{-\177]" /* or '-' or '.' or '\'' */
#define OTHER      "[\001-/:-@[-^`{-\177]"
#define BEGIN      "(^|" OTHER ")"
#define END        "(" OTHER "|$)"
#define NO_COLON   "(^|[\001-/;-@[-^`{-\177]|$)"
#define HEX        "[0-9a-fA-F]"
#define BYTE       "(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])"
/* What may precede a path: "open('/tmp/x')", or an option of one letter, "-I/srv/x". */
#define BESIDE  "(^|[[:space:]\"'`=({<>,;:|[]|(^|[[:space:]\"'`=({<>,;:|[])-[a-zA-Z])"
#define IN_PATH "[^][:space:]\"'`=(){}<>,;:|[]"
/* A path may contain blanks, "/home/Ada King/x", if a slash follows after at most three words. */
#define BLANKS "( " LETTER LETTER_APO "*){1,3}"
#define REST   IN_PATH "*(" BLANKS "[/\\]" IN_PATH "*)*"
#define HOMES  "(/home/|/Users/|\\\\Users\\\\|/export/home/)"

enum { NEEDS_DIGIT = 1, NOT_IN_NAMES = 2 };

static const struct pattern {
    const char *kind;      /* of its stand-in */
    unsigned group, flags; /* the part of the match that identifies */
    const char *text;
} patterns[] = {
    { "mail", 2, 0, BEGIN "((" LETTER_DOT "|[+%])+@" LETTER_DOT "+[.][a-zA-Z](" LETTER_DOT "*" LETTER_BAR ")?)" },
    { "path", 3, 0, BESIDE "([a-zA-Z]:[/\\]" IN_PATH REST ")" },
    { "path", 3, 0, BESIDE "(~" IN_PATH "*(" BLANKS ")?/" REST ")" },
    { "path", 3, 0, BESIDE "(([.][.]?/|\\\\\\\\)" REST ")" },
    { "path", 3, 0, BESIDE "(/(" LETTER "|[./~])" REST ")" },
    { "path", 1, 0, "(" HOMES IN_PATH REST ")" },
    /* RFC 9562, or all 32 digits in one */
    { "uuid", 2, 0, BEGIN "(" HEX "{8}(-" HEX "{4}){3}-" HEX "{12}|" HEX "{32})" END },
    { "serial", 4, NEEDS_DIGIT, BEGIN "(serial|s/n)( number| no[.])?[ :=#]+(" LETTER_BAR "{6,})" },
    { "address", 2, 0, BEGIN "((" HEX "{2}:){5}" HEX "{2})" NO_COLON },
    { "address", 2, 0, BEGIN "((" HEX "{2}-){5}" HEX "{2})([\001-,./:-@[-^`{-\177]|$)" },
    { "address", 2, NOT_IN_NAMES,
      "(^|[\001--/:-@[-^`{-\177])((" BYTE "[.]){3}" BYTE ")([\001--/:-@[-^`{-\177]|[.]([^0-9]|$)|$)" },
    /* RFC 4291: eight groups, or fewer around one "::"; without a decimal digit it may be a name in C++ */
    { "address", 2, NOT_IN_NAMES | NEEDS_DIGIT,
      NO_COLON "((" HEX "{1,4}:){7}" HEX "{1,4}|(" HEX "{0,4}:)+(:" HEX "{0,4})+)" NO_COLON },
};
enum { PATTERNS = sizeof patterns / sizeof *patterns, GROUPS = 5 };

/* The name of a user: up to a slash it may contain blanks. */
static const char user_pattern[] = HOMES "([^][:space:]\"'`=(){}<>,;:|/\\[]+(" BLANKS "[/\\])?)";

struct redaction {
    const json_t *schema;
    struct pool pool;
    json_t *place; /* in `found`, by text */
    struct redacted *found;
    unsigned count, room;
    const char *hidden[WORDS_MAX];
    unsigned words;
    bool is_full; /* there were more words to hide than `hidden` takes */
    const char *const *kept;
    regex_t pattern[PATTERNS], user;
    unsigned compiled; /* patterns so far */
};

/* Fails where memory was short, or a word could not be hidden. */
static bool is_whole(const struct redaction *redaction, struct error *err)
{
    if (redaction->is_full)
        return fail(err, STATUS_FAILED,
                    "the journal has more than %d names of users and hosts, too many to hide: measure less in one run",
                    WORDS_MAX - 1);
    return !redaction->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory to redact a journal");
}

static bool is_in(const char *const list[], const char *word, size_t length)
{
    for (unsigned i = 0; list && list[i]; i++)
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0)
            return true;
    return false;
}

/* Many machines have the common words: hiding them would protect nobody. */
static void hide(struct redaction *redaction, const char *word, size_t length)
{
    static const char *const common[] = { "root",   "user",   "localhost", "localdomain", "debian", "ubuntu", "admin",
                                          "runner", "build",  "bench",     "home",        "shared", "host",   "linux",
                                          "intel",  "nvidia", "amd",       "arm",         "mesa",   "kvm",    "guest",
                                          "server", "laptop", "desktop",   NULL };
    if (length < WORD_LEAST || is_in(common, word, length) || is_in(redaction->kept, word, length) ||
        is_in(redaction->hidden, word, length))
        return;
    redaction->is_full |= redaction->words == WORDS_MAX - 1;
    if (!redaction->is_full)
        redaction->hidden[redaction->words++] = pool_print(&redaction->pool, "%.*s", (int)length, word);
}

struct redaction *redaction_new(const json_t *schema, const struct redaction_words *words)
{
    struct redaction *redaction = calloc(1, sizeof *redaction);
    if (!redaction)
        return NULL;
    redaction->schema = schema;
    redaction->place = json_object();
    bool ok = redaction->place && regcomp(&redaction->user, user_pattern, REG_EXTENDED) == 0;
    while (ok && redaction->compiled < PATTERNS) {
        const struct pattern *pattern = &patterns[redaction->compiled];
        int flags = REG_EXTENDED | (strcmp(pattern->kind, "serial") == 0 ? REG_ICASE : 0);
        ok = regcomp(&redaction->pattern[redaction->compiled], pattern->text, flags) == 0;
        redaction->compiled += ok;
    }
    if (!ok) {
        redaction_free(redaction);
        return NULL;
    }
    redaction->kept = words ? words->kept : NULL;
    for (unsigned i = 0; words && words->hidden && words->hidden[i]; i++)
        hide(redaction, words->hidden[i], strlen(words->hidden[i]));
    return redaction;
}

void redaction_free(struct redaction *redaction)
{
    if (!redaction)
        return;
    regfree(&redaction->user);
    for (unsigned i = 0; i < redaction->compiled; i++)
        regfree(&redaction->pattern[i]);
    json_decref(redaction->place);
    pool_release(&redaction->pool);
    free(redaction);
}

/* The same as before for a text that was replaced before, otherwise the next number of its kind. */
static const char *stand_in(struct redaction *redaction, const char *kind, const char *text)
{
    const json_t *place = json_object_get(redaction->place, text);
    if (place) {
        struct redacted *known = &redaction->found[json_integer_value(place)];
        known->count++;
        return known->stand_in;
    }
    unsigned number = 1;
    for (unsigned i = 0; i < redaction->count; i++)
        number += strncmp(redaction->found[i].stand_in + 1, kind, strlen(kind)) == 0;
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

/* Directories of the system are the same on every machine of its kind. */
static bool is_of_system(const char *path)
{
    static const char *const directories[] = {
        "/dev/", "/etc/", "/lib/", "/lib64/", "/opt/", "/proc/", "/sys/", "/usr/"
    };
    for (unsigned i = 0; i < sizeof directories / sizeof *directories; i++)
        if (strncmp(path, directories[i], strlen(directories[i])) == 0)
            return !strstr(path, "/../");
    return false;
}

/* A path in quotes ends at the closing quote. */
static size_t path_length(const char *path, size_t length, char before)
{
    const char *end = before && strchr("\"'`", before) ? strchr(path, before) : NULL;
    return end && !memchr(path, '\n', (size_t)(end - path)) ? (size_t)(end - path) : length;
}

/* Finds the first match that begins at `at` or later. */
static bool find_pattern(const struct redaction *redaction, unsigned i, const char *text, size_t at, size_t *start,
                         size_t *length)
{
    const struct pattern *pattern = &patterns[i];
    const bool is_path = strcmp(pattern->kind, "path") == 0;
    regmatch_t group[GROUPS];
    /* A pattern also needs the character before the match. */
    for (size_t from = at > 0 ? at - 1 : 0;; from += (size_t)group[0].rm_so + 1) {
        if (regexec(&redaction->pattern[i], text + from, GROUPS, group, from > 0 ? REG_NOTBOL : 0) != 0)
            return false;
        const regmatch_t *found = &group[pattern->group];
        *start = from + (size_t)found->rm_so;
        *length = (size_t)(found->rm_eo - found->rm_so);
        if (is_path && *start > 0)
            *length = path_length(text + *start, *length, text[*start - 1]);
        bool is_meant = is_path ? !is_of_system(text + *start)
                                : !(pattern->flags & NEEDS_DIGIT) || strcspn(text + *start, "0123456789") < *length;
        if (*start >= at && is_meant)
            return true;
    }
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* The length of a hidden word at that place, with the domain of a host; 0: there is none. */
static size_t match_word(const struct redaction *redaction, const char *text, size_t at)
{
    for (unsigned i = 0; (at == 0 || !is_letter(text[at - 1])) && i < redaction->words; i++) {
        size_t length = strlen(redaction->hidden[i]);
        if (strncmp(text + at, redaction->hidden[i], length) != 0 || is_letter(text[at + length]))
            continue;
        while (text[at + length] == '.' && is_letter(text[at + length + 1]))
            for (length++; is_letter(text[at + length]) || text[at + length] == '-';)
                length++;
        return length;
    }
    return 0;
}

/* Finds the first text that identifies, from `at` on, with its length and kind; the end of the text where there is
 * none. Of patterns that match at the same place the first in the table counts. */
static size_t find(const struct redaction *redaction, const char *text, size_t at, bool is_name, size_t *length,
                   const char **kind)
{
    size_t first = strlen(text), start, bytes;
    *length = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        if ((is_name && patterns[i].flags & NOT_IN_NAMES) || !find_pattern(redaction, i, text, at, &start, &bytes) ||
            start >= first)
            continue;
        first = start;
        *length = bytes;
        *kind = patterns[i].kind;
    }
    for (; at < first; at++) {
        if ((bytes = match_word(redaction, text, at)) == 0)
            continue;
        *length = bytes;
        *kind = "name";
        return at;
    }
    return first;
}

const char *redaction_strip(const struct redaction *redaction, char *text)
{
    const char *kind;
    size_t length;
    for (size_t at = 0; text[at = find(redaction, text, at, true, &length, &kind)];)
        memmove(text + at, text + at + length, strlen(text + at + length) + 1);
    return text;
}

static json_t *redact(struct redaction *redaction, const char *text, bool is_name)
{
    const char *kind = NULL;
    size_t start, length, at = 0;
    struct pool pool = { 0 };
    struct string_builder redacted = { .pool = &pool };
    while (text[start = find(redaction, text, at, is_name, &length, &kind)]) {
        const char *found = pool_print(&pool, "%.*s", (int)length, text + start);
        string_append(&redacted, "%.*s%s", (int)(start - at), text + at, stand_in(redaction, kind, found));
        at = start + length;
    }
    string_append(&redacted, "%s", text + at);
    redaction->pool.is_short |= pool.is_short;
    json_t *copy = json_string(string_text(&redacted));
    pool_release(&pool);
    return copy;
}

/* The value of "publish" in the schema; "" without it. */
static const char *rule_of(const struct redaction *redaction, const json_t *part)
{
    const char *rule = json_string_value(schema_find(redaction->schema, part, "publish", NULL));
    return rule ? rule : "";
}

/* How many words of a command to leave out: an option that names a file, with its value. */
static unsigned file_words(const struct redaction *redaction, const char *word)
{
    char name[OPTION_ROOM];
    const json_t *options = json_object_get(json_object_get(redaction->schema, "$defs"), "options");
    if (strncmp(word, "-o", 2) == 0)
        return word[2] ? 1 : 2;
    if (strncmp(word, "--", 2) != 0)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (strcmp(rule_of(redaction, schema_find(redaction->schema, options, "properties", name)), "null") != 0)
        return 0;
    return strchr(word, '=') ? 1 : 2;
}

static json_t *copy_command(struct redaction *redaction, const json_t *command)
{
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(command);) {
        const char *word = json_string_value(json_array_get(command, i));
        const char *slash = word && i == 0 ? strrchr(word, '/') : NULL;
        unsigned left_out = word && i > 0 ? file_words(redaction, word) : 0;
        if (word && left_out == 0)
            json_array_append_new(copy, redact(redaction, slash ? slash + 1 : word, false));
        i += left_out > 0 ? left_out : 1;
    }
    return copy;
}

static json_t *copy_text(struct redaction *redaction, const char *rule, const char *text)
{
    enum { DAY = sizeof "2026-11-21" - 1 };
    if (strcmp(rule, "empty") == 0)
        return json_string("");
    if (strcmp(rule, "null") == 0)
        return json_null();
    if (strcmp(rule, "day") == 0)
        return json_stringn(text, strnlen(text, DAY));
    return redact(redaction, text, strcmp(rule, "name") == 0);
}

static json_t *copy_value(struct redaction *redaction, const json_t *part, const json_t *value);

/* Leaves out a member that this part of the schema does not describe. */
static void copy_member(struct redaction *redaction, const json_t *part, json_t *copy, const char *name,
                        const json_t *value)
{
    const json_t *member = schema_find(redaction->schema, part, "properties", name);
    member = member ? member : schema_find(redaction->schema, part, "additionalProperties", NULL);
    if (member && json_object_set_new(copy, name, copy_value(redaction, member, value)) != 0)
        redaction->pool.is_short = true;
}

static json_t *copy_value(struct redaction *redaction, const json_t *part, const json_t *value)
{
    const json_t *items = schema_find(redaction->schema, part, "items", NULL);
    const char *rule = rule_of(redaction, part), *name;
    size_t i;
    json_t *element, *copy = NULL;
    if (json_is_string(value))
        return copy_text(redaction, rule, json_string_value(value));
    if (json_is_array(value) && strcmp(rule, "command") == 0)
        return copy_command(redaction, value);
    if (!json_is_array(value) && !json_is_object(value))
        return json_incref((json_t *)value);
    copy = json_is_array(value) ? json_array() : json_object();
    json_array_foreach (items ? value : NULL, i, element)
        redaction->pool.is_short |= json_array_append_new(copy, copy_value(redaction, items, element)) != 0;
    json_object_foreach ((json_t *)value, name, element)
        copy_member(redaction, part, copy, name, element);
    return copy;
}

json_t *redaction_line(struct redaction *redaction, const json_t *line, struct error *err)
{
    const json_t *part = schema_of_line(redaction->schema, line);
    const char *name;
    json_t *value, *copy = json_object();
    json_object_foreach ((json_t *)line, name, value)
        copy_member(redaction, strcmp(name, "line") == 0 ? redaction->schema : part, copy, name, value);
    if (part ? is_whole(redaction, err)
             : fail(err, STATUS_USAGE, "a line of a kind that journal.schema.json does not describe"))
        return copy;
    json_decref(copy);
    return NULL;
}

/* Hides a user's name, and each word of a name with blanks. */
static void hide_user(struct redaction *redaction, const char *name, size_t length)
{
    hide(redaction, name, length);
    for (size_t at = 0, part; memchr(name, ' ', length) && at < length; at += part + 1) {
        part = strcspn(name + at, " /\\");
        hide(redaction, name + at, part);
    }
}

bool redaction_learn(struct redaction *redaction, const json_t *value, struct error *err)
{
    const char *member;
    json_t *element;
    size_t i;
    regmatch_t group[3];
    json_object_foreach ((json_t *)value, member, element)
        redaction_learn(redaction, element, err);
    json_array_foreach (value, i, element)
        redaction_learn(redaction, element, err);
    for (const char *text = json_string_value(value); text; text += group[2].rm_eo) {
        if (regexec(&redaction->user, text, 3, group, 0) != 0)
            break;
        size_t length = (size_t)(group[2].rm_eo - group[2].rm_so);
        char last = text[group[2].rm_eo - 1];
        hide_user(redaction, text + group[2].rm_so, length - (last == '/' || last == '\\'));
    }
    return is_whole(redaction, err);
}

unsigned redaction_count(const struct redaction *redaction)
{
    return redaction->count;
}

struct redacted redaction_at(const struct redaction *redaction, unsigned i)
{
    return redaction->found[i];
}
