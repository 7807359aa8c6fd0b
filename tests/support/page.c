#include "tests/support/page.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char elements[] =
    " html head meta title style body a header nav main section article footer div p h1 h2 h3 ul ol li dl dt dd b bdi "
    "details summary span small code br abbr pre table caption thead tbody tr th td figure figcaption svg path ";
/* Inside of a picture, which is another's work, and which nothing but shapes and words belongs in. */
static const char shapes[] = " svg g path text tspan rect circle line polyline polygon use defs clipPath pattern title "
                             "desc style linearGradient stop marker symbol ";
static const char attributes[] =
    " lang charset http-equiv content name id class href title scope colspan tabindex role aria-label aria-labelledby "
    "aria-hidden viewBox preserveAspectRatio d ";

enum { NAME_ROOM = 40, DEPTH = 64 };

struct reading {
    struct page *page;
    const char *at;
    char open[DEPTH][NAME_ROOM];
    unsigned depth, picture; /* the depth that a picture begins at; 0: outside of one */
};

static bool fault(struct reading *reading, const char *what)
{
    if (!*reading->page->fault)
        snprintf(reading->page->fault, sizeof reading->page->fault, "%s at \"%.80s\"", what, reading->at);
    return false;
}

static bool has_word(const char *list, const char *word)
{
    char padded[NAME_ROOM + 2];
    snprintf(padded, sizeof padded, " %s ", word);
    return strstr(list, padded) != NULL;
}

static bool read_name(struct reading *reading, char to[NAME_ROOM])
{
    size_t length = strspn(reading->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:");
    if (length == 0 || length >= NAME_ROOM)
        return fault(reading, "no name");
    memcpy(to, reading->at, length);
    to[length] = '\0';
    reading->at += length;
    return true;
}

/* Text up to `stop`, in which every '&' begins an entity of XML. */
static bool skip_text(struct reading *reading, char stop)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;" };
    for (; *reading->at && *reading->at != stop; reading->at++) {
        unsigned char byte = (unsigned char)*reading->at;
        bool is_known = byte != '&';
        for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strncmp(reading->at, known[i], strlen(known[i])) == 0;
        if (!is_known || byte == '<')
            return fault(reading, "a bare sign");
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ||
            strncmp(reading->at, "\xef\xbf\xbe", 3) == 0)
            return fault(reading, "a control character");
        if (strncmp(reading->at, "]]>", 3) == 0)
            return fault(reading, "the end of a section that is none");
    }
    return true;
}

static bool take_id(struct reading *reading, const char *id)
{
    if (json_object_get(reading->page->ids, id))
        return fault(reading, "an id for the second time");
    return json_object_set_new(reading->page->ids, id, json_true()) == 0;
}

/* What an attribute may say: no place but one in the page, and nothing that runs. */
static bool judge_attribute(struct reading *reading, const char *name, const char *value)
{
    bool is_link = strcmp(name, "href") == 0 || strcmp(name, "xlink:href") == 0;
    if (strncmp(name, "on", 2) == 0)
        return fault(reading, "a handler");
    if (reading->picture == 0 && !has_word(attributes, name))
        return fault(reading, "an attribute that is not ours");
    bool is_file = strncmp(value, "./", 2) == 0 || strncmp(value, "file:///", 8) == 0; /* the journal */
    if (is_link && is_file)
        return true;
    if (strcmp(name, "src") == 0 || (is_link && *value != '#'))
        return fault(reading, "a way out of the page");
    if (reading->picture > 0 && strstr(value, "url(") && !strstr(value, "url(#") && !strstr(value, "url('#"))
        return fault(reading, "something to be fetched");
    if (strcmp(name, "id") == 0)
        return take_id(reading, value);
    return !is_link || json_object_set_new(reading->page->links, value + 1, json_true()) == 0;
}

