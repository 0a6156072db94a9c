/* Waves of a run: when they start and end, what they contain, and what happens if they cannot be written. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "fifo_async.h"
#include "runs_bench.h"
#include "sim/core/kernel/event.h"
#include "sim/core/kernel/splitmix64.h"
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/fst.h"

TEST_CASE("runs", .teardown = shell_clean);

TEST(waves_show_the_clock_with_its_falling_edges)
{
    struct bench *b = new_bench(0, shell_folder(), 0, SIM_FOREVER);
    sim_run(b->s, 5000);
    clean_up();
    show("w.fst");
    char *vcd = shell_output, code[8], text[64];
    const char *clk = strstr(vcd, " clk $end");
    ck_assert_ptr_nonnull(clk);
    const char *begin = clk - 1;
    while (begin[-1] != ' ') begin--;
    snprintf(code, sizeof code, "%.*s", (int)(clk - begin), begin);
    ck_output_has("1ps");         /* time scale */
    for (int i = 0; i < 4; i++) { /* rises at 500 + 1000 i, falls halfway */
        for (int high = 1; high >= 0; high--) {
            snprintf(text, sizeof text, "#%d\n", 1000 * i + (high ? 500 : 1000));
            const char *at = strstr(vcd, text);
            ck_assert_msg(at != NULL, "no change at %s", text);
            const char *end = strstr(at + 1, "\n#");
            snprintf(text, sizeof text, "\n%d%s\n", high, code);
            const char *change = strstr(at, text);
            ck_assert(change && (!end || change <= end));
        }
    }
}

TEST(waves_start_and_stop_at_the_times_asked_for)
{
    struct bench *b = new_bench(0, shell_folder(), 20000, 30000);
    sim_run(b->s, 50000);
    clean_up();
    show("w.fst");
    ck_output_has("#20500\n");
    ck_output_has("#29500\n");
    ck_output_lacks("#19500\n");
    ck_output_lacks("#31500\n");
}

TEST(waves_start_by_hand_writes_a_file_each_time)
{
    struct bench *b = new_bench(0, shell_folder(), SIM_FOREVER, SIM_FOREVER);
    sim_run(b->s, 5000);
    ck_assert_int_ne(access(b->waves, F_OK), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(sim_waves_start(b->s), 0);
        sim_run(b->s, sim_now(b->s) + 5000);
        sim_waves_stop(b->s);
        sim_run(b->s, sim_now(b->s) + 5000);
    }
    show("w.fst");
    ck_output_has("#5500\n");
    ck_output_lacks("#15500\n");
    show("w-b.fst");
    ck_output_has("#15500\n");
}

TEST(all_models_of_a_sim_are_in_one_file)
{
    struct bench *b = new_bench(0, shell_folder(), 0, SIM_FOREVER);
    sync_bit *second = sync_bit_new(b->s, "v");
    fifo_async_new(b->s, "big_fifo");
    sim_model_clock(second->model, b->k, second->clk);
    sim_run(b->s, 5000);
    clean_up();
    show("w.fst");
    ck_output_has("module u $end");
    ck_output_has("module v $end");
    ck_output_has("module big_fifo $end");
}

TEST(waves_that_cannot_be_written_end_the_run_with_the_path)
{
    struct bench *b = new_bench(0, "/nonexistent", 0, SIM_FOREVER);
    ck_assert_int_eq(sim_run(b->s, 5000), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(b->s), "/nonexistent/w.fst: No such file"));
}

static int all_wanted(void *self, const char *name, uint32_t signal, unsigned bits)
{
    return !self && *name && !signal && !bits;
}

/* Writers: threads of the file's own; or a pool of threads, in its idle time. */
typedef struct {
    unsigned own, thread_pool;
} writers;
static const writers ways_to_write[] = {{.own = 1},
                                        {.own = 0},
                                        {.own = 3},
                                        {.own = 1, .thread_pool = 3},
                                        {.own = 1, .thread_pool = 1},
                                        {.own = 0, .thread_pool = 2}};
enum { WAYS_TO_WRITE = sizeof ways_to_write / sizeof ways_to_write[0] };

static void help_write(void *file, unsigned thread) { fst_help(file, thread); }

/* Random signals of several streams, in a file of blocks with `changes` changes; 0: of one block. Returns the result of
 * fst_close. */
