#include "sim/traffic/scenario/traffic_model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/frame.h"

enum {
    TRANSFERS = 2048, /* of a queue that are followed */
    PACKETS = 4096,   /* on their way */
    AHEAD = 512,      /* of several paths: numbers by which a packet may be ahead of one that has not begun, at most */
    NUMBERS = 1024
};

/* Free-running counts of a queue's transfers; each has slot count % TRANSFERS. posted >= begun >= ended. */
struct queue {
    traffic_transfer t[TRANSFERS];
    unsigned gone[TRANSFERS]; /* packets of it that have left */
    uint64_t posted;
    uint64_t begun;   /* all packets have begun, and all with lower numbers */
    uint64_t ended;   /* all packets have left, and all of those before it */
    uint64_t landed;  /* the last packet is in memory, or lost */
    unsigned offset;  /* words of transfer `begun` that have begun */
    uint64_t counted; /* last local count written */
    uint64_t asked;   /* highest number of transfers with a local flag */
};

/* A packet that has begun on the wire. */
struct packet {
    enum { ON_WAY, HERE, LOST } state;
    unsigned queue;
    uint64_t transfer;
    uint64_t header;
    unsigned offset, words, written; /* words */
    int last, damaged;
};

/* Packets of a path, in its order; free-running counts. */
struct way {
    struct packet packet[PACKETS];
    uint64_t begun, ended, landed; /* all below `landed` are in memory, or lost */
};

struct traffic_model {
    traffic_model_params p;
    struct queue queue[TRAFFIC_QUEUES];
    struct way way[TRAFFIC_PATHS];
    struct packet *numbered[PACKETS]; /* by number % PACKETS; NULL: has not begun */
    uint64_t next;                    /* all packets with lower numbers have begun */
    uint64_t reported; /* all lower numbers have landed and are notified if requested, or are lost and in `loss_due` */
    uint64_t landed;   /* packets */
    unsigned pending;  /* notifications of packets that are here */
    struct packet *open; /* in the middle of its writes, or NULL */
    int loss_due;        /* loss indication due: packets were lost or damaged since the last notification */
    size_t words;        /* of all areas */
    uint64_t *expected;
    uint64_t *busy;    /* bit per word: a transfer under way */
    uint64_t *unknown; /* bit per word, lossy: a lost packet may have left anything here */
    traffic_counts n;
    char error[300];
};

