/* The server of rping on a chip that executes posts at once: connections by the messages of Linux, pings by a client in
 * C that is written from rping's source (rping_test_client of librdmacm). */
#include <string.h>

#include "linux_cm.h"
#include "mock_roce.h"
#include "rn_rping.h"
#include "test.h"

CLEANUP(rn_rping_free);

enum { SOURCE = 0x10000, SINK = 0x40000, REMOTE_SIZE = 0x80000, KEY = 0x1234abcd, MADS = 64 };

static mock_roce *m;
static rn_device *dev;
static rn_rping *server;
static uint8_t *remote; /* the client's memory from 0x7f0000000000 on */
static struct {
    uint8_t mad[MADS][256];
    unsigned mads, goes[17]; /* SENDs of each QP */
    char log[4096];
} seen;

/* Packets sent by the chip. */
static void sent(mock_roce *mock, unsigned qp, const uint8_t wqe[64])
{
    uint64_t local = wqe[4] | wqe[5] << 8 | wqe[6] << 16 | (uint64_t)wqe[7] << 24;
    uint32_t length = wqe[12] | wqe[13] << 8 | wqe[14] << 16;
    if (qp == 1) {
        ck_assert_uint_lt(seen.mads, MADS);
        memory_read(mock->memory, local, seen.mad[seen.mads++], 256);
        return;
    }
    if (wqe[16] == 2) {
        ck_assert_uint_eq(length, 16);
        seen.goes[qp]++;
        return;
    }
    uint64_t at = 0;
    for (int i = 5; i >= 0; i--) at = at << 8 | wqe[20 + i];
    ck_assert_uint_eq(wqe[28] | wqe[29] << 8 | wqe[30] << 16 | (uint32_t)wqe[31] << 24, KEY + qp);
    at -= 0x7f0000000000;
    ck_assert_uint_le(at + length, REMOTE_SIZE);
    if (wqe[16] == 4) memory_write(mock->memory, local, remote + at, length);
    else memory_read(mock->memory, local, remote + at, length);
}

static void log_line(void *self, const char *line)
{
    (void)self;
    strncat(seen.log, line, sizeof seen.log - strlen(seen.log) - 2);
    strcat(seen.log, "\n");
}

static void set_up(void)
{
    rn_params p = mock_roce_params();
    rn_rping_params r = rn_rping_params_default();
    memset(&seen, 0, sizeof seen);
    remote = test_memory(REMOTE_SIZE);
    m = mock_roce_new();
    mock_roce_complete_at_once(m, sent);
    dev = mock_roce_open(m, &p);
    r.log = log_line;
    rn_verbs v = rn_verbs_of(dev);
    ck_assert_int_eq(rn_rping_new(&v, &r, &server), 0);
    after_test(rn_rping_free_cleanup, server);
}

TEST_CASE("rping", .setup = set_up);

static void serve(void)
{
    int result;
    while ((result = rn_rping_poll(server)) > 0) {
    }
    ck_assert_msg(result == 0, "%s", rn_last_error(dev));
}

/* Linux' message for connection n (other IDs), with our communication ID of its REP in it. */
static void arrive(const char *hex, unsigned n, const uint8_t *reply)
{
    uint8_t frame[LINUX_FRAME];
    linux_frame(hex, frame);
    frame[LINUX_MAD_AT + 24] = (uint8_t)n;
    if (reply) memcpy(frame + LINUX_MAD_AT + 28, reply + 24, 4);
    if (reply && hex == linux_dreq) memcpy(frame + LINUX_MAD_AT + 32, reply + 36, 3);
    mock_roce_arrive(m, 1, frame, sizeof frame);
    serve();
}

static const uint8_t *connect_client(unsigned n)
{
    unsigned before = seen.mads;
    arrive(linux_req, n, NULL);
    ck_assert_uint_eq(seen.mads, before + 1);
    const uint8_t *reply = seen.mad[before];
    ck_assert_uint_eq(reply[17], 0x13);
    arrive(linux_rtu, n, reply);
    return reply;
}

static void say(unsigned qp, uint64_t at, uint32_t size)
{
    uint8_t message[16];
    rn_put64(message, 0x7f0000000000 + at);
    rn_put32(message + 8, KEY + qp);
    rn_put32(message + 12, size);
    mock_roce_arrive(m, qp, message, 16);
    serve();
}

static void ping(unsigned qp, uint32_t size, unsigned seed)
{
    unsigned goes = seen.goes[qp];
    for (unsigned i = 0; i < size; i++) remote[SOURCE + i] = (uint8_t)(seed + i * 3 + (i >> 8));
    memset(remote + SINK, 0, 0x10000 + 1);
    say(qp, SOURCE, size);
    ck_assert_uint_eq(seen.goes[qp], goes + 1);
    ck_assert_uint_eq(remote[SINK], 0);
    say(qp, SINK, size);
    ck_assert_uint_eq(seen.goes[qp], goes + 2);
    ck_assert_int_eq(memcmp(remote + SOURCE, remote + SINK, size), 0);
    ck_assert_uint_eq(remote[SINK + size], 0); /* no byte more */
}

