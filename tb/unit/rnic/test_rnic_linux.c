/* Recorded Linux (rdma_rxe of 6.1, QEMU) on the other end: the NIC in C takes the place of the program that Linux
 * talked to. Packets sent by Linux go in; the output must be, byte for byte, what Linux accepted then.
 *
 *   sends_writes_reads.pcap   PMTU 1024: a SEND of 5000 bytes, a packet of it lost; READ, WRITE and SEND to Linux. PSNs
 * go beyond 2^24 rping.pcap                PMTU 4096: connection manager, ten times rping -V -S 9000, PSNs of Linux go
 * beyond 2^24
 */
#include <string.h>

#include "sim/model/ethernet/pcap.h"
#include "sim/model/rnic/rnic.h"
#include "test.h"

enum { MEMORY = 1 << 17, RECEIVES = 0, READ_AT = 1 << 15, SEND_AT = 1 << 16, DATAGRAMS = 3 << 15 };
#define BASE UINT64_C(0x7654321000)

static struct {
    rnic *r;
    rnic_qp *qp, *manager;
    uint8_t memory[MEMORY];
    uint32_t key;
    pcap_reader *file;
    unsigned frames, checked; /* of the file; those of the other end's that were compared */
    unsigned reads, writes, sends, received, datagrams;
    char error[ETHERNET_ERROR];
} b;

static uint64_t no_time(void *self)
{
    (void)self;
    return 0;
}

CLEANUP(rnic_free);
CLEANUP(pcap_reader_free);

static void start(const char *file, unsigned pmtu, uint32_t send_psn, uint32_t receive_psn)
{
    rnic_params np = {.mac = {2, 0, 0, 0, 0, 1}, .udp_source = 0xc001, .clock = no_time};
    rnic_connection c;

    memset(&b, 0, sizeof b);
    rnic_set_ipv4(np.ip[0], 0x0a000001);
    b.r = rnic_new(&np, b.error);
    after_test(rnic_free_cleanup, b.r);
    b.key = rnic_register(b.r, 1, b.memory, BASE, MEMORY, RNIC_LOCAL_WRITE);
    b.qp = rnic_qp_new(b.r, &(rnic_qp_params){.number = 2, .domain = 1}, b.error);
    b.manager = rnic_qp_new(b.r, &(rnic_qp_params){.number = 1, .type = RNIC_UD, .domain = 1}, b.error);
    rnic_connection_default(&c);
    memcpy(c.peer.mac, (uint8_t[6]){0x52, 0x54, 0, 0, 0, 2}, 6);
    rnic_set_ipv4(c.peer.ip, 0x0a000002);
    c.qp = 0x11;
    c.pmtu = pmtu;
    c.send_psn = send_psn;
    c.receive_psn = receive_psn;
    ck_assert_msg(!rnic_connect(b.qp, &c, b.error), "%s", b.error);
    for (unsigned i = 0; i < 4; i++) {
        rnic_post_receive(
            b.qp, &(rnic_receive){.id = i, .address = BASE + RECEIVES + 5000 * i, .key = b.key, .length = 5000});
        rnic_post_receive(b.manager,
                          &(rnic_receive){.id = i, .address = BASE + DATAGRAMS + 256 * i, .key = b.key, .length = 256});
    }
    b.file = pcap_reader_new(file, b.error);
    ck_assert_msg(b.file != NULL, "%s", b.error);
    after_test(pcap_reader_free_cleanup, b.file);
}

