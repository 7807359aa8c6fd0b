#ifndef BENCH_CLI_OPTION_H
#define BENCH_CLI_OPTION_H

/* The table behind the command line: one row for each verb and each option. The parser, every help, the error texts,
 * the suggestions and the journal's list of options read these rows and know nothing else. For the options_*.c files;
 * everybody else wants options.h. */

#include "bench/cli/options.h"

#include <stddef.h>

/* How a value is read, and the type of the field at `offset`. */
enum option_kind {
    KIND_FLAG,     /* bool; takes no value */
    KIND_TEXT,     /* const char * */
    KIND_LIST,     /* const char *[LIST_MAX + 1]; cut at commas and gathered over repetitions */
    KIND_TEXTS,    /* the same, each value whole: a shape holds commas itself */
    KIND_SET,      /* bool[]; a list of words, each sets the element at its own place */
    KIND_CHOICE,   /* an enum; the value is the word's place */
    KIND_FRACTION, /* double from 0.1% to 50%; "2%" or "0.02" */
    KIND_SECONDS,  /* double from 1 ms to a day; "500ms", "90" */
    KIND_COUNT,    /* unsigned */
    KIND_SIZE,     /* int64_t from 1 on; "40M", "64Ki" */
    KIND_SEED,     /* uint64_t */
};

enum { WORDS_MAX = 64, SENTENCE_MAX = 512 };

struct option {
    const char *heading; /* of the help, from this row on; NULL: the same */
    const char *name, *argument, *help;
    char letter;
    unsigned verbs; /* bit 1 << VERB_... */
    enum option_kind kind;
    size_t offset, given;      /* into struct options; `given`: a bool set when the option was, 0 for none */
    size_t typed;              /* the same; a const char * to the value as it was typed, 0 for none */
    const char *default_value; /* the default, written as it would be typed; NULL: nothing */
    const char *implied;       /* the value taken where the option stands without one; NULL: it needs one */
    const char *default_text;  /* what the help says of the default when `default_value` cannot */
    const char *sweep_default; /* the same in the help of a sweep; NULL: as it is */
    const char *sweep_help;
    unsigned least, most; /* of a count */

    /* The words that are right: a constant list, ended by NULL, or one that a registry has. With neither any text but
     * the empty one is right. `find_words` adds to an empty list. */
    const char *const *words;
    void (*find_words)(const char *out[WORDS_MAX]);
    bool all;             /* "all" is one more word; in a KIND_SET it sets each */
    bool only_display;    /* how what was measured is shown: the one kind that may stand beside --resume */
    bool changes_figures; /* of a cell that is known: belongs to the command that measures it again */
};

/* Rows end with a NULL name. A verb without a summary is hidden. */
struct verb_row {
    enum verb verb;
    const char *name, *operand, *summary, *text;
    const char *examples[4];
};

extern const struct option option_rows[];
extern const struct verb_row verb_rows[];

/* completion.bash: the part of the completion that is the same for every table. */
extern const char completion_bash[];

/* The right words of a row, "all" the last of them where it is one; none at all for a row that takes any text. Returns
 * their number without "all". */
unsigned option_words(const struct option *option, const char *out[WORDS_MAX]);

/* All workloads, and those that can be swept. */
void workload_words(const char *out[WORDS_MAX]);
void sweepable_words(const char *out[WORDS_MAX]);

/* Everything there is to say of an option of this verb: what it is for, the right words, the default. */
void option_describe(char to[SENTENCE_MAX], const struct option *option, enum verb verb);

/* "one, two, three" as far as it fits. Returns `to`. */
const char *option_join(char *to, size_t room, const char *const words[]);

const struct verb_row *verb_row(enum verb verb);

#endif
