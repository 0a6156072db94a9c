/* NICs in C at both ends of a wire in a simulation: payload share of the line's rate, and that tshark sees the frames
 * that the NICs sent.
 */
#include <stdlib.h>
#include <string.h>

#include "shell.h"
#include "sim/model/ethernet/pcap.h"
#include "sim/model/rnic/rnic_port.h"
#include "sim/traffic/faults/line.h"
#include "simulation.h"
#include "test.h"

enum { MEMORY = 1 << 20, MESSAGE = 1 << 16 };

static struct {
    sim *sim;
    sim_clock *clock;
    ethernet_wire *wire;
    rnic *r[2];
    rnic_qp *qp[2];
    rnic_port *port[2];
    uint8_t *memory[2];
    uint32_t key[2];
    unsigned complete, outstanding, messages;
    sim_time first, last;
    rnic_operation operation;
    char error[ETHERNET_ERROR], *log[2], *at[2];
} b;

CLEANUP(rnic_free);
CLEANUP(rnic_port_free);
CLEANUP(ethernet_wire_free);

/* Side 0 keeps some messages outstanding. */
static void work(void *self)
{
    rnic_completion c;

    (void)self;
    while (rnic_poll(b.r[0], &c)) {
        ck_assert_int_eq(c.status, RNIC_SUCCESS);
        b.complete++;
        b.outstanding--;
        b.last = sim_now(b.sim);
    }
    while (rnic_poll(b.r[1], &c)) ck_assert_int_eq(c.status, RNIC_SUCCESS);
    for (; b.messages && b.outstanding < 4; b.messages--, b.outstanding++) {
        rnic_send w = {
            .operation = b.operation, .address = 5, .key = b.key[0], .length = MESSAGE, .remote = 3, .rkey = b.key[1]};

        ck_assert_int_eq(rnic_post_send(b.qp[0], &w), 0);
    }
    if (!b.outstanding) sim_stop(b.sim);
}

static void start(uint64_t gbit, const char *plan, const rnic_connection *connection, int ipv6)
{
    ethernet_wire_params wp;

    memset(&b, 0, sizeof b);
    b.sim = quiet_sim(0);
    b.clock = make_clock(b.sim, "clk", gbit == 10 ? 6400 : 5000, 0);
    ethernet_wire_params_default(&wp);
    wp.rate = gbit * 1000000000u;
    b.wire = ethernet_wire_new(&wp, b.error);
    after_test(ethernet_wire_free_cleanup, b.wire);
    ck_assert_msg(!*plan || !ethernet_wire_plan(b.wire, plan, b.error), "%s", b.error);
    for (int s = 0; s < 2; s++) {
        rnic_params np = {.mac = {2, 0, 0, 0, 0, (uint8_t)s}, .clock = rnic_port_clock, .clock_self = b.sim};
        rnic_connection c = *connection;

        rnic_set_ipv4(np.ip[0], 0x0a000001 + (uint32_t)s);
        memcpy(np.ip[1], (uint8_t[16]){0xfd, [15] = (uint8_t)(1 + s)}, 16);
        b.r[s] = rnic_new(&np, b.error);
        after_test(rnic_free_cleanup, b.r[s]);
        b.port[s] = rnic_port_new(b.sim, b.clock, b.r[s], b.wire, s);
        after_test(rnic_port_free_cleanup, b.port[s]);
        b.memory[s] = test_memory(MEMORY);
        b.key[s] = rnic_register(b.r[s], 1, b.memory[s], 0, MEMORY, 7);
        b.qp[s] = rnic_qp_new(b.r[s], &(rnic_qp_params){.number = 0x20 + (unsigned)s, .domain = 1}, b.error);
        c.peer.mac[0] = 2;
        c.peer.mac[5] = !s;
        if (ipv6) memcpy(c.peer.ip, (uint8_t[16]){0xfd, [15] = (uint8_t)(2 - s)}, 16);
        else rnic_set_ipv4(c.peer.ip, 0x0a000002 - (uint32_t)s);
        c.qp = 0x21 - (unsigned)s;
        c.send_psn = c.receive_psn = 0xfffff0;
        ck_assert_msg(!rnic_connect(b.qp[s], &c, b.error), "%s", b.error);
    }
    for (unsigned i = 0; i < MEMORY; i++) b.memory[0][i] = (uint8_t)(i * 13 + (i >> 8));
    sim_clock_attach(b.clock, NULL, work, NULL);
}

TEST_CASE("port", .teardown = shell_clean);

/* A packet of PMTU bytes takes PMTU + 82 of the line: Ethernet 14 + 24, IPv4 20, UDP 8, BTH 12, ICRC 4; 98 for a
 * WRITE's first. READ responses have 4 more in their first and last one. */
