/* One self-contained page: no script, no font, no picture from elsewhere. The answer, the hardware and one table first,
 * then pictures; what explains and diagnoses is folded. */

#include "harness/report/formats/html.h"

#include "harness/base/text.h"
#include "harness/report/formats/contents.h"
#include "harness/report/formats/output.h"
#include "harness/report/glossary/glossary.h"
#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

/* What a browser may do with the page, whatever it contains: only apply the style in it. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

static void put_head(FILE *out, const struct document *document)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
            "<meta name=\"generator\" content=\"bench %s\"/>\n<title>",
            policy, BENCH_VERSION);
    xml_text(out, document->title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

/* Colours of shares, from so many percent of what is usual on. */
static const struct {
    double least;
    const char *tone;
} shares[] = { { 103, "fast" }, { 99, "s99" }, { 97, "s97" }, { 95, "s95" }, { 90, "s90" }, { 0, "s0" } };

static const char *tone_of(const struct column *column, const char *field)
{
    const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
    const bool is_share = column->align == ALIGN_SHARE && *field >= '0' && *field <= '9';
    unsigned i = 0;
    while (is_share && strtod(field, NULL) < shares[i].least)
        i++;
    return is_share ? shares[i].tone : verdict < VERDICT_COUNT ? verdict_words[verdict] : "";
}

static void put_class(FILE *out, const struct column *column, const char *field)
{
    const bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    const char *tone = tone_of(column, field);
    if (is_number || *tone)
        fprintf(out, " class=\"%s%s\"", is_number ? "number" : "", tone);
}

static void put_marks(FILE *out, const struct row *row, const char *anchor)
{
    fputs("<td class=\"marks\">", out);
    for (unsigned i = 0; i < row->notes; i++)
        fprintf(out, "%s<a href=\"#n-%s-%u\">%u</a>", i > 0 ? " " : "", anchor, row->note[i], row->note[i]);
    fputs("</td>", out);
}

/* The title of a column, with an explanation where a reader points at it. */
static void put_words(FILE *out, const struct column *column, bool is_explained)
{
    const struct term term =
        is_explained && *column->title ? glossary_named(column->term) : (struct term){ .name = NULL };
    if (term.name)
        xml_print(out, "<abbr title=\"%s\">", term.explanation);
    xml_print(out, "%s", strcmp(column->title, "+-") == 0 ? "±" : column->title);
    fputs(term.name ? "</abbr>" : "", out);
    if (*column->below)
        xml_print(out, " <small>%s</small>", column->below);
}

/* Where a window may have no room for columns (`has_labels`), each field has its title beside it. */
static void put_row(FILE *out, const struct table *table, const struct row *row, bool has_labels)
{
    unsigned column = 0, end = row->span ? row->span_at : table->columns;
    fputs("<tr>", out);
    for (; column < end; column++) {
        fputs(column == 0 ? "<th scope=\"row\"" : "<td", out);
        put_class(out, &table->column[column], row->field[column]);
        fputs(">", out);
        fputs(has_labels ? "<span class=\"of\">" : "", out);
        if (has_labels)
            put_words(out, &table->column[column], row == table->row);
        fputs(has_labels ? "</span> " : "", out);
        xml_print(out, "%s", row->field[column]);
        fputs(column == 0 ? "</th>" : "</td>", out);
    }
    if (row->span)
        xml_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", table->columns - column, row->span);
}

/* Over the columns after it, too, that have no title. Returns how many. */
static unsigned put_title(FILE *out, const struct table *table, unsigned at)
{
    const struct column *column = &table->column[at];
    unsigned span = 1;
    while (at + span < table->columns && !*column[span].title && !*column[span].below)
        span++;
    fputs("<th scope=\"col\"", out);
    if (span > 1)
        fprintf(out, " colspan=\"%u\"", span);
    else
        put_class(out, column, "");
    fputs(">", out);
    put_words(out, column, true);
    fputs("</th>", out);
    return span;
}

void html_table(FILE *out, const struct table *table, const char *anchor, const char *caption)
{
    enum { COLUMNS_MOST = 10 };
    const bool has_marks = table_has_notes(table, true);
    const char *class = !*anchor ? " one" : table->columns > COLUMNS_MOST ? " many" : "";
    if (table->rows == 0)
        return;
    xml_print(out,
              "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
              "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
              class, caption, caption);
    for (unsigned i = 0; i < table->columns;)
        i += put_title(out, table, i);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", has_marks ? "<th scope=\"col\">note</th>" : "");
    for (unsigned i = 0; i < table->rows; i++) {
        put_row(out, table, &table->row[i], *class);
        if (has_marks)
            put_marks(out, &table->row[i], anchor);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}