static int write_changes(const char *path, unsigned block, writers by)
{
    enum { STREAMS = 3, SIGNALS = 40 };
    fst_file *f = fst_open(path, all_wanted, NULL);
    fst_stream *st[STREAMS];
    uint32_t signal[STREAMS][SIGNALS], words[6];
    uint64_t random = 1, time[STREAMS] = {0}, blocks;
    char name[24];
    for (int i = 0; i < STREAMS; i++) {
        st[i] = fst_stream_new(f);
        snprintf(name, sizeof name, "stream%d", i);
        fst_scope(st[i], 0, name);
        for (unsigned k = 0; k < SIGNALS; k++) {
            snprintf(name, sizeof name, "s%u", k);
            signal[i][k] = fst_signal(st[i], 16, 0, k * k / 10 + 1, name, 0);
        }
        fst_scope_end(st[i]);
    }
    fst_begin(f, 0, by.own);
    thread_pool *c = by.thread_pool ? thread_pool_new(by.thread_pool) : NULL;
    for (unsigned n = 1; n < 8000; n++) {
        unsigned i = (unsigned)(splitmix64(&random) % STREAMS), k = (unsigned)(splitmix64(&random) % SIGNALS),
                 bits = k * k / 10 + 1;
        uint64_t value = splitmix64(&random);
        time[i] += splitmix64(&random) % 3 ? 0 : 1 + splitmix64(&random) % 2000;
        for (unsigned w = 0; w < 6; w++) words[w] = (uint32_t)splitmix64(&random);
        fst_time(st[i], time[i]);
        if (bits > 64) fst_change_wide(st[i], signal[i][k], words, (bits + 31) / 32);
        else if (bits > 32) fst_change(st[i], signal[i][k], value, 8);
        else if (bits > 16) fst_change(st[i], signal[i][k], value, 4);
        else if (bits > 8) fst_change(st[i], signal[i][k], value, 2);
        else fst_change(st[i], signal[i][k], value, 1);
        uint64_t until = time[0] < time[1] ? time[0] : time[1];
        if (c && n % 61 == 0)
            thread_pool_run(c, help_write, f); /* with some blocks so often that all is done, with others not */
        if (block && n % block == 0) fst_write(f, until < time[2] ? until : time[2], c);
    }
    int lost = fst_close(f, NULL, &blocks);
    thread_pool_free(c);
    return lost;
}

/* What random bytes of a memory do in which signals of all sizes stand side by side: found by their places, but for one
 * of them, or reported one by one. */
static void write_memory(const char *path, bool by_place, int forgotten)
{
    enum { SIGNALS = 150, ROOM = 20 * SIGNALS };
    static const unsigned sizes[] = {1, 1, 1, 2, 4, 8, 12, 36, 100};
    static _Alignas(64) uint8_t memory[ROOM], was[ROOM];
    fst_file *f = fst_open(path, all_wanted, NULL);
    fst_stream *st = fst_stream_new(f);
    unsigned at[SIGNALS], size[SIGNALS], end = 0;
    uint32_t signal[SIGNALS];
    uint64_t random = 1, value, blocks;
    fst_scope(st, 0, "memory");
    for (int k = 0; k < SIGNALS; k++) {
        char name[24];
        size[k] = sizes[(uint64_t)k * 9 / SIGNALS];
        if (k % 7 == 0) size[k] = sizes[splitmix64(&random) % 9];
        at[k] = (end + (k % 11 == 0) + (size[k] > 8 ? 3 : size[k] - 1)) & ~(size[k] > 8 ? 3 : size[k] - 1);
        end = at[k] + size[k];
        snprintf(name, sizeof name, "s%d", k);
        signal[k] = fst_signal(st, 16, 0, size[k] * 8, name, 0);
        if (by_place && k != forgotten) fst_place(st, signal[k], memory + at[k], size[k]);
    }
    fst_scope_end(st);
    ck_assert_uint_lt(end, ROOM);
    fst_begin(f, 0, 0);
    memset(memory, 0, ROOM);
    memset(was, 1, ROOM); /* at first all is reported */
    for (uint64_t n = 0; n < 2000; n++) {
        for (uint64_t i = splitmix64(&random) % 20; n && i; i--)
            memory[splitmix64(&random) % end] ^= (uint8_t)splitmix64(&random);
        fst_time(st, 10 * n);
        for (int k = 0; k < SIGNALS && (!n || !by_place); k++) {
            if (!memcmp(memory + at[k], was + at[k], size[k])) continue;
            memcpy(&value, memory + at[k], 8);
            if (size[k] > 8) fst_change_wide(st, signal[k], (uint32_t *)(void *)(memory + at[k]), size[k] / 4);
            else fst_change(st, signal[k], value, size[k]);
        }
        if (by_place) fst_find(st);
        memcpy(was, memory, ROOM);
        if (n % 300 == 0) fst_write(f, 10 * n, NULL);
    }
    ck_assert_int_eq(fst_close(f, NULL, &blocks), 0);
}

