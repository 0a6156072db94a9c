/* Four nodes with fake devices that have rtl/sync, around a switch, and sw/sync on them. */
#ifndef FAKE_NODES_H
#define FAKE_NODES_H

#include "mock_host.h"
#include "nx_sync.h"

enum { NODES = 4, MEMORY = 0x900000 /* 64 KB of each node that its device may write, 0 at first */ };

extern mock_net net;
extern mock_host host[NODES];
extern nx_device *dev[NODES];
extern nx_sync *s[NODES];

/* Fixtures: drivers open; sw/sync too. tear_down also asserts that nothing leaked, and that no device wrote where it
 * must not. */
void set_up(void);
void open_sync(void);
void set_up_open(void);
void tear_down(void);

mock_sync *device(unsigned node);
/* The result is no error; it is this one, with this text. */
void must(unsigned node, int result);
void fails(unsigned node, int result, int error, const char *text);
void steps(unsigned n);
/* All nodes at once, each with a pointer to its number. */
void run(void (*body)(void *), unsigned nodes);
uint64_t word_at(unsigned node, uint64_t address);

#endif
