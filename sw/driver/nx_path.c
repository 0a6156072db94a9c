// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Paths in use: masks, and what nodes report to each other of their links. See nx_path.h. */
#include "nx_path.h"

#include <stdlib.h>
#include <string.h>

#include "nx_internal.h"

enum {
    WORDS = 2048, /* offset in the page of notification words: what others write, 8 bytes for each source */
    OWN = 3072,   /* ... and where words lie that are sent, 8 bytes for each flow */
    PER_WORD = 8, /* destinations or sources in a register of masks */
    BEGAN = 0x3ff,
    PAUSE_NS = 200 * 1000,
    PAUSE_MOST_NS = 64 * PAUSE_NS,
    IN_DOUBT = 6, /* repeats without an answer: 12.6 ms, and ... */
    NO_IDEA = 8   /* 38.2 ms */
};

/* The node at the end of a flow. */
struct nx_path_node {
    nx_path_peer at;
    unsigned may_send, may_receive; /* masks as they were found */
    unsigned theirs;                /* its links in use, as it has said */
    unsigned agreed;                /* own links that it knows to be in use, and that still are */
    uint16_t taken, sent,
        current;      /* numbers: of its last word taken, of the last one to it, of the first one that carried `mine` */
    int known;        /* one was taken */
    unsigned began;   /* of that one */
    int asks, wants;  /* it wants an answer; so do we */
    unsigned repeats; /* of what it has not answered */
    int posted;       /* the last word may not have left */
    nx_ticket ticket;
    uint64_t when, pause; /* [ns] it was posted, and how long an answer may take */
};

struct nx_path_state {
    unsigned count, began, mine; /* nodes; as in a word; links in use here */
    struct nx_path_node node[NX_QUEUES_MAX];
};

/* ---- masks */

static unsigned all_links(const nx_device *dev) { return (1u << nx_paths(dev)) - 1; }

/* 0 links are no path: everything would wait for ever. */
static int check_links(nx_device *dev, const char *what, unsigned node, unsigned links)
{
    unsigned all = all_links(dev);
    if (nx_paths(dev) == 1)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "paths in use: a device with one path, expected several by packet");
    if (node >= dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "%s is %u, expected 0..%u", what, node, dev->queues - 1);
    if (!links || links & ~all)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "%s %u: links 0x%x in use, expected at least one of 0x%x", what, node,
                       links, all);
    return NX_OK;
}

/* `low`: the register for nodes 0..7. */
static int change_mask(nx_device *dev, unsigned low, unsigned node, unsigned links)
{
    unsigned offset = low + 4 * (node / PER_WORD), shift = 4 * (node % PER_WORD);
    uint32_t value;
    nx_lock(dev);
    int error = nx_register_read(dev, offset, &value);
    if (!error) error = nx_register_write(dev, offset, (value & ~(15u << shift)) | links << shift);
    nx_unlock(dev);
    return error;
}

static int read_mask(nx_device *dev, unsigned low, unsigned node, unsigned *links)
{
    uint32_t value = 0;
    int error = nx_register_read(dev, low + 4 * (node / PER_WORD), &value);
    *links = value >> 4 * (node % PER_WORD) & 15;
    return error;
}

int nx_path_send_use(nx_device *dev, unsigned flow, unsigned links)
{
    int error = check_links(dev, "flow", flow, links);
    return error ? error : change_mask(dev, NIC_SEND_PATHS_LOW, flow, links);
}

int nx_path_receive_use(nx_device *dev, unsigned source, unsigned links)
{
    int error = check_links(dev, "source", source, links);
    return error ? error : change_mask(dev, NIC_RECEIVE_PATHS_LOW, source, links);
}

int nx_path_all(nx_device *dev)
{
    int error = NX_OK;
    for (unsigned r = NIC_SEND_PATHS_LOW; r <= NIC_RECEIVE_PATHS_HIGH && nx_paths(dev) > 1 && !error; r += 4)
        error = nx_register_write(dev, r, 0x11111111 * all_links(dev));
    return error;
}

/* ---- words */

static uint64_t check_of(uint64_t word, unsigned from) { return nx_check(from, &word, 1) >> 48 << 48; }

/* By the numbers' distance, for they wrap. */
static int not_before(uint16_t a, uint16_t b) { return (uint16_t)(a - b) < 0x8000; }

