/* Notifications and interrupts in their order, with several links by packet.
 *
 * Node 0 sends single packets to node 1 by four paths of different length, and each path is the slowest once; each
 * packet wants a notification, an interrupt, both or nothing. Node 1's driver sleeps until INTA# is low, as with one
 * link (S4 4.1: look; enable, which clears the flag; look again; sleep). Now and then node 0 waits until node 1 knows
 * of all, so a wake-up that is missed shows. Three checks, each based on the one before:
 *
 *   check            flags of packets are read on the wires where they leave node 0, and sorted by their numbers. At
 * node 1 the bus shows when their payload has been written and when notifications are, and a signal of the NIC shows
 * each interrupt: all in the order of numbers, none before the data and notifications of its packet and of all before
 * it verify_line      INTA# in each clock: low from an interrupt on until the driver's next write to the enable bit,
 * else high verify_software  words read by software at each poll, against the list of posts: the order of
 * notifications, all data before them; and when the NIC has interrupted for a packet, all data and notifications up to
 * that one are in memory
 */
#include <string.h>

#include "crossbar4.h"
#include "nic_4paths.h"
#include "nic_register_map.h"
#include "scenario_bench.h"
#include "sim/model/cable/sniffer.h"
#include "test.h"

enum { PACKETS = 200, MOST_SEEN = 300, NUMBERS = 1024, PLACE = 512 /* bytes, for each packet */ };
enum {
    INTERRUPT_REGISTER = 0x40,
    SETTLES = 6 /* clocks in which INTA# has followed an interrupt, or a write to the register */
};
static const uint32_t SOURCE = 0x200000, DESTINATION = 0x400000;

static struct order {
    struct sent { /* in the order in which they are posted */
        unsigned bytes, wants;
        int awaited; /* the next one is posted when software has been notified of this one */
    } sent[PACKETS];
    /* on the wires and the bus */
    struct packet { /* sorted by number */
        unsigned number, bytes;
        uint32_t address;
        int notify, interrupt;
        uint64_t written; /* clock of node 1 in which its last word was; 0: it is not yet */
    } packet[MOST_SEEN];
    struct event {
        uint64_t clock;
        int interrupt; /* or a notification */
    } event[2 * MOST_SEEN];
    unsigned packets, events, interrupts, overtaken;
    uint64_t notifications;
    const node *to;
    unsigned moved[PACKETS]; /* bytes of each packet */
    uint64_t moved_at[PACKETS];
    int from[FABRIC_LINKS]; /* end of the wire at which node 0 is */
    /* INTA#, in clocks of node 1 */
    struct enabling {
        uint64_t clock;
        int on;
    } enabling[4 * PACKETS];
    struct low {
        uint64_t begin, end;
    } low[PACKETS];
    unsigned enablings, lows;
    int is_low;
    uint64_t end; /* of the observation */
    /* words read by software */
    struct look {
        unsigned interrupts; /* that the NIC has made so far */
        unsigned notified;   /* packets up to that of the last notification, this one included */
        unsigned whole;      /* this many packets from the first one on are in memory */
        unsigned number;     /* of the last notification */
    } look[4 * PACKETS];
    unsigned looks;
} order;
static unsigned char data[PACKETS][PLACE]; /* of the packets */

static unsigned packet_at(uint64_t address)
{
    return address < DESTINATION || address >= DESTINATION + PACKETS * PLACE
               ? PACKETS
               : (unsigned)(address - DESTINATION) / PLACE;
}

/* ---- wires and bus */

static void packet_leaves(void *self, const sniffer_frame *f)
{
    const int *from = self;
    if (f->from != *from || !f->has_header || f->is_check || f->flow != 1) return;
    ck_must(order.packets < MOST_SEEN, "more packets than were sent");
    unsigned i = order.packets++, number = f->sequence;
    unsigned last = i ? order.packet[i - 1].number : 0;
    number = last + (number - last + NUMBERS / 2) % NUMBERS - NUMBERS / 2;
    for (; i && order.packet[i - 1].number > number; i--) order.packet[i] = order.packet[i - 1];
    order.packet[i] = (struct packet){number, 8 * f->length, f->address, f->remote_notify, f->remote_interrupt, 0};
}

