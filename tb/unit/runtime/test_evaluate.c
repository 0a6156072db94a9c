/* Models behave as their Verilog at each evaluation, although scripts/evaluate.py and rest.py skip code without effect.
 * Also the code that scripts/places.py removes from a model with waves. */
#include <stdbool.h>
#include <string.h>

#include "half_at_rest.h"
#include "passes_through.h"
#include "shell.h"
#include "simulation.h"
#include "test.h"

TEST_CASE("evaluate", .teardown = shell_clean);

enum { STEPS = 20000 };

struct pins {
    bool clk, other_clk, rst_n, enable;
    uint16_t a;
    uint64_t b;
    uint32_t c[4];
};
struct registers {
    uint16_t last;
    uint8_t rises, falls, gated;
};

/* Edges from one evaluation to the next. */
static void edges(struct registers *r, const struct pins *was, const struct pins *is)
{
    if (!is->rst_n && (was->rst_n || is->clk > was->clk)) r->last = 0;
    else if (is->clk > was->clk) r->last = is->a;
    if (is->other_clk > was->other_clk) r->rises++;
    if (is->other_clk < was->other_clk) r->falls++;
    if ((is->clk && is->enable) && !(was->clk && was->enable)) r->gated++;
    if (!is->rst_n) r->rises = r->falls = r->gated = 0;
}

static void set(const passes_through *m, const struct pins *p)
{
    *m->clk = p->clk;
    *m->other_clk = p->other_clk;
    *m->rst_n = p->rst_n;
    *m->enable = p->enable;
    *m->a = p->a;
    *m->b = p->b;
    memcpy(m->c, p->c, sizeof p->c);
}

static void compare(const passes_through *m, const struct pins *p, const struct registers *r)
{
    const uint32_t all = p->c[0] ^ p->c[1] ^ p->c[2] ^ p->c[3];
    ck_assert_uint_eq(*m->sum, (p->b + p->a) & 0xffffffffff);
    ck_assert_uint_eq(*m->odd, (uint8_t)__builtin_parity(all));
    ck_assert_uint_eq(*m->shown, p->other_clk && p->enable);
    ck_assert_uint_eq(*m->beside, p->a ^ r->last);
    ck_assert_uint_eq(*m->last, r->last);
    ck_assert_uint_eq(*m->others, (uint8_t)(r->rises + r->falls));
    ck_assert_uint_eq(*m->gated, r->gated);
}

/* One input changes at a time, in one bit or in many, or none. */
static void change(sim *s, struct pins *p)
{
    const uint64_t r = sim_random(s);
    const unsigned bit = (unsigned)(r >> 16 & 127);
    switch (r & 15) {
    case 0:
        p->clk = !p->clk;
        break;
    case 1:
        p->other_clk = !p->other_clk;
        break;
    case 2:
        p->rst_n = (r >> 16 & 7) != 0;
        break;
    case 3:
        p->enable = !p->enable;
        break;
    case 4:
        p->a ^= (uint16_t)(1u << bit % 12);
        break;
    case 5:
        p->b ^= 1ull << bit % 40;
        break;
    case 6:
        p->c[bit % 100 / 32] ^= 1u << bit % 100 % 32;
        break;
    case 7:
        p->a = r >> 20 & 0xfff;
        break;
    case 8:
        p->b = r >> 20 & 0xffffffffff;
        break;
    case 9:
        p->clk = p->other_clk = p->enable = false;
        break;
    case 10:
        p->clk = p->other_clk = true;
        break;
    default:
        break;
    }
}

TEST(outputs_follow_inputs_and_edges_at_every_evaluation)
{
    sim *s = quiet_sim(0);
    passes_through *m = passes_through_new(s, "dut");
    struct pins is = {.rst_n = true}, was;
    struct registers r = {0};
    set(m, &is);
    sim_model_eval(m->model);
    was = is;
    is.rst_n = false;
    for (int i = 0; i < STEPS; i++) {
        set(m, &is);
        sim_model_eval(m->model);
        edges(&r, &was, &is);
        compare(m, &is, &r);
        was = is;
        change(s, &is);
    }
}

/* ---- at rest ---- */

/* One of the two pairs of clocks: clock-gated registers, and one that is not gated. */
struct side {
    uint8_t a, b, c, kept;
};

