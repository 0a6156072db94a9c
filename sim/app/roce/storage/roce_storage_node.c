#include "sim/app/roce/storage/roce_storage_node.h"

#include <stdlib.h>
#include <string.h>

#include "roce_register_map.h"

enum { WQE = 64, EVENTS = 1024, MOST_ENTRIES = 65536, PER_COMMAND = 2 /* WQEs */ };

/* Work of the application at a time. All entries wait equally long, so they are in order. */
typedef struct event {
    uint64_t due; /* [clocks] */
    enum { ARRIVED, COMPLETED, RING } what;
    unsigned index; /* of the queue, behind the last */
} event;

struct storage_node {
    roce_board *board;
    storage_node_params p;
    unsigned qp;
    uint64_t sends, completions, buffers, lengths; /* addresses of the queues */
    unsigned buffer_bytes, send_depth, receive_depth;
    unsigned arrived, taken;    /* positions in the receive queue: behind the last command, and the next to look at */
    unsigned posted, completed; /* positions in the send queue: the next WQE, and the oldest that is not complete */
    unsigned later;             /* answers that are to be posted when a READ is complete: their WQEs are kept free */
    uint16_t ids;               /* of WQEs */
    int failed;                 /* a WQE has ended with an error */
    struct sent {
        uint16_t id;
        int is_read;
        storage_answer answer; /* of a READ: to be sent now */
    } * sent;                  /* by position in the send queue */
    event events[EVENTS];
    unsigned first, count;
};

/* ---- formats */

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--) value = value << 8 | from[bytes];
    return value;
}

void storage_command_encode(const storage_command *c, uint8_t bytes[STORAGE_COMMAND])
{
    memset(bytes, 0, STORAGE_COMMAND);
    put(bytes, c->operation, 1);
    put(bytes + 2, c->id, 2);
    put(bytes + 8, c->block, 8);
    put(bytes + 16, c->address, 8);
    put(bytes + 24, c->key, 4);
}

static storage_command decode(const uint8_t bytes[STORAGE_COMMAND])
{
    return (storage_command){bytes[0], (unsigned)get(bytes + 2, 2), get(bytes + 8, 8), get(bytes + 16, 8),
                             (uint32_t)get(bytes + 24, 4)};
}

static void encode(const storage_answer *a, uint8_t bytes[STORAGE_ANSWER])
{
    memset(bytes, 0, STORAGE_ANSWER);
    put(bytes, a->operation, 1);
    put(bytes + 1, a->status, 1);
    put(bytes + 2, a->id, 2);
    put(bytes + 8, a->block, 8);
}

storage_answer storage_answer_decode(const uint8_t bytes[STORAGE_ANSWER])
{
    return (storage_answer){bytes[0], bytes[1], (unsigned)get(bytes + 2, 2), get(bytes + 8, 8)};
}

/* ---- the send queue */

static void soon(storage_node *n, int what, unsigned index)
{
    if (n->count == EVENTS) {
        sim_fail(n->board->sim, "storage node: more than %d things to do at once", EVENTS);
        return;
    }
    n->events[(n->first + n->count++) % EVENTS] = (event){sim_clock_cycles(n->board->clock) + n->p.access, what, index};
}

/* WQEs of commands that were taken, with those to come. */
static unsigned in_use(const storage_node *n)
{
    return (n->posted + n->send_depth - n->completed) % n->send_depth + n->later;
}

/* S5 table 2-1. The doorbell follows when the WQEs are in memory. */
static void post(storage_node *n, const rn_work *w, const storage_answer *answer)
{
    uint8_t wqe[WQE] = {0};
    put(wqe, ++n->ids, 2);
    put(wqe + 4, w->local, 8);
    put(wqe + 12, w->length, 4);
    put(wqe + 16, w->opcode, 1);
    put(wqe + 20, w->remote, 8);
    put(wqe + 28, w->rkey, 4);
    if (w->opcode == RN_SEND) encode(answer, wqe + 32); /* SDATA */
    memory_write(n->board->bytes_of, n->sends + (uint64_t)n->posted * WQE, wqe, WQE);
    n->sent[n->posted] = (struct sent){n->ids, w->opcode == RN_READ, *answer};
    n->posted = (n->posted + 1) % n->send_depth;
}

static void post_answer(storage_node *n, const storage_answer *answer)
{
    post(n, &(rn_work){.opcode = RN_SEND, .length = STORAGE_ANSWER}, answer);
}

/* ---- actions */

static void take_command(storage_node *n)
{
    uint8_t bytes[STORAGE_COMMAND], length[4];
    memory_read(n->board->bytes_of, n->buffers + (uint64_t)n->taken * n->buffer_bytes, bytes, sizeof bytes);
    memory_read(n->board->bytes_of, n->lengths + 4 * (uint64_t)n->taken, length, sizeof length);
    n->taken = (n->taken + 1) % n->receive_depth;
    if (axi_doorbells_post(n->board->doorbells, AXI_RQCI, n->qp, (uint16_t)n->taken))
        sim_fail(n->board->sim, "storage node: RQCI waits");
    storage_command c = decode(bytes);
    int known = get(length, 4) == STORAGE_COMMAND && (c.operation == STORAGE_READ || c.operation == STORAGE_WRITE);
    storage_answer a = {c.operation,
                        !known                   ? STORAGE_BAD_COMMAND
                        : c.block >= n->p.blocks ? STORAGE_NO_BLOCK
                                                 : STORAGE_DONE,
                        c.id, c.block};
    rn_work data = {
        .local = n->p.store + c.block * STORAGE_BLOCK, .length = STORAGE_BLOCK, .remote = c.address, .rkey = c.key};
    if (a.status == STORAGE_DONE) {
        data.opcode = c.operation == STORAGE_READ ? RN_WRITE : RN_READ;
        post(n, &data, &a);
    }
    if (a.status == STORAGE_DONE && c.operation == STORAGE_WRITE) n->later++;
    else post_answer(n, &a);
    soon(n, RING, n->posted);
}

