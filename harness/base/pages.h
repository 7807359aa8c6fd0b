#ifndef HARNESS_BASE_PAGES_H
#define HARNESS_BASE_PAGES_H

/* Memory that begins at a multiple of something. */

#include <stddef.h>

/* From the heap. NULL: there is none. Not released by free. */
void *pages_alloc(size_t bytes, size_t alignment);
void pages_release(void *memory); /* NULL is fine */

/* From the system, no page of it resident yet. NULL with errno: there is none. Released with the same size. */
char *pages_map(size_t bytes, size_t alignment);
void pages_unmap(char *memory, size_t bytes);

/* Asks for huge pages, which the system may refuse: the memory is only slower then. */
void pages_prefer_huge(void *memory, size_t bytes);

/* Bytes of a usual page. */
size_t pages_size(void);

#endif