static void event_at(uint64_t clock, int interrupt)
{
    ck_must(order.events < 2 * MOST_SEEN, "more notifications and interrupts than were asked for");
    unsigned i = order.events++;
    order.interrupts += (unsigned)interrupt;
    for (; i && order.event[i - 1].clock > clock; i--) order.event[i] = order.event[i - 1];
    order.event[i] = (struct event){clock, interrupt};
}

static void transaction_ends(void *self, const pcix_transaction *t)
{
    (void)self;
    if (!t->bytes) return;
    uint64_t clock = sim_clock_cycles(order.to->pci_clock) - (t->over - t->last_data);
    if (t->command == PCIX_CONFIG_WRITE && (t->address & 0xfc) == INTERRUPT_REGISTER) {
        ck_must(order.enablings < COUNT(order.enabling), "more writes to the enable bit than one for each look");
        order.enabling[order.enablings++] = (struct enabling){clock, t->first_word & 1};
    }
    if (t->initiator != order.to->nic_agent) return;
    if (t->address == order.notifications) event_at(clock, 0);
    unsigned i = packet_at(t->address);
    if (i == PACKETS) return;
    for (unsigned k = i + 1; k < PACKETS; k++) order.overtaken += order.moved[k] > 0;
    order.moved[i] += t->bytes;
    order.moved_at[i] = clock;
}

static void look_at_interrupt(void *self)
{
    (void)self;
    uint64_t event = 0, now = sim_clock_cycles(order.to->pci_clock);
    if (sim_model_word(order.to->nic.model, "nic.pcix.config_space", "irq_event", &event))
        ck_abort_msg("the NIC has no signal irq_event");
    if (event) event_at(now, 1);
    int low = host_interrupt(order.to->host);
    if (low && !order.is_low) {
        ck_must(order.lows < COUNT(order.low), "INTA# falls more often than packets have asked for");
        order.low[order.lows++].begin = now;
    }
    if (low) order.low[order.lows - 1].end = now + 1;
    order.is_low = low;
    order.end = now + 1;
}

/* NULL, or the error in the order observed. */
static const char *verify(const struct order *o)
{
    static char text[200];
    unsigned seen = 0;
    uint64_t written = 0; /* of this packet and all before it */
    for (unsigned i = 0; i < o->packets; i++) {
        const struct packet *p = &o->packet[i];
        for (int interrupt = 0; interrupt < 2; interrupt++) {
            if (!(interrupt ? p->interrupt : p->notify)) continue;
            if (seen == o->events) return "a notification or an interrupt is missing";
            const struct event *e = &o->event[seen++];
            snprintf(text, sizeof text, "%s of packet %u: ", interrupt ? "interrupt" : "notification", p->number);
            if (e->interrupt != interrupt) return strcat(text, "the other of the two came");
            for (unsigned k = 0; k <= i; k++) {
                if (!o->packet[k].written) return strcat(text, "data before it were not written");
                if (o->packet[k].written > written) written = o->packet[k].written;
            }
            if (e->clock <= written) return strcat(text, "came before data");
        }
    }
    return seen == o->events ? NULL : "a notification or an interrupt too many";
}

/* Each way in which the order can be wrong. */
static void the_checker_sees_faults(void)
{
    struct order o = order;
    unsigned i = 0;
    while (o.event[i].interrupt == o.event[i + 1].interrupt) i++;
    o.event[i].interrupt = !o.event[i].interrupt;
    o.event[i + 1].interrupt = !o.event[i + 1].interrupt;
    ck_assert_ptr_nonnull(strstr(verify(&o), "the other of the two came"));
    o = order;
    o.events--;
    ck_assert_str_eq(verify(&o), "a notification or an interrupt is missing");
    o = order;
    o.event[o.events++] = (struct event){o.event[order.events - 1].clock + 9, 1};
    ck_assert_str_eq(verify(&o), "a notification or an interrupt too many");
    o = order; /* one that does not wait for the data of the packet before */
    for (i = 1; !o.packet[i].interrupt; i++) {
    }
    o.packet[i - 1].written = o.event[o.events - 1].clock;
    ck_assert_ptr_nonnull(strstr(verify(&o), "came before data"));
    o = order; /* in the order of arrival */
    for (i = 1; i < o.packets; i++)
        for (unsigned k = i; k && o.packet[k - 1].written > o.packet[k].written; k--) {
            struct packet p = o.packet[k];
            o.packet[k] = o.packet[k - 1];
            o.packet[k - 1] = p;
        }
    ck_assert_ptr_nonnull(verify(&o));
}

