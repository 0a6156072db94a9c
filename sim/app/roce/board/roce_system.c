#include "sim/app/roce/board/roce_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/faults/line.h"

enum { PEER_PERIOD = 6400 /* [ps] */ };

static const uint8_t macs[2][6] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};
static const uint8_t ipv4s[2][4] = {{10, 0, 0, 1}, {10, 0, 0, 2}};
static const uint8_t ipv6s[2][16] = {{0xfd, [15] = 1}, {0xfd, [15] = 2}};

rn_address roce_system_address(unsigned end, int ipv6)
{
    rn_address a = {.ipv6 = (uint8_t)(ipv6 != 0)};
    memcpy(a.mac, macs[end], sizeof a.mac);
    memcpy(a.ip, ipv6 ? ipv6s[end] : ipv4s[end], ipv6 ? 16 : 4);
    return a;
}

rn_address roce_system_peer_address(int ipv6) { return roce_system_address(1, ipv6); }

static rnic_address peer_sees(int end, int ipv6)
{
    rnic_address a = {{0}, {0}};
    memcpy(a.mac, macs[end], sizeof a.mac);
    if (ipv6) memcpy(a.ip, ipv6s[end], sizeof a.ip);
    else rnic_set_ipv4(a.ip, rn_get32(ipv4s[end]));
    return a;
}

rnic_address roce_system_chip_address(int ipv6) { return peer_sees(0, ipv6); }

roce_system_params roce_system_defaults(const sim_config *chip)
{
    roce_system_params p = {.board = roce_board_defaults(chip)};
    ethernet_wire_params_default(&p.wire);
    p.wire.rate = sim_config_parameter(chip, "BYTES", 8) == 64 ? 100000000000 : 10000000000;
    p.wire.name[0] = "chip";
    p.wire.name[1] = "peer";
    p.qps = (unsigned)sim_config_parameter(chip, "NUM_QP", 8);
    return p;
}

rnic_params roce_system_nic(sim *s, int end)
{
    rnic_params params = {.clock = rnic_port_clock, .clock_self = s};
    memcpy(params.mac, macs[end], sizeof params.mac);
    for (int v = 0; v < 2; v++) {
        rnic_address a = peer_sees(end, v);
        memcpy(params.ip[v], a.ip, sizeof a.ip);
    }
    return params;
}

static int make_peer(roce_system *y, char *error)
{
    const rnic_params params = roce_system_nic(y->sim, 1);
    const sim_clock_params clock = {.name = "peer_clk", .period = PEER_PERIOD, .phase = -1};
    sim_clock *c = sim_clock_new(y->sim, &clock);
    if (!c || !(y->peer = rnic_new(&params, error))) return -1;
    return (y->port = rnic_port_new(y->sim, c, y->peer, y->wire, 1)) ? 0 : -1;
}

static void make_driver(roce_system *y, const roce_system_params *params)
{
    y->driver = rn_params_default();
    memcpy(y->driver.mac, macs[y->end], sizeof y->driver.mac);
    memcpy(y->driver.ipv4, ipv4s[y->end], sizeof y->driver.ipv4);
    memcpy(y->driver.ipv6, ipv6s[y->end], sizeof y->driver.ipv6);
    y->driver.qps = params->qps;
    y->driver.clock_khz = y->board->bytes == 8 ? 156250 : 200000;
}

/* A line of its own, or that of the other system. */
static int make_line(roce_system *y, const roce_system_params *params, char *error)
{
    if (params->other) {
        y->wire = params->other->wire;
        y->end = 1;
        return 0;
    }
    if (!(y->wire = ethernet_wire_new(&params->wire, error))) return -1;
    if (params->faults && ethernet_wire_plan(y->wire, params->faults, error)) return -1;
    if (params->pcap && !(y->pcap = pcap_writer_new(params->pcap, error))) return -1;
    return y->pcap ? pcap_attach(y->pcap, y->wire, ETHERNET_SENT) : 0;
}

roce_system *roce_system_new(sim *s, const roce_system_params *params, char error[ROCE_SYSTEM_ERROR])
{
    roce_system *y = calloc(1, sizeof *y);
    *error = 0;
    if (!y) {
        snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
        return NULL;
    }
    y->sim = s;
    int made = !make_line(y, params, error) &&
               (y->board = roce_board_new(s, &params->board, y->wire, (int)y->end, params->other ? "peer" : "chip")) &&
               !roce_platform_make(&y->platform, y->board) &&
               (params->no_peer || params->other || !make_peer(y, error));
    if (!made) {
        if (!*error) snprintf(error, ROCE_SYSTEM_ERROR, "%s", *sim_error(s) ? sim_error(s) : "no memory left");
        roce_system_free(y);
        return NULL;
    }
    make_driver(y, params);
    return y;
}

