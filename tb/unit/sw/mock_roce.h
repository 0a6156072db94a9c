/* A RoCE chip for tests of its driver: registers that keep written values, memory, a clock that each access advances,
 * and a log of the writes. Tests do the chip's work by hand or in `on_write`. Places and bits in tests are typed from
 * S5 table 2-7. */
#ifndef MOCK_ROCE_H
#define MOCK_ROCE_H

#include "rn.h"
#include "sim/model/host/memory.h"

enum { MOCK_ROCE_BASE = 0x84000000, MOCK_ROCE_WRITES = 4096, MOCK_ROCE_QPS = 16 };

typedef struct mock_roce {
    struct nx_platform platform;
    memory *memory;
    uint32_t reg[0x10000 / 4];
    unsigned qps; /* that it has: registers of others read 0; default MOCK_ROCE_QPS */
    struct {
        unsigned offset;
        uint32_t value;
    } writes[MOCK_ROCE_WRITES]; /* since mock_roce_forget */
    unsigned write_count, reads;
    void (*on_write)(struct mock_roce *m, unsigned offset, uint32_t value); /* after it is stored; NULL: nothing */
    void *arg;                                                              /* for on_write */
    int failing; /* mock_roce_complete_at_once: completions of QPs other than 1 have ERRFLAG set */
    uint64_t now_ns, next_free, allocated;
    unsigned allocs_left;   /* then there is no memory; default: enough */
    unsigned accesses_left; /* then the bus fails; default: enough */
    unsigned failed;        /* accesses */
} mock_roce;

mock_roce *mock_roce_new(void);
/* The device with these addresses: MAC 02:00:00:00:00:01, 10.0.0.1, fe80::1; it must open. All goes after the test. */
rn_device *mock_roce_open(mock_roce *m, const rn_params *params);
rn_params mock_roce_params(void);
void mock_roce_forget(mock_roce *m);
uint32_t mock_roce_word(mock_roce *m, uint64_t address);
void mock_roce_put(mock_roce *m, uint64_t address, uint32_t value);
/* The value that was last written there; fails the test if none was. */
uint32_t mock_roce_written(const mock_roce *m, unsigned offset);
/* QPs complete posted WQEs at once, without error, and hand it to `sent`. */
void mock_roce_complete_at_once(mock_roce *m, void (*sent)(mock_roce *m, unsigned qp, const uint8_t wqe[64]));
/* A SEND comes for a QP. */
void mock_roce_arrive(mock_roce *m, unsigned qp, const void *data, unsigned size);

#endif
