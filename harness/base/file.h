#ifndef HARNESS_BASE_FILE_H
#define HARNESS_BASE_FILE_H

/* Files and folders, as far as systems differ. Paths have '/' between their parts. Where nothing else is said a failure
 * leaves its reason in errno. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As fopen, byte by byte on every system. No child process inherits the file. */
FILE *file_open(const char *path, const char *mode);

/* Opens a file to append to, with more flags of open: O_RDWR or O_WRONLY, O_CREAT, O_EXCL. `own`: nothing else than a
 * file of ours may be there, and no symbolic link is followed. No child process inherits it. -1: failed. */
int file_append(const char *path, int flags, bool own);

/* The same, to read from, too, for a file in a folder that must not be a symbolic link. */
int file_append_in(const char *folder, const char *name);

/* A new file whose name ends in random letters before `ending`; `path` has XXXXXX there, and gets the name. It may be
 * read and written by those that any new file may. -1: failed. */
int file_create_beside(char *path, const char *ending);

/* Locks an open file for this process until it is closed. False with EWOULDBLOCK where another one has locked it,
 * unless `waits`. */
bool file_lock(int fd, bool waits);

/* Whether another process has locked the file. */
bool file_is_locked(const char *path);

/* The bytes at a place of an open file; fewer at its end, -1 on failure. */
long file_read_at(int fd, void *to, size_t bytes, long long offset);

/* Writes to the disk what the system has kept of the file. True where there is nothing to save: a pipe, a terminal, a
 * file system that cannot. */
bool file_save(int fd);

/* Writes to the disk that a new file has this name; failures do not matter. */
void file_save_name(const char *path);

/* Gives a file another name: one that exists is replaced, or, `is_new`, fails with EEXIST. */
bool file_rename(const char *from, const char *to, bool is_new);

/* Calls `take` for each file that matches a pattern of the shell, in the order of their names. */
void file_each(const char *pattern, void (*take)(void *context, const char *path), void *context);

/* Bytes that this user may still write to the disk of a path; NAN where that is unknown. */
double disk_room(const char *path);

/* Whether a file of so many bytes can be made in the folder, or in the nearest above it that exists. */
bool disk_takes(const char *folder, size_t bytes);

/* Makes a folder. True where it is already there. */
bool folder_make(const char *path);

/* Removes a folder with all that is in it, if it is there. */
void folder_remove(const char *path);

/* Where a user's programs keep their state and their caches, and what a file may be lost from: "" where that is not
 * known. Without a slash at the end. */
enum folder { FOLDER_STATE, FOLDER_CACHE };
bool folder_of_user(enum folder which, char to[PATH_MAX]);

/* "NAME-USER" in the folder for temporary files (TMPDIR, or /tmp if that does not take a file), made if need be,
 * without a slash at its end. False, with the reason, if it cannot be made, or if it is another user's, a link, or open
 * to others by these bits of its mode. */
bool folder_make_own(char *to, size_t room, const char *name, unsigned closed, const char **why);

/* The file of this program; "" where that is unknown. */
void file_of_program(char to[PATH_MAX]);

#endif
