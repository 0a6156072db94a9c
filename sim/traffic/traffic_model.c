#include "traffic_model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

enum { TRANSFERS = 2048 /* of a queue that are followed */, PACKETS = 4096 /* on their way */ };

/* Free-running counts of a queue's transfers; each has slot count % TRANSFERS. posted >= begun >= ended >= landed. */
struct queue {
    traffic_transfer t[TRANSFERS];
    uint64_t posted;
    uint64_t begun;  /* all packets have begun */
    uint64_t ended;  /* the last packet has left */
    uint64_t landed; /* the last packet is in memory, or lost */
    unsigned offset; /* words of transfer `begun` that have begun */
    uint64_t told;   /* last local count */
    uint64_t asked;  /* highest number of transfers that a local flag was given to */
};

/* A packet that has begun on the wire and not been judged in memory. */
struct packet {
    unsigned queue;
    uint64_t transfer;
    uint64_t header;
    unsigned offset, words, written; /* words */
    int last;
};

struct traffic_model {
    traffic_model_params p;
    struct queue queue[TRAFFIC_QUEUES];
    struct packet packet[PACKETS];
    uint64_t begun, ended, landed; /* packets, free-running */
    int notify;                    /* the notification of `due` is awaited */
    uint64_t due;
    int marked;   /* packets were lost or damaged since the last notification */
    size_t words; /* of all areas */
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

static int bit(const uint64_t *map, uint64_t at)
{
    return map[at / 64] >> at % 64 & 1;
}

static void put_bits(uint64_t *map, uint64_t at, unsigned count, int value)
{
    for (; count--; at++)
        if (value) map[at / 64] |= (uint64_t)1 << at % 64;
        else map[at / 64] &= ~((uint64_t)1 << at % 64);
}

int traffic_model_free_at(const traffic_model *m, uint32_t address, unsigned words)
{
    int64_t first = place(m, address), last = place(m, (uint64_t)address + 8 * (uint64_t)words - 8);
    if (first < 0 || last != first + words - 1 || last / (m->p.area_bytes / 8) != first / (m->p.area_bytes / 8)) return 0;
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
    q->t[q->posted++ % TRANSFERS] = *t;
    if (t->local) q->asked = q->posted;
    m->n.posted++;
    put_bits(m->busy, (uint64_t)place(m, t->destination), t->words, 1);
}

/* ---- the wire */

/* The queue whose next packet goes to that address. Targets under way are disjoint, so there is one at most. */
static int queue_of(const traffic_model *m, uint32_t address)
{
    for (int i = 0; i < TRAFFIC_QUEUES; i++) {
        const struct queue *q = &m->queue[i];
        if (q->begun < q->posted && q->t[q->begun % TRANSFERS].destination + 8 * q->offset == address) return i;
    }
    return -1;
}

int traffic_model_begins(traffic_model *m, uint64_t header)
{
    uint32_t address = (uint32_t)header;
    int i = queue_of(m, address);
    if (i < 0) return breach(m, "a packet to 0x%08x is on the wire: of no queue the next", address);
    if (m->begun - m->landed == PACKETS) return breach(m, "%d packets are on their way: more than can be", PACKETS);
    struct queue *q = &m->queue[i];
    const traffic_transfer *t = &q->t[q->begun % TRANSFERS];
    unsigned left = t->words - q->offset, words = left < m->p.limit ? left : m->p.limit;
    int last = words == left;
    frame_header due = {.flow = m->p.source,
                        .sequence = m->begun % FRAME_SEQUENCES,
                        .length = words,
                        .remote_notify = last && t->remote,
                        .local_notify = last && t->local,
                        .remote_interrupt = last && t->interrupt,
                        .address = address};
    uint64_t right = frame_header_write(&due);
    if (header != right)
        return breach(m, "packet %" PRIu64 " of queue %d is %016" PRIx64 ", expected %016" PRIx64, m->begun, i, header, right);
    m->packet[m->begun++ % PACKETS] = (struct packet){(unsigned)i, q->begun, header, q->offset, words, 0, last};
    q->offset += words;
    if (last) {
        q->begun++;
        q->offset = 0;
    }
    m->n.begun++;
    return 0;
}

static uint64_t source_word(const traffic_model *m, const struct packet *p, unsigned i)
{
    const traffic_transfer *t = &m->queue[p->queue].t[p->transfer % TRANSFERS];
    return memory_get64(m->p.from, t->source + 8 * (uint64_t)(p->offset + i));
}

int traffic_model_ends(traffic_model *m, const uint32_t *payload, unsigned bytes, int crc_ok)
{
    if (m->ended == m->begun) return breach(m, "a frame ends that has not begun");
    struct packet *p = &m->packet[m->ended++ % PACKETS];
    if (bytes != 8 * p->words || !crc_ok)
        return breach(m, "the frame to 0x%08x has %u bytes, body CRC %s", (uint32_t)p->header, bytes, crc_ok ? "right" : "wrong");
    for (unsigned i = 0; i < p->words; i++) {
        uint64_t word = (uint64_t)payload[2 * i] << 32 | payload[2 * i + 1], right = source_word(m, p, i);
        if (word != right)
            return breach(m, "word %u of the frame to 0x%08x is %016" PRIx64 ", the sender's memory has %016" PRIx64, i,
                          (uint32_t)p->header, word, right);
    }
    if (p->last) {
        m->queue[p->queue].ended++;
        m->n.departed++;
    }
    return 0;
}

/* ---- the receiver's memory */

static void leaves(traffic_model *m, const struct packet *p)
{
    put_bits(m->busy, (uint64_t)place(m, (uint32_t)p->header), p->words, 0);
    if (p->last) m->queue[p->queue].landed++;
    m->landed++;
}

static void lose(traffic_model *m, const struct packet *p)
{
    put_bits(m->unknown, (uint64_t)place(m, (uint32_t)p->header), p->words, 1);
    m->marked = 1;
    m->n.lost++;
    leaves(m, p);
}

/* All words of a packet have been written. */
static int lands(traffic_model *m, const struct packet *p)
{
    uint64_t at = (uint64_t)place(m, (uint32_t)p->header);
    int damaged = 0;
    for (unsigned i = 0; i < p->words; i++) {
        uint64_t word = memory_get64(m->p.to, (uint32_t)p->header + 8 * (uint64_t)i), right = source_word(m, p, i);
        m->expected[at + i] = word;
        if (word == right) continue;
        damaged = 1;
        if (!m->p.lossy)
            return breach(m, "word %u of the packet to 0x%08x is %016" PRIx64 " in memory, the sender's has %016" PRIx64, i,
                          (uint32_t)p->header, word, right);
    }
    put_bits(m->unknown, at, p->words, 0);
    m->marked |= damaged;
    m->n.damaged += (uint64_t)damaged;
    m->n.landed++;
    m->n.bytes += 8 * p->words;
    if (frame_header_read(p->header).remote_notify) {
        m->notify = 1;
        m->due = p->header;
    }
    leaves(m, p);
    return 0;
}

int traffic_model_written(traffic_model *m, uint64_t address, unsigned bytes)
{
    uint64_t skip = m->landed;
    if (m->notify) return breach(m, "a write to 0x%" PRIx64 " before notification %016" PRIx64, address, m->due);
    for (; skip < m->begun; skip++) {
        struct packet *p = &m->packet[skip % PACKETS];
        if ((uint32_t)p->header + 8 * (uint64_t)p->written == address) break;
        if (!m->p.lossy) {
            skip = m->begun;
            break;
        }
    }
    if (skip == m->begun) {
        const struct packet *p = &m->packet[m->landed % PACKETS];
        return breach(m, "a write of %u bytes to 0x%" PRIx64 ": of no packet the next; due is %s%08x", bytes, address,
                      m->landed < m->begun ? "0x" : "none ", m->landed < m->begun ? (uint32_t)p->header + 8 * p->written : 0);
    }
    while (m->landed < skip) lose(m, &m->packet[m->landed % PACKETS]);
    struct packet *p = &m->packet[skip % PACKETS];
    if (bytes % 8 || p->written + bytes / 8 > p->words)
        return breach(m, "a write of %u bytes to 0x%" PRIx64 ": more than the packet's %u words", bytes, address, p->words);
    p->written += bytes / 8;
    return p->written == p->words ? lands(m, p) : 0;
}

/* ---- notifications */

int traffic_model_notified(traffic_model *m, uint64_t word)
{
    int flagged = (int)(word >> 63);
    uint64_t due = m->due;
    m->n.notifications++;
    m->n.flagged += (uint64_t)flagged;
    if (!m->notify) return breach(m, "notification %016" PRIx64 ": none is due", word);
    m->notify = 0;
    if ((word & ~((uint64_t)1 << 63)) != due) return breach(m, "notification %016" PRIx64 ", expected %016" PRIx64, word, due);
    if (flagged && !m->p.lossy) return breach(m, "notification %016" PRIx64 " is flagged, nothing is lost", word);
    if (!flagged && m->marked) return breach(m, "notification %016" PRIx64 " is good, data before it are lost or damaged", word);
    m->marked = 0;
    return 0;
}

int traffic_model_counted(traffic_model *m, unsigned queue, uint64_t word)
{
    if (queue >= TRAFFIC_QUEUES) return breach(m, "a local count of queue %u", queue);
    struct queue *q = &m->queue[queue];
    m->n.counts++;
    if (word > q->ended) return breach(m, "queue %u: a local count says %" PRIu64 " have left, %" PRIu64 " have", queue, word, q->ended);
    if (word < q->told) return breach(m, "queue %u: a local count goes back from %" PRIu64 " to %" PRIu64, queue, q->told, word);
    q->told = word;
    return 0;
}

/* ---- results */

const char *traffic_model_error(const traffic_model *m)
{
    return m->error;
}

traffic_counts traffic_model_counts(const traffic_model *m)
{
    return m->n;
}

int traffic_model_done(const traffic_model *m)
{
    for (unsigned i = 0; i < TRAFFIC_QUEUES; i++)
        if (m->queue[i].ended != m->queue[i].posted || m->queue[i].told < m->queue[i].asked) return 0;
    return (m->landed == m->begun || m->p.lossy) && !m->notify;
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
        if (q->told < q->asked)
            return breach(m, "queue %u: a local notification was asked for with transfer %" PRIu64 ", the last count is %" PRIu64, i,
                          q->asked, q->told);
    }
    while (m->p.lossy && m->landed < m->begun) lose(m, &m->packet[m->landed % PACKETS]);
    if (m->landed != m->begun) return breach(m, "%" PRIu64 " packets sent, %" PRIu64 " landed", m->begun, m->landed);
    if (m->notify) return breach(m, "notification %016" PRIx64 " has not come", m->due);
    for (unsigned i = 0; i < TRAFFIC_AREAS; i++)
        if (compare_area(m, i)) return -1;
    return 0;
}
