#ifndef HARNESS_BASE_WINDOWS_LIBC_H
#define HARNESS_BASE_WINDOWS_LIBC_H

/* What the C library of mingw-w64 lacks of POSIX and GNU, with its meaning there. Included before each file. */

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

char *strcasestr(const char *in, const char *part);
char *strchrnul(const char *text, int byte);
char *strsep(char **rest, const char *separators);
int strverscmp(const char *a, const char *b);
ssize_t getline(char **line, size_t *room, FILE *in);
#define getc_unlocked   _getc_nolock
#define fwrite_unlocked fwrite
#define NAME_MAX        255

int setenv(const char *name, const char *value, int replaces);
int unsetenv(const char *name);
char *realpath(const char *path, char *to);

/* Of what sysconf tells, the ticks in the times of /proc are asked for. */
enum { _SC_CLK_TCK = 2 };
long sysconf(int name);

/* Waits for ever. */
int pause(void);

/* There are no links to look behind. */
#define lstat         stat
#define S_ISLNK(mode) 0

/* One clock, which is not adjusted. */
#define CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC

struct dirent;
int scandir(const char *folder, struct dirent ***out, int (*take)(const struct dirent *entry),
            int (*compare)(const struct dirent **a, const struct dirent **b));
int alphasort(const struct dirent **a, const struct dirent **b);
int versionsort(const struct dirent **a, const struct dirent **b);

#endif