/* Labels, and the letters of runs if there are several, with their texts. Equal neighbours share theirs. */
static void put_lines(FILE *out, const struct lines *lines)
{
    fputs(lines->lines > 0 ? "<dl class=\"facts\">\n" : "", out);
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        const bool is_repeated =
            i > 0 && strcmp(line->label, line[-1].label) == 0 && strcmp(line->letter, line[-1].letter) == 0;
        if (!is_repeated && (*line->letter || *line->label))
            xml_print(out,
                      *line->letter ? "<dt><b class=\"letter\">%s</b> <bdi>%s</bdi></dt>\n"
                                    : "<dt>%s<bdi>%s</bdi></dt>\n",
                      line->letter, line->label);
        xml_print(out, "<dd>%s</dd>\n", line->text);
    }
    fputs(lines->lines > 0 ? "</dl>\n" : "", out);
}

/* The answer is the title of what is not about runs. */
static void put_header(FILE *out, const struct document *document)
{
    xml_print(out, document->runs == 0 ? "<header>\n<h1 class=\"answer first\">%s</h1>\n" : "<header>\n<h1>%s</h1>\n",
              document->title);
    put_lines(out, &document->head);
    fputs("</header>\n<main>\n", out);
}

static void put_picture(FILE *out, const struct picture *picture)
{
    xml_print(out, "<figure id=\"p-%s\">\n<h2>%s</h2>\n", picture->name, picture->title);
    fprintf(out, "<div class=\"narrow\">\n%s</div>\n<div class=\"broad\">\n%s</div>\n", picture->svg, picture->wide);
    xml_print(out, "<figcaption>%s</figcaption>\n</figure>\n", picture->caption);
}

static void put_pictures(FILE *out, const struct pictures *pictures, unsigned run, bool are_answers)
{
    for (unsigned i = 0; i < pictures->count; i++)
        if (pictures->picture[i].run == run && pictures->picture[i].is_answer == are_answers)
            put_picture(out, &pictures->picture[i]);
}

/* A folded part of the page. */
static void begin_part(FILE *out, const char *id, const char *title)
{
    fprintf(out, "<details id=\"%s\">\n<summary><h2>%s</h2></summary>\n", id, title);
}

/* What a user types to measure the rows again. */
static void put_commands(FILE *out, const struct table *table)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].repro && *table->row[i].repro)
            xml_print(out, "<pre>%s</pre>\n", table->row[i].repro);
}

static void put_section(FILE *out, const struct section *section)
{
    xml_print(out, "<section class=\"problem\" id=\"t-%s\">\n<h3>%s</h3>\n", section->anchor, section->title);
    put_lines(out, &section->answers);
    put_lines(out, &section->about);
    html_table(out, &section->table, section->anchor, section->title);
    fputs(section->notes.lines > 0 ? "<ol class=\"notes\">\n" : "", out);
    for (unsigned i = 0; i < section->notes.lines; i++)
        xml_print(out, "<li id=\"n-%s-%u\">%s</li>\n", section->anchor, i + 1, section->notes.line[i].text);
    fputs(section->notes.lines > 0 ? "</ol>\n" : "", out);
    put_commands(out, &section->table);
    fputs("</section>\n", out);
}

static void put_tables(FILE *out, const struct document *document)
{
    begin_part(out, "tables", "All figures, methods tried, notes, and commands to repeat a row");
    for (unsigned i = 0; i < document->sections; i++)
        put_section(out, &document->section[i]);
    fputs("</details>\n", out);
}

/* A card for each GPU; a line that compares two has its own. */
static void put_cards(FILE *out, const struct lines *answers)
{
    fputs("<div class=\"cards\">\n<div>\n", out);
    for (const struct line *line = answers->line; line < answers->line + answers->lines; line++) {
        const bool goes_on = line == answers->line || strncmp(line->label, "Copied", strlen("Copied")) == 0;
        fputs(goes_on ? "" : "</div>\n<div>\n", out);
        xml_print(out, "<p class=\"answer%s\"><span>%s</span> %s</p>\n", strchr(line->label, '?') ? " first" : "",
                  line->label, line->text);
    }
    fputs("</div>\n</div>\n", out);
}