TEST(signals_that_stand_in_memory_are_found)
{
    static const struct {
        const char *name;
        bool by_place;
        int forgotten;
    } file[] = {{"given", false, -1}, {"found", true, -1}, {"less", true, 140}};
    char path[128];
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.fst", shell_folder(), file[i].name);
        write_memory(path, file[i].by_place, file[i].forgotten);
    }
    ck_shell_says(0, "same", "cmp $D/given.fst $D/found.fst && echo same");
    ck_assert_int_ne(shell_says("cmp $D/given.fst $D/less.fst"), 0);
    ck_shell_says(0, "all of s139 s140 s141",
                  "fst2vcd $D/found.fst | awk '/^.var/ { of[$4] = $5 } /^b/ && $2 in of { n[of[$2]]++ } END "
                  "{ for (k = 139; k < 142; k++) if (n[\"s\" k] > 5) some = some \" s\" k; print \"all of\" some }'");
}

/* No file may have more bytes; not that of libcheck, so nothing is asserted meanwhile. */
static void limit_files(rlim_t most)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, RLIM_INFINITY});
}

/* Output on stderr while the clock of a model runs for 100 ns; the run is good, even if its waves fail. */
static void run_loudly(const char *wants, const char *file, sim_time from, uint64_t least, rlim_t most)
{
    int saved = dup(STDERR_FILENO);
    FILE *said = shell_file("said", "w");
    sim_params p;
    sim_params_default(&p);
    p.waves = shell_path(file);
    p.waves_from_event = wants;
    p.waves_from = from;
    p.waves_free = least;
    sim *s = sim_of(&p);
    sync_bit *m = sync_bit_new(s, "u");
    sim_model_clock(m->model, make_clock(s, "k", 1000, 500), m->clk);
    *m->in = 0;
    dup2(fileno(said), STDERR_FILENO);
    limit_files(most);
    int result = sim_run(s, 100000), recorded = sim_recorded(s, result);
    limit_files(RLIM_INFINITY);
    dup2(saved, STDERR_FILENO);
    ck_assert_int_eq(result, SIM_TIME_LIMIT);
    ck_assert_int_eq(recorded, SIM_TIME_LIMIT);
    ck_assert_int_eq(sim_waves_missing(s), access(shell_path(file), F_OK) || !strcmp(file, "old.fst"));
    fclose(said);
    shell_says("cat $D/said; rm $D/said");
}

TEST(a_disk_that_is_full_ends_the_recording_and_not_the_run)
{
    shell_put("old.fst", "of before");
    run_loudly(NULL, "old.fst", 0, UINT64_C(1) << 60, RLIM_INFINITY); /* no disk has that */
    ck_output_has("sim: waves: less than 1099511627776 MB left on the disk");
    ck_output_has("not recorded from 0.000 us on\n");
    run_loudly(NULL, "old.fst", 0, 0, 500); /* /dev/full cannot be tried, because it is no file */
    ck_output_has("/old.fst: File too large; nothing is recorded\n");
    ck_shell_says(0, "old.fst\nof before", "ls $D; cat $D/old.fst");
}

/* Random signals, up to a limit of the file's size: all that was written can be read. */
TEST(waves_that_cannot_be_written_on_are_readable_up_to_there, .to = WAYS_TO_WRITE)
{
    char path[128];
    snprintf(path, sizeof path, "%s/part.fst", shell_folder());
    limit_files(20000);
    int lost = write_changes(path, 500, ways_to_write[_i]);
    limit_files(RLIM_INFINITY);
    ck_assert_int_eq(lost, EFBIG);
    snprintf(path, sizeof path, "%s/all.fst", shell_folder());
    ck_assert_int_eq(write_changes(path, 500, ways_to_write[_i]), 0);
    ck_shell_says(0, "same",
                  "for f in part all; do fst2vcd $D/$f.fst | sed -n '/^#/,$p' >$D/$f; done; n=$(wc -l <$D/part); [ $n "
                  "-gt 500 ] && "
                  "head -$((n - 1)) $D/all >$D/begin; head -$((n - 1)) $D/part | cmp - $D/begin && echo same");
}

