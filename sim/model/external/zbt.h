/* A zero-bus-turnaround SRAM: pipelined, one access in every clock, reads and writes in any mixture without an idle
 * clock between them.
 *
 * Parts of this kind are 512K x 72 (36 Mbit) and 1M x 72 (72 Mbit), pipelined: the word of a read is on their pins two
 * clocks after its address. The board around them takes data of writes two clocks late and forwards them to reads
 * behind them; here the words of a write come with their address.
 */
#ifndef SIM_MODEL_EXTERNAL_ZBT_H
#define SIM_MODEL_EXTERNAL_ZBT_H

typedef struct zbt_params {
    /* log2 of the 72-bit words, 10..24; default 24 = the whole window of BAR0, 128 MB; one part of 36 Mbit has 19 */
    unsigned log2_words;
    /* a read shown in clock n is answered in clock n + latency, 1..64; default 2 */
    unsigned latency;
} zbt_params;

zbt_params zbt_params_default(void);
/* NULL if usable, else what is wrong. */
const char *zbt_params_check(const zbt_params *p);

#endif
