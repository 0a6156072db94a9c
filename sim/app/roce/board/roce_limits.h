/* Ranges of parameters. */
#ifndef SIM_APP_ROCE_BOARD_ROCE_LIMITS_H
#define SIM_APP_ROCE_BOARD_ROCE_LIMITS_H

#include <stddef.h>

enum { ROCE_LIMITS_ERROR = 120 };
extern const unsigned roce_pmtus[5];

typedef struct roce_limit {
    const char *name;
    unsigned is, least, most;
} roce_limit;
/* Both return 0, or -1: `error` names the parameter out of range and the expectation. */
int roce_limits_check(const roce_limit limits[], size_t count, char error[ROCE_LIMITS_ERROR]);
/* Path MTU, and version of IP. in_turn: each may be 0, all of them in turn. */
int roce_limits_path(unsigned pmtu, unsigned ip, int in_turn, char error[ROCE_LIMITS_ERROR]);

#endif