static uint8_t mix(const struct side *s)
{
    return (uint8_t)(((s->a ^ s->kept) + (s->b & ~s->kept)) ^ ((s->c | s->kept) + (s->a & s->b)) ^ (s->b ^ s->c) ^
                     (s->a + s->c));
}

static uint8_t mixed(const struct side *s)
{
    return (uint8_t)((mix(s) & 15) + (mix(s) >> 4) + (s->a & s->c) + (s->b | s->kept));
}

static uint8_t both(const struct side *n, const struct side *f, uint8_t d)
{
    const unsigned all = (uint8_t)(mix(n) + mix(f)) ^ (uint8_t)(n->a + f->b) ^ (uint8_t)(n->b + f->c) ^
                         (uint8_t)(n->c + f->a) ^ (n->a & f->a) ^ (n->b & f->b) ^ (n->c & f->c);
    return (uint8_t)(all + (n->kept ^ f->kept) + d);
}

/* An edge: run, its clock does not rest. */
static struct side after(const struct side *s, const struct side *other, bool edge, bool run, bool load, uint8_t d)
{
    struct side next = *s;
    if (edge && load) next.kept = d;
    if (run) next = (struct side){d, s->a ^ other->kept, (uint8_t)(s->b + mixed(s)), next.kept};
    return next;
}

/* Each clock stops at times, for long; inputs change seldom, also in between. Edges of all clocks set the initial state
 * of both sides. */
TEST(what_follows_from_registers_at_rest_is_right_at_every_evaluation)
{
    sim *s = quiet_sim(0);
    half_at_rest *m = half_at_rest_new(s, "dut");
    struct side here = {0}, far = {0};
    bool rests = false, far_rests = false;
    uint8_t d = 0;
    *m->load = 1;
    for (int i = 0; i < STEPS; i++) {
        const uint64_t r = sim_random(s);
        const bool known = i >= 8, edge = !known || r & 1, far_edge = !known || r & 2;
        if (known && (r >> 8 & 31) == 0) rests = !rests;
        if (known && (r >> 13 & 31) == 0) far_rests = !far_rests;
        if (known && (r >> 18 & 7) == 0) *m->load = !*m->load;
        if (known && (r >> 21 & 7) < 2) d = (uint8_t)(r >> 24);
        *m->d = d;
        *m->rst = !known;
        *m->clk = *m->run_clk = *m->far_clk = *m->far_run_clk = 0;
        if (r & 4) sim_model_eval(m->model);
        if (known && r & 4) ck_assert_uint_eq(*m->both, both(&here, &far, d));
        if (!(r & 4)) sim_model_eval(m->model);
        *m->clk = edge;
        *m->run_clk = edge && !rests;
        *m->far_clk = far_edge;
        *m->far_run_clk = far_edge && !far_rests;
        sim_model_eval(m->model);
        const struct side next = after(&here, &far, edge, *m->run_clk, *m->load, d);
        far = after(&far, &here, far_edge, *m->far_run_clk, *m->load, (uint8_t)(d + 1));
        if (*m->far_run_clk) far.a = d;
        here = next;
        if (!known) here.c = far.c = 0;
        if (!known) continue;
        ck_assert_uint_eq(*m->kept, here.kept);
        ck_assert_uint_eq(*m->far_kept, far.kept);
        ck_assert_uint_eq(*m->mixed, mixed(&here));
        ck_assert_uint_eq(*m->far_mixed, mixed(&far));
        ck_assert_uint_eq(*m->both, both(&here, &far, d));
    }
}

/* Verilator's output for a module, with changes (sed), through passes. Their messages are in shell_output. */
static void print_otherwise(const char *sed, const char *passes, const char *module)
{
    ck_assert_int_eq(
        shell_says("rm -rf $D/new && cp -r $D/cpp $D/new && sed -i '%s' $D/new/*.h $D/new/*.cpp && "
                   "{ [ -z '%s' ] || PASSES_SAID= \"${PYTHON:-python3}\" scripts/passes.py %s $D/new %s; } 2>&1",
                   sed, passes, module, passes),
        0);
}

/* Where it does not, it has changed nothing. */
static int fits(const char *pass)
{
    int it_does = shell_pass_fits(pass);
    if (!it_does) ck_assert_msg(!shell_says("diff -r $D/cpp $D/new"), "%s", shell_output);
    return it_does;
}

/* Both parts in the words of either version (scripts/printed.py). An edge from inside is looked for again, without a
 * word; C++ that is printed in another way is unchanged and reported. */
