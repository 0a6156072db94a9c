/* Ways a bridge may legally behave, for tests that must pass under all of them. */
#ifndef NICXBAR_TB_BEHAVIOURS_H
#define NICXBAR_TB_BEHAVIOURS_H

#include "sim/host/host_params.h"

typedef struct behaviour {
    const char *name;
    void (*change)(host_params *p); /* from host_params_ideal() */
} behaviour;
extern const behaviour behaviours[]; /* ends with NULL */
int behaviour_count(void);
host_params behaviour_params(int i);

#endif
