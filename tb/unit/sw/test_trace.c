/* Saved traces and samples: format of a file, and findings in a trace that is right but for one of the bugs of S4 3.3
 * to 3.5. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nx_latency.h"
#include "nx_samples.h"
#include "nx_save.h"
#include "nx_trace.h"
#include "shell.h"
#include "test.h"

RUNS("nxtrace");
RUNS("nxsample");
RUNS("nxlatency");

enum { PACKETS = 30, FLOW = 3 };

static nx_trace t;

static uint64_t word(unsigned packet, unsigned i) { return ((uint64_t)packet << 32 | i) * 0x9e3779b97f4a7c15u; }

static void put(unsigned point, uint64_t data, unsigned flags)
{
    ck_assert_uint_lt(t.entries[point], NX_TRACE_ENTRIES);
    t.entry[point][t.entries[point]++] = (nx_trace_entry){data, (uint8_t)flags};
}

static void credit(unsigned clock, unsigned value, unsigned transmitted)
{
    put(NX_H2N_OUT, (uint64_t)clock << 32 | (value / 32 % 128) << 16 | transmitted % 4096, NX_TRACE_CREDIT << 4);
}

/* Two NICs and a cable: packets that pass all four points, each with a credit for the one before it, then a silence
 * with two more credits.
 */
static void make_trace(void)
{
    unsigned units = 1000, before = 1000, clock = 100;
    memset(&t, 0, sizeof t);
    t.number = 1;
    t.direct = t.frozen = 1;
    t.links = 1;
    t.capacity = 2046;
    t.cause = 0x80;
    for (unsigned n = 0; n < PACKETS; n++) {
        unsigned length = 8 + n * 7 % 40, flags = NX_TRACE_VALID;
        uint64_t header =
            (uint64_t)FLOW << 56 | (uint64_t)((500 + n) % 512) << 42 | 1ull << 51 | (uint64_t)length << 32 | 0x1000 * n;
        for (unsigned p = 0; p < NX_RAW; p++) put(p, header, flags | NX_TRACE_SOP);
        for (unsigned i = 0; i < length; i++) {
            if (i + 1 == length) flags |= NX_TRACE_EOP;
            for (unsigned p = 0; p < NX_RAW; p++) put(p, word(n, i), flags | (i == 5 ? NX_TRACE_STALL : 0));
            if (i == 6) {
                credit(clock += 100, before, units + 2 * length + 4);
                put(NX_N2H_IN, (uint64_t)clock << 32 | ((units + 2 * length + 4) % 4096) << 16 | before % 4096,
                    NX_TRACE_SENT << 4);
            }
        }
        units += 2 * length + 4;
        before = units - 2 * length - 4;
    }
    credit(clock += 100, units, units);
    for (unsigned p = 0; p < NX_RAW; p++) put(p, (uint64_t)(clock + 50) << 32, NX_TRACE_FROZEN << 4);
    credit(clock += 4096, units, units);
}

/* The entry of word i (0: the header) of a packet at a point. */
static unsigned entry_of(unsigned point, unsigned packet, unsigned i)
{
    for (unsigned e = 0; e < t.entries[point]; e++) {
        const nx_trace_entry *at = &t.entry[point][e];
        if ((at->flags & 5) == 5 && !packet--)
            for (;; e++)
                if (t.entry[point][e].flags & NX_TRACE_VALID && !i--) return e;
    }
    ck_abort_msg("no such packet");
    return 0;
}

static void drop(unsigned point, unsigned entry, unsigned n)
{
    t.entries[point] -= n;
    memmove(&t.entry[point][entry], &t.entry[point][entry + n], (t.entries[point] - entry) * sizeof t.entry[0][0]);
}

static void repeat(unsigned point, unsigned entry)
{
    memmove(&t.entry[point][entry + 1], &t.entry[point][entry], (t.entries[point]++ - entry) * sizeof t.entry[0][0]);
}

