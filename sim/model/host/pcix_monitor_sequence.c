/* Monitor: what spans transactions: repeated requests, Sequences cut and resumed, split reads and their completions,
 * and what configuration writes say about the devices (pcix.md 5.4, 5.5, 6, 7, 11). */
#include <string.h>

#include "sim/model/host/pcix_monitor_private.h"

enum { FORGOTTEN = 32768, LOOK_EVERY = 1024 };
enum { TAGS_BETWEEN = 6 }; /* a tag of an abandoned read may be reused after this many others */

void mon_sequence_reset(pcix_monitor *m)
{
    for (int i = 0; i < PCIX_AGENTS; i++) {
        struct mon_agent *a = &m->agents[i];
        memset(a->splits, 0, sizeof a->splits);
        memset(a->reads, 0, sizeof a->reads);
        a->write.used = false;
        a->outstanding = 0;
        a->failing = 0;
        if (a->capability != 0) { /* configuration space is back to its reset values */
            a->id_known = false;
            a->command_known = a->limits_known = a->timer_known = true;
            a->command = a->pcix_command = 0;
            a->latency_timer = 0x40;
        }
    }
}

/* --- configuration writes --- */

static uint32_t merge(uint32_t old, uint32_t value, unsigned enables)
{
    for (int i = 0; i < 4; i++)
        if (enables >> i & 1) old = (old & ~(0xffu << 8 * i)) | (value & 0xffu << 8 * i);
    return old;
}

static void learn(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    struct mon_agent *a = &m->agents[t->target];
    unsigned enables = ~(unsigned)t->attribute_cbe & 15;
    int reg = (int)(t->address & 0xfc);
    a->id = PCIX_ID(t->attribute & 0xff, t->address >> 11 & 31, t->address >> 8 & 7);
    a->id_known = true;
    if (reg == 0x04) {
        a->command = merge(a->command, t->first_word, enables & 3);
        a->command_known = true;
    }
    if (reg == 0x0c && (enables & 2)) {
        a->latency_timer = t->first_word >> 8 & 0xf8;
        a->timer_known = true;
    }
    if (a->capability != 0 && reg == a->capability)
        a->pcix_command = merge(a->pcix_command << 16, t->first_word, enables & 12) >> 16;
}

static unsigned max_read(const struct mon_agent *a) { return 512u << (a->pcix_command >> 2 & 3); }
static unsigned max_splits(const struct mon_agent *a)
{
    static const unsigned char code[8] = {1, 2, 3, 4, 8, 12, 16, 32};
    return code[a->pcix_command >> 4 & 7];
}

/* --- requests --- */

static bool same(const struct mon_pending *p, const pcix_transaction *t)
{
    uint32_t count_bits = pcix_is_dword(t->command) ? 0 : 0xff;
    return p->command == t->command && p->address == t->address && p->count == t->byte_count &&
           ((p->attribute ^ t->attribute) & ~count_bits) == 0;
}

/* The request that had to come again, if `p` is one: is it this? */
static void check_pending(pcix_monitor *m, struct mon_pending *p)
{
    const pcix_transaction *t = m->t;
    if (!p->used) return;
    if (!same(p, t))
        mon_violate(m, p->continued ? PCIX_RULE_SEQUENCE_RESUME : PCIX_RULE_RETRY_REPEAT,
                    "%s: %s of %u bytes at %llx expected, not %s of %u at %llx", mon_name(m, t->initiator),
                    pcix_command_name(p->command), p->count, (unsigned long long)p->address,
                    pcix_command_name(t->command), t->byte_count, (unsigned long long)t->address);
    p->used = false;
}

