#ifndef HARNESS_PUBLISH_REDACTION_H
#define HARNESS_PUBLISH_REDACTION_H

/* What identifies a person or a machine is taken out of the lines of a journal, before others see it. Each such text
 * gets a stand-in, the same wherever it comes again: what was different stays different, and what was the same the
 * same, so that devices and cells keep distinct names. A line in which there is nothing of the kind stays as it is, and
 * what was redacted once is left alone the next time.
 *
 *   paths            all but those below /dev /etc /lib /opt /proc /sys /usr, relative ones that begin with a dot, too
 *   numbers          UUIDs, and what is called a serial number
 *   addresses        of mail, Ethernet, IPv4 and IPv6; the last two not in names, where versions of drivers look so
 *   names            of users, as folders of people have them, and words that the caller knows of; with the domain of
 *                    a host
 *   files            that options name are left out, of the command as well
 *   a driver's log   is left out: what it printed may be anything
 *   the time of day  is left out; the date stays
 *
 * PCI addresses stay: they are places on a board, and tell two equal GPUs apart. */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>

struct redaction;

/* `words` are names to hide wherever they stand alone, ended by NULL; those shorter than three characters, and those
 * that half of all machines have ("root", "localhost"), are passed over. NULL when memory is short. */
struct redaction *redaction_new(const char *const words[]);
void redaction_free(struct redaction *redaction);

/* Takes note of the names of users that a line tells. All lines are learned from before the first is redacted, or a
 * name would be hidden only after the path that tells it. False when memory is short. */
bool redaction_learn(struct redaction *redaction, const json_t *line, struct error *err);

/* Redacts a line in place. False when memory is short. */
bool redaction_line(struct redaction *redaction, json_t *line, struct error *err);

/* Takes what identifies out of a name in place, with no stand-in and no account of it. Returns `text`. */
const char *redaction_strip(const struct redaction *redaction, char *text);

/* What was taken out so far, in the order in which it was found first: its text, its stand-in and how often. */
struct redacted {
    const char *text, *stand_in;
    unsigned count;
};
unsigned redaction_count(const struct redaction *redaction);
struct redacted redaction_at(const struct redaction *redaction, unsigned i);

#endif
