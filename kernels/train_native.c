#include "kernels/native_block.h"
#include "kernels/native_dots.h"
#include "kernels/native_train.h"
#include "kernels/train_products.h"

/* One step of gradient descent of a perceptron with one hidden layer. Arrays are X, Y, W1, W2, the new W1, the new W2
 * and the loss; then panels of X, of its rows and later of its columns; panels of W1, later of dZ1; A1; W2 turned; dZ2
 * and after it the losses of TRAIN_ROWS rows each. A row of A1 and of the turned W2 is padded to whole panels, with
 * zeros; A1 has rows for whole blocks of NATIVE_ROWS. */

enum { BATCH = TRAIN_BATCH, IN = TRAIN_IN, HIDDEN = TRAIN_HIDDEN, OUT = TRAIN_OUT };
enum { X = TRAIN_X, Y = TRAIN_Y, W1 = TRAIN_W1, W2 = TRAIN_W2, NEW_W1 = TRAIN_NEW_W1, NEW_W2 = TRAIN_NEW_W2 };
enum { LOSS = TRAIN_LOSS, X_PANELS = TRAIN_OPERANDS, PANELS, A1, TURNED, DZ2 };

_Static_assert(NATIVE_COLUMNS % TRAIN_COLUMNS == 0 && TRAIN_ROWS % NATIVE_ROWS == 0, "padding ends with whole strips");

/* `count`, rounded up to whole blocks. */
static int64_t padded(int64_t count, int64_t block)
{
    return (count + block - 1) / block * block;
}

/* Blocks of NATIVE_ROWS rows of X. */
NATIVE_SLICE(train_pack_x)
{
    const REAL *x = operand[X];
    REAL *panels = operand[X_PANELS];
    const int64_t in = dim[IN];
    for (int64_t row = begin * NATIVE_ROWS; row < end * NATIVE_ROWS; row += ROWS)
        rows_pack(panels + row * in, x + row * in, in, 1, 0, in, dim[BATCH] - row);
}

/* Blocks of NATIVE_COLUMNS columns of W1, which are rows of W2. */
NATIVE_SLICE(train_pack_w)
{
    const REAL *w1 = operand[W1], *w2 = operand[W2];
    REAL *panels = operand[PANELS], *turned = operand[TURNED];
    const int64_t hidden = dim[HIDDEN], out = dim[OUT], wide = padded(hidden, NATIVE_COLUMNS);
    const int64_t first = begin * NATIVE_COLUMNS, last = end * NATIVE_COLUMNS;
    for (int64_t column = first; column < last; column += COLUMNS)
        lines_pack(panels + column * dim[IN], COLUMNS, w1 + column, hidden, dim[IN], hidden - column);
    for (int64_t column = first; column < last; column++)
        for (int64_t o = 0; o < out; o++)
            turned[o * wide + column] = column < hidden ? w2[column * out + o] : 0;
}

/* A1 = max(X W1, 0), in blocks of MATMUL_HEIGHT by MATMUL_WIDTH, of whole panels. */
NATIVE_SLICE(train_hidden)
{
    const REAL *x = operand[X_PANELS], *w1 = operand[PANELS];
    const int64_t in = dim[IN], wide = padded(dim[HIDDEN], NATIVE_COLUMNS), high = padded(dim[BATCH], NATIVE_ROWS);
    const int64_t across = (wide + MATMUL_WIDTH - 1) / MATMUL_WIDTH;
    for (int64_t i = begin; i < end; i++) {
        const int64_t top = i / across * MATMUL_HEIGHT, left = i % across * MATMUL_WIDTH;
        const int64_t rows = least(MATMUL_HEIGHT, high - top), columns = least(MATMUL_WIDTH, wide - left);
        REAL *a1 = (REAL *)operand[A1] + top * wide + left;
        block_sum(x + top * in, w1 + left * in, in, a1, wide, rows, columns);
        for (int64_t row = 0; row < rows; row++)
            rectify(a1 + row * wide, columns);
    }
}

/* dZ2 = A1 W2 - Y of some rows, at most TRAIN_ROWS, and the sum of their losses. */
static REAL rows_loss(const REAL *a1, const REAL *turned, const REAL *y, REAL *dz2, int64_t wide, int64_t out,
                      int64_t rows)
{
    int64_t row = 0;
    for (; row + GRID <= rows; row += GRID)
        dots_of_rows(a1 + row * wide, turned, dz2 + row * out, out, wide, GRID);
    for (; row < rows; row++)
        dots_of_rows(a1 + row * wide, turned, dz2 + row * out, out, wide, 1);
    return difference(dz2, y, rows * out);
}

/* dZ1 = dZ2 W2' where A1 > 0, of one row, into its place in panels of `batch` rows. */
static void row_back(REAL *restrict panels, const REAL *restrict a1, const REAL *restrict turned,
                     const REAL *restrict dz2, int64_t wide, int64_t out, int64_t batch)
{
    for (int64_t column = 0; column < wide; column += LANES) {
        const vector value = vector_at(a1 + column), zero = { 0 };
        vector sum = { 0 };
        for (int64_t o = 0; o < out; o++)
            sum += dz2[o] * vector_at(turned + o * wide + column);
        const __typeof__(value > zero) is_on = value > zero;
        vector_put(panels + column / COLUMNS * COLUMNS * batch + column % COLUMNS,
                   (vector)((__typeof__(is_on))sum & is_on));
    }
}

