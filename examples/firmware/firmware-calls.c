#include "firmware-calls.h"

#include <stdio.h>
#include <string.h>

static void get(struct service *service)
{
    curl_easy_setopt(service->curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, service->firmware_only);
}

enum offer firmware_ask(struct service *service, uint8_t manifest[MANIFEST_SIZE], size_t *length, uint32_t *firmware_id,
                        struct answer *answer)
{
    struct received received;
    expect_body(&received, manifest, MANIFEST_SIZE);
    set_url(service, "/api/v1/gamma/device/firmware?unique_id=%s", service->options.unique_id);
    get(service);
    long status = perform(service, &received);
    judge(status, &received, answer);
    *length = received.length;
    /* Nothing but the service gives a number: a hotel network's page has status 200 too. */
    bool has_number = received.firmware_id > 0 && received.firmware_id <= INT32_MAX;
    *firmware_id = has_number ? (uint32_t)received.firmware_id : 0;
    if (received.is_longer && has_number) return OFFER_TOO_LONG;
    if (status == 200 && has_number) return OFFERED;
    return status == 204 ? NO_OFFER : OFFER_UNKNOWN;
}

bool firmware_load(struct service *service, const struct manifest *manifest, uint32_t from, const void **bytes,
                   size_t *length, struct answer *answer)
{
    struct received received;
    char range[32];
    uint32_t left = manifest->size - from;
    uint32_t most = left < BODY_SIZE ? left : BODY_SIZE;
    snprintf(range, sizeof range, "%lu-%lu", (unsigned long)from, (unsigned long)(from + most - 1));
    expect_body(&received, service->body, most);
    set_url(service, "/api/v1/gamma/device/firmware/%lu?unique_id=%s", (unsigned long)manifest->firmware_id,
            service->options.unique_id);
    get(service);
    curl_easy_setopt(service->curl, CURLOPT_RANGE, range);
    long status = perform(service, &received);
    curl_easy_setopt(service->curl, CURLOPT_RANGE, NULL);
    judge(status, &received, answer);
    *bytes = service->body;
    bool is_part = received.total == manifest->size && received.range_from == from && !received.is_longer;
    /* Cut: 0. Of a 200 or an error nothing is used. */
    *length = is_part && (status == 206 || status == 0) ? received.length : 0;
    return *length == most;
}

void firmware_report(struct service *service, const struct report *report, struct answer *answer)
{
    static const char *const outcomes[] = {"", "started", "installed", "failed", "refused", "rolled_back"};
    struct received received;
    int length = snprintf(service->body, sizeof service->body,
                          "{\"unique_id\":\"%s\",\"firmware_id\":%lu,\"outcome\":\"%s\"%s%s%s}",
                          service->options.unique_id, (unsigned long)report->firmware_id, outcomes[report->outcome],
                          *report->stage ? ",\"stage\":\"" : "", report->stage, *report->stage ? "\"" : "");
    expect_answer(&received);
    set_url(service, "/api/v1/gamma/device/firmware/report");
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, service->headers);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDS, service->body);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDSIZE, (long)length);
    judge(perform(service, &received), &received, answer);
}
