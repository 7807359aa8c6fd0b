#include "harness/report/glossary/glossary.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum {
    TEXT_MAX = 512,
    PLURAL_MIN = 3,
    PART_MIN = 4,
    SENTENCE_MIN = 3, /* words, without numbers */
    /* How well a name fits a text. To the first two the length of the name is added, which the text contains. */
    RANK_WORD = 1, /* one word of a sentence, which may mean something else */
    RANK_PHRASE = TEXT_MAX,
    RANK_PART = 2 * TEXT_MAX,
    RANK_PATTERN = 3 * TEXT_MAX,
    RANK_ALIAS = 4 * TEXT_MAX,
    RANK_NAME = 5 * TEXT_MAX,
};

bool glossary_next(glossary_more *more, struct term *term)
{
    const char *const *line = term->next ? term->next : glossary_lines;
    struct term next = { .kind = term->kind, .more = term->more };
    for (; *line && (**line || !next.name); line++) {
        const char *text = *line;
        if (*text == '@')
            next.kind = text + 1;
        else if (strncmp(text, "= ", 2) == 0)
            next.aliases = text + 2;
        else if (strncmp(text, "> ", 2) == 0)
            next.remedy = text + 2;
        else if (*text && *text != '#')
            *(next.name ? &next.explanation : &next.name) = text;
    }
    if (!next.name && more && more(next.more, &next))
        next.more++;
    next.next = line;
    *term = next;
    return next.name;
}

/* A report asks for thousands of terms: the name of one is the line behind a blank one. */
struct term glossary_named(const char *name)
{
    struct term term = { .next = glossary_lines + 1 };
    while (*term.next && (*term.next[-1] || !**term.next || strcmp(*term.next, name) != 0))
        term.next++;
    glossary_next(NULL, &term);
    return term;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* "Speed-ups:  the ratio" becomes "speed up the ratio": words in lower case and without the s of the plural, single
 * blanks between them. Signs without any word, such as "+-" and "[?]", are kept. */
static const char *fold(char to[TEXT_MAX], const char *text)
{
    size_t used = 0, word = 0;
    bool has_word = false;
    for (size_t i = 0; text[i]; i++)
        has_word = has_word || is_of_word(text[i]);
    for (;; text++) {
        if (*text && used + 2 < TEXT_MAX && (has_word ? is_of_word(*text) : *text != ' ')) {
            to[used++] = (char)tolower((unsigned char)*text);
            word++;
            continue;
        }
        used -= word >= PLURAL_MIN && to[used - 1] == 's';
        if (!*text || used + 2 >= TEXT_MAX)
            break;
        if (word > 0)
            to[used++] = ' ';
        word = 0;
    }
    used -= used > 0 && to[used - 1] == ' ';
    to[used] = '\0';
    return to;
}

/* Whether two folded texts have the same letters, wherever their blanks are. */
static bool is_same(const char *one, const char *other)
{
    for (;; one++, other++) {
        one += strspn(one, " ");
        other += strspn(other, " ");
        if (*one != *other)
            return false;
        if (!*one)
            return true;
    }
}

/* Whether a folded text has a phrase from the beginning of a word on, and up to the end of a word if asked. */
static bool has_phrase(const char *text, const char *phrase, bool to_end_of_word)
{
    size_t length = strlen(phrase);
    for (const char *at = text; (at = strstr(at, phrase)); at++)
        if ((at == text || at[-1] == ' ') && (!to_end_of_word || at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Copies the next name of a term: first its own, then its aliases. `at` begins as NULL. */
static bool next_name(const struct term *term, const char **at, char to[TEXT_MAX])
{
    const char *from = !*at ? term->name : *at == term->name ? term->aliases : strchr(*at, '|');
    if (!from)
        return false;
    from += strspn(from, "| ");
    *at = from;
    text_copy(to, TEXT_MAX, from);
    if (from != term->name)
        to[strcspn(to, "|")] = '\0';
    to[strlen(to) - (to[0] && to[strlen(to) - 1] == ' ')] = '\0';
    return true;
}

static bool is_sentence(const char *folded)
{
    unsigned words = 0;
    for (const char *at = folded; *at; at++)
        words += !isdigit((unsigned char)*at) && *at != ' ' && (at == folded || at[-1] == ' ');
    return words >= SENTENCE_MIN;
}

/* How well one of a term's names fits a text. An alias with '*' is a pattern for the whole text, as in a shell. */
static size_t rank_name(const struct term *term, const char *name, bool is_alias, const char *text,
                        const char *folded_text)
{
    if (strchr(name, '*'))
        return fnmatch(name, text, FNM_CASEFOLD) == 0 ? RANK_PATTERN + strlen(name) : 0;
    char folded[TEXT_MAX];
    fold(folded, name);
    if (is_same(folded, folded_text))
        return is_alias ? RANK_ALIAS : RANK_NAME;
    if (strlen(folded_text) >= PART_MIN && has_phrase(folded, folded_text, false))
        return RANK_PART;
    if (!has_phrase(folded_text, folded, true))
        return 0;
    return strlen(folded) + (is_sentence(folded_text) && !strchr(folded, ' ') ? RANK_WORD : RANK_PHRASE);
}

/* The terms of the best rank, which is at least `least`. */
static unsigned search(glossary_more *more, const char *text, size_t least, struct term found[], unsigned room)
{
    char folded[TEXT_MAX], name[TEXT_MAX];
    fold(folded, text);
    unsigned count = 0;
    if (!*folded)
        return 0;
    for (struct term term = { 0 }; glossary_next(more, &term);) {
        size_t rank = 0; /* that of the name that fits best */
        for (const char *at = NULL; next_name(&term, &at, name);) {
            const size_t one = rank_name(&term, name, at != term.name, text, folded);
            rank = one > rank ? one : rank;
        }
        if (rank > least)
            count = 0;
        if (rank < least)
            continue;
        least = rank;
        if (count < room)
            found[count++] = term;
    }
    return count;
}

unsigned glossary_search(glossary_more *more, const char *text, struct term found[], unsigned room)
{
    return search(more, text, RANK_PHRASE, found, room);
}

struct term glossary_find(glossary_more *more, const char *name)
{
    struct term found = { 0 };
    search(more, name, RANK_ALIAS, &found, 1);
    return found;
}

bool glossary_nearest(glossary_more *more, const char *text, char *to, size_t room)
{
    char folded[TEXT_MAX];
    fold(folded, text);
    char name[TEXT_MAX];
    *to = '\0';
    for (struct term term = { 0 }; glossary_next(more, &term);)
        for (const char *at = NULL; next_name(&term, &at, name);) {
            bool is_pattern = strchr(name, '*') != NULL;
            fold(name, name);
            const char *const words[] = { *to ? to : name, name, NULL };
            if (!is_pattern && text_nearest(folded, words) == name)
                text_copy(to, room, name);
        }
    struct term found;
    if (!*to && search(more, text, RANK_WORD, &found, 1) > 0)
        text_copy(to, room, found.name);
    return *to;
}