TEST(a_client_connects_pings_and_disconnects)
{
    static const uint32_t sizes[] = {1, 64, 1000, 9000, 65535, 65536};
    uint64_t before = m->allocated;
    const uint8_t *reply = connect_client(1);
    /* set up as the request says, before the reply */
    ck_assert_uint_eq(m->reg[0x340 / 4], 0x7c67ed);
    ck_assert_uint_eq((m->reg[0x344 / 4] + 1) & 0xffffff, rn_get24(reply + 44));
    ck_assert_uint_eq(m->reg[0x348 / 4], 0x11);
    ck_assert_uint_eq(m->reg[0x300 / 4] & 0x7ff,
                      0x43d); /* PMTU 4096, IPv4, entries, handshake off, interrupts, enabled */
    ck_assert_uint_eq(m->reg[0x34c / 4], 12u << 16 | 7 << 11 | 7 << 8 | 19);
    ck_assert_uint_eq(m->reg[0x3a4 / 4], 1);
    ck_assert_uint_eq(rn_get24(reply + 36), 2);
    ck_assert(reply[48] == 0 && reply[49] == 1 &&
              reply[51] == 0xe0); /* not read here; one READ at a time; RNR retry 7 */
    uint64_t bytes = 0;
    for (int i = 0; i < COUNT(sizes); i++) ping(2, sizes[i], (unsigned)i), bytes += sizes[i];
    for (unsigned i = 0; i < 40; i++) ping(2, 64, i), bytes += 64; /* around the queues */
    arrive(linux_dreq, 1, reply);
    ck_assert_uint_eq(seen.mad[seen.mads - 1][17], 0x16);
    ck_assert_uint_eq(m->reg[0x300 / 4] & 1, 0);
    const rn_rping_stats *stats = rn_rping_get_stats(server);
    ck_assert(stats->connections == 1 && stats->open == 1 && stats->pings == COUNT(sizes) + 40 &&
              stats->bytes == bytes);
    m->now_ns += 1000000;
    serve();
    ck_assert(stats->open == 0 && stats->ended == 1 && stats->failures == 0);
    ck_assert_uint_eq(m->allocated, before);
    ck_assert_msg(strstr(seen.log, "QP 2: connection with QP 0x11, PSN 0x7c67ed out, 0x") != NULL, "%s", seen.log);
}

/* Its last SEND has come to it, so it leaves; we have looked neither at the acknowledgement, nor, with _i, has that
 * come. */
TEST(a_ping_whose_client_leaves_at_once_is_counted, .to = 2)
{
    uint8_t message[16], frame[LINUX_FRAME];
    const uint8_t *reply = connect_client(1);
    ping(2, 9000, 1);
    say(2, SOURCE, 500);
    rn_put64(message, 0x7f0000000000 + SINK);
    rn_put32(message + 8, KEY + 2);
    rn_put32(message + 12, 500);
    mock_roce_arrive(m, 2, message, 16);
    void (*complete)(mock_roce *, unsigned, uint32_t) = m->on_write;
    if (_i) m->on_write = NULL;
    ck_assert_int_eq(rn_rping_poll(server), 1);
    m->on_write = complete;
    linux_frame(linux_dreq, frame);
    frame[LINUX_MAD_AT + 24] = 1;
    memcpy(frame + LINUX_MAD_AT + 28, reply + 24, 4);
    memcpy(frame + LINUX_MAD_AT + 32, reply + 36, 3);
    mock_roce_arrive(m, 1, frame, sizeof frame);
    serve();
    const rn_rping_stats *stats = rn_rping_get_stats(server);
    ck_assert_uint_eq(stats->pings, _i ? 1 : 2);
    ck_assert_uint_eq(stats->unacknowledged, _i ? 1 : 0);
    ck_assert_uint_eq(stats->failures, 0);
}

TEST(clients_are_served_side_by_side)
{
    const uint8_t *reply[7];
    for (unsigned i = 0; i < 7; i++) reply[i] = connect_client(i);
    for (unsigned i = 0; i < 7; i++) ck_assert_uint_eq(rn_get24(reply[i] + 36), 2 + i);
    for (unsigned i = 0; i < 35; i++) ping(2 + i % 7, 100 + i, i);
    unsigned before = seen.mads;
    arrive(linux_req, 7, NULL); /* one too many */
    ck_assert_uint_eq(seen.mads, before + 1);
    ck_assert_uint_eq(seen.mad[before][17], 0x12);
    ck_assert_uint_eq(seen.mad[before][35], 1); /* no QP */
    ck_assert_msg(strstr(seen.log, "a connection is refused: no queue pair is left: all 7 connections are in use") !=
                      NULL,
                  "%s", seen.log);
    arrive(linux_dreq, 3, reply[3]);
    m->now_ns += 1000000;
    serve();
    reply[3] = connect_client(8);
    ck_assert_uint_eq(rn_get24(reply[3] + 36), 5); /* the number that is free again */
    ping(5, 5, 5);
}

