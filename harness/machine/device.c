#include "harness/machine/device.h"

#include "harness/base/fields.h"

#include <string.h>

const char *const class_names[CLASS_COUNT] = { "CPU", "iGPU", "dGPU", "accelerator" };
const char *const memory_names[] = { "pageable", "pinned", "mapped", "mapped-copy", NULL };

bool class_is_gpu(enum device_class class)
{
    return class == CLASS_IGPU || class == CLASS_DGPU;
}

bool device_same_silicon(const struct device *one, const struct device *other)
{
    return one == other || (*one->silicon && strcmp(one->silicon, other->silicon) == 0);
}

struct text device_api(const struct device *device)
{
    const char *version = *device->api_version ? device->api_version : device->backend;
    return text_print("%.*s", (int)strcspn(version, " "), version);
}

void device_computes_small(struct device *device)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (dtype_sums(dtype) != dtype)
            device->computes[dtype] = device->computes[DTYPE_F32];
}

enum memory memory_parse(const char *word)
{
    return (enum memory)name_find(word, memory_names, MEMORY_COUNT);
}

bool memory_is_mapped(enum memory memory)
{
    return memory == MEMORY_MAPPED || memory == MEMORY_MAPPED_COPY;
}

void device_key_write(struct device *device, const char *text)
{
    if (!*device->name)
        text_copy(device->name, sizeof device->name, "a device without a name");
    char *to = device->key, *const end = to + sizeof device->key - 1;
    for (const char *from = text; *from && to < end; from++) {
        bool is_plain = *from != ' ' && *from != ',';
        if (is_plain || (to > device->key && to[-1] != '-'))
            *to++ = is_plain ? *from : '-';
    }
    *to = '\0';
}

/* The members of a device that are plain. */
static const struct field fields[] = {
    FIELD(struct device, id),
    FIELD(struct device, key),
    FIELD(struct device, backend),
    FIELD(struct device, source),
    FIELD(struct device, index),
    FIELD(struct device, peers),
    FIELD(struct device, name),
    FIELD(struct device, vendor),
    FIELD(struct device, platform),
    FIELD(struct device, api_version),
    FIELD(struct device, driver_version),
    FIELD(struct device, architecture),
    FIELD(struct device, units),
    FIELD(struct device, lanes),
    FIELD(struct device, clock),
    FIELD(struct device, clock_origin),
    FIELD(struct device, max_clock),
    FIELD(struct device, max_clock_origin),
    FIELD(struct device, max_clock_is_limit),
    FIELD(struct device, features),
    FIELD(struct device, hypervisor),
    FIELD(struct device, cache),
    FIELD(struct device, core_cache),
    FIELD(struct device, memory_clock),
    FIELD(struct device, memory_width),
    FIELD(struct device, power_limit),
    FIELD(struct device, ecc),
    FIELD(struct device, persistence),
    FIELD(struct device, memory),
    FIELD(struct device, largest_buffer),
    FIELD(struct device, shares_host_memory),
    FIELD(struct device, works_in_host_memory),
    FIELD(struct device, takes_one_process),
    FIELD(struct device, silicon),
    FIELD(struct device, isa),
    FIELD(struct device, blas_core),
    FIELD(struct device, blas_better),
    FIELD(struct device, blas_bound),
    FIELD(struct device, threads),
    FIELD(struct device, note),
    WORD("class", struct device, class, class_names, CLASS_COUNT, CLASS_COUNT),
};
static const struct fields device_fields = FIELDS(struct device, fields, sizeof fields / sizeof *fields);

/* All texts. */
static const struct field library_fields[] = {
    FIELD(struct device_library, name),
    FIELD(struct device_library, version),
    FIELD(struct device_library, path),
    FIELD(struct device_library, trouble),
};
static const struct fields device_library_fields = FIELDS(struct device_library, library_fields, 0);

json_t *device_to_json(const struct device *device)
{
    json_t *json = fields_to_json(device, &device_fields), *computes = json_array(), *libraries = json_array();
    bool complete = json != NULL;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (device->computes[dtype])
            complete &= json_array_append_new(computes, json_string(dtype_name(dtype))) == 0;
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++)
        complete &= json_array_append_new(libraries, fields_to_json(&device->library[i], &device_library_fields)) == 0;
    complete &= json_object_set_new(json, "computes", computes) == 0;
    complete &= !*device->library[0].name || json_object_set(json, "libraries", libraries) == 0;
    json_decref(libraries);
    if (complete)
        return json;
    json_decref(json);
    return NULL;
}

bool device_from_json(struct device *out, const json_t *json, struct error *err)
{
    struct device device = { .class = CLASS_COUNT };
    const json_t *item;
    size_t i;
    unsigned libraries = 0;
    if (!json_is_object(json))
        return fail(err, STATUS_FAILED, "device: not an object");
    fields_from_json(&device, &device_fields, json, NULL);
    if (!*device.id || !*device.key || !*device.backend)
        return fail(err, STATUS_FAILED, "device: \"%s\" is missing",
                    !*device.id    ? "id"
                    : !*device.key ? "key"
                                   : "backend");
    if (device.class == CLASS_COUNT)
        return fail(err, STATUS_FAILED, "device: \"class\" is none of CPU, iGPU, dGPU and accelerator");
    /* Of unknown types, of which this version could not use any, and of libraries without a name nothing is kept. */
    json_array_foreach (json_object_get(json, "computes"), i, item) {
        const enum dtype dtype = json_is_string(item) ? dtype_parse(json_string_value(item)) : DTYPE_COUNT;
        if (dtype < DTYPE_COUNT)
            device.computes[dtype] = true;
    }
    json_array_foreach (json_object_get(json, "libraries"), i, item) {
        struct device_library library = { .name = "" };
        fields_from_json(&library, &device_library_fields, item, NULL);
        if (*library.name && libraries < DEVICE_LIBRARIES_MAX)
            device.library[libraries++] = library;
    }
    *out = device;
    return true;
}
