#include "harness/publish/redaction_patterns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool is_hex(char c)
{
    return isxdigit((unsigned char)c);
}

bool redaction_begins(const char *text, size_t at)
{
    return at == 0 || !is_word(text[at - 1]);
}

bool redaction_ends(const char *text, size_t at)
{
    return !is_word(text[at]);
}

/* What may stand before a path and after it, as in "open('/tmp/x'): no such file". */
static bool is_beside_path(char c)
{
    return c == '\0' || isspace((unsigned char)c) || strchr("\"'`=([{<>,;:|", c);
}

/* Up to what cannot belong to a path. */
static size_t plain_length(const char *text)
{
    size_t length = 0;
    while (!is_beside_path(text[length]) && !strchr(")]}", text[length]))
        length++;
    return length;
}

/* Bytes of the rest of a name that has blanks, as in "/home/Ada King/x": words after which the path goes on. A slash
 * with a blank before it begins another path. */
static size_t blank_length(const char *text)
{
    enum { WORDS_MOST = 3 };
    size_t length = 0;
    for (unsigned words = 0; words < WORDS_MOST && text[length] == ' ' && is_word(text[length + 1]); words++) {
        length++;
        while (is_word(text[length]) || (text[length] && strchr(".-'", text[length])))
            length++;
        if (text[length] == '/' || text[length] == '\\')
            return length;
    }
    return 0;
}

/* What stands in quotes ends with them. */
static size_t quoted_length(const char *path, char quote)
{
    const char *end = strchr("\"'`", quote) && quote ? strchr(path, quote) : NULL;
    return end && !memchr(path, '\n', (size_t)(end - path)) ? (size_t)(end - path) : 0;
}

static size_t path_length(const char *path, char before)
{
    size_t length = quoted_length(path, before), blank;
    if (length > 0)
        return length;
    length = plain_length(path);
    while (path[length] == ' ' && (blank = blank_length(path + length)) > 0)
        length += blank + plain_length(path + length + blank);
    return length;
}

/* Folders of the system: the same on every machine of its kind. */
static bool is_of_system(const char *path)
{
    static const char *const folders[] = { "/dev/", "/etc/", "/lib/", "/lib64/", "/opt/", "/proc/", "/sys/", "/usr/" };
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return !strstr(path, "/../");
    return false;
}

/* A path begins there: after what may stand before one, after an option of one letter as in "-I/srv/x", or because it
 * is a folder of people's. */
static bool may_begin_path(const char *text, size_t at)
{
    const char *name;
    if (at == 0 || is_beside_path(text[at - 1]) || redaction_user(text + at, &name) > 0)
        return true;
    return at > 1 && text[at - 2] == '-' && isalpha((unsigned char)text[at - 1]) &&
           (at == 2 || is_beside_path(text[at - 3]));
}

static size_t match_path(const char *text, size_t at)
{
    const char *path = text + at;
    const char before = at > 0 ? text[at - 1] : '\0';
    size_t length;
    if (!may_begin_path(text, at))
        return 0;
    if (isalpha((unsigned char)path[0]) && path[1] == ':' && (path[2] == '\\' || path[2] == '/'))
        return (length = path_length(path + 3, before)) > 0 ? length + 3 : 0; /* of Windows */
    length = path_length(path, before);
    if (path[0] == '~')
        return memchr(path, '/', length) ? length : 0;
    if (strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0 || strncmp(path, "\\\\", 2) == 0)
        return length;
    bool goes_on = path[0] == '/' && length > 1 && (is_word(path[1]) || strchr("./~", path[1]));
    return goes_on && !is_of_system(path) ? length : 0;
}

/* Digits in groups of 8, 4, 4, 4 and 12 (RFC 9562), or all 32 in one. */
static size_t match_uuid(const char *text, size_t at)
{
    static const unsigned char groups[] = { 8, 4, 4, 4, 12 };
    const char *uuid = text + at;
    size_t length = strspn(uuid, "0123456789abcdefABCDEF");
    if (!redaction_begins(text, at))
        return 0;
    if (length == 32)
        return redaction_ends(uuid, length) ? length : 0;
    length = 0;
    for (unsigned i = 0; i < sizeof groups; i++) {
        if (i > 0 && uuid[length++] != '-')
            return 0;
        for (unsigned digits = 0; digits < groups[i]; digits++)
            if (!is_hex(uuid[length++]))
                return 0;
    }
    return redaction_ends(uuid, length) ? length : 0;
}

