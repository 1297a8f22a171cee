#include "check.h"

/* Bit by bit: a table would take 1 kB. */
uint32_t check_of(const void *record, size_t length)
{
    const unsigned char *bytes = record;
    uint32_t crc = UINT32_MAX;
    for (size_t n = 0; n < length; n += 1) {
        crc ^= bytes[n];
        for (int bit = 0; bit < 8; bit += 1)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}