TEST(a_recording_that_never_begins_is_reported_and_leaves_the_older_file)
{
    shell_put("old.fst", "of before");
    run_loudly("u.in == 1", "old.fst", 0, 0, RLIM_INFINITY);
    ck_output_has("sim: waves: u.in == 1 was never so up to 0.100 us, the end of the run: nothing is recorded in ");
    run_loudly(NULL, "old.fst", 2 * SIM_US, 0, RLIM_INFINITY);
    ck_output_has("sim: waves: to begin at 2.000 us, the run ended at 0.100 us: nothing is recorded in ");
    ck_shell_says(0, "old.fst\nof before", "ls $D; cat $D/old.fst");
    run_loudly(NULL, "w.fst", 50 * SIM_NS, 0, RLIM_INFINITY);
    ck_assert_str_eq(shell_output, "");
}

/* Before, a register may have any value. */
TEST(an_event_is_looked_at_from_the_first_edge_on)
{
    run_loudly("u.in == 0", "w.fst", 0, 0, RLIM_INFINITY);
    ck_shell_says(0, "#500\n", "fst2vcd $D/w.fst | grep '^#' | head -1");
}

TEST(recorded_waves_have_their_name)
{
    struct bench *b = new_bench(0, shell_folder(), 0, SIM_FOREVER);
    ck_assert_int_eq(sim_run(b->s, 5000), SIM_TIME_LIMIT);
    ck_assert_int_eq(sim_recorded(b->s, SIM_TIME_LIMIT), SIM_TIME_LIMIT);
    ck_shell_says(0, "w.fst\n", "ls $D");
    ck_output_lacks("part");
}

/* The output of a small design with random start values, as bits. */
static uint64_t run_fifo(const sim_params *p)
{
    sim *s = sim_of(p);
    sim_clock *a = make_clock(s, "a", 1000, -1), *b = make_clock(s, "b", 1280, -1);
    fifo_async *f = fifo_async_new(s, "f");
    sim_model_clock(f->model, a, f->wr_clk);
    sim_model_clock(f->model, b, f->rd_clk);
    sim_model_clock(f->model, b, f->rd_run_clk);
    *f->wr_rst = *f->rd_rst = 1;
    sim_run(s, 20000);
    *f->wr_rst = *f->rd_rst = 0;
    *f->wr_commit = 1;
    *f->wr_rollback = 0;
    uint64_t hash = 0;
    for (int i = 0; i < 200; i++) {
        *f->wr_valid = sim_random_below(s, 3) > 0;
        *f->rd_pop = sim_random_below(s, 2) > 0;
        for (int k = 0; k < 2; k++) f->wr_data[k] = (uint32_t)sim_random(s);
        f->wr_data[2] = 5;
        sim_run(s, sim_now(s) + 777);
        hash = hash * 31 + *f->rd_valid + f->rd_data[0] + *f->rd_count + *f->wr_count;
    }
    return hash;
}

TEST(waves_do_not_depend_on_their_blocks)
{
    static const unsigned blocks[] = {0, 1000, 50, 7};
    char path[128];
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        snprintf(path, sizeof path, "%s/%u.fst", shell_folder(), blocks[i]);
        ck_assert_int_eq(write_changes(path, blocks[i], ways_to_write[0]), 0);
        ck_shell_says(
            0, "same",
            "fst2vcd $D/%u.fst | awk '/^#/ { t = $1 } /^b/ { id = $2; v = $1 } /^[01]/ { id = substr($0, 2); v = "
            "substr($0, 1, 1) }\n"
            "/^[01b]/ && was[id] != v { print t, id, was[id] = v }' | sort >$D/%u; cmp $D/0 $D/%u && echo same",
            blocks[i], blocks[i], blocks[i]);
    }
    ck_assert_int_eq(shell_says("[ $(wc -l <$D/0) -gt 6000 ]"), 0);
}

TEST(waves_do_not_depend_on_who_writes_them, .to = WAYS_TO_WRITE)
{
    static const unsigned blocks[] = {4000, 50};
    char path[2][128];
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        snprintf(path[0], sizeof path[0], "%s/one.fst", shell_folder());
        snprintf(path[1], sizeof path[1], "%s/other.fst", shell_folder());
        ck_assert_int_eq(write_changes(path[0], blocks[i], ways_to_write[0]), 0);
        ck_assert_int_eq(write_changes(path[1], blocks[i], ways_to_write[_i]), 0);
        ck_shell_says(0, "same", "cmp $D/one.fst $D/other.fst && echo same");
    }
}

