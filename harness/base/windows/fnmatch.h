#ifndef HARNESS_BASE_WINDOWS_FNMATCH_H
#define HARNESS_BASE_WINDOWS_FNMATCH_H

/* Patterns of the shell: '*', '?', and ranges of characters in brackets. 0: the text matches. */
enum { FNM_CASEFOLD = 16 };
int fnmatch(const char *pattern, const char *text, int flags);

#endif
