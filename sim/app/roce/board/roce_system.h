/* A board with the RoCE v2 chip and its driver, an Ethernet line, and at the other end a NIC in C (sim/model/rnic): all
 * in one simulation.
 *
 *     roce_system_params p = roce_system_defaults(&roce_8_config);
 *     roce_system *y = roce_system_new(sim, &p, error);
 *     ... in a task: roce_system_open(y) and then y->device (sw/roce/rn.h), y->peer (sim/model/rnic/rnic.h)
 *
 * The chip has 10.0.0.1, fd00::1 and 02:00:00:00:00:01, the peer 10.0.0.2, fd00::2 and 02:00:00:00:00:02. Of the line,
 * end 0 "chip", end 1 "peer". There may be a second chip instead of the peer: a system of its own, whose parameters
 * name this one, and whose line is this one's.
 */
#ifndef SIM_APP_ROCE_BOARD_ROCE_SYSTEM_H
#define SIM_APP_ROCE_BOARD_ROCE_SYSTEM_H

#include "rn.h"
#include "rn_net.h"
#include "sim/app/roce/board/roce_board.h"
#include "sim/app/roce/board/roce_platform.h"
#include "sim/model/ethernet/pcap.h"
#include "sim/model/rnic/rnic_port.h"

enum { ROCE_SYSTEM_ERROR = 400 };

struct roce_system;
typedef struct roce_system_params {
    roce_board_params board;
    ethernet_wire_params wire; /* its rate follows the chip: 10 or 100 Gb/s */
    const char *faults;        /* a plan (sim/traffic/faults/line.h); NULL: none */
    const char *pcap;          /* file of all that is sent; NULL: none */
    int no_peer;               /* 1: nothing is at end 1 of the line; default 0 */
    struct roce_system
        *other;   /* one without a peer, at end 1 of whose line this chip is; NULL, the default: the line is its own */
    unsigned qps; /* of the driver: QP 1 and the others, 2..NUM_QP of the chip; default that */
} roce_system_params;
roce_system_params roce_system_defaults(const sim_config *chip);

typedef struct roce_system {
    sim *sim;
    ethernet_wire *wire;
    unsigned end; /* of the line */
    roce_board *board;
    rnic *peer; /* NULL: there is none */
    rnic_port *port;
    pcap_writer *pcap;
    struct nx_platform platform;
    rn_params driver; /* what roce_system_open opens with; may be changed before */
    rn_device *device;
    rn_net *net;          /* NULL: frames that are no RoCE v2 are ignored */
    rn_error errors[129]; /* by QP, 1..128: read from the chip, not yet reported (roce_system_why); its qp 0: none */
} roce_system;

/* NULL: `error` has the reason. Free it after the last sim_run, before sim_free, and before its other. */
roce_system *roce_system_new(sim *s, const roce_system_params *params, char error[ROCE_SYSTEM_ERROR]);
void roce_system_free(roce_system *y);
/* After the last run: ends the pcap file; how many frames it has, if wanted. -1: not all could be written, and error
 * says so. */
int roce_system_record_ends(roce_system *y, uint64_t *frames, char error[ETHERNET_ERROR]);
/* From a task: waits until the chip is out of reset and opens it. 0, or -1: sim_fail has the driver's text. */
int roce_system_open(roce_system *y);
/* From now on software answers ARP, neighbour discovery and ping, by the chip's second stream. 0, or -1: sim_fail has
 * said why not. */
int roce_system_answer(roce_system *y);
/* From a task: why this QP of the chip has ended, by the chip's entry of it, which may come a little after the
 * completion. Returns text, "FATAL code 6 (S5 table 2-4), opcode 0a, PSN 00abcd, syndrome 00", or that the chip does
 * not report it. */
enum { ROCE_SYSTEM_WHY = 100 };
const char *roce_system_why(roce_system *y, unsigned qp, char text[ROCE_SYSTEM_WHY]);
/* Closes it, if it is open. */
void roce_system_close(roce_system *y);
/* Addresses of the two ends. */
rn_address roce_system_address(unsigned end, int ipv6);
rn_address roce_system_peer_address(int ipv6);
rnic_address roce_system_chip_address(int ipv6);
/* Of a NIC in C at that end. */
rnic_params roce_system_nic(sim *s, int end);

/* A connection between the chip and its peer, or another chip. */
typedef struct roce_path {
    int ipv6;
    unsigned pmtu, timeout /* code of both ends */, reads /* of the chip outstanding */;
    uint32_t psn[2]; /* of the first packet from each end */
} roce_path;
/* Both return 0, or -1: error says why. Of a chip's QP alone, to one with this number: */
int roce_system_connect(roce_system *y, rn_qp *qp, unsigned to, const roce_path *path, char error[ROCE_SYSTEM_ERROR]);
/* ... and of both, the peer's first. */
int roce_system_connect_both(roce_system *y, rn_qp *qp, rnic_qp *peer, const roce_path *path,
                             char error[ROCE_SYSTEM_ERROR]);

#endif
