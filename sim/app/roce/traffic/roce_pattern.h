/* Content of a message or block, which follows from a key: a checker needs nothing from the sender. */
#ifndef SIM_APP_ROCE_TRAFFIC_ROCE_PATTERN_H
#define SIM_APP_ROCE_TRAFFIC_ROCE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* A word in which each bit depends on all of x. */
uint64_t roce_mix(uint64_t x);
void roce_pattern_fill(uint8_t *to, uint64_t key, size_t length);
/* The first byte that is not as roce_pattern_fill makes it, or `length`. */
size_t roce_pattern_compare(const uint8_t *is, uint64_t key, size_t length);
/* Byte `at` of it. */
uint8_t roce_pattern_byte(uint64_t key, size_t at);

#endif
