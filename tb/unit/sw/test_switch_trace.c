/* Saved traces of a port of the switch: frames made by the testbench's own writer of frames (sim/model/cable), right
 * but for one of the bugs of S4 3.3 to 3.5, whose place the tool must find. */
#include <stdlib.h>
#include <string.h>

#include "shell.h"
#include "sim/model/cable/frame.h"
#include "sx_trace.h"
#include "test.h"

RUNS("nxtrace");

enum { ROUNDS = 24, BAD = 13, LENGTH = 20, WORD = 9 /* of the payload */ };

typedef enum bug_kind {
    NONE,
    DROP,
    DOUBLE,
    DOUBLE_PAIR,
    REPEAT,
    NO_END,
    NO_SOP,
    SHORTER,
    HEADER_CRC,
    DOUBLE_HEADER,
    BODY,
    INVERTED,
    LOST,
    JUMP,
    FAR,
    BACK,
    PARITY,
    CODE,
    SLIP,
    EVENT
} bug_kind;

static nx_trace t;
static unsigned bad_at, bad_word, next_at; /* entries: of the bad packet, of the word, and behind the packet */

static void put(unsigned point, uint64_t data, unsigned flags)
{
    ck_assert_uint_lt(t.entries[point], nx_trace_room(NX_TRACE_SWITCH));
    t.entry[point][t.entries[point]++] = (nx_trace_entry){data, (uint8_t)flags};
}

/* Words behind a SOP. */
static void put_words(unsigned point, const uint32_t *word, unsigned count, unsigned first, unsigned last)
{
    for (unsigned i = 0; i < count; i += 2) {
        unsigned flags =
            NX_TRACE_VALID | (i ? 0 : first) | (i + 2 < count ? 0 : last) | (i + 1 < count ? 0 : SX_TRACE_HALF);
        put(point, (uint64_t)word[i] << 32 | (i + 1 < count ? word[i + 1] : 0), flags);
    }
}

static void edit(bug_kind kind, unsigned point, uint32_t *word, unsigned *count, unsigned *first, unsigned *last)
{
    unsigned body = *count - 2 * LENGTH - 1,
             at = body + WORD; /* the words behind the SOP end with the body and its CRC */
    bad_at = t.entries[point];
    bad_word = bad_at + at / 2;
    switch (kind) {
    case DROP:
        memmove(word + at, word + at + 1, (--*count - at) * sizeof *word);
        break;
    case DOUBLE:
        memmove(word + at + 1, word + at, ((*count)++ - at) * sizeof *word);
        bad_word = bad_at + (at + 1) / 2;
        break;
    case DOUBLE_PAIR:
        memmove(word + at + 2, word + at, (*count - at) * sizeof *word);
        *count += 2;
        bad_word = bad_at + (at + 2) / 2;
        break;
    case REPEAT:
        word[at] = word[at - 1];
        break;
    case NO_END:
        *last = 0;
        break;
    case NO_SOP:
        *first = 0;
        break;
    case SHORTER: /* the header's CRC is that of the header, the body's that of the body */
        word[body - 3] ^= 1;
        word[body - 1] = frame_header_crc((uint64_t)word[body - 3] << 32 | word[body - 2]);
        break;
    case HEADER_CRC:
        word[body - 1] ^= 4;
        break;
    case DOUBLE_HEADER:
        memmove(word + body - 1, word + body - 2, ((*count)++ - (body - 2)) * sizeof *word);
        bad_word = bad_at + (body - 1) / 2;
        break;
    case BODY:
        word[at] ^= 0x100;
        break;
    case INVERTED:
        word[*count - 1] = ~word[*count - 1];
        break;
    default:
        break;
    }
}

/* In each round a packet each way, with a credit for those before it; every third one check records, and the event of
 * those. Both ways the flow, or source, is another one each time. */