static int breach(traffic_model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int breach(traffic_model *m, const char *format, ...)
{
    if (*m->error) return -1;
    va_list arguments;
    va_start(arguments, format);
    size_t n = (size_t)snprintf(m->error, sizeof m->error, "from node %u: ", m->p.source);
    vsnprintf(m->error + n, sizeof m->error - n, format, arguments);
    va_end(arguments);
    return -1;
}

traffic_model *traffic_model_new(const traffic_model_params *params)
{
    traffic_model *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->p = *params;
    if (m->p.paths < 1) m->p.paths = 1;
    m->words = (size_t)TRAFFIC_AREAS * (params->area_bytes / 8);
    m->expected = calloc(m->words, sizeof *m->expected);
    m->busy = calloc(m->words / 64 + 1, sizeof *m->busy);
    m->unknown = calloc(m->words / 64 + 1, sizeof *m->unknown);
    if (!m->expected || !m->busy || !m->unknown) {
        traffic_model_free(m);
        return NULL;
    }
    return m;
}

void traffic_model_free(traffic_model *m)
{
    if (!m) return;
    free(m->expected);
    free(m->busy);
    free(m->unknown);
    free(m);
}

/* ---- the target areas, word by word */

/* Number of the word among all areas; -1 if it is in none. */
static int64_t place(const traffic_model *m, uint64_t address)
{
    for (unsigned i = 0; i < TRAFFIC_AREAS; i++)
        if (address >= m->p.area[i] && address - m->p.area[i] < m->p.area_bytes)
            return (int64_t)i * (m->p.area_bytes / 8) + (int64_t)(address - m->p.area[i]) / 8;
    return -1;
}

static int bit(const uint64_t *map, uint64_t at) { return map[at / 64] >> at % 64 & 1; }

static void put_bits(uint64_t *map, uint64_t at, unsigned count, int value)
{
    for (; count--; at++)
        if (value) map[at / 64] |= (uint64_t)1 << at % 64;
        else map[at / 64] &= ~((uint64_t)1 << at % 64);
}

int traffic_model_free_at(const traffic_model *m, uint32_t address, unsigned words)
{
    int64_t first = place(m, address), last = place(m, (uint64_t)address + 8 * (uint64_t)words - 8);
    if (first < 0 || last != first + words - 1 || last / (m->p.area_bytes / 8) != first / (m->p.area_bytes / 8))
        return 0;
    for (int64_t i = first; i <= last; i++)
        if (bit(m->busy, (uint64_t)i)) return 0;
    return 1;
}

int traffic_model_room(const traffic_model *m, unsigned queue)
{
    return m->queue[queue].posted - m->queue[queue].landed < TRANSFERS;
}

void traffic_model_post(traffic_model *m, unsigned queue, const traffic_transfer *t)
{
    struct queue *q = &m->queue[queue];
    q->gone[q->posted % TRANSFERS] = 0;
    q->t[q->posted++ % TRANSFERS] = *t;
    if (t->local) q->asked = q->posted;
    m->n.posted++;
    put_bits(m->busy, (uint64_t)place(m, t->destination), t->words, 1);
}

/* ---- the wire */

static struct packet **place_of(traffic_model *m, uint64_t number) { return &m->numbered[number % PACKETS]; }

static int has_begun(traffic_model *m, unsigned queue, uint64_t transfer, unsigned offset)
{
    for (uint64_t n = m->next; n < m->next + AHEAD; n++) {
        const struct packet *p = *place_of(m, n);
        if (p && p->queue == queue && p->transfer == transfer && p->offset == offset) return 1;
    }
    return 0;
}

/* The queue whose next packet goes to that address, or with several paths one of the next. Targets under way are
 * disjoint, so there is one at most. Which packet it is comes back in `p`. */
static int queue_of(traffic_model *m, uint32_t address, struct packet *p)
{
    uint64_t most = m->p.paths > 1 ? AHEAD : 1;
    for (unsigned i = 0; i < TRAFFIC_QUEUES; i++) {
        const struct queue *q = &m->queue[i];
        for (uint64_t n = q->begun; n < q->posted && n < q->begun + most; n++) {
            const traffic_transfer *t = &q->t[n % TRANSFERS];
            unsigned begun = n == q->begun ? q->offset : 0, at = (address - t->destination) / 8;
            if (at >= t->words || t->destination + 8 * at != address || at < begun) continue;
            if (m->p.paths > 1 ? at % m->p.limit || has_begun(m, i, n, at) : at != begun) continue;
            unsigned left = t->words - at;
            *p = (struct packet){
                .queue = i, .transfer = n, .offset = at, .words = left < m->p.limit ? left : m->p.limit};
            p->last = p->words == left;
            return (int)i;
        }
    }
    return -1;
}

/* Of several paths: packets of a queue have their numbers in its order. */
static int in_order(traffic_model *m)
{
    for (struct packet *p; (p = *place_of(m, m->next)) != NULL && m->next < m->reported + PACKETS; m->next++) {
        struct queue *q = &m->queue[p->queue];
        if (p->transfer != q->begun || p->offset != q->offset)
            return breach(m, "packet %" PRIu64 " to 0x%08x is not the next of queue %u", m->next, (uint32_t)p->header,
                          p->queue);
        q->offset = p->last ? 0 : q->offset + p->words;
        q->begun += (uint64_t)p->last;
    }
    return 0;
}

int traffic_model_begins(traffic_model *m, unsigned path, uint64_t header)
{
    uint32_t address = (uint32_t)header;
    uint64_t number = m->next;
    struct way *w = &m->way[path];
    struct packet new;
    int i = queue_of(m, address, &new);
    if (m->p.paths > 1) number += ((header >> 42) - m->next) % NUMBERS;
    if (i < 0) return breach(m, "a packet to 0x%08x is on the wire: of no queue the next", address);
    if (number >= m->reported + PACKETS || w->begun - w->landed == PACKETS)
        return breach(m, "%d packets are on their way: more than can be", PACKETS);
    if (number >= m->next + AHEAD || *place_of(m, number))
        return breach(m, "packet %016" PRIx64 " has a number %" PRIu64 " ahead of the first that has not begun", header,
                      number - m->next);
    const traffic_transfer *t = &m->queue[i].t[new.transfer % TRANSFERS];
    frame_header due = {.flow = m->p.source,
                        .sequence = number % FRAME_SEQUENCES,
                        .length = new.words,
                        .remote_notify = new.last && t->remote,
                        .local_notify = new.last && t->local,
                        .remote_interrupt = new.last && t->interrupt,
                        .address = address};
    uint64_t right = frame_header_write(&due);
    if (m->p.paths > 1 && !(number / FRAME_SEQUENCES % 2)) right &= ~FRAME_TENTH_BIT;
    if (header != right)
        return breach(m, "packet %" PRIu64 " of queue %d is %016" PRIx64 ", expected %016" PRIx64, number, i, header,
                      right);
    new.header = header;
    struct packet *p = &w->packet[w->begun++ % PACKETS];
    *p = new;
    *place_of(m, number) = p;
    m->n.begun++;
    const char *still = m->p.fairness ? fairness_gone(m->p.fairness, new.queue, new.words, new.last) : NULL;
    return still ? breach(m, "%s", still) : in_order(m);
}

static uint64_t source_word(const traffic_model *m, const struct packet *p, unsigned i)
{
    const traffic_transfer *t = &m->queue[p->queue].t[p->transfer % TRANSFERS];
    return memory_get64(m->p.from, t->source + 8 * (uint64_t)(p->offset + i));
}

int traffic_model_ends(traffic_model *m, unsigned path, const uint32_t *payload, unsigned bytes, int crc_ok)
{
    struct way *w = &m->way[path];
    if (w->ended == w->begun) return breach(m, "a frame ends that has not begun");
    struct packet *p = &w->packet[w->ended++ % PACKETS];
    struct queue *q = &m->queue[p->queue];
    if (bytes != 8 * p->words || !crc_ok)
        return breach(m, "the frame to 0x%08x has %u bytes, body CRC %s", (uint32_t)p->header, bytes,
                      crc_ok ? "right" : "wrong");
    for (unsigned i = 0; i < p->words; i++) {
        uint64_t word = (uint64_t)payload[2 * i] << 32 | payload[2 * i + 1], right = source_word(m, p, i);
        if (word != right)
            return breach(m, "word %u of the frame to 0x%08x is %016" PRIx64 ", the sender's memory has %016" PRIx64, i,
                          (uint32_t)p->header, word, right);
    }
    q->gone[p->transfer % TRANSFERS]++;
    for (; q->ended < q->posted; q->ended++, m->n.departed++) {
        uint64_t slot = q->ended % TRANSFERS;
        if (q->gone[slot] < (q->t[slot].words + m->p.limit - 1) / m->p.limit) break;
    }
    return 0;
}

/* ---- the receiver's memory */

static int wants_notification(const struct packet *p) { return frame_header_read(p->header).remote_notify; }

static void leaves(traffic_model *m, const struct packet *p)
{
    put_bits(m->busy, (uint64_t)place(m, (uint32_t)p->header), p->words, 0);
    if (p->last) m->queue[p->queue].landed++;
    m->landed++;
}

static void lose(traffic_model *m, struct packet *p)
{
    put_bits(m->unknown, (uint64_t)place(m, (uint32_t)p->header), p->words, 1);
    p->state = LOST;
    m->n.lost++;
    leaves(m, p);
}

/* Marks the lowest unreported number as reported; later notifications follow it. */
static void report(traffic_model *m)
{
    struct packet **p = place_of(m, m->reported++);
    m->loss_due |= (*p)->state == LOST || (*p)->damaged;
    *p = NULL;
}

static void report_up_to_notification(traffic_model *m)
{
    for (const struct packet *p; (p = *place_of(m, m->reported)) != NULL; report(m))
        if (p->state == ON_WAY || (p->state == HERE && wants_notification(p))) return;
}

/* All words of a packet have been written. */
static int lands(traffic_model *m, struct packet *p)
{
    uint64_t at = (uint64_t)place(m, (uint32_t)p->header);
    for (unsigned i = 0; i < p->words; i++) {
        uint64_t word = memory_get64(m->p.to, (uint32_t)p->header + 8 * (uint64_t)i), right = source_word(m, p, i);
        m->expected[at + i] = word;
        if (word == right) continue;
        p->damaged = 1;
        if (!m->p.lossy)
            return breach(m,
                          "word %u of the packet to 0x%08x is %016" PRIx64 " in memory, the sender's has %016" PRIx64,
                          i, (uint32_t)p->header, word, right);
    }
    put_bits(m->unknown, at, p->words, 0);
    p->state = HERE;
    m->n.damaged += (uint64_t)p->damaged;
    m->n.landed++;
    m->n.bytes += 8 * p->words;
    m->pending += (unsigned)wants_notification(p);
    leaves(m, p);
    report_up_to_notification(m);
    return 0;
}

/* The oldest awaited packet of a path whose next word goes to that address; with losses a later one is possible. Its
 * count in the path, or that of what will begin next: there is none. */
static uint64_t next_at(const traffic_model *m, const struct way *w, uint64_t address)
{
    for (uint64_t n = w->landed; n < w->begun; n++) {
        const struct packet *p = &w->packet[n % PACKETS];
        if (p->state != ON_WAY) continue;
        if ((uint32_t)p->header + 8 * (uint64_t)p->written == address) return n;
        if (!m->p.lossy) break;
    }
    return w->begun;
}

int traffic_model_written(traffic_model *m, uint64_t address, unsigned bytes)
{
    unsigned path = 0;
    uint64_t n = 0;
    if (m->p.paths == 1 && m->pending)
        return breach(m, "a write to 0x%" PRIx64 " before notification %016" PRIx64, address,
                      (*place_of(m, m->reported))->header);
    while (path < m->p.paths && (n = next_at(m, &m->way[path], address)) == m->way[path].begun) path++;
    struct way *w = &m->way[path];
    if (path == m->p.paths) {
        const struct packet *due = *place_of(m, m->reported);
        return breach(m, "a write of %u bytes to 0x%" PRIx64 ": of no packet the next; due is %s%08x", bytes, address,
                      due ? "0x" : "none ", due ? (uint32_t)due->header + 8 * due->written : 0);
    }
    struct packet *p = &w->packet[n % PACKETS];
    if (m->open && m->open != p && m->p.paths > 1)
        return breach(m, "a write of %u bytes to 0x%" PRIx64 " while the packet to 0x%08x is written", bytes, address,
                      (uint32_t)m->open->header);
    for (; w->landed < n; w->landed++)
        if (w->packet[w->landed % PACKETS].state == ON_WAY) lose(m, &w->packet[w->landed % PACKETS]);
    if (bytes % 8 || p->written + bytes / 8 > p->words)
        return breach(m, "a write of %u bytes to 0x%" PRIx64 ": more than the packet's %u words", bytes, address,
                      p->words);
    p->written += bytes / 8;
    m->open = p->written == p->words ? NULL : p;
    if (m->open) return 0;
    w->landed++;
    return lands(m, p);
}

/* ---- notifications */

int traffic_model_notified(traffic_model *m, uint64_t word)
{
    int flagged = (int)(word >> 63);
    uint64_t number = m->reported + (m->p.paths > 1 ? ((word >> 42) - m->reported) % NUMBERS : 0);
    const struct packet *p = *place_of(m, number);
    m->n.notifications++;
    m->n.flagged += (uint64_t)flagged;
    if (!p || p->state != HERE || !wants_notification(p))
        return breach(m, "notification %016" PRIx64 ": none is due", word);
    if ((word & ~((uint64_t)1 << 63)) != p->header)
        return breach(m, "notification %016" PRIx64 ", expected %016" PRIx64, word, p->header);
    while (m->reported < number) {
        struct packet *before = *place_of(m, m->reported);
        if (!before || (before->state == HERE && wants_notification(before)) || before == m->open ||
            (before->state == ON_WAY && !m->p.lossy))
            return breach(m, "notification %016" PRIx64 " of packet %" PRIu64 ": before it packet %" PRIu64 " is due",
                          word, number, m->reported);
        if (before->state == ON_WAY) lose(m, before);
        report(m);
    }
    report(m);
    m->pending--;
    if (flagged && !m->p.lossy) return breach(m, "notification %016" PRIx64 " is flagged, nothing is lost", word);
    if (!flagged && m->loss_due)
        return breach(m, "notification %016" PRIx64 " is good, data before it are lost or damaged", word);
    m->loss_due = 0;
    report_up_to_notification(m);
    return 0;
}

unsigned traffic_model_pending(const traffic_model *m) { return m->pending; }

int traffic_model_counted(traffic_model *m, unsigned queue, uint64_t word)
{
    if (queue >= TRAFFIC_QUEUES) return breach(m, "a local count of queue %u", queue);
    struct queue *q = &m->queue[queue];
    m->n.counts++;
    if (word > q->ended)
        return breach(m, "queue %u: a local count says %" PRIu64 " have left, %" PRIu64 " have", queue, word, q->ended);
    if (word < q->counted)
        return breach(m, "queue %u: a local count goes back from %" PRIu64 " to %" PRIu64, queue, q->counted, word);
    q->counted = word;
    return 0;
}

/* ---- results */

const char *traffic_model_error(const traffic_model *m) { return m->error; }

traffic_counts traffic_model_counts(const traffic_model *m) { return m->n; }

int traffic_model_done(const traffic_model *m)
{
    for (unsigned i = 0; i < TRAFFIC_QUEUES; i++)
        if (m->queue[i].ended != m->queue[i].posted || m->queue[i].counted < m->queue[i].asked) return 0;
    return (m->landed == m->n.begun || m->p.lossy) && !m->pending;
}

static int compare_area(traffic_model *m, unsigned area)
{
    uint64_t words = m->p.area_bytes / 8, first = area * words, guard = TRAFFIC_GUARD / 8;
    for (uint64_t i = 0; i < words + 2 * guard; i++) {
        uint64_t address = m->p.area[area] + 8 * i - TRAFFIC_GUARD, word = memory_get64(m->p.to, address);
        int inside = i >= guard && i < words + guard;
        uint64_t right = inside ? m->expected[first + i - guard] : 0;
        if (word != right && !(inside && bit(m->unknown, first + i - guard)))
            return breach(m, "memory at 0x%" PRIx64 " is %016" PRIx64 ", expected %016" PRIx64, address, word, right);
    }
    return 0;
}

int traffic_model_finish(traffic_model *m)
{
    if (*m->error) return -1;
    for (unsigned i = 0; i < TRAFFIC_QUEUES; i++) {
        const struct queue *q = &m->queue[i];
        if (q->ended != q->posted)
            return breach(m, "queue %u: %" PRIu64 " transfers posted, %" PRIu64 " have left", i, q->posted, q->ended);
        if (q->counted < q->asked)
            return breach(
                m, "queue %u: a local notification was asked for with transfer %" PRIu64 ", the last count is %" PRIu64,
                i, q->asked, q->counted);
    }
    for (unsigned path = 0; m->p.lossy && path < m->p.paths; path++)
        for (struct way *w = &m->way[path]; w->landed < w->begun; w->landed++)
            if (w->packet[w->landed % PACKETS].state == ON_WAY) lose(m, &w->packet[w->landed % PACKETS]);
    if (m->landed != m->n.begun)
        return breach(m, "%" PRIu64 " packets sent, %" PRIu64 " landed", m->n.begun, m->landed);
    if (m->pending) return breach(m, "%u notifications have not come", m->pending);
    for (unsigned i = 0; i < TRAFFIC_AREAS; i++)
        if (compare_area(m, i)) return -1;
    return 0;
}
