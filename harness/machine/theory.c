#include "harness/machine/theory.h"

#include "harness/base/text.h"
#include "harness/machine/theory_units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Hz: a higher value is no clock. */
static const double fastest_clock = 1e11;

static bool __attribute__((format(printf, 2, 3))) unknown(struct theory *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *out = (struct theory){ .flops = NAN };
    vsnprintf(out->why, sizeof out->why, format, arguments);
    va_end(arguments);
    return false;
}

/* The work of one unit in a cycle, and its text in a formula. */
struct per_cycle {
    double flops;
    char unit[8], text[96];
};

/* "2.70 GHz", with a third digit only if it is not 0. */
static struct text gigahertz(double hertz)
{
    return text_print("%.*f GHz", lround(hertz / 1e6) % 10 ? 3 : 2, hertz / 1e9);
}

/* The first known feature of the list that is not allowed; NULL: none. */
static const char *stranger_of(const char *list, const char *allowed)
{
    const char *const *word = theory_features;
    while (*word && (!text_has_word(list, *word) || text_has_word(allowed, *word)))
        word++;
    return *word;
}

/* Bits of a multiply-add in the instruction set in use; 0: it has none. On Arm each has, and libraries use the widest.
 */
static unsigned isa_bits(const struct device *device)
{
    enum { WIDEST_SVE = 2048 };
    const bool is_arm = strncmp(device->architecture, "arm ", 4) == 0;
    return is_arm ? WIDEST_SVE : strcmp(device->isa, "avx512") == 0 ? 512 : strcmp(device->isa, "avx2") == 0 ? 256 : 0;
}

static bool cpu_cycle(const struct device *device, enum dtype dtype, struct per_cycle *cycle, struct theory *out)
{
    const char *core = theory_core(device->architecture), *doubt = theory_sentence(core, "doubt");
    const unsigned units = theory_number(core, "units"), widest = theory_number(core, "bits");
    const struct text features = theory_words(core, "features");
    if (units == 0)
        return unknown(out, "the operations per cycle of a core of %s are not known", device->architecture);
    const char *stranger = stranger_of(device->features, features.text);
    if (stranger)
        return unknown(out, "it has %s, so it is not the %s (%s) that it reports", stranger, device->architecture,
                       theory_words(core, "name").text);
    unsigned bits = isa_bits(device);
    if (bits == 0)
        return unknown(out, "no instruction set with multiply-adds is in use");
    bits = bits < widest ? bits : widest;
    const bool is_vnni = dtype == DTYPE_I8 && theory_number(core, "vnni") > 0 && isa_bits(device) == 512;
    if (dtype_sums(dtype) != dtype && !is_vnni)
        return unknown(out, "its operations per cycle in the small types are not known");
    unsigned lanes = bits / (8 * (unsigned)dtype_bytes(dtype));
    *cycle = (struct per_cycle){ .flops = 2.0 * units * lanes };
    text_copy(cycle->unit, sizeof cycle->unit, device->units == 1 ? "core" : "cores");
    snprintf(cycle->text, sizeof cycle->text, "%u units x %u lanes x 2 (%s)", units, lanes, is_vnni ? "VNNI" : "FMA");
    const bool has_more = is_vnni && text_has_word(features.text, "amx_tile");
    out->is_confirmed = !doubt && !has_more && !*device->hypervisor;
    if (*device->hypervisor)
        snprintf(out->why, sizeof out->why, "a guest of %s, which may show a different processor", device->hypervisor);
    else
        text_copy(out->why, sizeof out->why,
                  doubt      ? doubt
                  : has_more ? "its matrix units (AMX), which do more, are not counted"
                             : "");
    return true;
}

/* How many units of the table one unit of the device is. On most of RDNA AMD's driver counts workgroup processors, two
 * compute units each, elsewhere compute units; the reported lanes show which. 0: unknown. */
static unsigned units_in_one(const struct device *device, unsigned lanes)
{
    if (device->lanes == lanes || device->lanes == 2 * lanes)
        return device->lanes / lanes;
    bool may_be_two = strncmp(device->architecture, "amd gfx1", 8) == 0;
    return device->lanes == 0 && !may_be_two ? 1 : 0;
}

/* Why a card of this name does not have the rates of its architecture in the table; NULL: it has them. */
static const char *exception_of(const struct device *device, enum dtype dtype)
{
    const char *row = theory_row("except", device->architecture), *word;
    struct text cards = theory_words(row, "cards");
    char *rest = cards.text;
    while (dtype != DTYPE_F32 && theory_number(row, dtype_name(dtype)) == 0 && (word = strsep(&rest, " ")))
        if (text_has_word(device->name, word))
            return theory_sentence(row, "why");
    return NULL;
}

