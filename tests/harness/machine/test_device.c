#include "harness/machine/device.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static bool parse(const char *text, struct device *out, struct error *err)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    cr_assert(json, "the test's own JSON is broken: %s", text);
    bool read = device_from_json(out, json, err);
    json_decref(json);
    return read;
}

#define IDENTITY "\"id\":\"cpu\",\"key\":\"cpu/x\",\"backend\":\"cpu\",\"class\":\"CPU\""

/* Every member, in a line as it is written. */
static const char whole[] =
    "{\"id\":\"opencl:1\",\"key\":\"opencl/Intel/UHD-620/"
    "0000:00:02.0\",\"backend\":\"opencl\",\"source\":\"intel.icd\","
    "\"index\":1,\"peers\":2,\"name\":\"UHD Graphics 620\",\"vendor\":\"Intel\",\"platform\":\"OpenCL Graphics\","
    "\"api_version\":\"OpenCL 3.0\",\"driver_version\":\"23.35\",\"class\":\"iGPU\",\"architecture\":\"intel gen9\","
    "\"units\":24,\"lanes\":8,\"clock\":1.15e9,\"clock_origin\":\"reported maximum\",\"max_clock\":1.1e9,"
    "\"max_clock_origin\":\"gt_RP0_freq_mhz\",\"max_clock_is_limit\":true,\"features\":\"avx2\",\"hypervisor\":\"KVM\","
    "\"cache\":786432.0,\"core_cache\":262144.0,\"memory_clock\":1.2e9,\"memory_width\":128,\"power_limit\":350.0,"
    "\"ecc\":\"on\",\"persistence\":\"off\",\"memory\":6.5e9,\"largest_buffer\":4294959104.0,"
    "\"shares_host_memory\":true,\"works_in_host_memory\":true,\"takes_one_process\":true,\"computes\":[\"f32\"],"
    "\"silicon\":\"pci 0000:00:02.0\",\"isa\":\"x\",\"blas_core\":\"a\",\"blas_better\":\"b\",\"blas_bound\":\"c\","
    "\"threads\":3,\"note\":\"a "
    "note\",\"libraries\":[{\"name\":\"cuBLAS\",\"version\":\"13.1.0\",\"path\":\"/usr/lib/l\","
    "\"trouble\":\"old\"}]}";

static struct device example(void)
{
    struct device device;
    struct error err = { 0 };
    cr_assert(parse(whole, &device, &err), "%s", err.message);
    return device;
}

Test(device, what_is_written_is_read_back_member_for_member)
{
    struct device device = example();
    const char *name;
    json_t *wanted, *json = device_to_json(&device), *all = json_loads(whole, 0, NULL);
    json_object_foreach (all, name, wanted) {
        const json_t *got = json_object_get(json, name);
        cr_expect(json_is_number(wanted) ? json_number_value(got) == json_number_value(wanted)
                                         : json_equal(got, wanted),
                  "%s", name);
    }
    cr_expect_eq(json_object_size(json), json_object_size(all), "a member is not in the test's own line");
    cr_expect(device.index == 1 && device.clock == 1.15e9 && device.class == CLASS_IGPU && device.max_clock_is_limit);
    cr_expect(device.computes[DTYPE_F32] && !device.computes[DTYPE_F64] && !*device.library[1].name);
    cr_expect_str_eq(device.library[0].trouble, "old");
    json_decref(json);
    json_decref(all);
}

Test(device, small_types_are_computed_where_their_sums_are)
{
    for (unsigned has = 0; has < 2; has++) {
        struct device device = { .computes = { [DTYPE_F32] = has, [DTYPE_F64] = true } };
        device_computes_small(&device);
        for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
            cr_expect_eq(device.computes[dtype], dtype == DTYPE_F64 || has, "%s", dtype_name(dtype));
    }
}

Test(device, devices_of_one_chip_name_its_silicon)
{
    const struct device one = { .silicon = "pci 1" }, same = { .silicon = "pci 1" }, other = { .silicon = "pci 2" },
                        none = { .silicon = "" }, neither = { .silicon = "" };
    cr_expect(device_same_silicon(&one, &same) && device_same_silicon(&none, &none));
    cr_expect(!device_same_silicon(&one, &other) && !device_same_silicon(&none, &neither));
}

Test(device, libraries_are_checked_like_all_members)
{
    struct device device;
    struct error err = { 0 };
    char text[2000] = "{" IDENTITY ",\"libraries\":[{\"version\":\"1\"},{\"name\":\"a\\u001b[2Jb\",\"path\":7}";
    for (unsigned i = 0; i < 2 * DEVICE_LIBRARIES_MAX; i++)
        strcat(text, ",{\"name\":\"c\"}");
    cr_assert(parse(strcat(text, "]}"), &device, &err), "%s", err.message);
    cr_expect_str_eq(device.library[0].name, "a [2Jb");
    cr_expect(!*device.library[0].version && !*device.library[0].path);
    cr_expect_str_eq(device.library[DEVICE_LIBRARIES_MAX - 1].name, "c");
    cr_assert(parse("{" IDENTITY ",\"libraries\":7,\"computes\":{\"f32\":1}}", &device, &err));
    cr_assert(parse("{" IDENTITY ",\"libraries\":[7],\"computes\":[1]}", &device, &err));
    cr_expect(!*device.library[0].name && !device.computes[DTYPE_F32]);
}

