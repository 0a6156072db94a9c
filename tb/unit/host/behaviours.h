/* Ways a bridge may legally behave, for tests that must pass under all of them. */
#ifndef NICXBAR_TB_BEHAVIOURS_H
#define NICXBAR_TB_BEHAVIOURS_H

#include "sim/model/host/host_params.h"

enum { BEHAVIOURS = 24 };
host_params behaviour_params(int number);

#endif
