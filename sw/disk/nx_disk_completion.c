// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* What the target answers: the end of parts of requests, and what it means for data that were written (README.md,
 * write verifier). */
#include "nx_disk_initiator.h"

/* A flush was answered: its status. Each client gets one report of each change of the write verifier, and of one during
 * its flush. */
static unsigned flushed(nx_disk *d, const part *p, unsigned status, uint32_t losses)
{
    uint64_t *known = NX_DISK_WRONG == WRONG_TOLD_ONCE ? &d->reported : &p->r->verifier;
    if (status == NX_DISK_OK && p->writes > d->flushed) d->flushed = p->writes;
    if (losses != d->target_losses) d->verifier++;
    d->target_losses = losses;
    if (*known != d->verifier) status = NX_DISK_EIO;
    *known = d->verifier;
    return status;
}

/* A part of a request that changes the disk was answered; the target took it after this number of losses. If a later
 * one has been reported to clients before the request ends well, this is a loss of its own. */
static void written(nx_disk *d, const part *p, uint32_t losses)
{
    nx_disk_request *r = p->r;
    if (r->flags & NX_DISK_FUA) return;
    d->writes++;
    if ((int32_t)(d->target_losses - losses) > 0) r->answered = d->verifier;
    else if (!r->answered) r->answered = d->verifier + 1;
    if (r->answered != d->verifier + 1 && r->parts == 1 && disk_is_cut(r) && r->status == NX_DISK_OK) d->verifier++;
}

static void complete(nx_disk *d, const slot *s)
{
    wire *w = &d->w;
    const unsigned place = s->word[SLOT_OPERATION] >> 16 & 0xffff;
    const unsigned slot = w->taken_slot;
    const uint32_t losses = (uint32_t)s->word[SLOT_LENGTH];
    unsigned status = s->word[SLOT_OPERATION] & 0xff;
    part p;
    disk_take(w);
    if (place >= w->places || !d->place[place].r || d->place[place].number != s->word[SLOT_OFFSET]) {
        disk_lose(d, NX_DISK_LOST_COMPLETION);
        return;
    }
    p = d->place[place];
    if (p.r->operation == NX_DISK_READ && status == NX_DISK_OK &&
        disk_move_data(d, &p, place) != s->word[SLOT_CHECKSUM]) {
        disk_lose(d, NX_DISK_LOST_CHECKSUM);
        return;
    }
    d->place[place].r = NULL;
    d->used--;
    d->received_at = disk_now(&d->w);
    d->patience = 0;
    if (status > NX_DISK_ESHUTDOWN) status = NX_DISK_EIO;
    if (status == NX_DISK_OK) {
        if (p.r->operation == NX_DISK_READ) d->counts.bytes_read += p.length;
        else if (p.r->operation == NX_DISK_WRITE) d->counts.bytes_written += p.length;
        if (p.r->operation != NX_DISK_READ && p.r->operation != NX_DISK_FLUSH) written(d, &p, losses);
    }
    if (p.r->operation == NX_DISK_FLUSH) status = flushed(d, &p, status, losses);
    p.r->times.placed = p.placed;
    p.r->times.posted = p.posted;
    p.r->times.taken = s->word[SLOT_TIME];
    p.r->times.answered = s->word[SLOT_TIME] + (s->word[SLOT_LENGTH] >> 32);
    p.r->times.slot = slot;
    disk_end_part(d, &p, status);
}

int disk_take_completions(nx_disk *d)
{
    int found = 0, result = 0;
    const uint64_t session = d->w.session;
    slot s;
    while (d->w.session == session && (result = disk_next(&d->w, CHECK_COMPLETION, &s)) > 0) {
        found = 1;
        complete(d, &s);
    }
    if (d->w.session == session && result < 0) disk_lose(d, (unsigned)(-1 - result));
    return found || result < 0;
}