static void word_omitted(void) { drop(NX_H2N_OUT, entry_of(NX_H2N_OUT, 10, 5), 1); }
static void word_omitted_before_the_fifo(void)
{
    for (unsigned p = NX_N2H_IN; p <= NX_N2H_OUT; p++) drop(p, entry_of(p, 10, 5), 1);
}
static void word_doubled(void) { repeat(NX_N2H_OUT, entry_of(NX_N2H_OUT, 10, 3)); }
static void word_doubled_before_the_fifo(void)
{
    for (unsigned p = NX_H2N_IN; p <= NX_H2N_OUT; p++) repeat(p, entry_of(p, 10, 3));
}
static void empty_fifo_repeated(void)
{
    unsigned at = entry_of(NX_N2H_OUT, 10, 4);
    repeat(NX_N2H_OUT, at);
    t.entry[NX_N2H_OUT][at + 1].flags = NX_TRACE_STALL;
}
static void word_refused(void) { t.entry[NX_N2H_IN][entry_of(NX_N2H_IN, 10, 4)].flags = NX_TRACE_STALL; }
static void no_end(void)
{
    for (unsigned p = NX_H2N_IN; p <= NX_H2N_OUT; p++) t.entry[p][entry_of(p, 11, 0) - 1].flags &= ~NX_TRACE_EOP;
}
static void other_length(void)
{
    for (unsigned p = NX_H2N_IN; p <= NX_H2N_OUT; p++) t.entry[p][entry_of(p, 10, 0)].data ^= 1ull << 33;
}
static void word_changed(void) { t.entry[NX_H2N_OUT][entry_of(NX_H2N_OUT, 10, 5)].data ^= 0x10; }
static void bad_body(void)
{
    for (unsigned p = NX_N2H_IN; p <= NX_N2H_OUT; p++) t.entry[p][entry_of(p, 11, 0) - 1].flags |= NX_TRACE_BAD_BODY;
}
static void packet_lost(void)
{
    for (unsigned p = NX_N2H_IN; p <= NX_N2H_OUT; p++)
        drop(p, entry_of(p, 10, 0), entry_of(p, 11, 0) - entry_of(p, 10, 0));
}
static unsigned credit_entry(unsigned point, unsigned n)
{
    for (unsigned e = 0;; e++)
        if (!(t.entry[point][e].flags & 0xc) && !n--) return e;
}
static void credit_jumps(void) { t.entry[NX_H2N_OUT][credit_entry(NX_H2N_OUT, 12)].data += 20 << 16; }
static void credit_jumps_back(void)
{
    nx_trace_entry *e = &t.entry[NX_H2N_OUT][credit_entry(NX_H2N_OUT, 12)];
    unsigned value = ((unsigned)(e->data >> 16) & 0x7f) - 20;
    e->data = (e->data & ~0x7f0000ull) | (value & 0x7f) << 16;
}
static void credits_slip(void)
{
    for (unsigned i = 0; i < t.entries[NX_H2N_OUT]; i++) {
        nx_trace_entry *e = &t.entry[NX_H2N_OUT][i];
        unsigned value = ((unsigned)(e->data >> 16) & 0x7f) - 2;
        if (e->flags == NX_TRACE_CREDIT << 4) e->data = (e->data & ~0x7f0000ull) | (value & 0x7f) << 16;
    }
}
static void count_slips(void)
{
    for (unsigned i = credit_entry(NX_H2N_OUT, 12); i < t.entries[NX_H2N_OUT]; i++) {
        nx_trace_entry *e = &t.entry[NX_H2N_OUT][i];
        if (e->flags == NX_TRACE_CREDIT << 4) e->data = (e->data & ~0xfffull) | ((e->data + 6) & 0xfff);
    }
}
static void received_count_slips(void)
{
    nx_trace_entry *e = &t.entry[NX_N2H_IN][credit_entry(NX_N2H_IN, 29)];
    e->data = (e->data & ~0xfff0000ull) | ((e->data + (50 << 16)) & 0xfff0000);
}
static void credit_rejected(void) { t.entry[NX_H2N_OUT][credit_entry(NX_H2N_OUT, 12)].flags = NX_TRACE_REJECTED << 4; }

