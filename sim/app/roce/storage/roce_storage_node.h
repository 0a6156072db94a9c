/* A storage node on the RoCE chip without a processor (S5 1, Applications): the application behind the chip's handshake
 * ports. Hosts SEND commands of 64 bytes; the node moves blocks between its store and the host's memory with WRITE and
 * READ, and SENDs an answer of 16 bytes.
 *
 *     storage_node *n = storage_node_new(board, device, qp, &params);      the QP is connected, with handshake, and
 * nothing was posted yet
 *
 * It models hardware next to the chip. It takes the doorbells of the receive and the completion queue, reads commands
 * out of receive buffers, writes WQEs into the send queue, and posts RQCI and SQPI. It touches no register: where its
 * queues are is read once, when it is made. Each of its accesses to memory takes `access` clocks.
 *
 * All numbers are little endian.
 *
 *     command   [0] 1 = read a block, 2 = write a block   [2..3] ID   [8..15] block   [16..23] host's address [24..27]
 * host's key answer    [0] as in the command   [1] status   [2..3] ID   [8..15] block
 *
 * Reading a block: a WRITE into the host's memory, and the answer right behind it: a reliable connection keeps the
 * order. Writing one: a READ of the host's memory; the answer is sent when it is complete, so the data are in the store
 * then.
 */
#ifndef SIM_APP_ROCE_STORAGE_ROCE_STORAGE_NODE_H
#define SIM_APP_ROCE_STORAGE_ROCE_STORAGE_NODE_H

#include "rn.h"
#include "sim/app/roce/board/roce_board.h"

enum { STORAGE_BLOCK = 4096, STORAGE_COMMAND = 64, STORAGE_ANSWER = 16 };
enum { STORAGE_READ = 1, STORAGE_WRITE = 2 };
typedef enum { STORAGE_DONE, STORAGE_BAD_COMMAND, STORAGE_NO_BLOCK } storage_status;

typedef struct storage_command {
    unsigned operation, id;
    uint64_t block, address;
    uint32_t key;
} storage_command;
void storage_command_encode(const storage_command *c, uint8_t bytes[STORAGE_COMMAND]);

typedef struct storage_answer {
    unsigned operation, status, id;
    uint64_t block;
} storage_answer;
storage_answer storage_answer_decode(const uint8_t bytes[STORAGE_ANSWER]);

typedef struct storage_node_params {
    uint64_t store;  /* address of block 0 in the chip's memory */
    uint64_t blocks; /* of the store */
    unsigned access; /* [clocks] of an access to memory, 1 or more */
} storage_node_params;

typedef struct storage_node storage_node;

/* From a task. NULL: no memory, or a register cannot be read (sim_fail). Free it after the last sim_run. */
storage_node *storage_node_new(roce_board *board, rn_device *device, rn_qp *qp, const storage_node_params *params);
void storage_node_free(storage_node *n);
/* Nothing is under way. */
int storage_node_idle(const storage_node *n);
/* A WQE has ended with an error: the node ignores later commands. */
int storage_node_failed(const storage_node *n);

#endif