int roce_system_record_ends(roce_system *y, uint64_t *frames, char error[ETHERNET_ERROR])
{
    uint64_t written = 0;
    int result = pcap_close(y->pcap, &written, error);
    y->pcap = NULL;
    if (frames) *frames = written;
    return result;
}

void roce_system_free(roce_system *y)
{
    if (!y) return;
    char error[ETHERNET_ERROR];
    roce_system_record_ends(y, NULL, error);
    rn_net_free(y->net);
    rnic_port_free(y->port);
    rnic_free(y->peer);
    roce_platform_free(&y->platform);
    roce_board_free(y->board);
    if (!y->end) ethernet_wire_free(y->wire);
    free(y);
}

static int out_of_reset(void *self) { return !((roce_system *)self)->board->reset_clocks; }

int roce_system_open(roce_system *y)
{
    sim_wait_until(y->board->clock, out_of_reset, y);
    if (!rn_open(&y->platform, &y->driver, &y->device)) return 0;
    sim_fail(y->sim, "cannot open the chip: %s", y->device ? rn_last_error(y->device) : "no memory left");
    return -1;
}

const char *roce_system_why(roce_system *y, unsigned qp, char text[ROCE_SYSTEM_WHY])
{
    rn_error e, *its = &y->errors[qp];
    snprintf(text, ROCE_SYSTEM_WHY, "the chip does not report why");
    for (int polls = 0; polls < 100 && !*sim_error(y->sim); polls++) {
        while (rn_error_next(y->device, &e) > 0)
            if (e.qp < sizeof y->errors / sizeof *its) y->errors[e.qp] = e; /* others may ask for theirs */
        if (its->qp) {
            snprintf(text, ROCE_SYSTEM_WHY, "FATAL code %u (S5 table 2-4), opcode %02x, PSN %06x, syndrome %02x",
                     its->code, its->opcode, its->psn, its->syndrome);
            its->qp = 0;
            break;
        }
        sim_wait_cycles(y->board->clock, 64);
    }
    return text;
}

void roce_system_close(roce_system *y)
{
    if (rn_close(y->device)) sim_fail(y->sim, "the driver cannot be closed: %s", rn_last_error(y->device));
    else y->device = NULL;
}

/* ---- frames that are no RoCE v2 */

static uint64_t net_now(void *self) { return sim_now(((roce_system *)self)->sim) / SIM_NS; }

static int net_send(void *self, const uint8_t *frame, size_t size)
{
    return roce_board_send_other(((roce_system *)self)->board, frame, size) ? NX_ERROR_NO_MEMORY : 0;
}

static void other(void *self, const uint8_t *frame, size_t size)
{
    rn_net_receive(((roce_system *)self)->net, frame, size);
}

int roce_system_answer(roce_system *y)
{
    rn_net_params n = {.self = y, .send = net_send, .now = net_now};
    memcpy(n.mac, y->driver.mac, sizeof n.mac);
    memcpy(n.ipv4, y->driver.ipv4, sizeof n.ipv4);
    memcpy(n.ipv6, y->driver.ipv6, sizeof n.ipv6);
    if (!(y->net = rn_net_new(&n))) {
        sim_fail(y->sim, "no memory left for ARP and ping");
        return -1;
    }
    roce_board_on_other(y->board, other, y);
    return 0;
}

/* ---- connections */

int roce_system_connect(roce_system *y, rn_qp *qp, unsigned to, const roce_path *path, char error[ROCE_SYSTEM_ERROR])
{
    const rn_connection c = {.peer = roce_system_address(!y->end, path->ipv6),
                             .qp = to,
                             .send_psn = path->psn[y->end],
                             .receive_psn = path->psn[!y->end],
                             .pmtu = path->pmtu,
                             .timeout = path->timeout,
                             .retries = 7,
                             .rnr_retries = 7,
                             .rnr_timer = 1,
                             .reads_outstanding = path->reads};
    if (!rn_qp_modify(qp, &c)) return 0;
    snprintf(error, ROCE_SYSTEM_ERROR, "%s", rn_last_error(y->device));
    return -1;
}

int roce_system_connect_both(roce_system *y, rn_qp *qp, rnic_qp *peer, const roce_path *path,
                             char error[ROCE_SYSTEM_ERROR])
{
    rnic_connection c;
    rnic_connection_default(&c);
    c.peer = roce_system_chip_address(path->ipv6);
    c.qp = rn_qp_number(qp);
    c.pmtu = path->pmtu;
    c.send_psn = path->psn[1];
    c.receive_psn = path->psn[0];
    c.timeout = path->timeout;
    c.rnr_timer = 1;
    if (rnic_connect(peer, &c, error)) return -1;
    return roce_system_connect(y, qp, rnic_qp_number(peer), path, error);
}