void mon_sequence_attribute(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    struct mon_agent *a = &m->agents[t->initiator];
    unsigned tag = t->attribute >> 24 & 31;
    if (pcix_is_memory_write(t->command)) {
        check_pending(m, &a->write);
        return;
    }
    struct mon_split *s = &a->splits[tag];
    if (s->used && s->failing && __builtin_popcount(s->since) >= TAGS_BETWEEN) s->used = false;
    if (s->used) mon_violate(m, PCIX_RULE_TAG_REUSE, "Tag %u of %s", tag, mon_name(m, t->initiator));
    check_pending(m, &a->reads[tag]);
    if (a->limits_known && t->command == PCIX_READ_BLOCK && t->byte_count > max_read(a))
        mon_violate(m, PCIX_RULE_READ_LIMIT, "%u bytes by %s, limit %u", t->byte_count, mon_name(m, t->initiator),
                    max_read(a));
}

static void expect_again(pcix_monitor *m, bool continued)
{
    const pcix_transaction *t = m->t;
    struct mon_agent *a = &m->agents[t->initiator];
    struct mon_pending *p = pcix_is_memory_write(t->command) ? &a->write : &a->reads[t->attribute >> 24 & 31];
    *p = (struct mon_pending){
        .used = true,
        .continued = continued,
        .command = t->command,
        .address = t->address + t->bytes,
        .clock = m->now.clock,
        .attribute = t->attribute,
        .count = t->byte_count - t->bytes,
    };
}

static void split(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    struct mon_agent *a = &m->agents[t->initiator];
    unsigned tag = t->attribute >> 24 & 31;
    for (int i = 0; i < 32; i++) a->splits[i].since |= 1u << tag;
    a->splits[tag] = (struct mon_split){
        .used = true,
        .relaxed = t->attribute >> 29 & 1,
        .command = t->command,
        .completer = t->target,
        .address = t->address,
        .total = t->byte_count,
        .failing = a->failing >> tag & 1,
    };
    a->failing &= ~(1u << tag);
    if (a->splits[tag].failing) return;
    a->outstanding++;
    if (a->limits_known && a->outstanding > max_splits(a))
        mon_violate(m, PCIX_RULE_SPLIT_LIMIT, "%u by %s, limit %u", a->outstanding, mon_name(m, t->initiator),
                    max_splits(a));
}

/* --- completions --- */

void pcix_monitor_failing(pcix_monitor *m, unsigned requester, unsigned tag)
{
    for (int i = 0; i < pcix_bus_agents(m->bus); i++)
        if (m->agents[i].id_known && m->agents[i].id == requester) m->agents[i].failing |= 1u << tag;
}

static bool is_message(const pcix_transaction *t) { return t->attribute >> 29 & 1; }

/* BCM: its Byte Count ends at the first ADB. */
static bool count_modified(const pcix_transaction *t) { return t->attribute >> 31 & 1; }

/* The read this completion is for; NULL if there is none. */
static struct mon_split *find(pcix_monitor *m, int *requester)
{
    const pcix_transaction *t = m->t;
    unsigned id = t->address >> 8 & 0xffff, tag = t->address >> 24 & 31;
    for (int i = 0; i < pcix_bus_agents(m->bus); i++) {
        if (!m->agents[i].id_known || m->agents[i].id != id) continue;
        *requester = i;
        return m->agents[i].splits[tag].used ? &m->agents[i].splits[tag] : NULL;
    }
    *requester = -1;
    return NULL;
}

