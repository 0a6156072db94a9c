/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Litmus programs: a few accesses of both processors and of the NI to a few words, and all outcomes that the memory
 * model of rtl/coherent/README.md allows, found by running the model in every order.
 *
 * The text of a thread: operations with a blank between them.
 *   Wx1  store 1 to x             Rx   load x into the thread's next register
 *   S    sync                     Tx   test-and-set (all bits) of x, Ix fetch-and-increment of x: the old value into a
 * register Gx   the NI is asked to send x to another node; what it has read goes into a register Words are x, y, z;
 * each in a line of its own, or all in one line (`one_line`). All are 0 before. Threads 0 and 1 are processors; thread
 * 2 is another node, and its Wx1 are packets that this node's NI writes.
 */
#ifndef NC_LITMUS_H
#define NC_LITMUS_H

#include <stdint.h>

enum { NC_LITMUS_THREADS = 3, NC_LITMUS_OPS = 6, NC_LITMUS_WORDS = 3, NC_LITMUS_REGISTERS = 4, NC_LITMUS_SETS = 64 };

typedef struct nc_litmus_test {
    const char *name;
    const char *thread[NC_LITMUS_THREADS]; /* NULL: none */
    int one_line;
} nc_litmus_test;

typedef struct nc_litmus_op {
    char kind;             /* W R S T I G, 0: none */
    uint8_t word, operand; /* operand: value, or number of its register */
} nc_litmus_op;

/* Outcome: registers (2 bits each, those of thread 0 lowest, NC_LITMUS_REGISTERS for each thread), then the words at
 * the end. */
typedef uint32_t nc_outcome;
static inline unsigned nc_outcome_register(nc_outcome o, unsigned thread, unsigned number)
{
    return o >> 2 * (thread * NC_LITMUS_REGISTERS + number) & 3;
}
static inline unsigned nc_outcome_word(nc_outcome o, unsigned word)
{
    return o >> 2 * (2 * NC_LITMUS_REGISTERS + word) & 3;
}

/* What of the model may be chosen; the default is what rtl/coherent/README.md promises. */
typedef struct nc_memory_model {
    unsigned store_buffer; /* stores of a processor that its later loads may pass: 0 */
} nc_memory_model;
extern const nc_memory_model nc_memory_model_default;

extern const nc_litmus_test nc_litmus_tests[];
extern const unsigned nc_litmus_count;

/* Operations of a thread; how many, or -1: the text is wrong. */
int nc_litmus_parse(const char *text, nc_litmus_op ops[NC_LITMUS_OPS]);
/* All outcomes of the test; returns how many, at most NC_LITMUS_SETS (more, or a wrong text: -1). */
int nc_litmus_allowed(const nc_litmus_test *test, const nc_memory_model *model, nc_outcome allowed[NC_LITMUS_SETS]);

#endif
