/* splitmix64: random numbers from one word of state, for streams that do not belong to a simulation; it has its own
 * source, sim_random. */
#ifndef SIM_CORE_KERNEL_SPLITMIX64_H
#define SIM_CORE_KERNEL_SPLITMIX64_H

#include <stdint.h>

/* Each bit of the result depends on each bit of x. */
static inline uint64_t splitmix64_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The next number of the stream; any state begins one. */
static inline uint64_t splitmix64(uint64_t *state) { return splitmix64_mix(*state += 0x9e3779b97f4a7c15u); }

/* Below n; the bias of a remainder is below n / 2^64: nothing for picoseconds. */
static inline uint64_t splitmix64_below(uint64_t *state, uint64_t n) { return splitmix64(state) % n; }

#endif
