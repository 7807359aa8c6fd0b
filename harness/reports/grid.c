#include "harness/reports/grid.h"

#include "harness/text.h"

#include <string.h>

void grid_append(char field[GRID_FIELD], const char *word)
{
    static const char dots[] = " ...";
    size_t used = strlen(field), least = strlen(dots);
    if (used >= least && strcmp(field + used - least, dots) == 0)
        return;
    bool fits = used + 1 + strlen(word) + least < GRID_FIELD;
    snprintf(field + used, GRID_FIELD - used, "%s%s", used > 0 && fits ? " " : "", fits ? word : dots);
}

static bool is_figure(const char *field)
{
    return (*field >= '0' && *field <= '9') || strcmp(field, "-") == 0;
}

/* Columns before a figure's point. */
static unsigned width_before(const char *figure)
{
    return *figure == '-' ? 1 : (unsigned)strspn(figure, "0123456789");
}

static unsigned wider(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Columns before the span, if there is one. */
static unsigned own_columns(const struct grid *grid, const struct grid_row *row)
{
    return row->span_at > 0 ? row->span_at : grid->columns;
}

void grid_mark(const struct grid *grid, const struct grid_row *row, bool used[GRID_COLUMNS])
{
    for (unsigned i = 0; i < own_columns(grid, row) && !row->is_title; i++)
        used[i] |= *row->field[i] && strcmp(row->field[i], "-") != 0;
}

void grid_measure(struct grid *grid, const struct grid_row *row)
{
    for (unsigned i = 0; i < own_columns(grid, row); i++) {
        const char *field = row->field[i];
        unsigned width = text_width(field);
        if (grid->align[i] != ALIGN_LEFT && is_figure(field)) {
            unsigned before = width_before(field);
            grid->before[i] = wider(grid->before[i], before);
            grid->after[i] = wider(grid->after[i], width - before);
        } else {
            grid->words[i] = wider(grid->words[i], width);
        }
    }
}

static void blanks(unsigned count, FILE *out)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

/* Blanks that go before a field, and the width of its column. */
static unsigned place(const struct grid *grid, unsigned column, const char *field, unsigned *width)
{
    unsigned figures = grid->before[column] + grid->after[column];
    enum align align = grid->align[column];
    *width = wider(figures, grid->words[column]);
    if (align == ALIGN_LEFT)
        return 0;
    if (!is_figure(field))
        return align == ALIGN_NUMBER ? *width - text_width(field) : 0;
    unsigned slack = align == ALIGN_NUMBER ? *width - figures : 0;
    return slack + grid->before[column] - width_before(field);
}

static bool is_empty(const struct grid *grid, const struct grid_row *row, const bool used[GRID_COLUMNS])
{
    for (unsigned i = 0; i < own_columns(grid, row); i++)
        if (used[i] && *row->field[i])
            return false;
    return row->span_at == 0;
}

void grid_print(const struct grid *grid, const struct grid_row *row, const bool used[GRID_COLUMNS], FILE *out)
{
    unsigned pending = 2; /* blanks owed: written only once something follows */
    if (is_empty(grid, row, used))
        return;
    for (unsigned i = 0; i < own_columns(grid, row); i++) {
        if (!used[i])
            continue;
        const char *field = row->field[i];
        unsigned width, lead = place(grid, i, field, &width);
        if (*field) {
            blanks(pending + lead, out);
            fputs(field, out);
            pending = width - lead - text_width(field);
        } else {
            pending += width;
        }
        pending += 2;
    }
    if (row->span_at > 0) {
        blanks(pending, out);
        fputs(row->span, out);
    }
    fputc('\n', out);
}
