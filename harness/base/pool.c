#include "harness/base/pool.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 2 * 1024, BLOCK = 64 * 1024 }; /* many pools hold a few lines */

struct pool_block {
    struct pool_block *before;
    size_t used, room; /* bytes */
    alignas(max_align_t) unsigned char bytes[];
};

static struct pool_block *add_block(struct pool *pool, size_t least)
{
    size_t usual = pool->block ? BLOCK : FIRST_BLOCK, room = least > usual ? least : usual;
    struct pool_block *block = room < SIZE_MAX - sizeof *block ? calloc(1, sizeof *block + room) : NULL;
    if (!block)
        return NULL;
    block->before = pool->block;
    block->room = room;
    pool->block = block;
    return block;
}

static void *take(struct pool *pool, size_t bytes, size_t alignment)
{
    struct pool_block *block = pool->block;
    size_t at = block ? (block->used + alignment - 1) / alignment * alignment : 0;
    if (!block || at > block->room || bytes > block->room - at) {
        block = add_block(pool, bytes);
        at = 0;
    }
    if (!block) {
        pool->is_short = true;
        return NULL;
    }
    block->used = at + bytes;
    return block->bytes + at;
}

void *pool_take(struct pool *pool, size_t bytes)
{
    return take(pool, bytes, alignof(max_align_t));
}

const char *pool_copy(struct pool *pool, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = bytes > 1 ? take(pool, bytes, 1) : NULL;
    return copy ? memcpy(copy, text, bytes) : "";
}

const char *pool_vprint(struct pool *pool, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? take(pool, (size_t)length + 1, 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text ? text : "";
}

const char *pool_print(struct pool *pool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_vprint(pool, format, arguments);
    va_end(arguments);
    return text;
}

/* The room of an array follows from its count: 4 elements, 8, 16 and so on. */
static bool is_full(unsigned count)
{
    return count == 0 || (count >= 4 && (count & (count - 1)) == 0);
}

static size_t next_room(unsigned count)
{
    return count == 0 ? 4 : 2 * (size_t)count;
}

bool grow(void *array, unsigned count, size_t size)
{
    void *held;
    memcpy(&held, array, sizeof held);
    void *larger = is_full(count) ? realloc(held, next_room(count) * size) : held;
    if (larger)
        memcpy(array, &larger, sizeof larger);
    return larger;
}

void *pool_add(struct pool *pool, void *array, unsigned *count, const void *element, size_t size)
{
    char *held;
    memcpy(&held, array, sizeof held);
    if (is_full(*count)) {
        char *larger = pool_take(pool, next_room(*count) * size);
        if (!larger)
            return NULL;
        if (*count > 0)
            memcpy(larger, held, *count * size);
        held = larger;
        memcpy(array, &held, sizeof held);
    }
    return memcpy(held + (*count)++ * size, element, size);
}

void pool_release(struct pool *pool)
{
    for (struct pool_block *block = pool->block; block;) {
        struct pool_block *before = block->before;
        free(block);
        block = before;
    }
    *pool = (struct pool){ 0 };
}
