#ifndef TESTS_SUPPORT_PAGE_H
#define TESTS_SUPPORT_PAGE_H

/* A page of HTML that is also XML, read as strictly as an XML parser does it, and looked through for what must not be
 * in it: elements and attributes that are not ours, scripts, anything to be fetched, links that lead nowhere. */

#include <jansson.h>

struct page {
    json_t *tags;    /* array: the elements in the order they begin, each with the names of its attributes */
    json_t *ids;     /* object: each id that there is */
    json_t *links;   /* object: each id that a link leads to */
    char fault[200]; /* "": none; otherwise the first, with the text around it */
};

/* page_release in any case. */
void page_read(struct page *out, const char *text);
void page_release(struct page *page);

#endif
