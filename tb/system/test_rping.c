/* rping through the RTL of the RoCE chip: its server (sw/roce) on the chip, a client in C on the NIC at the other end
 * of the line (sim/model/rnic), which connects by the connection manager of sw/roce as the active side. Data are
 * compared on both ends. In addition ARP, neighbour discovery and ping through the chip's second stream. */
#include <string.h>

#include "rn_net.h"
#include "rn_rping.h"
#include "roce_8.h"
#include "sim/app/roce/board/roce_system.h"
#include "simulation.h"
#include "test.h"

enum { QUEUE = 32, CLIENTS = 3, SIZE = 65536, DOMAIN = 1, KINDS = 8 };
/* Memory of the client's host: datagrams out and in, then for each client messages, source and sink. */
enum {
    MADS_OUT = 0,
    MADS_IN = 0x4000,
    FIRST = 0x10000,
    EACH = 0x30000,
    MESSAGE = 0,
    RECEIVED = 0x100,
    SOURCE = 0x1000,
    SINK = 0x18000
};
#define REMOTE UINT64_C(0x7f0000000000) /* its virtual address of the first byte */

typedef struct client {
    rnic_qp *qp;
    rn_cm_id *id;
    uint32_t number;
    uint64_t at;                  /* in memory */
    unsigned got;                 /* messages */
    unsigned up, over, connected; /* connected: done with rnic_connect */
} client;

static struct {
    sim *s;
    roce_system *y;
    rn_rping *server;
    /* the client's host */
    uint8_t memory[FIRST + CLIENTS * EACH];
    rnic_qp *management;
    uint32_t key;
    unsigned mads, clients, pings;
    rn_cm *cm;
    client client[CLIENTS];
    int ipv6, handshake, ended;
    char log[8192];
} b;

static const uint32_t sizes[KINDS] = {64, 1, 3000, 255, 4096, 20001, 65536, 17};

static void must(int good, const char *what)
{
    ck_assert_msg(good, "%s: %s, %s", what, b.y->device ? rn_last_error(b.y->device) : "", sim_error(b.s));
}

static uint64_t now_ns(void *self)
{
    (void)self;
    return sim_now(b.s) / SIM_NS;
}

/* ---- the server */

static void log_line(void *self, const char *line)
{
    (void)self;
    strncat(b.log, line, sizeof b.log - strlen(b.log) - 2);
    strcat(b.log, "\n");
}

static void serve(void *arg)
{
    (void)arg;
    rn_rping_params p = rn_rping_params_default();
    must(roce_system_open(b.y) == 0, "open");
    p.log = log_line;
    p.timeout = 5; /* 131 us */
    p.time_wait_ns = 200000;
    p.handshake = b.handshake;
    rn_verbs v = rn_verbs_of(b.y->device);
    must(rn_rping_new(&v, &p, &b.server) == 0, "server");
    while (!b.ended || rn_rping_get_stats(b.server)->open) {
        int result = rn_rping_poll(b.server);
        must(result >= 0, "server");
        sim_progress(b.s);
        if (!result) sim_wait_time(b.s, 300 * SIM_NS);
    }
}

/* ---- the client */

static int send_mad(void *self, const rn_address *to, const uint8_t mad[256])
{
    uint64_t at = MADS_OUT + 256 * (b.mads++ % QUEUE);
    (void)self, (void)to;
    memcpy(b.memory + at, mad, 256);
    rnic_send work = {.operation = RNIC_SEND,
                      .address = REMOTE + at,
                      .key = b.key,
                      .length = 256,
                      .peer = roce_system_chip_address(b.ipv6),
                      .qp = 1};
    return rnic_post_send(b.management, &work);
}

static void post_mad(uint64_t id)
{
    must(!rnic_post_receive(
             b.management,
             &(rnic_receive){.id = id, .address = REMOTE + MADS_IN + 256 * id, .key = b.key, .length = 256}),
         "receive of QP 1");
}

