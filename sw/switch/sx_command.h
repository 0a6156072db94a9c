/* Commands of the monitor tool, one per word or group of words:
 *
 *     ports flows occupancy times errors weights     that table; `all` is all of them
 *     dump                                            all registers as text
 *     weight OUTPUT INPUT WEIGHT                      1..255
 *     enable PORT, disable PORT
 *     serve OUTPUT MASK                               inputs that the output serves, such as 0xff
 *     capacity PORT UNITS                             buffer of the NIC behind the port
 *     node PORT ID                                    of the node behind the port: the source in its packets
 *     downtime CLOCKS                                 without synchronisation after which a port is down
 *     stamps 0|1                                      packets that carry time stamps get those of the switch
 *     clear                                           all counters to 0
 *
 *     traces                                          what the tracing memories do; in `all`, if there are any
 *     trace-start PORT EVENTS AFTER                   what the port receives and sends, round and round, until one of
 * EVENTS and AFTER entries more. EVENTS: names with commas between them, HEADER_ERRORS,PADDED; any that reports
 * something wrong; none; full: until the memory is full trace-freeze PORT, trace-clear PORT             freeze now;
 * forget it trace-take PORT                                 stop it, and show its frames, events, and what looks wrong
 *     trace-save PORT FILE                            stop it, and save it for the tool nxtrace */
#ifndef SX_COMMAND_H
#define SX_COMMAND_H

#include <stdio.h>

#include "sx.h"

enum { SX_SETTINGS = 1, SX_SHOWS = 2, SX_FILES = 4 /* output with a FILE is written there */ };

/* Runs those of the commands that are settings, or show something, or both, one after the other; without any words,
 * `all`. Whatever can be refused of a later show is refused with the settings. 0, or -1 with the reason in sw->error;
 * the commands before have been done. */
int sx_command(sx_switch *sw, int which, int count, char *const *words, FILE *out);

/* Names of the commands and their arguments, in some lines. */
void sx_command_help(FILE *out);

#endif
