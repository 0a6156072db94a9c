/* A disk in the simulated world under test: an image in a folder of its own, a service, and requests from outside, a
 * number at a time.
 *
 *     disk_serve(disk_params(2));
 *     disk_ask(1, NX_DISK_WRITE, 0, 4096, data);
 *     disk_answer(1);                                 all that was asked, in this order; disk.asked[0].status
 *
 * For test cases with .teardown = shell_clean. The same seed is the same run: nothing depends on the time that it
 * takes.
 */
#ifndef TB_SYSTEM_DISK_BENCH_H
#define TB_SYSTEM_DISK_BENCH_H

#include "sim/app/disk/disk_private.h"

enum { DISK_BYTES = 1 << 20, DISK_ASKED = 64 };

typedef struct disk_bench {
    disk_service *s;
    char image[64];
    disk_request asked[DISK_ASKED];
    unsigned host_of[DISK_ASKED];
    unsigned wanted, submitted, ended, depth;
    uint64_t verifier[FABRIC_NODES]; /* write verifier that each host knows */
    uint8_t file[DISK_BYTES];        /* after disk_read_image */
} disk_bench;
extern disk_bench disk;

/* So many hosts around a switch, places of 16 KiB, an image of zeros; and the service, which goes after the test. */
disk_service_params disk_params(unsigned nodes);
void disk_serve(disk_service_params p);

/* One more request for disk_answer; more than one may be under way, up to a limit. */
void disk_ask(unsigned host, unsigned operation, uint64_t offset, uint32_t length, void *data);
void disk_answer(unsigned at_a_time);
/* For disk_service_serve: submits all waiting requests. */
void disk_look(void *self);
/* One request, with flags: its status. */
unsigned disk_do(unsigned host, unsigned operation, unsigned flags, uint64_t offset, uint32_t length, void *data);

/* Content of the file now. */
void disk_read_image(void);
/* Simulates so long, and delivers what is answered. */
void disk_step(sim_time time);
nx_disk_counts disk_counts(unsigned host);

/* Buffer space is whole again everywhere, within the time that check records need. */
void disk_settles(void);
/* A request of each initiator is served; besides, nothing is under way any more, and buffer space is whole. */
void disk_must_serve(void);
void disk_must_be_well(void);

#endif