/* ---- INTA# */

/* The first interrupt of the NIC in these clocks; `to`: none. */
static uint64_t first_interrupt(const struct order *o, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < o->events; i++)
        if (o->event[i].interrupt && o->event[i].clock >= from && o->event[i].clock < to) return o->event[i].clock;
    return to;
}

/* NULL, or the error of INTA#. A write clears the flag; an interrupt within SETTLES clocks of it may have come before
 * or after. */
static const char *verify_line(const struct order *o)
{
    for (unsigned i = 0; i < o->enablings; i++) {
        const struct enabling *w = &o->enabling[i];
        uint64_t from = w->clock + SETTLES, to = i + 1 < o->enablings ? o->enabling[i + 1].clock : o->end, low = to,
                 high = to;
        if (from >= to) return "writes to the enable bit are too close to each other";
        for (unsigned k = o->lows; k--;) /* the first clocks in which it is low, and is high again then */
            if (o->low[k].begin < to && o->low[k].end > from) low = o->low[k].begin, high = o->low[k].end;
        if (!w->on) {
            if (low < to) return "INTA# is low and not enabled";
            continue;
        }
        uint64_t event = first_interrupt(o, from, to);
        if (low < event && first_interrupt(o, w->clock, from) == from)
            return "INTA# is low and nothing has asked for it";
        if (event + SETTLES >= to) continue;
        if (low > event + SETTLES) return "INTA# is high after an interrupt";
        if (high < to) return "INTA# rises without a write";
    }
    return NULL;
}

/* Each way in which INTA# can be wrong, at a sleep whose interrupt came well after the write that enabled it. */
static void the_checker_of_the_line_sees_faults(void)
{
    struct order o = order;
    struct low *l = o.low;
    const struct enabling *w = o.enabling;
    for (;; l++) {
        ck_assert(l < o.low + o.lows);
        while (w + 1 < o.enabling + o.enablings && w[1].clock < l->begin) w++;
        if (l->begin > w->clock + 4 * SETTLES) break;
    }
    l->begin = w->clock; /* the write has not cleared the flag, */
    ck_assert_str_eq(verify_line(&o), "INTA# is low and nothing has asked for it");
    l->begin = order.low[l - o.low].begin - 2 * SETTLES; /* or the interrupt is early */
    ck_assert_str_eq(verify_line(&o), "INTA# is low and nothing has asked for it");
    o = order;
    l->end += 2 * SETTLES;
    ck_assert_str_eq(verify_line(&o), "INTA# is low and not enabled");
    o = order;
    l->end = l->begin + 1;
    ck_assert_str_eq(verify_line(&o), "INTA# rises without a write");
    o = order;
    l->begin = l->end = 0;
    ck_assert_str_eq(verify_line(&o), "INTA# is high after an interrupt");
}

/* ---- software */

/* The present state; takes the notification that may be there. */
static void look(void)
{
    static unsigned char memory[PLACE];
    nx_notification note;
    ck_must(order.looks < COUNT(order.look), "more looks than notifications and interrupts");
    struct look *l = &order.look[order.looks++];
    *l = order.looks > 1 ? l[-1] : (struct look){0};
    l->interrupts = order.interrupts;
    for (; l->whole < PACKETS; l->whole++) {
        memory_read(host_memory(order.to->host), DESTINATION + PLACE * l->whole, memory, order.sent[l->whole].bytes);
        if (memcmp(memory, data[l->whole], order.sent[l->whole].bytes)) break;
    }
    int result = nx_notification_poll(order.to->dev, 0, &note);
    ck_assert_msg(result >= 0, "%s", nx_last_error(order.to->dev));
    if (!result) return;
    l->notified = packet_at(note.destination) + 1;
    l->number = note.sequence;
}

static int notified(void *unused)
{
    (void)unused;
    return memory_get64(host_memory(order.to->host), order.notifications) != 0;
}

static int packet_notified(void *packet)
{
    return order.looks && order.look[order.looks - 1].notified > *(const unsigned *)packet;
}

static void receive(void *unused)
{
    (void)unused;
    nx_device *dev = order.to->dev;
    do {
        ck_assert_msg(!nx_wait_event(dev, notified, NULL), "%s", nx_last_error(dev));
        look();
    } while (order.look[order.looks - 1].notified != PACKETS); /* the last one is awaited */
}

