#ifndef HARNESS_REPORT_FORMATS_HTML_H
#define HARNESS_REPORT_FORMATS_HTML_H

/* The parts of a page. Each writes well-formed XML, so that a browser and an XML parser read the same tree. An id
 * consists of a letter for its kind, the section's anchor and numbers: "t-multiply", "n-multiply-2". The ids of
 * chapters have no '-', so they differ from those. */

#include "harness/report/content/brief.h"
#include "harness/report/content/document.h"
#include "harness/report/glossary/glossary.h"

#include <stdio.h>

/* The glossary's terms for the columns of a document. */
enum { HTML_TERMS = 96 };
struct html_terms {
    struct {
        const char *name;
        struct term term; /* its name is NULL if the glossary does not have it */
    } term_of[HTML_TERMS];
    unsigned terms;
};

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* Writes a text, escaped for an element or a quoted attribute. */
void html_text(FILE *out, const char *text);

/* printf for markup: each %s is an escaped text, %u a number; no other conversions. Names in any script are within
 * <bdi>, which contains their direction of writing. */
void html_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The letter of a run, if there are several. */
void html_letter(FILE *out, const char *letter);

/* The top of the page of a run: the answer, the hardware, the one table, and what explains them. */
void html_brief(FILE *out, const struct brief *brief, const struct run_heading *run, const struct html_terms *terms);

/* The table of a section, with links to its notes; that of the answer has no anchor. `caption` is read by screen
 * readers. */
void html_table(FILE *out, const struct table *table, const struct html_terms *terms, const char *anchor,
                const char *caption);
void html_notes(FILE *out, const struct section *section);

/* Labels with their texts. */
void html_lines(FILE *out, const struct lines *lines);

/* Finds the terms of all columns, adds those of a table; returns one of them, or NULL; writes all of them with their
 * explanations. */
void html_terms_find(struct html_terms *out, const struct document *document);
void html_terms_add(struct html_terms *out, const struct table *table);
const struct term *html_terms_get(const struct html_terms *terms, const char *name);
void html_glossary(FILE *out, const struct html_terms *terms);

#endif