/* Six groups of two digits. */
static size_t match_ethernet(const char *text, size_t at)
{
    const char *address = text + at, between = address[0] && address[1] ? address[2] : '\0';
    size_t length = 0;
    if (!redaction_begins(text, at) || (between != ':' && between != '-'))
        return 0;
    for (unsigned group = 0; group < 6; group++) {
        if (group > 0 && address[length++] != between)
            return 0;
        if (!is_hex(address[length]) || !is_hex(address[length + 1]))
            return 0;
        length += 2;
    }
    return redaction_ends(address, length) && address[length] != between ? length : 0;
}

/* Four numbers up to 255. */
static size_t match_ipv4(const char *text, size_t at)
{
    size_t length = 0;
    if (!redaction_begins(text, at) || (at > 0 && text[at - 1] == '.'))
        return 0;
    for (unsigned group = 0; group < 4; group++) {
        if (group > 0 && text[at + length++] != '.')
            return 0;
        size_t digits = strspn(text + at + length, "0123456789");
        if (digits == 0 || digits > 3 || atoi(text + at + length) > 255)
            return 0;
        length += digits;
    }
    const char *end = text + at + length;
    return redaction_ends(end, 0) && !(end[0] == '.' && isdigit((unsigned char)end[1])) ? length : 0;
}

/* Eight groups of digits, or fewer around one "::" (RFC 4291); without a decimal digit it may be a name in C++. */
static size_t match_ipv6(const char *text, size_t at)
{
    size_t length = strspn(text + at, "0123456789abcdefABCDEF:"), colons = 0, digits = 0, most = 0;
    bool is_short = false, is_number = false;
    if (!redaction_begins(text, at) || (at > 0 && text[at - 1] == ':'))
        return 0;
    for (size_t i = 0; i < length; i++) {
        bool is_colon = text[at + i] == ':';
        colons += is_colon;
        is_number |= isdigit((unsigned char)text[at + i]) != 0;
        is_short |= is_colon && i > 0 && text[at + i - 1] == ':';
        digits = is_colon ? 0 : digits + 1;
        most = digits > most ? digits : most;
    }
    bool is_address = is_number && most <= 4 && (colons == 7 || (is_short && colons >= 2 && colons < 7));
    return is_address && redaction_ends(text, at + length) ? length : 0;
}

/* What is called a serial number, has six letters and digits at least, and a digit. */
static size_t match_serial(const char *text, size_t at)
{
    static const char *const calls[] = { "serial number", "serial no.", "serial", "S/N" };
    const char *serial = text + at, *before = serial;
    while (before > text && strchr(" :=#", before[-1]))
        before--;
    if (before == serial || is_beside_path(*serial))
        return 0;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t length = strlen(calls[i]), digits = 0, most = 0;
        if ((size_t)(before - text) < length || strncasecmp(before - length, calls[i], length) != 0 ||
            !redaction_begins(text, (size_t)(before - text) - length))
            continue;
        for (; is_word(serial[most]) || serial[most] == '-'; most++)
            digits += isdigit((unsigned char)serial[most]) != 0;
        return most >= 6 && digits > 0 ? most : 0;
    }
    return 0;
}

static size_t match_mail(const char *text, size_t at)
{
    size_t local = 0, host = 0, last_point = 0;
    if (!redaction_begins(text, at))
        return 0;
    while (is_word(text[at + local]) || (text[at + local] && strchr(".+-%", text[at + local])))
        local++;
    if (local == 0 || text[at + local] != '@')
        return 0;
    const char *domain = text + at + local + 1;
    for (; is_word(domain[host]) || domain[host] == '-' || domain[host] == '.'; host++)
        if (domain[host] == '.' && isalpha((unsigned char)domain[host + 1]))
            last_point = host;
    while (host > 0 && domain[host - 1] == '.')
        host--;
    return last_point > 0 ? local + 1 + host : 0;
}

const struct pattern redaction_patterns[] = {
    { "mail", match_mail, true },        { "path", match_path, true },
    { "uuid", match_uuid, true },        { "serial", match_serial, true },
    { "address", match_ethernet, true }, { "address", match_ipv4, false },
    { "address", match_ipv6, false },    { .stand_in = NULL },
};

size_t redaction_user(const char *path, const char **name)
{
    static const char *const folders[] = { "/home/", "/Users/", "\\Users\\", "/export/home/" };
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) != 0)
            continue;
        *name = path + strlen(folders[i]);
        size_t length = plain_length(*name), slash = strcspn(*name, "/\\");
        return slash <= length ? slash : length + blank_length(*name + length);
    }
    return 0;
}
