#include "sim/app/roce/linux/roce_verbs_rows_internal.h"

/* Every length at which something changes, up to the size of a receive buffer, and a megabyte. */
void verbs_data_rows(roce_verbs_rows *i)
{
    static const roce_message messages[] = {
        {ROCE_SEND_IN, 1},
        {ROCE_WRITE, 1},
        {ROCE_READ, 1},
        {ROCE_SEND_OUT, 1},
        {ROCE_SEND_IN, 2},
        {ROCE_SEND_IN, 3},
        {ROCE_READ, 3},
        {ROCE_WRITE, 2},
        {ROCE_SEND_OUT, 15},
        {ROCE_SEND_OUT, 16},
        {ROCE_SEND_OUT, 17},
        {ROCE_SEND_IN, 255},
        {ROCE_SEND_IN, 256},
        {ROCE_SEND_IN, 257},
        {ROCE_READ, 255},
        {ROCE_READ, 256},
        {ROCE_READ, 257},
        {ROCE_WRITE, 255},
        {ROCE_WRITE, 257},
        {ROCE_SEND_IN, 1023},
        {ROCE_SEND_IN, 1025},
        {ROCE_SEND_IN, 4095},
        {ROCE_SEND_IN, 4096},
        {ROCE_SEND_IN, 4097},
        {ROCE_READ, 4095},
        {ROCE_READ, 4097},
        {ROCE_WRITE, 4096},
        {ROCE_WRITE, 4099},
        {ROCE_SEND_OUT, 4097},
        {ROCE_SEND_OUT, 20001},
        {ROCE_SEND_IN, 16383},
        {ROCE_SEND_IN, 16384},
        {ROCE_READ, 65537},
        {ROCE_WRITE, 65535},
        {ROCE_READ, 1 << 20},
        {ROCE_WRITE, 1 << 20},
        {ROCE_SEND_OUT, 1 << 16},
        {ROCE_READ, (1 << 20) - 1},
        {ROCE_WRITE, (1 << 20) - 3},
    };
    static const struct {
        int ipv6;
        unsigned pmtu;
    } paths[] = {{0, 4096}, {1, 1024}, {0, 256}};
    for (unsigned s = 0; s < STARTS; s++)
        for (unsigned p = 0; p < COUNT(paths); p++) {
            if (!verbs_row(i, "SENDs, READs and WRITEs of 1 byte to 1 MB, at all alignments", "data-%u-ipv%d-%06x",
                           paths[p].pmtu, paths[p].ipv6 ? 6 : 4, verbs_starts[s]))
                continue;
            i->connections[0] = (roce_connection){.ipv6 = paths[p].ipv6,
                                                  .psn = verbs_starts[s],
                                                  .pmtu = paths[p].pmtu,
                                                  .messages = messages,
                                                  .count = COUNT(messages)};
            verbs_row_end(i, verbs_connections_open(i, 1) || roce_exchange_run(&i->x, i->connections, 1, NULL, NULL) ||
                                 verbs_counters_agree(i));
        }
}

/* ---- faults of the line */

ethernet_fault verbs_strike(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    roce_verbs_rows *i = self;
    roce_header h;
    (void)number;
    for (unsigned k = 0; roce_header_of(frame, length, &h) && k < i->connections_open; k++)
        if (i->strikes[k].target &&
            h.qp == (from ? roce_end_qp_number(i->connections[k].qp) : i->connections[k].guest)) {
            ethernet_fault fault = roce_strike_it(&i->strikes[k], from, &h);
            if (fault.kind == ETHERNET_FLIP)
                fault.argument = 8 * (length - ICRC - 1); /* the last byte that it covers */
            return fault;
        }
    return (ethernet_fault){ETHERNET_NO_FAULT, 0};
}

enum { WINDOW = 10 /* packets of a connection before something is struck, so that packet numbers wrap around it */ };

/* Each kind of packet on a connection of its own, all connections at a time. */
static int strike_all(roce_verbs_rows *i, ethernet_fault fault, unsigned count, uint32_t start)
{
    for (unsigned first = 0; first < ROCE_TARGETS; first += CONNECTIONS) {
        unsigned connections = ROCE_TARGETS - first < CONNECTIONS ? ROCE_TARGETS - first : CONNECTIONS;
        verbs_some_connections(i, connections, start);
        for (unsigned k = 0; k < connections; k++)
            i->strikes[k] = (roce_strike){
                .target = &roce_targets[first + k], .fault = fault, .count = count, .start = start, .behind = WINDOW};
        if (verbs_connections_open(i, connections)) return -1;
        ethernet_wire_set_tap(i->wire, verbs_strike, i);
        int result = roce_exchange_run(&i->x, i->connections, connections, NULL, NULL) || verbs_counters_agree(i);
        for (unsigned k = 0; k < connections && !result; k++)
            if (!i->strikes[k].struck)
                result = roce_exchange_fails(&i->x, "%s: no packet was struck", i->strikes[k].target->name);
        if (result) return -1;
        verbs_connections_close(i);
    }
    return 0;
}