/* Waves of it in this file of the test's folder. */
static uint64_t record_fifo(const char *file, sim_params p)
{
    p.waves = shell_path(file);
    uint64_t hash = run_fifo(&p);
    clean_up();
    return hash;
}

/* Of a file: a line for each change, time, signal, value. */
#define CHANGES                                                                                                        \
    "changes() { fst2vcd $D/$1.fst | awk '/^.scope/ { s[++n] = $3 } /^.upscope/ { n-- }\n"                             \
    "/^.var/ { name[$4] = name[$4] \" \" (n > 1 ? s[1] \".\" : \"\") s[n] \".\" $5 } /^#/ { t = substr($0, 2) }\n"     \
    "/^[01]/ { v = substr($0, 1, 1); id = substr($0, 2) } /^b/ { v = substr($1, 2); id = $2 }\n"                       \
    "t != \"\" && /^[01b]/ && was[id] != v { print t, v name[id]; was[id] = v }'; }; "

TEST(waves_change_nothing)
{
    sim_params p = quiet_params();
    uint64_t plain = run_fifo(&p);
    ck_assert_uint_eq(record_fifo("f.fst", p), plain);
    p.waves_from_event = "f.rd_valid && f.rd_count > 4";
    p.waves_before = 10000;
    ck_assert_uint_eq(record_fifo("g.fst", p), plain);
    p.waves_size = 10000;
    ck_assert_uint_eq(record_fifo("h.fst", p), plain);
}

/* Where they are so is looked for in waves of the whole run. */
TEST(waves_begin_before_an_event_and_end_with_another_one)
{
    sim_params p = quiet_params();
    record_fifo("all.fst", p);
    p.waves_from_event = "f.rd_count >= 3 && !(f.rd_data[66:64] != 5)";
    p.waves_to_event = "f.wr_count == 7 | f.fifo_async.rd_count==0";
    p.waves_before = 3000;
    record_fifo("part.fst", p);
    ck_shell_says(0, "same",
                  CHANGES "changes all >$D/all; changes part >$D/part; set -- $(awk '\n"
                          "function check() { if (!from && count >= 3 && last == 5) from = t; else if (from && !to && "
                          "(wrote == 7 || !count)) to = t }\n"
                          "function number(text, i, n) { for (i = 1; i <= length(text); i++) n = 2 * n + substr(text, "
                          "i, 1); return n + 0 }\n"
                          "$1 != t { check(); t = $1 } / f.rd_count( |$)/ { count = number($2) } / f.wr_count( |$)/ { "
                          "wrote = number($2) }\n"
                          "/ f.rd_data( |$)/ { last = number(substr($2, length($2) - 66, 3)) } END { print from, to }' "
                          "$D/all); echo event $1 $2\n"
                          "[ $1 -gt 25000 ] && [ $2 -gt $1 ] && awk -v from=$(($1 - 3000)) -v to=$2 '$1 > from && $1 "
                          "<= to' $D/all | sort >$D/want\n"
                          "awk -v from=$(($1 - 3000)) '$1 < from { exit 1 }' $D/part && awk -v from=$(($1 - 3000)) '$1 "
                          "> from' $D/part | sort | cmp - "
                          "$D/want "
                          "&& [ $(wc -l <$D/want) -gt 50 ] && echo same");
}

/* Of several sizes: in some of them the last block leaves no room for another one. */
TEST(a_ring_of_files_has_the_last_of_the_waves, .to = 4)
{
    sim_params p = quiet_params();
    record_fifo("all.fst", p);
    p.waves_size = 9100 + 300 * (unsigned)_i;
    record_fifo("ring.fst", p);
    ck_shell_says(0, "same",
                  CHANGES "[ $(cat $D/ring*.fst | wc -c) -le 10000 ] && for i in ring-3 ring-2 ring-1 ring; do changes "
                          "$i; done >$D/ring\n"
                          "from=$(sed -n '1s/ .*//p' $D/ring); changes all | awk -v from=$from '$1 > from' | sort "
                          ">$D/want; sort -u $D/ring |\n"
                          "join -v 2 -t '\t' - $D/want >$D/missing; [ $from -gt 20000 ] && [ ! -s $D/missing ] && [ "
                          "$(wc -l <$D/want) -gt 500 ] "
                          "&& echo same");
}

