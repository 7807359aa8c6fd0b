#include "harness/journal/schema.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

extern const char schema_text[];

/* The words of types, and the types of jansson as bits 1 << json_type. */
enum { NUMBERS = 1 << JSON_INTEGER | 1 << JSON_REAL };
static const struct {
    const char *word;
    unsigned types;
} type_words[] = {
    { "object", 1 << JSON_OBJECT }, { "array", 1 << JSON_ARRAY },
    { "string", 1 << JSON_STRING }, { "boolean", 1 << JSON_TRUE | 1 << JSON_FALSE },
    { "null", 1 << JSON_NULL },     { "number", NUMBERS },
    { "integer", NUMBERS }, /* a whole number may be written as 1e9 */
};

/* What the schema says of a value, with all that it refers to by "$ref" and "allOf". */
struct part {
    unsigned types; /* 0: any */
    bool is_whole;  /* of a number */
    double least, most;
    bool is_filled;                          /* a text is not empty */
    const json_t *words, *constant, *public; /* "enum", "const", "publish"; NULL: none */
    const char *pattern;                     /* of a text; NULL: any */
    unsigned items;                          /* the part of an array's elements; 0: none */
    json_t *members, *required;              /* parts of an object's members by name; names */
};

struct schema {
    json_t *text, *kinds; /* the part of each kind of line */
    struct pool pool;
    struct part *part; /* the first describes nothing */
    unsigned parts;
};

/* --- from the text --- */

static unsigned compile(struct schema *schema, const json_t *text);

/* Adds what a text says to a part. */
static void add(struct schema *schema, unsigned at, const json_t *text)
{
    const json_t *each, *types = json_object_get(text, "type"), *value;
    const char *path = json_string_value(json_object_get(text, "$ref")), *name;
    size_t i;
    if (path)
        add(schema, at, json_object_get(json_object_get(schema->text, "$defs"), path + strlen("#/$defs/")));
    json_array_foreach (json_object_get(text, "allOf"), i, each)
        add(schema, at, each);
    json_object_foreach ((json_t *)json_object_get(text, "properties"), name, value) {
        const unsigned member = compile(schema, value); /* may move the parts */
        json_object_set_new(schema->part[at].members, name, json_integer(member));
    }
    const unsigned items = compile(schema, json_object_get(text, "items"));
    struct part *part = &schema->part[at];
    part->items = items > 0 ? items : part->items;
    for (unsigned k = 0; k < sizeof type_words / sizeof *type_words; k++) {
        const char *word = type_words[k].word;
        bool is_named = json_is_string(types) && strcmp(json_string_value(types), word) == 0;
        json_array_foreach (types, i, each)
            is_named |= strcmp(json_string_value(each), word) == 0;
        part->types |= is_named ? type_words[k].types : 0;
        part->is_whole |= is_named && strcmp(word, "integer") == 0;
    }
    json_array_foreach (json_object_get(text, "required"), i, each)
        json_array_append(part->required, (json_t *)each);
    part->least = (value = json_object_get(text, "minimum")) ? json_number_value(value) : part->least;
    part->most = (value = json_object_get(text, "maximum")) ? json_number_value(value) : part->most;
    part->is_filled |= json_object_get(text, "minLength") != NULL;
    part->words = (value = json_object_get(text, "enum")) ? value : part->words;
    part->constant = (value = json_object_get(text, "const")) ? value : part->constant;
    part->public = (value = json_object_get(text, "publish")) ? value : part->public;
    part->pattern = (value = json_object_get(text, "pattern")) ? json_string_value(value) : part->pattern;
}

/* The number of a new part; 0: there is no text, or memory is short. */
static unsigned compile(struct schema *schema, const json_t *text)
{
    const struct part any = { .least = -INFINITY, .most = INFINITY };
    const unsigned at = schema->parts;
    struct part *part = text ? pool_add(&schema->pool, &schema->part, &schema->parts, &any, sizeof any) : NULL;
    if (!part)
        return 0;
    part->members = json_object();
    part->required = json_array();
    add(schema, at, text);
    return at;
}