static void post_receive(client *c)
{
    must(!rnic_post_receive(c->qp, &(rnic_receive){.address = REMOTE + c->at + RECEIVED, .key = b.key, .length = 64}),
         "receive");
}

static int on_event(void *self, rn_cm_id *id, rn_cm_event event)
{
    client *c = id->user;
    (void)self;
    if (event == RN_CM_REPLIED) {
        char error[RNIC_ERROR] = "";
        rn_connection n;
        rnic_connection r;
        rn_cm_connection(id, NULL, &n);
        rnic_connection_default(&r);
        r.peer = roce_system_chip_address(b.ipv6);
        r.qp = n.qp;
        r.pmtu = n.pmtu;
        r.send_psn = n.send_psn;
        r.receive_psn = n.receive_psn;
        r.timeout = 5;
        r.answers = id->reply.initiator_depth;
        must(!rnic_connect(c->qp, &r, error), error);
        for (int i = 0; i < 4; i++) post_receive(c);
    }
    if (event == RN_CM_ESTABLISHED) c->up = 1;
    if (event == RN_CM_REJECTED || event == RN_CM_UNREACHABLE || event == RN_CM_DISCONNECTED) c->over = 1;
    return 0;
}

/* Packets received for any client. */
static void look(void)
{
    rnic_completion done;
    rn_address server = roce_system_peer_address(b.ipv6);
    rnic_address chip = roce_system_chip_address(b.ipv6);
    memcpy(server.mac, chip.mac, 6);
    memcpy(server.ip, b.ipv6 ? chip.ip : chip.ip + 12, b.ipv6 ? 16 : 4);
    while (rnic_poll(b.y->peer, &done)) {
        must(done.status == RNIC_SUCCESS, rnic_status_name(done.status));
        if (!done.receive) continue;
        if (done.qp == 1) {
            ck_assert_uint_eq(done.length, 256);
            rn_cm_receive(b.cm, &server, b.memory + MADS_IN + 256 * done.id);
            post_mad(done.id);
        }
        for (unsigned i = 0; i < b.clients; i++)
            if (b.client[i].number == done.qp) {
                ck_assert_uint_eq(done.length, 16);
                b.client[i].got++;
                post_receive(&b.client[i]);
            }
    }
    rn_cm_poll(b.cm);
}

static int everything(int (*good)(const client *))
{
    for (unsigned i = 0; i < b.clients; i++)
        if (!good(&b.client[i])) return 0;
    return 1;
}

static int is_up(const client *c) { return c->up != 0; }
static int is_over(const client *c) { return c->over != 0; }
static unsigned expected; /* messages of each client */
static int has_got(const client *c) { return c->got >= expected; }

static void until(int (*good)(const client *), const char *what)
{
    sim_time from = sim_now(b.s);
    while (!everything(good)) {
        look();
        ck_assert_msg(sim_now(b.s) - from < 20 * SIM_MS, "%s: not within 20 ms; %s", what, b.log);
        sim_wait_time(b.s, 500 * SIM_NS);
    }
}

static void say(client *c, uint64_t at, uint32_t size)
{
    uint8_t *m = b.memory + c->at + MESSAGE;
    rn_put64(m, REMOTE + c->at + at);
    rn_put32(m + 8, b.key);
    rn_put32(m + 12, size);
    must(!rnic_post_send(
             c->qp,
             &(rnic_send){.operation = RNIC_SEND, .address = REMOTE + c->at + MESSAGE, .key = b.key, .length = 16}),
         "SEND");
}

