#include "body_drive.h"

#include <string.h>

unsigned body_get(const sim_port *vector, unsigned from, unsigned bits)
{
    return (unsigned)sim_port_field(vector, from, bits);
}

static unsigned below(body_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}

static int chance(body_bench *b, int percent)
{
    return (int)below(b, 100) < percent;
}

static void word_put(uint32_t *pins, body_word w, uint32_t above)
{
    pins[0] = (uint32_t)w.data;
    pins[1] = (uint32_t)(w.data >> 32);
    pins[2] = w.flags | above;
}

/* A word that exists once: VOQ, number, a hash; one kind. */
static body_word new_word(body_bench *b, unsigned voq)
{
    static const uint8_t flags[] = {0, 0, 0, 0, 1, 2, 2, 4};
    uint64_t hash = ++b->serial * 0x9e3779b97f4a7c15ull;
    return (body_word){(uint64_t)voq << 56 | (uint64_t)b->serial << 24 | (hash >> 40), flags[hash >> 20 & 7]};
}

static void drive_reserve(body_bench *b)
{
    *b->p.reserve = 0;
    unsigned v = below(b, b->voqs), room = *b->p.body_room;
    if (b->clocks < 60) return; /* body_room and body_open settle */
    if (!b->full_room) b->full_room = room;
    if (b->stopped || ++b->since_reserve < 3 || body_reference_pieces(b->ref) >= 8) return;
    if (!chance(b, b->loads.reserve) || !(b->loads.voq_mask >> v & 1) || !body_get(&b->v.body_open, v, 1) || room < 3) return;
    unsigned most = room < b->loads.piece_words ? room : b->loads.piece_words;
    *b->p.reserve = 1;
    *b->p.reserve_voq = (uint8_t)v;
    *b->p.reserve_words = (uint16_t)(chance(b, b->loads.exact) ? most : 1 + below(b, most));
}

static void drive_pieces(body_bench *b)
{
    *b->p.in_valid = *b->p.in_commit = *b->p.in_rollback = *b->p.in_piece_end = 0;
    *b->p.in_piece_words = (uint16_t)below(b, 2048);
    *b->p.in_voq = (uint8_t)below(b, b->voqs);
    word_put(b->p.in_data, (body_word){sim_random(b->s), (uint8_t)below(b, 8)}, 0);
    if (!body_reference_pieces(b->ref) || *b->p.flush) {
        b->piece_open = 0;
        return;
    }
    if (!b->piece_open) {
        unsigned words = body_reference_piece_words(b->ref);
        b->piece_open = 1;
        b->planned = chance(b, b->loads.exact) ? words : below(b, words + 1);
        b->planned_late = chance(b, b->loads.late_end) ? 1 + below(b, 20) : 0;
        if (b->planned_late && b->planned == words) b->planned--; /* a late end takes the place of a word */
    }
    unsigned v = body_reference_piece_voq(b->ref), at = body_reference_piece_written(b->ref);
    int last = 0;
    *b->p.in_voq = (uint8_t)v;
    *b->p.in_piece_words = (uint16_t)body_reference_piece_words(b->ref);
    if (b->planned > 0) {
        if (!chance(b, b->loads.word)) return;
        if (at < body_reference_piece_words(b->ref)) {
            *b->p.in_valid = 1;
            word_put(b->p.in_data, new_word(b, v), 0);
        }
        last = --b->planned == 0;
        *b->p.in_rollback = (uint8_t)chance(b, last ? 10 * b->loads.rollback : b->loads.rollback);
        *b->p.in_commit = (uint8_t)chance(b, last ? 100 - 5 * b->loads.rollback : b->loads.commit);
        if (!last || b->planned_late) return;
    } else if (b->planned_late && --b->planned_late) {
        *b->p.in_rollback = (uint8_t)chance(b, b->loads.rollback);
        *b->p.in_commit = (uint8_t)chance(b, b->loads.commit);
        return;
    }
    *b->p.in_piece_end = 1;
    if (!last) *b->p.in_commit = (uint8_t)chance(b, 30);
    b->piece_open = 0;
}

