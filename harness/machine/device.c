#include "harness/machine/device.h"

#include "harness/base/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const class_names[CLASS_COUNT] = { "CPU", "iGPU", "dGPU", "accelerator" };
static const char *const memory_names[MEMORY_COUNT] = { "pageable", "pinned", "mapped", "mapped-copy" };

const char *class_name(enum device_class class)
{
    return (unsigned)class < CLASS_COUNT ? class_names[class] : "unknown";
}

bool class_is_gpu(enum device_class class)
{
    return class == CLASS_IGPU || class == CLASS_DGPU;
}

bool device_same_silicon(const struct device *one, const struct device *other)
{
    return one == other || (*one->silicon && strcmp(one->silicon, other->silicon) == 0);
}

const char *device_api(char to[DEVICE_API], const struct device *device)
{
    text_copy(to, DEVICE_API, *device->api_version ? device->api_version : device->backend);
    to[strcspn(to, " ")] = '\0';
    return to;
}

void device_computes_small(struct device *device)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (dtype_sums(dtype) != dtype)
            device->computes[dtype] = device->computes[DTYPE_F32];
}

const char *memory_name(enum memory memory)
{
    return (unsigned)memory < MEMORY_COUNT ? memory_names[memory] : "unknown";
}

bool memory_parse(const char *word, enum memory *out)
{
    unsigned found = name_find(word, memory_names, MEMORY_COUNT);
    if (found == MEMORY_COUNT)
        return false;
    *out = (enum memory)found;
    return true;
}

bool memory_is_mapped(enum memory memory)
{
    return memory == MEMORY_MAPPED || memory == MEMORY_MAPPED_COPY;
}

void device_key_write(struct device *device, const char *text)
{
    char *to = device->key, *const end = to + sizeof device->key - 1;
    for (const char *from = text; *from && to < end; from++) {
        bool is_plain = *from != ' ' && *from != ',';
        if (is_plain || (to > device->key && to[-1] != '-'))
            *to++ = is_plain ? *from : '-';
    }
    *to = '\0';
}

/* The members of a device in JSON, in the order they are written. */
static const struct field {
    const char *name;
    enum { FIELD_TEXT, FIELD_COUNT, FIELD_NUMBER, FIELD_FLAG, FIELD_CLASS, FIELD_DTYPES, FIELD_LIBRARIES } kind;
    bool required;
    size_t offset, bytes;
} fields[] = {
#define FIELD(kind, required, member)                                                                                  \
    {                                                                                                                  \
#member, kind, required, offsetof(struct device, member), sizeof((struct device *)NULL)->member                \
    }
    FIELD(FIELD_TEXT, true, id),
    FIELD(FIELD_TEXT, true, key),
    FIELD(FIELD_TEXT, true, backend),
    FIELD(FIELD_TEXT, false, source),
    FIELD(FIELD_COUNT, false, index),
    FIELD(FIELD_COUNT, false, peers),
    FIELD(FIELD_TEXT, false, name),
    FIELD(FIELD_TEXT, false, vendor),
    FIELD(FIELD_TEXT, false, platform),
    FIELD(FIELD_TEXT, false, api_version),
    FIELD(FIELD_TEXT, false, driver_version),
    FIELD(FIELD_CLASS, true, class),
    FIELD(FIELD_TEXT, false, architecture),
    FIELD(FIELD_COUNT, false, units),
    FIELD(FIELD_COUNT, false, lanes),
    FIELD(FIELD_NUMBER, false, clock),
    FIELD(FIELD_TEXT, false, clock_origin),
    FIELD(FIELD_NUMBER, false, max_clock),
    FIELD(FIELD_TEXT, false, max_clock_origin),
    FIELD(FIELD_FLAG, false, max_clock_is_limit),
    FIELD(FIELD_TEXT, false, features),
    FIELD(FIELD_TEXT, false, hypervisor),
    FIELD(FIELD_NUMBER, false, cache),
    FIELD(FIELD_NUMBER, false, core_cache),
    FIELD(FIELD_NUMBER, false, memory_clock),
    FIELD(FIELD_COUNT, false, memory_width),
    FIELD(FIELD_NUMBER, false, power_limit),
    FIELD(FIELD_TEXT, false, ecc),
    FIELD(FIELD_TEXT, false, persistence),
    FIELD(FIELD_NUMBER, false, memory),
    FIELD(FIELD_NUMBER, false, largest_buffer),
    FIELD(FIELD_FLAG, false, shares_host_memory),
    FIELD(FIELD_FLAG, false, works_in_host_memory),
    FIELD(FIELD_DTYPES, false, computes),
    FIELD(FIELD_TEXT, false, silicon),
    FIELD(FIELD_TEXT, false, isa),
    FIELD(FIELD_TEXT, false, blas_core),
    FIELD(FIELD_TEXT, false, blas_better),
    FIELD(FIELD_TEXT, false, blas_bound),
    FIELD(FIELD_COUNT, false, threads),
    { "libraries", FIELD_LIBRARIES, false, offsetof(struct device, library), sizeof(((struct device *)NULL)->library) },
    FIELD(FIELD_TEXT, false, note),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields, TEXT_MAX = sizeof(struct device) };

