#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/workloads/workload.h"
#include "harness/base/text.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/prose.h"
#include "harness/report/glossary/glossary.h"

#include <string.h>

enum {
    TEXT_MAX = 1024,
    SHOWN_MAX = 64,
    NAMES_MAX = 256,
    FOUND_MAX = 24, /* terms that a text may mean */
    WHOLE_MAX = 4,  /* of these, how many are printed with their texts */
    NOTE_WORDS = 4, /* the least words of a note without quotes */
};

/* The kinds, in the order of the glossary. `bench explain` takes the plural for all terms of a kind. */
static const struct term_kind {
    const char *name, *plural, *title, *alias;
} kinds[] = {
    { "column", "columns", "Columns of the tables", "" },
    { "metric", "metrics", "Figures of the CSV and the JSON", "figures" },
    { "outcome", "outcomes", "Outcomes and verdicts", "verdicts" },
    { "note", "notes", "Notes", "" },
    { "word", "words", "Words", "" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct term_kind *kind_of_plural(const char *typed)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].plural, typed) == 0 || strcmp(kinds[i].alias, typed) == 0)
            return &kinds[i];
    return NULL;
}

static bool next_of(const struct term_kind *kind, struct term *term)
{
    while (glossary_next(workload_term, term))
        if (strcmp(term->kind, kind->name) == 0)
            return true;
    return false;
}

/* "CSV: first_open_s, first_alloc_s": the names of the columns that the term explains. */
static void print_columns(const char *term, unsigned width, FILE *out)
{
    struct pool pool = { 0 };
    struct string_builder csv = { .pool = &pool }, json = { .pool = &pool };
    const struct cell_columns columns = columns_read(&pool, FORMAT_ALL);
    for (unsigned i = 0; i < columns.count; i++) {
        const struct cell_column *column = &columns.column[i];
        if (strcmp(column->term, term) != 0)
            continue;
        if (column->csv)
            string_append(&csv, "%s%s", csv.length > 0 ? ", " : "CSV: ", column->csv);
        if (column->json)
            string_append(&json, "%s%s", json.length > 0 ? ", " : "JSON: ", column->json);
    }
    if (csv.length > 0)
        prose_fit("  ", string_text(&csv), width, out);
    if (json.length > 0)
        prose_fit("  ", string_text(&json), width, out);
    pool_release(&pool);
}

static void print_term(const struct term *term, unsigned width, FILE *out)
{
    char remedy[TEXT_MAX];
    fprintf(out, "%s (%s)\n", term->name, term->kind);
    prose_fit("  ", term->explanation, width, out);
    snprintf(remedy, sizeof remedy, "What to do: %s", term->remedy ? term->remedy : "");
    if (term->remedy)
        prose_fit("  ", remedy, width, out);
    print_columns(term->name, width, out);
}

static void print_kind(const struct term_kind *kind, unsigned width, FILE *out)
{
    const char *separator = "";
    for (struct term term = { 0 }; next_of(kind, &term); separator = "\n") {
        fputs(separator, out);
        print_term(&term, width, out);
    }
}

static void print_names(const char *const name[], unsigned names, unsigned width, FILE *out)
{
    char joined[NAMES_MAX * SHOWN_MAX] = "";
    for (unsigned i = 0; i < names; i++)
        text_join(joined, sizeof joined, "; ", name[i]);
    prose_fit("  ", joined, width, out);
}

static void print_index(const char *program, unsigned width, FILE *out)
{
    for (unsigned i = 0; i < KINDS; i++) {
        const char *name[NAMES_MAX];
        char heading[TEXT_MAX];
        unsigned names = 0;
        for (struct term term = { 0 }; names < NAMES_MAX && next_of(&kinds[i], &term);)
            name[names++] = term.name;
        snprintf(heading, sizeof heading, "%s ('%s explain %s' explains all)", kinds[i].title, program,
                 kinds[i].plural);
        fputs(i > 0 ? "\n" : "", out);
        prose_fit("", heading, width, out);
        print_names(name, names, width, out);
    }
    fputc('\n', out);
    prose_fit("",
              PRINTED(TEXT_MAX, "'%s explain TERM' explains one term. TERM may also be a note of a report, in quotes.",
                      program),
              width, out);
}

