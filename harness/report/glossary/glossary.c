#include "harness/report/glossary/glossary.h"

#include "harness/base/text.h"
#include "harness/report/glossary/chapter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

enum {
    FOLDED = 512,
    PLURAL_MIN = 4,
    PART_MIN = 4,
    SHORT = 24, /* of a text that is one field of a table */
};

static const struct chapter *const chapters[] = {
    &glossary_columns,      &glossary_metrics, &glossary_series,        &glossary_outcomes,
    &glossary_verdicts,     &glossary_notes,   &glossary_machine_notes, &glossary_gpu_notes,
    &glossary_change_notes, &glossary_words,   &glossary_methods,
};

const struct term *glossary_term(unsigned at)
{
    for (unsigned i = 0; i < sizeof chapters / sizeof *chapters; i++) {
        if (at < chapters[i]->terms)
            return &chapters[i]->term[at];
        at -= chapters[i]->terms;
    }
    return NULL;
}

/* Part of a word as reports, files and people write it: letters and digits, and all that is not ASCII. */
static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* "Speed-ups:  the ratio" as "speed up the ratio": words in lower case and in the singular, single blanks between. A
 * sign such as "+-" or "[?]" has no word and is kept as it is. */
static void fold(char to[FOLDED], const char *text, size_t length)
{
    size_t used = 0, word = 0;
    bool has_word = false;
    for (size_t i = 0; i < length; i++)
        has_word = has_word || is_of_word(text[i]);
    for (size_t i = 0; i <= length && used + 2 < FOLDED; i++) {
        bool belongs = i < length && (has_word ? is_of_word(text[i]) : text[i] != ' ');
        if (belongs) {
            to[used++] = (char)tolower((unsigned char)text[i]);
            word++;
            continue;
        }
        if (word >= PLURAL_MIN && to[used - 1] == 's')
            used--;
        if (word > 0)
            to[used++] = ' ';
        word = 0;
    }
    used -= used > 0 && to[used - 1] == ' ';
    to[used] = '\0';
}

/* Whether two folded texts differ in nothing but where their words are joined, or in a plural that this hides. */
static bool is_same(const char *one, const char *other)
{
    for (size_t length = 0;; length++) {
        one += strspn(one, " ");
        other += strspn(other, " ");
        if (!*one && !*other)
            return true;
        if (*one != *other)
            return length >= PLURAL_MIN - 1 && strcmp(*one ? one : other, "s") == 0 && (!*one || !*other);
        one++, other++;
    }
}

/* Where a folded phrase stands in a folded text as whole words; NULL: nowhere. */
static const char *find_words(const char *text, const char *phrase)
{
    size_t length = strlen(phrase);
    for (const char *at = text; length > 0 && (at = strstr(at, phrase)); at++)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return at;
    return NULL;
}

/* How many letters of a folded name a folded text holds, 0 where not all. A name with gaps, "… before … now", stands
 * for a whole sentence: its parts come one after the other, and it counts for more than any word that fills a gap. */
static size_t length_held(const char *text, const char *name)
{
    static const char gap[] = "\u2026";
    const bool has_gap = strstr(name, gap) != NULL;
    size_t length = 0;
    while (*name) {
        char part[FOLDED];
        const char *end = strstr(name, gap);
        size_t bytes = end ? (size_t)(end - name) : strlen(name);
        snprintf(part, sizeof part, "%.*s", (int)(bytes - (bytes > 0 && end)), name);
        const char *at = *part ? find_words(text, part) : text;
        if (!at)
            return 0;
        text = at + strlen(part);
        length += strlen(part);
        name = end ? end + strlen(gap) + strspn(end + strlen(gap), " ") : name + bytes;
    }
    return length + (has_gap ? FOLDED : 0);
}

/* One by one the names of a term, its own first, folded. `at` begins as NULL. False behind the last. */
static bool next_name(const struct term *term, const char **at, char to[FOLDED])
{
    const char *from = !*at ? term->name : *at == term->name ? term->also : strchr(*at, '|');
    if (!from)
        return false;
    from += *from == '|';
    *at = from;
    fold(to, from, from == term->name ? strlen(from) : strcspn(from, "|"));
    return true;
}

/* Drops digits, from the place where the text is. */
static void drop_digits(char *folded)
{
    char *to = folded;
    for (const char *from = folded; *from; from++)
        if (!isdigit((unsigned char)*from))
            *to++ = *from;
    *to = '\0';
}

/* Those that are called so: by their own names first. With `any_figures` whatever numbers are within. */
static unsigned called(const char *folded, bool any_figures, const struct term *found[], unsigned room)
{
    unsigned count = 0;
    for (unsigned own = 0; own < 2; own++) {
        const struct term *term;
        for (unsigned i = 0; (term = glossary_term(i)); i++) {
            const char *at = NULL;
            char name[FOLDED];
            bool is_called = false;
            while (!is_called && next_name(term, &at, name)) {
                if (any_figures)
                    drop_digits(name);
                is_called = (at == term->name) == (own == 0) && is_same(name, folded);
            }
            for (unsigned k = 0; k < count; k++)
                is_called = is_called && found[k] != term;
            if (is_called && count < room)
                found[count++] = term;
        }
    }
    return count;
}

