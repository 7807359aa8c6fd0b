#include "harness/report/content/document.h"

#include "harness/report/content/notes.h"

#include <stdarg.h>
#include <string.h>

static void add(struct document *document, struct item item)
{
    item.level = document->level;
    item.letter = document->letter ? document->letter : "";
    item.label = item.label ? item.label : "";
    item.text = item.text ? item.text : "";
    pool_add(&document->pool, &document->item, &document->items, &item, sizeof item);
}

void document_heading(struct document *document, unsigned depth, const char *text)
{
    add(document, (struct item){ .kind = ITEM_HEADING, .depth = depth, .text = text });
}

void document_line(struct document *document, enum about about, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_vprint(&document->pool, format, arguments);
    va_end(arguments);
    add(document, (struct item){ .kind = ITEM_LINE, .about = about, .label = label, .text = text });
}

void document_table(struct document *document, const struct table *table)
{
    if (table->rows > 0)
        add(document, (struct item){ .kind = ITEM_TABLE, .table = table });
}

void document_picture(struct document *document, const struct picture *picture)
{
    add(document, (struct item){ .kind = ITEM_PICTURE, .picture = picture });
}

void document_fold(struct document *document, const char *title)
{
    add(document, (struct item){ .kind = ITEM_FOLD, .text = title });
}

void document_end(struct document *document)
{
    add(document, (struct item){ .kind = ITEM_END });
}

const struct item *document_group_end(const struct document *document, const struct item *item)
{
    const struct item *end = item + 1;
    while (item->kind == ITEM_LINE && end < document->item + document->items && end->kind == ITEM_LINE &&
           end->about == item->about)
        end++;
    return end;
}

const char *footnotes_add(struct notes *footnotes, const char *numbers, const char *text)
{
    enum { NOTES_MOST = 40 }; /* bytes of the numbers in a row */
    const unsigned number = notes_add(footnotes, &(struct note){ .text = text }, NULL);
    const size_t length = strlen(numbers);
    if (length < NOTES_MOST)
        return pool_print(footnotes->pool, "%s%s%u", numbers, length > 0 ? " " : "", number);
    return numbers[length - 1] == '.' ? numbers : pool_print(footnotes->pool, "%s ...", numbers);
}

void document_footnotes(struct document *document, const struct notes *footnotes)
{
    for (unsigned i = 0; i < footnotes->count; i++)
        document_line(document, ABOUT_FOOTNOTE, "", "%s", footnotes->note[i].text);
}
