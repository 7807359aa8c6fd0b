#include "harness/journal/schema.h"

#include "harness/base/text.h"
#include "tests/support/described.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <string.h>

/* A person, a host, a path, an address, a UUID and a serial number. */
static const char planted[] = "Ada Lovelace on thinkpad.example.org, /home/ada/x.so, ada@example.org, 10.1.2.3, "
                              "5f2e1c9a-0b1d-4e6f-8a7b-0c1d2e3f4a5b, S/N 0325017C55";

/* Where the schema lets a text be copied: names of hardware and software, and words of bench. Members of a kind follow
 * its name; of a member's own members each has the whole path. */
static const char public_texts[] =
    "journal.version journal.seed journal.options.device journal.options.workload journal.options.suite "
    "journal.options.size journal.options.dtype journal.options.method journal.options.memory "
    "journal.options.baseline journal.options.order journal.options.seed journal.options.format journal.host.name "
    "journal.host.vendor journal.host.os journal.host.hypervisor journal.host.features "
    "journal.host.clock_driver journal.host.threads_reason journal.host.clock_limit journal.host.isa "
    "journal.host.places journal.host.huge_pages journal.host.governor "
    "journal.host.energy journal.libraries.jansson journal.libraries.hwloc journal.libraries.openmp "
    "journal.libraries.opencl_loader journal.libraries.compiler device.id device.key device.backend device.name "
    "device.vendor device.platform device.api_version device.driver_version device.architecture device.clock_origin "
    "device.max_clock_origin device.features device.hypervisor device.ecc device.persistence device.computes "
    "device.libraries.name device.libraries.version device.silicon device.isa device.blas_core device.blas_better "
    "device.blas_bound absent.backend sweep.workload sweep.dtype sweep.shape sweep.unit sweep.dim sweep.baseline "
    "sweep.devices race.block race.device race.memory race.dtype race.contenders.method "
    "race.contenders.kernel_shape race.contenders.detail spent.block cell.key cell.block cell.device cell.workload "
    "cell.dtype "
    "cell.shape cell.method cell.kernel_shape cell.memory cell.items cell.tied_with cell.baseline "
    "cell.baseline_copied cell.repro baseline.cell chosen.cell chosen.instead_of measures.cell first.cell first.cache "
    "first.kernel_shape "
    "first.kernel_shapes first.detail first.wait verify.cell verify.checks.name state.cell "
    "state.governor state.gpu.reasons slice.cell slice.gpu.before.reasons slice.gpu.after.reasons "
    "meter.cell meter.gpu.reasons stop.cell stop.reason outcome.cell earlier.cell "
    "naive.cell done.block";

static struct schema *schema;
static json_t *description; /* the text of the schema */

extern const char schema_text[];

static json_t *extract_line(const struct schema *of, const json_t *line)
{
    json_t *copy = json_deep_copy(line);
    if (copy && schema_publish(of, copy))
        return copy;
    json_decref(copy);
    return NULL;
}

static void open_schema(void)
{
    schema = schema_open();
    description = json_loads(schema_text, 0, NULL);
    cr_assert(schema && description);
}

static void close_schema(void)
{
    schema_close(schema);
    json_decref(description);
}

TestSuite(schema, .init = open_schema, .fini = close_schema);

static json_t *filled(const json_t *part);

/* A value that has every member, with the planted text wherever a text may be. */
static json_t *value_of(const json_t *part)
{
    const json_t *types = json_object_get(part, "type"), *words = json_object_get(part, "enum");
    if (words || json_object_get(part, "const"))
        return json_deep_copy(words ? json_array_get(words, 0) : json_object_get(part, "const"));
    if (json_is_string(json_object_get(part, "publish")))
        return json_string("2026-11-21T20:52:46Z");
    if (described_lists(types, "string"))
        return json_string(planted);
    if (described_lists(types, "boolean"))
        return json_true();
    if (described_lists(types, "integer") || described_lists(types, "number"))
        return json_integer(1);
    if (described_lists(types, "array"))
        return json_pack("[o]", filled(json_object_get(part, "items")));
    json_t *object = json_object();
    const char *name;
    json_t *member;
    json_object_foreach (json_object_get(part, "properties"), name, member)
        json_object_set_new(object, name, filled(member));
    if (json_object_get(part, "additionalProperties"))
        json_object_set_new(object, planted, filled(json_object_get(part, "additionalProperties")));
    return object;
}

static json_t *filled(const json_t *part)
{
    json_t *meant = described_whole(description, part), *value = value_of(meant);
    json_decref(meant);
    return value;
}

