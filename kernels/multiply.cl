/* c = a * b, element by element, over n elements.
 *
 * A group owns LOCAL * STEPS vectors side by side. In each step its work-items take LOCAL neighbouring ones, so that a GPU
 * reads and writes whole lines together; on a CPU a group is one work-item, which then walks straight through memory.
 * `before` groups were launched before these. */
#define STRIDE ((INT64)LOCAL * WIDTH)

/* A result that is read again soon had better stay in the caches. */
#ifdef CACHED
#define PUT(value, to) STORE_LOOSE_ELEMENTS(value, to)
#else
#define PUT(value, to) STREAM_ELEMENTS(value, to)
#endif

KERNEL(LOCAL)
multiply(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL ELEMENT *RESTRICT c, const INT64 n,
         const INT64 before)
{
    const INT64 first = (before + GROUP) * STEPS * STRIDE, end = first + STEPS * STRIDE;

    if (end <= n) {
        const INT64 own = first + ITEM * WIDTH;
        for (int step = 0; step < STEPS; step++) {
            const INT64 i = own + step * STRIDE;
            PUT(LOAD_ELEMENTS(a + i) * LOAD_ELEMENTS(b + i), c + i);
        }
    } else {
        UNROLL_BY(1) for (INT64 i = first + ITEM; i < n; i += LOCAL)
            c[i] = ELEMENT_OF(REAL_OF(a[i]) * REAL_OF(b[i]));
    }
}
