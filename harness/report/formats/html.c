/* One self-contained page: no script, no font, no picture from elsewhere. The answers first, then the figures behind
 * them. */

#include "harness/report/formats/html.h"
#include "harness/base/text.h"
#include "harness/report/content/document.h"
#include "harness/report/formats/output.h"
#include "harness/report/plots/plot.h"
#include "harness/report/report.h"

#include <string.h>

/* What a browser may do with the page, whatever it contains: only apply the style in it. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

static const struct {
    const char *id, *title;
} chapters[] = {
    { "answers", "Answers" }, { "pictures", "Pictures" },          { "tables", "Tables" },
    { "machine", "Machine" }, { "method", "How it was measured" }, { "glossary", "Glossary" },
};

static void put_missing(FILE *out, const struct lines *missing)
{
    if (missing->lines == 0)
        return;
    fputs("<div class=\"missing\" role=\"note\">\n", out);
    for (unsigned i = 0; i < missing->lines; i++) {
        const struct line *line = &missing->line[i];
        fputs("<p>", out);
        html_letter(out, line->letter);
        html_print(out, "%s</p>\n", line->text);
    }
    fputs("</div>\n", out);
}

static void put_head(FILE *out, const struct document *document)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
            "<meta name=\"generator\" content=\"bench %s\"/>\n<title>",
            policy, BENCH_VERSION);
    html_text(out, document->title);
    fprintf(out,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#answers\">To the answers</a>\n",
            html_style);
}

/* The letters of the runs, if there are several. */
static void put_letters(FILE *out, const struct document *document)
{
    static const char *const labels[] = { "machine", "measured" };
    if (document->runs < 2)
        return;
    fputs("<ul class=\"letters\">\n", out);
    for (unsigned i = 0; i < document->runs; i++) {
        const struct run_heading *run = &document->run[i];
        fputs("<li>", out);
        html_letter(out, run->letter);
        for (unsigned k = 0; k < sizeof labels / sizeof *labels; k++) {
            const char *text = lines_find(&run->about, labels[k]);
            html_print(out, "<bdi>%s</bdi>", text);
            fputs(*text ? "; " : "", out);
        }
        html_print(out, "<bdi>%s</bdi></li>\n", run->name);
    }
    fputs("</ul>\n", out);
}

static void put_header(FILE *out, const struct document *document)
{
    html_print(out,
               "<header>\n<p class=\"kicker\">bench: is this GPU worth it, for this work, at this size, on this "
               "machine?</p>\n<h1>%s</h1>\n",
               document->title);
    put_letters(out, document);
    fputs("<nav aria-label=\"Chapters\"><ul>\n", out);
    for (unsigned i = 0; i < sizeof chapters / sizeof *chapters; i++)
        fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", chapters[i].id, chapters[i].title);
    fputs("</ul></nav>\n", out);
    put_missing(out, &document->missing);
    fputs("</header>\n<main>\n", out);
}

static void put_pictures(FILE *out, const struct pictures *pictures)
{
    fputs("<section id=\"pictures\">\n<h2>Pictures</h2>\n", out);
    if (*pictures->missing) {
        html_print(out, "<p class=\"lead\">%s</p>\n", pictures->missing);
    }
    for (unsigned i = 0; i < pictures->count; i++) {
        const struct picture *picture = &pictures->picture[i];
        html_print(out,
                   "<figure id=\"p-%s\">\n<h3>%s</h3>\n<div class=\"picture-box\" tabindex=\"0\" role=\"group\" "
                   "aria-label=\"%s",
                   picture->name, picture->title, picture->title);
        fprintf(out, "\">%s%s</div>\n<figcaption>", picture->svg, picture->narrow);
        html_print(out, "%s</figcaption>\n</figure>\n", picture->caption);
    }
    fputs("</section>\n", out);
}

static void put_lines(FILE *out, const struct lines *lines, const char *class)
{
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        fprintf(out, "<p class=\"%s\">", class);
        html_letter(out, line->letter);
        if (*line->label) {
            html_print(out, "%s: ", line->label);
        }
        html_print(out, "%s</p>\n", line->text);
    }
}

static void put_tables(FILE *out, const struct document *document, const struct html_terms *terms)
{
    fputs("<section id=\"tables\">\n<h2>Tables</h2>\n", out);
    if (document->ceilings.rows > 0) {
        fputs("<section class=\"problem\" id=\"ceilings\">\n<h3>Ceilings</h3>\n<p class=\"about\">The best that each "
              "device did in its run: what the others are compared with.</p>\n",
              out);
        html_table(out, &document->ceilings, terms, "ceilings", "Ceilings");
        fputs("</section>\n", out);
    }
    for (unsigned i = 0; i < document->sections; i++) {
        const struct section *section = &document->section[i];
        html_print(out, "<section class=\"problem\" id=\"t-%s\">\n<h3>%s</h3>\n", section->anchor, section->title);
        put_lines(out, &section->about, "about");
        html_table(out, &section->table, terms, section->anchor, section->title);
        put_lines(out, &section->legend, "legend");
        html_notes(out, section);
        fputs("</section>\n", out);
    }
    fputs("</section>\n", out);
}
static void put_machines(FILE *out, const struct document *document)
{
    fputs("<section id=\"machine\">\n<h2>Machine</h2>\n<div class=\"runs\">\n", out);
    for (unsigned i = 0; i < document->runs; i++) {
        const struct run_heading *run = &document->run[i];
        fputs("<div class=\"run\">\n", out);
        if (*run->letter) {
            fputs("<h3>", out);
            html_letter(out, run->letter);
            html_print(out, "<bdi>%s</bdi></h3>\n", run->name);
        }
        html_lines(out, &run->about);
        fputs("</div>\n", out);
    }
    fputs("</div>\n</section>\n", out);
}

