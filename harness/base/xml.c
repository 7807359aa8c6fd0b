#include "harness/base/xml.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void append_text(struct string_builder *to, const char *text)
{
    static const char signs[] = "&<>\"'", *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    while (*text) {
        const size_t plain = strcspn(text, signs);
        string_append(to, "%.*s", (int)plain, text);
        text += plain;
        if (*text)
            string_append(to, "%s", names[strchr(signs, *text++) - signs]);
    }
}

static void append_tenths(struct string_builder *to, double value)
{
    const long tenths = fabs(value) < 1e6 ? lround(10 * value) : 0;
    string_append(to, tenths % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

void xml_append(struct string_builder *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        string_append(to, "%.*s", (int)plain, at);
        at += plain;
        if (!*at)
            break;
        if (at[1] == 's')
            append_text(to, va_arg(arguments, const char *));
        else if (at[1] == 'u')
            string_append(to, "%u", va_arg(arguments, unsigned));
        else if (at[1] == 'f')
            append_tenths(to, va_arg(arguments, double));
        else
            string_append(to, "%c", at[1]);
        at += 2;
    }
    va_end(arguments);
}

void xml_address(struct string_builder *to, const char *path)
{
    for (; *path; path++) {
        bool is_plain = (unsigned char)*path < 0x80 && (isalnum((unsigned char)*path) || strchr("/._-", *path));
        string_append(to, is_plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
}
