#include "bench/doctor/finding.h"

#include "bench/doctor/install.h"
#include "harness/base/pool.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

extern const char *const findings_lines[];

/* The place of a fact, or the first free one. */
static unsigned fact_place(const struct facts *facts, const char *name)
{
    unsigned i = 0;
    while (i < facts->count && strcmp(facts->fact[i].name, name) != 0)
        i++;
    return i;
}

void fact_set(struct facts *facts, const char *name, const char *text)
{
    struct pool *pool = facts->view->pool;
    const struct fact fact = { name, pool_copy(pool, text ? text : "") };
    const unsigned place = fact_place(facts, name);
    if (place < facts->count)
        facts->fact[place] = fact;
    else
        pool_add(pool, &facts->fact, &facts->count, &fact, sizeof fact);
}

/* What nobody set may be a fact of the whole machine, or be in the table of the adapter's vendor; "" unknown. */
static const char *fact(const struct facts *facts, const char *name)
{
    const unsigned place = fact_place(facts, name), vendor = fact_place(facts, "vendor");
    if (place < facts->count)
        return facts->fact[place].text;
    if (strcmp(name, "limits") == 0)
        return facts->view->limits ? facts->view->limits : "";
    return vendor < facts->count ? install_vendor_fact(facts->fact[vendor].text, name) : "";
}

static bool holds(const char *condition, const struct facts *facts)
{
    char word[64];
    int used;
    for (; sscanf(condition, "%63s%n", word, &used) == 1; condition += used) {
        const bool is_negated = *word == '!';
        char *values = word + is_negated, *name = strsep(&values, "="), *value;
        const char *has = fact(facts, name);
        bool is_so = *has && !values;
        while ((value = strsep(&values, "|")))
            is_so |= strcmp(has, value) == 0;
        if (is_so == is_negated)
            return false;
    }
    return true;
}

static const char *expand(const char *text, const struct facts *facts)
{
    struct string_builder to = { .pool = facts->view->pool };
    char name[40];
    for (int used; *text; text += used) {
        string_append(&to, "%.*s", (int)strcspn(text, "{"), text);
        text += strcspn(text, "{");
        used = *text == '{'; /* without a name it is left out */
        if (sscanf(text, "{install%*[ ]%39[^}]}%n", name, &used) == 1)
            string_append(&to, "%s",
                          install_command(facts->view, fact_place(facts, name) < facts->count || *fact(facts, name)
                                                           ? fact(facts, name)
                                                           : name));
        else if (sscanf(text, "{%39[^}]}%n", name, &used) == 1)
            string_append(&to, "%s", fact(facts, name));
    }
    return string_text(&to);
}

void findings_add(struct diagnosis *out, const char *kind, const struct facts *facts)
{
    const size_t length = strlen(kind);
    struct pool *pool = facts->view->pool;
    const char *subject = NULL; /* NULL: another kind, or its finding was added */
    struct finding *finding = NULL;
    for (const char *const *line = findings_lines; *line; line++) {
        const char *text = *line + 1;
        if (**line == '@') {
            bool is_it = strncmp(text, kind, length) == 0 && (text[length] == ' ' || !text[length]);
            subject = !is_it ? NULL : text[length] ? text + length + 1 : facts->subject;
            finding = NULL;
        } else if (**line == '?') {
            finding = NULL;
            if (subject && holds(text, facts)) {
                const struct finding found = { true, false, pool_copy(pool, subject), "", "" };
                finding = pool_add(pool, &out->finding, &out->findings, &found, sizeof found);
                subject = NULL; /* it has its finding */
            }
        } else if (finding && **line == '>') {
            finding->command = expand(text + 1, facts);
            finding->is_fine = false;
        } else if (finding && **line == '~') {
            finding->is_seen = true;
        } else if (finding && **line && **line != '#') {
            finding->text = expand(*line, facts);
        }
    }
}

unsigned diagnosis_troubles(const struct diagnosis *diagnosis)
{
    unsigned troubles = 0;
    for (unsigned i = 0; i < diagnosis->findings; i++)
        troubles += !diagnosis->finding[i].is_fine;
    return troubles;
}
