// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Common to both ends: records, rings, and posts that wait for the request queue. See nx_disk_internal.h and README.md.
 */
#include <string.h>

#include "nx_disk_internal.h"

nx_disk_params nx_disk_params_default(void)
{
    return (nx_disk_params){.places = 32, .place_bytes = 128 << 10, .timeout_ns = 2000 * 1000};
}

const char *nx_disk_status_name(unsigned status)
{
    static const char *const names[] = {"OK", "EIO", "EINVAL", "ENOSPC", "EPERM", "ESHUTDOWN"};
    return status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *nx_disk_loss_name(unsigned loss)
{
    static const char *const names[] = {
        "silence",      "flagged notification",     "wrong checksum",         "hole in the numbers",
        "damaged slot", "completion of no command", "reported by the target", "lost descriptors"};
    return loss < sizeof names / sizeof *names ? names[loss] : "unknown";
}

const char *disk_check_params(nx_disk_params *p, nx_device *dev)
{
    const uint64_t all = (uint64_t)NX_DISK_MAILBOX_BYTES * NX_DISK_PEERS;
    if (!p->mailbox || p->mailbox % SLOT_BYTES || p->mailbox + all > (uint64_t)1 << 32)
        return "mailbox: expected a multiple of 64, not 0, with 32 KiB below 4 GB";
    if (p->places < 1 || p->places > NX_DISK_PLACES_MAX) return "places: expected 1..128";
    if (!p->place_bytes || p->place_bytes % NX_DISK_BLOCK || p->place_bytes > NX_DISK_PLACE_MAX)
        return "place_bytes: expected a multiple of 4096 up to 1 MiB";
    if (p->timeout_ns < 1000 || p->timeout_ns > NX_DISK_TIMEOUT_MAX) return "timeout_ns: expected 1000 to 3600 x 10^9";
    if (!p->poll && p->timeout_ns < 4 * nx_parameters(dev)->interrupt_slice_ns)
        return "timeout_ns: expected at least 4 x the driver's interrupt_slice_ns, by which a sleep ends";
    if (!p->poll && !nx_platform_of(dev)->wait_interrupt) return "poll is 0: expected a platform with wait_interrupt";
    return NULL;
}

int disk_disk_fits(const nx_disk_disk *disk)
{
    return disk->bytes && disk->bytes % NX_DISK_SECTOR == 0 && disk->sector_bytes == NX_DISK_SECTOR &&
           disk->longest >= NX_DISK_SECTOR && disk->longest <= NX_DISK_LONGEST;
}

int disk_peer_memory(uint64_t word, unsigned places, uint32_t place_bytes)
{
    const uint64_t ring = (uint32_t)word, pool = word >> 32, limit = (uint64_t)1 << 32;
    return ring && ring % SLOT_BYTES == 0 && ring + (uint64_t)places * SLOT_BYTES + POINTER_BYTES <= limit && pool &&
           pool % 8 == 0 && pool + (uint64_t)places * place_bytes <= limit;
}

/* ---- memory */

size_t disk_wire_bytes(const nx_disk_params *p)
{
    const size_t bytes = 2 * (size_t)p->places * SLOT_BYTES + POINTER_BYTES + RECORDS * SLOT_BYTES + MESSAGES * 8 +
                         (size_t)p->places * p->place_bytes;
    return (bytes + 4095) & ~(size_t)4095;
}

void disk_wire_open(wire *w, nx_device *dev, unsigned peer, const nx_disk_params *p, uint64_t base)
{
    const uint64_t rings = (uint64_t)p->places * SLOT_BYTES;
    memset(w, 0, sizeof *w);
    w->dev = dev;
    w->platform = nx_platform_of(dev);
    w->peer = peer;
    w->places = p->places;
    w->place_bytes = p->place_bytes;
    w->mailbox = p->mailbox + (uint64_t)peer * NX_DISK_MAILBOX_BYTES;
    w->peer_mailbox = (uint32_t)p->mailbox + nx_parameters(dev)->node_id * NX_DISK_MAILBOX_BYTES;
    w->ring = base;
    w->staging = w->ring + rings + POINTER_BYTES;
    w->records = w->staging + rings;
    w->pointer_staging = w->records + RECORDS * SLOT_BYTES;
    w->pool = w->pointer_staging + MESSAGES * 8;
    disk_wire_clear(w, 0);
}

static void set_word(const wire *w, uint64_t address, uint64_t value)
{
    uint8_t bytes[8];
    nx_put64(bytes, value);
    w->platform->mem_write(w->platform->self, address, bytes, sizeof bytes);
}

static uint64_t get_word(const wire *w, uint64_t address)
{
    uint8_t bytes[8];
    w->platform->mem_read(w->platform->self, address, bytes, sizeof bytes);
    return nx_get64(bytes);
}

void disk_wire_clear(wire *w, uint64_t number)
{
    static const uint8_t zeros[SLOT_BYTES];
    for (uint64_t at = w->ring; at < w->staging; at += SLOT_BYTES)
        w->platform->mem_write(w->platform->self, at, zeros, sizeof zeros);
    w->first = w->count = 0;
    w->begin = w->sent = w->taken = number;
    w->sent_slot = w->taken_slot = 0;
    w->moved = w->looked = disk_now(w);
}

int disk_quiet(wire *w)
{
    uint32_t lost;
    const int quiet = !w->count && nx_free_slots_now(w->dev, w->peer, &lost) == (int)nx_slots(w->dev);
    if (quiet) w->owed = 0;
    return quiet;
}

static void slot_write(const wire *w, uint64_t address, const slot *s)
{
    uint8_t bytes[SLOT_BYTES];
    for (unsigned i = 0; i < SLOT_WORDS; i++) nx_put64(bytes + 8 * i, s->word[i]);
    w->platform->mem_write(w->platform->self, address, bytes, sizeof bytes);
}

static void slot_read(const wire *w, uint64_t address, slot *s)
{
    uint8_t bytes[SLOT_BYTES];
    w->platform->mem_read(w->platform->self, address, bytes, sizeof bytes);
    for (unsigned i = 0; i < SLOT_WORDS; i++) s->word[i] = nx_get64(bytes + 8 * i);
}

/* ---- messages */

static message *message_new(wire *w)
{
    if (!w->count) w->moved = disk_now(w);
    message *m = &w->message[(w->first + w->count++) % MESSAGES];
    *m = (message){.place = -1};
    return m;
}

void disk_tell(wire *w, unsigned box, slot *r)
{
    const uint64_t at = w->records + w->next_record++ % RECORDS * SLOT_BYTES;
    message *m = message_new(w);
    r->word[7] = nx_check(box, r->word, 7);
    slot_write(w, at, r);
    m->record = at;
    m->record_to = w->peer_mailbox + box;
    m->record_bytes = SLOT_BYTES;
    m->flags = NX_REMOTE | w->interrupt;
}

int disk_look_at(const wire *w, unsigned box, slot *r)
{
    slot_read(w, w->mailbox + box, r);
    return r->word[7] == nx_check(box, r->word, 7) && r->word[0] == (DISK_MAGIC | box);
}

uint64_t disk_get_word(const wire *w, unsigned box) { return get_word(w, w->mailbox + box); }

void disk_set_word(const wire *w, unsigned box, uint64_t value) { set_word(w, w->mailbox + box, value); }

/* Heads and tails of the old protocol: ours of a queue into the peer's memory. */
static void tell_pointer(wire *w, unsigned which, uint64_t number)
{
    const uint64_t at = w->pointer_staging + w->next_pointer++ % MESSAGES * 8;
    message *m = message_new(w);
    set_word(w, at, w->session << 32 | (uint32_t)number);
    m->record = at;
    m->record_to = w->peer_ring + w->places * SLOT_BYTES + which;
    m->record_bytes = 8;
    m->flags = NX_REMOTE | w->interrupt;
}

/* State of a queue as reported by the peer, or at the beginning of a session. */
static uint32_t pointer(const wire *w, unsigned which, uint64_t otherwise)
{
    uint64_t value = get_word(w, w->ring + (uint64_t)w->places * SLOT_BYTES + which);
    return value >> 32 == (uint32_t)w->session ? (uint32_t)value : (uint32_t)otherwise;
}

int disk_push(wire *w, void (*posted)(void *self, int place), void *self)
{
    const uint32_t bulk = nx_parameters(w->dev)->transfer_bytes;
    int done = 0, room, error;
    if (!w->count) return 0;
    if ((room = nx_free_slots(w->dev, w->peer)) < 0) return room;
    while (w->count && room && done < BURST) {
        message *m = &w->message[w->first];
        while (m->left && room > 1) { /* one is kept for the record */
            const uint32_t size = m->left <= CHUNK ? m->left : bulk;
            nx_descriptor d = {m->data, m->data_to, size / 8, w->peer, 0};
            m->left -= size;
            room--;
            done++;
            if (m->left && (room == 1 || done % 4 == 0)) d.flags = NX_START;
            if ((error = nx_post(w->dev, &d, NULL))) return error;
            m->data += size;
            m->data_to += size;
        }
        if (m->left) break;
        nx_descriptor d = {m->record, m->record_to, m->record_bytes / 8u, w->peer, m->flags | NX_START | NX_LOCAL};
        if ((error = nx_post(w->dev, &d, NULL))) return error;
        room--;
        done++;
        if (m->place >= 0) posted(self, m->place);
        w->first = (w->first + 1) % MESSAGES;
        w->count--;
    }
    if (done || !w->count) w->moved = disk_now(w);
    if (done) w->owed = 1;
    return done;
}

int disk_abandoned(wire *w, uint64_t interval)
{
    uint32_t lost;
    if (disk_now(w) - w->looked < interval) return 0;
    w->looked = disk_now(w);
    if (nx_free_slots_now(w->dev, w->peer, &lost) < 0 || lost == w->lost) return 0;
    w->lost = lost;
    return -1 - NX_DISK_LOST_ABANDONED;
}

int disk_flagged(const wire *w, unsigned box)
{
    nx_notification n;
    if (nx_notification_poll(w->dev, w->peer, &n) != NX_ERROR_FLAGGED) return 0;
    return n.destination == (uint32_t)w->mailbox + box ? 0 : -1 - NX_DISK_LOST_FLAGGED;
}

/* ---- rings */

/* The word that says that a slot is whole is the last one that is written. */
static unsigned pending_word(void) { return NX_DISK_WRONG == WRONG_PENDING_FIRST ? 0 : SLOT_PENDING; }

static uint64_t slot_at(uint64_t ring, unsigned place) { return ring + (uint64_t)place * SLOT_BYTES; }

/* The slot `ahead` of the next one, 0 or 1. */
static int is_pending(const wire *w, unsigned ahead)
{
    if (w->pointers) return (int32_t)(pointer(w, POINTER_TAIL, w->taken) - (uint32_t)w->taken) > (int32_t)ahead;
    return (get_word(w, slot_at(w->ring, (w->taken_slot + ahead) % w->places) + 8 * pending_word()) & PENDING) != 0;
}

int disk_next_pending(const wire *w) { return is_pending(w, 0); }

int disk_next(const wire *w, unsigned check, slot *s)
{
    if (!is_pending(w, 0)) return 0;
    slot_read(w, slot_at(w->ring, w->taken_slot), s);
    if (pending_word() != SLOT_PENDING) {
        uint64_t word = s->word[0];
        s->word[0] = s->word[SLOT_PENDING];
        s->word[SLOT_PENDING] = word;
    }
    uint64_t said = s->word[SLOT_CHECK];
    s->word[SLOT_CHECK] = 0;
    if (said != nx_check(check, s->word, SLOT_WORDS) || s->word[SLOT_SESSION] != w->session)
        return -1 - NX_DISK_LOST_DAMAGED;
    return s->word[SLOT_PENDING] == (PENDING | w->taken) ? 1 : -1 - NX_DISK_LOST_HOLE;
}

void disk_take(wire *w)
{
    set_word(w, slot_at(w->ring, w->taken_slot) + 8 * pending_word(), 0);
    w->taken = (w->taken + 1) & NUMBERS;
    w->taken_slot = (w->taken_slot + 1) % w->places;
    if (w->pointers) tell_pointer(w, POINTER_HEAD, w->taken);
}

int disk_hole(const wire *w) { return w->places > 1 && !w->pointers && is_pending(w, 1) && !is_pending(w, 0); }

int disk_room(const wire *w)
{
    if (w->count + 4 > MESSAGES) return 0;
    return !w->pointers || (uint32_t)w->sent - pointer(w, POINTER_HEAD, w->begin) < w->places;
}

void disk_put(wire *w, unsigned check, slot *s, uint64_t data, uint32_t data_to, uint32_t length, int place)
{
    message *m = message_new(w);
    s->word[SLOT_SESSION] = w->session;
    s->word[SLOT_CHECK] = 0;
    s->word[SLOT_PENDING] = PENDING | w->sent;
    s->word[SLOT_CHECK] = nx_check(check, s->word, SLOT_WORDS);
    if (pending_word() != SLOT_PENDING) {
        uint64_t word = s->word[0];
        s->word[0] = s->word[SLOT_PENDING];
        s->word[SLOT_PENDING] = word;
    }
    m->record = slot_at(w->staging, w->sent_slot);
    slot_write(w, m->record, s);
    m->data = data;
    m->data_to = data_to;
    m->left = length;
    m->record_to = (uint32_t)slot_at(w->peer_ring, w->sent_slot);
    m->record_bytes = SLOT_BYTES;
    m->place = (int16_t)place;
    m->flags = w->pointers ? 0 : NX_REMOTE | w->interrupt;
    w->sent = (w->sent + 1) & NUMBERS;
    w->sent_slot = (w->sent_slot + 1) % w->places;
    if (w->pointers) tell_pointer(w, POINTER_TAIL, w->sent);
}

uint64_t disk_checksum(const wire *w, uint64_t address, uint32_t length)
{
    uint8_t piece[PIECE];
    nx_checksum sum = nx_checksum_begin(length);
    for (uint32_t at = 0; at < length; at += PIECE) {
        const uint32_t size = length - at < PIECE ? length - at : PIECE;
        w->platform->mem_read(w->platform->self, address + at, piece, size);
        nx_checksum_add(&sum, piece, size);
    }
    return nx_checksum_end(&sum);
}
