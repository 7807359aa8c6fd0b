#include "harness/base/xml.h"

#include <stdbool.h>
#include <string.h>

static bool is_forbidden(const char *at)
{
    unsigned char byte = (unsigned char)*at;
    return byte < 0x20 || byte == 0x7f || strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void xml_text(FILE *out, const char *text, const char *instead)
{
    for (const char *at = text; *at; at++) {
        const char *known = entity(*at);
        if (known)
            fputs(known, out);
        else if (!is_forbidden(at))
            fputc(*at, out);
        else {
            fputs(instead, out);
            at += (unsigned char)*at == 0xef ? 2 : 0;
        }
    }
}
