#include "wires.h"

uint64_t wires_get(const wires *w)
{
    switch (w->size) {
    case 1:
        return *(const uint8_t *)w->at;
    case 2:
        return *(const uint16_t *)w->at;
    case 4:
        return *(const uint32_t *)w->at;
    default:
        return *(const uint64_t *)w->at;
    }
}

void wires_set(const wires *w, uint64_t value)
{
    switch (w->size) {
    case 1:
        *(uint8_t *)w->at = (uint8_t)value;
        return;
    case 2:
        *(uint16_t *)w->at = (uint16_t)value;
        return;
    case 4:
        *(uint32_t *)w->at = (uint32_t)value;
        return;
    default:
        *(uint64_t *)w->at = value;
    }
}

void wires_set_field(const wires *w, unsigned lsb, unsigned bits, uint32_t value)
{
    unsigned element = 8 * w->size;
    while (bits) {
        wires part = {(uint8_t *)w->at + lsb / element * w->size, w->size};
        unsigned low = lsb % element, count = bits < element - low ? bits : element - low;
        uint64_t mask = ((1ull << count) - 1) << low;
        wires_set(&part, (wires_get(&part) & ~mask) | ((uint64_t)value << low & mask));
        value = count < 32 ? value >> count : 0;
        lsb += count;
        bits -= count;
    }
}
