#ifndef HARNESS_REPORT_GLOSSARY_GLOSSARY_H
#define HARNESS_REPORT_GLOSSARY_GLOSSARY_H

/* What every word of a report means, in plain sentences, and what to do about it. One text for all that explain: `bench
 * explain`, the glossary in results/, and the HTML. */

#include <stdbool.h>
#include <stddef.h>

struct term {
    const char *name; /* as reports have it: "bound by", "too-slow", "drift" */
    const char *kind; /* "column", "metric", "outcome", "note" or "word" */
    const char *says; /* what it is and what it means for the reader: one or two sentences */
    const char *todo; /* what to do about it, in one or two; NULL where there is nothing to do */
    const char
        *also; /* other names, and parts of notes, with '|' between them, an ellipsis for what varies; NULL: none */
};

/* The term of that name, or that has it as another name, whatever the case and however its words are joined; of several
 * the one of the first kind, in the order above. NULL: there is none. */
const struct term *glossary_find(const char *name);

/* All terms, kind by kind in the order above and then as a reader meets them; NULL behind the last. */
const struct term *glossary_term(unsigned at);

/* What a person may mean by a text: a name in any spelling, one of several words, or a note as it was printed. Best
 * first; returns how many, at most room. */
unsigned glossary_search(const char *text, const struct term *found[], unsigned room);

/* The name nearest to a text that means nothing, in small letters. False where none is near. */
bool glossary_nearest(const char *text, char *to, size_t room);

#endif
