#include "kernels/native_stream.h"

#include <string.h>

/* Copies bytes; operands from, to. The extent is the bytes. */

NATIVE_SLICE(copy)
{
    const char *from = operand[0];
    char *to = operand[1];
    memcpy(to + begin, from + begin, (size_t)(end - begin));
}

/* Bytes up to the first whole line of the copy, whole lines, and the rest. */
NATIVE_SLICE(copy_streaming)
{
    const ELEMENT *from = operand[0];
    ELEMENT *to = operand[1];
    int64_t i = begin + (int64_t)(-(uintptr_t)(to + begin) % NATIVE_LINE);

    if (i > end)
        i = end;
    memcpy(to + begin, from + begin, (size_t)(i - begin));
    for (; i + NATIVE_LINE <= end; i += NATIVE_LINE)
        for (int k = 0; k < NATIVE_LINE; k += LANES)
            STREAM(to + i + k, vector_read(from + i + k));
    STREAM_END();
    memcpy(to + i, from + i, (size_t)(end - i));
}
