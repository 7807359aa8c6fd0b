/* Mutates journals line by line and value by value: a changed byte mostly makes a line of JSON that is none, and would
 * hide what lies behind the parser. One mutation in three is libFuzzer's own. */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 512 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

struct line {
    const char *at;
    size_t size; /* without its line break */
};

struct lines {
    struct line line[LINES_MAX];
    unsigned count;
};

static void split(struct lines *lines, const char *text, size_t size)
{
    lines->count = 0;
    while (size > 0 && lines->count < LINES_MAX) {
        const char *line_break = memchr(text, '\n', size);
        size_t length = line_break ? (size_t)(line_break - text) : size, whole = length + (line_break != NULL);
        lines->line[lines->count++] = (struct line){ text, length };
        text += whole;
        size -= whole;
    }
}

/* Values that a reader may take for others: the least, the greatest, of the wrong type. */
static json_t *odd_value(unsigned which)
{
    static const char *const text[] = { "",
                                        "0",
                                        "ok",
                                        "complete",
                                        "fake:0",
                                        "\xc3\xa4\x7f\x1b[31m",
                                        "%s%n",
                                        "/home/ada/x",
                                        "f32",
                                        "n=1000",
                                        "native",
                                        "resident",
                                        "10.0.0.1",
                                        "\xe2\x80\xae",
                                        "|a|b`",
                                        "</script>",
                                        "wrong",
                                        "crashed",
                                        "pinned",
                                        "copied",
                                        "=HYPERLINK(1)",
                                        "1 h, 2",
                                        "-",
                                        "9999-99-99" };
    static const double real[] = { 0.5, -1.5, 1e-300, 1e300, -0.0, 1e18, 0.1, 1e6 };
    static const json_int_t whole[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 1000, UINT32_MAX, 4096 };
    switch (which % 9) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(which & 16);
    case 2:
        return json_array();
    case 3:
        return json_object();
    case 4:
    case 5:
        return json_real(real[which / 9 % 8]);
    case 6:
        return json_integer(whole[which / 9 % 8]);
    default:
        return json_string(text[which / 9 % (sizeof text / sizeof *text)]);
    }
}

/* The value number *left below `node`, counted down; NULL: there are fewer. With `in` it is replaced, or removed if
 * that is NULL. */
static json_t *at_number(json_t *node, unsigned *left, bool is_edit, json_t *in);

static json_t *at_member(json_t *node, const char *name, json_t *value, unsigned *left, bool is_edit, json_t *in)
{
    if ((*left)-- > 0)
        return at_number(value, left, is_edit, in);
    if (is_edit && in)
        json_object_set(node, name, in);
    else if (is_edit)
        json_object_del(node, name);
    return node;
}

static json_t *at_element(json_t *node, size_t i, unsigned *left, bool is_edit, json_t *in)
{
    if ((*left)-- > 0)
        return at_number(json_array_get(node, i), left, is_edit, in);
    if (is_edit && in)
        json_array_insert(node, i, in);
    else if (is_edit)
        json_array_remove(node, i);
    return node;
}

static json_t *at_number(json_t *node, unsigned *left, bool is_edit, json_t *in)
{
    const char *name;
    json_t *value, *found = NULL;
    void *next;
    json_object_foreach_safe(node, next, name,
                             value) if ((found = at_member(node, name, value, left, is_edit, in))) return found;
    for (size_t i = 0; i < json_array_size(node); i++)
        if ((found = at_element(node, i, left, is_edit, in)))
            return found;
    return NULL;
}

static unsigned values_of(json_t *node)
{
    unsigned left = 1u << 30;
    at_number(node, &left, false, NULL);
    return (1u << 30) - left;
}

/* The line with one value replaced, added or removed, to be freed; NULL where it is no JSON. */
static char *edit_line(const struct line *line)
{
    json_t *json = json_loadb(line->at, line->size, 0, NULL);
    unsigned values = json ? values_of(json) : 0;
    char *text = NULL;
    if (values > 0) {
        unsigned which = (unsigned)rand() % values;
        json_t *in = rand() % 8 == 0 ? NULL : odd_value((unsigned)rand());
        at_number(json, &which, true, in);
        json_decref(in);
        text = json_dumps(json, JSON_COMPACT);
    }
    json_decref(json);
    return text;
}

/* A line of the journal is left out, comes twice, or changes its place. */
static void move_line(struct lines *lines)
{
    unsigned from = (unsigned)rand() % lines->count, to = (unsigned)rand() % lines->count;
    struct line line = lines->line[from];
    switch (rand() % 3) {
    case 0:
        lines->count = from > 0 ? from : lines->count;
        break;
    case 1:
        lines->line[from] = lines->line[to];
        break;
    default:
        lines->line[from] = lines->line[to];
        lines->line[to] = line;
    }
}

/* The lines one after the other, as far as they fit. */
static size_t join(uint8_t *to, size_t room, const struct lines *lines)
{
    size_t size = 0;
    for (unsigned i = 0; i < lines->count && size + lines->line[i].size + 1 <= room; i++) {
        memcpy(to + size, lines->line[i].at, lines->line[i].size);
        size += lines->line[i].size;
        to[size++] = '\n';
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct lines lines;
    srand(seed);
    char *copy = size > 0 ? malloc(size) : NULL, *edited = NULL;
    if (!copy || rand() % 3 == 0) {
        free(copy);
        return LLVMFuzzerMutate(data, size, room);
    }
    memcpy(copy, data, size);
    split(&lines, copy, size);
    struct line *line = &lines.line[(unsigned)rand() % lines.count];
    if (rand() % 4 == 0)
        move_line(&lines);
    else if ((edited = edit_line(line)))
        *line = (struct line){ edited, strlen(edited) };
    size_t joined = join(data, room, &lines);
    free(edited);
    free(copy);
    return joined;
}
