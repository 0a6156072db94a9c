/* What stands behind pcix_core in the NIC, in C: registers, a memory behind the window, and a DMA engine that runs lists of Sequences. */
#ifndef NICXBAR_TB_CORE_USER_H
#define NICXBAR_TB_CORE_USER_H

#include <stdint.h>

#include "pcix_core.h"
#include "sim/host/pcix_bus.h"
#include "sim/runtime/sim.h"

enum { CORE_REGISTERS = 32768 /* bytes */, CORE_WINDOW = 4096, CORE_QUEUE = 64 };

/* Pins of pcix_core, whose reset pin has another name than the NIC's. */
#define CORE_PINS(m)                                                                                                                       \
    {                                                                                                                                      \
        PCIX_PINS_IO_(m, ad), PCIX_PINS_IO_(m, cbe_n), PCIX_PINS_IO_(m, par), PCIX_PINS_IO_(m, par64), PCIX_PINS_IO_(m, frame_n),          \
            PCIX_PINS_IO_(m, irdy_n), PCIX_PINS_IO_(m, trdy_n), PCIX_PINS_IO_(m, devsel_n), PCIX_PINS_IO_(m, stop_n),                      \
            PCIX_PINS_IO_(m, req64_n), PCIX_PINS_IO_(m, ack64_n), PCIX_PINS_IO_(m, perr_n),                                                \
            .serr_n_i = (m)->serr_n_i, .serr_n_oe = (m)->serr_n_oe, .idsel_i = (m)->idsel_i, .gnt_n_i = (m)->gnt_n_i,                      \
            .req_n_o = (m)->req_n_o, .req_n_oe = (m)->req_n_oe, .inta_n_oe = (m)->inta_n_oe, .rst_n = (m)->rst_n_pin                       \
    }

/* One DMA Sequence. */
typedef struct core_dma {
    uint64_t address;
    unsigned words; /* 1..512 */
    uint64_t *data; /* written from, or read into */
    unsigned tag;   /* reads */
    /* result */
    int status;
    unsigned done, moved; /* moved: words */
} core_dma;

typedef struct core_user {
    pcix_core p; /* the user side of the core */
    uint8_t registers[CORE_REGISTERS];
    uint8_t window[CORE_WINDOW];
    unsigned window_latency; /* [clocks] */
    core_dma *writes[CORE_QUEUE], *reads[CORE_QUEUE];
    unsigned write_in, write_out, write_data, write_done; /* counters: queued, acked, data being popped, done */
    unsigned read_in, read_out;
    core_dma *tags[32];
    unsigned underflows, problems;
    /* pipeline */
    uint64_t read_stage, read_value;
    unsigned window_age;
    int picked_write;
} core_user;

/* Attaches to `clock`; after host_new, so that inputs of the core follow those of the bus. */
void core_user_init(core_user *u, sim_clock *clock, sim_model *core);
void core_user_write(core_user *u, core_dma *d);
void core_user_read(core_user *u, core_dma *d);

#endif
