#include "harness/base/pool.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(pool, what_it_gives_stays_apart)
{
    enum { MANY = 20000 };
    static const char *text[MANY];
    struct pool pool = { .block = NULL };
    unsigned *number = NULL, numbers = 0, moves = 0;
    for (unsigned i = 0; i < MANY; i++) {
        text[i] = pool_print(&pool, "%u of %s", i, i % 100 ? "many" : "a text that is a little longer than the others");
        const unsigned *before = number, *added = pool_add(&pool, &number, &numbers, &i, sizeof i);
        cr_assert_eq(added, number + i);
        moves += number != before;
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
    cr_expect(numbers == MANY && moves == 14, "%u: an array that is full moves to one twice as large", moves);
    numbers = 5;
    for (unsigned i = 5; i < 100; i++)
        cr_assert(pool_add(&pool, &number, &numbers, &i, sizeof i));
    cr_expect(number[4] == 4 && number[99] == 99, "an array that has become shorter");
    cr_assert_str_eq(pool_copy(&pool, ""), "");
    cr_assert_not(pool.is_short);
    pool_release(&pool);
    cr_assert_eq(pool.block, NULL);
}
