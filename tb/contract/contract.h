/* What the benches of all contract suites share. The program around a slot's checks is in suite.h. */
#ifndef TB_CONTRACT_CONTRACT_H
#define TB_CONTRACT_CONTRACT_H

#include <stdarg.h>
#include <stdint.h>

#include "sim.h"
#include "test.h"

enum { CONTRACT_COMPLAINT = 200 /* bytes */ };

/* A simulation with one clock of this period [ps], for a bench. */
sim *contract_sim(sim_time period, sim_clock **clk);

/* Writes the complaint, with the clock before it, unless there is one already. */
void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list);

#endif
