/* The RoCE v2 chip as a whole: its driver on it, a NIC in C at the other end of the line, faults in between.
 * roce_traffic checks content, order and single arrival of each message; every port by its monitor; the packets by
 * tshark. */
#include "roce_64_all.h"
#include "roce_8.h"
#include "shell.h"
#include "sim/app/roce/traffic/roce_traffic.h"
#include "simulation.h"

#include <string.h>

TEST_CASE("roce", .timeout = 120, .teardown = shell_clean);

static const sim_config *const chips[] = {&roce_8_config, &roce_64_all_config};

static sim *s;
static roce_system *system_, *other; /* other: a second chip */
static roce_traffic *traffic;

static void end_system(void *self)
{
    (void)self;
    roce_traffic_free(traffic);
    roce_system_free(other);
    roce_system_free(system_);
    traffic = NULL;
    system_ = other = NULL;
}

static void ends_new(const roce_system_params *params)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_system_params p = *params;
    s = quiet_sim(0);
    after_test(end_system, NULL);
    system_ = roce_system_new(s, params, error);
    ck_must(system_, "%s", error);
    if (!params->no_peer) return;
    p.other = system_;
    other = roce_system_new(s, &p, error);
    ck_must(other, "%s", error);
}

static void system_new(const roce_system_params *params, const roce_traffic_params *messages)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_traffic_params m = *messages;
    ends_new(params);
    m.other = other;
    traffic = roce_traffic_new(system_, &m, error);
    ck_must(traffic, "%s", error);
}

static void run_to_the_end(void)
{
    int result = sim_run(s, 50 * SIM_MS);
    uint64_t taken, all;
    roce_traffic_progress(traffic, &taken, &all);
    ck_must(result == SIM_OK && taken == all, "%s: %s; %lu of %lu messages", sim_result_name(result), sim_error(s),
            taken, all);
}

/* All kinds, all path MTUs, both versions of IP, doorbells both ways; nothing is lost and nothing sent twice. (With 64
 * bytes per clock a line full of short packets is more than the chip takes.) */
TEST(all_kinds_arrive, .to = COUNT(chips))
{
    roce_system_params p = roce_system_defaults(chips[_i]);
    roce_traffic_params m = roce_traffic_defaults();
    m.handshake = 1;
    if (_i) m.pmtu = m.shortest = 1024;
    m.connections = 5;
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = 8;
    system_new(&p, &m);
    run_to_the_end();
    ck_assert_uint_eq(rnic_get_counters(system_->peer)->resent_pkts, 0);
    ck_assert_uint_eq(rnic_get_counters(system_->peer)->duplicate_request, 0);
}

/* SENDs both ways between two of these chips, with all path MTUs, both versions of IP, and one packet in a hundred
 * each lost, doubled, late and damaged. */
TEST(two_chips_send_to_each_other, .to = COUNT(chips))
{
    roce_system_params p = roce_system_defaults(chips[_i]);
    roce_traffic_params m = roce_traffic_defaults();
    p.no_peer = 1;
    p.wire.lose = p.wire.duplicate = p.wire.delay = 0.01;
    p.wire.flip = p.wire.spoil = 0.005;
    m.handshake = 1;
    m.connections = _i ? 100 : 7;
    m.timeout = _i ? 6 : 4;
    m.messages[ROCE_WRITE] = m.messages[ROCE_READ] = 0;
    m.messages[ROCE_SEND_IN] = m.messages[ROCE_SEND_OUT] = _i ? 6 : 20;
    if (_i) m.longest = 4096;
    system_new(&p, &m);
    run_to_the_end();
    for (int end = 0; end < 2; end++)
        ck_assert_uint_gt(ethernet_wire_get_stats(system_->wire, end).struck[ETHERNET_LOSE], 0);
}

/* Much is sent again, and much of that is acknowledged while it waits in TX. A buffer is overwritten when its WQE
 * completes: no packet of it leaves behind that. */
TEST(a_completed_wqe_is_not_sent_any_more, .to = COUNT(chips))
{
    roce_system_params p = roce_system_defaults(chips[_i]);
    roce_traffic_params m = roce_traffic_defaults();
    p.wire.delay = 0.1;
    m.connections = 4;
    m.depth = 4;
    m.longest = 20000;
    m.messages[ROCE_SEND_IN] = m.messages[ROCE_READ] = 0;
    m.messages[ROCE_WRITE] = m.messages[ROCE_SEND_OUT] = 12;
    system_new(&p, &m);
    run_to_the_end();
}

/* Software that does not wait for completions changes repeated data. */
TEST(a_buffer_that_is_filled_too_early_is_noticed)
{
    roce_system_params p = roce_system_defaults(chips[0]);
    roce_traffic_params m = roce_traffic_defaults();
    p.wire.lose = 0.05;
    m.hasty = 1;
    m.depth = 1;
    m.messages[ROCE_SEND_IN] = m.messages[ROCE_READ] = m.messages[ROCE_WRITE] = 0;
    m.messages[ROCE_SEND_OUT] = 40;
    system_new(&p, &m);
    ck_assert_int_ne(sim_run(s, 50 * SIM_MS), SIM_OK);
    ck_assert_msg(strstr(sim_error(s), "leaves again with other bytes"), "%s", sim_error(s));
}