/* Packets up to the last one, of the first `packets`, that wants to be notified, this one included. */
static unsigned last_notified(const struct order *o, unsigned packets)
{
    while (packets && !(o->sent[packets - 1].wants & NX_REMOTE)) packets--;
    return packets;
}

/* NULL, or the error in software's observations. */
static const char *verify_software(const struct order *o)
{
    unsigned seen = 0, asked = 0,
             interrupts = 0; /* packets up to the one of the last interrupt; packets that request one */
    unsigned first = o->packet[0].number;
    for (const struct look *l = o->look; l < o->look + o->looks; l++) {
        for (; interrupts < l->interrupts; asked++) {
            if (asked == PACKETS) return "an interrupt too many";
            interrupts += !!(o->sent[asked].wants & NX_INTERRUPT);
        }
        if (l->notified < seen) return "notifications came in another order";
        if (l->notified > PACKETS || l->notified != last_notified(o, l->notified))
            return "a notification that was not asked for";
        if (l->notified && l->number != (first + l->notified - 1) % NUMBERS)
            return "a notification has the number of another packet";
        if (l->notified > l->whole) return "a notification came before data";
        if (asked > l->whole) return "an interrupt came before data";
        if (last_notified(o, asked) > l->notified) return "an interrupt came before a notification";
        seen = l->notified;
    }
    for (; asked < PACKETS; asked++)
        if (o->sent[asked].wants & NX_INTERRUPT) return "an interrupt is missing";
    return seen == last_notified(o, PACKETS) ? NULL : "a notification is missing";
}

/* How many looks there are of which `verify_software` says this if the NIC claims the next interrupt then already. */
static unsigned early_claims(struct order *o, unsigned whole, const char *says)
{
    unsigned seen = 0;
    for (struct look *l = o->look; l < o->look + o->looks; l++) {
        struct look was = *l;
        l->interrupts++;
        if (whole) l->whole = whole;
        const char *wrong = verify_software(o);
        seen += wrong && !strcmp(wrong, says);
        *l = was;
    }
    return seen;
}

/* Each way in which software can be misled. */
static void the_checker_of_software_sees_faults(void)
{
    struct order o = order;
    ck_assert_uint_gt(early_claims(&o, 0, "an interrupt came before data"), 10);
    ck_assert_uint_gt(early_claims(&o, PACKETS, "an interrupt came before a notification"), 10);
    unsigned at = 1; /* a look that finds a notification after another one */
    while (!o.look[at - 1].notified || o.look[at].notified == o.look[at - 1].notified) at++;
    struct look *l = &o.look[at];
    l->number ^= 1;
    ck_assert_str_eq(verify_software(&o), "a notification has the number of another packet");
    o = order;
    l->whole = l->notified - 1;
    ck_assert_str_eq(verify_software(&o), "a notification came before data");
    o = order;
    o.sent[l->notified - 1].wants &= ~(unsigned)NX_REMOTE;
    ck_assert_str_eq(verify_software(&o), "a notification that was not asked for");
    o = order; /* this one and the one before change places */
    l[-1].notified = order.look[at].notified, l[-1].number = order.look[at].number, l[-1].whole = PACKETS;
    l->notified = order.look[at - 1].notified, l->number = order.look[at - 1].number;
    ck_assert_str_eq(verify_software(&o), "notifications came in another order");
    o = order;
    o.look[o.looks - 1].interrupts++;
    ck_assert_str_eq(verify_software(&o), "an interrupt too many");
    o = order;
    for (l = o.look; l < o.look + o.looks; l++) l->interrupts -= l->interrupts == order.interrupts;
    ck_assert_str_eq(verify_software(&o), "an interrupt is missing");
    o = order; /* without interrupts, which are missed first */
    for (unsigned i = 0; i < PACKETS; i++) o.sent[i].wants &= ~(unsigned)NX_INTERRUPT;
    for (l = o.look; l < o.look + o.looks; l++) {
        l->interrupts = 0;
        if (l->notified == PACKETS) l->notified = l[-1].notified, l->number = l[-1].number;
    }
    ck_assert_str_eq(verify_software(&o), "a notification is missing");
}

/* ---- all of it */

