#ifndef HARNESS_BASE_POOL_H
#define HARNESS_BASE_POOL_H

/* Memory for many small things that live and die together, such as the texts of a document: taken one by one, released
 * as a whole. That memory ran short is asked once, at the end. */

#include <stdbool.h>
#include <stddef.h>

/* Empty at first: all zero. */
struct pool {
    struct pool_block *block; /* the one that is being filled; those before it hang on it */
    bool is_short;            /* something could not be had */
};

/* Zeroed, for any type; NULL when memory is short. */
void *pool_take(struct pool *pool, size_t bytes);

/* A copy, and a text as printf makes it; "" when memory is short. */
const char *pool_copy(struct pool *pool, const char *text);
const char *pool_print(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element behind `count` of them, as grow() does for what is freed by itself: an array that is
 * too small is copied to one twice as large. Returns the array; the old one, with *room as it was, when memory is
 * short. */
void *pool_grow(struct pool *pool, void *array, unsigned count, unsigned *room, size_t size);

void pool_release(struct pool *pool);

#endif