/* Rows of the batch, TRAIN_ROWS at a time. */
NATIVE_SLICE(train_outputs)
{
    const int64_t batch = dim[BATCH], out = dim[OUT], wide = padded(dim[HIDDEN], NATIVE_COLUMNS);
    const REAL *turned = operand[TURNED], *y = operand[Y], *a1 = operand[A1];
    REAL *dz2 = operand[DZ2], *loss = dz2 + batch * out, *panels = operand[PANELS];
    for (int64_t row = begin; row < end; row += TRAIN_ROWS) {
        const int64_t rows = least(TRAIN_ROWS, end - row);
        loss[row / TRAIN_ROWS] = rows_loss(a1 + row * wide, turned, y + row * out, dz2 + row * out, wide, out, rows);
        for (int64_t i = row; i < row + rows; i++)
            row_back(panels + i * COLUMNS, a1 + i * wide, turned, dz2 + i * out, wide, out, batch);
    }
}

/* Adds up A1' dZ2 over the batch, for TRAIN_COLUMNS rows of the result and `count` of its columns, and updates W2. */
static inline __attribute__((always_inline)) void strip_update(REAL *restrict to, const REAL *restrict w2,
                                                               const REAL *restrict a1, const REAL *restrict dz2,
                                                               int64_t wide, int64_t out, int64_t batch, int64_t rows,
                                                               int count)
{
    enum { STRIP_VECTORS = TRAIN_COLUMNS / LANES };
    vector sum[GRID][STRIP_VECTORS] = { { { 0 } } };
    for (int64_t b = 0; b < batch; b++) {
        vector held[STRIP_VECTORS];
        UNROLL for (int v = 0; v < STRIP_VECTORS; v++) held[v] = vector_at(a1 + b * wide + v * LANES);
        UNROLL for (int o = 0; o < count; o++)
        {
            UNROLL for (int v = 0; v < STRIP_VECTORS; v++) sum[o][v] += dz2[b * out + o] * held[v];
        }
    }
    for (int64_t row = 0; row < rows; row++) {
        for (int o = 0; o < count; o++)
            to[row * out + o] = sum[o][row / LANES][row % LANES];
        descend(to + row * out, w2 + row * out, count);
    }
}

/* Strips of TRAIN_COLUMNS rows of W2; and the loss, which counts as the first. */
NATIVE_SLICE(train_update_w2)
{
    const int64_t batch = dim[BATCH], hidden = dim[HIDDEN], out = dim[OUT], wide = padded(hidden, NATIVE_COLUMNS);
    const REAL *dz2 = operand[DZ2], *loss = dz2 + batch * out;
    for (int64_t i = begin > 1 ? begin : 1; i < end; i++) {
        const int64_t row = (i - 1) * TRAIN_COLUMNS, rows = least(TRAIN_COLUMNS, hidden - row);
        const REAL *a1 = (const REAL *)operand[A1] + row, *w2 = (const REAL *)operand[W2] + row * out;
        REAL *to = (REAL *)operand[NEW_W2] + row * out;
        int64_t o = 0;
        for (; o + GRID <= out; o += GRID)
            strip_update(to + o, w2 + o, a1, dz2 + o, wide, out, batch, rows, GRID);
        for (; o < out; o++)
            strip_update(to + o, w2 + o, a1, dz2 + o, wide, out, batch, rows, 1);
    }
    if (begin == 0 && end > 0)
        *(REAL *)operand[LOSS] = losses_sum(loss, batch);
}

/* Blocks of NATIVE_ROWS columns of X, some rows at a time, which stay in a cache. */
NATIVE_SLICE(train_turn_x)
{
    enum { AT_ONCE = 32 };
    const REAL *x = operand[X];
    REAL *panels = operand[X_PANELS];
    const int64_t batch = dim[BATCH], in = dim[IN];
    for (int64_t row = 0; row < batch; row += AT_ONCE)
        for (int64_t column = begin * NATIVE_ROWS; column < end * NATIVE_ROWS; column += ROWS)
            lines_pack(panels + column * batch + row * ROWS, ROWS, x + row * in + column, in,
                       least(AT_ONCE, batch - row), in - column);
}

/* W1 less a step along X' dZ1, in blocks of MATMUL_HEIGHT by MATMUL_WIDTH. */
NATIVE_SLICE(train_update_w1)
{
    const REAL *x = operand[X_PANELS], *dz1 = operand[PANELS], *w1 = operand[W1];
    REAL *to = operand[NEW_W1];
    const int64_t batch = dim[BATCH], in = dim[IN], hidden = dim[HIDDEN];
    const int64_t across = (hidden + MATMUL_WIDTH - 1) / MATMUL_WIDTH;
    for (int64_t i = begin; i < end; i++) {
        const int64_t top = i / across * MATMUL_HEIGHT, left = i % across * MATMUL_WIDTH;
        const int64_t rows = least(MATMUL_HEIGHT, in - top), columns = least(MATMUL_WIDTH, hidden - left);
        block_sum(x + top * batch, dz1 + left * batch, batch, to + top * hidden + left, hidden, rows, columns);
        for (int64_t row = top; row < top + rows; row++)
            descend(to + row * hidden + left, w1 + row * hidden + left, columns);
    }
}
