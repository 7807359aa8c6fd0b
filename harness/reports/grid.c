#include "harness/reports/grid.h"

#include "harness/text.h"

#include <string.h>

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

void grid_measure(struct grid *grid, const struct grid_row *row)
{
    for (unsigned i = 0; i < grid->columns && !(row->span_at > 0 && i >= row->span_at); i++) {
        const char *field = row->field[i];
        unsigned width = text_width(field);
        grid->used[i] |= !row->is_title && *field && strcmp(field, "-") != 0;
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

void grid_print(const struct grid *grid, const struct grid_row *row, FILE *out)
{
    unsigned pending = 2; /* blanks owed: written only once something follows */
    for (unsigned i = 0; i < grid->columns; i++) {
        if (row->span_at > 0 && i >= row->span_at) {
            blanks(pending, out);
            fputs(row->span, out);
            break;
        }
        if (!grid->used[i])
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
    fputc('\n', out);
}
