#include "connection.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The response --- */

static bool starts_with(const char *line, size_t length, const char *name)
{
    size_t n = 0;
    for (; name[n]; n += 1) {
        char c = n < length ? line[n] : '\0';
        if (c >= 'A' && c <= 'Z') c = (char)(c + ('a' - 'A'));
        if (c != name[n]) return false;
    }
    return true;
}

/* Copies the value of a header line, without spaces and line end, as far as there is room. False if it is another header. */
static bool read_header(const char *line, size_t length, const char *name, char *value, size_t size)
{
    if (!starts_with(line, length, name)) return false;
    size_t used = 0;
    for (size_t n = strlen(name); n < length && used + 1 < size; n += 1)
        if (line[n] > ' ') value[used++] = line[n];
    value[used] = '\0';
    return true;
}

static size_t on_header(char *line, size_t size, size_t count, void *data)
{
    struct received *received = data;
    size_t length = size * count;
    char value[40];
    read_header(line, length, "x-error:", received->word, sizeof received->word);
    if (read_header(line, length, "retry-after:", value, sizeof value)) received->retry_after = strtol(value, NULL, 10);
    if (read_header(line, length, "x-firmware-id:", value, sizeof value))
        received->firmware_id = strtol(value, NULL, 10);
    if (read_header(line, length, "content-range:", value, sizeof value)) {
        unsigned long from, to, total;
        if (sscanf(value, "bytes%10lu-%10lu/%10lu", &from, &to, &total) == 3) {
            received->range_from = (uint32_t)from;
            received->total = (uint32_t)total;
        }
    }
    return length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    struct received *received = data;
    size_t length = size * count;
    size_t room = received->room - received->length;
    size_t taken = length < room ? length : room;
    memcpy(received->body + received->length, bytes, taken);
    received->length += taken;
    received->is_longer = received->is_longer || taken < length;
    return received->is_longer && received->is_bounded ? 0 : length;
}

void expect_answer(struct received *received)
{
    memset(received, 0, sizeof *received);
    received->body = received->answer;
    received->room = sizeof received->answer - 1;
}

void expect_body(struct received *received, void *body, size_t room)
{
    memset(received, 0, sizeof *received);
    received->body = body;
    received->room = room;
    received->is_bounded = true;
}

long perform(struct service *service, struct received *received)
{
    curl_easy_setopt(service->curl, CURLOPT_URL, service->url);
    curl_easy_setopt(service->curl, CURLOPT_HEADERDATA, (void *)received);
    curl_easy_setopt(service->curl, CURLOPT_WRITEDATA, (void *)received);
    CURLcode code = curl_easy_perform(service->curl);
    /* Also a response that is shorter than its Content-Length. */
    if (code != CURLE_OK) {
        snprintf(received->word, sizeof received->word, "network %d", (int)code);
        return 0;
    }
    long status = 0;
    curl_easy_getinfo(service->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static enum verdict verdict_of(long status, const struct received *received)
{
    static const struct {
        const char *word;
        enum verdict verdict;
    } words[] = {
        {"clock", WRONG_CLOCK},  {"invalid", INVALID},       {"too-large", TOO_LARGE},
        {"too-many", TOO_MANY},  {"busy", BUSY},             {"unknown-device", STOP},
        {"not-connected", STOP}, {"not-allowed", STOP},      {"not-found", STOP},
    };
    /* The page of a hotel network has status 200 too. */
    if (status == 200) return strncmp(received->answer, "{\"statusCode\":200", 17) == 0 ? STORED : BUSY;
    for (size_t n = 0; n < sizeof words / sizeof *words; n += 1)
        if (strcmp(received->word, words[n].word) == 0) return words[n].verdict;
    /* Something between the device and the service has answered. */
    if (status == 413) return TOO_LARGE;
    if (status == 429 || status == 503) return TOO_MANY;
    return BUSY;
}

void judge(long status, const struct received *received, struct answer *answer)
{
    answer->verdict = verdict_of(status, received);
    answer->retry_after = received->retry_after;
    memcpy(answer->word, received->word, sizeof answer->word);
}

/* --- The connection --- */

bool set_url(struct service *service, const char *format, ...)
{
    int start = snprintf(service->url, URL_SIZE, "%s", service->options.url);
    if (start < 0 || start >= URL_SIZE) return false;
    va_list values;
    va_start(values, format);
    int length = vsnprintf(service->url + start, (size_t)(URL_SIZE - start), format, values);
    va_end(values);
    return length >= 0 && length < URL_SIZE - start;
}

static bool add_header(struct curl_slist **headers, const char *header)
{
    struct curl_slist *longer = curl_slist_append(*headers, header);
    if (longer) *headers = longer;
    return longer != NULL;
}

static bool prepare(struct service *service)
{
    const struct service_options *options = &service->options;
    char firmware[32];
    snprintf(firmware, sizeof firmware, "X-Firmware: %ld", options->firmware);
    service->curl = curl_easy_init();
    if (!service->curl || !add_header(&service->headers, "Content-Type: application/json")) return false;
    /* Without this, libcurl waits a second for "100 Continue" before bodies over 1 MB. */
    if (!add_header(&service->headers, "Expect:")) return false;
    if (options->firmware >= 0 &&
        (!add_header(&service->headers, firmware) || !add_header(&service->firmware_only, firmware)))
        return false;
    CURL *curl = service->curl;
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, options->timeout_ms);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 1024L);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    /* A redirect would turn the upload into a GET, whose 200 means nothing. That is libcurl's default too. */
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (options->ca_file) curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file);
    return true;
}

struct service *service_open(const struct service_options *options)
{
    struct service *service = calloc(1, sizeof *service);
    if (!service) return NULL;
    service->options = *options;
    if (prepare(service)) return service;
    service_close(service);
    return NULL;
}

void service_close(struct service *service)
{
    curl_easy_cleanup(service->curl);
    curl_slist_free_all(service->headers);
    curl_slist_free_all(service->firmware_only);
    free(service);
}