/* NULL, and nothing is left of it, when memory was short. */
static json_t *complete_or_null(json_t *json, bool complete)
{
    if (complete)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *dtypes_to_json(const bool computes[DTYPE_COUNT])
{
    json_t *words = json_array();
    bool complete = true;
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        if (computes[i])
            complete &= json_array_append_new(words, json_string(dtype_name(i))) == 0;
    return complete_or_null(words, complete);
}

/* The members of a library, all texts. */
static const struct {
    const char *name;
    size_t offset, bytes;
} library_fields[] = {
#define LIBRARY_FIELD(member)                                                                                          \
    {                                                                                                                  \
#member, offsetof(struct device_library, member), sizeof((struct device_library *)NULL)->member                \
    }
    LIBRARY_FIELD(name),
    LIBRARY_FIELD(version),
    LIBRARY_FIELD(path),
    LIBRARY_FIELD(trouble),
#undef LIBRARY_FIELD
};
enum { LIBRARY_FIELDS = sizeof library_fields / sizeof *library_fields };

/* Empty members are left out. */
static json_t *library_to_json(const struct device_library *library)
{
    json_t *object = json_object();
    bool complete = object != NULL;
    for (unsigned i = 0; i < LIBRARY_FIELDS; i++) {
        char text[sizeof *library];
        text_clean(text, sizeof text, (const char *)library + library_fields[i].offset);
        if (*text)
            complete &= json_object_set_new(object, library_fields[i].name, json_string(text)) == 0;
    }
    return complete_or_null(object, complete);
}

static json_t *libraries_to_json(const struct device_library library[DEVICE_LIBRARIES_MAX])
{
    json_t *list = json_array();
    bool complete = true;
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *library[i].name; i++)
        complete &= json_array_append_new(list, library_to_json(&library[i])) == 0;
    return complete_or_null(list, complete);
}

static json_t *field_to_json(const struct field *field, const void *member)
{
    char text[TEXT_MAX]; /* names from drivers may not be valid UTF-8 */
    double number;
    switch (field->kind) {
    case FIELD_TEXT:
        text_clean(text, sizeof text, member);
        return json_string(text);
    case FIELD_COUNT:
        return json_integer(*(const unsigned *)member);
    case FIELD_NUMBER:
        number = *(const double *)member;
        return isfinite(number) ? json_real(number) : json_null();
    case FIELD_FLAG:
        return json_boolean(*(const bool *)member);
    case FIELD_CLASS:
        return json_string(class_name(*(const enum device_class *)member));
    case FIELD_DTYPES:
        return dtypes_to_json(member);
    case FIELD_LIBRARIES:
        return libraries_to_json(member);
    }
    return NULL;
}

json_t *device_to_json(const struct device *device)
{
    json_t *json = json_object();
    bool complete = true;
    for (unsigned i = 0; i < FIELDS; i++) {
        if (fields[i].kind == FIELD_LIBRARIES && !*device->library[0].name)
            continue;
        json_t *field = field_to_json(&fields[i], (const char *)device + fields[i].offset);
        complete &= json_object_set_new(json, fields[i].name, field) == 0;
    }
    return complete_or_null(json, complete);
}

static bool text_from_json(const struct field *field, char *member, const json_t *json, struct error *err)
{
    text_clean(member, field->bytes, json_string_value(json));
    if (field->required && !*member)
        return fail(err, STATUS_FAILED, "device: \"%s\" is empty", field->name);
    return true;
}

static bool count_from_json(const struct field *field, unsigned *member, const json_t *json, struct error *err)
{
    json_int_t value = json_integer_value(json);
    if (value < 0 || value > UINT_MAX)
        return fail(err, STATUS_FAILED, "device: \"%s\" is %lld, should be between 0 and %u", field->name,
                    (long long)value, UINT_MAX);
    *member = (unsigned)value;
    return true;
}

