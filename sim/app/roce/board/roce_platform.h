/* A board as the platform of the driver (sw/roce): registers by its processor, memory shared with the chip, simulated
 * time. */
#ifndef SIM_APP_ROCE_BOARD_ROCE_PLATFORM_H
#define SIM_APP_ROCE_BOARD_ROCE_PLATFORM_H

#include "nx_platform.h"
#include "sim/app/roce/board/roce_board.h"

/* -1: no memory. Free it before the board; zeros are allowed. */
int roce_platform_make(struct nx_platform *p, roce_board *board);
void roce_platform_free(struct nx_platform *p);

#endif
