#include "upload.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "wall-clock.h"

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
    set_url(service, "/api/v1/gamma/device/devlog");
    struct curl_slist encoding = {"Content-Encoding: gzip", service->headers};
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, packed ? &encoding : service->headers);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDS, packed ? (char *)service->packed : service->body);
    curl_easy_setopt(service->curl, CURLOPT_POSTFIELDSIZE, (long)(packed ? packed : used));
    struct received received;
    expect_answer(&received);
    judge(perform(service, &received), &received, answer);
    return true;
}

bool service_time(struct service *service, int64_t *utc, int64_t *wall_clock)
{
    struct received received;
    set_url(service, "/api/v1/gamma/device/time");
    curl_easy_setopt(service->curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(service->curl, CURLOPT_HTTPHEADER, NULL);
    expect_answer(&received);
    if (perform(service, &received) != 200) return false;
    int year, month, day, hour, minute, second;
    if (sscanf(received.answer, "{\"utc\":\"%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6)
        return false;
    const char *offset = strstr(received.answer, "\"utc_offset_minutes\":");
    int minutes;
    if (!offset || sscanf(offset, "\"utc_offset_minutes\":%d}", &minutes) != 1) return false;
    *utc = wall_clock_seconds(year, month, day, hour, minute, second);
    *wall_clock = *utc + (int64_t)minutes * 60;
    return *wall_clock >= CLOCK_LOST_BEFORE;
}
