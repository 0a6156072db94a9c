/* The classes of faults and their actions. With FAULT_WORDS only their words: enough to read a plan without a system.
 */
#ifdef FAULT_WORDS
#include "sim/traffic/faults/classes.h"
#include "sim/model/host/pcix_bridge.h"
#define DOES(function) NULL
#else
#include "nic_register_map.h"
#include "sim/core/kernel/splitmix64.h"
#include "sim/traffic/faults/private.h"
#include "switch_register_map.h"
#define DOES(function) function

/* ---- on a cable ---- */

static int choose(void *arg, const frame_word *w)
{
    struct fault_site *site = arg;
    return (w->has_credit || !site->line->f->class->with_credit) && fault_strikes(site->line);
}

static void damage(void *arg, frame_word *w)
{
    struct fault_site *site = arg;
    site->line->f->class->damage(&site->line->argument, w);
}

static int add(struct fault_line *line, frame_choice choice, frame_damage what)
{
    const fabric *f = line->all->f;
    for (unsigned i = 0; i < line->sites; i++) {
        struct fault_site *site = &line->site[i];
        frame_tap *tap = fault_tap(line->all, line->f->node, site->link);
        unsigned of_cable = f->chip.model ? 0 : site->link;
        if (tap && f->bundle > 1 && line->f->link >= 0) {
            if (frame_tap_add_lane(tap, site->from, (unsigned)line->f->link, what, site)) return -1;
            continue;
        }
        if (!tap || frame_tap_add(tap, site->from, of_cable, line->f->class->kinds, choice, what, site)) return -1;
    }
    return 0;
}

/* Chosen frames. */
static int start_frames(struct fault_line *line) { return add(line, choose, damage); }

/* A word of a packet; the SOP and credits are none of it. */
static int of_packet(const frame_word *w)
{
    return w->kind == FRAME_DATA && w->index >= w->header && w->index < w->words;
}

/* A wrong bit may show as wrong disparity some characters later only; the switch counts within frames. */
static void bit_error(void *arg, frame_word *w)
{
    enum { SHOWS = 3 };
    struct fault_site *site = arg;
    if (of_packet(w) && w->index + SHOWS < w->words && fault_strikes(site->line))
        *w->flip ^= (uint64_t)1 << splitmix64(&site->line->random) % 40;
}

static int start_bit_error(struct fault_line *line) { return add(line, NULL, bit_error); }

static void drop_word(void *arg, frame_word *w)
{
    struct fault_site *site = arg;
    if (of_packet(w) && w->may_drop && fault_strikes(site->line)) w->drop = 1;
}

static int start_drop_word(struct fault_line *line) { return add(line, NULL, drop_word); }

static void repeat_word(void *arg, frame_word *w)
{
    struct fault_site *site = arg;
    if (of_packet(w) && w->may_repeat && fault_strikes(site->line)) w->repeat = 1;
}

static int start_repeat_word(struct fault_line *line) { return add(line, NULL, repeat_word); }

/* The previous word is repeated and this one is lost, as by a FIFO that is read while empty (S4 3.4). */
static void stale_word(void *arg, frame_word *w)
{
    struct fault_site *site = arg;
    uint32_t word = *w->data;
    if (of_packet(w) && w->index > w->header && word != site->before && fault_strikes(site->line))
        *w->data = site->before;
    site->before = word;
}

static int start_stale_word(struct fault_line *line) { return add(line, NULL, stale_word); }

static void cut(struct fault_line *line, int on)
{
    const fabric *f = line->all->f;
    int directions = 0, end;
    for (unsigned i = 0; i < line->sites; i++) directions |= line->site[i].from ? CABLE_B_TO_A : CABLE_A_TO_B;
    for (unsigned l = 0; l < f->links * f->bundle; l++) {
        unsigned links = f->chip.model ? 1 : 1u << l; /* of its cable */
        if (line->f->link >= 0 && (unsigned)line->f->link != l) continue;
        if (on) cable_cut_links(fabric_link(f, line->f->node, l, &end), directions, links);
        else cable_reconnect_links(fabric_link(f, line->f->node, l, &end), directions, links);
    }
}

