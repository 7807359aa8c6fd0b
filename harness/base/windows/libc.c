#include "harness/base/windows/libc.h"

#include "harness/base/windows/fnmatch.h"
#include "harness/base/windows/regex.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

char *strcasestr(const char *in, const char *part)
{
    const size_t length = strlen(part);
    for (; *in; in++)
        if (_strnicmp(in, part, length) == 0)
            return (char *)in;
    return length == 0 ? (char *)in : NULL;
}

char *strchrnul(const char *text, int byte)
{
    const char *found = strchr(text, byte);
    return (char *)(found ? found : text + strlen(text));
}

char *strsep(char **rest, const char *separators)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = part + strcspn(part, separators);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return part;
}

/* Digits count as a number; leading zeros do not matter. */
int strverscmp(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            const unsigned long long x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

ssize_t getline(char **line, size_t *room, FILE *in)
{
    size_t used = 0;
    for (int byte = 0; byte != '\n' && (byte = getc(in)) != EOF;) {
        if (used + 2 > *room || !*line) {
            const size_t more = *line ? 2 * *room : 256;
            char *longer = realloc(*line, more);
            if (!longer)
                return -1;
            *line = longer;
            *room = more;
        }
        (*line)[used++] = (char)byte;
        (*line)[used] = '\0';
    }
    return used > 0 ? (ssize_t)used : -1;
}

int setenv(const char *name, const char *value, int replaces)
{
    return !replaces && getenv(name) ? 0 : _putenv_s(name, value);
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

long sysconf(int name)
{
    return 100;
}

int pause(void)
{
    Sleep(INFINITE);
    return -1;
}

char *realpath(const char *path, char *to)
{
    enum { LONGEST = 4096 };
    char *real = _access(path, 0) == 0 ? _fullpath(to, path, LONGEST) : NULL;
    for (char *at = real; at && *at; at++)
        *at = *at == '\\' ? '/' : *at;
    return real;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp((*(const struct dirent *const *)a)->d_name, (*(const struct dirent *const *)b)->d_name);
}

static int compare_versions(const void *a, const void *b)
{
    return strverscmp((*(const struct dirent *const *)a)->d_name, (*(const struct dirent *const *)b)->d_name);
}

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return compare_entries(a, b);
}

int versionsort(const struct dirent **a, const struct dirent **b)
{
    return compare_versions(a, b);
}

int scandir(const char *folder, struct dirent ***out, int (*take)(const struct dirent *entry),
            int (*compare)(const struct dirent **a, const struct dirent **b))
{
    struct dirent **entry = NULL;
    int count = 0;
    DIR *open = opendir(folder);
    if (!open)
        return -1;
    for (const struct dirent *next; (next = readdir(open));) {
        if (take && !take(next))
            continue;
        struct dirent **longer = realloc(entry, (size_t)(count + 1) * sizeof *entry), *copy = malloc(sizeof *copy);
        entry = longer ? longer : entry;
        if (!longer || !copy) {
            free(copy);
            break;
        }
        *copy = *next;
        entry[count++] = copy;
    }
    closedir(open);
    if (count > 0 && compare)
        qsort(entry, (size_t)count, sizeof *entry, (int (*)(const void *, const void *))compare);
    *out = entry;
    return count;
}

/* Whether a character is one of those in brackets; *after: behind the closing one. */
static bool is_in_brackets(const char *set, char c, const char **after)
{
    const bool is_inverted = set[1] == '!' || set[1] == '^';
    bool is_in = false;
    const char *at = set + 1 + is_inverted;
    do {
        const char first = *at, last = at[1] == '-' && at[2] != ']' ? at[2] : first;
        is_in |= c >= first && c <= last;
        at += last == first ? 1 : 3;
    } while (*at && *at != ']');
    *after = at + (*at == ']');
    return c && is_in != is_inverted;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    for (; *pattern; text++) {
        const char *after = pattern + 1;
        if (*pattern == '*') {
            for (;; text++) {
                if (fnmatch(after, text, flags) == 0)
                    return 0;
                if (!*text)
                    return 1;
            }
        }
        const bool fits = *pattern == '['        ? is_in_brackets(pattern, *text, &after)
                          : *pattern == '?'      ? *text != '\0'
                          : flags & FNM_CASEFOLD ? tolower((unsigned char)*pattern) == tolower((unsigned char)*text)
                                                 : *pattern == *text;
        if (!fits)
            return 1;
        pattern = after;
    }
    return *text != '\0';
}

int regcomp(regex_t *out, const char *pattern, int flags)
{
    const size_t length = strlen(pattern);
    out->pattern = pattern;
    return length < 2 || *pattern != '^' || pattern[length - 1] != '$' || strpbrk(pattern, "|\\.");
}

void regfree(regex_t *regex)
{
}

/* What one repetition is of: a group, a set, a character. */
static const char *piece_end(const char *piece)
{
    unsigned depth = 0;
    do {
        if (*piece == '[')
            piece = strchr(piece + 2, ']');
        depth += *piece == '(';
        depth -= *piece == ')';
        piece++;
    } while (depth > 0);
    return piece;
}

static const char *read_repetition(const char *at, unsigned long *least, unsigned long *most)
{
    char *end;
    *least = *at == '?' || *at == '*' ? 0 : 1;
    *most = *at == '*' || *at == '+' ? (unsigned long)-1 : 1;
    if (*at != '{')
        return at + (*at && strchr("?*+", *at));
    *least = *most = strtoul(at + 1, &end, 10);
    if (*end == ',')
        *most = strtoul(end + 1, &end, 10);
    return end + 1;
}

/* The end of the longest text that the pattern up to `end` takes; NULL: it does not match. */
static const char *take(const char *pattern, const char *end, const char *text)
{
    while (text && pattern < end) {
        unsigned long least, most, count = 0;
        const char *piece = pattern, *piece_ends = piece_end(piece), *ignored;
        pattern = read_repetition(piece_ends, &least, &most);
        for (const char *next; count < most; count++, text = next) {
            next = *piece == '('   ? take(piece + 1, piece_ends - 1, text)
                   : *piece == '[' ? (is_in_brackets(piece, *text, &ignored) ? text + 1 : NULL)
                                   : (*piece == *text ? text + 1 : NULL);
            if (!next || next == text)
                break;
        }
        text = count < least ? NULL : text;
    }
    return text;
}

int regexec(const regex_t *regex, const char *text, size_t groups, void *group, int flags)
{
    const char *end = take(regex->pattern + 1, regex->pattern + strlen(regex->pattern) - 1, text);
    return !end || *end;
}
