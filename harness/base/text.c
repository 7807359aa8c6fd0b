#include "harness/base/text.h"

#include "harness/base/pool.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at the start of `text`, 0 if it is invalid: overlong, a surrogate, no character, or
 * above U+10FFFF (RFC 3629). The terminator is a sequence of one. */
static unsigned sequence_read(const char *text, uint32_t *point)
{
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)text;
    unsigned length = byte[0] < 0x80 ? 1 : byte[0] < 0xc0 ? 0 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    if (length < 2) {
        *point = byte[0];
        return length;
    }
    if (byte[0] > 0xf4)
        return 0;
    *point = byte[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (byte[i] & 0x3fu);
    }
    bool is_none = (*point >= 0xd800 && *point <= 0xdfff) || *point == 0xfffe || *point == 0xffff;
    return *point < smallest[length] || *point > 0x10ffff || is_none ? 0 : length;
}

/* Blanks, and everything that moves the cursor, breaks the line, changes the direction of writing or is invisible. */
static bool is_blank(uint32_t point)
{
    const bool is_control = point <= 0x20 || (point >= 0x7f && point <= 0xa0),  /* C0, DEL, C1 */
        is_direction = point == 0x61c || (point >= 0x200b && point <= 0x200f),  /* marks, joiners */
        is_separator = point >= 0x2028 && point <= 0x202e,                      /* of lines; overrides */
        is_invisible = (point >= 0x2060 && point <= 0x206f) || point == 0xfeff; /* operators; byte order */
    return is_control || is_direction || is_separator || is_invisible;
}

/* Where to cut text[0..length) so that no UTF-8 sequence is split. A sequence has at most three bytes after its first;
 * more of them are not UTF-8, and may be cut anywhere. */
static size_t whole_sequences(const char *text, size_t length)
{
    for (unsigned back = 0; back < 3 && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; back++)
        length--;
    return length;
}

void text_copy(char *to, size_t room, const char *from)
{
    if (room == 0)
        return;
    size_t length = strnlen(from, room);
    if (length == room)
        length = whole_sequences(from, room - 1);
    memmove(to, from, length);
    to[length] = '\0';
}

struct text text_print(const char *format, ...)
{
    struct text to;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to.text, sizeof to.text, format, arguments);
    va_end(arguments);
    return to;
}

bool text_append(char *to, size_t room, const char *format, ...)
{
    char *all = NULL;
    const size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&all, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    text_copy(to + used, room - used, all);
    free(all);
    return (size_t)length < room - used;
}

bool text_join(char *to, size_t room, const char *separator, const char *item)
{
    return text_append(to, room, "%s%s", *to ? separator : "", item);
}

/* Makes room for `more` characters and the terminator. */
static bool string_reserve(struct string_builder *string, size_t more)
{
    enum { LEAST = 128 };
    if (string->length + more < string->room)
        return true;
    const size_t room = 2 * (string->length + more) + LEAST;
    char *moved = pool_take(string->pool, room);
    if (!moved)
        return false;
    memcpy(moved, string_text(string), string->length + 1);
    string->text = moved;
    string->room = room;
    return true;
}