Test(device, a_garbage_name_from_a_driver_gives_valid_json)
{
    struct device device = example(), again;
    struct error err = { 0 };
    strcpy(device.name, "\xff\x1b[2J bad\n\nname");
    device.clock = NAN;
    device.memory = INFINITY;
    json_t *json = device_to_json(&device);
    char *text = json_dumps(json, 0);
    cr_assert(text);
    cr_assert(device_from_json(&again, json, &err), "%s", err.message);
    cr_expect(strcmp(again.name, "? [2J bad name") == 0, "%s", again.name);
    cr_expect(again.clock == 0 && again.memory == 0, "unknown numbers are 0");
    free(text);
    json_decref(json);
}

Test(device, absent_members_are_unknown_and_unknown_ones_ignored)
{
    struct device device = example();
    struct error err = { 0 };
    cr_assert(parse("{" IDENTITY ",\"line\":\"device\",\"colour\":{\"a\":[]},\"note\":null}", &device, &err), "%s",
              err.message);
    cr_expect(strcmp(device.id, "cpu") == 0);
    cr_expect(!*device.name && !*device.note && device.units == 0 && device.clock == 0 && !device.computes[0]);
}

Test(device, texts_from_outside_are_cleaned_and_cut)
{
    struct device device;
    struct error err = { 0 };
    char text[4096];
    snprintf(text, sizeof text, "{" IDENTITY ",\"name\":\"\\u001b[31m%0*d\",\"note\":\"a\\u0000b\"}", 2000, 7);
    cr_assert(parse(text, &device, &err), "%s", err.message);
    cr_expect(strlen(device.name) == sizeof device.name - 1);
    cr_expect(strncmp(device.name, "[31m000", 7) == 0, "%s", device.name);
    cr_expect(strcmp(device.note, "a") == 0);
}

Test(device, whole_numbers_are_numbers_and_unknown_types_are_ignored)
{
    struct device device;
    struct error err = { 0 };
    cr_assert(parse("{" IDENTITY ",\"memory\":16,\"units\":4294967295,\"computes\":[\"f64\",\"f128\"]}", &device, &err),
              "%s", err.message);
    cr_expect(device.memory == 16 && device.units == 4294967295u);
    cr_expect(!device.computes[DTYPE_F32] && device.computes[DTYPE_F64]);
}

Test(device, without_what_identifies_it_a_device_is_refused_and_nothing_is_changed)
{
    static const struct {
        const char *json, *named;
    } cases[] = {
        { "[]", "object" },
        { "null", "object" },
        { "17", "object" },
        { "{}", "\"id\" is missing" },
        { "{\"id\":\"cpu\",\"backend\":\"cpu\",\"class\":\"CPU\"}", "\"key\" is missing" },
        { "{\"id\":\"cpu\",\"key\":\"cpu\",\"class\":\"CPU\"}", "\"backend\" is missing" },
        { "{\"id\":\"cpu\",\"key\":\"cpu\",\"backend\":\"cpu\"}", "\"class\"" },
        { "{\"id\":\" \\n\",\"key\":\"k\",\"backend\":\"cpu\",\"class\":\"CPU\"}", "\"id\" is missing" },
        { "{\"id\":7,\"key\":\"k\",\"backend\":\"cpu\",\"class\":\"CPU\"}", "\"id\"" },
        { "{\"id\":\"c\",\"key\":\"k\",\"backend\":\"cpu\",\"class\":\"GPU\"}", "\"class\"" },
        { "{\"id\":\"c\",\"key\":\"k\",\"backend\":\"cpu\",\"class\":2}", "\"class\"" },
    };
    struct device before = example(), device = example();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = { 0 };
        cr_expect(!parse(cases[i].json, &device, &err), "%s was taken", cases[i].json);
        cr_expect(err.status == STATUS_FAILED);
        cr_expect(strstr(err.message, cases[i].named), "%s: \"%s\" does not name %s", cases[i].json, err.message,
                  cases[i].named);
        cr_expect(memcmp(&before, &device, sizeof device) == 0, "%s changed the device", cases[i].json);
    }
    struct error err = { 0 };
    cr_expect(!device_from_json(&device, NULL, &err));
}

Test(device, members_of_a_wrong_type_are_unknown)
{
    static const char *const members[] = {
        "\"name\":[]",     "\"units\":-1",       "\"units\":4294967296", "\"units\":2.5",
        "\"index\":\"0\"", "\"clock\":\"fast\"", "\"memory\":-5e9",      "\"shares_host_memory\":1",
    };
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++) {
        char text[200];
        struct device device;
        struct error err = { 0 };
        snprintf(text, sizeof text, "{" IDENTITY ",%s}", members[i]);
        cr_assert(parse(text, &device, &err), "%s: %s", text, err.message);
        cr_expect(!*device.name && device.units == 0 && device.index == 0 && device.clock == 0 && device.memory == 0 &&
                      !device.shares_host_memory,
                  "%s", text);
    }
}

Test(device, names_are_parsed_back)
{
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        cr_expect_eq(dtype_parse(dtype_name((enum dtype)i)), i);
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        cr_expect_eq(memory_parse(memory_names[i]), i);
    cr_expect(dtype_parse("F32") == DTYPE_COUNT && memory_parse("map") == MEMORY_COUNT);
    cr_expect(1.0 + 2 * dtype_roundoff(DTYPE_F64) > 1.0 && 1.0 + dtype_roundoff(DTYPE_F64) == 1.0);
    cr_expect((float)(1.0 + 2 * dtype_roundoff(DTYPE_F32)) > 1.0f);
}

Test(device, a_key_is_one_word_whatever_it_is_made_of)
{
    struct device device;
    device_key_write(&device, "cpu/A, B  (C),D");
    cr_expect_str_eq(device.key, "cpu/A-B-(C)-D");
    char endless[2 * sizeof device.key] = { 0 };
    memset(endless, 'x', sizeof endless - 1);
    device_key_write(&device, endless);
    cr_expect_eq(strlen(device.key), sizeof device.key - 1);
}
