/* The switches of a fabric as their monitors' software sees them (sw/switch). All from a task. */
#ifndef SIM_SYSTEM_NODES_SWITCH_ACCESS_H
#define SIM_SYSTEM_NODES_SWITCH_ACCESS_H

#include "sim/system/nodes/fabric.h"
#include "sx.h"

/* The registers of a switch: of several that of link `path`. f must outlive it. */
struct sx_platform switch_platform(fabric *f, unsigned path);

/* Commands of the monitor tool (sx_command.h), separated by blanks: the settings among them; the tables, printed on
 * stdout. Of several switches each gets them, and each has its tables, and files with ".1" and so on behind their
 * names. 0, or -1 with the reason in `error`. */
enum { SWITCH_ERROR = 200 };
int switch_check(const sim_config *chip, const char *commands,
                 char error[SWITCH_ERROR]); /* whether they are right for it; no task */
int switch_settings(fabric *f, const char *commands, char error[SWITCH_ERROR]);
int switch_tables(fabric *f, const char *commands, char error[SWITCH_ERROR]);
/* All registers into a file that switch_monitor reads; of several switches each into a file, as above. */
int switch_dump(fabric *f, const char *path, char error[SWITCH_ERROR]);

#endif
