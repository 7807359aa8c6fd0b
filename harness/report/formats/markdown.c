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

static void append_from(struct string_builder *to, const char *text, const char *at)
{
    for (; *at; at++)
        if (*at == '@' && (is_word(at[1]) || strchr("_-", at[1]))) /* code hosts notify the person, even if escaped */
            string_append(to, "(at)");
        else if (strchr("<>", *at) || (*at == '&' && (is_word(at[1]) || at[1] == '#')))
            string_append(to, "%s", *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;");
        else
            string_append(to, is_escaped(text, at) ? "\\%c" : "%c", *at);
}

void markdown_text(struct string_builder *to, const char *text)
{
    append_from(to, text, text);
}

/* Escapes what would begin a list, a heading, a quotation or a line below a heading; '#', '*' and '>' are always
 * escaped. */
void markdown_start(struct string_builder *to, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool is_number = digits > 0 && (text[digits] == '.' || text[digits] == ')') && !is_word(text[digits + 1]);
    if (*text && strchr("-+=", *text))
        string_append(to, "\\");
    if (is_number)
        string_append(to, "%.*s\\%c", (int)digits, text, text[digits]);
    append_from(to, text, is_number ? text + digits + 1 : text);
}

/* The outcome of a row goes into its first empty cell, with the numbers of its notes. Fields are without the blanks
 * that indent them in text. */
static void put_row(struct string_builder *out, const struct table *table, const struct row *row, bool has_notes)
{
    for (unsigned i = 0; i < table->columns; i++) {
        string_append(out, "| ");
        if (!row->span || i < row->span_at)
            markdown_text(out, row->field[i] + strspn(row->field[i], " "));
        else if (i == row->span_at)
            markdown_text(out, row->span);
        if (row->span && i == row->span_at && *row->notes)
            string_append(out, " (note%s %s)", strchr(row->notes, ' ') ? "s" : "", row->notes);
        string_append(out, " ");
    }
    string_append(out, has_notes ? "| %s |\n" : "|\n", row->span ? "" : row->notes);
}

/* Both lines of a title are in one. Columns are never left out: readers of Markdown scroll a wide table. */
static void put_table(struct string_builder *out, const struct table *table)
{
    const bool has_notes = table_has_notes(table, false);
    for (const struct column *column = table->column; column < table->column + table->columns; column++) {
        string_append(out, "| ");
        markdown_text(out, column->title + strspn(column->title, " "));
        string_append(out, *column->title && *column->below ? " " : "");
        markdown_text(out, column->below);
        string_append(out, " ");
    }
    string_append(out, has_notes ? "| note |\n" : "|\n");
    for (unsigned i = 0; i < table->columns; i++)
        string_append(out, table->column[i].align == ALIGN_NUMBER || table->column[i].align == ALIGN_RIGHT ? "|---:"
                                                                                                           : "|---");
    string_append(out, has_notes ? "|---|\n" : "|\n");
    for (unsigned i = 0; i < table->rows; i++)
        put_row(out, table, &table->row[i], has_notes);
}

/* "- **A, baseline:** ..." */
static void put_line(struct string_builder *out, const struct item *line, unsigned number)
{
    const char *label = line->about == ABOUT_NOTE ? "" : line->label; /* the heading above says "Notes" */
    const bool is_named = *line->letter || *label;
    if (line->about == ABOUT_FOOTNOTE)
        string_append(out, "%u. ", number);
    else
        string_append(out, "%s", line->about == ABOUT_ALARM ? "> " : is_named ? "- **" : "- ");
    if (is_named) {
        markdown_text(out, line->letter);
        string_append(out, *line->letter && *label ? ", " : "");
        markdown_text(out, label);
        string_append(out, *label && strchr("?:", label[strlen(label) - 1]) ? "** " : ":** ");
    }
    (is_named ? markdown_text : markdown_start)(out, line->text);
    string_append(out, "\n");
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
static void put_picture(struct string_builder *out, const struct picture *picture, const char *stem)
{
    const char *slash = strrchr(stem, '/');
    string_append(out, "### ");
    markdown_start(out, picture->title);
    string_append(out, "\n\n![");
    markdown_text(out, picture->title);
    string_append(out, "](");
    xml_address(out, slash ? slash + 1 : stem);
    string_append(out, "-");
    xml_address(out, picture->name);
    string_append(out, ".svg)\n\n");
    markdown_start(out, picture->caption);
    string_append(out, "\n");
}

static void put_item(struct string_builder *out, const struct document *document, const struct item *item,
                     const struct item *end)
{
    switch (item->kind) {
    case ITEM_HEADING:
        string_append(out, "%.*s %s", (int)item->depth, "###", item->depth == 3 ? "Run " : "");
        markdown_text(out, item->letter);
        string_append(out, *item->letter && *item->text ? ": " : "");
        (item->depth == 3 ? markdown_text : markdown_start)(out, item->text);
        string_append(out, "\n");
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
        string_append(out, "<details><summary>");
        markdown_start(out, item->text);
        string_append(out, "</summary>\n");
        break;
    case ITEM_END:
        string_append(out, "</details>\n");
    }
}

bool markdown_write(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    struct string_builder text = { .pool = &pool };
    const struct item *const last = document->item + document->items;
    for (const struct item *item = document->item; item < last; item++)
        if (item->kind == ITEM_PICTURE && !save_picture(item->picture, document->pictures, err))
            return false;
    for (const struct item *item = document->item, *end; item < last; item = end) {
        end = document_group_end(document, item);
        string_append(&text, item > document->item ? "\n" : "");
        put_item(&text, document, item, end);
    }
    return output_put_text(&text, out, err);
}
