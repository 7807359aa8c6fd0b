#ifndef HARNESS_BASE_WINDOWS_REGEX_H
#define HARNESS_BASE_WINDOWS_REGEX_H

/* Extended regular expressions for whole texts, "^...$", without alternatives, back-references and '.'. A repetition
 * takes as much as it can and gives nothing back, so that matching takes no longer than the text is. */

#include <stddef.h>

typedef struct {
    const char *pattern;
} regex_t;
enum { REG_EXTENDED = 1, REG_NOSUB = 2 };

/* 0: done; otherwise the pattern is of another kind. It must live as long as the expression. */
int regcomp(regex_t *out, const char *pattern, int flags);

/* 0: the text matches. The last three arguments must be 0. */
int regexec(const regex_t *regex, const char *text, size_t groups, void *group, int flags);
void regfree(regex_t *regex);

#endif
