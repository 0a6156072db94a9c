/* Memory that answers SLVERR to one QP of the whole RoCE v2 chip, at each of the chip's masters, and a memory that is
 * slow while the QP is restarted. Expected: both memories, registers, packets, completions; and that the QP works
 * again, while all others lose nothing and, as long as it is not also their memory, send nothing twice (roce_victim).
 */
#include <string.h>

#include "roce_register_map.h"
#include "roce_victim.h"

TEST_CASE("roce_memory", .timeout = 60);

enum { FIRST_BAD = 3 /* packets of the WRITE before */, LENGTH = 2500 };
enum { LOCAL_MEMORY = 7 /* the requester's */, RECEIVE_MEMORY = 5 /* the receiver's */ };

static void break_memory(uint64_t address, uint64_t size)
{
    ck_must(!axi_memory_add_range(v.system->board->memory, address, size, AXI_SLVERR), "too many ranges");
}

static void mend_memory(void) { axi_memory_clear_ranges(v.system->board->memory); }

/* The QP is fatal with this code, whatever packet the error status names. */
static void expect_error(unsigned code, rn_error *e)
{
    for (int i = 0; rn_error_next(v.device, e) != 1; i++) {
        ck_must(i < 100, "there is no error status");
        victim_wait(64);
    }
    ck_assert(e->qp == VICTIM && e->code == code);
    ck_assert_uint_eq(victim_register(ROCE_STATQP) & 1, 1);
}

static void told_without_packet(unsigned code)
{
    rn_error e;
    expect_error(code, &e);
    ck_assert_uint_eq(e.opcode | e.psn | e.syndrome, 0);
}

/* wqe_proc_top: the second packet of a WRITE. Its first one leaves, nothing of it arrives in the peer's memory but
 * that. */
VICTIM_STORY(a_payload_that_cannot_be_read)
{
    unsigned begin = v.packets;
    victim_write(1, 0, 0, v.key, LENGTH);
    victim_written(0, 0, LENGTH);
    victim_completes(1, 0);
    break_memory(v.ours + 4096 + 1500, 4);
    victim_write(2, 4096, 20000, v.key, LENGTH);
    victim_send(3, 0, LENGTH);
    victim_read(4, 30000, 30000, v.key, LENGTH);
    for (unsigned id = 2; id <= 4; id++) victim_completes(id, 1);
    victim_is_fatal(LOCAL_MEMORY, 0, RNIC_WRITE_FIRST, FIRST_BAD);
    victim_written(4096, 20000, VICTIM_PMTU);
    victim_wait(1000);
    for (unsigned i = begin; i < v.packets; i++)
        ck_assert(v.packet[i].from || v.packet[i].psn != (v.psn + FIRST_BAD + 1) % RNIC_PSNS); /* never with bad data */
    victim_settles();
    mend_memory();
    victim_works();
}

/* qp_mgr: the third of five WQEs. Its contents are unknown: its completion has neither ID nor opcode. */
VICTIM_STORY(a_wqe_that_cannot_be_fetched)
{
    break_memory(victim_register(ROCE_SQBA) + 2 * 64 + 8, 8);
    victim_write(1, 0, 0, v.key, LENGTH);
    victim_read(2, 20000, 30000, v.key, LENGTH);
    victim_written(0, 0, LENGTH);
    victim_was_read(20000, 30000, LENGTH);
    for (unsigned id = 3; id <= 5; id++) victim_send(id, 0, LENGTH);
    victim_completes(1, 0);
    victim_completes(2, 0);
    victim_completes(0, 1);
    victim_completes(4, 1);
    victim_completes(5, 1);
    rn_error e;
    expect_error(LOCAL_MEMORY, &e);
    victim_settles();
    mend_memory();
    victim_works();
}

/* rx_pkt_hndler_rdrsp: in the second packet of a READ's answer. */
VICTIM_STORY(data_of_a_read_that_cannot_be_written)
{
    enum { TO = 8192 + 5 };
    uint8_t found[LENGTH];
    victim_write(1, 0, 0, v.key, LENGTH);
    victim_written(0, 0, LENGTH);
    victim_completes(1, 0);
    break_memory(v.ours + TO + 1500, 4);
    victim_read(2, TO, 30000, v.key, LENGTH);
    victim_write(3, 0, 5000, v.key, LENGTH);
    victim_completes(2, 1);
    victim_completes(3, 1);
    rn_error e;
    expect_error(LOCAL_MEMORY, &e);
    /* each byte is the old or the new one; those that memory refused are the old ones. The WRITE may have got there
     * before */
    memory_read(v.system->board->bytes_of, v.ours + TO, found, LENGTH);
    for (unsigned i = 0; i < LENGTH; i++)
        ck_assert(found[i] == v.expected_ours[TO + i] || found[i] == v.expected_theirs[30000 + i]);
    ck_assert_mem_eq(found + 1500, v.expected_ours + TO + 1500, 4);
    ck_assert_mem_eq(found, v.expected_theirs + 30000, VICTIM_PMTU - 64);
    memcpy(v.expected_ours + TO, found, LENGTH);
    victim_wait(6000);
    if (v.theirs[5000] != v.expected_theirs[5000]) victim_written(0, 5000, LENGTH);
    victim_settles();
    mend_memory();
    victim_works();
}

