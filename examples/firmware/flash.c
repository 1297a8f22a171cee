#define _POSIX_C_SOURCE 200809L

#include "flash.h"

#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "check.h"

/* Each record has a page of its own, which on a device is erased before it is written; so has the manifest of a slot, with its
 * length before it. */
#define RECORDS 2
#define SLOTS_AT (RECORDS * PAGE_SIZE)
#define BLOCK_SIZE 256

struct stored_manifest {
    uint32_t length;
    uint8_t bytes[MANIFEST_SIZE];
};

static off_t manifest_at(uint32_t slot)
{
    return SLOTS_AT + (off_t)slot * (PAGE_SIZE + SLOT_SIZE);
}

static off_t image_at(uint32_t slot)
{
    return manifest_at(slot) + PAGE_SIZE;
}

static bool write_at(const struct flash *flash, off_t at, const void *bytes, size_t length)
{
    return pwrite(flash->file, bytes, length, at) == (ssize_t)length;
}

/* What was never written reads as erased. */
static bool read_at(const struct flash *flash, off_t at, void *bytes, size_t length)
{
    ssize_t read = pread(flash->file, bytes, length, at);
    if (read < 0) return false;
    memset((uint8_t *)bytes + read, ERASED, length - (size_t)read);
    return true;
}

static bool is_whole(const struct record *record)
{
    return record->check == check_of(record, offsetof(struct record, check)) && record->generation > 0 &&
           record->slot < 2;
}

bool flash_open(struct flash *flash, const char *path)
{
    memset(flash, 0, sizeof *flash);
    flash->file = open(path, O_RDWR | O_CREAT, 0600);
    if (flash->file < 0) return false;
    for (int copy = 0; copy < RECORDS; copy += 1) {
        struct record record;
        if (!read_at(flash, (off_t)copy * PAGE_SIZE, &record, sizeof record)) return false;
        if (is_whole(&record) && record.generation > flash->record.generation) flash->record = record;
    }
    return true;
}

void flash_close(struct flash *flash)
{
    if (flash->file >= 0) close(flash->file);
    flash->file = -1;
}

bool flash_is_written(const struct flash *flash)
{
    return flash->record.generation > 0;
}

bool flash_save(struct flash *flash)
{
    /* What the new record speaks of is there before it. */
    if (fsync(flash->file) != 0) return false;
    flash->record.generation += 1;
    flash->record.check = check_of(&flash->record, offsetof(struct record, check));
    off_t place = (off_t)(flash->record.generation % RECORDS) * PAGE_SIZE;
    return write_at(flash, place, &flash->record, sizeof flash->record) && fsync(flash->file) == 0;
}

bool flash_erase(struct flash *flash, uint32_t slot, uint8_t *scratch, size_t size)
{
    memset(scratch, ERASED, size);
    if (!write_at(flash, manifest_at(slot), scratch, size < PAGE_SIZE ? size : PAGE_SIZE)) return false;
    for (size_t at = 0; at < SLOT_SIZE; at += size)
        if (!write_at(flash, image_at(slot) + (off_t)at, scratch, SLOT_SIZE - at < size ? SLOT_SIZE - at : size))
            return false;
    return true;
}

bool flash_write_image(struct flash *flash, uint32_t slot, uint32_t from, const void *bytes, size_t length)
{
    if (from > SLOT_SIZE || length > SLOT_SIZE - from) return false;
    return write_at(flash, image_at(slot) + (off_t)from, bytes, length);
}

bool flash_write_manifest(struct flash *flash, uint32_t slot, const uint8_t *bytes, size_t length)
{
    struct stored_manifest stored;
    memset(&stored, ERASED, sizeof stored);
    if (length > sizeof stored.bytes) return false;
    stored.length = (uint32_t)length;
    memcpy(stored.bytes, bytes, length);
    return write_at(flash, manifest_at(slot), &stored, sizeof stored);
}

bool flash_read_image(const struct flash *flash, uint32_t slot, void *bytes, size_t length)
{
    return read_at(flash, image_at(slot), bytes, length);
}

/* Feeds the image to a hash and looks whether the rest of the slot is erased. */
static bool hash_slot(const struct flash *flash, uint32_t slot, uint32_t size, struct sha256 *hash)
{
    uint8_t block[BLOCK_SIZE];
    bool is_good = true;
    for (uint32_t at = 0; at < SLOT_SIZE; at += BLOCK_SIZE) {
        if (!read_at(flash, image_at(slot) + (off_t)at, block, BLOCK_SIZE)) return false;
        uint32_t left = at < size ? size - at : 0;
        uint32_t used = left < BLOCK_SIZE ? left : BLOCK_SIZE;
        if (used > 0 && !sha256_add(hash, block, used)) return false;
        for (uint32_t n = used; n < BLOCK_SIZE; n += 1) is_good = is_good && block[n] == ERASED;
    }
    return is_good;
}

bool flash_holds_image(const struct flash *flash, uint32_t slot, const struct manifest *manifest)
{
    uint8_t digest[SHA256_SIZE];
    struct sha256 *hash = sha256_begin();
    if (!hash) return false;
    bool is_good = manifest->size <= SLOT_SIZE && hash_slot(flash, slot, manifest->size, hash);
    return sha256_end(hash, digest) && is_good && memcmp(digest, manifest->sha256, sizeof digest) == 0;
}

bool flash_slot_is_good(const struct flash *flash, uint32_t slot, const struct keys *keys, const char *hardware,
                        struct manifest *manifest)
{
    struct stored_manifest stored;
    if (!read_at(flash, manifest_at(slot), &stored, sizeof stored) || stored.length > sizeof stored.bytes) return false;
    return !manifest_read(manifest, stored.bytes, stored.length, keys) && strcmp(manifest->hardware, hardware) == 0 &&
           flash_holds_image(flash, slot, manifest);
}
