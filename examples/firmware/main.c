/* A device in a terminal: it records the logs that it reads from standard input, and sends what it holds. One log a line:
 *
 *   log_file_id start seconds movement finish_flag intensity...
 *
 * `start` is the device's wall clock in seconds since 1970-01-01T00:00:00. See README.md. */
#define _POSIX_C_SOURCE 200809L

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "update.h"
#include "upload.h"
#include "wall-clock.h"

enum { DONE = 0, FAILED = 1, SOME_SET_ASIDE = 2, STOPPED = 3, GAVE_UP = 4, RESTART = 5, DEAD = 6, HUNG = 7 };

#define MOST_AT_ONCE 20
#define LONGEST_LINE 2048

/* After the service asks for a longer pause than this, in seconds, the device comes back another day. */
#define LONGEST_WAIT 300

struct device {
    struct ring ring;
    struct device_firmware firmware;
    bool has_flash;
    bool is_worn; /* a use goes on */
    struct service *service;
    int64_t clock_error; /* by how much its own clock is ahead of the truth, in seconds */
    int64_t correction;  /* once it knows better; a real device sets its clock by it */
    bool knows_time;
    long pause_ms;       /* the longest first pause; it doubles */
    long longest_pause_ms;
    int attempts; /* in a row without success, before it gives up until later */
};

static void say(const char *what, const struct answer *answer)
{
    fprintf(stderr, "%s%s%s\n", what, *answer->word ? ": " : "", answer->word);
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return FAILED;
}