static void print_found(const struct term found[], unsigned count, unsigned width, FILE *out)
{
    const char *name[FOUND_MAX];
    for (unsigned i = 0; i < count; i++) {
        name[i] = found[i].name;
        if (count > WHOLE_MAX)
            continue;
        fputs(i > 0 ? "\n" : "", out);
        print_term(&found[i], width, out);
    }
    if (count > WHOLE_MAX) {
        fputs("This may be any of\n", out);
        print_names(name, count, width, out);
    }
}

/* Whether several arguments are one text: a name of several words, or a note without quotes. */
static bool is_one_text(const char *const word[], const char *joined)
{
    struct term found[FOUND_MAX];
    unsigned words = 0, known = 0;
    for (; word[words]; words++)
        known += glossary_find(workload_term, word[words]).name != NULL;
    if (words == 1 || glossary_find(workload_term, joined).name)
        return true;
    return words >= NOTE_WORDS && known < words && glossary_search(workload_term, joined, found, FOUND_MAX) > 0 &&
           strcmp(found[0].kind, "note") == 0;
}

static bool is_number(const char *typed)
{
    return !typed[strspn(typed, "0123456789.,()")];
}

/* Prints a term, or all of a kind. What is not known is added to the list of unknown words. */
static void explain_text(const char *typed, unsigned width, FILE *out, const char **separator, char unknown[TEXT_MAX])
{
    struct term found[FOUND_MAX];
    char shown[SHOWN_MAX];
    const struct term_kind *kind = kind_of_plural(typed);
    const char *column = glossary_find(workload_term, typed).name ? NULL : column_term(typed);
    unsigned count = kind ? 0 : glossary_search(workload_term, column ? column : typed, found, FOUND_MAX);
    if (!kind && count == 0) {
        text_clean(shown, sizeof shown, typed);
        text_append(unknown, TEXT_MAX, "%s'%s'", *unknown ? ", " : "", shown);
        return;
    }
    fputs(*separator, out);
    *separator = "\n";
    if (kind)
        print_kind(kind, width, out);
    else
        print_found(found, count, width, out);
}

/* Of one text the nearest name is suggested. */
static int fail_unknown(const char *unknown, const char *typed, bool is_one, struct error *err)
{
    char nearest[SHOWN_MAX];
    const bool is_near = is_one && glossary_nearest(workload_term, typed, nearest, sizeof nearest);
    if (is_number(typed))
        fail(err, STATUS_USAGE, "explain: %s is a number; give some words of the note below the table", unknown);
    else
        fail(err, STATUS_USAGE, "explain: %s %s not in the glossary%s%s%s; 'bench explain' lists its terms", unknown,
             strstr(unknown, "', '") ? "are" : "is", is_near ? "; did you mean '" : "", is_near ? nearest : "",
             is_near ? "'?" : "");
    return EXIT_USAGE;
}

int explain(const struct options *options, struct error *err)
{
    char joined[TEXT_MAX] = "", unknown[TEXT_MAX] = "";
    const char *separator = "";
    const char *const *word = options->term_words;
    const unsigned width = terminal_width(options);
    if (!*word) {
        print_index(options->argv[0], width, stdout);
        return EXIT_OK;
    }
    for (unsigned i = 0; word[i]; i++)
        text_join(joined, sizeof joined, " ", word[i]);
    const bool is_one = is_one_text(word, joined);
    if (is_one)
        explain_text(joined, width, stdout, &separator, unknown);
    for (; !is_one && *word; word++)
        if (!is_number(*word))
            explain_text(*word, width, stdout, &separator, unknown);
    return *unknown ? fail_unknown(unknown, joined, is_one, err) : EXIT_OK;
}