static json_t *filled_line(const json_t *kind)
{
    json_t *line = filled(json_object_get(kind, "then"));
    const json_t *properties = json_object_get(json_object_get(kind, "if"), "properties");
    json_object_set(line, "line", json_object_get(json_object_get(properties, "line"), "const"));
    return line;
}

/* Fails where a text of this value is planted and is not in the list. Returns how many are. */
static unsigned expect_public(const char *path, const json_t *value)
{
    size_t i;
    char below[200];
    const char *name;
    json_t *each;
    unsigned count = 0;
    json_array_foreach (value, i, each)
        count += expect_public(path, each);
    json_object_foreach ((json_t *)value, name, each) {
        snprintf(below, sizeof below, "%s.%s", path, name);
        count += expect_public(below, each);
        cr_expect(!strstr(name, "ada"), "%s", below);
    }
    if (!json_is_string(value) || strcmp(json_string_value(value), planted) != 0)
        return count;
    cr_expect(text_has_word(public_texts, path), "a text is copied from %s", path);
    return 1;
}

/* In every line, with every member that the schema describes. */
Test(schema, what_was_planted_is_only_in_names)
{
    size_t i;
    const json_t *kind;
    unsigned found = 0, wanted = 1;
    json_array_foreach (json_object_get(description, "allOf"), i, kind) {
        json_t *line = filled_line(kind), *copy = extract_line(schema, line);
        const char *name = json_string_value(json_object_get(line, "line"));
        cr_expect_eq(copy == NULL, strcmp(name, "note") == 0, "%s", name);
        char *text = json_dumps(copy ? copy : json_null(), JSON_ENCODE_ANY);
        cr_expect_not(strstr(text, "20:52"), "%s has the time of day", name);
        found += expect_public(name, copy);
        free(text);
        json_decref(copy);
        json_decref(line);
    }
    for (const char *c = public_texts; *c; c++)
        wanted += *c == ' ';
    cr_expect_eq(found, wanted, "%u texts are copied, and the list has %u", found, wanted);
}

/* And once more: what was copied is copied whole. */
Test(schema, a_line_is_copied_as_far_as_the_schema_describes_it)
{
    static const char *const rows[][2] = {
        /* members that the schema does not describe */
        { "{'line':'end','status':'complete','elapsed_ns':5,'user':5}",
          "{'line':'end','status':'complete','elapsed_ns':5}" },
        { "{'line':'first','cell':'a','memory_cost':{'peak_host':1,'owner':2}}",
          "{'line':'first','cell':'a','memory_cost':{'peak_host':1}}" },
        /* a text where it has none, and a number beyond its limits */
        { "{'line':'end','status':'complete','elapsed_ns':'ada','probes_ns':null}",
          "{'line':'end','status':'complete','probes_ns':null}" },
        { "{'line':'device','id':'a','key':'a','backend':'b','class':'CPU','name':{'by':'ada'},'computes':[['ada'],{'a'"
          ":"
          "1},'f32']}",
          "{'line':'device','id':'a','key':'a','backend':'b','class':'CPU','computes':['f32']}" },
        { "{'line':'end','status':'complete','elapsed_ns':-5}", "{'line':'end','status':'complete'}" },
        /* a required member is not there */
        { "{'line':'end','status':'by ada'}", "" },
        { "{'line':'note','cell':'','text':'by ada'}", "" },
        { "{'line':'verify','cell':'a','pass':'after','checks':[{'name':'exact'}]}",
          "{'line':'verify','cell':'a','pass':'after','checks':[]}" },
        /* of a date the day */
        { "{'line':'journal','schema':'bench-journal/3','version':'1','started':'2026-11-21T20:52:46Z'}",
          "{'line':'journal','schema':'bench-journal/3','version':'1','started':'2026-11-21'}" },
        { "{'line':'journal','schema':'bench-journal/3','version':'1','started':'by Ada Lovelace'}", "" },
        /* no kind that is known */
        { "{}", "" },
        { "[]", "" },
        { "{'line':5}", "" },
        { "{'line':'x','text':'ada'}", "" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *from = parsed(rows[i][0]), *want = *rows[i][1] ? parsed(rows[i][1]) : NULL;
        json_t *once = extract_line(schema, from), *twice = once ? extract_line(schema, once) : NULL;
        cr_expect(want ? json_equal(once, want) : !once, "%s", rows[i][0]);
        cr_expect(want ? json_equal(twice, want) : !twice, "%s, again", rows[i][0]);
        json_decref(twice);
        json_decref(once);
        json_decref(want);
        json_decref(from);
    }
}