static uint64_t given_bits(void *from, uint32_t signal, unsigned lsb, unsigned bits)
{
    return ((uint64_t *)from)[signal] >> lsb & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
}

TEST(events_are_expressions_over_signals)
{
    static const struct {
        const char *text;
        int holds; /* -1: refused, and why */
        const char *why;
    } events[] = {
        {"m.a", 1, NULL},
        {"m.top.a==0x25", 1, NULL},
        {"g.a == 37 && m.b != 1", 0, NULL},
        {"m.a[0]", 1, NULL},
        {"m.a [1]", -1, "m.a [1]: expected an operator (== != < <= > >= & | && ||) before [1]"},
        {"m.a[1]||m.b<1", 0, NULL},
        {"m.a[5:2] == 9", 1, NULL},
        {"m.a & 4 == 4", 1, NULL}, /* == before &, as in Verilog */
        {"!m.a | ~m.b == 1", 0, NULL},
        {"!(m.a<=36||m.b>=2)", 1, NULL},
        {"m.port_of[1].c > 6", 1, NULL},
        {"m.mem[3] == 7", 1, NULL}, /* the fourth of an array */
        {"m.a[6]", -1, "m.a[6] has 6 bits: expected some of them, [5:0] for instance"},
        {"m.wide", -1, "m.wide has 80 bits: expected some of them, [63:0] for instance"},
        {"m.wide[79:78] == 2", 1, NULL},
        {"m.ab", -1, "no signal m.ab; the nearest are m.a, m.b, "},
        {"m.a ==", -1, "m.a ==: expected a signal or a number at its end"},
        {"m.a[2:5]", -1, "expected a bit, or up to 64 of them as [high:low], before [2:5]"},
        {"(m.a", -1, "(m.a: expected ) at its end"},
        {"3 == 3", -1, "expected a signal, nic0.pci_rst_n for instance, at its end"},
        {"m.a[ 5 : 2 ] == 9", 1, NULL},
        {"m.a == 037 && 010 == 10", 1, NULL}, /* no octal numbers */
        {"m.a[4294967296]", -1, "expected a bit, or up to 64 of them as [high:low], before [4294967296]"},
        {"m.a == 18446744073709551653", -1, "expected a number of up to 64 bits before 18446744073709551653"},
        {"m.a == 8'hff", -1, "expected a number such as 12 or 0x1f before 8'hff"},
    };
    static const struct {
        const char *name;
        unsigned bits;
    } signals[] = {{"m.top.a [5:0]", 6},
                   {"m.top.b", 1},
                   {"m.top.port_of[1].c [7:0]", 8},
                   {"m.top.mem[3] [3:0]", 4},
                   {"m.top.wide [79:0]", 80}};
    uint64_t values[] = {0, 37, 1, 7, 7, 0};
    char error[EVENT_ERROR];
    for (int i = 0; i < COUNT(events); i++) {
        event *e = event_new(events[i].text, error);
        for (unsigned k = 0; e && k < COUNT(signals); k++) event_offer(e, "g", signals[k].name, k + 1, signals[k].bits);
        int holds = !e || event_complete(e, error)   ? -1
                    : strstr(events[i].text, "wide") ? 1
                                                     : event_holds(e, given_bits, values);
        ck_assert_msg(holds == events[i].holds, "%s: %d: %s", events[i].text, holds, error);
        if (holds < 0) ck_assert_msg(strstr(error, events[i].why) != NULL, "%s: %s", events[i].text, error);
        event_free(e);
    }
    static const char *const deep[] = {"(", "!", "~ ", "m.a|"};
    for (int i = 0; i < COUNT(deep); i++) {
        char *text = calloc(1000000, 4);
        for (size_t k = 0; k < 900000; k++) strcpy(text + k * strlen(deep[i]), deep[i]);
        ck_assert_ptr_null(event_new(text, error));
        ck_assert_msg(strstr(error, "expected no more than 100") != NULL, "%s", error);
        free(text);
    }
    sim_time t;
    ck_assert(!event_time("1.5ms", &t) && t == 3 * SIM_MS / 2);
    ck_assert(!event_time("700 ps", &t) && t == 700);
    ck_assert(event_time("100", &t));
    ck_assert(event_time("5 s", &t) && event_time("nic0", &t) && event_time("1e3us", &t) && event_time("0x5", &t));
}