/* A word of a command line, quoted for a shell as well as HTML allows. */
static void put_word(FILE *out, const char *word)
{
    char clean[256];
    bool is_plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=,.:/+@%") ==
                                 strlen(word);
    text_clean(clean, sizeof clean, word);
    fputs(is_plain ? " " : " '", out);
    html_text(out, clean);
    fputs(is_plain ? "" : "'", out);
}

static void put_command(FILE *out, const struct run_heading *run, const struct result *result)
{
    char text[128];
    size_t i;
    const json_t *head = result->record ? result->record->head : NULL, *word;
    const json_t *command = json_object_get(head, "command");
    fputs("<li>", out);
    html_letter(out, run->letter);
    html_print(out, "<bdi>%s</bdi>", *run->name ? run->name : "this run");
    static const char *const parts[][2] = { { "started", ", begun " }, { "version", ", by bench " } };
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        const char *value = json_string_value(json_object_get(head, parts[k][0]));
        text_clean(text, sizeof text, value ? value : "");
        fputs(*text ? parts[k][1] : "", out);
        html_text(out, text);
    }
    if (json_array_size(command) > 0)
        fputs(":<br/><code>", out);
    json_array_foreach (command, i, word)
        put_word(out, json_is_string(word) ? json_string_value(word) : "?");
    fputs(json_array_size(command) > 0 ? "</code></li>\n" : "</li>\n", out);
}

static void put_remarks(FILE *out, const struct lines *notes)
{
    if (notes->lines == 0)
        return;
    fputs("<h3>Notes on the whole</h3>\n<ul class=\"remarks\">\n", out);
    for (unsigned i = 0; i < notes->lines; i++) {
        fputs("<li>", out);
        html_letter(out, notes->line[i].letter);
        html_print(out, "%s</li>\n", notes->line[i].text);
    }
    fputs("</ul>\n", out);
}

static void put_method(FILE *out, const struct document *document, const struct results *results)
{
    fputs("<section id=\"method\">\n<h2>How it was measured</h2>\n<div class=\"prose\">\n"
          "<p>Devices ran one at a time, in short slices with the baseline between them, so that drift, heat and other "
          "load affect both sides of a ratio equally. A speed-up is the median of the ratios of neighbouring slices, "
          "not the quotient of two columns of a table. An interval in brackets contains the true figure in 95 of 100 "
          "cases; it is unknown if there were too few rounds or the rounds were correlated.</p>\n"
          "<p>Every answer was verified before and after the timing. A wrong answer has no speed-up.</p>\n</div>\n",
          out);
    put_remarks(out, &document->notes);
    fputs("<h3>What was run</h3>\n<ul class=\"commands\">\n", out);
    for (unsigned i = 0; i < document->runs && i < results->runs; i++)
        put_command(out, &document->run[i], &results->run[i]);
    fputs("</ul>\n</section>\n", out);
}

static void put_footer(FILE *out, const struct document *document)
{
    fprintf(out, "</main>\n<footer><p>Made by bench %s from the journal%s", BENCH_VERSION,
            document->runs == 1 ? "" : "s");
    for (unsigned i = 0; i < document->runs; i++) {
        fputs(i > 0 ? ", " : " ", out);
        html_print(out, "<bdi>%s</bdi>", *document->run[i].name ? document->run[i].name : "of this run");
    }
    fputs(", and from nothing else.</p></footer>\n</body>\n</html>\n", out);
}

static bool html_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct document document;
    struct html_terms terms;
    struct pictures pictures = { .count = 0 };
    bool ok = document_make(&document, results, layout->claims, err) && pictures_make(&pictures, results, err);
    if (ok) {
        html_terms_find(&terms, &document);
        put_head(out, &document);
        put_header(out, &document);
        html_cards(out, &document);
        put_pictures(out, &pictures);
        put_tables(out, &document, &terms);
        put_machines(out, &document);
        put_method(out, &document, results);
        html_glossary(out, &terms);
        put_footer(out, &document);
    }
    pictures_release(&pictures);
    document_release(&document);
    return ok && output_end(out, err);
}

const struct report report_html = {
    .name = "html",
    .extension = "html",
    .write = html_write,
};
