/* Disks over RDMA under test: a target with a disk in memory, initiators with clients that know what each sector must
 * hold. It stands on devices that are open already: fake ones (disk_mock.h) or those of a simulated system
 * (tb/system/test_disk.c).
 *
 *     disk_bench *b = disk_bench_new(devices, hosts, ...);
 *     b->client[0] = (disk_client){.host = 1, .depth = 8, .operations = 100, ...};
 *     disk_bench_run(b): in tasks, all that disk_bench_tasks lists
 *     ck_assert_msg(!*b->wrong, "%s", b->wrong);
 *
 * Each sector holds words of its number and of a version, so data of another place, request or time are wrong. A
 * request that ended with EIO leaves old or new content, each sector whole. A flush that ends well covers all that
 * clients of its host were answered before it began, except for answers before a flush reported a loss to its own
 * client.
 */
#ifndef TB_BLOCK_BENCH_H
#define TB_BLOCK_BENCH_H

#include <stdint.h>

#include "nx_disk.h"

enum { BENCH_HOSTS = 4, BENCH_CLIENTS = 4, BENCH_DEPTH = 32, BENCH_IOS = 512, BENCH_WRONG = 400 };

typedef struct sector_state {
    uint32_t now, other;      /* version it holds, or this one; NONE */
    uint32_t made;            /* last version given away */
    uint32_t safe;            /* held when the last flush began that was answered */
    uint64_t order;           /* of answers: when it got the version `now` */
    uint8_t in_flight, dirty; /* written, and not durable */
} sector_state;
enum { SECTOR_NONE = UINT32_MAX };

struct disk_bench;

/* Client that submits requests, and checks the answers. */
typedef struct disk_client {
    unsigned host, depth;
    unsigned operations;                                         /* how many in all */
    unsigned mix[6];                                             /* weights, index enum nx_disk_operation */
    uint32_t first, sectors;                                     /* its part of the disk */
    unsigned least, most;                                        /* [sectors] of a request */
    unsigned fua;                                                /* [%] of those that may have it */
    int on_bus;                                                  /* data lie there, and go straight or by copy() */
    unsigned pause;                                              /* turns until the next request; for answered() */
    void (*answered)(struct disk_client *c, nx_disk_request *r); /* may be NULL */
    struct disk_bench *b;
    unsigned number, begun, ended, status[6], tries;
    nx_disk_request request[BENCH_DEPTH];
    int used[BENCH_DEPTH];
    uint8_t *data[BENCH_DEPTH];
    uint64_t bus[BENCH_DEPTH];
    uint64_t worst_ns;              /* longest request */
    uint64_t verifier, reported_at; /* write verifier, and at which answer of the bench it last changed */
    uint32_t *covered[BENCH_DEPTH]; /* of a flush: the versions that it makes safe */
} disk_client;

typedef struct disk_bench {
    unsigned hosts, clients;
    nx_device *dev[BENCH_HOSTS]; /* 0: of the target */
    const struct nx_platform *platform[BENCH_HOSTS];
    uint64_t (*random)(void);
    nx_disk_params params[BENCH_HOSTS];
    nx_disk_target *target;
    nx_disk *disk[BENCH_HOSTS];
    disk_client client[BENCH_CLIENTS];
    /* the disk: its content as read, and its content after a crash */
    nx_disk_store store;
    uint8_t *content, *durable;
    uint64_t delay_ns, delay_random_ns; /* of an operation */
    int in_order;                       /* one after the other */
    nx_disk_io *io[BENCH_IOS];
    uint64_t due[BENCH_IOS], last_due;
    unsigned ios, begun;
    unsigned sync_fails; /* one flush of this many finds the disk failing to sync: sectors not yet durable are lost; 0:
                            none does */
    uint64_t answers;    /* to clients */
    uint64_t verifier[BENCH_HOSTS];                         /* of disk_bench_do */
    void (*on_begin)(struct disk_bench *b, nx_disk_io *io); /* before an operation begins; may be NULL */
    sector_state *sector;
    enum {
        BENCH_EXACT,
        BENCH_LOSSY,
        BENCH_SHARED
    } rule;                             /* unflushed writes may be lost; all clients write everywhere */
    int crash;                          /* the target is to crash: its host does it */
    uint64_t crash_ns;                  /* ... for so long */
    void (*extra_task)(void *bench);    /* one more task of disk_mock_run; may be NULL */
    int kick[BENCH_HOSTS];              /* this host has work without an interrupt */
    int over, halted[BENCH_HOSTS];      /* clients have ended; a host does nothing */
    nx_disk_counts counts[BENCH_HOSTS]; /* after a run */
    nx_disk_target_counts target_counts;
    char wrong[BENCH_WRONG];
} disk_bench;

/* A disk of this many sectors. The parameters of all hosts are defaults with this mailbox. */
disk_bench *disk_bench_new(unsigned hosts, nx_device *const *dev, const struct nx_platform *const *platform,
                           uint64_t mailbox, uint32_t sectors, uint64_t (*random)(void));
/* Opens target and initiators with the parameters there are; closes all of it. */
void disk_bench_open(disk_bench *b);
void disk_bench_close(disk_bench *b);
/* The target is gone with all that it held in memory, and comes back. */
void disk_bench_crash(disk_bench *b);
void disk_bench_reopen(disk_bench *b);

/* Software of each host and each client, as a task of its own; arg is a seat or a client. */
typedef struct disk_seat {
    disk_bench *b;
    unsigned host;
} disk_seat;
void disk_bench_host(void *seat);
void disk_bench_client(void *client);
/* For `awake` of a platform: arg is a seat. */
int disk_bench_awake(void *seat);

/* After a run: every sector of the disk is as answered to clients, and after flushes it is safe. */
void disk_bench_check(disk_bench *b);
/* Only the first error is kept. */
void disk_bench_wrong(disk_bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A request by hand, from a task: waits for it. The status. */
unsigned disk_bench_do(disk_bench *b, unsigned host, unsigned operation, uint64_t offset, uint32_t length, void *data,
                       unsigned flags);
/* The same with a request that is filled in, but for its end. */
unsigned disk_bench_request(disk_bench *b, unsigned host, nx_disk_request *r);

#endif
