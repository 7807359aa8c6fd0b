#include "harness/base/pool.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(pool, what_it_gives_stays_apart)
{
    enum { MANY = 20000 };
    static const char *text[MANY];
    struct pool pool = { .block = NULL };
    unsigned *number = NULL, room = 0;
    for (unsigned i = 0; i < MANY; i++) {
        text[i] = pool_print(&pool, "%u of %s", i, i % 100 ? "many" : "a text that is a little longer than the others");
        number = pool_grow(&pool, number, i, &room, sizeof *number);
        number[i] = i;
    }
    char *large = pool_take(&pool, 1 << 20), *small = pool_take(&pool, 1);
    cr_assert(large && small);
    for (unsigned i = 0; i < 1 << 20; i++)
        cr_assert_eq(large[i], 0);
    memset(large, 'x', 1 << 20);
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert_eq(strtoul(text[i], NULL, 10), i);
        cr_assert_eq(number[i], i);
    }
    cr_assert_eq(*small, 0);
    cr_assert_str_eq(pool_copy(&pool, ""), "");
    cr_assert_not(pool.is_short);
    pool_release(&pool);
    cr_assert_eq(pool.block, NULL);
}
