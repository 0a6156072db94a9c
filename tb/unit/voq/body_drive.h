/* The inputs of voq_body for body_bench: what the DMA engine, memory, rings and window do next. */
#ifndef TB_VOQ_BODY_DRIVE_H
#define TB_VOQ_BODY_DRIVE_H

#include "body_bench.h"

#define WINDOW_BASE 0xf00000u /* in words: above all blocks */

/* After each edge; self: the body_bench. */
void body_drive(void *self);

/* Bits of a vector of any width. */
unsigned body_get(const sim_port *vector, unsigned from, unsigned bits);

#endif
