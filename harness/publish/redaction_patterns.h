#ifndef HARNESS_PUBLISH_REDACTION_PATTERNS_H
#define HARNESS_PUBLISH_REDACTION_PATTERNS_H

/* What in a text looks like something that identifies. For redaction.c; everybody else wants redaction.h. */

#include <stdbool.h>
#include <stddef.h>

struct pattern {
    const char *stand_in; /* "path": what its stand-ins are called by */
    /* Bytes of it that begin at text[at]; 0: none does. */
    size_t (*match)(const char *text, size_t at);
    bool in_names; /* looked for in names of devices and cells, too */
};

/* The first that matches counts; ended by a NULL stand_in. */
extern const struct pattern redaction_patterns[];

/* Whether a word begins, and ends, there: nothing that belongs to it stands before, or at, this place. */
bool redaction_begins(const char *text, size_t at);
bool redaction_ends(const char *text, size_t at);

/* The name of a user in a path that begins there, as below /home; its bytes, 0: it tells none. It may have blanks. */
size_t redaction_user(const char *path, const char **name);

#endif
