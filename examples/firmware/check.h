/* CRC-32 (IEEE 802.3): whether a record was written whole. It keeps no attacker out. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

uint32_t check_of(const void *record, size_t length);

#endif