/* Bytes that the elastic buffers at both ends of the node's cable have taken out or put in. */
static uint64_t corrections(const struct fault_line *line)
{
    uint64_t sum = 0;
    const fabric *f = line->all->f;
    for (unsigned l = 0; l < 2 * f->links * f->bundle; l++) {
        cable_stats s;
        int end;
        cable_get_stats(fabric_link(f, line->f->node, l / 2, &end), l & 1, f->chip.model ? 0 : l / 2, &s);
        sum += s.received.removed + s.received.repeated;
    }
    return sum;
}

/* ---- at a node ---- */

static void stop(struct fault_line *line, int on)
{
    nx_device *dev = line->all->node[line->f->node]->dev;
    uint32_t control = 0;
    nx_register_read(dev, NIC_CONTROL, &control);
    control &= ~NIC_CONTROL_INITIATOR_ENABLE_MASK;
    nx_register_write(dev, NIC_CONTROL, control | (on ? 0 : NIC_CONTROL_INITIATOR_ENABLE_MASK));
}

/* ---- on a bus ---- */

static pcix_bridge *bridge_of(const struct fault_line *line)
{
    return host_bridge(line->all->node[line->f->node]->host);
}

static unsigned retry(void *arg, int command)
{
    struct fault_line *line = arg;
    int read = pcix_is_memory_read(command);
    return read == (int)line->argument && fault_strikes(line);
}

static int start_retry(struct fault_line *line)
{
    return pcix_bridge_on_request(bridge_of(line), retry, line) ? 0 : -1;
}

static uint64_t retries(const struct fault_line *line) { return pcix_bridge_get_stats(bridge_of(line))->retries_given; }

static bool strikes(void *arg) { return fault_strikes(arg); }

/* The second word of a write of the NIC, or of a completion. */
static int start_parity(struct fault_line *line)
{
    node *n = line->all->node[line->f->node];
    int read = line->argument != 0;
    pcix_fault f = {.initiator = read ? pcix_bridge_agent(host_bridge(n->host)) : n->nic_agent,
                    .commands = 1u << (read ? PCIX_SPLIT_COMPLETION : PCIX_WRITE_BLOCK),
                    .phase = PCIX_PH_DATA,
                    .index = 1,
                    .ad = 1,
                    .choose = strikes,
                    .arg = line};
    return pcix_faults_add(host_faults(n->host), &f) ? 0 : -1;
}

static int start_completion(struct fault_line *line)
{
    node *n = line->all->node[line->f->node];
    pcix_completion_fault f = {.kind = (int)line->argument,
                               .value =
                                   (unsigned)(line->f->value * (double)SIM_US / (double)sim_clock_period(n->pci_clock)),
                               .choose = strikes,
                               .arg = line};
    return pcix_bridge_fail_completion(bridge_of(line), &f) ? 0 : -1;
}

#endif

/* ---- the table ---- */

#ifdef FAULT_WORDS
#define RECEIVER(nic, port)                                                                                            \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define AT_NODE(nic)                                                                                                   \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define BESIDE(nic)                                                                                                    \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define ANYWHERE(nic)                                                                                                  \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define OUTSIDE(name, count)                                                                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }
#else
#define RECEIVER(nic, port)                                                                                            \
    {                                                                                                                  \
        FAULT_SEEN_AT_RECEIVER, nic, port, 0, NULL, NULL                                                               \
    }
#define AT_NODE(nic)                                                                                                   \
    {                                                                                                                  \
        FAULT_SEEN_AT_NODE, nic, 0, 0, NULL, NULL                                                                      \
    }
#define BESIDE(nic)                                                                                                    \
    {                                                                                                                  \
        FAULT_SEEN_AT_NODE, nic, 0, 1, NULL, NULL                                                                      \
    }
#define ANYWHERE(nic)                                                                                                  \
    {                                                                                                                  \
        FAULT_SEEN_ANYWHERE, nic, 0, 0, NULL, NULL                                                                     \
    }
#define OUTSIDE(name, count)                                                                                           \
    {                                                                                                                  \
        FAULT_SEEN_OUTSIDE, 0, 0, 0, name, count                                                                       \
    }
#endif

#define CODE_ERRORS                                                                                                    \
    RECEIVER(NIC_GT0_UNKNOWN_CHARACTERS, SWITCH_CODE_ERRORS), RECEIVER(NIC_GT0_PARITY_ERRORS, SWITCH_CODE_ERRORS)
