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
    for (unsigned i = 0; i < bits; i++) {
        wires part = {(uint8_t *)w->at + (lsb + i) / element * w->size, w->size};
        uint64_t mask = 1ull << (lsb + i) % element;
        wires_set(&part, value >> i & 1 ? wires_get(&part) | mask : wires_get(&part) & ~mask);
    }
}
