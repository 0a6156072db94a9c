// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Errors, in words. See nx.h and nx_error.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nx_internal.h"

const char *nx_strerror(int error)
{
    switch (error) {
    case NX_OK:
        return "no error";
    case NX_ERROR_ARGUMENT:
        return "illegal argument";
    case NX_ERROR_BUS:
        return "bus access failed";
    case NX_ERROR_NO_DEVICE:
        return "no such device";
    case NX_ERROR_NO_SPACE:
        return "no address space or bus memory left";
    case NX_ERROR_NO_MEMORY:
        return "out of memory";
    case NX_ERROR_DEVICE:
        return "device misbehaves";
    case NX_ERROR_TIMEOUT:
        return "timed out";
    case NX_ERROR_ABANDONED:
        return "descriptor skipped or abandoned";
    case NX_ERROR_FLAGGED:
        return "notification flagged: data lost or damaged";
    case NX_ERROR_PROTOCOL:
        return "protocol violated by the other node";
    case NX_ERROR_CHECKSUM:
        return "wrong checksum";
    case NX_ERROR_PEER:
        return "the other node failed or restarted";
    case NX_ERROR_CALLBACK:
        return "reader or writer failed";
    default:
        return "unknown error";
    }
}

__attribute__((format(printf, 3, 4))) static size_t append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
    return strlen(text);
}

void nx_status_names(uint32_t status, char *text, size_t size)
{
    text[0] = 0;
    for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
        if (nic_fields[i].offset == NIC_STATUS && status >> nic_fields[i].lsb & 1)
            append(text, size, "%s%s", text[0] ? " " : "", nic_fields[i].name);
    if (!text[0]) append(text, size, "none");
}

