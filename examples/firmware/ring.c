#define _POSIX_C_SOURCE 200809L

#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "check.h"
#include "wall-clock.h"

enum { FREE, HELD, SET_ASIDE };

/* As it stands in the file. A slot whose check does not fit was being written when the power failed, or never was. */
struct slot {
    struct treatment treatment;
    uint32_t state;
    uint32_t check;
};

static off_t place_of(int index)
{
    return (off_t)index * (off_t)sizeof(struct slot);
}

static bool write_slot(struct ring *ring, int index, const struct treatment *treatment, uint8_t state)
{
    struct slot slot;
    memset(&slot, 0, sizeof slot);
    if (treatment) slot.treatment = *treatment;
    slot.state = state;
    slot.check = check_of(&slot, offsetof(struct slot, check));
    if (pwrite(ring->file, &slot, sizeof slot, place_of(index)) != (ssize_t)sizeof slot) return false;
    if (fsync(ring->file) != 0) return false;
    ring->ids[index] = slot.treatment.log_file_id;
    ring->states[index] = state;
    return true;
}

/* A slot that was never written whole is read as a free one. */
static bool read_slot(const struct ring *ring, int index, struct slot *slot)
{
    ssize_t length = pread(ring->file, slot, sizeof *slot, place_of(index));
    if (length < 0) return false;
    if (length != (ssize_t)sizeof *slot || slot->check != check_of(slot, offsetof(struct slot, check)))
        memset(slot, 0, sizeof *slot);
    return true;
}

static int find(const struct ring *ring, uint8_t state)
{
    for (int index = 0; index < RING_SLOTS; index += 1)
        if (ring->states[index] == state) return index;
    return -1;
}

/* The power may have failed between a corrected log and its old copy. */
static bool drop_old_copies(struct ring *ring)
{
    for (int index = 0; index < RING_SLOTS; index += 1)
        for (int other = 0; other < RING_SLOTS; other += 1) {
            struct slot one, two;
            if (index == other || ring->states[index] != HELD || ring->states[other] != HELD) continue;
            if (ring->ids[index] != ring->ids[other]) continue;
            if (!read_slot(ring, index, &one) || !read_slot(ring, other, &two)) return false;
            if (one.treatment.is_corrected < two.treatment.is_corrected && !write_slot(ring, index, NULL, FREE))
                return false;
        }
    return true;
}

bool ring_open(struct ring *ring, const char *path)
{
    memset(ring, 0, sizeof *ring);
    ring->file = open(path, O_RDWR | O_CREAT, 0600);
    if (ring->file < 0) return false;
    for (int index = 0; index < RING_SLOTS; index += 1) {
        struct slot slot;
        if (!read_slot(ring, index, &slot)) return false;
        ring->ids[index] = slot.treatment.log_file_id;
        ring->states[index] = (uint8_t)slot.state;
    }
    return drop_old_copies(ring);
}

void ring_close(struct ring *ring)
{
    if (ring->file >= 0) close(ring->file);
    ring->file = -1;
}

int ring_held(const struct ring *ring)
{
    int count = 0;
    for (int index = 0; index < RING_SLOTS; index += 1) count += ring->states[index] == HELD;
    return count;
}

int ring_rejected_count(const struct ring *ring)
{
    int count = 0;
    for (int index = 0; index < RING_SLOTS; index += 1) count += ring->states[index] == SET_ASIDE;
    return count;
}

bool ring_has_room(const struct ring *ring)
{
    return ring_held(ring) < RING_SIZE;
}

bool ring_holds(const struct ring *ring, uint32_t log_file_id)
{
    for (int index = 0; index < RING_SLOTS; index += 1)
        if (ring->states[index] == HELD && ring->ids[index] == log_file_id) return true;
    return false;
}

bool ring_put(struct ring *ring, const struct treatment *treatment)
{
    if (!ring_has_room(ring)) {
        errno = ENOSPC;
        return false;
    }
    int index = find(ring, FREE);
    return write_slot(ring, index >= 0 ? index : find(ring, SET_ASIDE), treatment, HELD);
}

bool ring_next(const struct ring *ring, uint32_t from, struct treatment *treatment, bool *found)
{
    int lowest = -1;
    for (int index = 0; index < RING_SLOTS; index += 1)
        if (ring->states[index] == HELD && ring->ids[index] >= from &&
            (lowest < 0 || ring->ids[index] < ring->ids[lowest]))
            lowest = index;
    *found = lowest >= 0;
    if (lowest < 0) return true;
    struct slot slot;
    if (!read_slot(ring, lowest, &slot)) return false;
    *treatment = slot.treatment;
    return true;
}

bool ring_forget(struct ring *ring, uint32_t first, uint32_t last)
{
    for (int index = 0; index < RING_SLOTS; index += 1)
        if (ring->states[index] == HELD && ring->ids[index] >= first && ring->ids[index] <= last &&
            !write_slot(ring, index, NULL, FREE))
            return false;
    return true;
}

bool ring_rejected(struct ring *ring, uint32_t log_file_id)
{
    for (int index = 0; index < RING_SLOTS; index += 1) {
        struct slot slot;
        if (ring->states[index] != HELD || ring->ids[index] != log_file_id) continue;
        return read_slot(ring, index, &slot) && write_slot(ring, index, &slot.treatment, SET_ASIDE);
    }
    return true;
}

static bool is_possible(int64_t start, const struct correction *correction)
{
    return start >= CLOCK_LOST_BEFORE && start <= correction->now + CLOCK_AHEAD_BY;
}

bool treatment_correct(struct treatment *treatment, const struct correction *correction)
{
    if (treatment->is_corrected || is_possible(treatment->start, correction) ||
        !is_possible(treatment->start + correction->seconds, correction))
        return false;
    treatment->start += correction->seconds;
    treatment->is_corrected = 1;
    return true;
}

bool ring_correct(struct ring *ring, const struct correction *correction)
{
    for (int index = 0; index < RING_SLOTS; index += 1) {
        struct slot slot;
        if (ring->states[index] != HELD) continue;
        if (!read_slot(ring, index, &slot)) return false;
        if (!treatment_correct(&slot.treatment, correction)) continue;
        int copy = find(ring, FREE);
        if (copy < 0) copy = find(ring, SET_ASIDE);
        if (!write_slot(ring, copy, &slot.treatment, HELD) || !write_slot(ring, index, NULL, FREE))
            return false;
    }
    return true;
}
