#include "roce_counters.h"

#include <jansson.h>

#include "roce_register_map.h"

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

/* ---- beside Linux */

enum { TO_LINUX = 1 }; /* the row of packets to Linux */
/* What both ends count of the same packets: sums of the chip's counters by their places in `counters`, and the name in Linux. */
static const struct {
    const char *words, *of_linux;
    uint32_t plus, minus;
} both[ROCE_COUNTERS_BOTH] = {
    {"packets to the chip", "sent_pkts", 1u << ROCE_PACKETS_IN, 0},
    {"packets to Linux", "rcvd_pkts",
     1u << ROCE_SENDS_OUT | 1u << ROCE_READS_WRITES_OUT | 1u << ROCE_ACKS_OUT | 1u << ROCE_MADS_OUT | 1u << ROCE_NAKS_OUT, 0},
    {"sent again by the chip", "duplicate_request", 1u << ROCE_SENT_AGAIN, 0},
    {"NAK-sequence of Linux", "out_of_seq_request", 1u << ROCE_NAKS_IN, 0},
    {"NAK-sequence of the chip", "rcvd_seq_err", 1u << ROCE_NAKS_OUT, 1u << ROCE_RNR_OUT},
    {"not ready, of the chip", "rcvd_rnr_err", 1u << ROCE_RNR_OUT, 0},
};
static uint32_t of_chip(const roce_counters *c, unsigned row) /* modulo 2^16 */
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < ROCE_COUNTERS; i++) {
        if (both[row].plus >> i & 1) sum += c->value[i];
        if (both[row].minus >> i & 1) sum -= c->value[i];
    }
    return sum & 0xffff;
}

static uint32_t of_linux(const roce_linux *l, unsigned row)
{
    return (uint32_t)roce_linux_counter_of(l, both[row].of_linux) & 0xffff;
}

unsigned roce_counters_compare(const roce_counters *c, const roce_linux *l, FILE *out)
{
    unsigned different = 0;
    if (out) fprintf(out, "%-26s %9s %9s\n", "counted by", "the chip", "Linux");
    for (unsigned i = 0; i < ROCE_COUNTERS_BOTH; i++) {
        uint32_t chip = of_chip(c, i), peer = of_linux(l, i), late = i == TO_LINUX ? c->value[ROCE_DUPLICATES] : 0;
        const char *what = chip == peer ? "" : ((chip - peer) & 0xffff) <= late ? "   late: " : "   differs: ";
        if (out) fprintf(out, "%-26s %9u %9u%s%s\n", both[i].words, chip, peer, what, *what ? both[i].of_linux : "");
        different += chip != peer && ((chip - peer) & 0xffff) > late;
    }
    return different;
}
