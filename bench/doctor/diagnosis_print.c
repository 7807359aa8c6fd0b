#include "bench/doctor/diagnosis.h"

#include "harness/report/formats/prose.h"

static void print_trouble(const struct finding *finding, FILE *out)
{
    char sentence[sizeof finding->about + sizeof finding->says + 8];
    snprintf(sentence, sizeof sentence, "%s: %s", finding->about, finding->says);
    prose_print("  ", sentence, out);
    fprintf(out, "      %s\n", finding->command);
}

void diagnosis_print(const struct diagnosis *diagnosis, FILE *out)
{
    unsigned troubles = diagnosis_troubles(diagnosis);
    if (troubles > 0)
        fprintf(out, "To mend\n");
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (!diagnosis->finding[i].is_fine)
            print_trouble(&diagnosis->finding[i], out);
    fprintf(out, "%s%s\n", troubles > 0 ? "\n" : "", troubles < diagnosis->findings ? "Well" : "");
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (diagnosis->finding[i].is_fine)
            fprintf(out, "  %s: %s\n", diagnosis->finding[i].about, diagnosis->finding[i].says);
}
