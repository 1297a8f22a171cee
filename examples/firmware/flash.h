/* A file that stands for the flash of the firmware: a record of what to start, twice, and two slots for images with their
 * manifests. A record is there whole or not at all: each one is written over the older of the two. */
#ifndef FLASH_H
#define FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "manifest.h"

/* The room for one image, in bytes. */
#ifndef SLOT_SIZE
#define SLOT_SIZE 1048576
#endif
/* How much is erased at once, and so the least that can be written anew. */
#define PAGE_SIZE 4096
#define ERASED 0xff

enum outcome { NO_OUTCOME, STARTED, INSTALLED, FAILED_TO_LOAD, REFUSED, ROLLED_BACK };

/* A report that the service has not acknowledged yet. */
struct report {
    uint32_t firmware_id;
    uint32_t outcome;
    char stage[16];
};

struct record {
    uint32_t generation;
    uint32_t slot;        /* that is started */
    uint32_t trial;       /* 0: it has come up once; otherwise the starts until now, and one */
    uint32_t loaded;      /* bytes of the image that is being loaded into the other slot */
    uint64_t sequence;    /* the highest of all that have come up */
    uint8_t loading[SHA256_SIZE]; /* whose; zeros: of none */
    uint32_t tried_id;    /* the firmware that failed last */
    uint32_t tries;       /* how often in a row */
    struct report report;
    uint32_t check;
};

struct flash {
    int file;
    struct record record;
};

/* All of them return false if the file cannot be read or written. */
bool flash_open(struct flash *flash, const char *path);
void flash_close(struct flash *flash);

/* Whether a factory has written a record. */
bool flash_is_written(const struct flash *flash);

/* Writes the record, in one step, after all that was written before it is in the flash. */
bool flash_save(struct flash *flash);

static inline uint32_t other_slot(const struct flash *flash)
{
    return 1 - flash->record.slot;
}

/* Erases a slot. `scratch` is used for it. */
bool flash_erase(struct flash *flash, uint32_t slot, uint8_t *scratch, size_t size);

/* Writes a part of an image. */
bool flash_write_image(struct flash *flash, uint32_t slot, uint32_t from, const void *bytes, size_t length);
/* Writes the manifest of the image in a slot. */
bool flash_write_manifest(struct flash *flash, uint32_t slot, const uint8_t *bytes, size_t length);

/* Whether a slot holds just the image of its manifest, which one of the keys has signed for this hardware: this is what a
 * bootloader asks before each start. Reads the manifest. */
bool flash_slot_is_good(const struct flash *flash, uint32_t slot, const struct keys *keys, const char *hardware,
                        struct manifest *manifest);
/* Whether a slot holds the image of a manifest, and is erased behind it. */
bool flash_holds_image(const struct flash *flash, uint32_t slot, const struct manifest *manifest);

/* Reads the first bytes of an image. */
bool flash_read_image(const struct flash *flash, uint32_t slot, void *bytes, size_t length);

#endif
