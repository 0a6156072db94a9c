/* Wrong bits on the bus in every phase of every kind of transaction that the system makes: they are seen (PERR#, SERR#,
 * status bits), nothing wrong is taken for good, and the next transfer goes through. */
#include "system_space.h"
#include "test.h"

enum { WORDS = 50 };

/* Clocks in which a line was low at the NIC's pins. */
struct lines {
    const pcix_pins *pins;
    unsigned serr, perr;
};

static void look(void *self)
{
    struct lines *l = self;
    l->serr += !*l->pins->serr_n_i;
    l->perr += !*l->pins->perr_n_i;
}

static void lines_watch(struct lines *l, bench *b, int node)
{
    *l = (struct lines){.pins = &b->n[node]->nic.bus};
    sim_clock_attach(b->n[node]->pci_clock, look, NULL, l);
}

/* ---- the receiver's writes */

TEST_CASE("parity", .timeout = 60);

SOFTWARE_TEST(wrong_data_of_a_dma_write_flag_its_notification, .to = 8)
{
    static const unsigned index[] = {0, 1, 25, WORDS - 1};
    bench_bus_fault(
        b, 1, 1, PCIX_WRITE_BLOCK,
        (pcix_fault){
            .phase = PCIX_PH_DATA, .index = index[_i % 4], .ad = _i & 4 ? 0 : 1ull << (7 * _i), .parity = _i & 4});
    bench_pci_status(b, 1);
    piece bad = bench_send(b, 0, WORDS, NX_REMOTE);
    bench_notified(b, &bad, 1);
    ck_assert_uint_eq(bench_bus_faults(b, 1), 1);
    ck_assert_uint_eq(bench_pci_status(b, 1), PARITY_DATA); /* PERR# seen on our write */
    bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    bench_prove(b);
}

/* The bridge raises SERR# and takes the transaction as it is (pcix.md 10 leaves that to a target), so the initiator
 * cannot know: the host gets a report. */
SOFTWARE_TEST(a_wrong_address_of_a_dma_write_is_reported_to_the_host, .to = 3)
{
    bench_bus_fault(b, 1, 1, PCIX_WRITE_BLOCK,
                    (pcix_fault){.phase = _i == 1 ? PCIX_PH_ATTRIBUTE : PCIX_PH_ADDRESS,
                                 .ad = _i == 2 ? 1 << 20 : 0,
                                 .parity = _i < 2});
    static struct lines lines;
    lines_watch(&lines, b, 1);
    piece bad = bench_send(b, 0, WORDS, NX_REMOTE);
    bench_notified(b, &bad, 0);
    ck_assert_uint_eq(b->flow[0].lies, _i == 2);
    b->flow[0].lies = 0; /* the NIC cannot know */
    ck_assert_uint_eq(bench_bus_faults(b, 1), 1);
    ck_assert_uint_eq(lines.serr, 1);
    ck_assert_uint_eq(lines.perr, 0);
    if (_i < 2) bench_must_arrive(b, &bad); /* PAR alone was wrong */
    else bench_untouched(b, &bad);
    bench_prove(b);
}

/* The notification itself is hit. */
SOFTWARE_TEST(a_wrong_notification_is_reported_by_the_next, .to = 2)
{
    bench_pci_status(b, 1);
    piece p = bench_make(b, 0, 8); /* one transaction, then that of the notification */
    p.destination = (p.destination + 127) & ~127u;
    bench_bus_fault(b, 1, 1, PCIX_WRITE_BLOCK,
                    (pcix_fault){.skip = 1, .phase = PCIX_PH_DATA, .ad = _i ? 1ull << 45 : 1});
    bench_post(b, &p, NX_REMOTE);
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(bench_bus_faults(b, 1), 1);
    bench_must_arrive(b, &p);
    ck_assert_uint_eq(bench_pci_status(b, 1), PARITY_DATA);
    bench_take(b, 0);
    b->next[0] += 256;
    piece next = bench_send(b, 0, 9, NX_REMOTE);
    bench_notified(b, &next, 1);
    bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    bench_prove(b);
}

/* ---- the sender's reads */

SOFTWARE_TEST(a_wrong_read_request_is_reported_to_the_host, .to = 2)
{
    bench_bus_fault(b, 0, 1, PCIX_READ_BLOCK,
                    (pcix_fault){.phase = _i ? PCIX_PH_ATTRIBUTE : PCIX_PH_ADDRESS, .parity = 1});
    static struct lines lines;
    lines_watch(&lines, b, 0);
    bench_good(b, 0, WORDS); /* PAR alone was wrong, and the bridge answers all the same */
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
    ck_assert_uint_eq(lines.serr, 1);
    ck_assert_uint_eq(lines.perr, 0);
    bench_prove(b);
}

SOFTWARE_TEST(wrong_data_of_a_read_abandon_its_transfer, .to = 12)
{
    static const unsigned index[] = {0, 1, 25, WORDS - 1};
    host_params p = b->n[0]->params.host;
    p.cuts = 0;
    p.narrow_completions = _i >= 8;
    p.immediate_reads = _i & 4;
    host_set_params(b->n[0]->host, &p);
    if (_i & 4)
        bench_bus_fault(b, 0, 1, PCIX_READ_BLOCK,
                        (pcix_fault){.phase = PCIX_PH_DATA, .index = index[_i % 4], .ad = 1u << _i});
    else
        bench_bus_fault(
            b, 0, 0, PCIX_SPLIT_COMPLETION,
            (pcix_fault){
                .phase = PCIX_PH_DATA, .index = index[_i % 4], .ad = _i & 1 ? 1u << _i : 0, .parity = !(_i & 1)});
    bench_pci_status(b, 0);
    piece bad = bench_send(b, 0, WORDS, NX_REMOTE | NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &bad.ticket), NX_ERROR_ABANDONED);
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
    ck_assert_uint_eq(bench_pci_status(b, 0), PARITY_DATA | PARITY_SEEN);
    bench_untouched(b, &bad);
    bench_expect(b, 0, NIC_STATUS_READ_ERROR_MASK, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4, 1}));
    bench_expect_nothing(b, 1);
    bench_reported(b, 0, 10);
    bench_prove(b);
}

/* ---- accesses of the CPU to the NIC */

SOFTWARE_TEST(a_wrong_store_of_the_cpu_is_seen, .to = 3)
{
    uint32_t id = bench_get(b, 0, NIC_NODE_ID);
    static const int phases[] = {PCIX_PH_ADDRESS, PCIX_PH_ATTRIBUTE, PCIX_PH_DATA};
    bench_bus_fault(b, 0, 0, PCIX_MEMORY_WRITE, (pcix_fault){.phase = phases[_i], .ad = _i == 0 ? 1 << 4 : 1 << 2});
    bench_pci_status(b, 0);
    nx_register_write(b->n[0]->dev, NIC_NODE_ID, id);
    host_flush(b->n[0]->host);
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
    uint32_t status = bench_pci_status(b, 0);
    if (_i == 2) {
        ck_assert_uint_eq(status, PARITY_SEEN);
        ck_assert_uint_eq(pcix_bridge_get_stats(host_bridge(b->n[0]->host))->perr_met, 1);
    } else {
        ck_assert_uint_eq(status, PARITY_SEEN | SERR);
        ck_assert_uint_eq(bench_get(b, 0, NIC_NODE_ID), id);
    }
    bench_put(b, 0, NIC_NODE_ID, id);
    bench_prove(b);
}