static void ping(unsigned n)
{
    uint32_t size[CLIENTS];
    for (unsigned i = 0; i < b.clients; i++) {
        client *c = &b.client[i];
        size[i] = sizes[(n + i) % KINDS];
        for (uint32_t k = 0; k < size[i]; k++) b.memory[c->at + SOURCE + k] = (uint8_t)(k * 7 + (k >> 8) + n * 13 + i);
        memset(b.memory + c->at + SINK, 0, SIZE);
        say(c, SOURCE, size[i]);
    }
    expected++;
    until(has_got, "go on");
    for (unsigned i = 0; i < b.clients; i++) say(&b.client[i], SINK, size[i]);
    expected++;
    until(has_got, "data written");
    for (unsigned i = 0; i < b.clients; i++) {
        const uint8_t *m = b.memory + b.client[i].at;
        ck_assert_msg(!memcmp(m + SOURCE, m + SINK, size[i]), "ping %u of client %u: other data", n, i);
        ck_assert_uint_eq(size[i] < SIZE ? m[SINK + size[i]] : 0, 0);
    }
}

static void run_clients(void *arg)
{
    char error[RNIC_ERROR] = "";
    (void)arg;
    rn_cm_params p = rn_cm_params_default();
    p.own = roce_system_peer_address(0);
    p.response_timeout = 6; /* 262 us */
    p.time_wait_ns = 100000;
    p.first_id = 0x51;
    p.send = send_mad;
    p.now = now_ns;
    p.on_event = on_event;
    must((b.cm = rn_cm_new(&p)) != NULL, "connection manager");
    b.key = rnic_register(b.y->peer, DOMAIN, b.memory, REMOTE, sizeof b.memory,
                          RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ);
    b.management = rnic_qp_new(b.y->peer, &(rnic_qp_params){.number = 1, .type = RNIC_UD, .domain = DOMAIN}, error);
    must(b.management != NULL, error);
    for (uint64_t i = 0; i < QUEUE; i++) post_mad(i);
    while (!b.server) sim_wait_time(b.s, SIM_US);
    rn_address server = {.ipv6 = (uint8_t)b.ipv6};
    rnic_address chip = roce_system_chip_address(b.ipv6);
    memcpy(server.ip, b.ipv6 ? chip.ip : chip.ip + 12, b.ipv6 ? 16 : 4);
    for (unsigned i = 0; i < b.clients; i++) {
        client *c = &b.client[i];
        c->number = 0x11 + i;
        c->at = FIRST + i * EACH;
        c->qp =
            rnic_qp_new(b.y->peer, &(rnic_qp_params){.number = c->number, .type = RNIC_RC, .domain = DOMAIN}, error);
        must(c->qp != NULL, error);
        rn_cm_offer o = {.qp = c->number,
                         .psn = 0xfffff0 + i,
                         .responder_resources = 1 + 7 * i,
                         .initiator_depth = 1,
                         .retries = 7,
                         .rnr_retries = 7,
                         .pmtu = 1024u << i % 3,
                         .ack_timeout = 14,
                         .port = 40000 + i};
        must(!rn_cm_connect(b.cm, &server, RN_CM_TCP_SERVICE(RN_RPING_PORT), &o, c, &c->id), "connect");
    }
    until(is_up, "connected");
    for (unsigned n = 0; n < b.pings; n++) ping(n);
    for (unsigned i = 0; i < b.clients; i++) must(!rn_cm_disconnect(b.client[i].id), "disconnect");
    until(is_over, "disconnected");
    b.ended = 1;
}

CLEANUP(roce_system_free);

static void make(double loss)
{
    char error[ROCE_SYSTEM_ERROR];
    memset(&b, 0, sizeof b);
    expected = 0;
    b.s = quiet_sim(0);
    roce_system_params p = roce_system_defaults(&roce_8_config);
    p.wire.lose = loss;
    p.wire.seed = sim_seed(b.s);
    b.y = roce_system_new(b.s, &p, error);
    ck_assert_msg(b.y != NULL, "%s", error);
    after_test(roce_system_free_cleanup, b.y);
    roce_system_answer(b.y);
}

TEST_CASE("rping", .timeout = 60);