static bool read_attribute(struct reading *reading, char *tag, size_t room)
{
    char name[NAME_ROOM], value[20000];
    reading->at += strspn(reading->at, " \n");
    if (!read_name(reading, name) || strncmp(reading->at, "=\"", 2) != 0)
        return fault(reading, "an attribute without a quoted value");
    const char *begin = reading->at += 2;
    if (!skip_text(reading, '"'))
        return false;
    snprintf(value, sizeof value, "%.*s", (int)(reading->at - begin), begin);
    reading->at += *reading->at == '"';
    snprintf(tag + strlen(tag), room - strlen(tag), " %s", name);
    return judge_attribute(reading, name, value);
}

/* Our own style, which has neither of the signs that XML reads, and fetches nothing. */
static bool skip_style(struct reading *reading)
{
    const char *end = strstr(reading->at, "</style>");
    size_t length = end ? (size_t)(end - reading->at) : 0;
    if (!end || memchr(reading->at, '<', length) || memchr(reading->at, '&', length) ||
        memmem(reading->at, length, "url(", 4) || memmem(reading->at, length, "@import", 7))
        return fault(reading, "a style that is none of ours");
    reading->at = end;
    return true;
}

static bool begin_element(struct reading *reading)
{
    char tag[400], name[NAME_ROOM];
    reading->at++;
    if (!read_name(reading, name))
        return false;
    snprintf(tag, sizeof tag, "%s", name);
    if (!has_word(reading->picture > 0 ? shapes : elements, name))
        return fault(reading, "an element that is not ours");
    bool is_picture = strcmp(name, "svg") == 0 && strstr(reading->at, "class=\"picture\"") != NULL &&
                      strstr(reading->at, "class=\"picture\"") < strchr(reading->at, '>');
    if (is_picture && reading->picture == 0)
        reading->picture = reading->depth + 1;
    while (*reading->at == ' ' || *reading->at == '\n')
        if (!read_attribute(reading, tag, sizeof tag))
            return false;
    if (reading->picture == 0) /* which labels of a picture have room depends on their texts */
        json_array_append_new(reading->page->tags, json_string(tag));
    bool is_empty = *reading->at == '/';
    reading->at += is_empty;
    if (*reading->at != '>' || reading->depth == DEPTH)
        return fault(reading, "a tag that does not end");
    reading->at++;
    if (!is_empty)
        memcpy(reading->open[reading->depth++], name, sizeof name);
    return is_empty || strcmp(name, "style") != 0 || skip_style(reading);
}

static bool end_element(struct reading *reading)
{
    char name[NAME_ROOM];
    reading->at += 2;
    if (!read_name(reading, name) || *reading->at != '>')
        return fault(reading, "an end that is none");
    if (reading->depth == 0 || strcmp(reading->open[reading->depth - 1], name) != 0)
        return fault(reading, "the end of another element");
    reading->at++;
    reading->picture = reading->depth == reading->picture ? 0 : reading->picture;
    reading->depth--;
    return true;
}

void page_read(struct page *out, const char *text)
{
    static const char first[] = "<!DOCTYPE html>\n";
    struct reading reading = { .page = out, .at = text };
    *out = (struct page){ .tags = json_array(), .ids = json_object(), .links = json_object() };
    bool ok = strncmp(text, first, strlen(first)) == 0 || fault(&reading, "another kind of page");
    reading.at += ok ? strlen(first) : 0;
    while (ok && *reading.at) {
        if (*reading.at != '<')
            ok = skip_text(&reading, '<');
        else
            ok = reading.at[1] == '/' ? end_element(&reading) : begin_element(&reading);
    }
    if (ok && reading.depth > 0)
        fault(&reading, "an element without an end");
    const char *link;
    json_t *value;
    json_object_foreach (out->links, link, value)
        if (ok && !json_object_get(out->ids, link))
            snprintf(out->fault, sizeof out->fault, "a link to nowhere: #%.100s", link);
}

void page_release(struct page *page)
{
    json_decref(page->tags);
    json_decref(page->ids);
    json_decref(page->links);
}