TEST(what_verilator_prints_in_another_way_stays_as_it_is)
{
    static const struct {
        const char *sed;
        bool inputs, edges; /* which part is short all the same */
        const char *says;
    } other[] = {
        {"", true, true, ""},
        {"s/VL_IN8(clk,0,0)/VL_IN8(clk[2],0,0)/", false, false, "port: not known: VL_IN8(clk[2],0,0);"},
        {"s/__VicoTriggered\\(.at(0U) = \\|.set(0U, \\)/&1U + /", false, false, "eval_triggers__ico: not known: "},
        {"s/__VactTriggered\\(.at(0U) = \\|.set(0U, \\)((IData)(vlSelf\\(->\\|Ref.\\)clk)/"
         "__VactTriggered\\1((IData)(vlSelf\\2within)/",
         true, false, ""}};
    ck_assert_int_eq(
        shell_says("${VERILATOR:-verilator} --cc --prefix Vfifo_sync -Mdir $D/cpp -Wno-fatal rtl/common/fifo_sync.v"),
        0);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        print_otherwise(other[i].sed, "evaluate", "fifo_sync");
        if (!i && !fits("evaluate")) return;
        if (*other[i].says) ck_output_has(other[i].says);
        else ck_assert_str_eq(shell_output, "");
        ck_assert_int_eq(shell_says("cat $D/new/*.h $D/new/*.cpp | grep -q __Vico_known") == 0, other[i].inputs);
        ck_assert_int_eq(shell_says("cat $D/new/*.cpp | grep -q 'const bool t0'") == 0, other[i].edges);
    }
}

/* One for `mixed`, one for `far_mixed`; `both` also depends on an input. None where a function prints, or has a loop.
 */
TEST(parts_of_functions_are_found)
{
    static const struct {
        const char *sed;
        int parts;
        const char *says;
    } other[] = {{"", 2, ""},
                 {"s/vlSelf\\(->\\|Ref.\\)count = /VL_WRITEF(1); &/", 0, "not known: VL_WRITEF"},
                 {"s/vlSelf\\(->\\|Ref.\\)count = /while (vlSelf->d) &/", 0, "not known: while"}};
    ck_assert_int_eq(shell_says("${VERILATOR:-verilator} --cc --prefix Vhalf_at_rest -Mdir $D/cpp -Wno-fatal "
                                "tb/unit/runtime/half_at_rest.v"),
                     0);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        print_otherwise(other[i].sed, "rest", "half_at_rest");
        if (!i && !fits("rest")) return;
        if (*other[i].says) ck_output_has(other[i].says);
        else ck_assert_str_eq(shell_output, "");
        ck_assert_int_eq(shell_says("test \"$(cat $D/new/*.cpp | grep -c '// PART')\" = %d", other[i].parts), 0);
    }
}

/* All outputs of some thousand evaluations with random inputs, of a model made by some of the passes. */
#define DRIVER                                                                                                         \
    "#include <cstdio>\\n#include \"Vhalf_at_rest.h\"\\nint main() { Vhalf_at_rest m; unsigned long long r = 1; "      \
    "for (int i = 0; i < 20000; i++) { r = r * 6364136223846793005u + 1442695040888963407u; const unsigned b = r >> "  \
    "40, all = i < 9; "                                                                                                \
    "m.clk = b & 1; m.run_clk = b & 1 && (all || i & 512); m.far_clk = b >> 1 & 1; m.far_run_clk = m.far_clk && (all " \
    "|| i & 1024); "                                                                                                   \
    "m.rst = all && i; m.load = (b & 0xf0) == 0; if ((b & 0x700) == 0) m.d = b >> 12; m.eval(); if (i > 9) "           \
    "printf(\"%%%%x %%%%x %%%%x %%%%x %%%%x %%%%x\\\\n\", m.kept, m.far_kept, m.mixed, m.far_mixed, m.both, "          \
    "m.count); } }\\n"

