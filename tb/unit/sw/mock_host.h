/* Hosts around fake network interfaces: the platform that the driver is given, and tasks that take turns.
 *
 * Each bus access lets time pass and hands over to the next task, as coroutines on a simulator do. Outside of mock_run
 * there is only the caller, and accesses just let time pass.
 */
#ifndef MOCK_HOST_H
#define MOCK_HOST_H

#include "mock_nic.h"
#include "nx.h"
#include "sim/model/host/write_combining.h"

enum { MOCK_WINDOW = 0x80000000u, MOCK_MAILBOX = 0x100000 };

typedef struct mock_host {
    mock_nic *nic;
    mock_net *net;
    struct nx_platform platform;
    uint64_t next_free; /* of a heap that never reuses */
    uint64_t allocated; /* bytes in use */
    uint64_t alloc_limit;
    write_combining *combining;
    int wild;             /* mock_host_wild has been called */
    int combining_failed; /* a piece met no device */
    int device_count;     /* identical cards in the slots 1..n of the bus; default 1, the host's own */
    uint64_t config_accesses, writes32, writes64, lines, fences, mem_reads, irq_waits, irq_timeouts;
    int fail_reads;  /* bus reads fail from now on */
    int lies_fallow; /* memory that is released stays open to the device: its content is lost with the host's software,
                        not the host */
    int (*awake)(void *arg); /* not NULL: also ends a sleep for an interrupt */
    void *awake_arg;
} mock_host;

/* Fills in host->platform for node `node`; the host's memory below MOCK_MAILBOX + 1 MB is open to the device, for
 * mailboxes. */
void mock_host_init(mock_host *host, mock_net *net, unsigned node);
/* Write-combining buffers that do whatever they may; without it lines leave in order and at once or at a fence. */
void mock_host_wild(mock_host *host);
/* The bus scan with the result it must have; the bus goes after the test. Scan and nx_open, which has to be closed even
 * if refused. */
nx_bus *mock_scan(mock_host *host, const nx_bus_params *params, int result);
nx_device *mock_try_open(mock_host *host, const nx_params *params, int result);
nx_device *mock_open(mock_host *host, const nx_params *params); /* NX_OK */

/* Runs the functions as tasks until all have returned. */
struct mock_task {
    void (*run)(void *);
    void *arg;
};
void mock_run(const struct mock_task *tasks, unsigned count);

#endif
