#include "harness/reports/footnotes.h"

#include "harness/reports/prose.h"
#include "harness/text.h"

void footnotes_refer(struct footnotes *footnotes, char field[GRID_FIELD], const char *text)
{
    const json_t *known = json_object_get(footnotes->number, text);
    json_int_t number = known ? json_integer_value(known) : (json_int_t)json_object_size(footnotes->number) + 1;
    char digits[TEXT_NUMBER], lead[TEXT_NUMBER + 8];
    snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, number);
    if (!known) {
        footnotes->complete &= json_object_set_new(footnotes->number, text, json_integer(number)) == 0;
        snprintf(lead, sizeof lead, "  %2s  ", digits);
        fputs(number == 1 ? "\n" : "", footnotes->out);
        prose_print(lead, text, footnotes->out);
    }
    grid_append(field, digits);
}
