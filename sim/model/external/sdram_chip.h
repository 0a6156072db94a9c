/* The chips of a synchronous DRAM: they obey one command per clock and check it. They keep the times of past commands
 * and compare differences with the data sheet; a controller keeps times from which it may go on. Neither knows of the
 * other's bookkeeping.
 */
#ifndef SIM_MODEL_EXTERNAL_SDRAM_CHIP_H
#define SIM_MODEL_EXTERNAL_SDRAM_CHIP_H

#include <stdint.h>

/* Size and timings [clocks]. The defaults are those of a PC133 registered DIMM with ECC, 128 MB x 72 bits, one rank of
 * nine 128-Mbit chips 16M x 8 of speed grade -75 (Micron MT48LC16M8A2), at 100 MHz. */
typedef struct sdram_params {
    /* log2: 4 banks of 4096 rows of 1024 columns = 16M words */
    unsigned bank_bits;   /* 1..3; 2 */
    unsigned row_bits;    /* 4..14; 12 */
    unsigned column_bits; /* 4..12; 10 */
    unsigned cas_latency; /* READ to data, 1..8; 2 (the -75 grade allows 2 up to 100 MHz) */
    unsigned rcd;         /* ACTIVATE to READ or WRITE; 20 ns = 2 */
    unsigned rp;          /* PRECHARGE to ACTIVATE or REFRESH; 20 ns = 2 */
    unsigned ras;         /* ACTIVATE to PRECHARGE; 44 ns = 5 */
    unsigned rc;          /* ACTIVATE to ACTIVATE of one bank, or to REFRESH; 66 ns = 7 */
    unsigned rrd;         /* ACTIVATE to ACTIVATE of another bank; 15 ns = 2 */
    unsigned rfc;         /* REFRESH to ACTIVATE or REFRESH; 66 ns = 7 */
    unsigned wr;          /* WRITE to PRECHARGE of its bank: 1 clock + 7.5 ns = 2 */
    /* WRITE to READ, any bank; 1 on the chips, whose data pins turn round by themselves; 2 with the register of the
     * DIMM's data in the FPGA
     */
    unsigned write_to_read;
    /* READ to WRITE, any bank: the last word must have left the data pins and one clock be empty: cas_latency + 2 = 4
     */
    unsigned read_to_write;
    /* interval of REFRESH commands [clocks]; 4096 in 64 ms = 15.625 us = 1562 */
    unsigned refi;
    /* --- of the controller (sdram.h) --- */
    unsigned queue;  /* requests it holds, 1..64; 8 */
    unsigned answer; /* from the data pins of the chips to mem_rvalid, 0..8; 1, a register */
} sdram_params;

sdram_params sdram_params_default(void);
/* A PC2100 DDR DIMM of 2004 at 100 MHz: 256 MB, one rank of four 512-Mbit chips 32M x 16 of speed grade -75Z (Micron
 * MT46V32M16). Its 64 data pins carry two words in a clock; the port has one, so each command is a burst of 2 of which
 * one word is wanted (mask bits for the other one of a WRITE), and a command may come in every clock.
 *
 *   4 banks of 8192 rows of 1024 columns; CAS latency 2; tRCD, tRP 20 ns, tRAS 40 ns, but 5 clocks, tRC 65 ns, tRRD
 *   15 ns, tRFC 75 ns, refresh every 7.8 us; a WRITE has its data a clock later, for one clock: then tWR 15 ns, or tWTR
 *   1 clock. Words of a READ cross from the strobes' clock to the FPGA's: answer 2. */
sdram_params sdram_params_ddr(void);
/* NULL if usable, else what is wrong. */
const char *sdram_params_check(const sdram_params *p);

typedef enum sdram_command {
    SDRAM_ACTIVATE,
    SDRAM_READ,
    SDRAM_WRITE,
    SDRAM_PRECHARGE,
    SDRAM_PRECHARGE_ALL,
    SDRAM_REFRESH
} sdram_command;
/* "ACTIVATE" ... */
const char *sdram_command_name(sdram_command c);

typedef struct sdram_chip sdram_chip;
sdram_chip *sdram_chip_new(const sdram_params *p);
void sdram_chip_free(sdram_chip *c);

/* The command of clock `clock`; at most one per clock. `address` is a row (ACTIVATE) or a column (READ, WRITE), else
 * unused. Returns NULL, or which rule of the data sheet it breaks; then it is not obeyed. The text is valid until the
 * next command. */
const char *sdram_chip_command(sdram_chip *c, uint64_t clock, sdram_command command, unsigned bank, unsigned address);
/* The word of the whole part that a READ or WRITE of this column means: {row that is open, bank, column}. */
uint64_t sdram_chip_word(const sdram_chip *c, unsigned bank, unsigned column);

#endif
