#ifndef HARNESS_BASE_TEXT_H
#define HARNESS_BASE_TEXT_H

/* Text: bounded copies, building of longer texts, the one place where numbers become "4.2 ms" and "1.9 TFLOP/s", and
 * what the command line needs to read numbers and to suggest the nearest word. The program never calls setlocale, so
 * every number has a decimal point; nothing else is done about locales, here or elsewhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

/* A text as a value: text_seconds(0.0123).text is "12.3 ms". It lives as long as the variable that holds the struct;
 * without one, until the end of the statement. What does not fit is cut. */
enum { TEXT_ROOM = 4096 };
struct text {
    char text[TEXT_ROOM];
};

/* As printf formats it. */
struct text text_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies as much of `from` as fits, always terminated, never splitting a UTF-8 sequence. */
void text_copy(char *to, size_t room, const char *from);

/* Appends to the text in `to`, as printf formats it. What does not fit in `room` is cut as text_copy does. Returns
 * whether all of it fitted. */
bool text_append(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends an item to a list in `to`, after the separator unless it is the first: "a", then "a, b". */
bool text_join(char *to, size_t room, const char *separator, const char *item);

/* A text of any length, built piece by piece in the memory of a pool:
 *     struct string_builder line = { .pool = pool };
 *     string_append(&line, "%s, %u cores", name, cores);
 *     return string_text(&line);
 * Nothing has to be released but the pool. When memory is short the piece is left out and pool->is_short is set. */
struct string_builder {
    struct pool *pool;
    char *text; /* NULL while nothing was appended */
    size_t length, room;
};
void string_append(struct string_builder *string, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What was appended so far, "" at first. Valid until the next string_append, and as long as the pool after the last. */
const char *string_text(const struct string_builder *string);

/* text_copy for text that a driver, a file or a user supplied: invalid UTF-8 becomes '?', runs of blanks and
 * control or invisible characters (line breaks, marks of direction, zero-width ones) become single spaces, both ends
 * are trimmed. Safe to print on a terminal and to put on a table row. `to` may be `from`. Returns `to`. */
const char *text_clean(char *to, size_t room, const char *from);
struct text text_cleaned(const char *from);

/* A name made of any text, for files, directories and links: small letters, digits, '-' and '.', with a letter or a
 * digit at both ends; empty if the text has neither. Cut if `room` is too small. Returns `to`. */
const char *text_slug(char *to, size_t room, const char *text);

/* FNV-1a, 64 bits (Fowler, Noll and Vo), of several texts in a row: TEXT_HASH is the hash before the first. */
#define TEXT_HASH UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(uint64_t before, const char *text);

/* "12.3 ms", "870 ns", "1.25 s": three significant digits; "-" for NAN. */
struct text text_seconds(double seconds);

/* "480 MB", "1.92 GB": powers of 1000. */
struct text text_bytes(double bytes);

/* "512 MiB", "16 KiB": powers of 1024, rounded to whole numbers. */
struct text text_binary(double bytes);

/* "422 GFLOP/s", "7.23 TOP/s": operations per second; `operation` is "FLOP" or "OP" (dtype_operation). */
struct text text_flops(double rate, const char *operation);

/* Whether it is a whole number that a double represents exactly: a count, or bytes. */
bool text_is_whole(double value);

/* A number with three significant digits; "-" for NAN. */
struct text text_figure(double value);

/* Reads a whole positive or zero number: decimal digits, an optional fraction, an optional suffix K M G T (powers of
 * 1000), Ki Mi Gi Ti (powers of 1024) or e6 (a power of ten), and products of such numbers: "40M", "40e6", "64Mi",
 * "80Mx2". False for anything else, a negative or fractional result, or one above INT64_MAX. */
bool text_parse_count(const char *text, int64_t *out);

/* "; suffixes are capitals: K M G T, or Ki Mi Gi Ti" if the text has a lower-case suffix; "" otherwise. */
const char *text_suffix_hint(const char *text);

/* "0.5", "90", "500ms", "2s", "1m" as seconds. False for anything else, or a negative or infinite value. */
bool text_parse_seconds(const char *text, double *out);

/* "n=40000000,k=3" as "n = 40,000,000, k = 3". */
struct text text_shape(const char *shape);

/* The word among `words` (NULL-terminated) with the least edit distance to `typed`, or NULL when none is near enough
 * for a likely typing error. */
const char *text_nearest(const char *typed, const char *const words[]);

/* The index of `word` in `names`, or `count` if it is not there. */
unsigned name_find(const char *word, const char *const names[], unsigned count);

/* Whether a list has this part, between separators. */
bool text_has_part(const char *list, char separator, const char *part);

/* Whether a list of words, separated by single blanks, has this one. */
bool text_has_word(const char *list, const char *word);

/* "html" of the path "folder/report.html"; "" without an ending. */
const char *text_ending(const char *path);

/* Columns of the text on a terminal, for valid UTF-8 of narrow characters. */
unsigned text_width(const char *text);

/* Lists such as "n=8,c=64": the part after this one, NULL after the last; and the value of a name, *length characters
 * long, NULL if the list does not have it. The first of equal names counts. */
const char *text_next_part(const char *part);
const char *text_value(const char *list, const char *name, size_t *length);

#endif
