#ifndef HARNESS_REPORT_FORMATS_HTML_H
#define HARNESS_REPORT_FORMATS_HTML_H

/* The parts of a page: each writes well-formed XML, so that a browser and an XML parser read the same tree. Names of
 * places in the page are made of a letter that says of what, the section's anchor and numbers: "t-multiply",
 * "n-multiply-2"; those of its chapters have no '-', so that no section can have the same. */

#include "harness/report/content/document.h"
#include "harness/report/glossary/glossary.h"

#include <stdio.h>

struct pictures;

/* The terms at the heads of a document's columns that the glossary has. */
enum { HTML_TERMS = 96 };
struct html_terms {
    struct {
        const char *name;
        struct term term; /* its name is NULL if the glossary has no such term_of */
    } term_of[HTML_TERMS];
    unsigned terms;
};

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* A text of a document or a record as it may stand between elements or in a quoted attribute: it ends neither. */
void html_text(FILE *out, const char *text);

/* printf for markup: each %s is such a text, and %u a number; there are no others. Of names that may be of any script
 * the direction of writing stays within a <bdi>. */
void html_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The letter of a run, where there are several. */
void html_letter(FILE *out, const char *letter);

/* The answers: a card for each section. */
void html_cards(FILE *out, const struct document *document);

/* The table of a section, in two parts where it is wide, with links to its notes and back. `caption` is its name for
 * who cannot see it. */
void html_table(FILE *out, const struct table *table, const struct html_terms *terms, const char *anchor,
                const char *caption);
void html_notes(FILE *out, const struct section *section);

void html_pictures(FILE *out, const struct pictures *pictures);

/* Names and what is said of them. */
void html_lines(FILE *out, const struct lines *lines);

/* Looks the terms up, each once; the term of one, or NULL; and all of them with what they mean. */
void html_terms_find(struct html_terms *out, const struct document *document);
const struct term *html_terms_get(const struct html_terms *terms, const char *name);
void html_glossary(FILE *out, const struct html_terms *terms);

#endif
