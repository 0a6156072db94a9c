/* What the benches of all contract suites share. The program around a slot's checks is in suite.h. */
#ifndef TB_CONTRACT_CONTRACT_H
#define TB_CONTRACT_CONTRACT_H

#include <stdarg.h>
#include <stdint.h>

#include "simulation.h"
#include "test.h"

enum { CONTRACT_COMPLAINT = 200 /* bytes */ };

/* A simulation with one clock of this period [ps], for a bench. */
sim *contract_sim(sim_time period, sim_clock **clk);

/* A candidate, its port clk on the clock (NULL: not connected), its port `fault`, if it has one, as told (0 = none). */
sim_model *contract_model(sim *s, sim_clock *clk, const sim_config *config, unsigned fault);

/* Writes the complaint, with the clock before it, unless there is one already. */
void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list);

#endif
