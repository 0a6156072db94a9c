/* Pins of a PowerPC 405's data-side PLB port (UG018 chapter 2, C405PLBDCU... and PLBC405DCU...), named as in
 * rtl/coherent_node.v. IBM's bit 0 is the highest bit here: byte 0 of a doubleword is bits 63..56 of a data bus, its
 * enable is bit 7 of `be`. */
#ifndef SIM_MODEL_PPC405_PLB_PINS_H
#define SIM_MODEL_PPC405_PLB_PINS_H

#include <stdint.h>

/* Of the processor: what it drives and what it sees. */
typedef struct plb_master_pins {
    uint8_t *request, *rnw, *size2, *be, *abort, *priority, *cacheable, *writethru, *guarded, *u0attr;
    uint32_t *abus;
    uint64_t *wrdbus;
    const uint8_t *addrack, *ssize1, *rddack, *rdwdaddr, *wrdack, *busy, *err;
    const uint64_t *rddbus;
} plb_master_pins;

/* Of a slave. */
typedef struct plb_slave_pins {
    const uint8_t *request, *rnw, *size2, *be, *abort;
    const uint32_t *abus;
    const uint64_t *wrdbus;
    uint8_t *addrack, *ssize1, *rddack, *rdwdaddr, *wrdack, *busy, *err;
    uint64_t *rddbus;
} plb_slave_pins;

/* Of a binding whose ports begin with a prefix: PLB_MASTER_PINS(chip, p0_). */
#define PLB_MASTER_PINS(m, p)                                                                                          \
    ((plb_master_pins){.request = (m)->p##request,                                                                     \
                       .rnw = (m)->p##rnw,                                                                             \
                       .size2 = (m)->p##size2,                                                                         \
                       .be = (m)->p##be,                                                                               \
                       .abort = (m)->p##abort,                                                                         \
                       .priority = (m)->p##priority,                                                                   \
                       .cacheable = (m)->p##cacheable,                                                                 \
                       .writethru = (m)->p##writethru,                                                                 \
                       .guarded = (m)->p##guarded,                                                                     \
                       .u0attr = (m)->p##u0attr,                                                                       \
                       .abus = (m)->p##abus,                                                                           \
                       .wrdbus = (m)->p##wrdbus,                                                                       \
                       .addrack = (m)->p##addrack,                                                                     \
                       .ssize1 = (m)->p##ssize1,                                                                       \
                       .rddack = (m)->p##rddack,                                                                       \
                       .rdwdaddr = (m)->p##rdwdaddr,                                                                   \
                       .wrdack = (m)->p##wrdack,                                                                       \
                       .busy = (m)->p##busy,                                                                           \
                       .err = (m)->p##err,                                                                             \
                       .rddbus = (m)->p##rddbus})
#define PLB_SLAVE_PINS(m, p)                                                                                           \
    ((plb_slave_pins){.request = (m)->p##request,                                                                      \
                      .rnw = (m)->p##rnw,                                                                              \
                      .size2 = (m)->p##size2,                                                                          \
                      .be = (m)->p##be,                                                                                \
                      .abort = (m)->p##abort,                                                                          \
                      .abus = (m)->p##abus,                                                                            \
                      .wrdbus = (m)->p##wrdbus,                                                                        \
                      .addrack = (m)->p##addrack,                                                                      \
                      .ssize1 = (m)->p##ssize1,                                                                        \
                      .rddack = (m)->p##rddack,                                                                        \
                      .rdwdaddr = (m)->p##rdwdaddr,                                                                    \
                      .wrdack = (m)->p##wrdack,                                                                        \
                      .busy = (m)->p##busy,                                                                            \
                      .err = (m)->p##err,                                                                              \
                      .rddbus = (m)->p##rddbus})

#endif
