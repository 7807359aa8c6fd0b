#ifndef BENCH_CLI_OPTION_H
#define BENCH_CLI_OPTION_H

/* The tables of verbs and options, for the files of this folder; other folders use options.h. Everything that depends
 * on an option is made from its row: parsing, help, manual, completion, messages, the journal's list of options, and
 * the repro line. */

#include "bench/cli/options.h"

#include <stddef.h>

/* How a value is read, and the type of the field at `offset`. */
enum option_kind {
    KIND_FLAG,     /* bool; takes no value */
    KIND_TEXT,     /* const char * */
    KIND_LIST,     /* const char *[LIST_MAX + 1]; split at commas; repetitions add to it */
    KIND_TEXTS,    /* the same, but not split: a shape has commas itself */
    KIND_SET,      /* bool[]; a list of words, each sets the element at its index */
    KIND_CHOICE,   /* an enum; the value is the index of the word */
    KIND_FRACTION, /* double from 0.1% to 50%; "2%" or "0.02" */
    KIND_SECONDS,  /* double from 1 ms to a day; "500ms", "90" */
    KIND_COUNT,    /* unsigned */
    KIND_SIZE,     /* int64_t from 1 on; "40M", "64Ki" */
    KIND_SEED,     /* uint64_t */
};

enum { WORDS_MAX = 128, SENTENCE_MAX = 512 };

/* Different words; the list ends with NULL. */
struct words {
    const char *word[WORDS_MAX + 1];
    unsigned count;
};

struct option {
    const char *heading; /* in the help, above this row and those after it; NULL: the one before */
    const char *name, *argument, *help;
    const char *former; /* its name in earlier versions, which is understood but not shown; NULL: none */
    char letter;
    unsigned verbs; /* bit 1 << VERB_... */
    enum option_kind kind;
    size_t offset, given;      /* in struct options; `given`: a bool to set if the option is given, or 0 */
    const char *default_value; /* as text on the command line; NULL: none */
    const char *implied;       /* the value if the option is given without one; NULL: it needs one */
    const char *default_text;  /* the default in the help, where `default_value` is NULL */
    const char *sweep_default; /* the default in the help of a sweep; NULL: the same */
    const char *sweep_help;
    unsigned least, most; /* of a count */

    /* The valid words: a constant list that ends with NULL, or a function that adds those of a registry. With neither,
     * any text is valid unless it is empty. */
    const char *const *words;
    void (*find_words)(struct words *words);
    bool all;             /* "all" is one more word; in a KIND_SET it sets every element */
    bool only_display;    /* changes only how results are displayed, so it is allowed with --resume */
    bool changes_figures; /* belongs to the repro line of a cell */
};

/* Rows end with a NULL name. A verb without a summary is hidden. */
struct verb_row {
    enum verb verb;
    const char *name, *operand, *summary, *text;
    const char *examples[4];
};

extern const struct option option_rows[];
enum { OPTION_ROWS_MAX = 64 };
extern const struct verb_row verb_rows[];

/* completion.bash and the others, and the lines of docs/troubleshooting.md up to NULL. */
extern const char completion_bash[], completion_zsh[], completion_fish[];
extern const char *const troubleshooting_lines[];

/* The valid words of a row, "all" at the end if it is one; none for a row that takes any text. */
struct words option_words(const struct option *option);

/* Add a word that is not there yet; the commands of the help; the workloads; those that can be swept. */
void words_add(struct words *words, const char *word);
void verb_words(struct words *words);
void workload_words(struct words *words);
void sweepable_words(struct words *words);

/* The help of an option of this verb: what it is for, the valid words, the default. */
void option_describe(char to[SENTENCE_MAX], const struct option *option, enum verb verb);

/* "one, two, three", or "one, ..." where not all fit. Returns `to`. */
const char *option_join(char *to, size_t room, const char *const words[]);

const struct verb_row *verb_row(enum verb verb);

#endif
