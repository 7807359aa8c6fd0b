#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/workloads/workload.h"
#include "harness/base/text.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/prose.h"
#include "harness/report/glossary/glossary.h"

#include <stdio.h>
#include <string.h>

enum {
    FOUND_MAX = 24, /* terms that a text may mean */
    WHOLE_MAX = 4,  /* of these, how many are printed with their texts */
    NOTE_WORDS = 4, /* the least words of a note without quotes */
};

/* Standard output, in lines of `width` columns. */
struct page {
    struct pool pool;
    unsigned width;
    const char *separator;         /* before the next term */
    struct string_builder unknown; /* the words that no term explains */
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
static void print_columns(struct page *page, const char *term)
{
    struct string_builder csv = { .pool = &page->pool }, json = csv;
    const struct cell_columns columns = columns_read(&page->pool, FORMAT_ALL);
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
        prose_fit("  ", string_text(&csv), page->width, stdout);
    if (json.length > 0)
        prose_fit("  ", string_text(&json), page->width, stdout);
}

static void print_term(struct page *page, const struct term *term)
{
    printf("%s%s (%s)\n", page->separator, term->name, term->kind);
    page->separator = "\n";
    prose_fit("  ", term->explanation, page->width, stdout);
    if (term->remedy)
        prose_fit("  ", pool_print(&page->pool, "What to do: %s", term->remedy), page->width, stdout);
    print_columns(page, term->name);
}

static void print_index(struct page *page, const char *program)
{
    for (unsigned i = 0; i < KINDS; i++) {
        struct string_builder names = { .pool = &page->pool };
        for (struct term term = { 0 }; next_of(&kinds[i], &term);)
            string_append(&names, "%s%s", names.length > 0 ? "; " : "", term.name);
        prose_fit(
            "", pool_print(&page->pool, "%s ('%s explain %s' explains all)", kinds[i].title, program, kinds[i].plural),
            page->width, stdout);
        prose_fit("  ", string_text(&names), page->width, stdout);
        putchar('\n');
    }
    prose_fit("",
              pool_print(&page->pool,
                         "'%s explain TERM' explains one term. TERM may also be a note of a report, in quotes.",
                         program),
              page->width, stdout);
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

/* Prints a term, or all of a kind, or the names of many that a text may mean. */
static void explain_text(struct page *page, const char *typed)
{
    struct term found[FOUND_MAX];
    struct string_builder names = { .pool = &page->pool };
    const struct term_kind *kind = kind_of_plural(typed);
    const char *column = glossary_find(workload_term, typed).name ? NULL : column_term(typed);
    const unsigned count = kind ? 0 : glossary_search(workload_term, column ? column : typed, found, FOUND_MAX);
    if (!kind && count == 0)
        string_append(&page->unknown, "%s'%.60s'", page->unknown.length > 0 ? ", " : "", text_cleaned(typed).text);
    for (struct term term = { 0 }; kind && next_of(kind, &term);)
        print_term(page, &term);
    for (unsigned i = 0; i < count && count <= WHOLE_MAX; i++)
        print_term(page, &found[i]);
    if (count <= WHOLE_MAX)
        return;
    for (unsigned i = 0; i < count; i++)
        string_append(&names, "%s%s", i > 0 ? "; " : "", found[i].name);
    printf("%sThis may be any of\n", page->separator);
    page->separator = "\n";
    prose_fit("  ", string_text(&names), page->width, stdout);
}

/* Of one text the nearest name is suggested. */
static void fail_unknown(const char *unknown, const char *typed, bool is_one, struct error *err)
{
    char nearest[64];
    const bool is_near = is_one && glossary_nearest(workload_term, typed, nearest, sizeof nearest);
    if (is_number(typed))
        fail(err, STATUS_USAGE, "explain: %s is a number; give some words of the note below the table", unknown);
    else
        fail(err, STATUS_USAGE, "explain: %.300s %s not in the glossary%s%s%s; 'bench explain' lists its terms",
             unknown, strstr(unknown, "', '") ? "are" : "is", is_near ? "; did you mean '" : "", is_near ? nearest : "",
             is_near ? "'?" : "");
}

int explain(const struct options *options, struct error *err)
{
    struct page page = { .width = terminal_width(options), .separator = "" };
    struct string_builder words = { .pool = &page.pool };
    const char *const *word = options->term_words;
    page.unknown.pool = &page.pool;
    for (unsigned i = 0; word[i]; i++)
        string_append(&words, "%s%s", i > 0 ? " " : "", word[i]);
    const char *joined = string_text(&words);
    const bool is_one = *word && is_one_text(word, joined);
    if (!*word)
        print_index(&page, options->argv[0]);
    else if (is_one)
        explain_text(&page, joined);
    for (; !is_one && *word; word++)
        if (!is_number(*word))
            explain_text(&page, *word);
    const bool is_known = page.unknown.length == 0;
    if (!is_known)
        fail_unknown(string_text(&page.unknown), joined, is_one, err);
    pool_release(&page.pool);
    return is_known ? EXIT_OK : EXIT_USAGE;
}
