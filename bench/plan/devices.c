#include "bench/plan/devices.h"

#include "bench/backends/registry.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void add_absent(struct listing *out, const struct backend *backend, const char *source, const struct error *why)
{
    json_array_append_new(out->absent, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "line", "absent", "backend",
                                                 backend->name, "source", source, "status", status_names[why->status],
                                                 "where", why->where, "reason", why->message));
}

/* Devices are numbered within their backend, over all its sources. */
static void add_device(struct listing *out, const struct backend *backend, const char *source, const json_t *json)
{
    struct error err = { .status = STATUS_OK };
    char id[sizeof out->device->id];
    unsigned number = 0;
    for (unsigned i = 0; i < out->devices; i++)
        number += strcmp(out->device[i].backend, backend->name) == 0;
    snprintf(id, sizeof id, "%s:%u", backend->name, number);
    if (backend->one_device)
        text_copy(id, sizeof id, backend->name);

    json_t *named = json_deep_copy(json);
    json_object_set_new(named, "id", json_string(id));
    json_object_set_new(named, "backend", json_string(backend->name));
    json_object_set_new(named, "source", json_string(source));
    if (out->devices == DEVICES_MAX)
        fail(&err, STATUS_UNSUPPORTED, "more than %d devices: the rest is left out", DEVICES_MAX);
    else if (!out->device)
        fail(&err, STATUS_NO_MEMORY, "no memory for a list of devices");
    else if (device_from_json(&out->device[out->devices], named, &err))
        out->devices++;
    if (err.status != STATUS_OK)
        add_absent(out, backend, source, &err);
    json_decref(named);
}

/* False, with the reason, if the source has no device. */
static bool list_source(struct listing *out, const struct backend *backend, const char *source, struct error *err)
{
    struct client *client = client_start(&out->setup, false, -1, err);
    struct reply reply = reply_unknown(ASK_LIST);
    const struct request request = { .kind = ASK_LIST, .backend = backend->name, .source = source };
    const bool is_listed = client && client_ask(client, &request, 0, &reply, err);
    const json_t *device;
    size_t i;
    json_array_foreach (reply.listed.devices, i, device)
        add_device(out, backend, source, device);
    if (is_listed && json_array_size(reply.listed.devices) == 0)
        fail(err, STATUS_UNSUPPORTED, "%s", reply.listed.reason);
    json_decref(reply.listed.devices);
    reply_release(&reply);
    if (backend->stays_after_listing && err->status == STATUS_OK && out->staying < STAYING_MAX)
        out->stays[out->staying++] = client;
    else
        client_end(client, NULL);
    return err->status == STATUS_OK;
}

/* The API finds drivers in its own way: where the sources have no device it is asked as it is, by the source "", unless
 * they could not be read. */
static void list_backend(struct listing *out, const struct backend *backend)
{
    struct source source[SOURCES_MAX] = { { "" } };
    struct error none = { .status = STATUS_OK }, err = none;
    const unsigned before = out->devices, count = backend->sources ? backend->sources(source, SOURCES_MAX, &none) : 1;
    for (unsigned i = 0; i < count; i++) {
        struct error why = { .status = STATUS_OK };
        if (!list_source(out, backend, source[i].text, &why))
            add_absent(out, backend, source[i].text, &why);
    }
    if (status_is_bad(none.status))
        add_absent(out, backend, "", &none);
    else if ((count == 0 ? none.status != STATUS_OK : backend->sources != NULL) && out->devices == before &&
             !list_source(out, backend, "", &err) && count == 0)
        add_absent(out, backend, "", status_is_bad(err.status) ? &err : &none);
}

void listing_read(struct listing *out, const struct worker_setup *setup)
{
    *out = (struct listing){
        .device = calloc(DEVICES_MAX, sizeof *out->device),
        .absent = json_array(),
        /* Unpinned: a worker pinned to one core would take that for the whole machine. */
        .setup = { .timeout = setup->timeout, .interrupt = setup->interrupt },
    };
    for (const struct backend *const *backend = backends; *backend; backend++)
        list_backend(out, *backend);
}

void listing_free(struct listing *listing)
{
    for (unsigned i = 0; i < listing->staying; i++)
        client_end(listing->stays[i], NULL);
    json_decref(listing->absent);
    free(listing->device);
    *listing = (struct listing){ .devices = 0 };
}

struct text listing_absent_words(const json_t *absent)
{
    const char *source = journal_text(absent, "source");
    return text_print("none%s%s: %s", *source ? " from " : "", source, journal_text(absent, "reason"));
}

const struct device *listing_find(const struct listing *listing, const char *id)
{
    for (unsigned i = 0; i < listing->devices; i++)
        if (strcmp(listing->device[i].id, id) == 0)
            return &listing->device[i];
    return NULL;
}

const struct device *listing_twin(const struct listing *listing, const struct device *device)
{
    for (unsigned i = 0; i < listing->devices && &listing->device[i] != device; i++)
        if (device_same_silicon(&listing->device[i], device))
            return &listing->device[i];
    return NULL;
}

