#include "upload.h"

#include <curl/curl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "wall-clock.h"

/* The longest record takes 5 kB, a usual night a quarter of that. */
#define BODY_SIZE 32768
#define URL_SIZE 256
/* The body of an accepted upload and that of the time both fit; of others only the status and X-Error count. */
#define ANSWER_SIZE 64

struct service {
    CURL *curl;
    struct curl_slist *headers;
    struct service_options options;
    char upload_url[URL_SIZE];
    char time_url[URL_SIZE];
    char body[BODY_SIZE];
    unsigned char packed[BODY_SIZE];
};

struct received {
    char word[16];
    char body[ANSWER_SIZE];
    size_t length;
    long retry_after;
};

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

/* Copies the value of a header line, without spaces and line end, as far as there is room. */
static void copy_value(const char *line, size_t length, size_t from, char *value, size_t size)
{
    size_t used = 0;
    for (size_t n = from; n < length && used + 1 < size; n += 1)
        if (line[n] > ' ') value[used++] = line[n];
    value[used] = '\0';
}

static size_t on_header(char *line, size_t size, size_t count, void *data)
{
    struct received *received = data;
    size_t length = size * count;
    if (starts_with(line, length, "x-error:"))
        copy_value(line, length, strlen("x-error:"), received->word, sizeof received->word);
    if (starts_with(line, length, "retry-after:")) {
        char value[16];
        copy_value(line, length, strlen("retry-after:"), value, sizeof value);
        received->retry_after = strtol(value, NULL, 10);
    }
    return length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    struct received *received = data;
    size_t length = size * count;
    size_t room = sizeof received->body - 1 - received->length;
    memcpy(received->body + received->length, bytes, length < room ? length : room);
    received->length += length < room ? length : room;
    return length;
}

/* One request over the connection that is kept. Answers the status; 0 if no whole response came. */
static long perform(struct service *service, const char *url, struct received *received)
{
    memset(received, 0, sizeof *received);
    curl_easy_setopt(service->curl, CURLOPT_URL, url);
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

static enum verdict judge(long status, const struct received *received)
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
    if (status == 200) return strncmp(received->body, "{\"statusCode\":200", 17) == 0 ? STORED : BUSY;
    for (size_t n = 0; n < sizeof words / sizeof *words; n += 1)
        if (strcmp(received->word, words[n].word) == 0) return words[n].verdict;
    /* Something between the device and the service has answered. */
    if (status == 413) return TOO_LARGE;
    if (status == 429 || status == 503) return TOO_MANY;
    return BUSY;
}

/* --- The request --- */

static bool append(struct service *service, size_t *used, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(service->body + *used, sizeof service->body - *used, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= sizeof service->body - *used) return false;
    *used += (size_t)length;
    return true;
}

static bool append_treatment(struct service *service, size_t *used, const struct treatment *treatment)
{
    char date[WALL_CLOCK_SIZE];
    wall_clock_text(treatment->start, date);
    if (!append(service, used,
                "%c{\"unique_id\":\"%s\",\"log_file_id\":%lu,\"detail_data\":{\"treatment_date\":\"%s\","
                "\"treatment_time\":%lu,\"last_intensity\":%u,\"finish_flag\":%u,\"movement\":%lu},"
                "\"intensity_record\":[",
                *used == 0 ? '[' : ',', service->options.unique_id, (unsigned long)treatment->log_file_id, date,
                (unsigned long)treatment->seconds, (unsigned)treatment->last_intensity,
                (unsigned)treatment->finish_flag, (unsigned long)treatment->movement))
        return false;
    for (int n = 0; n < treatment->intensity_count; n += 1)
        if (!append(service, used, "%s{\"intensity\":%u}", n ? "," : "", (unsigned)treatment->intensities[n]))
            return false;
    return append(service, used, "]}");
}

/* Packs with a window of 4 kB, which takes 20 kB of memory, where zlib's usual one takes 256 kB. 0 if it does not fit. */
static size_t pack(struct service *service, size_t length)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 12, 3, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)service->body;
    stream.avail_in = (unsigned)length;
    stream.next_out = service->packed;
    stream.avail_out = sizeof service->packed;
    int ended = deflate(&stream, Z_FINISH);
    size_t packed = stream.total_out;
    deflateEnd(&stream);
    return ended == Z_STREAM_END ? packed : 0;
}

bool service_upload(struct service *service, const struct ring *ring, int most, uint32_t *first, uint32_t *last,
                    int *count, struct answer *answer)
{
    struct treatment treatment;
    size_t used = 0;
    bool found = true;
    *count = 0;
    for (uint32_t from = 0; *count < most; from = treatment.log_file_id + 1) {
        if (!ring_next(ring, from, &treatment, &found)) return false;
        size_t before = used;
        if (!found) break;
        /* With room for the last bracket. */
        if (!append_treatment(service, &used, &treatment) || used + 2 > sizeof service->body) {
            used = before;
            break;
        }
        if (*count == 0) *first = treatment.log_file_id;
        *last = treatment.log_file_id;
        *count += 1;
        if (treatment.log_file_id == UINT32_MAX) break;
    }
    append(service, &used, "%s", used == 0 ? "[]" : "]");

    size_t packed = service->options.gzip ? pack(service, used) : 0;
    struct curl_slist encoding = {"Content-Encoding: gzip", service->headers};
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, packed ? &encoding : service->headers);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDS, packed ? (char *)service->packed : service->body);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDSIZE, (long)(packed ? packed : used));
    struct received received;
    long status = perform(service, service->upload_url, &received);
    answer->verdict = judge(status, &received);
    answer->retry_after = received.retry_after;
    memcpy(answer->word, received.word, sizeof answer->word);
    return true;
}

bool service_time(struct service *service, int64_t *now)
{
    struct received received;
    curl_easy_setopt(service->curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, NULL);
    if (perform(service, service->time_url, &received) != 200) return false;
    int year, month, day, hour, minute, second;
    if (sscanf(received.body, "{\"utc\":\"%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6)
        return false;
    const char *offset = strstr(received.body, "\"utc_offset_minutes\":");
    int minutes;
    if (!offset || sscanf(offset, "\"utc_offset_minutes\":%d}", &minutes) != 1) return false;
    *now = wall_clock_seconds(year, month, day, hour, minute, second) + (int64_t)minutes * 60;
    return *now >= CLOCK_LOST_BEFORE;
}

/* --- The connection --- */

static bool add_header(struct service *service, const char *header)
{
    struct curl_slist *longer = curl_slist_append(service->headers, header);
    if (longer) service->headers = longer;
    return longer != NULL;
}

static bool prepare(struct service *service)
{
    const struct service_options *options = &service->options;
    char firmware[32];
    snprintf(firmware, sizeof firmware, "X-Firmware: %ld", options->firmware);
    snprintf(service->upload_url, URL_SIZE, "%s/api/v1/gamma/device/devlog", options->url);
    snprintf(service->time_url, URL_SIZE, "%s/api/v1/gamma/device/time", options->url);
    service->curl = curl_easy_init();
    if (!service->curl || !add_header(service, "Content-Type: application/json")) return false;
    /* Without this, libcurl waits a second for "100 Continue" before bodies over 1 MB. */
    if (!add_header(service, "Expect:")) return false;
    if (options->firmware >= 0 && !add_header(service, firmware)) return false;
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
    free(service);
}