/* wqe_proc_wr_ddr: a completion entry, then a doorbell. Each counts as done; WQEs not acknowledged by then end with
 * ERRFLAG. */
VICTIM_STORY(completions_that_cannot_be_written)
{
    for (int what = 0; what < 2; what++) {
        victim_connect();
        break_memory(victim_register(what ? ROCE_CQDBADD : ROCE_CQBA), 4);
        victim_write(1, 0, 0, v.key, LENGTH);
        victim_written(0, 0, LENGTH);
        for (int i = 0; !(victim_register(ROCE_STATQP) & 1); i++) {
            ck_must(i < 200, "the QP does not become fatal");
            victim_wait(64);
        }
        victim_send(2, 0, LENGTH);
        victim_read(3, 20000, 30000, v.key, LENGTH);
        for (int i = 0; victim_register(ROCE_CQHEAD) != 3; i++) {
            ck_must(i < 200, "not all work has completed");
            victim_wait(64);
        }
        rn_error e;
        expect_error(LOCAL_MEMORY, &e);
        mend_memory();
        if (!what) /* the entry of the first one is lost */
            for (unsigned id = 0; id < 3; id++) {
                rn_completion c;
                ck_assert_int_eq(rn_poll(v.qp, &c, 1), 1);
                ck_assert_uint_eq(c.id, id ? id + 1 : 0);
                ck_assert_int_eq(c.error, id > 0);
            }
        victim_settles();
    }
    victim_works();
}

/* rx_pkt_hndler_dr: the payload and the length of a message, and its doorbell. The first two are answered with NAK 63;
 * a doorbell comes behind the ACK. Earlier messages are whole, and reported; posted WQEs end with ERRFLAG. */
VICTIM_STORY(messages_that_cannot_be_written)
{
    for (int what = 0; what < 3; what++) {
        victim_connect();
        unsigned begin = v.packets;
        victim_peer_sends(1, 0, LENGTH);
        victim_receives(0, LENGTH);
        victim_peer_completes(1, 0, RNIC_SUCCESS);
        const uint64_t places[] = {victim_register(ROCE_RQBA) + VICTIM_BUFFER + 1500, victim_register(ROCE_RQLENBA) + 4,
                                   victim_register(ROCE_RQWPTRDBADD)};
        break_memory(places[what], 4);
        victim_peer_sends(2, 10000, LENGTH);
        victim_peer_sends(3, 20000, LENGTH);
        victim_peer_completes(2, 0, what == 2 ? RNIC_SUCCESS : RNIC_REMOTE_OPERATION);
        while (!(victim_register(ROCE_STATQP) & 1)) victim_wait(16);
        if (what < 2) {
            unsigned psn = FIRST_BAD + (what ? 2 : 1);
            unsigned nak = victim_packet_comes(begin, 0, RNIC_ACKNOWLEDGE, RNIC_NAK_OPERATION, 1);
            ck_assert_uint_eq(v.packet[nak].psn, (v.psn + psn) % RNIC_PSNS);
            victim_is_fatal(RECEIVE_MEMORY, RNIC_NAK_OPERATION, what ? RNIC_SEND_LAST : RNIC_SEND_MIDDLE, psn);
        } else told_without_packet(RECEIVE_MEMORY);
        mend_memory();
        victim_settles();
    }
    victim_works();
}

/* wqe_proc_top and rx_pkt_hndler_dr, where the chip writes errors: reports that cannot be written are lost, and nothing
 * else. */
VICTIM_STORY(queues_of_errors_that_cannot_be_written)
{
    const unsigned places[] = {ROCE_OPKTERRQBA, ROCE_IPKTERRQBA, ROCE_ERRBUFBA};
    for (int i = 0; i < COUNT(places); i++) break_memory(victim_global(places[i]), 4096);
    victim_corrupts(16, 1, 1); /* the opcode */
    victim_send(1, 0, LENGTH);
    victim_write(2, 0, 0, v.key, LENGTH);
    victim_written(0, 0, LENGTH);
    victim_write(3, 0, 0, v.key ^ 1, LENGTH);
    victim_send(4, 0, LENGTH);
    victim_completes(1, 1);
    victim_completes(2, 0);
    victim_completes(3, 1);
    victim_completes(4, 1);
    ck_assert_uint_eq(victim_register(ROCE_STATQP) & 0x7f0001, RNIC_NAK_ACCESS << 16 | 1);
    victim_wait(1000);
    mend_memory();
    rn_error e;
    rn_illegal w;
    ck_assert_int_eq(rn_error_next(v.device, &e), 1);
    ck_assert_int_eq(rn_illegal_next(v.device, &w), 1);
    ck_assert_uint_eq(e.qp | w.qp, 0); /* unchanged: nothing */
    victim_works();
}

/* With a memory that takes 2000 clocks for an answer, the entries and doorbells of a life are on their way while the
 * next one begins, or the one after that, whose doorbells have the place of the first one's. */