/* A word that is an id chooses that device alone, even if it is part of another name. */
static bool matches(const struct listing *listing, const struct device *device, const char *word)
{
    if (listing_find(listing, word))
        return strcmp(device->id, word) == 0;
    if (strcmp(device->backend, word) == 0)
        return true;
    if (backend_find(device->backend)->only_if_named)
        return false;
    if (strcmp(word, "all") == 0)
        return true;
    if (strcmp(word, "gpu") == 0)
        return class_is_gpu(device->class);
    return strcasestr(device->name, word) != NULL;
}

/* Why the backend that the word names ("cuda", "CUDA:0") has no device: what failed, before what is only not there.
 * NULL if it has one or the word names no backend. */
static const json_t *find_absent(const struct listing *listing, const char *word)
{
    size_t i, length = strcspn(word, ":");
    const json_t *absent, *found = NULL;
    for (unsigned d = 0; d < listing->devices; d++)
        if (strncasecmp(listing->device[d].backend, word, length) == 0)
            return NULL;
    json_array_foreach (listing->absent, i, absent) {
        const char *name = journal_text(absent, "backend");
        const bool is_bad = status_is_bad(status_parse(journal_text(absent, "status")));
        if (strlen(name) == length && strncasecmp(name, word, length) == 0 &&
            (!found || (is_bad && !status_is_bad(status_parse(journal_text(found, "status"))))))
            found = absent;
    }
    return found;
}

static bool nothing_matches(const struct listing *listing, const char *option, const char *word, struct error *err)
{
    const char *known[DEVICES_MAX + 1] = { NULL };
    const json_t *absent = listing->devices == 0 ? json_array_get(listing->absent, 0) : find_absent(listing, word);
    const char *source = journal_text(absent, "source"), *reason = journal_text(absent, "reason");
    char ids[120] = "";
    if (listing->devices == 0)
        return fail(err, STATUS_UNSUPPORTED, "no device could be listed: %s: %s", journal_text(absent, "backend"),
                    reason);
    for (unsigned i = 0; i < listing->devices; i++) {
        known[i] = listing->device[i].id;
        text_join(ids, sizeof ids, ", ", known[i]);
    }
    if (absent)
        return fail(err, STATUS_UNSUPPORTED, "%s %.20s: no device%s%.100s: %s; there is %s", option, word,
                    *source ? " from " : "", source, reason, ids);
    const char *near = text_nearest(word, known);
    return fail(err, STATUS_UNSUPPORTED, "%s: '%.40s' matches no device; there is %s%s%s%s", option, word, ids,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

bool listing_has_gpu(const struct listing *listing)
{
    for (unsigned i = 0; i < listing->devices; i++)
        if (listing->device[i].class != CLASS_CPU && matches(listing, &listing->device[i], "all"))
            return true;
    return false;
}

bool listing_select(const struct listing *listing, const char *option, const char *const words[],
                    bool chosen[DEVICES_MAX], struct error *err)
{
    const bool has_gpu = listing_has_gpu(listing);
    memset(chosen, 0, DEVICES_MAX * sizeof *chosen);
    if (!words[0] && listing->devices == 0)
        return nothing_matches(listing, option, "", err);
    for (unsigned i = 0; i < listing->devices && !words[0]; i++)
        chosen[i] =
            matches(listing, &listing->device[i], !has_gpu || listing->device[i].class != CLASS_CPU ? "all" : "cpu");
    for (const char *const *word = words; *word; word++) {
        bool any = false;
        for (unsigned i = 0; i < listing->devices; i++) {
            if (!matches(listing, &listing->device[i], *word))
                continue;
            chosen[i] = any = true;
        }
        if (!any)
            return nothing_matches(listing, option, *word, err);
    }
    return true;
}

static bool has_compiler(const struct backend *backend, const struct device *device)
{
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX; i++)
        if (strcmp(device->library[i].name, backend->compiler) == 0 && *device->library[i].path)
            return true;
    return false;
}

/* The device that is measured instead of this one; NULL if there is none. */
static const struct device *find_better(const struct listing *listing, const struct device *device,
                                        const bool chosen[DEVICES_MAX])
{
    for (unsigned i = 0; i < listing->devices; i++) {
        const struct device *other = &listing->device[i];
        const struct backend *backend = backend_find(other->backend);
        if (chosen[i] && backend->instead_of && strcmp(backend->instead_of, device->backend) == 0 &&
            device_same_silicon(other, device) && has_compiler(backend, other))
            return other;
    }
    return NULL;
}

void listing_leave_out(const struct listing *listing, const char *const words[], bool chosen[DEVICES_MAX], char *says,
                       size_t room)
{
    says[0] = '\0';
    for (unsigned i = 0; i < listing->devices; i++) {
        const struct device *device = &listing->device[i], *better = find_better(listing, device, chosen);
        bool is_named = false;
        for (const char *const *word = words; *word; word++)
            is_named = is_named || strcmp(*word, device->id) == 0 || strcmp(*word, device->backend) == 0;
        if (!chosen[i] || !better || is_named)
            continue;
        text_join(says, room, ", ", text_print("%s is %s", device->id, better->id).text);
        chosen[i] = false;
    }
}
