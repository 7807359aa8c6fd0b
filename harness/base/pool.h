#ifndef HARNESS_BASE_POOL_H
#define HARNESS_BASE_POOL_H

/* A pool allocator: memory for many small objects that are released together, such as the texts of a document. Callers
 * need not check each allocation: `is_short` says at the end whether one failed. Also arrays that grow. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* An array of seconds that grows, and one of texts. */
struct samples {
    double *value;
    unsigned count;
};

struct labels {
    const char **label;
    unsigned count;
};

/* Empty at first: all zero. */
struct pool {
    struct pool_block *block; /* the block in use, head of a list of all */
    bool is_short;            /* an allocation failed */
};

/* Zeroed, for any type; NULL when memory is short. */
void *pool_take(struct pool *pool, size_t bytes);

/* A copy, and a text as printf formats it; "" when memory is short. */
const char *pool_copy(struct pool *pool, const char *text);
const char *pool_print(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *pool_vprint(struct pool *pool, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Adds a copy of an element to an array that grows: `array` points to the pointer to it, NULL at first, and `count` to
 * the number of its elements, which may become less in between. Returns the copy; NULL when memory is short, and
 * nothing has changed then. */
void *pool_add(struct pool *pool, void *array, unsigned *count, const void *element, size_t size);

/* Makes room for one more element in an array from malloc that has `count`: `array` points to the pointer to it, which
 * is NULL at first. False when memory is short; nothing has changed then. */
bool grow(void *array, unsigned count, size_t size);

void pool_release(struct pool *pool);

#endif
