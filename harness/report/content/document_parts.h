#ifndef HARNESS_REPORT_CONTENT_DOCUMENT_PARTS_H
#define HARNESS_REPORT_CONTENT_DOCUMENT_PARTS_H

/* The parts of a full report (document.c). Others use builder.h. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/columns.h"
#include "harness/report/content/notes.h"

/* Footnotes: sentences that rows of a section refer to by number, each written once (rows.c). */
struct footnotes {
    struct pool *pool;
    struct lines *lines;        /* the sentences, in the order of their numbers */
    const struct notes *common; /* on all rows: they get no footnote; NULL: none */
};

/* The notes that all measured rows of a run have, if it has several problems. */
struct notes footnotes_common(struct pool *pool, const struct answer_set *set);

/* Adds a reference to the row, and the sentence to the footnotes if it is new. */
void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text);

/* The cells of a problem as rows of a table: first the result, then how close it is to the ceiling, then the figures
 * behind it (rows.c). Opens a section's table of the columns FORMAT_TABLE for that many cells, and fills in the cells
 * of one run after the other, the next at row `at`. */
void rows_open(struct pool *pool, struct table *table, const struct cell_columns *columns, unsigned cells);
void rows_fill(struct table *table, const struct cell_columns *columns, unsigned at, const struct figures figures[],
               unsigned count, const char *letter, struct footnotes *footnotes);

/* "failed: clBuildProgram: ...", in place of the figures of a cell that has none. */
const char *row_outcome(struct pool *pool, const struct cell_record *cell);

/* Adds one line for each race of a problem (races.c): "raced on cpu: onednn 8.1 ms; tied: onednn-gemm 8.1 ms; slower:
 * native 20 ms (12 rounds); openblas unsupported: ...". One for data that move begins with "with layout conversion:".
 */
void races_append(struct pool *pool, struct lines *out, const struct block_record *block);

/* Adds the answers to a block of the set's record as labelled lines, at least one: both speed-ups with their verdicts,
 * why, break-even, and what supports no claim (verdict.c). */
void verdict_append(struct pool *pool, struct lines *out, const struct answer_set *set,
                    const struct block_record *block);

/* Adds the sections of a sweep: for each device a row for each size, and the thresholds in sentences;
 * and the notes on its measurements (sweep.c). */
void sweep_append(struct document *document, const struct answer_set *set, const char *letter);

#endif
