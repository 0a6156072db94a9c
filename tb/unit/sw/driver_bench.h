/* Base of the tests of the driver: two nodes, each with a fake device and the driver, joined by a cable. */
#ifndef DRIVER_BENCH_H
#define DRIVER_BENCH_H

#include "mock_host.h"
#include "nic_register_map.h"

enum { SOURCE = 0x800000, DESTINATION = 0x900000 };

extern mock_net net;
extern mock_host host[2];
extern nx_device *dev[2];
extern nx_params params; /* for open_both; node_id is set there */

/* Fixtures. tear_down also asserts that no device wrote where it must not, that no slot was overwritten and that
 * nothing leaked. */
void set_up(void);
void tear_down(void);
void open_both(void);

void steps(unsigned n);
nx_descriptor descriptor(unsigned words, unsigned flags); /* from SOURCE to DESTINATION on flow 1 */
void must(nx_device *d, int result);

#endif
