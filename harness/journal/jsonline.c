#include "harness/journal/jsonline.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    WHOLE_DIGITS = 18, /* of a number that surely fits 64 bits */
    EXACT_DIGITS = 15, /* of a whole number that a double surely holds */
};

/* What is left to be read. Behind the end stands a byte that may be looked at, and is no part of any token. */
struct cursor {
    char *at, *end;
};

static json_t *parse_value(struct cursor *cursor, unsigned depth);

static void skip_blanks(struct cursor *cursor)
{
    while (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r' || *cursor->at == '\n')
        cursor->at++;
}

static bool take(struct cursor *cursor, char byte)
{
    if (*cursor->at != byte)
        return false;
    cursor->at++;
    return true;
}

/* One token from `start` on, as jansson reads it. */
static json_t *ask_jansson(const char *start, const struct cursor *cursor)
{
    return json_loadb(start, (size_t)(cursor->at - start), JSON_DECODE_ANY, NULL);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Digits from the cursor on, appended to `value`: how many there are. The value is right for WHOLE_DIGITS of them. */
static unsigned take_digits(struct cursor *cursor, uint64_t *value)
{
    const char *start = cursor->at;
    for (; is_digit(*cursor->at); cursor->at++)
        *value = 10 * *value + (uint64_t)(*cursor->at - '0');
    return (unsigned)(cursor->at - start);
}

/* A whole number, or a fraction of so few digits that one division rounds it as it should be: numerator and power of
 * ten are both exact (Clinger 1990). */
static json_t *parse_number(struct cursor *cursor)
{
    static const double power[EXACT_DIGITS + 1] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    const char *start = cursor->at;
    uint64_t digits = 0;
    bool is_negative = take(cursor, '-'), begins_with_zero = *cursor->at == '0', is_whole = true;
    unsigned whole = take_digits(cursor, &digits), fraction = 0;
    if (whole > 0 && take(cursor, '.')) {
        is_whole = false;
        fraction = take_digits(cursor, &digits);
    }
    bool ends = !memchr("+-.eE", *cursor->at, 5), is_plain = ends && whole > 0 && !(begins_with_zero && whole > 1);
    if (is_plain && is_whole && whole <= WHOLE_DIGITS)
        return json_integer(is_negative ? -(json_int_t)digits : (json_int_t)digits);
    if (is_plain && !is_whole && fraction > 0 && whole + fraction <= EXACT_DIGITS)
        return json_real((is_negative ? -1.0 : 1.0) * (double)digits / power[fraction]);
    while (is_digit(*cursor->at) || memchr("+-.eE", *cursor->at, 5))
        cursor->at++;
    return ask_jansson(start, cursor);
}

/* Goes from behind the first quote to the last one; false where there is none. Plain texts are what they look like. */
static bool find_quote(struct cursor *cursor, bool *is_plain)
{
    *is_plain = true;
    for (; cursor->at < cursor->end; cursor->at++) {
        unsigned char byte = (unsigned char)*cursor->at;
        if (byte == '"')
            return true;
        *is_plain &= byte >= ' ' && byte < 0x80 && byte != '\\';
        if (byte == '\\')
            cursor->at++;
    }
    return false;
}

static json_t *parse_text(struct cursor *cursor)
{
    bool is_plain;
    const char *start = cursor->at++;
    if (!find_quote(cursor, &is_plain))
        return NULL;
    cursor->at++;
    if (is_plain)
        return json_stringn_nocheck(start + 1, (size_t)(cursor->at - start) - 2);
    return ask_jansson(start, cursor);
}

static json_t *parse_word(struct cursor *cursor, const char *word, json_t *value)
{
    size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return NULL;
    cursor->at += length;
    return value;
}

static json_t *parse_array(struct cursor *cursor, unsigned depth)
{
    json_t *array = json_array();
    cursor->at++;
    skip_blanks(cursor);
    if (take(cursor, ']'))
        return array;
    while (json_array_append_new(array, parse_value(cursor, depth)) == 0) {
        skip_blanks(cursor);
        if (take(cursor, ']'))
            return array;
        if (!take(cursor, ','))
            break;
    }
    json_decref(array);
    return NULL;
}

/* A set that makes the object no larger has replaced a member of the same name. */
static bool set_new(json_t *object, const char *name, json_t *value)
{
    size_t before = json_object_size(object);
    return json_object_set_new_nocheck(object, name, value) == 0 && json_object_size(object) > before;
}

/* A name, a colon, a value. The name is read where it stands: its last quote ends it meanwhile. */
static bool parse_member(struct cursor *cursor, json_t *object, unsigned depth)
{
    bool is_plain;
    skip_blanks(cursor);
    char *start = cursor->at;
    if (*start != '"')
        return false;
    cursor->at++;
    if (!find_quote(cursor, &is_plain))
        return false;
    char *quote = cursor->at++;
    json_t *asked = is_plain ? NULL : ask_jansson(start, cursor);
    skip_blanks(cursor);
    json_t *value = (is_plain || asked) && take(cursor, ':') ? parse_value(cursor, depth) : NULL;
    *quote = '\0';
    bool is_set = set_new(object, is_plain ? start + 1 : json_string_value(asked), value);
    *quote = '"';
    json_decref(asked);
    return is_set;
}

static json_t *parse_object(struct cursor *cursor, unsigned depth)
{
    json_t *object = json_object();
    cursor->at++;
    skip_blanks(cursor);
    if (take(cursor, '}'))
        return object;
    while (parse_member(cursor, object, depth)) {
        skip_blanks(cursor);
        if (take(cursor, '}'))
            return object;
        if (!take(cursor, ','))
            break;
    }
    json_decref(object);
    return NULL;
}

static json_t *parse_value(struct cursor *cursor, unsigned depth)
{
    skip_blanks(cursor);
    switch (*cursor->at) {
    case '{':
        return depth < JSONLINE_DEPTH ? parse_object(cursor, depth + 1) : NULL;
    case '[':
        return depth < JSONLINE_DEPTH ? parse_array(cursor, depth + 1) : NULL;
    case '"':
        return parse_text(cursor);
    case 't':
        return parse_word(cursor, "true", json_true());
    case 'f':
        return parse_word(cursor, "false", json_false());
    case 'n':
        return parse_word(cursor, "null", json_null());
    default:
        return *cursor->at == '-' || is_digit(*cursor->at) ? parse_number(cursor) : NULL;
    }
}

json_t *jsonline_parse(char *bytes, size_t length)
{
    struct cursor cursor = { bytes, bytes + length };
    char behind = bytes[length];
    bytes[length] = '\0';
    skip_blanks(&cursor);
    json_t *object = *cursor.at == '{' ? parse_object(&cursor, 1) : NULL;
    if (object)
        skip_blanks(&cursor);
    if (object && cursor.at != cursor.end) {
        json_decref(object);
        object = NULL;
    }
    bytes[length] = behind;
    return object;
}