void string_append(struct string_builder *string, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && string_reserve(string, (size_t)length)) {
        vsnprintf(string->text + string->length, (size_t)length + 1, format, again);
        string->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

const char *string_text(const struct string_builder *string)
{
    return string->text ? string->text : "";
}

const char *text_clean(char *to, size_t room, const char *from)
{
    size_t used = 0;
    bool gap = false;
    while (*from) {
        uint32_t point;
        unsigned length = sequence_read(from, &point);
        const char *shown = length ? from : "?";
        from += length ? length : 1;
        if (length && is_blank(point)) {
            gap = used > 0;
            continue;
        }
        unsigned bytes = length ? length : 1;
        if (used + gap + bytes >= room)
            break;
        char held[4];
        memcpy(held, shown, bytes); /* `to` may be `from` */
        if (gap)
            to[used++] = ' ';
        memcpy(to + used, held, bytes);
        used += bytes;
        gap = false;
    }
    to[used] = '\0';
    return to;
}

struct text text_cleaned(const char *from)
{
    struct text to;
    text_clean(to.text, sizeof to.text, from);
    return to;
}

uint64_t text_hash(uint64_t before, const char *text)
{
    for (; *text; text++)
        before = (before ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return before;
}

const char *text_slug(char *to, size_t room, const char *text)
{
    size_t length = 0;
    for (; *text && length < room - 1; text++) {
        if ((unsigned char)*text < 0x80 && isalnum((unsigned char)*text))
            to[length++] = (char)tolower((unsigned char)*text);
        else if (length > 0 && to[length - 1] != '-' && to[length - 1] != '.')
            to[length++] = *text == '.' ? '.' : '-';
    }
    while (length > 0 && (to[length - 1] == '-' || to[length - 1] == '.'))
        length--;
    to[length] = '\0';
    return to;
}

unsigned text_width(const char *text)
{
    unsigned columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

/* Decimal exponent of `value` after rounding to `digits` significant digits: 999.6 with three has 3, not 2. */
static int exponent_of(double value, int digits)
{
    return atoi(strchr(text_print("%.*e", digits - 1, value).text, 'e') + 1);
}

/* `value` rounded to so many significant digits: "1.92", "480", "1230", "0.0123". */
static struct text rounded(double value, int digits)
{
    const int exponent = value != 0 && isfinite(value) ? exponent_of(value, digits) : 0;
    const int decimals = digits - 1 - exponent;
    const double step = pow(10, -decimals);
    if (isnan(value))
        return text_print("-");
    if (value == 0 || isinf(value))
        return text_print("%g", fabs(value) > 0 ? value : 0);
    if (exponent < -6 || exponent > 14)
        return text_print("%.*e", digits - 1, value);
    return decimals < 0 ? text_print("%.0f", round(value / step) * step) : text_print("%.*f", decimals, value);
}

/* In powers of 1000 from 10^first to 10^last, with their prefixes; `unit` and `per` are what follows them. */
static struct text scaled(double value, int first, int last, const char *unit, const char *per)
{
    static const char *const prefixes[] = { "n", "u", "m", "", "k", "M", "G", "T", "P" };
    int power = 0;
    if (value != 0 && isfinite(value)) {
        const int above = exponent_of(value, 3) - first;
        power = above < 0 ? first : first + above / 3 * 3;
        power = power > last ? last : power;
    }
    const double in_units = value / pow(10, power);
    const bool is_few = first == 0 && power == 0 && in_units == round(in_units); /* "17 B", not "17.0 B" */
    const int digits = is_few && fabs(in_units) < 10 ? 1 : is_few && fabs(in_units) < 100 ? 2 : 3;
    return isnan(value) ? rounded(value, digits)
                        : text_print("%s %s%s%s", rounded(in_units, digits).text, prefixes[power / 3 + 3], unit, per);
}

struct text text_seconds(double seconds)
{
    return scaled(seconds, -9, 0, "s", "");
}

struct text text_bytes(double bytes)
{
    return scaled(bytes, 0, 12, "B", "");
}

struct text text_flops(double rate, const char *operation)
{
    return scaled(rate, 3, 15, operation, "/s");
}

struct text text_binary(double bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    unsigned i = 0;
    for (; bytes >= 1000 && i + 1 < sizeof unit / sizeof *unit; i++)
        bytes /= 1024;
    return isnan(bytes) ? rounded(bytes, 3) : text_print("%.0f %s", bytes, unit[i]);
}

struct text text_figure(double value)
{
    return rounded(value, 3);
}

bool text_is_whole(double value)
{
    const double exact = 0x1p53;
    return value == floor(value) && fabs(value) < exact;
}

/* A number as strtold reads it, but for signs, blanks, words and hexadecimal digits. */
static bool decimal_read(const char **text, long double *out)
{
    char *end;
    if (!isdigit((unsigned char)**text) || (**text == '0' && tolower((unsigned char)(*text)[1]) == 'x'))
        return false;
    *out = strtold(*text, &end);
    *text = end;
    return isfinite((double)*out);
}

/* One factor: "1.5Gi", "40e6". The 64 bits of its whole number hold every count exactly, and a fraction such as 1.1
 * nearly. */
static bool factor_read(const char **text, long double *out)
{
    static const char letters[] = "KMGT";
    if (!decimal_read(text, out))
        return false;
    const char *letter = **text ? strchr(letters, **text) : NULL;
    const bool is_binary = letter && (*text)[1] == 'i';
    for (const char *each = letters; letter && each <= letter; each++)
        *out *= is_binary ? 1024 : 1000;
    *text += letter ? 1 + is_binary : 0;
    const long double whole = rintl(*out), allowed = *out * 0x1p-60L;
    const bool is_whole = fabsl(*out - whole) <= allowed;
    *out = whole;
    return is_whole;
}

const char *text_suffix_hint(const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    bool is_small = digits > 0 && text[digits] && strchr("kmgt", text[digits]);
    return is_small ? "; suffixes are capitals: K M G T, or Ki Mi Gi Ti" : "";
}

bool text_parse_count(const char *text, int64_t *out)
{
    long double product = 1, factor;
    for (;; text++) {
        if (!factor_read(&text, &factor))
            return false;
        product *= factor;
        if (*text != 'x')
            break;
    }
    if (*text || product > INT64_MAX)
        return false;
    *out = (int64_t)product;
    return true;
}

bool text_parse_seconds(const char *text, double *out)
{
    static const struct {
        const char *name;
        double multiply, divide; /* two, so that 500 ms is exactly 0.5 */
    } unit[] = { { "", 1, 1 }, { "s", 1, 1 }, { "ms", 1, 1000 }, { "m", 60, 1 }, { "h", 3600, 1 } };

    long double number;
    if (!decimal_read(&text, &number))
        return false;
    for (unsigned i = 0; i < sizeof unit / sizeof *unit; i++) {
        if (strcmp(text, unit[i].name) == 0) {
            *out = (double)number * unit[i].multiply / unit[i].divide;
            return true;
        }
    }
    return false;
}

enum { WORD_MAX = 63 };

static unsigned fewer(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, substitutions and transpositions of neighbours (optimal string alignment distance, Damerau
 * 1964), letters compared without case. Both words are at most WORD_MAX long. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_MAX + 1];
    unsigned *older = rows[0], *old = rows[1], *now = rows[2];
    for (unsigned j = 0; j <= b_length; j++)
        now[j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *spare = older;
        older = old;
        old = now;
        now = spare;
        now[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            bool same = same_letter(a[i - 1], b[j - 1]);
            now[j] = fewer(old[j - 1] + !same, 1 + fewer(old[j], now[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = fewer(now[j], older[j - 2] + 1);
        }
    }
    return now[b_length];
}

const char *text_nearest(const char *typed, const char *const words[])
{
    const char *nearest = NULL;
    typed += strspn(typed, "-");
    size_t typed_length = strnlen(typed, WORD_MAX + 1);
    if (typed_length == 0 || typed_length > WORD_MAX)
        return NULL;
    unsigned least = WORD_MAX + 1;
    for (unsigned i = 0; words[i]; i++) {
        const char *word = words[i] + strspn(words[i], "-");
        size_t length = strnlen(word, WORD_MAX + 1);
        if (length > WORD_MAX)
            continue;
        unsigned edits = distance(typed, typed_length, word, length);
        unsigned allowed = (unsigned)(typed_length > length ? typed_length : length) / 3;
        bool is_prefix = typed_length < length && distance(typed, typed_length, word, typed_length) == 0;
        if (is_prefix)
            edits = fewer(edits, 1);
        else if (edits > (allowed ? allowed : typed_length > 1))
            continue;
        if (edits < least) {
            least = edits;
            nearest = words[i];
        }
    }
    return nearest;
}

unsigned name_find(const char *word, const char *const names[], unsigned count)
{
    unsigned i = 0;
    while (i < count && strcmp(word, names[i]) != 0)
        i++;
    return i;
}

bool text_has_part(const char *list, char separator, const char *part)
{
    const size_t length = strlen(part);
    for (;; list++) {
        const char *end = strchrnul(list, separator);
        if ((size_t)(end - list) == length && memcmp(list, part, length) == 0)
            return true;
        if (!*end)
            return false;
        list = end;
    }
}

bool text_has_word(const char *list, const char *word)
{
    return *word && text_has_part(list, ' ', word);
}

const char *text_next_part(const char *part)
{
    const char *comma = strchr(part, ',');
    return comma ? comma + 1 : NULL;
}

const char *text_value(const char *list, const char *name, size_t *length)
{
    size_t named = strlen(name);
    for (const char *part = list; part && named > 0; part = text_next_part(part))
        if (strncmp(part, name, named) == 0 && part[named] == '=') {
            *length = strcspn(part + named + 1, ",");
            return part + named + 1;
        }
    return NULL;
}

struct text text_shape(const char *shape)
{
    struct text to;
    size_t used = 0;
    for (size_t left = 0; *shape && used + 3 < sizeof to.text; shape++) {
        const bool is_digit = *shape >= '0' && *shape <= '9';
        left = !is_digit ? 0 : left > 0 ? left - 1 : strspn(shape, "0123456789");
        if (*shape == '=')
            to.text[used++] = ' ';
        to.text[used++] = *shape;
        if (*shape == '=' || *shape == ',')
            to.text[used++] = ' ';
        else if (is_digit && left > 1 && left % 3 == 1)
            to.text[used++] = ',';
    }
    to.text[used] = '\0';
    return to;
}

const char *text_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    return dot && dot > file ? dot + 1 : "";
}
