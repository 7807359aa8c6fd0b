#include "harness/report/formats/markdown_text.h"

#include <stdbool.h>
#include <string.h>

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of "[0.95, 1.03]" or "[?]", which is no link and no box to tick, so that it can be read in the source too; 0
 * for any other bracket. */
static size_t interval(const char *at)
{
    static const char parts[] = "0123456789.,+-e ?";
    size_t length = *at == '[' ? 1 + strspn(at + 1, parts) : 0;
    bool is_one = length > 1 && at[length] == ']' && ((at[1] >= '0' && at[1] <= '9') || at[1] == '?');
    return is_one && !strchr("([:", at[length + 1]) ? length + 1 : is_one && !at[length + 1] ? length + 1 : 0;
}

/* What a character is written as, by what stands around it; NULL: as it is. */
static const char *written(const char *text, const char *at)
{
    static const char always[] = "\\`*[]|~#$";
    static const char *const escaped[] = { "\\\\", "\\`", "\\*", "\\[", "\\]", "\\|", "\\~", "\\#", "\\$" };
    const char *plain = strchr(always, *at);
    char before = at > text ? at[-1] : ' ';
    if (*at == '<')
        return "&lt;";
    if (*at == '>')
        return "&gt;";
    if (plain)
        return escaped[plain - always];
    if (*at == '&' && (is_word(at[1]) || at[1] == '#'))
        return "&amp;";
    if (*at == '@' && (is_word(at[1]) || strchr("_-", at[1]))) /* hosts tell whom it names, escaped or not */
        return "(at)";
    if (*at == '_' && !(is_word(before) && is_word(at[1])))
        return "\\_";
    if (*at == ':' && at[1] == '/') /* or it becomes a link by itself */
        return "\\:";
    if (*at == '.' && at - text >= 3 && strncmp(at - 3, "www", 3) == 0)
        return "\\.";
    if (*at == '(' && before == ']')
        return "\\(";
    return NULL;
}

static void put_from(FILE *out, const char *text, const char *at)
{
    while (*at) {
        size_t length = interval(at);
        const char *instead = length > 0 ? NULL : written(text, at);
        if (instead)
            fputs(instead, out);
        else
            fprintf(out, "%.*s", length > 0 ? (int)length : 1, at);
        at += length > 0 ? length : 1;
    }
}

void markdown_text(FILE *out, const char *text)
{
    put_from(out, text, text);
}

/* What would begin a list, a heading, a quotation or a line below one; '#', '*' and '>' never stand as they are. */
void markdown_start(FILE *out, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool is_number = digits > 0 && (text[digits] == '.' || text[digits] == ')') && !is_word(text[digits + 1]);
    if (*text && strchr("-+=", *text))
        fputc('\\', out);
    if (is_number)
        fprintf(out, "%.*s\\%c", (int)digits, text, text[digits]);
    put_from(out, text, is_number ? text + digits + 1 : text);
}

void markdown_link(FILE *out, const char *name)
{
    for (const char *at = name; *at; at++) {
        if (is_word(*at) || strchr("-._", *at))
            fputc(*at, out);
        else
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*at);
    }
}
