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
    json_t *schema;   /* of journals */
    struct result result;
    struct redaction *redaction; /* what it takes out is known once the journal was written */
    struct flaws flaws;          /* it is not to be published with any */
    struct noisy noisy;          /* worth telling */
    char machine[SLUG_ROOM];     /* "i5-8250u-uhd-620": small letters, digits, '-' and '.', never empty */
    char name[SLUG_ROOM];        /* "2026-11-21-standard" */
};

/* What this program knows and a journal does not say. */
struct publication_rules {
    const char *version;          /* of bench: later ones are refused */
    const char *scripted_backend; /* its devices measure nothing */
    struct redaction_words words;
};

/* Reads a journal and checks it: it is whole and complete; the schema accepts each line; every cell ended, was verified
 * before and after, and ran on a real device; not all cells are too noisy. To be closed in any case; `path` must
 * outlive it. Fails when the file is no journal that can be read. */
bool publication_open(struct publication *out, const char *path, const struct publication_rules *rules,
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