#define HEADER_ERRORS RECEIVER(NIC_HEADER_CRC_ERRORS, SWITCH_HEADER_ERRORS)
#define ALIGNMENT_ERRORS RECEIVER(NIC_ALIGNMENT_ERRORS, SWITCH_ALIGNMENT_ERRORS)
#define BODY_ERRORS ANYWHERE(NIC_BODY_CRC_ERRORS)
#define REJECTED RECEIVER(NIC_CREDITS_REJECTED, SWITCH_CREDITS_REJECTED)
#define GAPS ANYWHERE(NIC_SEQUENCE_GAPS)
#define SYNC_LOST RECEIVER(NIC_GT0_LOSS_OF_SYNC, SWITCH_SYNC_LOST)

static const char flagged[] = "loss indication in the next notification of the flow";
static const char padded[] = "the packet is padded or kept; loss indication in its notification";
static const char recorded[] = "loss indication in the next notification; a check record restores credit";
static const char given_up[] =
    "the transfer times out after 200 us (completion timer); loss indication in the flow's next notification";
static const char credited[] = "the next credit of the lane replaces it";

/* clang-format off */
static const fault_class classes[] = {
    {"biterror", NULL, FAULT_AT_LINK, "words", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "one wrong bit on the wire, in a packet",
     .repair = flagged,
     .witness = {CODE_ERRORS, HEADER_ERRORS, BODY_ERRORS}, .start = DOES(start_bit_error), .kinds = FRAME_ANY},
    {"word", "drop", FAULT_AT_LINK, "words", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a word of a packet is missing",
     .repair = flagged,
     .witness = {HEADER_ERRORS, ALIGNMENT_ERRORS, BODY_ERRORS}, .start = DOES(start_drop_word), .kinds = FRAME_DATA},
    {"word", "repeat", FAULT_AT_LINK, "words", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a word of a packet is doubled",
     .repair = flagged,
     .witness = {HEADER_ERRORS, ALIGNMENT_ERRORS, BODY_ERRORS}, .start = DOES(start_repeat_word), .kinds = FRAME_DATA},
    {"word", "stale", FAULT_AT_LINK, "words", .lossy = 1, .seen = FAULT_SEEN_EACH,
     .text = "a word of a packet is replaced by the one before, as from an empty FIFO", .repair = flagged,
     .witness = {HEADER_ERRORS, BODY_ERRORS}, .start = DOES(start_stale_word), .kinds = FRAME_DATA},
    {"packet", "drop", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_SOME, .text = "a packet is lost", .repair = recorded,
     .witness = {GAPS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_lose)},
    {"packet", "sop", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "its first word is idle", .repair = recorded,
     .witness = {ALIGNMENT_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_lose_sop)},
    {"packet", "header", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a wrong bit in the header",
     .repair = recorded, .witness = {HEADER_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_bad_header)},
    {"packet", "headercrc", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a wrong bit in the header's CRC",
     .repair = recorded, .witness = {HEADER_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_bad_header_crc)},
    {"packet", "body", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a wrong bit in the payload",
     .repair = padded, .witness = {BODY_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_bad_body)},
    {"packet", "bodycrc", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a wrong bit in the CRC of the payload",
     .repair = padded, .witness = {BODY_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_bad_body_crc)},
    {"packet", "truncate", FAULT_AT_LINK, "packets", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "it ends within the payload",
     .repair = padded, .witness = {ALIGNMENT_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_DATA, .damage = DOES(frame_truncate),
     .argument = 1},
    {"credit", "drop", FAULT_AT_LINK, "credits", .seen = FAULT_SEEN_MAYBE, .text = "a credit word is lost", .repair = credited,
     .start = DOES(start_frames), .kinds = FRAME_CREDIT | FRAME_DATA, .with_credit = 1, .damage = DOES(frame_lose_credit)},
    {"credit", "parity", FAULT_AT_LINK, "credits", .lossy = 1, .intact = 1, .seen = FAULT_SEEN_EACH,
     .text = "both credits of a word have wrong parity",
     .repair = credited, .witness = {REJECTED}, .start = DOES(start_frames), .kinds = FRAME_CREDIT | FRAME_DATA, .with_credit = 1,
     .damage = DOES(frame_credit_parity), .argument = 3},
    {"credit", "code", FAULT_AT_LINK, "credits", .lossy = 1, .intact = 1, .seen = FAULT_SEEN_EACH,
     .text = "a wrong bit on the wire in a credit word",
     .repair = credited, .witness = {CODE_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_CREDIT, .with_credit = 1,
     .damage = DOES(frame_code_error), .argument = 1},
    {"record", "drop", FAULT_AT_LINK, "records", .seen = FAULT_SEEN_MAYBE, .text = "a check record is lost",
     .repair = "the next check record replaces it", .start = DOES(start_frames), .kinds = FRAME_RECORD, .damage = DOES(frame_lose)},
    {"record", "headercrc", FAULT_AT_LINK, "records", .lossy = 1, .intact = 1, .seen = FAULT_SEEN_EACH,
     .text = "a check record has a wrong CRC",
     .repair = "the next check record replaces it", .witness = {HEADER_ERRORS}, .start = DOES(start_frames), .kinds = FRAME_RECORD,
     .damage = DOES(frame_bad_header_crc)},
    {"cut", NULL, FAULT_AT_LINK, NULL, .timed = 1, .ever = 1, .lossy = 1, .seen = FAULT_SEEN_SOME, .text = "the cable is pulled out",
     .repair = recorded, .witness = {SYNC_LOST}, .turn = DOES(cut)},
    {"ppm", NULL, FAULT_AT_NODE, NULL, FAULT_VALUE_PPM, .seen = FAULT_SEEN_MAYBE, .text = "constant offset of its network clock",
     .repair = "clock correction", .witness = {OUTSIDE("K28.5 removed or repeated", corrections)}},
    {"stop", NULL, FAULT_AT_NODE, NULL, .timed = 1, .seen = FAULT_SEEN_MAYBE,
     .text = "its NIC is no bus initiator: it neither receives nor sends",
     .repair = "credits hold the senders back", .turn = DOES(stop)},
    {"retry", "write", FAULT_AT_HOST, "writes", .seen = FAULT_SEEN_EACH, .text = "a write of the NIC is retried",
     .repair = "the NIC tries again", .witness = {OUTSIDE("retries", retries)}, .start = DOES(start_retry), .argument = 0},
    {"retry", "read", FAULT_AT_HOST, "reads", .seen = FAULT_SEEN_EACH, .text = "a read of the NIC is retried",
     .repair = "the NIC tries again", .witness = {OUTSIDE("retries", retries)}, .start = DOES(start_retry), .argument = 1},
    {"parity", "write", FAULT_AT_HOST, "writes", .lossy = 1, .seen = FAULT_SEEN_EACH, .text = "a wrong bit in data that the NIC writes",
     .repair = padded, .witness = {AT_NODE(NIC_WRITE_ERRORS)}, .start = DOES(start_parity), .argument = 0},
    {"parity", "read", FAULT_AT_HOST, "completions", .lossy = 1, .reads = 1, .seen = FAULT_SEEN_EACH,
     .text = "a wrong bit in data that the NIC reads", .repair = "the transfer is aborted; loss indication in the next notification of the flow",
     .witness = {AT_NODE(NIC_READ_ERRORS)}, .start = DOES(start_parity), .argument = 1},
    {"completion", "missing", FAULT_AT_HOST, "reads", .lossy = 1, .reads = 1, .timer = 1, .seen = FAULT_SEEN_EACH,
     .text = "completions of a read are lost", .repair = given_up,
     .witness = {AT_NODE(NIC_COMPLETION_TIMEOUTS), BESIDE(NIC_READ_ERRORS)}, .start = DOES(start_completion),
     .argument = PCIX_COMPLETION_DROPPED},
    {"completion", "late", FAULT_AT_HOST, "reads", FAULT_VALUE_TIME, .lossy = 1, .reads = 1, .timer = 1, .seen = FAULT_SEEN_EACH,
     .text = "completions of a read are delayed", .repair = "none up to 200 us; beyond, as completion missing",
     .witness = {AT_NODE(NIC_COMPLETION_TIMEOUTS), BESIDE(NIC_UNEXPECTED_COMPLETIONS), BESIDE(NIC_READ_ERRORS)},
     .start = DOES(start_completion), .argument = PCIX_COMPLETION_LATE},
};
/* clang-format on */
const fault_system fault_nic = {"NIC and switch", classes, sizeof classes / sizeof classes[0], {NULL}};