static uint16_t number_after(uint16_t n) { return (uint16_t)(n == UINT16_MAX ? 1 : n + 1); }

uint32_t nx_path_words(const nx_device *dev) { return (uint32_t)dev->remote_words + WORDS; }

static int is_own(const nx_device *dev, const struct nx_path_node *n) { return n->at.node_id == dev->params.node_id; }

/* Links for packets to a node: those that both ends have in use. A word and its answer need a link, too, and a node may
 * name links that the other one has no more. So where both ends have none in use, or no answer comes, packets go by
 * links of this node that the other one has named last, and if still no answer comes, by any link of this node. 0:
 * there is none. */
static unsigned links_to(const nx_device *dev, const struct nx_path_node *n)
{
    unsigned up = n->may_send & dev->paths->mine, named = up & n->theirs, known = named & n->agreed;
    if (known && n->repeats < IN_DOUBT) return known;
    return named && n->repeats < NO_IDEA ? named : up;
}

/* No mask ever is 0: that would be no path, so then it stays. */
static int set_masks(nx_device *dev, unsigned flow, const struct nx_path_node *n)
{
    unsigned send = links_to(dev, n), receive = n->may_receive & dev->paths->mine & n->theirs;
    int error;
    /* what may come is waited for before it may go */
    if (receive && (error = nx_path_receive_use(dev, n->at.node_id, receive))) return error;
    return send ? nx_path_send_use(dev, flow, send) : NX_OK;
}

/* From now on `mine` has to be sent. */
static int own_changed(nx_device *dev)
{
    struct nx_path_state *p = dev->paths;
    for (unsigned flow = 0; flow < p->count; flow++) {
        struct nx_path_node *n = &p->node[flow];
        int error;
        n->wants = !is_own(dev, n);
        if (n->wants) n->agreed &= p->mine;
        else n->agreed = n->theirs = p->mine;
        n->current = number_after(n->sent);
        n->pause = 0;
        n->repeats = 0;
        if ((error = set_masks(dev, flow, n))) return error;
    }
    return NX_OK;
}

/* A link that is down for less than a millisecond stays in use: what it has to carry waits. */
static int look_at_links(nx_device *dev)
{
    struct nx_path_state *p = dev->paths;
    uint32_t status;
    int error = nx_register_read(dev, NIC_PATH_STATUS, &status);
    if (error) return error;
    unsigned up = (status & NIC_PATH_STATUS_UP_MASK) >> NIC_PATH_STATUS_UP_SHIFT;
    unsigned dead = (status & NIC_PATH_STATUS_DEAD_MASK) >> NIC_PATH_STATUS_DEAD_SHIFT;
    unsigned mine = ((p->mine | up) & ~dead) & all_links(dev);
    if (!mine || mine == p->mine) return NX_OK; /* without any it cannot be sent */
    p->mine = mine;
    return own_changed(dev);
}

/* Last message of the node at the flow. */
static int receive_news(nx_device *dev, unsigned flow)
{
    struct nx_path_node *n = &dev->paths->node[flow];
    uint64_t word = nx_memory_get64(dev, dev->remote_words + WORDS + 8 * (uint64_t)n->at.node_id),
             said = word << 16 >> 16;
    uint16_t number = (uint16_t)(word >> 32), answer = (uint16_t)(word >> 16);
    unsigned began = (unsigned)(word >> 5) & BEGAN;
    if (!number || word >> 48 << 48 != check_of(said, n->at.node_id)) return NX_OK;
    int restarted = n->known && began != n->began;
    if (n->known && !restarted && (number == n->taken || !not_before(number, n->taken)))
        return NX_OK;                                                   /* or an older one that took longer */
    if (restarted && dev->paths->mine != all_links(dev) && !n->wants) { /* it does not know any more */
        n->wants = 1;
        n->current = number_after(n->sent);
    }
    n->taken = number;
    n->began = began;
    n->known = 1;
    n->asks = (int)(word >> 4 & 1);
    if (n->wants && answer && not_before(answer, n->current) && not_before(n->sent, answer)) {
        n->wants = 0;
        n->repeats = 0;
        n->agreed = dev->paths->mine;
    }
    n->theirs = (unsigned)word & all_links(dev);
    return set_masks(dev, flow, n);
}