/* Errors of a client: its connection ends by a DREQ, others go on. */
static const struct {
    unsigned sink, bytes;
    uint32_t size;
    const char *text;
} wrong[] = {
    {0, 15, 64, "QP 2: a message of 15 bytes, expected 16"},
    {0, 17, 64, "QP 2: a message of 17 bytes, expected 16"},
    {0, 16, 0, "QP 2: a source of 0 bytes, expected 1..65536"},
    {0, 16, 65537, "QP 2: a source of 65537 bytes, expected 1..65536"},
    {1, 16, 101, "QP 2: a sink of 101 bytes, expected 1..100"},
    {1, 16, 0, "QP 2: a sink of 0 bytes, expected 1..100"},
};

TEST(a_client_that_talks_nonsense_is_disconnected, .to = COUNT(wrong))
{
    uint8_t message[17] = {0};
    connect_client(1);
    connect_client(2);
    if (wrong[_i].sink) say(2, SOURCE, 100);
    unsigned before = seen.mads;
    rn_put64(message, 0x7f0000000000 + SOURCE);
    rn_put32(message + 8, KEY + 2);
    rn_put32(message + 12, wrong[_i].size);
    mock_roce_arrive(m, 2, message, wrong[_i].bytes);
    serve();
    ck_assert_uint_eq(seen.mads, before + 1);
    ck_assert_uint_eq(seen.mad[before][17], 0x15);
    ck_assert_msg(strstr(seen.log, wrong[_i].text) != NULL, "%s", seen.log);
    mock_roce_arrive(m, 2, message, 16); /* nothing is taken any more */
    serve();
    ck_assert_uint_eq(seen.mads, before + 1);
    ping(3, 77, 1);
    ck_assert_uint_eq(rn_rping_get_stats(server)->failures, 1);
}

TEST(work_that_fails_ends_the_connection)
{
    connect_client(1);
    m->failing = 1;
    m->reg[0x388 / 4] = 0x00620001;
    unsigned before = seen.mads;
    say(2, SOURCE, 100);
    ck_assert_msg(strstr(seen.log, "QP 2: work 1 failed, syndrome 0x62") != NULL, "%s", seen.log);
    ck_assert_uint_eq(seen.mad[before][17], 0x15);
    ck_assert_uint_eq(seen.goes[2], 0);
}

TEST(a_client_that_answers_no_read_is_refused)
{
    uint8_t frame[LINUX_FRAME];
    linux_frame(linux_req, frame);
    frame[LINUX_MAD_AT + 24 + 35] = 0; /* responder resources */
    mock_roce_arrive(m, 1, frame, sizeof frame);
    serve();
    ck_assert_uint_eq(seen.mad[0][17], 0x12);
    ck_assert_uint_eq(seen.mad[0][35], 27);
    ck_assert_ptr_eq(rn_qp_of(dev, 2), NULL);
}

TEST(a_server_that_ends_gives_its_memory_back)
{
    rn_rping *other;
    rn_rping_params p = rn_rping_params_default();
    rn_rping *first = server;
    uint64_t before = m->allocated;
    rn_verbs v = rn_verbs_of(dev);
    ck_assert_int_eq(rn_rping_new(&v, &p, &other), 0);
    server = other; /* it takes the datagrams now */
    connect_client(1);
    connect_client(2);
    ck_assert_uint_gt(m->allocated, before);
    rn_rping_free(other);
    server = first;
    ck_assert_uint_eq(m->allocated, before);
}

TEST(datagrams_that_are_nonsense_are_left_alone)
{
    uint8_t frame[LINUX_FRAME];
    linux_frame(linux_req, frame);
    frame[LINUX_MAD_AT + 1] = 3;
    mock_roce_arrive(m, 1, frame, sizeof frame);
    mock_roce_arrive(m, 1, frame, 20);
    serve();
    ck_assert_uint_eq(seen.mads, 0);
    ck_assert_msg(strstr(seen.log, "a datagram is left alone: class is not 7") &&
                      strstr(seen.log, "shorter than its headers"),
                  "%s", seen.log);
}

/* The first access that fails, wherever: the poll says so. */
TEST(a_bus_that_fails_ends_the_poll)
{
    for (unsigned n = 1; n < 60; n++) {
        clean_up();
        set_up();
        uint8_t frame[LINUX_FRAME];
        linux_frame(linux_req, frame);
        mock_roce_arrive(m, 1, frame, sizeof frame);
        m->accesses_left = n;
        int result;
        while ((result = rn_rping_poll(server)) > 0) {
        }
        int good = m->failed == 0;
        ck_assert_msg(result == (good ? 0 : NX_ERROR_BUS), "access %u: %d, %u MADs, %s", n, result, seen.mads,
                      seen.log);
        m->accesses_left = UINT32_MAX;
        if (good) return;
    }
    ck_abort_msg("more accesses than expected");
}
