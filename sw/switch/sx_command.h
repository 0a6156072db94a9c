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
 *     clear                                           all counters to 0 */
#ifndef SX_COMMAND_H
#define SX_COMMAND_H

#include <stdio.h>

#include "sx.h"

enum { SX_SETTINGS = 1, SX_SHOWS = 2 };

/* Runs those of the commands that are settings, or show something, or both, one after the other; without any words, `all`. 0, or -1 with
 * the reason in sw->error; the commands before have been done. */
int sx_command(sx_switch *sw, int which, int count, char *const *words, FILE *out);

#endif