static void sleep_ms(double ms)
{
    struct timespec left;
    left.tv_sec = (time_t)(ms / 1000);
    left.tv_nsec = (long)(ms - (double)left.tv_sec * 1000) * 1000000;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static double random_share(void)
{
    return (double)rand() / ((double)RAND_MAX + 1);
}

/* Pauses after `failures` in a row: between half and the whole of a time that doubles, so that not all devices meet a
 * service that recovers at once. If the service said how long, never shorter than that. */
static void back_off(const struct device *device, int failures, long retry_after)
{
    double longest = (double)device->pause_ms;
    for (int n = 1; n < failures && longest < (double)device->longest_pause_ms; n += 1) longest *= 2;
    if (longest > (double)device->longest_pause_ms) longest = (double)device->longest_pause_ms;
    sleep_ms((double)retry_after * 1000 + longest * (0.5 + random_share() / 2));
}

static int64_t own_clock(const struct device *device)
{
    return (int64_t)time(NULL) + device->clock_error;
}

static struct correction correction_now(const struct device *device)
{
    struct correction correction = {device->correction, own_clock(device) + device->correction};
    return correction;
}

/* Takes the time and corrects the logs that are held. */
static bool correct_clock(struct device *device, bool *is_written)
{
    int64_t utc, now;
    *is_written = true;
    if (!service_time(device->service, &utc, &now)) return false;
    device->correction = now - own_clock(device);
    device->knows_time = true;
    struct correction correction = correction_now(device);
    *is_written = ring_correct(&device->ring, &correction);
    fprintf(stderr, "clock corrected by %" PRId64 " s\n", device->correction);
    return *is_written;
}

/* Sends until nothing is held, or it makes no sense to go on now. */
static int send_all(struct device *device)
{
    int most = MOST_AT_ONCE;
    int failures = 0;
    bool is_corrected = false;
    while (ring_held(&device->ring) > 0) {
        uint32_t first = 0, last = 0;
        int count = 0;
        struct answer answer;
        if (failures >= device->attempts) return GAVE_UP;
        if (!service_upload(device->service, &device->ring, most, &first, &last, &count, &answer))
            return fail("the logs cannot be read");
        /* A correction that did not help: nobody can date the log, and it must not keep the others. */
        if (answer.verdict == WRONG_CLOCK && is_corrected) answer.verdict = INVALID;
        switch (answer.verdict) {
        case STORED:
            if (!ring_forget(&device->ring, first, last)) return fail("the logs cannot be written");
            failures = 0;
            most = MOST_AT_ONCE;
            continue;
        case WRONG_CLOCK: {
            bool is_written;
            say("refused", &answer);
            is_corrected = correct_clock(device, &is_written);
            if (!is_written) return fail("the logs cannot be written");
            if (!is_corrected) back_off(device, ++failures, 0);
            continue;
        }
        case TOO_LARGE:
            say("refused", &answer);
            /* The service takes any single log: something before it is out of order. */
            if (count == 1) back_off(device, ++failures, answer.retry_after);
            else most = count / 2;
            continue;
        case INVALID:
            say("refused", &answer);
            /* Halves, until it is known which log is the bad one. */
            if (count > 1) most = count / 2;
            else if (!ring_rejected(&device->ring, first)) return fail("the logs cannot be written");
            continue;
        case STOP:
            say("stopped", &answer);
            return STOPPED;
        case TOO_MANY:
        case BUSY:
            say("not sent", &answer);
            back_off(device, ++failures, answer.retry_after);
            continue;
        }
    }
    return DONE;
}

/* Starts what the flash says. The image of this device is not run: its first word stands for what it would do. */
static int start_firmware(struct device *device)
{
    char word[5];
    struct device_firmware *firmware = &device->firmware;
    if (!boot(firmware)) {
        fprintf(stderr, "no firmware can be started\n");
        return DEAD;
    }
    fprintf(stderr, "starts firmware %lu from slot %lu, SHA-256 ", (unsigned long)firmware->running.firmware_id,
            (unsigned long)firmware->flash.record.slot);
    for (int n = 0; n < SHA256_SIZE; n += 1) fprintf(stderr, "%02x", firmware->running.sha256[n]);
    fprintf(stderr, "\n");
    if (!flash_read_image(&firmware->flash, firmware->flash.record.slot, word, sizeof word)) return FAILED;
    return memcmp(word, "hangs", sizeof word) == 0 ? HUNG : DONE;
}

/* Confirms a new firmware, or asks for one. Nothing is asked while somebody wears the device. */
static int update_firmware(struct device *device)
{
    struct answer answer = {BUSY, 0, ""};
    uint32_t before = 0;
    for (int failures = 1; is_on_trial(&device->firmware) && !confirm(&device->firmware, device->service); failures += 1) {
        if (failures >= device->attempts) return GAVE_UP;
        back_off(device, failures, 0);
    }
    if (device->is_worn) return DONE;
    for (int failures = 0; failures < device->attempts;) {
        switch (update(&device->firmware, device->service, &answer)) {
        case UP_TO_DATE: return DONE;
        case SWITCHED: return RESTART;
        case BROKEN: return fail("the flash cannot be used");
        case CUT: break;
        }
        say("not loaded", &answer);
        if (answer.retry_after > LONGEST_WAIT) return GAVE_UP;
        failures = device->firmware.flash.record.loaded > before ? 1 : failures + 1;
        before = device->firmware.flash.record.loaded;
        back_off(device, failures, answer.retry_after);
    }
    return GAVE_UP;
}

static bool parse(char *line, struct treatment *treatment)
{
    memset(treatment, 0, sizeof *treatment);
    char *end = line;
    uint32_t *const fields[] = {&treatment->seconds, &treatment->movement};
    treatment->log_file_id = (uint32_t)strtoul(end, &end, 10);
    treatment->start = (int64_t)strtoll(end, &end, 10);
    for (int n = 0; n < 2; n += 1) *fields[n] = (uint32_t)strtoul(end, &end, 10);
    char *before = end;
    treatment->finish_flag = (uint8_t)strtoul(end, &end, 10);
    if (end == before) return false;
    while (treatment->intensity_count < MOST_INTENSITIES) {
        before = end;
        uint16_t intensity = (uint16_t)strtoul(end, &end, 10);
        if (end == before) break;
        treatment->intensities[treatment->intensity_count++] = intensity;
        treatment->last_intensity = intensity;
    }
    return true;
}

static int record_all(struct device *device)
{
    char line[LONGEST_LINE];
    while (fgets(line, sizeof line, stdin)) {
        struct treatment treatment;
        if (!parse(line, &treatment)) {
            fprintf(stderr, "not a log: %s", line);
            return FAILED;
        }
        if (!ring_has_room(&device->ring)) {
            int outcome = send_all(device);
            /* A device would show that its memory is full, and stop to record. */
            if (outcome != DONE) return outcome;
        }
        if (ring_holds(&device->ring, treatment.log_file_id)) continue;
        if (device->knows_time) {
            struct correction correction = correction_now(device);
            treatment_correct(&treatment, &correction);
        }
        if (!ring_put(&device->ring, &treatment)) return fail("the log cannot be written");
    }
    return send_all(device);
}

static long number(const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= least && value <= most) return value;
    fprintf(stderr, "%s is not a number from %ld to %ld\n", text, least, most);
    exit(FAILED);
}

