/* Faults by plan on an Ethernet line. */
#ifndef SIM_TRAFFIC_FAULTS_LINE_H
#define SIM_TRAFFIC_FAULTS_LINE_H

#include "sim/model/ethernet/ethernet_wire.h"
#include "sim/traffic/faults/plan.h"

/* Adds a plan (plan.h) to the faults of a line, whose ends have the names in its parameters; a probability replaces the
 * one that is in force. Where two faults strike one frame the first in the plan counts. Nothing is drawn at random for
 * a frame that the plan names by its number. -1: the text is wrong, and nothing is added; or there is no memory; the
 * error says which. */
int ethernet_wire_plan(ethernet_wire *w, const char *text, char error[ETHERNET_ERROR]);
/* It is a probability for both directions. */
int fault_is_of_line(const fault *f);
/* The probability of a frame on the line that a plan says, or `otherwise`. */
double fault_line_chance(const fault_plan *plan, ethernet_fault_kind kind, double otherwise);

#endif
