/* Shared by the files of this folder: registers of the monitor port, and how their failures are reported. */
#ifndef SX_INTERNAL_H
#define SX_INTERNAL_H

#include "sx.h"

/* Of a port: the registers from 0x4000 on. */
#define SX_PAGE(port, offset) ((offset) + 0x400u * (port))
/* A field of a register's value. */
#define SX_FIELD(value, name) (((value)&SWITCH_##name##_MASK) >> SWITCH_##name##_SHIFT)

/* Puts the reason into sw->error; -1. */
int sx_fail(sx_switch *sw, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 0 or -1. */
int sx_get(sx_switch *sw, unsigned offset, uint32_t *value);
int sx_set(sx_switch *sw, unsigned offset, uint32_t value);
/* 0, or -1: there is none of that number; `what` is "port", "output" or "input". */
int sx_known(sx_switch *sw, const char *what, unsigned port);

#endif
