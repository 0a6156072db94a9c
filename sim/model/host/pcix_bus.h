/* A PCI-X bus on pin level.
 *
 * Agents drive, the bus resolves (pull-ups, one driver per signal), everybody samples. An agent is either a model of a
 * device, given by pointers to its split pins (`ad_i`, `ad_o`, `ad_oe` ...), or a C agent (a bridge, or something a
 * test plays). A C agent behaves like registered hardware: what it drives for clock m may depend on the samples up to
 * m-2 (0.1), so its `step` is handed the sample of m-2 as the newest one.
 *
 * One call of pcix_bus_tick makes one clock: gather what all agents drive for clock m, resolve, follow the transaction
 * (pcix_tracker), write the result to the devices' input pins, then call the watchers (the monitor is one). It belongs
 * into the drive phase of a rising edge m-1, so that the devices capture the values at edge m. The bus does not need
 * the simulator: a test may call pcix_bus_tick by hand.
 *
 * On an idle bus on which every agent goes on with what it did in the clock before, the sample is a copy of that of the
 * clock before, and no more is done. So a C agent that may say when it rests costs little.
 *
 * Undriven AD and C/BE# read as ones. Clocks count from 1; the last PCIX_HISTORY samples stay readable.
 */
#ifndef SIM_MODEL_HOST_PCIX_BUS_H
#define SIM_MODEL_HOST_PCIX_BUS_H

#include "sim/model/host/pcix.h"
#include "sim/model/host/pcix_tracker.h"

enum { PCIX_HISTORY = 512 /* samples kept; a power of two */, PCIX_WATCHERS = 8 };

/* The pins of one device, named as the ports of the RTL top `nic`. Unused pointers may be NULL only where noted. */
typedef struct pcix_pins {
    uint64_t *ad_i;
    const uint64_t *ad_o;
    const uint8_t *ad_oe;
    uint8_t *cbe_n_i;
    const uint8_t *cbe_n_o, *cbe_n_oe;
    uint8_t *par_i;
    const uint8_t *par_o, *par_oe;
    uint8_t *par64_i;
    const uint8_t *par64_o, *par64_oe;
    uint8_t *frame_n_i;
    const uint8_t *frame_n_o, *frame_n_oe;
    uint8_t *irdy_n_i;
    const uint8_t *irdy_n_o, *irdy_n_oe;
    uint8_t *trdy_n_i;
    const uint8_t *trdy_n_o, *trdy_n_oe;
    uint8_t *devsel_n_i;
    const uint8_t *devsel_n_o, *devsel_n_oe;
    uint8_t *stop_n_i;
    const uint8_t *stop_n_o, *stop_n_oe;
    uint8_t *req64_n_i;
    const uint8_t *req64_n_o, *req64_n_oe;
    uint8_t *ack64_n_i;
    const uint8_t *ack64_n_o, *ack64_n_oe;
    uint8_t *perr_n_i;
    const uint8_t *perr_n_o, *perr_n_oe;
    uint8_t *serr_n_i;
    const uint8_t *serr_n_oe;
    uint8_t *idsel_i, *gnt_n_i;
    const uint8_t *req_n_o, *req_n_oe;
    const uint8_t *inta_n_oe;
    uint8_t *rst_n;
} pcix_pins;

#define PCIX_PINS_IO_(m, s) .s##_i = (m)->s##_i, .s##_o = (m)->s##_o, .s##_oe = (m)->s##_oe
/* The pins of a generated binding `m` (a pointer) whose ports have these names: pcix_pins p = PCIX_PINS(my_nic); */
#define PCIX_PINS(m)                                                                                                   \
    {                                                                                                                  \
        PCIX_PINS_IO_(m, ad), PCIX_PINS_IO_(m, cbe_n), PCIX_PINS_IO_(m, par), PCIX_PINS_IO_(m, par64),                 \
            PCIX_PINS_IO_(m, frame_n), PCIX_PINS_IO_(m, irdy_n), PCIX_PINS_IO_(m, trdy_n), PCIX_PINS_IO_(m, devsel_n), \
            PCIX_PINS_IO_(m, stop_n), PCIX_PINS_IO_(m, req64_n), PCIX_PINS_IO_(m, ack64_n), PCIX_PINS_IO_(m, perr_n),  \
            .serr_n_i = (m)->serr_n_i, .serr_n_oe = (m)->serr_n_oe, .idsel_i = (m)->idsel_i, .gnt_n_i = (m)->gnt_n_i,  \
            .req_n_o = (m)->req_n_o, .req_n_oe = (m)->req_n_oe, .inta_n_oe = (m)->inta_n_oe, .rst_n = (m)->pci_rst_n   \
    }

