/* The switch of a fabric as its monitor's software sees it (sw/switch). All from a task. */
#ifndef SIM_NODES_SWITCH_ACCESS_H
#define SIM_NODES_SWITCH_ACCESS_H

#include "fabric.h"
#include "sx.h"

/* The registers of the switch; f must outlive it. */
struct sx_platform switch_platform(fabric *f);

/* Commands of the monitor tool (sx_command.h), separated by blanks: the settings among them; the tables, printed on stdout. 0, or -1 with
 * the reason in `error`. */
enum { SWITCH_ERROR = 200 };
int switch_check(const sim_config *chip, const char *commands, char error[SWITCH_ERROR]); /* whether they are right for it; no task */
int switch_settings(fabric *f, const char *commands, char error[SWITCH_ERROR]);
int switch_tables(fabric *f, const char *commands, char error[SWITCH_ERROR]);
/* All registers into a file that switch_monitor reads. */
int switch_dump(fabric *f, const char *path, char error[SWITCH_ERROR]);

#endif