static void send_and_check(scenario_bench *b, int unused)
{
    (void)unused;
    sim *s = b->f->s;
    const node *from = b->f->node[0];
    for (unsigned i = 0; i < PACKETS; i++) {
        unsigned wants = (sim_random_below(s, 3) ? 0 : NX_REMOTE) | (sim_random_below(s, 3) ? 0 : NX_INTERRUPT);
        int awaited = !sim_random_below(s, 6) || i == PACKETS - 1;
        if (awaited) wants = NX_REMOTE | NX_INTERRUPT;
        order.sent[i] = (struct sent){8 * (1 + (unsigned)sim_random_below(s, 62)), wants, awaited};
        for (unsigned k = 0; k < PLACE; k++) data[i][k] = (unsigned char)sim_random(s);
    }
    memory_write(host_memory(from->host), SOURCE, data, sizeof data);
    order.notifications = read_register(order.to, NIC_REMOTE_NOTIFY_LOW);
    sim_clock_attach(order.to->pci_clock, look_at_interrupt, NULL, &order);
    ck_assert_int_ge(host_on_transaction(order.to->host, transaction_ends, &order), 0);
    ck_assert_int_eq(nx_use_interrupts(order.to->dev, 1), 0);
    sim_task *receiver = sim_task_new(s, "receiver", receive, NULL);
    for (unsigned i = 0; i < PACKETS; i++) {
        const struct sent *p = &order.sent[i];
        int result = nx_transfer(from->dev, 1, SOURCE + PLACE * i, DESTINATION + PLACE * i, p->bytes, p->wants, NULL);
        ck_assert_msg(!result, "%s", nx_last_error(from->dev));
        if (p->awaited) sim_wait_until(from->pci_clock, packet_notified, &i);
    }
    sim_join(receiver);
    all_departed(b, "all were sent");
    pause_for(b, 60);
    look();
    sim_clock_detach(order.to->pci_clock, &order);
    ck_assert_uint_eq(order.packets, PACKETS);
    for (unsigned i = 0; i < PACKETS; i++) {
        struct packet *p = &order.packet[i];
        ck_assert_uint_eq(p->address, DESTINATION + PLACE * i); /* numbers are in the order of posting */
        if (order.moved[i] == p->bytes) p->written = order.moved_at[i];
    }
    ck_assert_uint_gt(order.overtaken, PACKETS / 4);
    const char *(*const checks[])(const struct order *) = {verify, verify_line, verify_software};
    for (int i = 0; i < COUNT(checks); i++) {
        const char *wrong = checks[i](&order);
        ck_assert_msg(!wrong, "check %d: %s", i, wrong);
    }
    nx_wait_statistics waits = nx_wait_counts(order.to->dev);
    ck_assert_uint_eq(waits.late, 0); /* no wake-up was missed: nothing more comes while one is awaited */
    ck_assert_uint_ge(waits.interrupts, 10);
    ck_assert_uint_lt(waits.interrupts, order.interrupts); /* some share one */
    the_checker_sees_faults();
    the_checker_of_the_line_sees_faults();
    the_checker_of_software_sees_faults();
    ck_assert_uint_eq(read_register(order.to, NIC_RESEQ_EVENTS), 0);
}

CLEANUP(sniffer_free);

TEST_CASE("order", .timeout = 60);

TEST(interrupts_and_notifications_come_in_the_order_of_numbers, .to = FABRIC_LINKS)
{
    unsigned latency[FABRIC_LINKS];
    for (unsigned l = 0; l < FABRIC_LINKS; l++)
        latency[(l + (unsigned)_i) % FABRIC_LINKS] = (const unsigned[]){23, 173, 24, 323}[l];
    fabric_params p;
    scenario_bench_params(&p, 2, &nic_4paths_config, &crossbar4_config, latency);
    p.driver.interrupt_slice_ns = 500 * 1000; /* a wake-up that is missed is seen */
    scenario_bench *b = scenario_bench_new(&p);
    order = (struct order){.to = b->f->node[1]};
    for (unsigned l = 0; l < FABRIC_LINKS; l++) {
        cable *wire = fabric_link(b->f, 0, l, &order.from[l]);
        sniffer *wires = sniffer_new(packet_leaves, &order.from[l]);
        after_test(sniffer_free_cleanup, wires);
        ck_assert_int_eq(sniffer_attach(wires, wire, 0), 0);
    }
    fabric_good(b, send_and_check, 0);
}