/* Then the program READs the area that a message names, WRITEs the data read, or an error, and SENDs. */
static void post_as_then(const rnic_packet *p, const void *message)
{
    rnic_send w = {
        .key = b.key, .address = BASE + SEND_AT, .length = p->dma_length, .remote = p->address, .rkey = p->rkey};

    switch (p->opcode) {
    case RNIC_READ_REQUEST:
        w.operation = RNIC_READ;
        w.address = BASE + READ_AT;
        b.reads++;
        break;
    case RNIC_WRITE_FIRST:
        w.operation = RNIC_WRITE;
        b.writes++;
        break;
    case RNIC_SEND_ONLY:
        w.length = p->length;
        w.address += 1 << 14;
        memcpy(b.memory + SEND_AT + (1 << 14), message, p->length);
        b.sends++;
        break;
    case RNIC_UD_SEND_ONLY: /* messages of the connection manager */
        w.length = p->length;
        w.address = BASE + DATAGRAMS + 1024;
        w.peer = p->to;
        w.qp = p->qp;
        memcpy(b.memory + DATAGRAMS + 1024, p->payload, p->length);
        ck_assert_int_eq(rnic_post_send(b.manager, &w), 0);
        return;
    default:
        return;
    }
    ck_assert_int_eq(rnic_post_send(b.qp, &w), 0);
}

static void expect_bytes(const pcap_frame *f)
{
    uint8_t frame[RNIC_FRAME];
    size_t length = rnic_give(b.r, frame);

    ck_assert_msg(length == f->length, "frame %u: %zu bytes, expected %u", b.frames, length, f->length);
    for (size_t i = 0; i < length; i++)
        ck_assert_msg(frame[i] == f->bytes[i], "frame %u: byte %zu is %02x, Linux accepted %02x", b.frames, i, frame[i],
                      f->bytes[i]);
    b.checked++;
}

/* Receives are posted again as soon as a test has looked at them. */
static void take_completions(void (*received)(const uint8_t *message, uint32_t length))
{
    rnic_completion c;

    while (rnic_poll(b.r, &c)) {
        ck_assert_msg(c.status == RNIC_SUCCESS, "frame %u: %s", b.frames, rnic_status_name(c.status));
        if (c.receive && c.qp == 2) {
            b.received++;
            received(b.memory + RECEIVES + 5000 * c.id, c.length);
            rnic_post_receive(
                b.qp,
                &(rnic_receive){.id = c.id, .address = BASE + RECEIVES + 5000 * c.id, .key = b.key, .length = 5000});
        } else if (c.receive) {
            b.datagrams++;
            ck_assert_uint_eq(c.source_qp, 1);
            ck_assert_uint_eq(c.length, 256);
        }
    }
}

/* The whole file; frames in `skipped` (ending with 0) are left out. before_write: makes the bytes of a WRITE out of
 * those that were read.
 */
static void replay(const unsigned *skipped, void (*before_write)(void),
                   void (*received)(const uint8_t *message, uint32_t length), const void *message)
{
    pcap_frame f;
    rnic_packet p;
    const char *why = "";
    uint8_t frame[RNIC_FRAME];
    int more;

    while ((more = pcap_read(b.file, &f, b.error)) == 1) {
        b.frames++;
        rnic_verdict verdict = rnic_packet_read(&p, f.bytes, f.length, &why);
        if (verdict == RNIC_OTHER) continue;
        if (*skipped == b.frames) {
            skipped++;
            continue;
        }
        ck_assert_msg(verdict == RNIC_GOOD, "frame %u: %s", b.frames, why);
        if (p.from.ip[15] == 2) rnic_take(b.r, f.bytes, f.length);
        else {
            if (p.opcode == RNIC_WRITE_FIRST) before_write();
            post_as_then(&p, message);
            expect_bytes(&f);
        }
        take_completions(received);
    }
    ck_assert_msg(!more, "%s", b.error);
    ck_assert_uint_eq(*skipped, 0);
    ck_assert_uint_eq(rnic_give(b.r, frame), 0);
    ck_assert_int_eq(rnic_qp_state(b.qp), RNIC_READY);
    ck_assert_uint_eq(
        rnic_get_counters(b.r)->bad_icrc + rnic_get_counters(b.r)->malformed + rnic_get_counters(b.r)->ghosts, 0);
}

/* ---- sends_writes_reads.pcap */

static uint64_t told_address;
static uint32_t told_key;