int nx_skew_text(nx_device *dev, char *text, size_t size)
{
    /* words that cables may differ by, that their elastic buffers add, and that LINK_WAITS can show */
    enum { SKEW = 8, BUFFERS = 1, MOST = 15 };
    unsigned links = (dev->build & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT, first = 0, last = 0, wait[4];
    uint32_t value;
    int error;
    text[0] = 0;
    if (links == 1 || dev->build & NIC_BUILD_BOND_MASK) return NX_OK;
    if ((error = nx_register_read(dev, NIC_LINK_WAITS, &value))) return error;
    for (unsigned l = 0; l < links; l++) {
        wait[l] = value >> 4 * l & 15;
        if (wait[l] > wait[first]) first = l;
        if (wait[l] < wait[last]) last = l;
    }
    unsigned skew = wait[first] - wait[last];
    if (skew == MOST) /* which of them is late shows only below that */
        append(
            text, size,
            "links %u and %u are %u words or more apart (192 ns), expected cables that differ by %d at most (102 ns)",
            first < last ? first : last, first < last ? last : first, skew, SKEW);
    else if (skew > SKEW + BUFFERS)
        append(text, size,
               "link %u is %u words (%.0f ns) behind link %u, expected cables that differ by %d at most (102 ns)", last,
               skew, 12.8 * skew, first, SKEW);
    return NX_OK;
}

/* "0 2 3" */
static const char *links_text(unsigned mask, char text[16])
{
    text[0] = 0;
    for (unsigned l = 0; l < 4; l++)
        if (mask >> l & 1) append(text, 16, "%s%u", text[0] ? " " : "", l);
    return text;
}

/* Of packets to a node or from it. */
static void mask_text(nx_status *s, const char *what, unsigned node, unsigned mask, unsigned all)
{
    char links[16];
    if (mask == all) return;
    append(s->text, sizeof s->text, "packets %s %u: paths in use %s\n", what, node,
           mask ? links_text(mask, links) : "none");
}

static int path_status(nx_device *dev, nx_status *s)
{
    static const unsigned masks[] = {NIC_SEND_PATHS_LOW, NIC_SEND_PATHS_HIGH, NIC_RECEIVE_PATHS_LOW,
                                     NIC_RECEIVE_PATHS_HIGH};
    nx_path_status *p = &s->paths;
    unsigned links = nx_paths(dev), all = (1u << links) - 1;
    uint32_t value[4], status, depth, events;
    int error;
    if (links == 1) return NX_OK;
    for (unsigned i = 0; i < 4; i++)
        if ((error = nx_register_read(dev, masks[i], &value[i]))) return error;
    if ((error = nx_register_read(dev, NIC_PATH_STATUS, &status)) ||
        (error = nx_register_read(dev, NIC_RESEQ_DEPTH, &depth)) ||
        (error = nx_register_read(dev, NIC_RESEQ_EVENTS, &events)))
        return error;
    *p = (nx_path_status){.up = (status & NIC_PATH_STATUS_UP_MASK) >> NIC_PATH_STATUS_UP_SHIFT,
                          .dead = (status & NIC_PATH_STATUS_DEAD_MASK) >> NIC_PATH_STATUS_DEAD_SHIFT,
                          .remote_fault =
                              (status & NIC_PATH_STATUS_REMOTE_FAULT_MASK) >> NIC_PATH_STATUS_REMOTE_FAULT_SHIFT,
                          .depth = depth & NIC_RESEQ_DEPTH_MOST_MASK,
                          .late = (events & NIC_RESEQ_EVENTS_LATE_MASK) >> NIC_RESEQ_EVENTS_LATE_SHIFT,
                          .anew = (events & NIC_RESEQ_EVENTS_ANEW_MASK) >> NIC_RESEQ_EVENTS_ANEW_SHIFT};
    for (unsigned l = 0; l < links; l++)
        if (!(p->up >> l & 1))
            append(s->text, sizeof s->text, "path %u: link is %s%s\n", l,
                   p->dead >> l & 1 ? "dead: down for 1 ms, packets to send are dropped" : "down",
                   p->remote_fault >> l & 1 ? "; remote fault: the link partner receives nothing" : "");
    for (unsigned n = 0; n < dev->queues; n++) {
        p->send[n] = value[n / 8] >> 4 * (n % 8) & 15;
        p->receive[n] = value[2 + n / 8] >> 4 * (n % 8) & 15;
        mask_text(s, "to", n, p->send[n], all);
        if (!(p->send[n] & p->up)) append(s->text, sizeof s->text, "packets to %u wait: no path\n", n);
        mask_text(s, "from", n, p->receive[n], all);
    }
    if (p->late)
        append(s->text, sizeof s->text,
               "%u packets arrived after their sequence number had timed out and were dropped\n", p->late);
    if (p->anew) append(s->text, sizeof s->text, "%u restarts of a source's sequence numbers\n", p->anew);
    return NX_OK;
}

int nx_status_read(nx_device *dev, nx_status *s)
{
    int error;
    memset(s, 0, sizeof *s);
    if ((error = nx_register_read(dev, NIC_STATUS, &s->status)) ||
        (error = nx_register_read(dev, NIC_LINK_STATUS, &s->link)))
        return error;
    if (!(s->link & NIC_LINK_STATUS_UP_MASK))
        append(s->text, sizeof s->text, "link is down%s\n",
               s->link & NIC_LINK_STATUS_REMOTE_FAULT_MASK ? ": remote fault, the link partner receives nothing" : "");
    if (!(s->link & NIC_LINK_STATUS_UP_MASK)) {
        char skew[160];
        if ((error = nx_skew_text(dev, skew, sizeof skew))) return error;
        if (skew[0]) append(s->text, sizeof s->text, "%s\n", skew);
    }
    for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
        if (nic_fields[i].offset == NIC_STATUS && s->status >> nic_fields[i].lsb & 1)
            append(s->text, sizeof s->text, "status %s: %s\n", nic_fields[i].name, nic_fields[i].text);
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++) {
        uint32_t value;
        if (!r->error || r->count > 1) continue; /* those of the queues: below, since the device was opened */
        if (!nx_register_there(r, dev->build)) continue;
        if ((error = nx_register_read(dev, r->offset, &value))) return error;
        s->errors += value;
        if (value) append(s->text, sizeof s->text, "%s %u: %s\n", r->name, (unsigned)value, r->text);
    }
    for (unsigned q = 0; q < dev->queues; q++) {
        uint32_t value;
        if ((error = nx_register_read(dev, NIC_QUEUE_SKIPPED + 4 * q, &value))) return error;
        s->lost[q] = value - dev->queue[q].lost_at_open;
        if (s->lost[q])
            append(s->text, sizeof s->text, "flow %u: %u descriptors skipped or abandoned\n", q, (unsigned)s->lost[q]);
    }
    if ((error = path_status(dev, s))) return error;
    if (!s->text[0]) append(s->text, sizeof s->text, "no errors\n");
    return NX_OK;
}

int nx_status_clear(nx_device *dev, uint32_t bits) { return nx_register_write(dev, NIC_STATUS, bits); }