static const struct {
    void (*edit)(void);
    unsigned found;
    const char *first, *second; /* of the message */
} bugs[] = {
    {word_omitted, 2, "H2N_OUT entry %u: 1 word omitted: the packet of entry",
     "1 word omitted before it: H2N_IN entry"},
    {word_omitted_before_the_fifo, 2, "N2H_IN entry %u: 1 word omitted: the packet of entry", "N2H_OUT entry"},
    {word_doubled, 2, "N2H_OUT entry %u: word doubled: the packet of entry",
     "word doubled: it went into the FIFO once, as N2H_IN entry"},
    {word_doubled_before_the_fifo, 2, "H2N_IN entry %u: word doubled: the packet of entry", "H2N_OUT entry"},
    {empty_fifo_repeated, 1, "N2H_OUT entry %u: taken from an empty FIFO: the word before is repeated", ""},
    {word_refused, 3, "N2H_IN entry %u: refused by a full FIFO: this word is lost", "1 word omitted"},
    {no_end, 2, "H2N_IN entry %u: SOP without EOP", "H2N_OUT entry"},
    {other_length, 3, "H2N_IN entry", "its header says"},
    {word_changed, 1, "H2N_OUT entry %u: is ", "went into the FIFO as"},
    {bad_body, 2, "N2H_IN entry %u: bad body: the packet of entry", "N2H_OUT entry"},
    {packet_lost, 3, "N2H_IN entry %u: sequence 511 of flow 3 behind 509: 1 packets missing",
     "the count of words received slips by "},
    {credit_jumps, 2, "H2N_OUT entry %u: a credit jumps: lane 0", "more than transmitted"},
    {credit_jumps_back, 1, "H2N_OUT entry %u: a credit jumps back: lane 0", ""},
    {credits_slip, 1, "H2N_OUT entry %u: credits slipped: lane 0", "transmitted and not credited in 4096 clocks"},
    {count_slips, 1, "H2N_OUT entry %u: the count of words transmitted slips by 6", ""},
    {received_count_slips, 1, "N2H_IN entry %u: the count of words received slips by 50", ""},
    {credit_rejected, 1, "H2N_OUT entry %u: credit rejected: lane 0", "its parity"},
};

static void save(const char *name)
{
    FILE *f = shell_file(name, "w");
    ck_assert_int_eq(nx_trace_save(&t, f), 0);
    fclose(f);
}

TEST_CASE("trace", .setup = make_trace, .teardown = shell_clean);

TEST(nothing_looks_wrong_in_a_trace_that_is_right)
{
    save("good");
    shell_program("nxtrace");
    ck_shell_says(0, "nothing looks wrong\n", "$P $D/good");
    ck_shell_says(0, "node 1, NIC to NIC; frozen by BODY_CRC\n", "$P --packets $D/good");
    ck_output_has("     0  flow 3 sequence 500 length 8 words to 0x00000000\n");
    ck_output_has("     9    end after 8 words, 1 of them had to wait\n");
    ck_output_has("     8  clock 200: credit came: lane 0 forwarded 992, transmitted 1020\n");
    ck_output_has("---- FROZEN here ----");
}

TEST(each_bug_of_the_documents_is_named_with_its_place, .to = COUNT(bugs))
{
    char expected[256], *percent;
    bugs[_i].edit();
    save("bad");
    shell_program("nxtrace");
    ck_assert_int_eq(shell_says("$P $D/bad"), 1);
    snprintf(expected, sizeof expected, "%s", bugs[_i].first);
    if ((percent = strchr(expected, '%'))) *percent = 0;
    ck_assert_msg(!strncmp(shell_output, expected, strlen(expected)), "bug %d: %s", _i, shell_output);
    if (percent) ck_output_has(bugs[_i].first + (percent - expected) + 2);
    ck_output_has(bugs[_i].second);
    unsigned lines = 0;
    for (const char *c = shell_output; *c; c++) lines += *c == '\n';
    ck_assert_msg(lines == bugs[_i].found, "bug %d: %s", _i, shell_output);
}