static bool number_from_json(const struct field *field, double *member, const json_t *json, struct error *err)
{
    double value = json_number_value(json);
    if (!isfinite(value) || value < 0)
        return fail(err, STATUS_FAILED, "device: \"%s\" is %g, should be 0 or more", field->name, value);
    *member = value;
    return true;
}

static bool class_from_json(const struct field *field, enum device_class *member, const json_t *json, struct error *err)
{
    unsigned found = name_find(json_string_value(json), class_names, CLASS_COUNT);
    if (found == CLASS_COUNT)
        return fail(err, STATUS_FAILED, "device: \"%s\" is \"%.40s\", should be CPU, iGPU, dGPU or accelerator",
                    field->name, json_string_value(json));
    *member = (enum device_class)found;
    return true;
}

/* Ignores unknown names of types, which this version could not use. */
static bool dtypes_from_json(const struct field *field, bool computes[DTYPE_COUNT], const json_t *json,
                             struct error *err)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *word = json_array_get(json, i);
        enum dtype dtype;
        if (!json_is_string(word))
            return fail(err, STATUS_FAILED, "device: item %zu of \"%s\" is not a text", i, field->name);
        if (dtype_parse(json_string_value(word), &dtype))
            computes[dtype] = true;
    }
    return true;
}

/* Ignores those without a name, and more than there is room for. */
static bool libraries_from_json(const struct field *field, struct device_library library[DEVICE_LIBRARIES_MAX],
                                const json_t *json, struct error *err)
{
    unsigned count = 0;
    for (size_t i = 0; i < json_array_size(json) && count < DEVICE_LIBRARIES_MAX; i++) {
        const json_t *object = json_array_get(json, i);
        if (!json_is_object(object))
            return fail(err, STATUS_FAILED, "device: item %zu of \"%s\" is not an object", i, field->name);
        for (unsigned k = 0; k < LIBRARY_FIELDS; k++) {
            const char *text = json_string_value(json_object_get(object, library_fields[k].name));
            text_clean((char *)&library[count] + library_fields[k].offset, library_fields[k].bytes, text ? text : "");
        }
        count += *library[count].name != '\0';
    }
    if (count < DEVICE_LIBRARIES_MAX)
        library[count] = (struct device_library){ .name = "" };
    return true;
}

/* The JSON type of each kind of field, as bits 1 << json_type. */
static const struct {
    unsigned types;
    const char *name;
} kinds[] = {
    [FIELD_TEXT] = { 1u << JSON_STRING, "a text" },
    [FIELD_COUNT] = { 1u << JSON_INTEGER, "a whole number" },
    [FIELD_NUMBER] = { 1u << JSON_INTEGER | 1u << JSON_REAL, "a number" },
    [FIELD_FLAG] = { 1u << JSON_TRUE | 1u << JSON_FALSE, "true or false" },
    [FIELD_CLASS] = { 1u << JSON_STRING, "a text" },
    [FIELD_DTYPES] = { 1u << JSON_ARRAY, "a list" },
    [FIELD_LIBRARIES] = { 1u << JSON_ARRAY, "a list" },
};

static bool field_from_json(const struct field *field, void *member, const json_t *json, struct error *err)
{
    if (!(kinds[field->kind].types & 1u << json_typeof(json)))
        return fail(err, STATUS_FAILED, "device: \"%s\" is not %s", field->name, kinds[field->kind].name);
    switch (field->kind) {
    case FIELD_TEXT:
        return text_from_json(field, member, json, err);
    case FIELD_COUNT:
        return count_from_json(field, member, json, err);
    case FIELD_NUMBER:
        return number_from_json(field, member, json, err);
    case FIELD_FLAG:
        *(bool *)member = json_is_true(json);
        return true;
    case FIELD_CLASS:
        return class_from_json(field, member, json, err);
    case FIELD_DTYPES:
        return dtypes_from_json(field, member, json, err);
    case FIELD_LIBRARIES:
        return libraries_from_json(field, member, json, err);
    }
    return false;
}

bool device_from_json(struct device *out, const json_t *json, struct error *err)
{
    struct device device = { .class = CLASS_CPU };
    if (!json_is_object(json))
        return fail(err, STATUS_FAILED, "device: not an object");
    for (unsigned i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(json, fields[i].name);
        bool is_absent = !value || json_is_null(value);
        if (is_absent && fields[i].required)
            return fail(err, STATUS_FAILED, "device: \"%s\" is missing", fields[i].name);
        if (!is_absent && !field_from_json(&fields[i], (char *)&device + fields[i].offset, value, err))
            return false;
    }
    *out = device;
    return true;
}
