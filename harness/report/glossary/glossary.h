#ifndef HARNESS_REPORT_GLOSSARY_GLOSSARY_H
#define HARNESS_REPORT_GLOSSARY_GLOSSARY_H

/* Every term of a report, with what it means and what to do about it. The text is glossary.txt; `bench explain`,
 * results/glossary.md and the HTML reports all print it. */

#include <stdbool.h>
#include <stddef.h>

struct term {
    const char *name;        /* as reports print it: "bound by", "too-slow", "drift"; NULL: there is no such term */
    const char *kind;        /* "column", "metric", "outcome", "note" or "word" */
    const char *explanation; /* one or two sentences */
    const char *remedy;      /* what to do about it; NULL: nothing */
    const char *aliases;     /* aliases, pieces of a note's text and patterns, with '|' between them; NULL: none */
    const char *const *next; /* for glossary_next: where the text goes on, and terms of the caller so far */
    unsigned more;
};

/* glossary.txt, line by line, as the build embeds it; NULL at the end. */
extern const char *const glossary_lines[];

/* Terms that the caller adds to those of the text: writes name, explanation and aliases of the term with this number,
 * from 0 on; false after the last. They come after all others, and their kind is that of the last term of the text.
 * NULL in the functions below: only the terms of the text. */
typedef bool glossary_more(unsigned number, struct term *out);

/* Goes through all terms in the order of the text. Begin with an empty struct; false after the last term. */
bool glossary_next(glossary_more *more, struct term *term);

/* The term with this name, or else with this alias. Case, blanks, hyphens and the plural make no difference. */
struct term glossary_find(glossary_more *more, const char *name);

/* The term of the text with exactly this name; its kind is not set. */
struct term glossary_named(const char *name);

/* The terms that a text may mean: a name or alias, a value from a table, part of a name, or a note or part of one. Of
 * three words or more, one alone means no term. Returns how many there are, at most `room`. */
unsigned glossary_search(glossary_more *more, const char *text, struct term found[], unsigned room);

/* The name nearest to a misspelt one, in lower case, or else one that is a word of the text. False if none is near. */
bool glossary_nearest(glossary_more *more, const char *text, char *to, size_t room);

#endif
