#include "harness/report/formats/html_parts.h"
#include "harness/report/glossary/glossary.h"

#include <string.h>

static unsigned place_of(const struct html_words *words, const char *name)
{
    unsigned at = 0;
    while (at < words->words && strcmp(words->word[at].name, name) != 0)
        at++;
    return at;
}

static void take(struct html_words *to, const struct table *table)
{
    for (unsigned i = 0; i < table->columns; i++) {
        const char *name = table->column[i].term;
        if (!*name || place_of(to, name) < to->words || to->words == HTML_WORDS)
            continue;
        to->word[to->words].name = name;
        to->word[to->words++].term = glossary_find(name);
    }
}

void html_words_find(struct html_words *out, const struct document *document)
{
    out->words = 0;
    take(out, &document->ceilings);
    for (unsigned i = 0; i < document->sections; i++)
        take(out, &document->section[i].table);
}

const struct term *html_words_term(const struct html_words *words, const char *name)
{
    unsigned at = place_of(words, name);
    return at < words->words ? words->word[at].term : NULL;
}

static bool has(const struct html_words *words, const struct term *term)
{
    for (unsigned i = 0; i < words->words; i++)
        if (words->word[i].term == term)
            return true;
    return false;
}

/* In the glossary's own order. */
void html_glossary(FILE *out, const struct html_words *words)
{
    const struct term *term;
    fputs("<section id=\"glossary\">\n<h2>Glossary</h2>\n<dl class=\"facts\">\n", out);
    for (unsigned i = 0; (term = glossary_term(i)) != NULL; i++) {
        if (!has(words, term))
            continue;
        fputs("<dt>", out);
        html_text(out, term->name);
        fputs("</dt>\n<dd>", out);
        html_text(out, term->says);
        fputs(term->todo ? " " : "", out);
        html_text(out, term->todo ? term->todo : "");
        fputs("</dd>\n", out);
    }
    fputs("</dl>\n</section>\n", out);
}