static void drive_memory(body_bench *b)
{
    if (b->external) return;
    *b->p.mem_ready = (uint8_t)chance(b, b->loads.ready);
    *b->p.mem_rvalid = 0;
    b->p.mem_rdata[0] = (uint32_t)sim_random(b->s);
    b->p.mem_rdata[1] = b->p.mem_rdata[0] * 77;
    b->p.mem_rdata[2] = b->p.mem_rdata[0] & 0xff;
    if (!b->outstanding || b->asked[0].due > b->clocks) return;
    body_word w = b->asked[0].word;
    uint8_t tag = b->asked[0].tag;
    *b->p.mem_rvalid = 1;
    if (b->corrupt) {
        w.data ^= 1ull << below(b, 64);
        b->corrupt = 0;
    }
    if (!b->asked[0].window) {
        unsigned bit = chance(b, b->loads.damage) ? below(b, 72) : 72;
        uint64_t mask = bit < 64 ? 1ull << bit : 0;
        b->damages += bit < 72;
        b->hits[b->come % 64].data = mask;
        b->hits[b->come++ % 64].damaged = bit < 64 || (bit > 68 && bit < 72);
        if (bit < 64 && b->pretend) b->pretend = 0;
        else if (bit < 64) w.data ^= mask;
        else if (bit < 72) tag ^= (uint8_t)(1u << (bit - 64));
    }
    w.flags = 0;
    word_put(b->p.mem_rdata, w, tag);
}

static void drive_rings(body_bench *b)
{
    if (b->loads.block_changes && (int)below(b, 10000) < b->loads.block_changes) b->loads.blocked = below(b, 1u << b->voqs);
    if (chance(b, b->loads.drain)) {
        unsigned first = below(b, b->voqs);
        for (unsigned i = 0; i < b->voqs; i++) {
            unsigned v = (first + i) % b->voqs;
            unsigned takes = b->loads.packet ? b->loads.packet : 1;
            if (b->used[v] < b->loads.keep + takes || b->loads.blocked >> v & 1) continue;
            b->used[v] -= takes;
            break;
        }
    }
    for (unsigned v = 0; v < b->voqs; v++) {
        unsigned room = b->loads.ring_words - b->used[v] - b->promised[v];
        sim_port_set_field(&b->v.ring_free, 12 * v, 12, room);
        sim_port_set_field(&b->v.ring_low, v, 1, room > b->loads.ring_words / 2);
    }
    *b->p.out_ready = (uint8_t)chance(b, b->loads.out_ready);
}

static void drive_window(body_bench *b)
{
    if (b->window_acknowledged) {
        *b->p.win_req = 0;
        b->window_acknowledged = 0;
        *b->p.win_addr = (uint32_t)sim_random(b->s) & 0xffffff;
        *b->p.win_wdata = sim_random(b->s);
    } else if (!*b->p.win_req && chance(b, b->loads.window)) {
        *b->p.win_req = 1;
        *b->p.win_we = (uint8_t)chance(b, 50);
        *b->p.win_addr = WINDOW_BASE + below(b, 64);
        *b->p.win_be = (uint8_t)below(b, 256);
        *b->p.win_wdata = sim_random(b->s);
        b->window_wait = 0;
    }
}

void body_drive(void *self)
{
    body_bench *b = self;
    *b->p.rst = b->reset > 0;
    if (b->reset) b->reset--;
    *b->p.flush = b->flushing > 0;
    sim_port_set_field(&b->v.cfg_body_limit, 0, b->level_bits, b->loads.limit > b->blocks ? b->blocks : b->loads.limit);
    drive_reserve(b);
    drive_pieces(b);
    drive_memory(b);
    drive_rings(b);
    drive_window(b);
    if (*b->p.flush) *b->p.reserve = 0;
}
