#include "bench/worker/request.h"

#include "harness/journal/journal.h"

#include <string.h>

/* --- requests --- */

static const struct field list_rows[] = {
    FIELD(struct request, backend),
    FIELD(struct request, source),
};
static const struct fields list_asked = FIELDS(struct request, list_rows, 2);

/* Beside the device and the seed, which may be larger than what a double has. */
static const struct field cell_rows[] = {
    FIELD(struct request, workload), FIELD(struct request, shape),        FIELD(struct request, dtype),
    FIELD(struct request, method),   FIELD(struct request, kernel_shape), FIELD(struct request, memory),
    FIELD(struct request, threads),  FIELD(struct request, flush),
};
static const struct fields cell_asked = FIELDS(struct request, cell_rows, 0);

static const struct field shape_asked_rows[] = { FIELD(struct request, kernel_shape) };
static const struct fields shape_asked = FIELDS(struct request, shape_asked_rows, 1);

static const struct field pass_rows[] = { WORD("pass", struct request, pass, when_names, WHENS, WHEN_AFTER) };
static const struct fields pass_asked = FIELDS(struct request, pass_rows, 1);

static const struct field slice_rows[] = {
    WORD("series", struct request, series, series_names, SERIES_COUNT, SERIES_COUNT),
    SECONDS_AS("ns", struct request, seconds),
    FIELD(struct request, phased),
    FIELD(struct request, events),
    FIELD(struct request, watch),
};
static const struct fields series_asked = { slice_rows, 1, 1, sizeof(struct request) };
static const struct fields slice_asked = FIELDS(struct request, slice_rows, 2);

static const struct fields nothing = { .count = 0 };

/* --- replies --- */

static const struct field listed_rows[] = { FIELD(struct reply, listed.reason) };
static const struct fields listed_replied = FIELDS(struct reply, listed_rows, 0);

static const struct field shape_rows[] = {
    SECONDS_AS("compile_ns", struct reply, shape.compile),
    FIELD_AS("detail", struct reply, shape.detail),
};
static const struct fields shape_replied = FIELDS(struct reply, shape_rows, 0);

static const struct field warmup_rows[] = { SECONDS_AS("wall_ns", struct reply, warmup) };
static const struct fields warmup_replied = FIELDS(struct reply, warmup_rows, 0);

static const struct field due_rows[] = {
    INLINE(struct reply, slice, slice_fields),
    FIELD_AS("check_due", struct reply, is_due),
};
static const struct fields slice_replied = FIELDS(struct reply, due_rows, 0);

static const struct field reply_rows[] = {
    FIELD(struct reply, ok),
    SECONDS(struct reply, took),
};
static const struct fields reply_fields = FIELDS(struct reply, reply_rows, 1);

static const struct field failure_rows[] = {
    WORD("status", struct reply, error.status, status_names, STATUS_COUNT, STATUS_FAILED),
    FIELD_AS("where", struct reply, error.where),
    FIELD_AS("message", struct reply, error.message),
};
static const struct fields failure_fields = FIELDS(struct reply, failure_rows, 1);

#define REPLIED(fields, member) &(fields), offsetof(struct reply, member)

const struct request_form request_forms[REQUESTS] = {
    [ASK_LIST] = { "list", "the listing of devices", &list_asked, &listed_replied, 0 },
    [ASK_START] = { "start", "the opening of the device", &cell_asked, &nothing, 0 },
    [ASK_OPEN] = { "open", "the preparation of the method", &cell_asked, REPLIED(first_fields, first) },
    [ASK_KERNEL_SHAPE] = { "kernel_shape", "the preparation of a kernel shape", &shape_asked, &shape_replied, 0 },
    [ASK_NAIVE] = { "naive", "the naive first use", &cell_asked, REPLIED(naive_fields, naive) },
    [ASK_VERIFY] = { "verify", "the verification of results", &pass_asked, REPLIED(verify_fields, verify) },
    [ASK_WARMUP] = { "warmup", "the warm-up", &series_asked, &warmup_replied, 0 },
    [ASK_STATE] = { "state", "a reading of the machine's state", &nothing, REPLIED(state_fields, state) },
    [ASK_SLICE] = { "slice", "the timed runs", &slice_asked, &slice_replied, 0 },
    [ASK_CHECK] = { "check", "the check of a timed run", &series_asked, REPLIED(slice_check_fields, check) },
    [ASK_METER] = { "meter", "the measurement of energy", &slice_asked, REPLIED(meter_fields, meter) },
    [ASK_CLOSE] = { "close", "the closing of the device", &nothing, &nothing, 0 },
};

bool request_has_series(const struct request *request)
{
    const struct fields *asked = request_forms[request->kind].asked;
    return asked == &series_asked || asked == &slice_asked;
}

json_t *request_to_json(const struct request *request)
{
    const struct request_form *form = &request_forms[request->kind];
    json_t *json = fields_to_json(request, form->asked);
    json_object_set_new(json, "do", json_string(form->name));
    if (form->asked == &cell_asked) {
        json_object_set_new(json, "device", device_to_json(request->device));
        json_object_set_new(json, "seed", json_integer((json_int_t)request->seed));
    }
    return json;
}

bool request_from_json(struct request *out, const json_t *json, struct pool *pool, struct error *err)
{
    const char *name = journal_text(json, "do");
    *out = (struct request){ .kind = 0 };
    while (out->kind < REQUESTS && strcmp(request_forms[out->kind].name, name) != 0)
        out->kind++;
    if (out->kind == REQUESTS)
        return fail(err, STATUS_USAGE, "no such request: '%s'", name);
    const struct fields *asked = request_forms[out->kind].asked;
    fields_forget(out, asked);
    fields_from_json(out, asked, json, pool);
    if (request_has_series(out) && out->series == SERIES_COUNT)
        return fail(err, STATUS_USAGE, "no such series: '%s'", journal_text(json, "series"));
    if (asked != &cell_asked)
        return true;
    struct device *device = pool_take(pool, sizeof *device);
    out->device = device;
    out->seed = (uint64_t)json_integer_value(json_object_get(json, "seed"));
    return device ? device_from_json(device, json_object_get(json, "device"), err)
                  : fail(err, STATUS_NO_MEMORY, "no memory for a request");
}

struct reply reply_unknown(enum request_kind kind)
{
    struct reply reply = { .kind = kind };
    fields_forget((char *)&reply + request_forms[kind].replied_at, request_forms[kind].replied);
    return reply;
}

void reply_release(struct reply *reply)
{
    pool_release(&reply->pool);
    *reply = reply_unknown(reply->kind);
}

json_t *reply_to_json(const struct reply *reply)
{
    const struct request_form *form = &request_forms[reply->kind];
    json_t *json = fields_to_json(reply, &reply_fields);
    json_object_update_new(json, reply->ok ? fields_to_json((const char *)reply + form->replied_at, form->replied)
                                           : fields_to_json(reply, &failure_fields));
    if (reply->ok && reply->kind == ASK_LIST)
        json_object_set_new(json, "devices", reply->listed.devices);
    return json;
}

void reply_from_json(struct reply *out, enum request_kind kind, const json_t *json)
{
    const struct request_form *form = &request_forms[kind];
    *out = reply_unknown(kind);
    fields_from_json(out, &reply_fields, json, NULL);
    if (out->ok)
        fields_from_json((char *)out + form->replied_at, form->replied, json, &out->pool);
    else
        fields_from_json(out, &failure_fields, json, NULL);
    if (kind == ASK_LIST)
        out->listed.devices = json_incref(json_object_get(json, "devices"));
}
