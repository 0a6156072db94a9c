/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Paths in use: of a NIC with several links by packet (nx_paths() > 1) each link is a path to the other nodes.
 *
 * A NIC does not send on a link of its own that is down, and after 1 ms expects no packets from it. It cannot see that
 * a link is down at the other end of a path: packets sent there are lost. So the driver of a node whose link is down
 * for 1 ms informs the others by a word in their memory, over the remaining paths, and they stop sending to and
 * expecting from that path. When the link is back they use it again, but only after both ends have agreed. Where no
 * link is in use at both ends, or a word gets no answer for 12.6 ms, packets use links that the other end may not have:
 * else two nodes whose paths have all failed could not recover over another path.
 *
 *     nx_path_peer peer[N];                           for each flow: the node at its end, and nx_path_words() of that
 * node's device nx_path_begin(dev, peer, N); nx_path_serve(dev);                             every NX_PATH_SERVE_NS,
 * from a timer or a thread: it never waits for a slot
 *
 * A word waits in its request queue behind what has been posted to that node before it.
 */
#ifndef NX_PATH_H
#define NX_PATH_H

#include "nx.h"

enum { NX_PATH_SERVE_NS = 50 * 1000 };

/* Masks of links, bit l is link l: those that may carry packets to flow `flow` and from node `source` (0..15). A mask
 * of 0, or of links that are not there, is refused: ARGUMENT. So is a device with one path. */
int nx_path_send_use(nx_device *dev, unsigned flow, unsigned links);
int nx_path_receive_use(nx_device *dev, unsigned source, unsigned links);

typedef struct nx_path_peer {
    unsigned node_id; /* below nx_queues(); the own one: packets to itself */
    uint32_t words;   /* bus address in that node's memory; not used of the own one */
} nx_path_peer;

/* Bus address of the words that others write into the memory of this node. */
uint32_t nx_path_words(const nx_device *dev);
/* From now on paths are watched. At most the links in the masks are in use. One slot of each queue is kept for the
 * words. Before anything has been posted. ARGUMENT: one path, or a peer that cannot be. */
int nx_path_begin(nx_device *dev, const nx_path_peer *peers, unsigned count);
/* Looks at the own links and at what the others have said; sets masks and notifies others as needed. */
int nx_path_serve(nx_device *dev);
/* Links that this node and the node at flow `flow` have in use between them, as far as this one knows; `agreed`, may be
 * NULL: 1 if that node has taken in what this one said last. */
unsigned nx_path_in_use(const nx_device *dev, unsigned flow, int *agreed);

/* The word, 64 bits:
 *     63:48  check over the others, and the node that it comes from
 *     47:32  number of the word, from 1 on, modulo 2^16 without 0: of two words the later one counts, whichever came
 * last 31:16  number of the last word taken from the node that it goes to; 0: none 14:5   when the sender began, in
 * 2^14 ns: a restart, whose numbers begin again 4      an answer is wanted: a word with this number in 31:16 3:0 links
 * of the sender in use A word that wants an answer is repeated, with a new number, until one has come: after 200 us,
 * 400 us ... 12.8 ms. */

#endif