/* Its first 16 bytes: key, QP and address of Linux' memory. */
static void first_message(const uint8_t *message, uint32_t length)
{
    uint32_t qp;

    ck_assert_uint_eq(length, 5000);
    memcpy(&told_key, message, 4);
    memcpy(&qp, message + 4, 4);
    memcpy(&told_address, message + 8, 8);
    ck_assert_uint_eq(qp, 0x11);
}

static void turned(void)
{
    for (unsigned i = 0; i < 5000; i++) {
        ck_assert_uint_eq(b.memory[READ_AT + i], (uint8_t)(i * 7 + (i >> 8))); /* data of the program in Linux */
        b.memory[SEND_AT + i] = b.memory[READ_AT + i] ^ 0x5a;
    }
}

/* Left out: 9, which the program lost on purpose; 13 and 15, because it sent three NAKs where IBA wants one; 30, with
 * an ICRC corrupted on purpose, which Linux dropped. */
static const unsigned skipped[] = {9, 13, 15, 30, 0};

TEST_CASE("recorded");

TEST(sends_writes_and_reads_as_linux_took_them)
{
    start("tb/unit/rnic/sends_writes_reads.pcap", 1024, 0xfffffe, 0xfffffd);
    replay(skipped, turned, first_message, "thanks from target\0");
    ck_assert_uint_eq(b.frames, 35);
    ck_assert_uint_eq(b.reads + b.writes + b.sends, 3);
    ck_assert_uint_eq(b.received, 1);
    ck_assert_uint_eq(b.checked, 9);                 /* NAK, ACK, READ request, WRITE of 5, SEND */
    ck_assert_uint_eq(told_address, 0x7fc7bf829000); /* as in the READ request that Linux answered */
    ck_assert_uint_eq(rnic_get_counters(b.r)->out_of_seq_request, 1);
}

/* ---- rping.pcap */

static void as_it_was(void)
{
    memcpy(b.memory + SEND_AT, b.memory + READ_AT, 9000);
    ck_assert_mem_eq(b.memory + READ_AT, "rdma-ping-", 10);
}

static void advert(const uint8_t *message, uint32_t length)
{
    (void)message;
    ck_assert_uint_eq(length, 16);
}

TEST(rping_as_linux_took_it)
{
    static const uint8_t zeros[16];

    start("tb/unit/rnic/rping.pcap", 4096, 8153069, 0xfffffa);
    replay(&(unsigned){0}, as_it_was, advert, zeros);
    ck_assert_uint_eq(b.frames, 93);
    ck_assert_uint_eq(b.reads, 5);
    ck_assert_uint_eq(b.writes, 5);
    ck_assert_uint_eq(b.sends, 10);
    ck_assert_uint_eq(b.received, 10);
    ck_assert_uint_eq(b.datagrams, 3);
    ck_assert_uint_eq(b.checked, 42); /* 10 ACKs, 5 READ requests, 5 WRITEs of 3, 10 SENDs, 2 datagrams */
}

/* ---- the comparison notices */

static void turned_wrong(void)
{
    turned();
    b.memory[SEND_AT + 4999] ^= 1;
}

TEST(a_byte_that_linux_has_not_seen_is_noticed, .exit = 1)
{
    start("tb/unit/rnic/sends_writes_reads.pcap", 1024, 0xfffffe, 0xfffffd);
    replay(skipped, turned_wrong, first_message, "thanks from target\0");
}

TEST(an_answer_that_linux_has_not_seen_is_noticed, .exit = 1)
{
    static const unsigned too_few[] = {9, 13, 30, 0}; /* the NAK in 15 is a second one */

    start("tb/unit/rnic/sends_writes_reads.pcap", 1024, 0xfffffe, 0xfffffd);
    replay(too_few, turned, first_message, "thanks from target\0");
}

TEST(a_wrong_icrc_is_noticed, .exit = 1)
{
    static const unsigned too_few[] = {9, 13, 15, 0}; /* 30 is corrupted */

    start("tb/unit/rnic/sends_writes_reads.pcap", 1024, 0xfffffe, 0xfffffd);
    replay(too_few, turned, first_message, "thanks from target\0");
}
