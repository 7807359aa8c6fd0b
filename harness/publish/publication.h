#ifndef HARNESS_PUBLISH_PUBLICATION_H
#define HARNESS_PUBLISH_PUBLICATION_H

/* A journal on its way to be published: whether others can rely on it, what it is filed under, and the journal itself
 * without what identifies a person or a machine (redaction.h). It prints nothing and knows no folders. */

#include "harness/journal/results.h"
#include "harness/publish/redaction.h"

#include <stdio.h>

enum { FLAW_ROOM = 480, FLAWS_SHOWN = 12, SLUG_ROOM = 64 };

/* Sentences on what is wrong; those beyond FLAWS_SHOWN are counted. */
struct flaws {
    char sentence[FLAWS_SHOWN][FLAW_ROOM];
    unsigned count;
};

/* Cells whose figures say little: how many, and what the first of them is. */
struct noisy {
    unsigned wide, few; /* with a wide interval; with too few rounds for one */
    char first_wide[FLAW_ROOM], first_few[FLAW_ROOM];
};

struct publication {
    const char *path; /* of the journal, as it was given */
    struct result result;
    struct redaction *redaction; /* what it takes out is known once the journal was written */
    struct flaws flaws;          /* it is not to be published with any */
    struct noisy noisy;          /* worth telling */
    char machine[SLUG_ROOM];     /* "i5-8250u-uhd-620": small letters, digits, '-' and '.', never empty */
    char name[SLUG_ROOM];        /* "2026-11-21-standard" */
};

/* Reads a journal and checks it: read to its end and complete, each line as the schema says, every cell with an honest
 * end and checked before and after, measured on a device that exists by no later `version` of bench than this one, and
 * not all of it too noisy to tell anything. `words` are hidden (redaction_new). To be closed in any case; `path` must
 * outlive it. Fails where there is no journal that could be read. */
bool publication_open(struct publication *out, const char *path, const char *version, const char *const words[],
                      struct error *err);
void publication_close(struct publication *publication);

/* Writes the redacted journal. Fails when the stream does, or memory is short. */
bool publication_write(struct publication *publication, FILE *out, struct error *err);

/* Small letters, digits, '-' and '.' of any text, which it neither begins nor ends with a '-' or '.': safe as the name
 * of a file or a folder; empty where nothing is left. Returns `to`. */
const char *publication_slug(char to[SLUG_ROOM], const char *text);

/* A name for the machine of a record, by its processor and its graphics, without what is to be redacted. */
void publication_machine(char to[SLUG_ROOM], const struct record *record, const struct redaction *redaction);

#endif