TEST(reads_between_two_chips_are_refused)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_traffic_params m = roce_traffic_defaults();
    p.no_peer = 1;
    ends_new(&p);
    m.other = other;
    ck_assert_ptr_null(roce_traffic_new(system_, &m, error));
    ck_assert_str_eq(error, "messages between two of these chips: expected SENDs alone, neither takes WRITEs or READs");
}

static const int starts[] = {0, 0xfffff0, 0x7ffff8};

static void stall(void *self)
{
    (void)self;
    for (int i = 0; i < 8; i++) {
        sim_wait_cycles(system_->board->clock, 5000);
        axi_memory_stall(system_->board->memory, 2000);
    }
}

/* Eight times memory does nothing for 2000 clocks: packets that the receive FIFO cannot take are sent again. */
TEST(memory_that_stalls_for_2000_clocks_loses_nothing, .to = COUNT(starts) * COUNT(chips))
{
    roce_system_params p = roce_system_defaults(chips[_i / COUNT(starts)]);
    roce_traffic_params m = roce_traffic_defaults();
    if (_i / COUNT(starts)) m.pmtu = m.shortest = 1024;
    m.psn = starts[_i % COUNT(starts)];
    m.timeout = 4;
    m.handshake = 1;
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = 12;
    system_new(&p, &m);
    ck_must(sim_task_new(s, "stall", stall, NULL), "no memory left");
    run_to_the_end();
}

static FILE *said;

/* A line for each packet on the line, as the NIC in C reads it: opcode, QP, PSN, request for an ACK, syndrome, bytes of
 * a WRITE or READ. */
static void note(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    rnic_packet p;
    const char *why;
    (void)self, (void)from, (void)time, (void)bad_fcs;
    if (rnic_packet_read(&p, frame, length, &why) != RNIC_GOOD) {
        fprintf(said, "none\n");
        return;
    }
    unsigned extension = rnic_extension(p.opcode);
    fprintf(said, "%u|0x%06x|%u|%d|", p.opcode, p.qp, p.psn, p.ack_request);
    if (extension == 4) fprintf(said, "%u", p.syndrome);
    fputc('|', said);
    if (extension == 16) fprintf(said, "%u", p.dma_length);
    fputc('\n', said);
}

/* tshark reads every packet as the NIC in C does. */
TEST(tshark_reads_every_packet)
{
    char file[300];
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_traffic_params m = roce_traffic_defaults();
    snprintf(file, sizeof file, "%s/roce.pcap", shell_folder());
    p.pcap = file;
    p.wire.lose = 0.01;
    m.connections = 5;
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = 4;
    system_new(&p, &m);
    said = shell_file("said", "w");
    ck_assert_int_eq(ethernet_wire_observe(system_->wire, ETHERNET_SENT, note, NULL), 0);
    run_to_the_end();
    fclose(said);
    uint64_t frames;
    char error[ETHERNET_ERROR];
    ck_assert_int_eq(roce_system_record_ends(system_, &frames, error), 0);
    ck_assert_uint_gt(frames, 100);
    ck_assert_int_eq(
        shell("tshark -r $D/roce.pcap -T fields -E separator='|' -e infiniband.bth.opcode -e infiniband.bth.destqp "
              "-e infiniband.bth.psn -e infiniband.bth.a -e infiniband.aeth.syndrome -e infiniband.reth.dmalen "
              "2>/dev/null | sed 's/True/1/; s/False/0/' >$D/read; cmp $D/read $D/said && ! grep -q none $D/said"),
        0);
}

/* The checker's fault: a bit that changes in memory behind the chip's back. */
static void corrupt(void *self)
{
    (void)self;
    rn_device *d = system_->device;
    while (!d || !rn_qp_of(d, 2)) {
        sim_wait_cycles(system_->board->clock, 16);
        d = system_->device;
    }
    for (;;) {
        uint8_t byte[64];
        for (uint64_t at = 0x10000000; at < 0x10100000; at += 0x1000) {
            memory_read(system_->board->bytes_of, at, byte, sizeof byte);
            byte[7] ^= 0x10;
            memory_write(system_->board->bytes_of, at, byte, sizeof byte);
        }
        sim_wait_cycles(system_->board->clock, 101);
    }
}

TEST(a_flipped_bit_in_memory_is_found)
{
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_traffic_params m = roce_traffic_defaults();
    m.connections = 3;
    system_new(&p, &m);
    sim_task_new(s, "corrupt", corrupt, NULL);
    ck_assert_int_eq(sim_run(s, 50 * SIM_MS), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(s), ": byte "));
}