/* The top of a page: the answer and its picture, warnings, the hardware and the tables; then costs and reasons. */
static void put_brief(FILE *out, const struct brief *brief, const struct pictures *pictures, unsigned run)
{
    if (*brief->alarm)
        xml_print(out, "<p class=\"warning\">%s</p>\n", brief->alarm);
    put_cards(out, &brief->answers);
    put_pictures(out, pictures, run, true);
    for (unsigned i = 0; i < brief->warnings.lines; i++)
        xml_print(out, "<p class=\"warning\">%s</p>\n", brief->warnings.line[i].text);
    put_lines(out, &brief->devices);
    for (unsigned i = 0; i < brief->tables; i++)
        html_table(out, &brief->table[i], "", brief->table[i].column[0].title);
    put_lines(out, &brief->claims);
    put_lines(out, &brief->costs);
    put_lines(out, &brief->reasons);
    xml_print(out, "<p class=\"about\">%s</p>\n", brief->title);
}

static void put_answers(FILE *out, const struct contents *contents, const struct results *results)
{
    const struct document *document = &contents->document;
    for (unsigned i = 0; i < document->runs; i++) {
        const struct run_heading *run = &document->run[i];
        if (results->run[i].record->sweep)
            continue; /* the head has its answers */
        fputs("<section>\n", out);
        if (*run->letter)
            xml_print(out, "<h2><b class=\"letter\">%s</b> <bdi>%s</bdi></h2>\n", run->letter, run->name);
        put_brief(out, &contents->brief[i], &contents->pictures, i);
        fputs("</section>\n", out);
    }
}

static void put_method(FILE *out, const struct document *document)
{
    begin_part(out, "method", "How it was measured");
    fputs("<div class=\"prose\">\n<p>Devices ran one at a time, in short slices next to one of the baseline, so that "
          "drift, heat and other load affect both sides of a ratio equally. A speed-up is the median of these ratios, "
          "not the quotient of two columns of a table. Its 95 % interval is in parentheses: it describes the machine "
          "during this run, and is missing if there were too few visits.</p>\n"
          "<p>Every result was verified before and after the timing. A wrong result has no speed-up.</p>\n</div>\n",
          out);
    put_lines(out, &document->notes);
    for (unsigned i = 0; i < document->runs; i++)
        put_lines(out, &document->run[i].about);
    fputs("</details>\n", out);
}

static void put_footer(FILE *out, const struct document *document)
{
    fprintf(out, "</main>\n<footer><p>Made by bench %s", BENCH_VERSION);
    for (unsigned i = 0; i < document->runs && *document->run[i].name; i++)
        xml_print(out, "%s <bdi>%s</bdi>", i > 0 ? "," : " from", document->run[i].name);
    fputs(".</p></footer>\n</body>\n</html>\n", out);
}

/* What the columns of all tables mean. */
static void put_glossary(FILE *out)
{
    begin_part(out, "glossary", "Glossary");
    fputs("<dl class=\"facts\">\n", out);
    for (struct term term = { 0 }; glossary_next(NULL, &term);)
        if (strcmp(term.kind, "column") == 0)
            xml_print(out, "<dt>%s</dt>\n<dd>%s %s</dd>\n", term.name, term.explanation,
                      term.remedy ? term.remedy : "");
    fputs("</dl>\n</details>\n", out);
}

static void put_page(FILE *out, const struct contents *contents, const struct results *results)
{
    const struct document *document = &contents->document;
    put_head(out, document);
    put_header(out, document);
    if (contents->beside.rows > 0)
        html_table(out, &contents->beside, "", contents->beside.column[0].title);
    put_answers(out, contents, results);
    for (unsigned i = 0; i < document->runs; i++)
        put_pictures(out, &contents->pictures, i, false);
    put_tables(out, document);
    put_method(out, document);
    put_glossary(out);
    put_footer(out, document);
}

static bool html_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct contents contents;
    struct layout whole = *layout;
    whole.width = 0;
    whole.is_brief = false;
    bool made = contents_make(&contents, results, &whole, true, err);
    if (made)
        put_page(out, &contents, results);
    contents_release(&contents, results);
    return made && output_end(out, err);
}

static bool html_document(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    put_head(out, document);
    put_header(out, document);
    if (document->picture)
        put_picture(out, document->picture);
    for (unsigned i = 0; i < document->sections; i++) {
        const struct section *section = &document->section[i];
        if (section->is_folded)
            begin_part(out, section->anchor, section->title);
        put_section(out, section);
        fputs(section->is_folded ? "</details>\n" : "", out);
    }
    put_lines(out, &document->notes);
    put_glossary(out);
    put_footer(out, document);
    return output_end(out, err);
}

const struct report report_html = {
    .name = "html",
    .extension = "html",
    .write = html_write,
    .document = html_document,
};
