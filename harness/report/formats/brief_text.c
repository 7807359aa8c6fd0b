#include "harness/report/formats/brief_text.h"

#include "harness/base/text.h"
#include "harness/report/content/brief.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"

#include <stdlib.h>
#include <string.h>

/* Colours beside the symbols: green, cyan, red, yellow. */
static const char *const paints[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",          [VERDICT_UNCLEAR] = "\033[33m", [VERDICT_SLOWER] = "\033[31m",
    [VERDICT_EQUAL] = "\033[36m", [VERDICT_FASTER] = "\033[32m",
};

static unsigned label_width(const struct lines *lines)
{
    unsigned widest = 0;
    for (unsigned i = 0; i < lines->lines; i++) {
        unsigned width = text_width(lines->line[i].label);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Labels in a column of their own, texts wrapped beside them; below them where the labels are too wide. */
static void put_lines(FILE *out, const char *heading, const struct lines *lines, unsigned width)
{
    enum { TEXT_MIN = 30 };
    const unsigned head = text_width(heading), labels = label_width(lines);
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        char lead[512];
        bool is_wide = head + labels + 2 + TEXT_MIN > width,
             is_repeated = i > 0 && *heading && strcmp(line->label, lines->line[i - 1].label) == 0;
        const char *label = is_repeated ? "" : line->label;
        int pad = (int)(labels - text_width(label)) + (labels > 0 ? 2 : 0);
        if (is_wide && *line->label) {
            snprintf(lead, sizeof lead, "%*s", (int)head, i == 0 ? heading : "");
            prose_fit(lead, label, width, out);
            snprintf(lead, sizeof lead, "%*s", (int)head + 2, "");
        } else
            snprintf(lead, sizeof lead, "%-*s%.300s%*s", (int)head, i == 0 ? heading : "", label, pad, "");
        prose_fit(lead, line->text, width, out);
    }
}

/* Names are cut so that the peaks fit beside them, unless little would be left of them. */
static void cut_devices(struct brief *brief, unsigned width)
{
    enum { NAME = 1, PEAK = 3, NAME_MIN = 16 };
    struct table *devices = &brief->devices;
    struct text_table text_table;
    text_table_measure(&text_table, devices);
    unsigned over = text_table_width(&text_table) > width ? text_table_width(&text_table) - width : 0;
    unsigned widest = text_table.text[NAME] > NAME_MIN + over ? text_table.text[NAME] - over : NAME_MIN;
    for (unsigned i = 0; i < devices->rows && over > 0; i++) {
        const char **field = &devices->row[i].field[NAME];
        char name[256];
        if (text_width(*field) <= widest)
            continue;
        text_copy(name, widest - 1 < sizeof name ? widest - 1 : sizeof name, *field);
        *field = pool_print(&brief->pool, "%s..", name);
    }
    text_table_measure(&text_table, devices);
    if (text_table_width(&text_table) <= width)
        return;
    for (unsigned i = 0; i < devices->rows; i++)
        devices->row[i].field[PEAK] = devices->row[i].field[PEAK + 1] = "";
    for (unsigned i = 0; i < devices->columns; i++)
        devices->column[i].title = "";
}

static void put_devices(FILE *out, const struct table *devices, unsigned width)
{
    struct text_table text_table;
    struct text_table_part parts[TEXT_TABLE_COLUMNS];
    text_table_measure(&text_table, devices);
    text_table_cut(&text_table, 0, parts);
    text_table_print(&text_table, &parts[0], width, out);
}

/* The titles of both sides stay over what is left of them. */
static void drop_group(struct table *table, enum column_group group)
{
    for (unsigned i = 0; i < table->columns; i++) {
        struct column *column = &table->column[i];
        if (column->group != group)
            continue;
        if (group == GROUP_COST && i + 1 < table->columns)
            column[1].title = column->title;
        for (unsigned row = 0; row < table->rows; row++)
            table->row[row].field[i] = "";
    }
    table_drop_empty(table);
}

/* A narrow page has fewer columns, and so has a table that is too wide for it. */
static void drop_columns(struct table *table, unsigned width)
{
    static const struct {
        enum column_group group;
        unsigned from;
    } groups[] = { { GROUP_RATE, 80 }, { GROUP_COST, 66 }, { GROUP_TIME, 52 } };
    struct text_table text_table;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        text_table_measure(&text_table, table);
        text_table.gap = 1;
        if (width < groups[i].from || text_table_width(&text_table) > width)
            drop_group(table, groups[i].group);
    }
}

/* What the letters of rates mean only where there are rates. */
static void put_legend(FILE *out, const struct brief *brief, unsigned width)
{
    char text[512];
    bool has_rates = false;
    for (unsigned i = 0; i < brief->table.columns; i++)
        has_rates |= brief->table.column[i].group == GROUP_RATE;
    has_rates &= *brief->rates != '\0';
    snprintf(text, sizeof text, "%s%s%s", has_rates ? brief->rates : "", has_rates && *brief->legend ? "; " : "",
             brief->legend);
    if (*text)
        prose_fit("", text, width, out);
}

static void put_table(FILE *out, const struct brief *brief, unsigned width, bool is_colored)
{
    const struct table *table = &brief->table;
    struct text_table text_table;
    struct text_table_part parts[TEXT_TABLE_COLUMNS];
    const char *paint[BRIEF_ROWS];
    if (table->rows == 0)
        return;
    prose_fit("", brief->caption, width, out);
    for (unsigned i = 0; i < table->rows; i++)
        paint[i] = paints[brief->tone[i]];
    text_table_measure(&text_table, table);
    text_table.gap = 1;
    text_table.paint = is_colored ? paint : NULL;
    for (unsigned i = 0, count = text_table_cut(&text_table, 0, parts); i < count; i++)
        text_table_print(&text_table, &parts[i], width, out);
    put_legend(out, brief, width);
    if (brief->more_rows > 0)
        fprintf(out, "%u more row%s %s\n", brief->more_rows, brief->more_rows == 1 ? "" : "s",
                brief->pointers.lines > 0 ? "in the full report" : "below");
    fputc('\n', out);
}

static void put_head(FILE *out, const struct brief *brief, unsigned width)
{
    if (*brief->alarm)
        prose_fit("", brief->alarm, width, out);
    prose_fit("", brief->title, width, out);
    fputc('\n', out);
    put_devices(out, &brief->devices, width);
    fputc('\n', out);
    for (unsigned i = 0; i < brief->answers.lines; i++) {
        const struct line *line = &brief->answers.line[i];
        fprintf(out, "%s ", line->label);
        prose_beside(text_width(line->label) + 1, line->text, width, out);
    }
    fputc('\n', out);
}

/* With an empty line between two groups; break-even follows the reasons without one. */
static void put_tail(FILE *out, const struct brief *brief, unsigned width)
{
    const struct lines *const groups[] = { &brief->claims,    &brief->costs,    &brief->why,
                                           &brief->breakeven, &brief->warnings, &brief->pointers };
    static const char *const headings[] = { "", "", "Why         ", "Break-even  ", "", "" };
    bool has_begun = false;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        bool is_joined = groups[i] == &brief->breakeven && brief->why.lines > 0;
        fputs(has_begun && groups[i]->lines > 0 && !is_joined ? "\n" : "", out);
        put_lines(out, headings[i], groups[i], width);
        has_begun |= groups[i]->lines > 0;
    }
}

static void put_all(FILE *out, const struct brief *brief, unsigned width, bool is_colored)
{
    put_head(out, brief, width);
    put_table(out, brief, width, is_colored);
    put_tail(out, brief, width);
}

/* The lines of the report; 0 when memory is short. */
static unsigned lines_of(const struct brief *brief, unsigned width)
{
    char *text = NULL;
    size_t size;
    unsigned lines = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 0;
    put_all(out, brief, width, false);
    bool written = fclose(out) == 0;
    for (const char *at = text; written && *at; at++)
        lines += *at == '\n';
    free(text);
    return lines;
}

/* What goes beyond a screen is left out, reasons before rows, but a few of both stay. */
static bool fit_screen(struct brief *brief, unsigned width)
{
    enum { ROWS_MIN = 4, REASONS_MIN = 3, REASONS_OF_TWO = 4 };
    const unsigned reasons = brief->devices.rows > 2 ? REASONS_OF_TWO : REASONS_MIN;
    unsigned lines = lines_of(brief, width);
    for (; lines > BRIEF_LINES; lines = lines_of(brief, width))
        if (brief->why.lines > reasons)
            brief->why.lines--;
        else if (brief->table.rows > ROWS_MIN) {
            brief->table.rows--;
            brief->more_rows++;
        } else
            break;
    return lines > 0;
}

/* As the first part of a full report it has room for all, and its pointers lead to that report. */
static bool put_brief(FILE *out, struct brief *brief, const struct layout *layout, const char *letter)
{
    const unsigned width = layout->width > 0 ? layout->width : PROSE_WIDTH;
    cut_devices(brief, width);
    drop_columns(&brief->table, width);
    if (!layout->is_brief)
        brief->pointers.lines = 0;
    else if (!fit_screen(brief, width))
        return false;
    fprintf(out, "%s%s", letter, *letter ? ": " : "");
    put_all(out, brief, width, layout->is_colored);
    return true;
}

bool brief_text_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    for (unsigned i = 0; i < results->runs; i++) {
        struct brief brief;
        char letter[LETTER_ROOM] = "";
        bool made = brief_make(&brief, &results->run[i], layout, err);
        if (results->runs > 1)
            results_letter(letter, i);
        fputs(i > 0 ? "\n" : "", out);
        if (made && !put_brief(out, &brief, layout, letter))
            made = fail(err, STATUS_NO_MEMORY, "no memory for a report");
        brief_release(&brief);
        if (!made)
            return false;
    }
    return true;
}