struct schema *schema_open(void)
{
    struct schema *schema = calloc(1, sizeof *schema);
    size_t i;
    const json_t *each;
    if (!schema)
        return NULL;
    schema->text = json_loads(schema_text, 0, NULL);
    schema->kinds = json_object();
    json_t *nothing = json_object();
    compile(schema, nothing);
    json_decref(nothing);
    json_array_foreach (json_object_get(schema->text, "allOf"), i, each) {
        const json_t *properties = json_object_get(json_object_get(each, "if"), "properties");
        json_object_set_new(schema->kinds,
                            json_string_value(json_object_get(json_object_get(properties, "line"), "const")),
                            json_integer(compile(schema, json_object_get(each, "then"))));
    }
    if (schema->text && !schema->pool.is_short)
        return schema;
    schema_close(schema);
    return NULL;
}

void schema_close(struct schema *schema)
{
    for (unsigned i = 0; schema && i < schema->parts; i++) {
        json_decref(schema->part[i].members);
        json_decref(schema->part[i].required);
    }
    if (schema) {
        pool_release(&schema->pool);
        json_decref(schema->kinds);
        json_decref(schema->text);
    }
    free(schema);
}

/* --- a value --- */

static bool lists(const json_t *words, const json_t *value)
{
    size_t i;
    const json_t *each;
    json_array_foreach (words, i, each)
        if (json_equal(each, value))
            return true;
    return false;
}

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool is_match = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return is_match;
}

/* Without what is in it. */
static bool is_as_described(const struct part *part, const json_t *value)
{
    const char *text = json_string_value(value);
    const double number = json_number_value(value);
    const bool is_whole = floor(number) == number;
    return (part->types == 0 || part->types & 1u << json_typeof(value)) &&
           (!json_is_number(value) ||
            (number >= part->least && number <= part->most && (is_whole || !part->is_whole))) &&
           (!part->words || lists(part->words, value)) && (!text || !part->is_filled || *text) &&
           (!text || !part->pattern || matches(part->pattern, text));
}

/* "day": cuts a moment down to its date. */
static bool is_public(const struct part *part, json_t *text)
{
    if (json_is_string(part->public))
        return json_string_setn(text, json_string_value(text), sizeof "2026-11-21" - 1) == 0;
    return part->public || lists(part->words, text) || (part->constant && json_equal(part->constant, text));
}

/* The first member that an object lacks; NULL: it has all. */
static const char *lacks(const struct part *part, const json_t *object)
{
    size_t i;
    const json_t *each;
    json_array_foreach (part->required, i, each)
        if (!json_object_get(object, json_string_value(each)))
            return json_string_value(each);
    return NULL;
}

/* Whether a value stays; takes out what does not stay of it. */
static bool keep_described(const struct schema *schema, const struct part *part, json_t *value, bool is_for_others,
                           struct schema_faults *faults)
{
    const char *name;
    void *next;
    json_t *each;
    if (!is_as_described(part, value) || (is_for_others && json_is_string(value) && !is_public(part, value)))
        return false;
    json_object_foreach_safe(value, next, name, each)
    {
        const json_t *member = json_object_get(part->members, name);
        const unsigned before = faults->values;
        const bool is_kept =
            member ? keep_described(schema, &schema->part[json_integer_value(member)], each, is_for_others, faults)
                   : !is_for_others || strcmp(name, "line") == 0;
        faults->values += !is_kept;
        if (before == 0 && faults->values > 0 && !*faults->first)
            text_clean(faults->first, sizeof faults->first, name);
        if (!is_kept)
            json_object_del(value, name);
    }
    for (size_t i = part->items > 0 ? json_array_size(value) : 0; i-- > 0;) {
        if (keep_described(schema, &schema->part[part->items], json_array_get(value, i), is_for_others, faults))
            continue;
        faults->values++;
        if (is_for_others)
            json_array_remove(value, i);
        else
            json_array_set_new(value, i, json_null());
    }
    return !is_for_others || !json_is_object(value) || !lacks(part, value);
}

static const struct part *part_of_line(const struct schema *schema, const json_t *line)
{
    const char *kind = json_string_value(json_object_get(line, "line"));
    const json_t *part = kind ? json_object_get(schema->kinds, kind) : NULL;
    return part ? &schema->part[json_integer_value(part)] : NULL;
}

const char *schema_clean(const struct schema *schema, json_t *line, struct schema_faults *faults)
{
    const struct part *part = part_of_line(schema, line);
    if (!part)
        return NULL;
    keep_described(schema, part, line, false, faults);
    return lacks(part, line);
}

bool schema_publish(const struct schema *schema, json_t *line)
{
    struct schema_faults unused = { 0 };
    const struct part *part = part_of_line(schema, line);
    return part && keep_described(schema, part, line, true, &unused);
}