TEST(each_pass_by_itself_changes_no_bit)
{
    static const char *const passes[] = {"", "evaluate", "rest", "evaluate rest"};
    ck_assert_int_eq(
        shell_says("${VERILATOR:-verilator} --cc --x-initial fast --prefix Vhalf_at_rest -Mdir $D/cpp -Wno-fatal "
                   "tb/unit/runtime/half_at_rest.v && printf '" DRIVER "' >$D/main.cc"),
        0);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        print_otherwise("", passes[i], "half_at_rest");
        ck_assert_int_eq(shell_says("cd $D/new && s=$(${VERILATOR:-verilator} --getenv VERILATOR_ROOT)/include && cat "
                                    "*.cpp ../main.cc >all.cc && "
                                    "g++ -std=gnu++17 -w -I. -isystem $s -isystem $s/vltstd -c all.cc && "
                                    "{ [ -e ../lib.o ] || g++ -std=gnu++17 -w -isystem $s -isystem $s/vltstd -c "
                                    "$s/verilated.cpp -o ../lib.o; } && "
                                    "{ [ -e ../thr.o ] || g++ -std=gnu++17 -w -isystem $s -isystem $s/vltstd -c "
                                    "$s/verilated_threads.cpp -o ../thr.o; } && "
                                    "g++ all.o ../lib.o ../thr.o -lpthread && ./a.out >out && { [ -e ../out ] || cp "
                                    "out ../out; } && cmp out ../out && "
                                    "test $(sort -u out | wc -l) -gt 5000"),
                         0);
    }
}

/* Nothing where something is printed in another way. What is worked out has a place of its own; so has a word of what
 * has one as a whole.
 */
TEST(comparisons_for_waves_are_taken_out)
{
    static const struct {
        const char *sed, *says;
        int worked_out;
    } other[] = {
        {"", "", 0},
        {"s/fullBit(oldp+3,/fullBits(oldp+3,/", "sub_0: not known: bufp->fullBits(oldp+3,", 0},
        {"s/tracep->declBit(c+2,/tracep->declEvent(c+2,/", "declaration: not known: tracep->declEvent(c+2,", 0},
        {"s/chgBit(oldp+2,(vlSelf->rst_n/chgBit(oldp+2,(vlSelf->clk/", "", 1},
        {"s/(vlSelf->odd)/((1U \\& vlSelf->odd))/", "", 1},
        {"s/Bit\\(.*\\)(vlSelf->odd)/IData\\1(vlSelf->c[1U]),32/", "", 1}};
    ck_assert_int_eq(
        shell_says("${VERILATOR:-verilator} --cc --trace --prefix Vpasses_through -Mdir $D/cpp -Wno-fatal "
                   "tb/unit/runtime/passes_through.v; sed -i 's/\\bvlSelfRef[.]/vlSelf->/g' $D/cpp/*Trace*.cpp"),
        0);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const int known = !*other[i].says;
        ck_shell_says(
            0, other[i].says,
            "rm -rf $D/new && cp -r $D/cpp $D/new && sed -i '%s' $D/new/*Trace*.cpp && cp -r $D/new $D/as_it_was%zu && "
            "PASSES_SAID= \"${PYTHON:-python3}\" scripts/passes.py passes_through $D/new places 2>&1",
            other[i].sed, i);
        if (!i && !fits("places")) return;
        ck_assert_int_eq(!shell_says("cmp -s $D/new/Vpasses_through.cpp $D/as_it_was%zu/Vpasses_through.cpp", i),
                         !known);
        ck_assert_int_eq(!shell_says("cat $D/new/*.cpp | grep -q 'bufp->chg'"), !known);
        ck_assert_int_eq(shell_says("test \"$(cat $D/new/*.cpp | grep -c '^    waves->place(')\" = %d", known ? 17 : 0),
                         0);
        ck_assert_int_eq(
            shell_says("test \"$(cat $D/new/*.cpp | grep -c '^ *vlSelf->__Vwaves')\" = %d", 2 * other[i].worked_out),
            0);
    }
    /* of a large model this function is printed into a file of its own */
    ck_shell_says(
        0, "",
        "rm -rf $D/new && cp -r $D/cpp $D/new && cd $D/new && t='/trace_cleanup(.*) {$/,/^}/' && "
        "{ echo '#include \"Vpasses_through__Syms.h\"' && sed -n \"$t\"p *Trace__0.cpp; } "
        ">Vpasses_through__Trace__1.cpp && "
        "sed -i \"$t\"d *Trace__0.cpp && cd - >/dev/null && grep -q 'cleanup.*VerilatedVcd' $D/new/*Trace__1.cpp && "
        "\"${PYTHON:-python3}\" scripts/passes.py passes_through $D/new places && ! grep 'VerilatedVcd\\b' "
        "$D/new/*Trace*.cpp");
}