/* Those with the longest name that the text holds: of a note that was copied whole, with its figures. */
static unsigned held(const char *folded, const struct term *found[], unsigned room)
{
    unsigned count = 0;
    size_t longest = 0;
    const struct term *term;
    for (unsigned i = 0; (term = glossary_term(i)); i++) {
        size_t own = 0;
        const char *at = NULL;
        char name[FOLDED];
        while (next_name(term, &at, name))
            own = length_held(folded, name) > own ? length_held(folded, name) : own;
        if (own > longest)
            count = 0;
        longest = own > longest ? own : longest;
        if (own > 0 && own == longest && count < room)
            found[count++] = term;
    }
    return count;
}

/* Those with a name that holds the text: a part of a note, or of a name of several words. */
static unsigned holding(const char *folded, const struct term *found[], unsigned room)
{
    unsigned count = 0;
    const struct term *term;
    for (unsigned i = 0; (term = glossary_term(i)); i++) {
        const char *at = NULL;
        char name[FOLDED];
        bool holds = false;
        while (!holds && next_name(term, &at, name))
            holds = find_words(name, folded);
        if (holds && count < room)
            found[count++] = term;
    }
    return count;
}

/* "resident_p5_s" is the p5 of a series, as the CSV names its columns. */
static const char *without_series(const char *folded)
{
    static const char *const series[] = { "resident ", "queued ", "offload ", "sustained ", "series " };
    for (unsigned i = 0; i < sizeof series / sizeof *series; i++)
        if (strncmp(folded, series[i], strlen(series[i])) == 0)
            return folded + strlen(series[i]);
    return folded;
}

/* What a question asks for: "what is +-?", "what does p95 mean". The whole text where it is none. */
static size_t subject(const char **text)
{
    static const char *const beginnings[] = { "what is ", "what's ", "what are ", "what does ", "what do " };
    size_t length = strlen(*text), begins = 0;
    for (unsigned i = 0; i < sizeof beginnings / sizeof *beginnings && begins == 0; i++)
        begins = strncasecmp(*text, beginnings[i], strlen(beginnings[i])) == 0 ? strlen(beginnings[i]) : 0;
    if (begins == 0)
        return length;
    *text += begins;
    length -= begins;
    length -= length > 1 && (*text)[length - 1] == '?' && (*text)[0] != '[';
    bool means =
        length > strlen(" mean") && strncasecmp(*text + length - strlen(" mean"), " mean", strlen(" mean")) == 0;
    return length - (means ? strlen(" mean") : 0);
}

unsigned glossary_search(const char *text, const struct term *found[], unsigned room)
{
    char folded[FOLDED];
    size_t length = subject(&text);
    fold(folded, text, length);
    if (!*folded)
        return 0;
    unsigned count = called(folded, false, found, room);
    if (count == 0 && length < SHORT && strstr(text, "[?]")) /* "1.23x [?]" */
        count = called("[?]", false, found, room);
    if (count == 0 && without_series(folded) != folded)
        count = called(without_series(folded), false, found, room);
    if (count == 0 && strpbrk(folded, "0123456789")) { /* "nChw8c", "7 uses" */
        char without[FOLDED];
        strcpy(without, folded);
        drop_digits(without);
        count = strpbrk(without, letters) ? called(without, true, found, room) : 0;
    }
    if (count == 0 && strchr(folded, ' '))
        count = holding(folded, found, room);
    if (count == 0)
        count = held(folded, found, room);
    return count == 0 && strlen(folded) >= PART_MIN ? holding(folded, found, room) : count;
}

const struct term *glossary_find(const char *name)
{
    char folded[FOLDED];
    const struct term *found = NULL, *term;
    for (unsigned i = 0; (term = glossary_term(i)); i++) /* what programs ask for, often */
        if (strcmp(term->name, name) == 0)
            return term;
    fold(folded, name, strlen(name));
    return *folded && called(folded, false, &found, 1) ? found : NULL;
}

bool glossary_nearest(const char *text, char *to, size_t room)
{
    char folded[FOLDED], best[FOLDED] = "", name[FOLDED];
    const struct term *term;
    fold(folded, text, strlen(text));
    for (unsigned i = 0; (term = glossary_term(i)); i++)
        for (const char *at = NULL; next_name(term, &at, name);) {
            const char *const words[] = { name, NULL }, *const both[] = { best, name, NULL };
            const char *nearer = text_nearest(folded, *best ? both : words);
            if (nearer == name)
                text_copy(best, sizeof best, name);
        }
    text_copy(to, room, best);
    return *best;
}
