#include "update.h"

#include <stdio.h>
#include <string.h>

#include "firmware-calls.h"
#include "upload.h"

/* A new firmware is started so often until it has reached the service, or the old one comes back. */
#define MOST_STARTS 3
/* A firmware that failed so often is not tried again: flash wears. */
#define MOST_TRIES 3

static void note(struct record *record, uint32_t firmware_id, enum outcome outcome, const char *stage)
{
    memset(&record->report, 0, sizeof record->report);
    record->report.firmware_id = firmware_id;
    record->report.outcome = outcome;
    snprintf(record->report.stage, sizeof record->report.stage, "%s", stage);
}

static void note_failure(struct record *record, uint32_t firmware_id, enum outcome outcome, const char *stage)
{
    record->tries = record->tried_id == firmware_id ? record->tries + 1 : 1;
    record->tried_id = firmware_id;
    note(record, firmware_id, outcome, stage);
}

/* --- Start --- */

static size_t read_file(const char *path, void *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

/* Copies a file into a slot, as much of it at once as there is scratch memory. */
static bool write_image_file(struct flash *flash, uint32_t slot, const char *path, uint8_t *scratch, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint32_t at = 0;
    bool is_written = true;
    for (size_t length; is_written && (length = fread(scratch, 1, size, file)) > 0; at += (uint32_t)length)
        is_written = flash_write_image(flash, slot, at, scratch, length);
    fclose(file);
    return is_written;
}

bool factory_write(struct device_firmware *firmware, const char *image, const char *manifest, uint8_t *scratch,
                   size_t size)
{
    struct flash *flash = &firmware->flash;
    size_t length = read_file(manifest, firmware->offered, MANIFEST_SIZE);
    if (flash_is_written(flash) || !flash_erase(flash, 0, scratch, size) || !flash_erase(flash, 1, scratch, size) ||
        !write_image_file(flash, 0, image, scratch, size) ||
        !flash_write_manifest(flash, 0, firmware->offered, length) ||
        !flash_slot_is_good(flash, 0, &firmware->keys, firmware->hardware, &firmware->running))
        return false;
    flash->record.sequence = firmware->running.sequence;
    return flash_save(flash);
}

static bool slot_is_good(struct device_firmware *firmware, uint32_t slot)
{
    return flash_slot_is_good(&firmware->flash, slot, &firmware->keys, firmware->hardware, &firmware->running);
}

static bool roll_back(struct device_firmware *firmware, const char *stage)
{
    struct record *record = &firmware->flash.record;
    uint32_t failed_id = firmware->running.firmware_id;
    uint32_t back = other_slot(&firmware->flash);
    if (!slot_is_good(firmware, back)) return false;
    note_failure(record, failed_id, ROLLED_BACK, stage);
    record->slot = back;
    record->trial = 0;
    return flash_save(&firmware->flash);
}

bool boot(struct device_firmware *firmware)
{
    struct record *record = &firmware->flash.record;
    if (!flash_is_written(&firmware->flash)) return false;
    /* Read also if the image was damaged: its number is reported. */
    bool is_good = slot_is_good(firmware, record->slot);
    if (!is_good) return roll_back(firmware, "flash");
    if (record->trial == 0) return true;
    /* Without another image that is good, the new one is the best there is. */
    if (record->trial > MOST_STARTS) return roll_back(firmware, "start") || slot_is_good(firmware, record->slot);
    /* Counted before the image runs: one that hangs is restarted by the watchdog. */
    record->trial += 1;
    return flash_save(&firmware->flash);
}

bool is_on_trial(const struct device_firmware *firmware)
{
    return firmware->flash.record.trial > 0;
}

/* --- Reports --- */

/* Whether the service has heard a report, also if it makes nothing of it. */
static bool is_heard(const struct answer *answer)
{
    return answer->verdict == STORED || answer->verdict == INVALID || answer->verdict == STOP;
}

bool confirm(struct device_firmware *firmware, struct service *service)
{
    struct record *record = &firmware->flash.record;
    struct answer answer;
    struct report report = {firmware->running.firmware_id, INSTALLED, ""};
    firmware_report(service, &report, &answer);
    if (!is_heard(&answer)) return false;
    record->trial = 0;
    record->tries = 0;
    if (record->sequence < firmware->running.sequence) record->sequence = firmware->running.sequence;
    return flash_save(&firmware->flash);
}

/* Sends the report that is kept, if one is. */
static enum progress send_report(struct device_firmware *firmware, struct service *service, struct answer *answer)
{
    struct record *record = &firmware->flash.record;
    if (record->report.outcome == NO_OUTCOME) return UP_TO_DATE;
    firmware_report(service, &record->report, answer);
    if (!is_heard(answer)) return CUT;
    memset(&record->report, 0, sizeof record->report);
    return flash_save(&firmware->flash) ? UP_TO_DATE : BROKEN;
}

/* --- What is offered --- */

/* Why a manifest that is signed is not for this device now; NULL if it is. */
static const char *objection(const struct device_firmware *firmware, const struct manifest *manifest, int64_t utc)
{
    const struct record *record = &firmware->flash.record;
    if (strcmp(manifest->hardware, firmware->hardware) != 0) return "hardware";
    if (manifest->size > SLOT_SIZE) return "size";
    if (manifest->sequence <= record->sequence) return "sequence";
    if (manifest->oldest > firmware->running.firmware_id) return "oldest";
    if (manifest->expires && utc > manifest->not_after) return "expired";
    if (record->tried_id == manifest->firmware_id && record->tries >= MOST_TRIES) return "tries";
    return NULL;
}

static enum progress refuse(struct device_firmware *firmware, struct service *service, uint32_t firmware_id,
                            const char *stage, struct answer *answer)
{
    fprintf(stderr, "firmware %lu refused: %s\n", (unsigned long)firmware_id, stage);
    note(&firmware->flash.record, firmware_id, REFUSED, stage);
    return flash_save(&firmware->flash) ? send_report(firmware, service, answer) : BROKEN;
}

/* Makes the other slot ready for an image, unless a part of it is there. */
static bool begin(struct device_firmware *firmware, struct service *service, const struct manifest *manifest)
{
    struct record *record = &firmware->flash.record;
    struct report started = {manifest->firmware_id, STARTED, ""};
    struct answer answer;
    if (memcmp(record->loading, manifest->sha256, SHA256_SIZE) == 0) return true;
    /* Of what the slot holds nothing counts from here on, also if the power fails in the middle. */
    memset(record->loading, 0, SHA256_SIZE);
    record->loaded = 0;
    if (!flash_save(&firmware->flash)) return false;
    if (!flash_erase(&firmware->flash, other_slot(&firmware->flash), (uint8_t *)service->body, sizeof service->body))
        return false;
    memcpy(record->loading, manifest->sha256, SHA256_SIZE);
    if (!flash_save(&firmware->flash)) return false;
    /* Worth a line on the operator's board, but not another try. */
    firmware_report(service, &started, &answer);
    return true;
}

/* Loads piece by piece from where it stopped. After a cut it waits and asks again: a stopped release is loaded no further. */
static enum progress load(struct device_firmware *firmware, struct service *service, const struct manifest *manifest,
                          struct answer *answer)
{
    struct record *record = &firmware->flash.record;
    while (record->loaded < manifest->size) {
        const void *bytes;
        size_t length;
        bool is_whole = firmware_load(service, manifest, record->loaded, &bytes, &length, answer);
        /* The release was stopped, or is no longer for this device. */
        if (!is_whole && answer->verdict == STOP) return UP_TO_DATE;
        if (length == 0) return CUT;
        if (!flash_write_image(&firmware->flash, other_slot(&firmware->flash), record->loaded, bytes, length))
            return BROKEN;
        record->loaded += (uint32_t)length;
        if (!flash_save(&firmware->flash)) return BROKEN;
        if (!is_whole) return CUT;
    }
    return SWITCHED;
}

/* Gives up what was loaded. */
static enum progress give_up(struct device_firmware *firmware, struct service *service, uint32_t firmware_id,
                             const char *stage, struct answer *answer)
{
    struct record *record = &firmware->flash.record;
    fprintf(stderr, "firmware %lu failed: %s\n", (unsigned long)firmware_id, stage);
    memset(record->loading, 0, SHA256_SIZE);
    record->loaded = 0;
    note_failure(record, firmware_id, FAILED_TO_LOAD, stage);
    return flash_save(&firmware->flash) ? send_report(firmware, service, answer) : BROKEN;
}

/* From here on the other slot is started. It is checked where it lies, by the same look as before each start. */
static enum progress switch_slots(struct device_firmware *firmware, size_t manifest_length)
{
    struct record *record = &firmware->flash.record;
    uint32_t slot = other_slot(&firmware->flash);
    struct manifest written;
    if (!flash_write_manifest(&firmware->flash, slot, firmware->offered, manifest_length)) return BROKEN;
    if (!flash_slot_is_good(&firmware->flash, slot, &firmware->keys, firmware->hardware, &written)) return BROKEN;
    record->slot = slot;
    record->trial = 1;
    record->loaded = 0;
    memset(record->loading, 0, SHA256_SIZE);
    return flash_save(&firmware->flash) ? SWITCHED : BROKEN;
}

enum progress update(struct device_firmware *firmware, struct service *service, struct answer *answer)
{
    struct manifest manifest;
    size_t length;
    uint32_t number;
    int64_t utc = 0, wall_clock;
    enum progress progress = send_report(firmware, service, answer);
    if (progress != UP_TO_DATE) return progress;

    switch (firmware_ask(service, firmware->offered, &length, &number, answer)) {
    case NO_OFFER: return UP_TO_DATE;
    case OFFER_TOO_LONG: return refuse(firmware, service, number, "length", answer);
    /* A device that the service does not know, or that nobody wears, gets none. */
    case OFFER_UNKNOWN: return answer->verdict == STOP ? UP_TO_DATE : CUT;
    case OFFERED: break;
    }
    const char *wrong = manifest_read(&manifest, firmware->offered, length, &firmware->keys);
    if (!wrong && manifest.firmware_id != number) wrong = "format";
    /* The own clock may be lost. */
    if (!wrong && manifest.expires && !service_time(service, &utc, &wall_clock)) return CUT;
    if (!wrong) wrong = objection(firmware, &manifest, utc);
    if (wrong) return refuse(firmware, service, number, wrong, answer);

    if (!begin(firmware, service, &manifest)) return BROKEN;
    progress = load(firmware, service, &manifest, answer);
    if (progress != SWITCHED) return progress;
    if (!flash_holds_image(&firmware->flash, other_slot(&firmware->flash), &manifest))
        return give_up(firmware, service, number, "hash", answer);
    return switch_slots(firmware, length);
}
