/* The summary cards. Colours are not the only sign: each has a word and a symbol. */

#include "harness/base/text.h"
#include "harness/report/formats/html.h"

#include <math.h>
#include <string.h>
static const struct {
    const char *class, *sign;
} side_styles[] = {
    [SIDE_MISSING] = { "plain", "" }, [SIDE_UNCERTAIN] = { "unsure", "?" }, [SIDE_SLOWER] = { "slower", "▼" },
    [SIDE_EVEN] = { "even", "≈" },    [SIDE_FASTER] = { "faster", "▲" },
};

/* All strips of a page have the same ends, so that cards can be compared: the smallest ends that contain nine in ten of
 * the speed-ups. A speed-up beyond them is an arrow. 0: there are no speed-ups. */
static double strip_end(const struct document *document)
{
    static const double ends[] = { 2, 4, 10, 30, 100 };
    enum { ENDS = sizeof ends / sizeof *ends };
    unsigned count = 0, within[ENDS] = { 0 };
    for (unsigned i = 0; i < document->sections; i++) {
        const struct cards *cards = &document->section[i].cards;
        for (unsigned k = 0; k < cards->cards; k++)
            for (unsigned f = 0; f < cards->card[k].figures; f++) {
                double value = cards->card[k].figure[f].speedup.value;
                if (!(value > 0))
                    continue;
                count++;
                for (unsigned end = 0; end < ENDS; end++)
                    within[end] += value <= ends[end] && value >= 1 / ends[end];
            }
    }
    unsigned at = 0;
    while (at + 1 < ENDS && 10 * within[at] < 9 * count)
        at++;
    return count > 0 ? ends[at] : 0;
}

enum { STRIP_WIDTH = 200 };

/* The position of a speed-up on a logarithmic scale; 1 is in the middle. */
static double strip_place(double speedup, double end)
{
    double place = log(speedup) / log(end);
    return STRIP_WIDTH / 2.0 * (1 + fmax(-1, fmin(1, place)));
}

/* Hidden from screen readers: the figures above have the same content. */
static void put_strip(FILE *out, const struct summary_card_figure *figure, double end)
{
    const struct estimate *speedup = &figure->speedup;
    if (!(speedup->value > 0) || !isfinite(speedup->value))
        return;
    fprintf(out,
            "<svg class=\"strip %s\" viewBox=\"0 0 %d 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            "<path class=\"axis\" d=\"M0 6H%d\"/><path class=\"one\" d=\"M%d 1V11\"/>",
            side_styles[figure->side].class, STRIP_WIDTH, STRIP_WIDTH, STRIP_WIDTH / 2);
    if (speedup->low > 0 && isfinite(speedup->high)) /* visible even if it is narrow */
        fprintf(out, "<path class=\"span\" d=\"M%.1f 6H%.1f\"/>", strip_place(speedup->low, end) - 0.5,
                strip_place(speedup->high, end) + 0.5);
    if (speedup->value > end)
        fprintf(out, "<path class=\"value\" d=\"M%d 2L%d 6L%d 10\"/></svg>", STRIP_WIDTH - 4, STRIP_WIDTH,
                STRIP_WIDTH - 4);
    else if (speedup->value < 1 / end)
        fputs("<path class=\"value\" d=\"M4 2L0 6L4 10\"/></svg>", out);
    else
        fprintf(out, "<path class=\"value\" d=\"M%.1f 2V10\"/></svg>", strip_place(speedup->value, end));
}

/* "0.97x" with a multiplication sign. A threshold contains the name of a dimension, which comes from a journal. */
static void put_value(FILE *out, const struct summary_card_figure *figure)
{
    char speedup[64];
    size_t length = strlen(figure->value);
    bool is_times = !isnan(figure->speedup.value) && length > 1 && length < sizeof speedup;
    if (is_times)
        text_copy(speedup, length, figure->value); /* without the 'x' */
    html_text(out, is_times ? speedup : figure->value);
    fputs(is_times ? "×" : "", out);
}

