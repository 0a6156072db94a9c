/* Ports of a generated binding without their C type, so that one suite drives candidates of any width. */
#ifndef TB_CONTRACT_WIRES_H
#define TB_CONTRACT_WIRES_H

#include <stdint.h>

/* A port: up to 64 bits one element of `size` bytes, wider ones an array of 4 bytes each (sim/runtime/model.h). */
typedef struct wires {
    void *at;
    unsigned size;
} wires;

/* The port `name` of a binding. */
#define WIRES(binding, name) ((wires){(void *)(binding)->name, sizeof *(binding)->name})

/* Ports of up to 64 bits. */
uint64_t wires_get(const wires *w);
void wires_set(const wires *w, uint64_t value);
/* Bits lsb .. lsb + bits - 1 of a port of any width; bits <= 32. */
void wires_set_field(const wires *w, unsigned lsb, unsigned bits, uint32_t value);

#endif
