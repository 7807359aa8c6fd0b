#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H

/* A recorded machine: files below a root of their own, as /proc and /sys would have them. */

struct record_file {
    const char *path, *text;
};

struct tree {
    char root[32];
};

/* Ends with a NULL path; `files` may be NULL. Fails the test where it cannot write. */
struct tree tree_make(const struct record_file files[]);
void tree_write(const struct tree *tree, const char *path, const char *text);
void tree_remove(const struct tree *tree);

/* The one that a test looks at: made in place of the one before, and removed by TestSuite(NAME, .fini =
 * recorded_remove).
 */
extern struct tree recorded;
void recorded_make(const struct record_file files[]);
void recorded_write(const char *path, const char *text);

/* Files below a folder, of a line each: "name=coretemp|temp1_input=67000". */
void recorded_add(const char *folder, const char *files);

void recorded_remove(void);

#endif
