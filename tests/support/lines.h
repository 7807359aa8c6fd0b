#ifndef TESTS_SUPPORT_LINES_H
#define TESTS_SUPPORT_LINES_H

/* Records of made-up journals, line by line: a line that the record does not take fails the test. A text that
 * begins with {' has ' in place of ". */

#include "harness/journal/record.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void add_line(struct record *record, json_t *line)
{
    struct error err = { .status = STATUS_OK };
    cr_assert(line, "the test's own line is none");
    cr_assert(record_add(record, line, &err), "%s", err.message);
    json_decref(line);
}

static inline json_t *parsed(const char *text)
{
    char *quoted = strdup(text);
    for (char *at = quoted; text[1] == '\'' && (at = strchr(at, '\''));)
        *at = '"';
    json_t *line = json_loads(quoted, 0, NULL);
    cr_assert(line, "the test's own JSON is broken: %s", text);
    free(quoted);
    return line;
}

static inline void add(struct record *record, const char *text)
{
    add_line(record, parsed(text));
}

static inline __attribute__((format(printf, 2, 3))) void addf(struct record *record, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cr_assert(length >= 0 && (size_t)length < sizeof text, "the test's own line is too long");
    add(record, text);
}

/* It is not taken, for that reason. */
static inline void refuse(struct record *record, const char *text, const char *because)
{
    struct error err = { .status = STATUS_OK };
    json_t *line = parsed(text);
    cr_assert_not(record_add(record, line, &err), "taken: %s", text);
    cr_assert_str_eq(err.message, because);
    json_decref(line);
}

/* The cell ended well: its result was right before the timing and after it. */
static inline void end_well(struct record *record, const char *cell)
{
    for (unsigned pass = 0; pass < 2; pass++)
        addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", cell);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", cell);
}

#endif
