/* The host on the other side of the bus of core_bench as initiator, and in core_target.h as memory target; both written
 * from pcix.md with the registered-bus rule (a value in column c depends on columns up to c-2). Not shared with
 * sim/model/host: a second implementation. */
#ifndef NICXBAR_TB_CORE_HOST_H
#define NICXBAR_TB_CORE_HOST_H

#include "core_bench.h"
#include "core_target.h"

/* ---- host as initiator ---- */
enum { NOBODY, MOVED, RETRIED, SPLIT, ABORTED, SINGLE };

enum {
    MEMORY_READ_DWORD = 0x6,
    MEMORY_WRITE = 0x7,
    ALIAS_READ = 0x8,
    ALIAS_WRITE = 0x9,
    CONFIG_READ = 0xa,
    CONFIG_WRITE = 0xb,
    SPLIT_COMPLETION = 0xc,
    DUAL_ADDRESS = 0xd,
    MEMORY_READ_BLOCK = 0xe,
    MEMORY_WRITE_BLOCK = 0xf
};

typedef struct {
    /* the transaction */
    int command;
    uint64_t address; /* byte address; dual address cycle if dual is set */
    int dual;
    int wide;             /* REQ64# */
    unsigned count;       /* bytes 1..4096; DWORD commands: ignored */
    uint32_t attribute;   /* AD[31:8] of the attribute phase, low byte 0; config: bus number in the low byte */
    uint8_t enables;      /* DWORD commands: active high */
    uint8_t *data;        /* data[i] belongs to address + i (DWORD: to the dword); read or written */
    const uint8_t *mask;  /* Memory Write: byte i is enabled, NULL = all */
    unsigned leave_after; /* initiator disconnect: number of data phases, >= 4 and up to an ADB; 0 = never */
    int bad_parity_address, bad_parity_attribute, bad_parity_phase; /* wrong parity; phase counts from 1, 0 = none */
    int bad_parity_upper;                                           /* the wrong one is PAR64 */
    /* events; clocks relative to the address phase, -1 = none */
    int result;
    unsigned phases, moved; /* data phases, bytes */
    uint64_t start;         /* column of the (last) address phase */
    int devsel, response, last;
    int acked64, stopped;
} host_txn;

/* Runs one transaction from the present column on; the bus must be idle. Returns at E+1 (E: IRDY# high), so that a call
 * right after it has its address phase at E+1 (start rule (b)), and one with a clock in between at E+2 (rule (a)). */
void host_run(bench *b, host_txn *t);
/* The same for a plain one that must move data. */
host_txn host_move(bench *b, int command, uint64_t address, void *data, unsigned count, int wide);
/* Takes the bus: stops granting, waits until it is idle and gives it back with host_release. */
void host_take(bench *b);
void host_release(bench *b);
/* Takes the bus for this one transaction. */
void host_once(bench *b, host_txn *t);
/* PERR# lows in columns from the address phase of t up to now. */
unsigned host_perr(const bench *b, const host_txn *t);

/* Shorthands; they take the bus, run until not Retry (at most 200 times), leave 2 idle clocks. Return the result; _get
 * the value, when the result must be MOVED, as that of _write must. */
int host_config_read(bench *b, unsigned reg, uint32_t *value);
uint32_t host_config_get(bench *b, unsigned reg);
void host_config_write(bench *b, unsigned reg, uint32_t value, unsigned enables);
/* The error bits of the status register, 06h; clears them. */
unsigned host_status(bench *b);
int host_write_bytes(bench *b, uint64_t address, const void *data, unsigned count, int wide);
int host_read_bytes(bench *b, uint64_t address, void *data, unsigned count, int wide);
/* BARs at HOST_BAR0/1, memory and master enabled, parity and SERR# enabled, device HOST_DEVICE on bus HOST_BUS, 4 KB
 * reads. */
void host_setup(bench *b);
/* A new bench, set up like that, the host's memory on as target. */
bench *bench_with_host(int decode, int splits);
/* A test of one call. */
#define CALL_TEST(name, call)                                                                                          \
    TEST(name) { call; }
/* A test whose `b` is made by the call `make`. */
#define BENCH_TEST(name, make, ...)                                                                                    \
    static void name##_on(bench *b, int _i);                                                                           \
    TEST(name, __VA_ARGS__) { name##_on(make, _i); }                                                                   \
    static void name##_on(bench *b, __attribute__((unused)) int _i)

#define HOST_BAR0 0xd8000000u
#define HOST_BAR1 0xf2348000u
#define HOST_BUS 0x25u
#define HOST_DEVICE 3u
#define NIC_ID (HOST_BUS << 16 | HOST_DEVICE << 11)

/* A Split Completion of `count` bytes, ready to run. */
host_txn host_completion(unsigned tag, uint64_t address, unsigned count, int wide, uint8_t *data);
/* Split Completion with host memory from `address` on; `remaining` is the byte count in the attribute, leave_after as
 * in host_txn. Returns the bytes moved. */
unsigned host_complete(bench *b, unsigned tag, uint64_t address, unsigned remaining, unsigned leave_after, int wide);
/* The same with BCM: `count` bytes are all that comes now, and the Byte Count says no more. */
unsigned host_complete_part(bench *b, unsigned tag, uint64_t address, unsigned count, int wide);
/* Error or other message: flags {SCE, SCM}. */
void host_message(bench *b, unsigned tag, unsigned flags, uint32_t message);

#endif
