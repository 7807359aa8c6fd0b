#include "harness/journal/jsonline.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    DEPTH_MOST = 64,   /* of what is parsed here */
    WHOLE_DIGITS = 18, /* of a number that surely fits 64 bits */
};

/* What is left to be read. A byte 0 stands at the end; it is no part of any token. */
struct cursor {
    char *at;
};

static json_t *parse_value(struct cursor *cursor, unsigned depth);

static bool take(struct cursor *cursor, char byte)
{
    if (*cursor->at != byte)
        return false;
    cursor->at++;
    return true;
}

/* A whole number. jansson reads any other number from its digits, so that it is rounded in one place only. */
static json_t *parse_number(struct cursor *cursor)
{
    const char *start = cursor->at;
    bool is_negative = take(cursor, '-');
    const char *first = cursor->at;
    json_int_t value = 0;
    size_t digits = strspn(first, "0123456789");
    cursor->at += digits;
    if (digits > 0 && digits <= WHOLE_DIGITS && (*first != '0' || digits == 1) && !strchr(".eE", *cursor->at)) {
        for (; first < cursor->at; first++)
            value = 10 * value + (*first - '0');
        return json_integer(is_negative ? -value : value);
    }
    cursor->at += strspn(cursor->at, "0123456789+-.eE");
    return json_loadb(start, (size_t)(cursor->at - start), JSON_DECODE_ANY, NULL);
}

/* Moves behind the last quote; false for a text that is not plain. */
static bool skip_text(struct cursor *cursor)
{
    if (!take(cursor, '"'))
        return false;
    while ((unsigned char)*cursor->at >= ' ' && (unsigned char)*cursor->at < 0x80 && *cursor->at != '"' &&
           *cursor->at != '\\')
        cursor->at++;
    return take(cursor, '"');
}

static json_t *parse_text(struct cursor *cursor)
{
    const char *start = cursor->at;
    return skip_text(cursor) ? json_stringn_nocheck(start + 1, (size_t)(cursor->at - start) - 2) : NULL;
}

static json_t *parse_word(struct cursor *cursor, const char *word, json_t *value)
{
    size_t length = strlen(word);
    if (strncmp(cursor->at, word, length) != 0)
        return NULL;
    cursor->at += length;
    return value;
}

static json_t *parse_array(struct cursor *cursor, unsigned depth)
{
    json_t *array = json_array();
    cursor->at++;
    if (take(cursor, ']'))
        return array;
    while (json_array_append_new(array, parse_value(cursor, depth)) == 0) {
        if (take(cursor, ']'))
            return array;
        if (!take(cursor, ','))
            break;
    }
    json_decref(array);
    return NULL;
}

/* A name, a colon, a value. The name is read in place: a byte 0 replaces its last quote meanwhile. False also for a
 * second member of that name, which leaves the object no larger. */
static bool parse_member(struct cursor *cursor, json_t *object, unsigned depth)
{
    const char *name = cursor->at + 1;
    const size_t before = json_object_size(object);
    if (!skip_text(cursor))
        return false;
    char *quote = cursor->at - 1;
    json_t *value = take(cursor, ':') ? parse_value(cursor, depth) : NULL;
    *quote = '\0';
    bool is_set = json_object_set_new_nocheck(object, name, value) == 0;
    *quote = '"';
    return is_set && json_object_size(object) > before;
}

static json_t *parse_object(struct cursor *cursor, unsigned depth)
{
    json_t *object = json_object();
    cursor->at++;
    if (take(cursor, '}'))
        return object;
    while (parse_member(cursor, object, depth)) {
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
    switch (*cursor->at) {
    case '{':
        return depth < DEPTH_MOST ? parse_object(cursor, depth + 1) : NULL;
    case '[':
        return depth < DEPTH_MOST ? parse_array(cursor, depth + 1) : NULL;
    case '"':
        return parse_text(cursor);
    case 't':
        return parse_word(cursor, "true", json_true());
    case 'f':
        return parse_word(cursor, "false", json_false());
    case 'n':
        return parse_word(cursor, "null", json_null());
    default:
        return parse_number(cursor);
    }
}

/* jansson passes over a byte 0 behind a number or a word, which is no JSON. */
static json_t *parse_with_jansson(const char *bytes, size_t length)
{
    return memchr(bytes, '\0', length) ? NULL : json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
}

json_t *jsonline_parse(char *bytes, size_t length)
{
    struct cursor cursor = { bytes };
    char behind = bytes[length];
    bytes[length] = '\0';
    json_t *value = *bytes == '{' ? parse_object(&cursor, 1) : NULL;
    if (!value || cursor.at != bytes + length) {
        json_decref(value);
        value = parse_with_jansson(bytes, length);
    }
    bytes[length] = behind;
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}
