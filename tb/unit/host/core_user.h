/* The logic behind pcix_core in the NIC, in C: registers behind BAR1 with their two-clock reads, external memory behind
 * BAR0, a source of DMA write words, lists of DMA that run by themselves, and logs of all that the core says. Invalid
 * values are random. */
#ifndef NICXBAR_TB_CORE_USER_H
#define NICXBAR_TB_CORE_USER_H

#include <stdint.h>

#include "pcix_core.h"
#include "sim/core/kernel/sim.h"
#include "sim/model/host/pcix_bus.h"

enum { REGISTER_WORDS = 4096, WINDOW_WORDS = 256, SOURCE_WORDS = 65536, LOG_MAX = 8192, CORE_QUEUE = 64 };

/* Pins of pcix_core, whose reset pin has another name than the NIC's. */
#define CORE_PINS(m)                                                                                                   \
    {                                                                                                                  \
        PCIX_PINS_IO_(m, ad), PCIX_PINS_IO_(m, cbe_n), PCIX_PINS_IO_(m, par), PCIX_PINS_IO_(m, par64),                 \
            PCIX_PINS_IO_(m, frame_n), PCIX_PINS_IO_(m, irdy_n), PCIX_PINS_IO_(m, trdy_n), PCIX_PINS_IO_(m, devsel_n), \
            PCIX_PINS_IO_(m, stop_n), PCIX_PINS_IO_(m, req64_n), PCIX_PINS_IO_(m, ack64_n), PCIX_PINS_IO_(m, perr_n),  \
            .serr_n_i = (m)->serr_n_i, .serr_n_oe = (m)->serr_n_oe, .idsel_i = (m)->idsel_i, .gnt_n_i = (m)->gnt_n_i,  \
            .req_n_o = (m)->req_n_o, .req_n_oe = (m)->req_n_oe, .inta_n_oe = (m)->inta_n_oe, .rst_n = (m)->rst_n_pin   \
    }

/* One DMA Sequence of a list. */
typedef struct core_dma {
    uint64_t address;
    unsigned words; /* 1..512 */
    uint64_t *data; /* written from, or read into */
    unsigned tag;   /* reads */
    /* result */
    int status;
    unsigned done, moved; /* moved: words read */
} core_dma;

typedef struct {
    uint64_t words[LOG_MAX];
    uint8_t tags[LOG_MAX];
    unsigned count;
} word_log;

typedef struct {
    uint8_t tag, status;
    uint64_t clock;
} done_entry;

typedef struct {
    done_entry entry[256];
    unsigned count;
} done_log;

/* Counts of the core's one-clock outputs. */
typedef struct {
    unsigned read_request_done, write_request_done, write_disconnect, split_response, split_waiting, waits_over,
        unexpected;
    unsigned irq_assert, parity_error, underflow, abandoned, started_read, started_write, write_bus;
} core_events;

typedef struct core_user {
    pcix_core p; /* the pins of any configuration */
    sim *s;
    uint64_t clock;
    const char *problem; /* the first thing that the core must not do; NULL: none */

    /* registers behind BAR1 */
    union {
        uint64_t registers[REGISTER_WORDS];
        uint8_t register_bytes[8 * REGISTER_WORDS];
    };
    uint64_t read_pipe[2];
    uint64_t register_writes; /* clocks with reg_wr_valid */

    /* memory behind BAR0 */
    union {
        uint64_t window[WINDOW_WORDS];
        uint8_t window_bytes[8 * WINDOW_WORDS];
    };
    unsigned window_latency, window_age, window_reads, window_writes;

    /* DMA writes and their source */
    uint64_t source[SOURCE_WORDS];
    unsigned source_head, source_tail;
    unsigned source_ready; /* words [head .. ready) are valid now; normally = tail */
    int wr_waiting;
    done_log wr_done;

    /* DMA reads */
    int rd_waiting;
    word_log rd_data;
    done_log rd_done;

    core_events ev;
    uint8_t split_waited;       /* split_waiting in the last clock */
    uint64_t split_at, word_at; /* clocks of the last Split Response and of the first rd_data_valid after it */
    uint8_t started_write;      /* the last transaction was one */

    /* lists */
    core_dma *writes[CORE_QUEUE], *reads[CORE_QUEUE];
    core_dma *tags[32];                                           /* reads under way */
    unsigned write_in, write_out, write_ended, read_in, read_out; /* counters */
} core_user;

/* In reset, as pin rst. */
void core_user_init(core_user *u, sim *s, sim_model *core);
/* At a rising edge: all outputs belong to the cycle that ends there. Before the next one: sets the core's inputs. */
void core_user_sample(void *user);
void core_user_drive(core_user *u);
/* Shows a request, when none is waiting. */
void core_user_ask_write(core_user *u, uint64_t address, unsigned words, const uint64_t *data);
void core_user_ask_read(core_user *u, uint64_t address, unsigned words, unsigned tag);
/* Adds to the lists. */
void core_user_write(core_user *u, core_dma *d);
void core_user_read(core_user *u, core_dma *d);

#endif
