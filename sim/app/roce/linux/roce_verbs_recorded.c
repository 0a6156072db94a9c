#include "sim/app/roce/linux/roce_verbs_rows_internal.h"

/* Short ones: their files are in the tree, with the tests that replay them. */

static int begin_recording(roce_verbs_rows *i)
{
    char path[4096], error[ETHERNET_ERROR];
    if ((size_t)snprintf(path, sizeof path, "%s/%s.pcap", i->params.record, i->row) >= sizeof path)
        return roce_exchange_fails(&i->x, "the name of the folder %s is too long", i->params.record);
    i->pcap = pcap_writer_new(path, error);
    return i->pcap ? 0 : roce_exchange_fails(&i->x, "%s", error);
}

static void end_recorded_row(roce_verbs_rows *i, int result)
{
    char error[ETHERNET_ERROR];
    uint64_t frames;
    if (pcap_close(i->pcap, &frames, error)) result = roce_exchange_fails(&i->x, "%s", error);
    i->pcap = NULL;
    verbs_row_end(i, result);
}

/* Packets of each side begin at PSN FFFFF0 and wrap, unless a few packets are enough. */
void verbs_recorded_rows(roce_verbs_rows *i)
{
    static const roce_message all[] = {
        {ROCE_SEND_IN, 3500}, {ROCE_WRITE, 3499},  {ROCE_READ, 3501},    {ROCE_SEND_OUT, 3503}, {ROCE_SEND_IN, 1},
        {ROCE_SEND_IN, 2},    {ROCE_WRITE, 50},    {ROCE_READ, 77},      {ROCE_SEND_OUT, 90},   {ROCE_SEND_IN, 3},
        {ROCE_SEND_IN, 1024}, {ROCE_READ, 1024},   {ROCE_SEND_IN, 1025}, {ROCE_READ, 2047},     {ROCE_SEND_IN, 4096},
        {ROCE_READ, 3},       {ROCE_SEND_IN, 4097}};
    static const roce_message outs[] = {
        {ROCE_WRITE, 700}, {ROCE_SEND_OUT, 1500}, {ROCE_SEND_OUT, 1}, {ROCE_READ, 1300}, {ROCE_SEND_IN, 1100}};
    static const roce_message writes[] = {
        {ROCE_WRITE, 5000}, {ROCE_READ, 1300}, {ROCE_SEND_IN, 1100}, {ROCE_WRITE, 90}};
    const uint32_t start = verbs_starts[1];
    roce_connection *l = &i->connections[0];
    for (int ipv6 = 0; ipv6 < 2; ipv6++)
        if (verbs_row(i, "SENDs, READs and WRITEs of 1 byte to 4 KB, packets of all kinds", "ipv%d", ipv6 ? 6 : 4)) {
            *l = (roce_connection){.ipv6 = ipv6, .psn = start, .pmtu = 1024, .messages = all, .count = COUNT(all)};
            end_recorded_row(i, verbs_connections_open(i, 1) || begin_recording(i) ||
                                    roce_exchange_run(&i->x, l, 1, NULL, NULL) || verbs_counters_agree(i));
        }
    if (verbs_row(i, "RNR NAKs while Linux has no receive", "rnr")) {
        *l = (roce_connection){
            .psn = start, .pmtu = 1024, .messages = outs, .count = COUNT(outs), .late = 1, .rnr_timer = 14};
        end_recorded_row(i, verbs_connections_open(i, 1) || begin_recording(i) ||
                                roce_exchange_run(&i->x, l, 1, verbs_let_take, i) || verbs_counters_agree(i));
    }
    if (verbs_row(i, "a packet of a WRITE lost: NAK-sequence", "nak-sequence")) {
        *l = (roce_connection){.psn = start, .pmtu = 1024, .messages = writes, .count = COUNT(writes)};
        i->strikes[0] =
            (roce_strike){.target = &roce_targets[STRIKE_WRITE_MIDDLE], .fault = {ETHERNET_LOSE, 0}, .count = 1};
        int result = verbs_connections_open(i, 1) || begin_recording(i);
        ethernet_wire_set_tap(i->wire, verbs_strike, i);
        end_recorded_row(i, result || roce_exchange_run(&i->x, l, 1, NULL, NULL) || verbs_counters_agree(i));
    }
    if (verbs_row(i, "a wrong key: NAK 62", "nak-access")) {
        int result = begin_recording(i);
        end_recorded_row(i, result || verbs_refused(i, RN_WRITE, i->x.address + 4096, i->x.key ^ 0x55, start));
    }
}
