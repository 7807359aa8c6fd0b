#ifndef HARNESS_PUBLISH_REDACTION_H
#define HARNESS_PUBLISH_REDACTION_H

/* Takes what identifies a person or a machine out of the lines of a journal before others see them. A published line
 * has only the members that journal.schema.json describes. Each text that identifies gets a stand-in, "[path-1]", and
 * the same text always gets the same one: equal devices and cells keep distinct names. A line without such texts stays
 * as it is, and redacting a line twice changes nothing more.
 *
 *   paths         except those below /dev /etc /lib /opt /proc /sys /usr; relative ones too if they begin with a dot
 *   numbers       UUIDs and serial numbers
 *   addresses     of mail, Ethernet, IPv4 and IPv6
 *   names         of users, as their home directories show them, and words that the caller knows; a host's name goes
 *                 with its domain
 *
 * What happens to a text is said in the schema, by the keyword "publish" of the member:
 *
 *   (none)        all of the above is replaced
 *   "name"        the same, but for IPv4 and IPv6 addresses: versions of drivers look like them
 *   "day"         a date keeps its day and loses its time
 *   "empty"       becomes the empty text: a driver may have printed anything
 *   "null"        becomes null: the name of a file
 *   "command"     the program loses its folder, and options that name files are left out
 *
 * PCI addresses stay: they are places on a board and distinguish equal GPUs. */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>

struct redaction;

/* Lists of words, each ended by NULL, or NULL. */
struct redaction_words {
    const char *const *hidden; /* replaced wherever they stand alone; not those of fewer than three letters */
    const char *const *kept;   /* never replaced, such as the names of backends and methods */
};

/* `schema` is that of journals (schema_new) and must outlive the redaction. NULL when memory is short. */
struct redaction *redaction_new(const json_t *schema, const struct redaction_words *words);
void redaction_free(struct redaction *redaction);

/* Learns the names of users that a line shows. Must have seen all lines before the first is redacted: otherwise a name
 * in an earlier line would stay. False when there are more names than can be hidden (STATUS_FAILED), or memory is
 * short. */
bool redaction_learn(struct redaction *redaction, const json_t *line, struct error *err);

/* A redacted copy of a line. NULL when its kind is unknown (STATUS_USAGE), there are more names than can be hidden
 * (STATUS_FAILED), or memory is short. */
json_t *redaction_line(struct redaction *redaction, const json_t *line, struct error *err);

/* Removes what identifies from a name in place, with no stand-in and no account of it. Returns `text`. */
const char *redaction_strip(const struct redaction *redaction, char *text);

/* What was replaced so far, in the order in which it was found first: the text, its stand-in and how often. */
struct redacted {
    const char *text, *stand_in;
    unsigned count;
};
unsigned redaction_count(const struct redaction *redaction);
struct redacted redaction_at(const struct redaction *redaction, unsigned i);

#endif
