/* The pins of an AXI4 or AXI4-Lite port, and of an AXI4-Stream port, of any model: found by name.
 *
 *     axi_pins pins;
 *     if (axi_pins_of(chip->model, "qp_mgr_m_axi_", &pins)) return;         // PREFIX + "arvalid" and so on; sim_fail
 * names the missing one
 *
 * A port has the write channels (AW, W, B), the read channels (AR, R), or both. It is an AXI4-Lite port if its
 * addresses have no length. Not there means what the AMBA specification says for it: ID 0, size of the whole data bus,
 * INCR, LAST in the only beat, OKAY. A master that counts beats may lack RLAST.
 */
#ifndef SIM_MODEL_AXI_AXI_PINS_H
#define SIM_MODEL_AXI_AXI_PINS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/kernel/model.h"

/* name, channel, 1: the channel is not there without it (2: not needed in AXI4-Lite) */
#define AXI_SIGNAL_LIST(X)                                                                                             \
    X(AWVALID, AW, 1)                                                                                                  \
    X(AWREADY, AW, 1)                                                                                                  \
    X(AWADDR, AW, 1)                                                                                                   \
    X(AWLEN, AW, 2)                                                                                                    \
    X(AWSIZE, AW, 0)                                                                                                   \
    X(AWBURST, AW, 0)                                                                                                  \
    X(AWID, AW, 0)                                                                                                     \
    X(AWLOCK, AW, 0)                                                                                                   \
    X(AWCACHE, AW, 0)                                                                                                  \
    X(AWPROT, AW, 0)                                                                                                   \
    X(WVALID, W, 1)                                                                                                    \
    X(WREADY, W, 1)                                                                                                    \
    X(WDATA, W, 1)                                                                                                     \
    X(WSTRB, W, 1)                                                                                                     \
    X(WLAST, W, 2)                                                                                                     \
    X(BVALID, B, 1)                                                                                                    \
    X(BREADY, B, 1)                                                                                                    \
    X(BRESP, B, 0)                                                                                                     \
    X(BID, B, 0)                                                                                                       \
    X(ARVALID, AR, 1)                                                                                                  \
    X(ARREADY, AR, 1)                                                                                                  \
    X(ARADDR, AR, 1)                                                                                                   \
    X(ARLEN, AR, 2)                                                                                                    \
    X(ARSIZE, AR, 0)                                                                                                   \
    X(ARBURST, AR, 0)                                                                                                  \
    X(ARID, AR, 0)                                                                                                     \
    X(ARLOCK, AR, 0)                                                                                                   \
    X(ARCACHE, AR, 0)                                                                                                  \
    X(ARPROT, AR, 0)                                                                                                   \
    X(RVALID, R, 1)                                                                                                    \
    X(RREADY, R, 1)                                                                                                    \
    X(RDATA, R, 1)                                                                                                     \
    X(RRESP, R, 0)                                                                                                     \
    X(RLAST, R, 0)                                                                                                     \
    X(RID, R, 0)

typedef enum axi_signal {
#define SIGNAL(name, channel, needed) AXI_##name,
    AXI_SIGNAL_LIST(SIGNAL)
#undef SIGNAL
        AXI_SIGNALS
} axi_signal;

typedef enum axi_channel_name { AXI_AW, AXI_W, AXI_B, AXI_AR, AXI_R, AXI_CHANNELS } axi_channel_name;
enum { AXI_OKAY, AXI_EXOKAY, AXI_SLVERR, AXI_DECERR };
enum { AXI_FIXED, AXI_INCR, AXI_WRAP };
enum { AXI_MOST_BYTES = 64 /* of a data bus */, AXI_MOST_BEATS = 256 };

typedef struct axi_pins {
    sim_port pin[AXI_SIGNALS]; /* `at` NULL: not there */
    sim_port rst;              /* the model's reset, high; `at` NULL: none */
    bool writes, reads, lite;
    bool master;    /* the model drives AWVALID or ARVALID */
    unsigned bytes; /* of the data bus */
} axi_pins;

/* 0, or -1: pins are missing or do not fit each other, and sim_fail says which. */
int axi_pins_of(sim_model *m, const char *prefix, axi_pins *pins);
/* The same for pins that are no model's: `pin` and `rst` are filled in, the rest follows. NULL, or what is wrong, valid
 * until the next call. */
const char *axi_pins_check(axi_pins *pins);

/* The value of a pin of up to 64 bits, or what it means if it is not there. */
static inline uint64_t axi_get(const axi_pins *p, axi_signal s, uint64_t otherwise)
{
    return p->pin[s].at ? sim_port_get(&p->pin[s]) : otherwise;
}
static inline void axi_set(const axi_pins *p, axi_signal s, uint64_t value)
{
    if (p->pin[s].at) sim_port_set(&p->pin[s], value);
}
/* A pin of one bit, VALID or READY for instance, which is looked at in every clock: 0 if it is not there. */
static inline bool axi_bit(const sim_port *p) { return p->at && *(const uint8_t *)p->at; }
static inline void axi_set_bit(const sim_port *p, bool value)
{
    if (p->at) *(uint8_t *)p->at = value;
}
static inline bool axi_in_reset(const sim_port *rst) { return axi_bit(rst); }

/* An address as the channels AW and AR carry it. */
typedef struct axi_burst {
    uint64_t address;
    unsigned id, beats, size /* bytes of a beat */, kind /* AXI_INCR ... */;
} axi_burst;
axi_burst axi_burst_at(const axi_pins *p, axi_channel_name channel /* AXI_AW or AXI_AR */);
/* Address of a beat, and the lanes of the bus that it may use: bit k is byte k. */
uint64_t axi_beat_address(const axi_burst *b, unsigned beat);
uint64_t axi_beat_lanes(const axi_burst *b, unsigned beat, unsigned bus_bytes);

/* ---- AXI4-Stream */

typedef struct axi_stream_pins {
    sim_port tvalid, tready, tdata, tkeep, tlast,
        tuser; /* `at` NULL: not there; without TREADY a word is taken in every clock */
    sim_port rst;
    unsigned bytes;
} axi_stream_pins;

/* PREFIX + "tvalid" and so on; tvalid, tdata and tlast must be there. 0, or -1 and sim_fail says what is missing. */
int axi_stream_pins_of(sim_model *m, const char *prefix, axi_stream_pins *pins);

#endif
