#ifndef HARNESS_BASE_FIELDS_H
#define HARNESS_BASE_FIELDS_H

/* Structs as objects of JSON, by a table of their members: a host and a device, the lines of a journal, and what a
 * worker is asked and replies. One table both writes and reads. */

#include "harness/base/pool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,    /* an array of char */
    FIELD_LABEL,   /* const char *; NULL is unknown, and "" once it was read */
    FIELD_LABELS,  /* struct labels */
    FIELD_COUNT,   /* unsigned */
    FIELD_NUMBER,  /* double, 0 or more; if it is not finite it is unknown */
    FIELD_SECONDS, /* the same, in JSON whole nanoseconds */
    FIELD_TIMES,   /* struct samples, in JSON whole nanoseconds */
    FIELD_FLAG,    /* bool */
    FIELD_TRUTH,   /* int: 1, 0, or -1 unknown */
    FIELD_PLACE,   /* int: a number from 0 on, or -1 unknown */
    FIELD_WORD,    /* an enum, by the names in `words` */
    FIELD_WORDS,   /* unsigned, a set of them as bits 1 << word; `beside` it a bool: whether it is known */
    FIELD_OBJECT,  /* a struct with the table `of` */
    FIELD_INLINE,  /* the same, with its members beside the others */
    FIELD_LIST,    /* a pointer to structs with the table `of`; `beside` it an unsigned: how many */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset, bytes; /* of the member */
    size_t beside;        /* the offset of another member that belongs to it */
    const char *const *words;
    unsigned word_count, other; /* `other`: what an unknown word is read as, and none */
    const struct fields *of;
};

/* The table of a struct. The first members are required: they are written even if they are unknown, as null. */
struct fields {
    const struct field *field;
    unsigned count, required;
    size_t size; /* of the struct */
};

/* Rows of a table. FIELD: the kind follows from the member's type. AS: it has another name in JSON. */
#define FIELD_OF(of_kind, in_json, type, member, ...)                                                                  \
    {                                                                                                                  \
        .name = in_json, .kind = of_kind, .offset = offsetof(type, member), .bytes = sizeof(((type *)NULL)->member),   \
        __VA_ARGS__                                                                                                    \
    }
#define FIELD_AS(name, type, member)   FIELD_OF(FIELD_KIND(((type *)NULL)->member), name, type, member, )
#define FIELD(type, member)            FIELD_AS(#member, type, member)
#define TRUTH(type, member)            FIELD_OF(FIELD_TRUTH, #member, type, member, )
#define SECONDS(type, member)          SECONDS_AS(#member "_ns", type, member)
#define SECONDS_AS(name, type, member) FIELD_OF(FIELD_SECONDS, name, type, member, )
#define TIMES(type, member)            FIELD_OF(FIELD_TIMES, #member "_ns", type, member, )
#define WORD(name, type, member, list, how_many, unknown)                                                              \
    FIELD_OF(FIELD_WORD, name, type, member, .words = list, .word_count = how_many, .other = unknown)
#define WORDS(type, member, list, how_many, is_known)                                                                  \
    FIELD_OF(FIELD_WORDS, #member, type, member, .words = list, .word_count = how_many,                                \
             .beside = offsetof(type, is_known))
#define OBJECT(name, type, member, table) FIELD_OF(FIELD_OBJECT, name, type, member, .of = &(table))
#define INLINE(type, member, table)       FIELD_OF(FIELD_INLINE, "", type, member, .of = &(table))
#define LIST(name, type, member, how_many, table)                                                                      \
    FIELD_OF(FIELD_LIST, name, type, member, .of = &(table), .beside = offsetof(type, how_many))
#define FIELD_KIND(value)                                                                                              \
    _Generic(value, char * : FIELD_TEXT, const char * : FIELD_LABEL, struct labels : FIELD_LABELS,                      \
             unsigned : FIELD_COUNT, double : FIELD_NUMBER, bool : FIELD_FLAG, int : FIELD_PLACE)
#define FIELDS(type, rows, how_many_required)                                                                          \
    {                                                                                                                  \
        .field = rows, .count = sizeof(rows) / sizeof *(rows), .required = how_many_required, .size = sizeof(type)     \
    }

/* Makes all members unknown, or empty. */
void fields_forget(void *of, const struct fields *fields);

/* A new object. Without unknown numbers, empty texts and lists, false flags and counts of 0, unless they are required.
 * Texts are cleaned: names from drivers may not be valid UTF-8. NULL when memory is short. */
json_t *fields_to_json(const void *from, const struct fields *fields);

/* The reverse, from untrusted JSON: texts are cleaned and cut. A member that is absent, null, or of another type or
 * value than its kind has, stays as it was. What does not fit into the struct is in the pool. */
void fields_from_json(void *to, const struct fields *fields, const json_t *json, struct pool *pool);

/* null for NAN and infinity, which JSON does not have; an integer for a whole number, as jansson writes reals with
 * fewer digits than counts have. */
json_t *number_to_json(double value);

/* Appends a value, which it takes, to an array. NULL when either is NULL or memory is short: then nothing is left. */
json_t *array_with(json_t *array, json_t *value);

/* Whole nanoseconds of seconds (null when not finite), and back (NAN when absent or not a number). */
json_t *seconds_to_json(double seconds);
double seconds_from_json(const json_t *ns);

#endif
