#include "word_code.h"

static const struct {
    uint8_t flags, code;
} kinds[] = {{0, 0x00}, {2, 0x1a}, {1, 0x15}, {4, 0x0f}};

static unsigned ones(uint64_t x)
{
    unsigned n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

static uint8_t parity_of(uint64_t data, uint32_t address)
{
    unsigned sum[3] = {1 + ones(address), 1, 1};
    for (unsigned j = 0; j < 64; j++) sum[j % 3] += (unsigned)(data >> j & 1);
    return (uint8_t)((sum[0] & 1) << 5 | (sum[1] & 1) << 6 | (sum[2] & 1) << 7);
}

uint8_t word_code_tag(uint64_t data, unsigned flags, uint32_t address)
{
    for (unsigned k = 0; k < 4; k++)
        if (kinds[k].flags == flags) return (uint8_t)(kinds[k].code | parity_of(data, address));
    return 0xff;
}

unsigned word_code_read(uint64_t data, uint8_t tag, uint32_t address, int *damaged, int *fixed)
{
    unsigned best = 0, distance = 9;
    for (unsigned k = 0; k < 4; k++) {
        unsigned d = ones((tag & 0x1fu) ^ kinds[k].code);
        if (d < distance) best = k, distance = d;
    }
    *damaged = (tag & 0xe0) != parity_of(data, address);
    *fixed = distance != 0;
    return kinds[best].flags;
}

void word_write(uint64_t *word, uint64_t data, unsigned enables)
{
    for (unsigned lane = 0; lane < 8; lane++)
        if (enables >> lane & 1) *word = (*word & ~(0xffull << 8 * lane)) | (data & 0xffull << 8 * lane);
}
