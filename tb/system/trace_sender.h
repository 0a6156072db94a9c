/* Random transfers between the two nodes of a test of traces. */
#ifndef TB_TRACE_SENDER_H
#define TB_TRACE_SENDER_H

/* Nodes that have sent all. */
extern unsigned trace_senders_done;

/* A task of a `node`: 70 transfers to the other one, one after the other, some with a notification. */
void trace_sender(void *node);

#endif