void mon_completion_attribute(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    uint32_t a = t->attribute;
    int requester;
    const struct mon_split *s = find(m, &requester);
    const char *who = mon_name(m, t->initiator);
    unsigned lower = t->address & 127;

    if ((t->address & 0xc0000080u) != 0 || (s != NULL && (t->address >> 29 & 1) != s->relaxed))
        mon_violate(m, PCIX_RULE_COMPLETION_ADDRESS, "%08llx by %s", (unsigned long long)t->address, who);
    if ((a & 0x1f000000u) != 0 || ((a >> 30 & 1) && !is_message(t)) || (count_modified(t) && is_message(t)))
        mon_violate(m, PCIX_RULE_COMPLETER_BITS, "%08x by %s", a, who);
    if (s == NULL) {
        mon_violate(m, PCIX_RULE_COMPLETION_UNEXPECTED, "Requester ID %04x Tag %u by %s",
                    (unsigned)(t->address >> 8 & 0xffff), (unsigned)(t->address >> 24 & 31), who);
        return;
    }
    if (s->completer != t->initiator ||
        (m->agents[t->initiator].id_known && (a >> 8 & 0xffff) != m->agents[t->initiator].id))
        mon_violate(m, PCIX_RULE_COMPLETER_ID, "%04x by %s", a >> 8 & 0xffff, who);
    if (is_message(t)) {
        if (t->byte_count != 4 || t->req64)
            mon_violate(m, PCIX_RULE_COMPLETION_MESSAGE, "%u bytes by %s", t->byte_count, who);
        if (lower != 0) mon_violate(m, PCIX_RULE_COMPLETION_LOWER, "%u in a message by %s", lower, who);
        return;
    }
    if (s->failing) return;
    unsigned due = s->total - s->done;
    if (count_modified(t)) {
        unsigned to_adb = 128 - (unsigned)((s->address + s->done) & 127);
        if (s->done != 0 || pcix_is_dword(s->command) || to_adb >= due)
            mon_violate(m, PCIX_RULE_COMPLETER_BITS,
                        "BCM by %s, but not in a first completion that ends before its read does", who);
        else due = to_adb;
    }
    if (t->byte_count != due)
        mon_violate(m, PCIX_RULE_COMPLETION_COUNT, "%u instead of %u by %s", t->byte_count, due, who);
    if (!pcix_is_dword(s->command) && lower != ((s->address + s->done) & 127))
        mon_violate(m, PCIX_RULE_COMPLETION_LOWER, "%u instead of %u by %s", lower,
                    (unsigned)((s->address + s->done) & 127), who);
}

void mon_completion_claim(pcix_monitor *m)
{
    int requester;
    find(m, &requester);
    if (requester >= 0 && requester != m->t->target)
        mon_violate(m, PCIX_RULE_COMPLETION_CLAIM, "%s instead of %s", mon_name(m, m->t->target),
                    mon_name(m, requester));
}

static void completion_end(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    int requester;
    struct mon_split *s = find(m, &requester);
    if (s == NULL || t->end == PCIX_END_RETRY) return;
    if (s->failing && !is_message(t) &&
        ((t->byte_count != s->total - s->done && !count_modified(t)) ||
         (t->address & 127) != ((s->address + s->done) & 127)))
        return; /* a wrong one: nothing more will come */
    s->done += t->bytes;
    if (is_message(t) || t->end == PCIX_END_MASTER_ABORT || t->end == PCIX_END_TARGET_ABORT || s->done >= s->total) {
        s->used = false;
        m->agents[requester].outstanding -= !s->failing;
    }
}

/* --- the end of a transaction --- */

void mon_sequence_end(pcix_monitor *m)
{
    const pcix_transaction *t = m->t;
    if (t->initiator < 0) return;
    if (t->command == PCIX_SPLIT_COMPLETION) {
        completion_end(m);
        return;
    }
    if (t->end == PCIX_END_RETRY) expect_again(m, false);
    else if (t->end == PCIX_END_SPLIT) split(m);
    else if (t->data_phases > 0 && t->bytes < t->byte_count && t->end != PCIX_END_TARGET_ABORT) expect_again(m, true);
    else if (t->command == PCIX_CONFIG_WRITE && t->end == PCIX_END_COUNT && t->target >= 0) learn(m);
}

static void look(pcix_monitor *m, int agent, struct mon_pending *p)
{
    if (!p->used || m->now.clock < p->clock + FORGOTTEN) return;
    p->used = false;
    mon_violate(m, PCIX_RULE_RETRY_FORGOTTEN, "%s of %u bytes at %llx by %s", pcix_command_name(p->command), p->count,
                (unsigned long long)p->address, mon_name(m, agent));
}

void mon_sequence_look(pcix_monitor *m)
{
    m->next_look = m->now.clock + LOOK_EVERY;
    for (int i = 0; i < pcix_bus_agents(m->bus); i++) {
        look(m, i, &m->agents[i].write);
        for (int tag = 0; tag < 32; tag++) look(m, i, &m->agents[i].reads[tag]);
    }
}
