#include "sim/app/roce/traffic/roce_pattern.h"
#include "sim/app/roce/traffic/roce_traffic_internal.h"

uint64_t traffic_key(const connection *l, roce_kind kind, unsigned message)
{
    return roce_mix(sim_seed(l->traffic->y->sim) << 40 ^ (uint64_t)l->number << 32 ^ (uint64_t)kind << 28 ^ message);
}

/* Short and long ones alike: any number of bits is as likely as any other. */
uint32_t traffic_length(const connection *l, roce_kind kind, unsigned message)
{
    const roce_traffic_params *p = &l->traffic->p;
    uint64_t random = roce_mix(traffic_key(l, kind, message) + 1);
    uint64_t range = p->longest - p->shortest + 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll(range);
    uint64_t most = range >> random % bits;
    return p->shortest + (uint32_t)((random >> 8) % (most ? most : 1));
}

size_t traffic_place(const connection *l, roce_kind kind, unsigned message)
{
    const roce_traffic *t = l->traffic;
    return ((size_t)kind * t->p.depth + message % t->p.depth) * t->place + message * 13 % 64;
}

uint8_t *traffic_peer_at(const connection *l, roce_kind kind, unsigned message)
{
    return l->peer_memory + traffic_place(l, kind, message);
}

void traffic_wrong(const connection *l, roce_kind kind, unsigned message, const char *what)
{
    sim_fail(l->traffic->y->sim, "QP %u: message %u of %s: %s", rn_qp_number(l->side[0].qp), message,
             roce_kind_names[kind], what);
}

void traffic_posted(connection *l, roce_kind kind)
{
    roce_traffic_kind *k = &l->traffic->kinds[kind];
    if (!k->messages && !k->first) k->first = sim_now(l->traffic->y->sim);
    l->kind[kind].posted++;
}

void traffic_taken(connection *l, roce_kind kind, const uint8_t *bytes, uint32_t length)
{
    roce_traffic *t = l->traffic;
    unsigned message = l->kind[kind].taken;
    uint32_t want = traffic_length(l, kind, message);
    char text[160];
    size_t at;
    if (length != want) {
        snprintf(text, sizeof text, "%u bytes came, expected %u", length, want);
        traffic_wrong(l, kind, message, text);
    } else if ((at = roce_pattern_compare(bytes, traffic_key(l, kind, message), want)) < want) {
        snprintf(text, sizeof text, "byte %zu of %u is %02x, expected %02x", at, want, bytes[at],
                 roce_pattern_byte(traffic_key(l, kind, message), at));
        traffic_wrong(l, kind, message, text);
    } else {
        l->kind[kind].taken++;
        t->kinds[kind].messages++;
        t->kinds[kind].bytes += want;
        t->kinds[kind].last = sim_now(t->y->sim);
        sim_progress(t->y->sim);
    }
}

int traffic_connection_done(const connection *l)
{
    for (int k = 0; k < ROCE_KINDS; k++)
        if (l->kind[k].taken < l->kind[k].all) return 0;
    return 1;
}
