#ifndef HARNESS_MACHINE_FIELDS_H
#define HARNESS_MACHINE_FIELDS_H

/* Structs as objects of JSON, by a table of their members: the descriptions of a host and a device, and their states.
 * The table has the order in which the members are written. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,   /* an array of char, at most 1023 bytes */
    FIELD_COUNT,  /* unsigned */
    FIELD_NUMBER, /* double, 0 or more; if it is not finite it is unknown, and null in JSON */
    FIELD_FLAG,   /* bool */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset, bytes;
};

/* A member, whose kind follows from its type. */
#define FIELD(type, member) FIELD_OF(#member, ((type *)NULL)->member, offsetof(type, member))
#define FIELD_OF(name, value, offset)                                                                                  \
    {                                                                                                                  \
        name, FIELD_KIND(value), offset, sizeof value                                                                  \
    }
#define FIELD_KIND(value)                                                                                              \
    _Generic(value, char * : FIELD_TEXT, unsigned : FIELD_COUNT, double : FIELD_NUMBER, bool : FIELD_FLAG)

/* Adds the members of a struct to an object; `only_known`: without unknown numbers and empty texts. Texts are cleaned.
 * False when memory is short. */
bool fields_to_json(json_t *to, const struct field field[], unsigned fields, const void *from, bool only_known);

/* The reverse, from untrusted JSON: texts are cleaned and cut. A member that is absent, null, or of another type or
 * value than its kind has, stays as it was. */
void fields_from_json(void *to, const struct field field[], unsigned fields, const json_t *json);

/* Makes all numbers unknown. */
void fields_forget(void *of, const struct field field[], unsigned fields);

#endif