static void take_completions(storage_node *n, unsigned head)
{
    unsigned before = n->posted;
    while (n->completed != head) {
        const struct sent s = n->sent[n->completed];
        uint8_t entry[4]; /* S5 table 2-2 */
        memory_read(n->board->bytes_of, n->completions + 4 * (uint64_t)n->completed, entry, sizeof entry);
        if (n->completed == before || get(entry, 2) != s.id) {
            sim_fail(n->board->sim, "storage node: entry %u of the completion queue is ID %04lx, expected ID %04x",
                     n->completed, (unsigned long)get(entry, 2), s.id);
            return;
        }
        if (entry[3]) {
            n->failed = 1;
            return;
        }
        n->completed = (n->completed + 1) % n->send_depth;
        if (!s.is_read) continue;
        n->later--;
        post_answer(n, &s.answer);
    }
    if (n->posted != before) soon(n, RING, n->posted);
}

static void do_event(storage_node *n, const event *e)
{
    if (e->what == ARRIVED) n->arrived = e->index;
    else if (e->what == COMPLETED) take_completions(n, e->index);
    else if (axi_doorbells_post(n->board->doorbells, AXI_SQPI, n->qp, (uint16_t)e->index))
        sim_fail(n->board->sim, "storage node: SQPI waits");
}

static void drive(void *self)
{
    storage_node *n = self;
    uint64_t now = sim_clock_cycles(n->board->clock);
    while (n->count && n->events[n->first].due <= now) {
        event e = n->events[n->first];
        n->first = (n->first + 1) % EVENTS;
        n->count--;
        do_event(n, &e);
    }
    while (n->taken != n->arrived && in_use(n) + PER_COMMAND < n->send_depth) take_command(n);
}

static void on_doorbell(storage_node *n, int what, unsigned qp, uint32_t index, unsigned depth)
{
    if (qp != n->qp) return;
    if (index >= depth)
        sim_fail(n->board->sim, "storage node: a doorbell of QP %u shows %u, expected below %u", qp, index, depth);
    else soon(n, what, index);
}

static void on_receive(void *self, unsigned qp, uint32_t index)
{
    on_doorbell(self, ARRIVED, qp, index, ((storage_node *)self)->receive_depth);
}

static void on_completion(void *self, unsigned qp, uint32_t index)
{
    on_doorbell(self, COMPLETED, qp, index, ((storage_node *)self)->send_depth);
}

int storage_node_idle(const storage_node *n)
{
    return !n->count && n->taken == n->arrived && n->completed == n->posted && !n->later;
}

int storage_node_failed(const storage_node *n) { return n->failed; }

/* ---- */

storage_node *storage_node_new(roce_board *board, rn_device *device, rn_qp *qp, const storage_node_params *params)
{
    static const unsigned offsets[] = {ROCE_SQBA, ROCE_CQBA, ROCE_RQBA, ROCE_RQLENBA, ROCE_QDEPTH, ROCE_QPCONF};
    enum { REGISTERS = sizeof offsets / sizeof *offsets };
    uint32_t is[REGISTERS];
    unsigned number = rn_qp_number(qp);
    for (unsigned i = 0; i < REGISTERS; i++)
        if (rn_register_read(device, offsets[i] + 0x100 * (number - 1), &is[i])) {
            sim_fail(board->sim, "storage node: %s", rn_last_error(device));
            return NULL;
        }
    storage_node *n = calloc(1, sizeof *n);
    struct sent *sent = calloc(MOST_ENTRIES, sizeof *sent);
    if (!n || !sent) {
        sim_fail(board->sim, "storage node: no memory left");
        free(n);
        free(sent);
        return NULL;
    }
    *n = (storage_node){.board = board,
                        .p = *params,
                        .qp = number,
                        .sends = is[0],
                        .completions = is[1],
                        .buffers = is[2],
                        .lengths = is[3],
                        .send_depth = is[4] & 0xffff,
                        .receive_depth = is[4] >> ROCE_QDEPTH_RECEIVE_SHIFT,
                        .buffer_bytes = (is[5] >> ROCE_QPCONF_RQ_SIZE_SHIFT) * 256,
                        .sent = sent};
    axi_doorbells_listen(board->doorbells, on_receive, on_completion, n);
    sim_clock_attach(board->clock, NULL, drive, n);
    return n;
}

void storage_node_free(storage_node *n)
{
    if (!n) return;
    axi_doorbells_listen(n->board->doorbells, NULL, NULL, NULL);
    sim_clock_detach(n->board->clock, n);
    free(n->sent);
    free(n);
}
