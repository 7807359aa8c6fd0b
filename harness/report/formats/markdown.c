/* A document as GitHub-flavoured Markdown. */

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

/* Whether a character is escaped, which depends on its neighbours. At the start of a line also what would begin a list,
 * a heading, or a line below a heading; '#', '*' and '>' are always escaped. */
static bool is_escaped(const char *text, const char *at, bool begins_line)
{
    const char before = at > text ? at[-1] : ' ';
    const size_t digits = strspn(text, "0123456789");
    return strchr("\\`*[]|~#$", *at) || (*at == '_' && !(is_word(before) && is_word(at[1]))) ||
           (*at == ':' && at[1] == '/') || /* otherwise it becomes a link */
           (*at == '.' && at - text >= 3 && strncmp(at - 3, "www", 3) == 0) || (*at == '(' && before == ']') ||
           (begins_line && at == text && strchr("-+=", *at)) ||
           (begins_line && digits > 0 && at == text + digits && strchr(".)", *at) && !is_word(at[1]));
}

void markdown_text(struct string_builder *to, const char *text, bool begins_line)
{
    for (const char *at = text; *at; at++)
        if (*at == '@' && (is_word(at[1]) || strchr("_-", at[1]))) /* code hosts notify the person, even if escaped */
            string_append(to, "(at)");
        else if (strchr("<>", *at) || (*at == '&' && (is_word(at[1]) || at[1] == '#')))
            string_append(to, "%s", *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;");
        else
            string_append(to, is_escaped(text, at, begins_line) ? "\\%c" : "%c", *at);
}

/* The outcome of a row goes into its first empty cell. Fields are without the blanks that indent them in text. */
static void put_row(struct string_builder *out, const struct table *table, const struct row *row)
{
    for (unsigned i = 0; i < table->columns; i++) {
        string_append(out, "| ");
        if (!row->span || i < row->span_at)
            markdown_text(out, row->field[i] + strspn(row->field[i], " "), false);
        else if (i == row->span_at)
            markdown_text(out, row->span, false);
        string_append(out, " ");
    }
    string_append(out, "|\n");
}

/* Both lines of a title are in one. Columns are never left out: readers of Markdown scroll a wide table. */
static void put_table(struct string_builder *out, const struct table *table)
{
    for (const struct column *column = table->column; column < table->column + table->columns; column++) {
        string_append(out, "| ");
        markdown_text(out, column->title + strspn(column->title, " "), false);
        string_append(out, *column->title && *column->below ? " " : "");
        markdown_text(out, column->below, false);
        string_append(out, " ");
    }
    string_append(out, "|\n");
    for (const struct column *column = table->column; column < table->column + table->columns; column++)
        string_append(out, column->align == ALIGN_NUMBER || column->align == ALIGN_RIGHT ? "|---:" : "|---");
    string_append(out, "|\n");
    for (unsigned i = 0; i < table->rows; i++)
        put_row(out, table, &table->row[i]);
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
        markdown_text(out, line->letter, false);
        string_append(out, *line->letter && *label ? ", " : "");
        markdown_text(out, label, false);
        string_append(out, *label && strchr("?:", label[strlen(label) - 1]) ? "** " : ":** ");
    }
    markdown_text(out, line->text, !is_named);
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
    markdown_text(out, picture->title, true);
    string_append(out, "\n\n![");
    markdown_text(out, picture->title, false);
    string_append(out, "](");
    xml_address(out, slash ? slash + 1 : stem);
    string_append(out, "-");
    xml_address(out, picture->name);
    string_append(out, ".svg)\n\n");
    markdown_text(out, picture->caption, true);
    string_append(out, "\n");
}

static void put_item(struct string_builder *out, const struct document *document, const struct item *item,
                     const struct item *end)
{
    switch (item->kind) {
    case ITEM_HEADING:
        string_append(out, "%.*s %s", (int)item->depth, "###", item->depth == 3 ? "Run " : "");
        markdown_text(out, item->letter, false);
        string_append(out, *item->letter && *item->text ? ": " : "");
        markdown_text(out, item->text, item->depth < 3);
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
        markdown_text(out, item->text, true);
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
