/* The report as GitHub-flavoured Markdown. In each section the answer comes first. */

#include "harness/report/formats/markdown.h"
#include "harness/base/atomic_file.h"
#include "harness/base/text.h"
#include "harness/base/xml.h"
#include "harness/report/formats/contents.h"
#include "harness/report/formats/output.h"
#include "harness/report/report.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a character is escaped, which depends on its neighbours. */
static bool is_escaped(const char *text, const char *at)
{
    const char before = at > text ? at[-1] : ' ';
    return strchr("\\`*[]|~#$", *at) || (*at == '_' && !(is_word(before) && is_word(at[1]))) ||
           (*at == ':' && at[1] == '/') || /* otherwise it becomes a link */
           (*at == '.' && at - text >= 3 && strncmp(at - 3, "www", 3) == 0) || (*at == '(' && before == ']');
}

static void put_from(FILE *out, const char *text, const char *at)
{
    for (; *at; at++)
        if (*at == '@' && (is_word(at[1]) || strchr("_-", at[1]))) /* code hosts notify the person, even if escaped */
            fputs("(at)", out);
        else if (strchr("<>", *at) || (*at == '&' && (is_word(at[1]) || at[1] == '#')))
            fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", out);
        else
            fprintf(out, is_escaped(text, at) ? "\\%c" : "%c", *at);
}

void markdown_text(FILE *out, const char *text)
{
    put_from(out, text, text);
}

/* Escapes what would begin a list, a heading, a quotation or a line below a heading; '#', '*' and '>' are always
 * escaped. */
void markdown_start(FILE *out, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool is_number = digits > 0 && (text[digits] == '.' || text[digits] == ')') && !is_word(text[digits + 1]);
    if (*text && strchr("-+=", *text))
        fputc('\\', out);
    if (is_number)
        fprintf(out, "%.*s\\%c", (int)digits, text, text[digits]);
    put_from(out, text, is_number ? text + digits + 1 : text);
}

/* A field without the blanks that indent it in text. */
static void put_field(FILE *out, const char *field)
{
    markdown_text(out, field + strspn(field, " "));
}

/* Both lines of a title in one. */
static void put_title(FILE *out, const struct column *column)
{
    fputs("| ", out);
    put_field(out, column->title);
    fputs(*column->title && *column->below ? " " : "", out);
    markdown_text(out, column->below);
    fputc(' ', out);
}

/* The outcome of a row goes into its first empty cell. */
static void put_span(FILE *out, const struct row *row)
{
    const char *notes = row_notes(HERE(ROW_NOTES), row);
    markdown_text(out, row->span);
    if (*notes)
        fprintf(out, " (%s%s)", row->notes > 1 ? "notes " : "note ", notes);
}

static void put_row(FILE *out, const struct table *table, const struct row *row, bool has_notes)
{
    for (unsigned i = 0; i < table->columns; i++) {
        fputs("| ", out);
        if (row->span && i == row->span_at)
            put_span(out, row);
        else if (!row->span || i < row->span_at)
            put_field(out, row->field[i]);
        fputc(' ', out);
    }
    fprintf(out, has_notes ? "| %s |\n" : "|\n", row->span ? "" : row_notes(HERE(ROW_NOTES), row));
}

/* Readers of Markdown scroll a wide table. */
static void put_table(FILE *out, const struct table *table)
{
    const bool has_notes = table_has_notes(table, false);
    if (table->rows == 0)
        return;
    fputc('\n', out);
    for (unsigned i = 0; i < table->columns; i++)
        put_title(out, &table->column[i]);
    fputs(has_notes ? "| note |\n" : "|\n", out);
    for (unsigned i = 0; i < table->columns; i++)
        fputs(table->column[i].align == ALIGN_NUMBER || table->column[i].align == ALIGN_RIGHT ? "|---:" : "|---", out);
    fputs(has_notes ? "|---|\n" : "|\n", out);
    for (unsigned i = 0; i < table->rows; i++)
        put_row(out, table, &table->row[i], has_notes);
}

/* "- **A, baseline**: ...", one item for each line. */
static void put_lines(FILE *out, const struct lines *lines)
{
    fputs(lines->lines > 0 ? "\n" : "", out);
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        const char *label = strcmp(line->label, "note") == 0 ? "" : line->label; /* the heading above says "Notes" */
        bool is_named = *line->letter || *label;
        fprintf(out, "- %s", is_named ? "**" : "");
        markdown_text(out, line->letter);
        fputs(*line->letter && *label ? ", " : "", out);
        markdown_text(out, label);
        fputs(!is_named ? "" : *label && strchr("?:", label[strlen(label) - 1]) ? "** " : ":** ", out);
        (is_named ? markdown_text : markdown_start)(out, line->text);
        fputc('\n', out);
    }
}

static void put_notes(FILE *out, const struct lines *notes)
{
    fputs(notes->lines > 0 ? "\n" : "", out);
    for (unsigned i = 0; i < notes->lines; i++) {
        fprintf(out, "%u. ", i + 1);
        markdown_start(out, notes->line[i].text);
        fputc('\n', out);
    }
}

static void put_section(FILE *out, const struct section *section)
{
    fputs(section->is_folded ? "\n<details><summary>" : "\n## ", out);
    markdown_start(out, section->title);
    fputs(section->is_folded ? "</summary>\n" : "\n", out);
    put_lines(out, &section->answers);
    put_lines(out, &section->about);
    put_table(out, &section->table);
    put_notes(out, &section->notes);
    fputs(section->is_folded ? "\n</details>\n" : "", out);
}