static const struct {
    int ipv6;
    unsigned clients, pings;
    double loss;
    int handshake;
} runs[] = {{0, 1, 8, 0, 0}, {1, 1, 3, 0, 1}, {0, CLIENTS, 8, 0, 0}, {0, CLIENTS, 8, 0.02, 0}, {1, 2, 4, 0.02, 1}};

TEST(clients_ping_through_the_chip, .to = COUNT(runs))
{
    make(runs[_i].loss);
    b.ipv6 = runs[_i].ipv6;
    b.clients = runs[_i].clients;
    b.pings = runs[_i].pings;
    b.handshake = runs[_i].handshake;
    sim_task_new(b.s, "server", serve, NULL);
    sim_task_new(b.s, "clients", run_clients, NULL);
    int result = sim_run(b.s, 200 * SIM_MS);
    ck_assert_msg(result == SIM_OK, "seed %llu: %s: %s\n%s", (unsigned long long)sim_seed(b.s), sim_result_name(result),
                  sim_error(b.s), b.log);
    const rn_rping_stats *stats = rn_rping_get_stats(b.server);
    /* a client may have its last message, and disconnect, before its ACK is here */
    unsigned all = runs[_i].clients * runs[_i].pings, unseen = runs[_i].loss > 0 ? runs[_i].clients : 0;
    ck_assert_msg(stats->pings <= all && stats->pings + unseen >= all, "%llu pings of %u\n%s",
                  (unsigned long long)stats->pings, all, b.log);
    ck_assert_msg(stats->failures == 0 && stats->ended == runs[_i].clients, "%llu failed, %llu ended\n%s",
                  (unsigned long long)stats->failures, (unsigned long long)stats->ended, b.log);
    rn_rping_free(b.server);
    rn_cm_free(b.cm);
}

/* ---- who is where, through the second stream: asked from the other end of the line */

CLEANUP(rn_net_free);
static rn_net *asker;

static int ask(void *self, const uint8_t *frame, size_t size)
{
    (void)self;
    return ethernet_wire_send(b.y->wire, 1, frame, size, 0, sim_now(b.s));
}

static void seen(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    (void)self, (void)time, (void)bad_fcs;
    if (from == 0) rn_net_receive(asker, frame, length);
}

static void find(void *arg)
{
    (void)arg;
    must(roce_system_open(b.y) == 0, "open");
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        rnic_address chip = roce_system_chip_address(ipv6);
        rn_address who = {.ipv6 = (uint8_t)ipv6};
        int result;
        memcpy(who.ip, ipv6 ? chip.ip : chip.ip + 12, ipv6 ? 16 : 4);
        while ((result = rn_net_resolve(asker, &who)) == 0) sim_wait_time(b.s, SIM_US);
        ck_assert_int_eq(result, 1);
        ck_assert_int_eq(memcmp(who.mac, chip.mac, 6), 0);
    }
}

TEST(the_chip_is_found_by_arp_and_by_neighbour_discovery)
{
    make(0);
    rn_address own = roce_system_peer_address(0), own6 = roce_system_peer_address(1);
    rn_net_params n = {.send = ask, .now = now_ns, .retry_ns = 20000};
    memcpy(n.mac, own.mac, 6);
    memcpy(n.ipv4, own.ip, 4);
    memcpy(n.ipv6, own6.ip, 16);
    asker = rn_net_new(&n);
    after_test(rn_net_free_cleanup, asker);
    ck_assert_int_eq(ethernet_wire_observe(b.y->wire, ETHERNET_SENT, seen, NULL), 0);
    sim_task_new(b.s, "find", find, NULL);
    int result = sim_run(b.s, 10 * SIM_MS);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b.s));
    ck_assert_uint_eq(rn_net_get_stats(b.y->net)->arp_answers, 1);
    ck_assert_uint_eq(rn_net_get_stats(b.y->net)->neighbour_answers, 1);
}