/* A limit of this process acts as a full disk; /dev/full is always full. */
TEST(what_cannot_be_saved_whole_leaves_what_was_there_before)
{
    struct rlimit all, full;
    char path[128], part[140], line[64] = "";
    snprintf(path, sizeof path, "%s/trace", shell_folder());
    snprintf(part, sizeof part, "%s.part", path);
    make_trace();
    FILE *file = nx_save_open(path);
    ck_assert_ptr_nonnull(file);
    fprintf(file, "from before\n");
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(nx_save_close(file, path, 0), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    full = (struct rlimit){1000, all.rlim_max};
    ck_assert_ptr_nonnull(file = nx_save_open(path));
    setrlimit(RLIMIT_FSIZE, &full); /* libcheck also writes files */
    int bad = nx_save_close(file, path, nx_trace_save(&t, file)), why = errno;
    setrlimit(RLIMIT_FSIZE, &all);
    ck_assert_int_eq(bad, -1);
    ck_assert_int_eq(why, EFBIG);
    ck_assert_int_eq(access(part, F_OK), -1);
    ck_assert_ptr_nonnull(file = fopen(path, "r"));
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    ck_assert_str_eq(line, "from before\n");
    ck_assert_ptr_nonnull(file = nx_save_open("/dev/full"));
    ck_assert_int_eq(nx_save_close(file, "/dev/full", nx_trace_save(&t, file)), -1);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(access("/dev/full", F_OK), 0);
    ck_assert_ptr_null(nx_save_open("/nothere/trace"));
    ck_assert_int_eq(errno, ENOENT);
}

TEST(a_file_that_is_no_whole_trace_is_refused_in_one_line)
{
    save("good");
    shell_program("nxtrace");
    ck_assert_int_eq(shell("wc -l < $D/good > $D/lines"), 0);
    for (unsigned n = 0; n < 4000; n += n < 3 ? 1 : 397) {
        int cut = shell("test %u -lt $(cat $D/lines) && head -n %u $D/good > $D/cut", n, n);
        if (cut) break;
        ck_shell_says(2, n ? "cut off" : "line 1: no trace, expected 'nxtrace 3'", "$P $D/cut 2>&1");
        ck_assert_uint_eq(strcspn(shell_output, "\n") + 1, strlen(shell_output));
    }
    ck_shell_says(2, "expected end: cut off or damaged", "head -c -2 $D/good > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: a trace of version 4, expected version 1 to 3",
                  "sed 's/^nxtrace 3/nxtrace 4/' $D/good > $D/cut; $P $D/cut");
    ck_shell_says(0, "nothing looks wrong\n",
                  "sed '1s/3 device nic number/1 node/; 1s/links 1 packet 0 link 0 //' $D/good > $D/cut; $P "
                  "$D/cut"); /* version 1 */
    ck_shell_says(2, "expected node, direct, capacity",
                  "sed '1s/3 device nic number/1 number/' $D/good > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 2: 'point", "sed 's/point H2N_IN/point N2H_IN/' $D/good > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 5: 'xyz', expected an entry", "sed '5s/.*/xyz/' $D/good > $D/cut; $P $D/cut");
    ck_shell_says(2, "nothere: No such file", "$P $D/nothere");
    ck_shell_says(2, "expected nxtrace [--packets] FILE", "$P");
    ck_shell_says(2, "expected nxtrace [--packets] FILE", "$P --other $D/good");
}

/* ---- samples ---- */

static nx_samples s;

/* 100 samples: 40 words out in each, 10 in, and no credit in a fifth of the clocks. */
static void make_samples(void)
{
    s = (nx_samples){.node = 2, .pci_khz = 100000, .interval = 100, .taken = 5000, .links = 1, .count = 100};
    for (unsigned i = 0; i < s.count; i++)
        s.sample[i] = (nx_sample){.out = 0xffffff00 + 40 * (i + 1), .in = 10 * (i + 1), .stalled = 20 * (i + 1)};
}

TEST_CASE("samples", .setup = make_samples, .teardown = shell_clean);

static void save_samples(void)
{
    FILE *f = shell_file("samples", "w");
    ck_assert_int_eq(nx_samples_save(&s, f), 0);
    fclose(f);
    shell_program("nxsample");
}

TEST(rates_are_words_by_time)
{
    nx_rate r = nx_samples_rate(&s, 9, 19); /* 10 us: 400 words out; the sums wrap around before */
    ck_assert_double_eq_tol(r.from_us, 4910, 1e-9);
    ck_assert_double_eq_tol(r.to_us, 4920, 1e-9);
    ck_assert_double_eq_tol(r.out_mibs, 3200 / 10e-6 / 1048576, 1e-6);
    ck_assert_double_eq_tol(r.in_mibs, 800 / 10e-6 / 1048576, 1e-6);
    ck_assert_double_eq_tol(r.stalled_percent, 20, 1e-9);
    save_samples();
    ck_shell_says(0, "node 2: 5000 samples, one every 100 clocks of 100.0 MHz; the last 2048\n", "$P $D/samples 3");
    ck_output_has("   4901.00   5000.00     305.2      76.3        20.0\n");
}

TEST(a_picture_is_svg)
{
    save_samples();
    ck_assert_int_eq(shell_says("$P $D/samples $D/p.svg && xmllint --noout $D/p.svg"), 0);
    ck_shell_says(2, "/nothere/p.svg: No such file", "$P $D/samples $D/nothere/p.svg");
}

TEST(a_file_that_has_no_whole_samples_is_refused_in_one_line)
{
    save_samples();
    ck_shell_says(2, "line 1: no samples, expected 'nxsample 2'", "$P /dev/null");
    ck_shell_says(2, "line 51: cut off, expected 100 samples, there are 49",
                  "head -n 50 $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 102: cut off or damaged, expected end", "head -n 101 $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(
        2, "samples: up to 2048, none only if none was taken",
        "echo 'nxsample 2 node 0 pci_khz 100000 interval 100 links 1 taken 3 samples 0' > $D/cut; echo end >> "
        "$D/cut; $P $D/cut");
    ck_shell_says(2, "expected nxsample FILE", "$P $D/samples 4294967297");
    ck_shell_says(2, "samples of version 3, expected version 1 to 2",
                  "sed 's/^nxsample 2/nxsample 3/' $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 7: '1 -2 3', expected a sample", "sed '7s/.*/1 -2 3/' $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 7: '4294967296 2 3', expected a sample",
                  "sed '7s/.*/4294967296 2 3/' $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 102: cut off or damaged, expected end",
                  "sed '$s/.*/ending/' $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 7: 'x', expected a sample", "sed '7s/.*/x/' $D/samples > $D/cut; $P $D/cut");
    ck_shell_says(2, "expected nxsample FILE [ROWS|PICTURE.svg]", "$P $D/samples 0");
}

/* ---- time stamps ---- */

static nx_latency latency;

/* Of node 3 packets that are in the NIC for 100, 101 ... 199 clocks, in another order, with a counter that wraps
 * around, and in the switch for 9; they leave it 781 clocks after each other, also around. Node 5 sends the last one, 1
 * ms after the first. */
static void make_latency(void)
{
    latency = (nx_latency){.node = 1};
    for (unsigned i = 0; i < 100; i++) {
        uint32_t left = 781 * i - 1000;
        ck_assert(!nx_latency_add(&latency, 3, 32, (nx_stamps){-50u, 50 + i * 37 % 100, left - 9, left}));
    }
    ck_assert(!nx_latency_add(&latency, 5, 3, (nx_stamps){5, 17, NX_LINK_KHZ - 1100, NX_LINK_KHZ - 1000}));
}

static void save_latency(void)
{
    FILE *f = shell_file("latency", "w");
    ck_assert_int_eq(nx_latency_save(&latency, f), 0);
    fclose(f);
    nx_latency_clear(&latency);
    shell_program("nxlatency");
}

TEST_CASE("latency", .setup = make_latency, .teardown = shell_clean);

TEST(latency_is_shown_by_source_and_stage_from_a_file)
{
    save_latency();
    ck_shell_says(0, "node 1: 101 packets with time stamps\n", "$P --histogram $D/latency");
    ck_output_has("     3  in NIC         100       100       149       198       199\n");
    ck_output_has("     5  in NIC           1        12        12        12        12\n");
    ck_output_has("     5  in switch        1       100       100       100       100\n");
    ck_output_has("                 100..109           10  ##################################################\n");
    ck_output_has("     3  in switch      100         9         9         9         9\n");
    ck_output_has("   all  payload       24.4 MiB/s\n"); /* 100 times 256 bytes in 1 ms */
}

TEST(a_file_that_has_no_whole_time_stamps_is_refused_in_one_line)
{
    save_latency();
    ck_shell_says(2, "/nothere: No such file", "$P $D/nothere");
    ck_shell_says(2, "line 1: no time stamps, expected 'nxlatency 1'", "$P /dev/null");
    ck_shell_says(2, "line 51: cut off, expected 101 packets, there are 49",
                  "head -n 50 $D/latency > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 103: cut off or damaged, expected end", "head -n 102 $D/latency > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: time stamps of version 2, expected version 1",
                  "sed 's/^nxlatency 1/nxlatency 2/' $D/latency > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 4: '-3 4 1 2 3 4', expected a packet",
                  "sed '4s/.*/-3 4 1 2 3 4/' $D/latency > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 4: '3 4 x', expected a packet", "sed '4s/.*/3 4 x/' $D/latency > $D/cut; $P $D/cut");
    ck_shell_says(2, "expected nxlatency [--histogram] FILE", "$P");
}