VICTIM_STORY_THAT_STRIKES_ALL(set_up_anew_while_memory_is_slow)
{
    axi_memory_params usual = axi_memory_defaults(), slow = usual;
    slow.latency = 2000;
    enum { PHASES = 12 };
    unsigned step = long_form() ? 1 : PHASES; /* one of them, another one with each seed, first PSN and width */
    unsigned first = (unsigned)sim_seed(v.bench->sim) * 5 + (unsigned)(v.psn >> 20) + v.system->board->bytes / 32;
    for (unsigned turn = 2 * (first % step); turn < 2 * PHASES; turn += turn % 2 ? 2 * step - 1 : 1) {
        unsigned phase = turn / 2;
        victim_connect();
        axi_memory_set(v.system->board->memory, &slow);
        unsigned begin = v.packets;
        victim_peer_sends(1, 0, 100);
        victim_write(2, 0, 0, v.key, 10);
        victim_written(0, 0, 10);
        victim_packet_comes(begin, 1, RNIC_ACKNOWLEDGE, RNIC_ACK, 1);
        victim_wait(500 * phase);
        if (turn % 2) victim_connect();
        victim_connect(); /* no completion and no message of a former life is this one's */
        axi_memory_set(v.system->board->memory, &usual);
        victim_wait(4500);
        victim_settles();
    }
    victim_works();
}

/* A QP is disabled while memory still takes its received data: payload of a SEND, data of a READ. STATQP.BUSY shows
 * when nothing more can get there, and a QP that is enabled at once starts only then. */
VICTIM_STORY_THAT_STRIKES_ALL(a_qp_is_quiet_before_its_memory_is_used_again)
{
    enum { LONG = 60000, BUSY = 1 << 12 };
    axi_memory_params usual = axi_memory_defaults(), slow = usual;
    memory *bytes = v.system->board->bytes_of;
    uint8_t *then = test_memory(LONG), *later = test_memory(LONG);
    slow.latency = 3000;
    for (int what = 0, tries = 0; what < 4;) {
        int reads = what & 1, again = what >> 1;
        victim_connect();
        axi_memory_set(v.system->board->memory, &slow);
        uint64_t place = reads ? v.ours + 3000 : victim_register(ROCE_RQBA);
        unsigned psn = reads ? ROCE_STATRESPSN : ROCE_LSTRQREQ, first = victim_register(psn);
        if (reads) victim_read(1, 3000, 0, v.key, LONG);
        else victim_peer_sends(1, 0, LONG);
        for (int i = 0; (victim_register(psn) - first) % RNIC_PSNS < 2;
             i++) { /* the others fill the receiver: packets wait, or are lost */
            ck_must(i < 4000, "what %d: the chip takes no packet", what);
            victim_wait(10);
        }
        if (again) victim_connect();
        else ck_must(!rn_qp_disable(v.qp), "%s", rn_last_error(v.device));
        unsigned polls = 0;
        while ((victim_register(ROCE_STATQP) & (again ? ~0u : (unsigned)BUSY)) == BUSY) {
            ck_must(polls++ < 4000, "what %d: the QP does not become quiet", what);
            victim_wait(10);
        }
        memory_read(bytes, place, then, LONG);
        axi_memory_set(v.system->board->memory, &usual);
        victim_wait(5000);
        memory_read(bytes, place, later, LONG);
        ck_assert_mem_eq(then, later, LONG);
        if (reads) memory_read(bytes, v.ours, v.expected_ours, VICTIM_AREA);
        victim_settles();
        tries = polls ? 0 : tries + 1; /* memory may have taken all while registers were written */
        what += !tries;
        ck_must(tries < 8, "what %d: each time the QP is quiet at once", what);
    }
    victim_works();
}

/* INTSTS.FATAL is set when the QP is fatal, and once more when its entry in the queue of error status can be read. */
VICTIM_STORY_THAT_STRIKES_ALL(fatal_interrupts_again_behind_its_entry)
{
    axi_memory_params usual = axi_memory_defaults(), slow = usual;
    slow.latency = 3000;
    uint32_t before = victim_global(ROCE_IPKTERRQWPTR);
    axi_memory_set(v.system->board->memory, &slow);
    victim_write(1, 0, 0, v.key ^ 1, LENGTH);
    for (unsigned again = 0; again < 2; again++) {
        for (int i = 0; !(victim_global(ROCE_INTSTS) & ROCE_INTSTS_FATAL_MASK); i++) {
            ck_must(i < 1000, "INTSTS.FATAL is not set %s", again ? "again" : "");
            victim_wait(16);
        }
        ck_assert_int_eq(victim_global(ROCE_IPKTERRQWPTR) != before, again);
        if (!again)
            ck_must(!rn_register_write(v.device, ROCE_INTSTS, ROCE_INTSTS_FATAL_MASK), "%s", rn_last_error(v.device));
    }
    axi_memory_set(v.system->board->memory, &usual);
    victim_completes(1, 1);
    rn_error e;
    expect_error(10, &e); /* remote access */
    victim_settles();
    victim_works();
}
