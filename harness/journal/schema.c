#include "harness/journal/schema.h"

#include "harness/base/text.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 160 };

json_t *schema_new(void)
{
    return json_loads(schema_text, 0, NULL);
}

/* The schema has an "if" with the kind's name and a "then" for each kind of line. */
const json_t *schema_of_line(const json_t *schema, const json_t *line)
{
    size_t i;
    const json_t *each, *kind = json_object_get(line, "line");
    json_array_foreach (json_object_get(schema, "allOf"), i, each) {
        const json_t *properties = json_object_get(json_object_get(each, "if"), "properties");
        if (kind && json_equal(json_object_get(json_object_get(properties, "line"), "const"), kind))
            return json_object_get(each, "then");
    }
    return NULL;
}

/* What a "$ref" names. */
static const json_t *definition(const json_t *schema, const json_t *reference)
{
    const char *path = json_string_value(reference);
    return path ? json_object_get(json_object_get(schema, "$defs"), path + strlen("#/$defs/")) : NULL;
}

const json_t *schema_find(const json_t *schema, const json_t *part, const char *keyword, const char *member)
{
    size_t i;
    const json_t *each, *found = json_object_get(part, keyword), *reference = json_object_get(part, "$ref");
    found = member ? json_object_get(found, member) : found;
    if (!found && reference)
        found = schema_find(schema, definition(schema, reference), keyword, member);
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        found = found ? found : schema_find(schema, each, keyword, member);
    return found;
}

/* A line that is being validated. */
struct check {
    const json_t *schema;
    const char *kind;
    struct error *err;
};

static bool refuse(const struct check *check, const char *path, const char *must, const char *what)
{
    return fail(check->err, STATUS_USAGE, "in a line '%.20s' \"%.60s\" must %s%s", check->kind, path, must, what);
}

/* JSON Schema counts 5.0 among the integers. */
static bool is_integer(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_integer(value) ||
           (json_is_real(value) && number > -1e18 && number < 1e18 && number == (double)(json_int_t)number);
}

static bool has_type(const json_t *value, const char *name)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object", [JSON_ARRAY] = "array",  [JSON_STRING] = "string", [JSON_INTEGER] = "number",
        [JSON_REAL] = "number",   [JSON_TRUE] = "boolean", [JSON_FALSE] = "boolean", [JSON_NULL] = "null",
    };
    return strcmp(name, names[json_typeof(value)]) == 0 || (strcmp(name, "integer") == 0 && is_integer(value));
}

/* "type" and "enum": one of the names, or the only one. */
static bool check_names(const struct check *check, const json_t *names, bool are_types, const char *path,
                        const json_t *value)
{
    char expected[PATH_ROOM] = "";
    const size_t count = json_is_array(names) ? json_array_size(names) : names != NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *name = json_is_array(names) ? json_array_get(names, i) : names;
        if (are_types ? has_type(value, json_string_value(name)) : json_equal(value, name))
            return true;
        text_join(expected, sizeof expected, " or ", json_string_value(name));
    }
    return count == 0 || refuse(check, path, are_types ? "be of type " : "be ", expected);
}

static bool matches(const char *text, const char *pattern)
{
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool ok = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return ok;
}

static bool check_part(const struct check *check, const json_t *part, const char *path, const json_t *value);

static bool check_object(const struct check *check, const json_t *part, const char *path, const json_t *value)
{
    size_t i;
    const char *name;
    json_t *member;
    const json_t *needed, *others = json_object_get(part, "additionalProperties");
    json_array_foreach (json_object_get(part, "required"), i, needed)
        if (!json_object_get(value, json_string_value(needed)))
            return fail(check->err, STATUS_USAGE, "a line '%.20s' has no \"%s%s%s\"", check->kind, path,
                        *path ? "." : "", json_string_value(needed));
    json_object_foreach ((json_t *)value, name, member) {
        char below[PATH_ROOM];
        const json_t *described = json_object_get(json_object_get(part, "properties"), name);
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", name);
        if ((described || others) && !check_part(check, described ? described : others, below, member))
            return false;
    }
    return true;
}

/* By the keywords of JSON Schema that journal.schema.json uses; a test lists them. */
static bool check_part(const struct check *check, const json_t *part, const char *path, const json_t *value)
{
    size_t i;
    const json_t *each, *items = json_object_get(part, "items"), *least = json_object_get(part, "minimum");
    const json_t *pattern = json_object_get(part, "pattern"), *reference = json_object_get(part, "$ref");
    if (reference && !check_part(check, definition(check->schema, reference), path, value))
        return false;
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        if (!check_part(check, each, path, value))
            return false;
    if (!check_names(check, json_object_get(part, "type"), true, path, value) ||
        !check_names(check, json_object_get(part, "enum"), false, path, value) ||
        !check_names(check, json_object_get(part, "const"), false, path, value))
        return false;
    if (json_is_number(value) && least && json_number_value(value) < json_number_value(least))
        return refuse(check, path, "not be negative", "");
    if (json_is_string(value) &&
        (json_int_t)json_string_length(value) < json_integer_value(json_object_get(part, "minLength")))
        return refuse(check, path, "not be empty", "");
    if (json_is_string(value) && pattern && !matches(json_string_value(value), json_string_value(pattern)))
        return refuse(check, path, "match ", json_string_value(pattern));
    json_array_foreach (items ? value : NULL, i, each)
        if (!check_part(check, items, path, each))
            return false;
    return !json_is_object(value) || check_object(check, part, path, value);
}

bool schema_check(const json_t *schema, const json_t *line, struct error *err)
{
    const char *kind = json_string_value(json_object_get(line, "line"));
    const json_t *part = schema_of_line(schema, line);
    const struct check check = { schema, kind, err };
    if (!kind)
        return fail(err, STATUS_USAGE, "a line without a kind");
    if (!part)
        return fail(err, STATUS_USAGE, "a line of a kind that this bench does not know: '%.40s'", kind);
    return check_part(&check, part, "", line);
}
