#include "sim/app/roce/linux/roce_counters.h"

#include <jansson.h>

#include "roce_register_map.h"
#include "sim/core/kernel/text_table.h"

static const struct {
    const char *name;
    uint32_t offset;
    unsigned shift, bits;
    const char *words;
} counters[ROCE_COUNTERS] = {
    {"packets_in", ROCE_INALLDRPPKTCNT, 0, 16, "packets in"},
    {"dropped", ROCE_INALLDRPPKTCNT, 16, 16, "dropped"},
    {"invalid", ROCE_ININVDUPCNT, 0, 16, "invalid"},
    {"duplicates", ROCE_ININVDUPCNT, 16, 16, "duplicates"},
    {"naks_in", ROCE_INNAKPKTCNT, 0, 16, "NAKs in"},
    {"naks_out", ROCE_OUTNAKPKTCNT, 0, 16, "NAKs out"},
    {"rnr_out", ROCE_OUTRNRPKTSTS, 16, 16, "receiver not ready, out"},
    {"sent_again", ROCE_RETRYCNTSTS, 0, 32, "packets sent again"},
    {"sends_out", ROCE_OUTIOPKTCNT, 0, 16, "SENDs out"},
    {"reads_writes_out", ROCE_OUTIOPKTCNT, 16, 16, "READs and WRITEs out"},
    {"acks_out", ROCE_OUTAMPKTCNT, 0, 16, "ACKs out"},
    {"mads_out", ROCE_OUTAMPKTCNT, 16, 16, "MADs out"},
};

int roce_counters_read(rn_device *dev, roce_counters *c)
{
    for (unsigned i = 0; i < ROCE_COUNTERS; i++) {
        uint32_t value;
        int result = rn_register_read(dev, counters[i].offset, &value);
        if (result) return result;
        c->value[i] = value >> counters[i].shift & (uint32_t)((1ull << counters[i].bits) - 1);
    }
    return 0;
}

void roce_counters_print(const roce_counters *c, unsigned count, FILE *out)
{
    fputs("chip:", out);
    for (unsigned i = 0; i < count; i++) fprintf(out, "%s %s %u", i ? "," : "", counters[i].words, c->value[i]);
    fputs("\n", out);
}

void roce_counters_json(const roce_counters *c, unsigned count, json_t *object)
{
    for (unsigned i = 0; i < count; i++) json_object_set_new(object, counters[i].name, json_integer(c->value[i]));
}

/* ---- compared with Linux */

/* The name of each in Linux. */
enum { FROM_LINUX, TO_LINUX, AGAIN, GAPS_OF_LINUX, GAPS_OF_END, RNR_OF_END };
static const char *const of_linux[ROCE_COUNTERS_BOTH] = {
    [FROM_LINUX] = "sent_pkts",     [TO_LINUX] = "rcvd_pkts",
    [AGAIN] = "duplicate_request",  [GAPS_OF_LINUX] = "out_of_seq_request",
    [GAPS_OF_END] = "rcvd_seq_err", [RNR_OF_END] = "rcvd_rnr_err"};

roce_counters_both roce_counters_of_chip(const roce_counters *c)
{
    const uint32_t *v = c->value;
    return (roce_counters_both){"the chip",
                                {[FROM_LINUX] = v[ROCE_PACKETS_IN],
                                 [TO_LINUX] = v[ROCE_SENDS_OUT] + v[ROCE_READS_WRITES_OUT] + v[ROCE_ACKS_OUT] +
                                              v[ROCE_MADS_OUT] + v[ROCE_NAKS_OUT],
                                 [AGAIN] = v[ROCE_SENT_AGAIN],
                                 [GAPS_OF_LINUX] = v[ROCE_NAKS_IN],
                                 [GAPS_OF_END] = v[ROCE_NAKS_OUT] - v[ROCE_RNR_OUT],
                                 [RNR_OF_END] = v[ROCE_RNR_OUT]}};
}

roce_counters_both roce_counters_of_nic(const rnic_counters *n)
{
    return (roce_counters_both){"the NIC in C",
                                {[FROM_LINUX] = (uint32_t)n->rcvd_pkts,
                                 [TO_LINUX] = (uint32_t)n->sent_pkts,
                                 [AGAIN] = (uint32_t)n->resent_pkts,
                                 [GAPS_OF_LINUX] = (uint32_t)n->rcvd_seq_err,
                                 [GAPS_OF_END] = (uint32_t)n->out_of_seq_request,
                                 [RNR_OF_END] = (uint32_t)n->send_rnr_err}};
}

static void print_row(const char *end, unsigned row, uint32_t is, uint32_t linux_, uint32_t late, int good, FILE *out)
{
    static const char *const words[ROCE_COUNTERS_BOTH] = {
        [FROM_LINUX] = "packets to %s",       [TO_LINUX] = "packets to Linux",
        [AGAIN] = "sent again by %s",         [GAPS_OF_LINUX] = "NAK-sequence of Linux",
        [GAPS_OF_END] = "NAK-sequence of %s", [RNR_OF_END] = "not ready, of %s"};
    char what[60], text[100] = "";
    snprintf(what, sizeof what, words[row], end);
    if (!good) snprintf(text, sizeof text, "\tdiffers: %s", of_linux[row]);
    else if (is != linux_)
        snprintf(text, sizeof text, "\t%u came too late for Linux, %u of them behind its DREQ", (is - linux_) & 0xffff,
                 late);
    fprintf(out, "%s\t%u\t%u%s\n", what, is, linux_, text);
}

unsigned roce_counters_compare(const roce_counters_both *e, const roce_late_counts *late, const roce_linux *l,
                               FILE *out)
{
    unsigned different = 0;
    char titles[80];
    snprintf(titles, sizeof titles, "<counted by\t%s\tLinux", e->end);
    FILE *t = out ? text_table(out, 0, titles) : NULL;
    for (unsigned i = 0; i < ROCE_COUNTERS_BOTH; i++) {
        uint32_t is = e->value[i] & 0xffff, linux_ = (uint32_t)roce_linux_counter_of(l, of_linux[i]) & 0xffff,
                 less = (is - linux_) & 0xffff;
        uint32_t least = i == TO_LINUX ? late->packets : 0, more = 0;
        if (i == TO_LINUX) more = late->repeated_packets;
        if (i == AGAIN) more = late->requests + late->repeated_requests;
        int good = less >= least && less - least <= more;
        if (t) print_row(e->end, i, is, linux_, least, good, t);
        different += !good;
    }
    if (t) fclose(t);
    return different;
}