/* The beginning of every bus: signals evaluated in each clock. Only for the functions below. */
struct pcix_bus_seen {
    uint64_t clock, flipped;
    int agents;
    pcix_sample ring[PCIX_HISTORY];
};
typedef struct pcix_bus pcix_bus;

/* A C agent: fills `out` (preset to "drives nothing") for clock m; `now` is the sample of clock m-2. */
typedef void (*pcix_step)(void *self, const pcix_sample *now, pcix_drive *out);
/* Would `step` drive what it drove in the clock before, and change nothing else? Then it need not be called. While the
 * bus shows the same, the answer must stay yes, until pcix_bus_wake. */
typedef bool (*pcix_rest)(void *self, const pcix_sample *now);
/* Called for every clock once it is resolved. */
typedef void (*pcix_watch)(void *self, const pcix_sample *s);

pcix_bus *pcix_bus_new(void);
void pcix_bus_free(pcix_bus *bus);

/* Both return the number of the agent (0, 1, ...; its bit in gnt_n, req_n), or -1 if the bus is full. */
int pcix_bus_add_agent(pcix_bus *bus, const char *name, pcix_step step, void *self);
/* Without, an agent is evaluated in each clock. */
void pcix_bus_set_rest(pcix_bus *bus, int agent, pcix_rest rests);
/* An agent in C has got something to do: idle ones are evaluated again. */
void pcix_bus_wake(pcix_bus *bus);
/* `device` is the device number: IDSEL = AD[16 + device]. The pins must outlive the bus; `pins` itself is copied. Pins
 * less than 48 bytes apart are parts of one object. */
int pcix_bus_add_device(pcix_bus *bus, const char *name, int device, const pcix_pins *pins);
static inline int pcix_bus_agents(const pcix_bus *bus) { return ((const struct pcix_bus_seen *)bus)->agents; }
const char *pcix_bus_agent_name(const pcix_bus *bus, int agent);

/* Watchers run in the order they were added; -1 if there are too many. */
int pcix_bus_add_watcher(pcix_bus *bus, pcix_watch watch, void *self);
/* A place for electrical faults: called with every resolved sample before anybody sees it. May call pcix_bus_flip. */
void pcix_bus_set_fault(pcix_bus *bus, pcix_watch fault, void *self);
/* From inside the fault call: inverts AD, C/BE# and one-bit signals of the clock being made, for all who sample it. The
 * monitor knows of it. */
void pcix_bus_flip(pcix_bus *bus, uint64_t ad, uint8_t cbe, uint16_t level);

/* Level of RST# from the next clock on; low at first. */
void pcix_bus_set_reset(pcix_bus *bus, int rst_n);

/* Makes the next clock, and returns its sample. */
const pcix_sample *pcix_bus_tick(pcix_bus *bus);

/* The clock made last; 0 at first. */
static inline uint64_t pcix_bus_clock(const pcix_bus *bus) { return ((const struct pcix_bus_seen *)bus)->clock; }
/* Sample of clock `clock`, one of the last PCIX_HISTORY; clocks before 1 show an idle bus in reset. */
static inline const pcix_sample *pcix_bus_at(const pcix_bus *bus, uint64_t clock)
{
    return &((const struct pcix_bus_seen *)bus)->ring[clock & (PCIX_HISTORY - 1)];
}
/* The flip applied to that clock (all zero as a rule). */
typedef struct pcix_flip {
    uint64_t clock, ad;
    uint8_t cbe;
    uint16_t level;
} pcix_flip;
/* The last clock with a flip, 0 = none yet. */
static inline uint64_t pcix_bus_flipped(const pcix_bus *bus) { return ((const struct pcix_bus_seen *)bus)->flipped; }
const pcix_flip *pcix_bus_flip_at(const pcix_bus *bus, uint64_t clock);
/* Signals that had two drivers in the clock made last (bits). */
uint16_t pcix_bus_conflict(const pcix_bus *bus);
/* Follows the transactions of this bus. */
pcix_tracker *pcix_bus_tracker(pcix_bus *bus);

#endif