static void make_trace(bug_kind kind, unsigned bad_point)
{
    static const uint32_t middle[] = {0x12345678, 0x9abcdef0, 0x0fedcba9};
    unsigned sent[2][2] = {{4000, 100}, {2000, 0}}; /* by point and lane; OUT has one */
    memset(&t, 0, sizeof t);
    t.device = NX_TRACE_SWITCH;
    t.number = 3;
    t.capacity = 2046;
    t.frozen = 1;
    t.cause = SX_TRACE_EVENT(5);
    for (unsigned p = 0; p < 2; p++) put_words(p, middle, 3, 0, NX_TRACE_EOP); /* it begins within a frame */
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned credited[2] = {sent[NX_PORT_OUT][0], sent[NX_PORT_IN][n % 2]}; /* by the point that has the credit */
        for (unsigned p = 0; p < 2; p++) {
            int here = n == BAD && p == bad_point;
            uint32_t word[FRAME_WORDS_MAX];
            uint64_t payload[LENGTH];
            unsigned lane = p == NX_PORT_OUT ? n % 2 : 0, value = credited[p] / 32, first = NX_TRACE_SOP,
                     last = NX_TRACE_EOP;
            frame_header h = {.flow = n % 2, .sequence = (500 + n / 2) % 512, .length = LENGTH, .address = 0x1000 * n};
            for (unsigned i = 0; i < LENGTH; i++) payload[i] = ((uint64_t)n << 32 | i << 8 | p) * 0x9e3779b97f4a7c15u;
            uint64_t header = frame_header_write(&h);
            unsigned jump = kind == JUMP ? 10 : kind == FAR ? 30 : kind == BACK ? 128 - 20 : 0;
            uint16_t credit = frame_credit(lane, value + (here ? jump : 0));
            if (here && kind == PARITY) credit ^= 0x4000;
            sent[p][p == NX_PORT_OUT ? 0 : n % 2] += 2 * LENGTH + 4;
            if (here && kind == LOST) continue;
            unsigned count = frame_write(word, (uint32_t)credit << 16 | credit, &header, payload) - 1;
            if (here) edit(kind, p, word + 1, &count, &first, &last);
            put_words(p, word + 1, count, first, last);
            if (!here) continue;
            next_at = t.entries[p];
            if (kind == CODE) t.entry[p][bad_word].flags |= SX_TRACE_ERROR;
        }
        if (n % 3 != 2) continue;
        for (unsigned p = 0; p < 2; p++) {
            uint32_t word[FRAME_WORDS_MAX];
            unsigned lane = p == NX_PORT_OUT ? 0 : n % 2;
            int here = n == BAD + 1 && p == bad_point && kind == SLIP;
            uint64_t header =
                frame_header_write(&(frame_header){.flow = lane, .address = (sent[p][lane] + (here ? 6 : 0)) % 4096});
            if (here) bad_at = t.entries[p];
            put_words(p, word + 1, frame_write(word, 0, &header, NULL) - 1, NX_TRACE_SOP, NX_TRACE_EOP);
            put(p,
                (uint64_t)(100 * n + p) << 32 | SX_TRACE_EVENT(7) |
                    (n == BAD + 1 && kind == EVENT ? SX_TRACE_EVENT(5) : 0),
                NX_TRACE_EVENTS << 4);
        }
    }
    for (unsigned p = 0; p < 2; p++) put(p, 5000ull << 32, NX_TRACE_FROZEN << 4);
    put_words(0, middle, 2, NX_TRACE_SOP, 0); /* and ends within one */
}

static const struct {
    bug_kind kind;
    const unsigned *at;
    unsigned found[2];          /* lines, by point */
    const char *first, *second; /* the message, behind point and entry; a second one */
} bugs[] = {
    {DROP,
     &bad_word,
     {1, 1},
     "1 word of 32 bits omitted: the packet of entry %u has 40 behind its header, length 20 makes it 41\n",
     ""},
    {DOUBLE,
     &bad_word,
     {1, 1},
     "1 word of 32 bits doubled: without, the packet of entry %u has its length 20, and its CRC is right\n",
     ""},
    {DOUBLE_PAIR,
     &bad_word,
     {1, 1},
     "2 words of 32 bits doubled: without, the packet of entry %u has its length 20, and its CRC",
     ""},
    {REPEAT,
     &bad_word,
     {1, 1},
     "the word before is repeated, as from an empty FIFO, and the body CRC of the packet of entry %u is wrong\n",
     ""},
    {NO_END, &next_at, {1, 1}, "SOP without EOP: the frame of entry %u has no end\n", ""},
    {NO_SOP, &bad_at, {3, 3}, "45 words without a SOP: ", " 1 packet missing\n"},
    {SHORTER,
     &bad_at,
     {2, 2},
     "its header says 21 words of 64 bits, 40 of 32 bits are there, and their CRC is right",
     ""},
    {HEADER_CRC, &bad_at, {3, 3}, "header CRC 0000", " 1 packet missing\n"},
    {DOUBLE_HEADER,
     &bad_word,
     {3, 3},
     "1 word of 32 bits doubled: without, the header of entry %u and its CRC are right",
     " slips by 44: "},
    {BODY, &next_at, {1, 1}, "bad body: the packet of entry %u has CRC", ""},
    {INVERTED,
     &next_at,
     {1, 1},
     "the packet of entry %u is marked bad: its body CRC is the inverse of the right one",
     ""},
    {LOST,
     NULL,
     {2, 2},
     "sequence 507 of flow 1 behind 505: 1 packet missing\n",
     "the count of words transmitted slips by 44: check record"},
    {JUMP, &bad_at, {2, 2}, "a credit jumps: lane", " by the next event\n"},
    {FAR, &bad_at, {2, 2}, "a credit jumps: lane", "a credit jumps back: lane"},
    {BACK, &bad_at, {1, 2}, "a credit jumps back: lane", " behind "},
    {PARITY, &bad_at, {1, 1}, "a credit with wrong parity", ""},
    {CODE, &bad_word, {1, 1}, "a code error in the frame of entry %u\n", ""},
    {SLIP, &bad_at, {2, 2}, "the count of words transmitted slips by 6: check record", "slips by -6: "},
    {EVENT, NULL, {1, 1}, "clock 1400: PADDED, truncated packets that were filled up\n", ""},
};