TEST(a_nic_fills_the_line, .to = 8)
{
    static const unsigned pmtus[] = {256, 4096};
    rnic_connection c;
    unsigned pmtu = pmtus[_i & 1];
    uint64_t gbit = _i & 2 ? 100 : 10;

    rnic_connection_default(&c);
    c.pmtu = pmtu;
    start(gbit, "", &c, 0);
    b.messages = 60;
    b.operation = _i & 4 ? RNIC_READ : RNIC_WRITE;
    ck_assert_int_eq(sim_run(b.sim, 100 * SIM_MS), SIM_STOPPED);
    ck_assert_uint_eq(b.complete, 60);
    double most = (double)pmtu / (pmtu + 82), bits = 60.0 * MESSAGE * 8, rate = bits / ((double)b.last / 1e12);
    ck_assert_msg(rate / ((double)gbit * 1e9) >= 0.97 * most, "%g Gbit/s, expected %g", rate / 1e9,
                  0.97 * most * (double)gbit);
    ck_assert_msg(rate / ((double)gbit * 1e9) <= most, "%g Gbit/s, more than the line", rate / 1e9);
    for (int s = 0; s < 2; s++) ck_assert_uint_eq(rnic_get_counters(b.r[s])->completer_retry_err, 0);
    if (b.operation == RNIC_WRITE) ck_assert_mem_eq(b.memory[1] + 3, b.memory[0] + 5, MESSAGE);
}

/* Each frame as described by its sender, in tshark's fields. */
static void note(void *self, int sent, const rnic_packet *p)
{
    unsigned extension = rnic_extension(p->opcode);
    int s = self == &b.at[1];
    char **at = self;

    if (!sent) return;
    *at += sprintf(*at, "02:00:00:00:00:0%d|%u|0x%06x|%u|%d|", s, p->opcode, p->qp, p->psn, p->ack_request);
    *at += extension == 4 ? sprintf(*at, "%u|%u|", p->syndrome, p->msn) : sprintf(*at, "||");
    if (extension == 16) *at += sprintf(*at, "0x%016lx|0x%08x|%u", (unsigned long)p->address, p->rkey, p->dma_length);
    else *at += sprintf(*at, "||");
    *at += p->length ? sprintf(*at, "|%u\n", p->length + (-p->length & 3)) : sprintf(*at, "|\n");
}

/* 1 if tshark reads the NICs' frames in the file. The wire reports frames as their last bytes leave, so each end's are
 * in order. */
static int tshark_agrees(void)
{
    char *both = test_memory(1 << 18);

    ck_assert_int_eq(
        shell_says("tshark -r $D/x.pcap -Y '_ws.malformed' 2>/dev/null | grep -c . ; "
                   "tshark -r $D/x.pcap -T fields -E separator='|' -e eth.src -e infiniband.bth.opcode "
                   "-e infiniband.bth.destqp -e infiniband.bth.psn -e infiniband.bth.a -e infiniband.aeth.syndrome "
                   "-e infiniband.aeth.msn -e infiniband.reth.va -e infiniband.reth.r_key -e infiniband.reth.dmalen "
                   "-e data.len 2>/dev/null | sed 's/True/1/; s/False/0/' | sort -s -t '|' -k 1,1"),
        0);
    ck_assert_msg(!strncmp(shell_output, "0\n", 2), "malformed: %.80s", shell_output);
    sprintf(both, "%s%s", b.log[0], b.log[1]);
    return !strcmp(shell_output + 2, both);
}

TEST(tshark_sees_what_the_nics_say, .to = 2)
{
    rnic_connection c;
    uint64_t frames;
    char path[256];

    rnic_connection_default(&c);
    c.timeout = 4;
    start(10, "lose a 3; lose b 2; duplicate a 20..30; lose a 70", &c, _i);
    snprintf(path, sizeof path, "%s/x.pcap", shell_folder());
    pcap_writer *p = pcap_writer_new(path, b.error);
    ck_assert_int_eq(pcap_attach(p, b.wire, ETHERNET_SENT), 0);
    for (int s = 0; s < 2; s++) {
        b.log[s] = b.at[s] = test_memory(1 << 17);
        rnic_observe(b.r[s], note, &b.at[s]);
    }
    for (int i = 0; i < 2; i++) {
        b.messages = 1;
        b.operation = i ? RNIC_READ : RNIC_WRITE;
        work(NULL);
        ck_assert_int_eq(sim_run(b.sim, 10 * SIM_MS), SIM_STOPPED);
    }
    sim_run(b.sim, sim_now(b.sim) + 100 * SIM_US);
    ck_assert_int_eq(pcap_close(p, &frames, b.error), 0);
    ck_assert_uint_gt(rnic_get_counters(b.r[0])->completer_retry_err, 0);
    ck_assert_msg(tshark_agrees(), "tshark:\n%.600s\nNICs:\n%.600s", shell_output + 2, b.log[0]);
    strstr(b.log[1], "|17|")[1] = '8'; /* an opcode */
    ck_assert(!tshark_agrees());
}