/* The last word has left, or is lost: its slot is free. */
static int has_left(nx_device *dev, unsigned flow, uint64_t now)
{
    struct nx_path_node *n = &dev->paths->node[flow];
    uint32_t lost;
    if (!n->posted) return 1;
    int result = nx_done(dev, &n->ticket);
    if (result) return result;
    if (now - n->when < PAUSE_NS) return 0;
    if ((result = nx_free_slots_now(dev, flow, &lost)) < 0) return result;
    return nx_done(dev, &n->ticket);
}

static int send_news(nx_device *dev, unsigned flow)
{
    struct nx_path_node *n = &dev->paths->node[flow];
    uint64_t now = dev->platform->now(dev->platform->self), address = dev->remote_words + OWN + 8 * (uint64_t)flow;
    uint8_t bytes[8];
    if (!n->asks && !(n->wants && now - n->when >= n->pause)) return NX_OK;
    int left = has_left(dev, flow, now), error;
    if (left <= 0) return left;
    n->repeats += n->wants && n->pause && now - n->when >= n->pause;
    if (n->repeats >= IN_DOUBT && (error = set_masks(dev, flow, n))) return error;
    n->sent = number_after(n->sent);
    uint64_t word = (uint64_t)n->sent << 32 | (uint64_t)n->taken << 16 | (uint64_t)dev->paths->began << 5 |
                    (uint64_t)n->wants << 4 | dev->paths->mine;
    nx_put64(bytes, word | check_of(word, dev->params.node_id));
    dev->platform->mem_write(dev->platform->self, address, bytes, 8);
    const nx_descriptor d = {.source = address,
                             .destination = n->at.words + 8 * dev->params.node_id,
                             .words = 1,
                             .flow = flow,
                             .flags = NX_LOCAL | NX_START};
    n->asks = 0;
    n->posted = 1;
    n->when = now;
    n->pause = !n->pause ? PAUSE_NS : n->pause < PAUSE_MOST_NS ? 2 * n->pause : PAUSE_MOST_NS;
    return nx_post_reserved(dev, &d, &n->ticket);
}

/* ---- life */

int nx_path_begin(nx_device *dev, const nx_path_peer *peers, unsigned count)
{
    int error;
    if (count > dev->queues)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "%u nodes on paths, expected at most %u", count, dev->queues);
    for (unsigned i = 0; i < count; i++)
        if ((error = check_links(dev, "node_id", peers[i].node_id, 1))) return error;
    struct nx_path_state *p = calloc(1, sizeof *p);
    if (!p) return nx_fail(dev, NX_ERROR_NO_MEMORY, "out of memory");
    p->count = count;
    p->mine = all_links(dev);
    p->began = (unsigned)(dev->platform->now(dev->platform->self) >> 14) & BEGAN;
    for (unsigned flow = 0; flow < count; flow++) {
        struct nx_path_node *n = &p->node[flow];
        *n = (struct nx_path_node){.at = peers[flow], .theirs = p->mine, .agreed = p->mine};
        if ((error = read_mask(dev, NIC_SEND_PATHS_LOW, flow, &n->may_send)) ||
            (error = read_mask(dev, NIC_RECEIVE_PATHS_LOW, n->at.node_id, &n->may_receive))) {
            free(p);
            return error;
        }
    }
    nx_lock(dev);
    free(dev->paths);
    dev->paths = p;
    nx_unlock(dev);
    return NX_OK;
}

void nx_path_restart(nx_device *dev)
{
    for (unsigned flow = 0; dev->paths && flow < dev->paths->count; flow++) dev->paths->node[flow].posted = 0;
}

int nx_path_serve(nx_device *dev)
{
    struct nx_path_state *p = dev->paths;
    int error =
        p ? look_at_links(dev) : nx_fail(dev, NX_ERROR_ARGUMENT, "paths are served, expected nx_path_begin before");
    for (unsigned flow = 0; !error && flow < p->count; flow++)
        if (!is_own(dev, &p->node[flow]) && !(error = receive_news(dev, flow))) error = send_news(dev, flow);
    return error;
}

unsigned nx_path_in_use(const nx_device *dev, unsigned flow, int *agreed)
{
    const struct nx_path_node *n = dev->paths && flow < dev->paths->count ? &dev->paths->node[flow] : NULL;
    if (agreed) *agreed = n && !n->wants;
    return n ? n->may_send & n->agreed & n->theirs : all_links(dev);
}