static bool gpu_cycle(const struct device *device, enum dtype dtype, struct per_cycle *cycle, struct theory *out)
{
    const char *name = dtype_name(dtype), *exception = exception_of(device, dtype),
               *row = theory_row("gpu", device->architecture), *tensor = theory_row("tensor", device->architecture),
               *doubt = theory_sentence(tensor, "doubt");
    if (!row)
        return unknown(out, "the operations per cycle of a unit of %s are not known", device->architecture);
    if (exception)
        return unknown(out, "%s", exception);
    const unsigned together = units_in_one(device, theory_number(row, "f32")), each = theory_number(tensor, name),
                   lanes = theory_number(row, name) * together;
    text_copy(cycle->unit, sizeof cycle->unit, theory_words(row, "unit").text);
    if (each > lanes) {
        cycle->flops = 2.0 * each;
        snprintf(cycle->text, sizeof cycle->text, "%u x 2 (FMA of tensor cores)", each);
        out->is_confirmed = !doubt || dtype == DTYPE_F64 || (dtype == DTYPE_I8 && theory_number(tensor, "bytes") == 0);
        text_copy(out->why, sizeof out->why, out->is_confirmed ? "" : doubt);
        return true;
    }
    if (together == 0)
        return unknown(out, "it is not known whether the driver counts compute units or pairs of them");
    if (lanes == 0 && dtype_sums(dtype) != dtype)
        return unknown(out, "its operations per cycle in the small types are not known");
    if (lanes == 0)
        return unknown(out, "the operations per cycle of a unit of %s in %s are not known", device->architecture, name);
    const unsigned issue = dtype == DTYPE_F32 ? theory_number(row, "issue") : 0; /* 0: one instruction at once */
    cycle->flops = 2.0 * lanes * (issue > 0 ? issue : 1);
    if (together == 2)
        text_copy(cycle->unit, sizeof cycle->unit, "WGP");
    if (strncmp(device->architecture, "intel", 5) == 0)
        snprintf(cycle->text, sizeof cycle->text, "%.0f FLOP", cycle->flops);
    else if (issue > 0)
        snprintf(cycle->text, sizeof cycle->text, "%u lanes x 2 (FMA) x %u (%.16s)", lanes, issue,
                 theory_words(row, "by").text);
    else
        snprintf(cycle->text, sizeof cycle->text, "%u lanes x 2 (FMA)", lanes);
    out->is_confirmed = theory_number(theory_row("more", device->architecture), name) == 0;
    if (!out->is_confirmed)
        snprintf(out->why, sizeof out->why, "its matrix units, which may do more of %s, are not counted", name);
    return true;
}

bool theory_at(const struct device *device, enum dtype dtype, double clock, const char *clock_name, struct theory *out)
{
    struct per_cycle cycle;
    *out = (struct theory){ .flops = NAN };
    if ((unsigned)dtype >= DTYPE_COUNT || !*device->architecture)
        return unknown(out, "its architecture is not known");
    if (device->units == 0)
        return unknown(out, "how many units it has is not known");
    if (!(clock > 0) || clock > fastest_clock)
        return unknown(out, "its clock is not known");
    if (!(device->class == CLASS_CPU ? cpu_cycle : gpu_cycle)(device, dtype, &cycle, out))
        return false;
    out->flops = device->units * cycle.flops * clock;
    text_copy(out->clock, sizeof out->clock, clock_name);
    snprintf(out->formula, sizeof out->formula, "%u %s x %s x %.20s (%s)", device->units, cycle.unit, cycle.text,
             gigahertz(clock).text, clock_name);
    return true;
}

bool theory_peak(const struct device *device, enum dtype dtype, struct theory *out)
{
    /* NVIDIA's driver reports the card's boost clock, and NVML what no card of its kind exceeds: of an RTX 4090 2.52
     * and 3.105 GHz. Datasheets use the first. */
    const bool prefers_own = device->class == CLASS_CPU || strncmp(device->architecture, "nvidia", 6) == 0;
    if (device->max_clock > 0 && !(device->clock > 0 && prefers_own))
        return theory_at(device, dtype, device->max_clock, "maximum", out);
    return theory_at(device, dtype, device->clock, device->clock_origin, out);
}

bool theory_limit(const struct device *device, enum dtype dtype, struct theory *out)
{
    bool is_exceeded = device->clock > device->max_clock;
    double clock = is_exceeded ? device->clock : device->max_clock;
    if (!theory_at(device, dtype, clock, is_exceeded ? device->clock_origin : "maximum", out))
        return false;
    if (!out->is_confirmed)
        return false;
    if (device->max_clock_is_limit)
        return true;
    return unknown(out, "the clock may be higher than is known");
}

bool theory_bandwidth(const struct device *device, struct theory_memory *out)
{
    *out = (struct theory_memory){ .bandwidth = NAN };
    if (!(device->memory_clock > 0) || device->memory_clock > fastest_clock || device->memory_width == 0)
        return false;
    out->bandwidth = 2 * device->memory_clock * device->memory_width / 8;
    snprintf(out->formula, sizeof out->formula, "2 x %.20s x %u bit / 8", gigahertz(device->memory_clock).text,
             device->memory_width);
    return true;
}