static void save(const char *name)
{
    FILE *f = shell_file(name, "w");
    ck_assert_int_eq(nx_trace_save(&t, f), 0);
    fclose(f);
    shell_program("nxtrace");
}

static void good(void) { make_trace(NONE, 0); }

TEST_CASE("switch trace", .setup = good, .teardown = shell_clean);

TEST(a_trace_that_is_right_is_shown_frame_by_frame)
{
    save("good");
    ck_shell_says(0, "nothing looks wrong\n", "$P $D/good");
    ck_shell_says(0, "port 3 of a switch; frozen by PADDED\nIN, ", "$P --packets $D/good");
    ck_output_has(
        "     0  3 words without SOP\n     2  credit lane 0 forwarded 1984; flow 0 sequence 500 length 20 words to "
        "0x00000000, CRC ");
    ck_output_has("; to entry 24, body CRC ");
    ck_output_has("check record flow 1 T 232, CRC ");
    ck_output_has("clock 200: RECORDS\n");
    ck_output_has("clock 5000: ---- FROZEN here ----\n");
    ck_output_has("   579  2 words; the trace ends here\n");
    ck_output_lacks("WRONG");
}

TEST(each_bug_is_named_with_its_place_at_both_points, .to = 2 * COUNT(bugs))
{
    unsigned n = (unsigned)_i / 2, point = (unsigned)_i % 2;
    char expected[256], place[64] = "";
    make_trace(bugs[n].kind, point);
    save("bad");
    ck_assert_int_eq(shell_says("$P $D/bad"), 1);
    unsigned at = bugs[n].at ? *bugs[n].at : 0, lines = 0;
    if (bugs[n].kind == BODY || bugs[n].kind == INVERTED || bugs[n].kind == DROP)
        at = next_at - 1; /* where the packet ends */
    if (bugs[n].at) snprintf(place, sizeof place, "%s entry %u: ", point ? "OUT" : "IN", at);
    ck_assert_msg(!strncmp(shell_output, place, strlen(place)), "bug %u: expected %s: %s", n, place, shell_output);
    snprintf(expected, sizeof expected, bugs[n].first, bad_at);
    ck_output_has(expected);
    ck_output_has(bugs[n].second);
    for (const char *c = shell_output; *c; c++) lines += *c == '\n';
    ck_assert_msg(lines == bugs[n].found[point], "bug %u: %s", n, shell_output);
}

TEST(a_file_that_is_no_whole_trace_of_a_switch_is_refused_in_one_line)
{
    save("good");
    static const struct {
        const char *change, *says;
    } files[] = {
        {"head -n 1", "line 2: cut off, expected point IN"},
        {"head -n 100", "line 101: cut off, expected"},
        {"head -n -1", "expected end: cut off or damaged"},
        {"sed '1s/ 3 / 9 /'", "line 1: a trace of version 9, expected version 1 to 3"},
        {"sed '1s/switch/router/'", "line 1: device router, expected nic or switch"},
        {"sed '1s/switch/nic/'", "line 2: 'point IN entries 580', expected point H2N_IN"},
        {"sed '1s/number/node/'", "expected device, number, direct, links, packet, "},
        {"sed 's/point OUT/point SIDE/'", "expected point OUT and at most 1024 entries"},
        {"sed 's/point IN entries .*/point IN entries 1025/'",
         "line 2: 'point IN entries 1025', expected point IN and at most 1024 entries"},
    };
    for (unsigned i = 0; i < COUNT(files); i++) {
        char command[200];
        snprintf(command, sizeof command, "%s $D/good > $D/bad; $P $D/bad 2>&1", files[i].change);
        ck_assert_msg(shell_says("%s", command) == 2 && strstr(shell_output, files[i].says), "%s: %s", files[i].change,
                      shell_output);
        ck_assert_uint_eq(strcspn(shell_output, "\n") + 1, strlen(shell_output));
    }
}
