#include "harness/base/xml.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void xml_text(FILE *out, const char *text)
{
    static const char signs[] = "&<>\"'", *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    for (; *text; text++) {
        const char *sign = strchr(signs, *text);
        if (sign)
            fputs(names[sign - signs], out);
        else
            fputc(*text, out);
    }
}

void xml_address(FILE *out, const char *path)
{
    for (; *path; path++) {
        bool is_plain = (unsigned char)*path < 0x80 && (isalnum((unsigned char)*path) || strchr("/._-", *path));
        fprintf(out, is_plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
}

static void put_tenths(FILE *out, double value)
{
    const long tenths = fabs(value) < 1e6 ? lround(10 * value) : 0;
    fprintf(out, tenths % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

void xml_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%')
            fputc(*at, out);
        else if (*++at == 's')
            xml_text(out, va_arg(arguments, const char *));
        else if (*at == 'u')
            fprintf(out, "%u", va_arg(arguments, unsigned));
        else if (*at == 'f')
            put_tenths(out, va_arg(arguments, double));
        else
            fputc(*at, out);
    }
    va_end(arguments);
}