/* A device has its keys in its code. */
static void add_key(struct keys *keys, const char *path)
{
    if (keys->count < MOST_KEYS && public_key_read(&keys->each[keys->count], path)) keys->count += 1;
    else {
        fprintf(stderr, "%s: not a public key that this device can use, or one too many\n", path);
        exit(FAILED);
    }
}

static int leave_factory(struct device_firmware *firmware, const char *image, const char *manifest)
{
    uint8_t scratch[1024];
    if (factory_write(firmware, image, manifest, scratch, sizeof scratch)) return DONE;
    fprintf(stderr, "the flash is written already, or the image does not fit its manifest, key or hardware\n");
    return FAILED;
}

int main(int argc, char **argv)
{
    struct service_options options = {NULL, NULL, NULL, -1, 30000, false};
    /* Not on the stack: all memory is there from the start. */
    static struct device device = {.ring.file = -1, .firmware.flash.file = -1, .pause_ms = 1000,
                                   .longest_pause_ms = 900000, .attempts = 10};
    const char *path = NULL, *flash = NULL, *image = NULL, *manifest = NULL;
    for (int option; (option = getopt(argc, argv, "u:d:r:f:c:t:p:P:a:e:zF:K:H:i:m:w")) != -1;) switch (option) {
        case 'u': options.url = optarg; break;
        case 'd': options.unique_id = optarg; break;
        case 'r': path = optarg; break;
        case 'f': options.firmware = number(optarg, 0, 2147483647); break;
        case 'c': options.ca_file = optarg; break;
        case 't': options.timeout_ms = number(optarg, 1, 600000); break;
        case 'p': device.pause_ms = number(optarg, 1, 900000); break;
        case 'P': device.longest_pause_ms = number(optarg, 1, 900000); break;
        case 'a': device.attempts = (int)number(optarg, 1, 1000); break;
        case 'e': device.clock_error = number(optarg, -2147483647, 2147483647); break;
        case 'z': options.gzip = true; break;
        case 'F': flash = optarg; break;
        case 'K': add_key(&device.firmware.keys, optarg); break;
        case 'H': device.firmware.hardware = optarg; break;
        case 'i': image = optarg; break;
        case 'm': manifest = optarg; break;
        case 'w': device.is_worn = true; break;
        default: return FAILED;
        }
    device.has_flash = flash && device.firmware.keys.count > 0 && device.firmware.hardware;
    bool is_factory = device.has_flash && image && manifest;
    if (((!options.url || !options.unique_id || !path) && !is_factory) || (flash && !device.has_flash) || optind != argc) {
        fprintf(stderr, "usage: %s -u URL -d UUID -r FILE [-z] [-f FIRMWARE] [-c ROOTS] [-t TIMEOUT_MS]\n"
                        "       [-p FIRST_PAUSE_MS] [-P LONGEST_PAUSE_MS] [-a ATTEMPTS] [-e CLOCK_ERROR_S]\n"
                        "       [-F FLASH -K KEY [-K NEXT_KEY] -H HARDWARE [-w]]\n"
                        "       %s -F FLASH -K KEY -H HARDWARE -i IMAGE -m MANIFEST\n", argv[0], argv[0]);
        return FAILED;
    }
    if (flash && !flash_open(&device.firmware.flash, flash)) return fail(flash);
    if (is_factory) return leave_factory(&device.firmware, image, manifest);
    if (flash) {
        int started = start_firmware(&device);
        if (started != DONE) return started;
        options.firmware = (long)device.firmware.running.firmware_id;
    }

    /* On a device: from its own id and a noise source, so that no two devices draw the same pauses. */
    srand((unsigned)time(NULL) ^ (unsigned)getpid() << 16);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) return FAILED;
    device.service = service_open(&options);
    int outcome = FAILED;
    if (!device.service) fprintf(stderr, "no memory\n");
    else if (!ring_open(&device.ring, path)) fail(path);
    else outcome = record_all(&device);
    /* A new firmware says that it has come up even if its logs cannot be sent; only after they are, it asks for another. */
    if (device.has_flash && (outcome == DONE || (outcome != FAILED && is_on_trial(&device.firmware)))) {
        if (outcome != DONE) device.is_worn = true;
        int updated = update_firmware(&device);
        if (outcome == DONE) outcome = updated;
    }
    if (outcome == DONE && ring_rejected_count(&device.ring) > 0) outcome = SOME_SET_ASIDE;
    printf("%d held, %d rejected\n", ring_held(&device.ring), ring_rejected_count(&device.ring));
    ring_close(&device.ring);
    if (flash) flash_close(&device.firmware.flash);
    if (device.service) service_close(device.service);
    curl_global_cleanup();
    return outcome;
}