static void put_run(FILE *out, const struct run_heading *run)
{
    if (*run->letter) {
        fprintf(out, "\n### Run %s%s", run->letter, *run->name ? ": " : "");
        markdown_text(out, run->name);
        fputc('\n', out);
    }
    put_lines(out, &run->about);
}

/* "results/report-speed-up.svg" of the stem "results/report". A link in its place is replaced, never followed. */
static bool save_picture(const struct picture *picture, const char *stem, struct error *err)
{
    const char *path = PRINTED(PATH_MAX, "%s-%s.svg", stem, picture->name);
    struct atomic_file file;
    struct stat is;
    if (lstat(path, &is) == 0 && S_ISLNK(is.st_mode))
        unlink(path);
    if (!atomic_file_open(&file, path, err))
        return false;
    fputs(picture->svg, file.out);
    bool ok = atomic_file_save(&file, err) && atomic_file_keep_as(&file, path, err);
    atomic_file_drop(&file);
    return ok;
}

static bool save_pictures(const struct pictures *pictures, const char *stem, struct error *err)
{
    bool ok = true;
    for (unsigned i = 0; i < pictures->count && ok; i++)
        ok = save_picture(&pictures->picture[i], stem, err);
    return ok;
}

static void put_pictures(FILE *out, const struct pictures *pictures, const char *stem)
{
    if (pictures->count > 0)
        fputs("\n## Pictures\n", out);
    for (unsigned i = 0; i < pictures->count; i++) {
        const struct picture *picture = &pictures->picture[i];
        const char *slash = strrchr(stem, '/'), *name = slash ? slash + 1 : stem; /* in the folder of the report */
        fputs("\n### ", out);
        markdown_start(out, picture->title);
        fputs("\n\n![", out);
        markdown_text(out, picture->title);
        fputs("](", out);
        xml_address(out, PRINTED(PATH_MAX, "%s-%s.svg", name, picture->name));
        fputs(")\n\n", out);
        markdown_start(out, picture->caption);
        fputc('\n', out);
    }
}

static void put_head(FILE *out, const struct document *document)
{
    fputs("# ", out);
    markdown_start(out, document->title);
    fputc('\n', out);
    put_lines(out, &document->head);
}

static void put_details(FILE *out, const struct document *document, const struct pictures *pictures, const char *stem)
{
    for (unsigned i = 0; i < document->sections; i++)
        put_section(out, &document->section[i]);
    put_pictures(out, pictures, stem);
    fputs(document->runs > 1 ? "\n## Runs\n" : document->runs == 1 ? "\n## Machine\n" : "", out);
    for (unsigned i = 0; i < document->runs; i++)
        put_run(out, &document->run[i]);
    fputs(document->notes.lines > 0 ? "\n## Notes\n" : "", out);
    put_lines(out, &document->notes);
}

/* As the first part of a full report its pointers would lead to that report. */
static void put_brief(FILE *out, const struct brief *brief, const char *letter, bool is_part)
{
    const struct lines *const after[] = { &brief->claims, &brief->costs, &brief->reasons, &brief->warnings,
                                          is_part ? NULL : &brief->pointers };
    fprintf(out, "%s%s%s", is_part ? "\n## " : "# ", letter, *letter ? ": " : "");
    markdown_start(out, brief->title);
    fputc('\n', out);
    if (*brief->alarm) {
        fputs("\n> ", out);
        markdown_start(out, brief->alarm);
        fputc('\n', out);
    }
    put_lines(out, &brief->answers);
    put_lines(out, &brief->devices);
    for (unsigned i = 0; i < brief->tables; i++)
        put_table(out, &brief->table[i]);
    for (unsigned i = 0; i < sizeof after / sizeof *after && after[i]; i++)
        put_lines(out, after[i]);
}

static void put_contents(FILE *out, const struct contents *contents, const struct results *results, const char *stem)
{
    if (contents->is_full)
        put_head(out, &contents->document);
    if (contents->beside.rows > 0)
        fputs(contents->is_full ? "\n## Side by side\n" : "# Side by side\n", out);
    put_table(out, &contents->beside);
    fputs(contents->beside.rows > 0 && !contents->is_full ? "\n" : "", out);
    for (unsigned i = 0; i < results->runs; i++)
        if (contents->brief[i].title)
            put_brief(out, &contents->brief[i], results_letter_if_several(results, i), contents->is_full);
    if (contents->is_full)
        put_details(out, &contents->document, &contents->pictures, stem);
    else
        put_pictures(out, &contents->pictures, stem);
}

/* Columns are never left out. */
static bool markdown_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct contents contents;
    const char *stem = layout->pictures;
    struct layout wide = *layout;
    wide.width = 0;
    bool made =
        contents_make(&contents, results, &wide, stem != NULL, err) && save_pictures(&contents.pictures, stem, err);
    if (made)
        put_contents(out, &contents, results, stem);
    contents_release(&contents, results);
    return made && output_end(out, err);
}

static bool markdown_document(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    const struct pictures none = { .count = 0 };
    put_head(out, document);
    put_details(out, document, &none, "");
    return output_end(out, err);
}

const struct report report_markdown = {
    .name = "markdown",
    .extension = "md",
    .write = markdown_write,
    .document = markdown_document,
};
