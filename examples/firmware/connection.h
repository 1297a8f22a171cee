/* One connection to the service, kept alive, and what the device reads of a response: the status, X-Error, Retry-After and
 * as much of the body as there is room for. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next step of the device: docs/firmware.md, "Every response". */
enum verdict {
    STORED,       /* forget the logs */
    WRONG_CLOCK,  /* take the time, correct, send again */
    INVALID,      /* never send the same again */
    TOO_LARGE,    /* send fewer at once */
    TOO_MANY,     /* wait as long as the service says */
    BUSY,         /* wait, longer each time; the logs may be stored or not */
    STOP          /* keep the logs: the device is unknown, or nobody wears it */
};

struct answer {
    enum verdict verdict;
    long retry_after; /* seconds; 0 if the service does not say */
    char word[16];    /* X-Error, or the reason of the network */
};

struct service_options {
    const char *url;
    const char *unique_id;
    const char *ca_file; /* root certificates; NULL for those of the system */
    long firmware;       /* negative: not reported */
    long timeout_ms;     /* of one try */
    bool gzip;
};

/* The longest record takes 5 kB, a usual night a quarter of that. */
#define BODY_SIZE 32768
#define URL_SIZE 256
/* The body of an accepted upload, that of a report and that of the time fit; of others only the status and X-Error count. */
#define ANSWER_SIZE 64

struct service {
    CURL *curl;
    struct curl_slist *headers;       /* of requests with a body */
    struct curl_slist *firmware_only; /* X-Firmware, where it is reported */
    struct service_options options;
    char url[URL_SIZE];
    char body[BODY_SIZE];
    unsigned char packed[BODY_SIZE];
};

struct received {
    char word[16];
    long retry_after;
    long firmware_id;          /* X-Firmware-Id; 0 without */
    uint32_t range_from, total; /* Content-Range; 0 without */
    /* Where the body goes. What is longer is skipped, or ends the request if `is_bounded`. */
    char *body;
    size_t room, length;
    bool is_bounded, is_longer;
    char answer[ANSWER_SIZE];
};

/* NULL if there is no memory. */
struct service *service_open(const struct service_options *options);
void service_close(struct service *service);

/* The address of a call below the service's own. False if it does not fit. */
bool set_url(struct service *service, const char *format, ...);

/* Makes `received` ready for a response of which the first 63 bytes count. */
void expect_answer(struct received *received);
/* For a body that is kept whole, in `room` bytes. */
void expect_body(struct received *received, void *body, size_t room);

/* One request. Gives the status; 0 if no whole response came. What came of the body until then is in `received`. */
long perform(struct service *service, struct received *received);

void judge(long status, const struct received *received, struct answer *answer);

#endif