static void put_figure(FILE *out, const struct summary_card_figure *figure, double end)
{
    html_print(out, "<dt>%s</dt><dd><b>", figure->use);
    put_value(out, figure);
    fputs("</b>", out);
    if (strcmp(figure->interval, "[?]") == 0)
        fputs(" <span class=\"soft\">interval unknown</span>", out);
    else if (*figure->interval)
        fprintf(out, " <span class=\"range\">%s</span>", figure->interval); /* numbers only, safe without escaping */
    put_strip(out, figure, end);
    fputs("</dd>\n", out);
}

static void put_summary(FILE *out, const struct summary_card *card, double end)
{
    const char *sign = side_styles[card->side].sign;
    fputs("<div class=\"summary\"><p class=\"who\">", out);
    html_letter(out, card->letter);
    html_print(out, "<bdi>%s</bdi>", card->device);
    if (*card->baseline) {
        html_print(out, ", against <bdi>%s</bdi>", card->baseline);
    }
    fprintf(out, "</p>\n<p class=\"words %s\">", side_styles[card->side].class);
    if (*sign)
        fprintf(out, "<span class=\"sign\" aria-hidden=\"true\">%s</span> ", sign);
    html_print(out, "%s</p>\n", card->answer);
    if (card->figures > 0)
        fputs("<dl class=\"scores\">\n", out);
    for (unsigned i = 0; i < card->figures; i++)
        put_figure(out, &card->figure[i], end);
    fputs(card->figures > 0 ? "</dl></div>\n" : "</div>\n", out);
}

/* "multiply f32" of "multiply f32, n = 40,000,000 (40.0 MFLOP, 480 MB)" as a heading, the rest below it. */
static void put_title(FILE *out, const char *title)
{
    char head[128];
    const char *comma = strstr(title, ", ");
    if (!comma || (size_t)(comma - title) >= sizeof head) {
        html_print(out, "<h3>%s</h3>\n", title);
        return;
    }
    memcpy(head, title, (size_t)(comma - title));
    head[comma - title] = '\0';
    html_print(out, "<h3>%s</h3>\n<p class=\"shape\">%s</p>\n", head, comma + 2);
}

static void put_card(FILE *out, const struct section *section, double end)
{
    const struct cards *cards = &section->cards;
    fprintf(out, "<article class=\"card%s\">\n", cards->cards > 1 ? " several" : "");
    put_title(out, section->title);
    fputs("<div class=\"summaries\">\n", out);
    for (unsigned i = 0; i < cards->cards; i++)
        put_summary(out, &cards->card[i], end);
    fputs("</div>\n<div class=\"says\">\n", out);
    for (unsigned i = 0; i < section->answers.lines; i++) {
        const struct line *line = &section->answers.line[i];
        fprintf(out, "<p%s>", line->is_below ? " class=\"below\"" : "");
        html_letter(out, line->letter);
        if (*line->label) { /* whose figures they are */
            html_print(out, "<b>%s:</b> ", line->label);
        }
        html_print(out, "%s</p>\n", line->text);
    }
    html_print(
        out,
        "</div>\n<p class=\"more\"><a href=\"#t-%s\">Table<span class=\"unseen\"> of %s</span></a></p>\n</article>\n",
        section->anchor, section->title);
}

void html_cards(FILE *out, const struct document *document)
{
    double end = strip_end(document);
    fputs("<section id=\"answers\">\n<h2>Answers</h2>\n", out);
    if (end > 0)
        fprintf(out,
                "<p class=\"lead\">How many times as fast as the baseline, the fastest method of the CPU unless "
                "another was asked for, with the 95 %% interval in brackets: with data that stay on the device, and "
                "with data that are moved at every use. Bars show the same from 1/%.0f to %.0f; the tick in the "
                "middle is 1.</p>\n",
                end, end);
    fputs("<div class=\"cards\">\n", out);
    for (unsigned i = 0; i < document->sections; i++)
        put_card(out, &document->section[i], end);
    fputs("</div>\n</section>\n", out);
}
