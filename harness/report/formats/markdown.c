/* A document as GitHub-flavoured Markdown. */

#include "harness/report/formats/markdown.h"

#include "harness/base/atomic_file.h"
#include "harness/base/xml.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"
#include "harness/report/plots/plot.h"

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

/* The outcome of a row goes into its first empty cell, with the numbers of its notes. */
static void put_row(FILE *out, const struct table *table, const struct row *row, bool has_notes)
{
    for (unsigned i = 0; i < table->columns; i++) {
        fputs("| ", out);
        if (row->span && i == row->span_at) {
            markdown_text(out, row->span);
            if (*row->notes)
                fprintf(out, " (note%s %s)", strchr(row->notes, ' ') ? "s" : "", row->notes);
        } else if (!row->span || i < row->span_at) {
            put_field(out, row->field[i]);
        }
        fputc(' ', out);
    }
    fprintf(out, has_notes ? "| %s |\n" : "|\n", row->span ? "" : row->notes);
}

/* Readers of Markdown scroll a wide table. */
static void put_table(FILE *out, const struct table *table)
{
    const bool has_notes = table_has_notes(table, false);
    for (unsigned i = 0; i < table->columns; i++)
        put_title(out, &table->column[i]);
    fputs(has_notes ? "| note |\n" : "|\n", out);
    for (unsigned i = 0; i < table->columns; i++)
        fputs(table->column[i].align == ALIGN_NUMBER || table->column[i].align == ALIGN_RIGHT ? "|---:" : "|---", out);
    fputs(has_notes ? "|---|\n" : "|\n", out);
    for (unsigned i = 0; i < table->rows; i++)
        put_row(out, table, &table->row[i], has_notes);
}

/* "- **A, baseline:** ..." */
static void put_line(FILE *out, const struct item *line, unsigned number)
{
    const char *label = line->about == ABOUT_NOTE ? "" : line->label; /* the heading above says "Notes" */
    const bool is_named = *line->letter || *label;
    if (line->about == ABOUT_FOOTNOTE)
        fprintf(out, "%u. ", number);
    else
        fputs(line->about == ABOUT_ALARM ? "> " : is_named ? "- **" : "- ", out);
    if (is_named) {
        markdown_text(out, line->letter);
        fputs(*line->letter && *label ? ", " : "", out);
        markdown_text(out, label);
        fputs(*label && strchr("?:", label[strlen(label) - 1]) ? "** " : ":** ", out);
    }
    (is_named ? markdown_text : markdown_start)(out, line->text);
    fputc('\n', out);
}

static void put_heading(FILE *out, const struct item *item)
{
    fprintf(out, "%.*s %s", (int)item->depth, "###", item->depth == 3 ? "Run " : "");
    markdown_text(out, item->letter);
    fputs(*item->letter && *item->text ? ": " : "", out);
    (item->depth == 3 ? markdown_text : markdown_start)(out, item->text);
    fputc('\n', out);
}

/* "results/report-speed-up.svg" of the stem "results/report". A link in its place is replaced, never followed. */
static bool save_picture(const struct picture *picture, const char *stem, struct error *err)
{
    char path[PATH_MAX];
    struct atomic_file file;
    struct stat is;
    snprintf(path, sizeof path, "%s-%s.svg", stem, picture->name);
    if (lstat(path, &is) == 0 && S_ISLNK(is.st_mode))
        unlink(path);
    if (!atomic_file_open(&file, path, err))
        return false;
    fputs(picture->svg, file.out);
    bool ok = atomic_file_save(&file, err) && atomic_file_keep_as(&file, path, err);
    atomic_file_drop(&file);
    return ok;
}

/* The file is in the folder of the report. */
static void put_picture(FILE *out, const struct picture *picture, const char *stem)
{
    const char *slash = strrchr(stem, '/');
    fputs("### ", out);
    markdown_start(out, picture->title);
    fputs("\n\n![", out);
    markdown_text(out, picture->title);
    fputs("](", out);
    xml_address(out, slash ? slash + 1 : stem);
    xml_address(out, "-");
    xml_address(out, picture->name);
    fputs(".svg)\n\n", out);
    markdown_start(out, picture->caption);
    fputc('\n', out);
}

static void put_item(FILE *out, const struct document *document, const struct item *item, const struct item *end)
{
    switch (item->kind) {
    case ITEM_HEADING:
        put_heading(out, item);
        break;
    case ITEM_LINE:
        for (const struct item *line = item; line < end; line++)
            put_line(out, line, (unsigned)(line - item) + 1);
        break;
    case ITEM_TABLE:
        put_table(out, item->table);
        break;
    case ITEM_PICTURE:
        put_picture(out, item->picture, document->pictures);
        break;
    case ITEM_FOLD:
        fputs("<details><summary>", out);
        markdown_start(out, item->text);
        fputs("</summary>\n", out);
        break;
    case ITEM_END:
        fputs("</details>\n", out);
    }
}

/* Columns are never left out. */
bool markdown_write(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    const struct item *const last = document->item + document->items;
    (void)width;
    for (const struct item *item = document->item; item < last; item++)
        if (item->kind == ITEM_PICTURE && !save_picture(item->picture, document->pictures, err))
            return false;
    for (const struct item *item = document->item, *end; item < last; item = end) {
        end = document_group_end(document, item);
        fputs(item > document->item ? "\n" : "", out);
        put_item(out, document, item, end);
    }
    return output_end(out, err);
}
