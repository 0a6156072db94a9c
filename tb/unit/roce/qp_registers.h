/* The registers of a QP by their words, bits 7:2 of their addresses; by hand, from S5's table. The last two are not in
 * S5. */
#ifndef TB_ROCE_QP_REGISTERS_H
#define TB_ROCE_QP_REGISTERS_H

enum {
    QPCONF = 0x00,
    QPADVCONF = 0x01,
    RQBA = 0x02,
    SQBA = 0x04,
    CQBA = 0x06,
    RQWPTRDBADD = 0x08,
    CQDBADD = 0x0a,
    CQHEAD = 0x0c,
    RQCI = 0x0d,
    QDEPTH = 0x0f,
    SQPSN = 0x10,
    LSTRQREQ = 0x11,
    DESTQPCONF = 0x12,
    TIMEOUTCONF = 0x13,
    MACDESADDLSB = 0x14,
    MACDESADDMSB = 0x15,
    IPDESADDR = 0x18, /* four words */
    STATSSN = 0x20,
    STATMSN = 0x21,
    STATQP = 0x22,
    STATCURSQPTR = 0x23,
    STATRESPSN = 0x24,
    STATRQBUFCA = 0x25,
    STATWQE = 0x26,
    STATRQPIDB = 0x27,
    RQLENBA = 0x28,
    RDLIMIT = 0x29,
    QP_WORDS = 0x40
};
/* Bits of QPCONF. BY_BUS: doorbells are written to memory, not sent by the handshake ports; ENTRIES: of the completion
 * queue. */
enum {
    QP_ENABLE = 1 << 0,
    QP_RQ_IRQ = 1 << 2,
    QP_CQ_IRQ = 1 << 3,
    QP_BY_BUS = 1 << 4,
    QP_ENTRIES = 1 << 5,
    QP_IPV6 = 1 << 7
};
enum { QP_BUSY = 1 << 12 }; /* of STATQP */

#endif