void verbs_fault_rows(roce_verbs_rows *i)
{
    static const struct {
        const char *name, *words;
        ethernet_fault fault;
        unsigned count;
    } faults[] = {
        {"lost", "a packet of each kind lost", {ETHERNET_LOSE, 0}, 1},
        {"doubled", "a packet of each kind comes twice", {ETHERNET_DUPLICATE, 0}, 1},
        {"late-1", "a packet of each kind comes behind the next one", {ETHERNET_DELAY, 1}, 1},
        {"late-4", "a packet of each kind comes behind 4 others", {ETHERNET_DELAY, 4}, 1},
        {"late-16", "a packet of each kind comes behind 16 others", {ETHERNET_DELAY, 16}, 1},
        {"damaged", "a bit of a packet of each kind flipped", {ETHERNET_FLIP, 0}, 1},
        {"lost-8", "a packet of each kind lost, with the 7 after it", {ETHERNET_LOSE, 0}, 8},
        {"doubled-8", "a packet of each kind comes twice, and so do the 7 after it", {ETHERNET_DUPLICATE, 0}, 8}};
    for (unsigned f = 0; f < COUNT(faults); f++)
        for (unsigned s = 0; s < STARTS; s++)
            if (verbs_row(i, faults[f].words, "%s-%06x", faults[f].name, verbs_starts[s]))
                verbs_row_end(i, strike_all(i, faults[f].fault, faults[f].count, verbs_starts[s]));
}

static void cut(void *self)
{
    roce_verbs_rows *i = self;
    if (i->seen < 2 && i->connections[0].completed > 4) {
        ethernet_wire_cut(i->wire, (int)i->seen);
        sim_wait_time(i->x.sim, 2 * SIM_MS);
        ethernet_wire_reconnect(i->wire, (int)i->seen++);
    }
}

void verbs_cut_rows(roce_verbs_rows *i)
{
    for (unsigned s = 0; s < STARTS; s++) {
        if (!verbs_row(i, "everything lost for a while, one way, then the other", "cut-%06x", verbs_starts[s]))
            continue;
        verbs_some_connections(i, 3, verbs_starts[s]);
        i->seen = 0;
        verbs_row_end(i, verbs_connections_open(i, 3) || roce_exchange_run(&i->x, i->connections, 3, cut, i) ||
                             verbs_counters_agree(i));
    }
}

/* ---- one bit after the other, for the ICRC. Behind the UDP header, but for BTH byte 4, which the ICRC leaves out. */

enum { BTH = 14 + 20 + 8, HEADERS = 12 + 16 /* BTH and RETH */, PERIOD = 4 };

static ethernet_fault flip_next(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    roce_verbs_rows *i = self;
    roce_header h;
    (void)number;
    if (from != i->bits_from || !roce_header_of(frame, length, &h) || i->bit >= i->bits || h.opcode > RNIC_WRITE_ONLY ||
        i->seen++ % PERIOD)
        return (ethernet_fault){ETHERNET_NO_FAULT, 0};
    unsigned bit = i->bit++, headers = 8 * HEADERS;
    return (ethernet_fault){ETHERNET_FLIP, bit < headers ? 8 * BTH + bit : 8 * (length - ICRC) + bit - headers};
}

void verbs_bit_rows(roce_verbs_rows *i)
{
    static const roce_message ins[] = {
        {ROCE_SEND_IN, 16384}, {ROCE_SEND_IN, 16000}, {ROCE_SEND_IN, 16384}, {ROCE_SEND_IN, 16111}};
    static const roce_message outs[] = {{ROCE_WRITE, 65536}, {ROCE_WRITE, 65111}};
    for (int from = 0; from < 2; from++)
        for (unsigned s = 0; s < STARTS; s++) {
            if (!verbs_row(i, "each bit of BTH, the 16 bytes behind it and ICRC flipped in turn", "bits-%s-%06x",
                           from ? "in" : "out", verbs_starts[s]))
                continue;
            i->connections[0] = (roce_connection){.psn = verbs_starts[s],
                                                  .pmtu = 256,
                                                  .messages = from ? ins : outs,
                                                  .count = from ? COUNT(ins) : COUNT(outs)};
            i->bits_from = from;
            i->bit = i->seen = 0;
            i->bits = 8 * (HEADERS + ICRC);
            int result = verbs_connections_open(i, 1);
            ethernet_wire_set_tap(i->wire, flip_next, i);
            while (!result && i->bit < i->bits) result = roce_exchange_run(&i->x, i->connections, 1, NULL, NULL);
            verbs_row_end(i, result || verbs_counters_agree(i));
        }
}
