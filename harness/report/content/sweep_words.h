#ifndef HARNESS_REPORT_CONTENT_SWEEP_WORDS_H
#define HARNESS_REPORT_CONTENT_SWEEP_WORDS_H

/* What a curve says, in sentences: from which size on the device pays, for each kind of use, and the cost model with
 * its own opinion of that. */

#include "harness/analysis/curve.h"

enum { SENTENCES_MAX = 20, SENTENCE_ROOM = 1024 };

struct sweep_words {
    char sentence[SENTENCES_MAX][SENTENCE_ROOM];
    bool is_below[SENTENCES_MAX]; /* belongs to the one before it that is not */
    unsigned sentences;
};

/* False when memory is short. */
bool sweep_words(struct sweep_words *out, const struct curves *curves, const struct curve *curve);

/* What "[?]" in a curve's table means, or NULL where it has none. */
const char *sweep_unsure(const struct curve *curve);

/* "40,000,000", a size being a whole number; "-" for NAN. */
void sweep_size(char *to, size_t room, double size);

#endif
