/* scripts/printed.py reads the same from the C++ of each dialect that it knows, writes what a pass changes in the words
 * of that dialect, and reports unknown constructs; a pass changes nothing then and reports it once (scripts/passes.py).
 * The C++ in printed/ is written by hand.
 */
#include <string.h>

#include "shell.h"
#include "test.h"

TEST_CASE("printed", .teardown = shell_clean);

#define PYTHON "\"${PYTHON:-python3}\" "

static const char *const dialects[] = {"5.006", "5.032"};

/* The C++ of a dialect in $D/x, with changes (sed). */
static void printed(const char *dialect, const char *sed)
{
    ck_assert_int_eq(
        shell_says("rm -rf $D/x && cp -r tb/unit/runtime/printed/%s $D/x && sed -i '%s' $D/x/*", dialect, sed), 0);
}

TEST(each_dialect_says_the_same, .to = COUNT(dialects))
{
    printed(dialects[_i], "");
    ck_assert_int_eq(shell_says(PYTHON "scripts/printed.py x $D/x >$D/read"), 0);
    ck_assert_int_eq(shell_says("head -1 $D/read | grep -qx 'dialect %s: Vx___024root' && tail -n +2 $D/read | "
                                "cmp - tb/unit/runtime/printed/read.txt",
                                dialects[_i]),
                     0);
}

TEST(triggers_are_written_in_the_words_of_the_dialect)
{
    static const char *const set[] = {"    vlSelf->__VnbaTriggered.at(1U) = t1;",
                                      "    vlSelf->__VnbaTriggered.set(1U, t1);"};
    for (int i = 0; i < COUNT(dialects); i++) {
        printed(dialects[i], "");
        ck_assert_int_eq(shell_says(PYTHON "scripts/passes.py x $D/x evaluate 2>&1"), 0);
        ck_assert_str_eq(shell_output, "");
        ck_assert_int_eq(shell_says("grep -qxF '%s' $D/x/Vx_1.cpp && ! grep -q 'while (' $D/x/Vx_1.cpp && grep -q "
                                    "__Vico_seen_wide $D/x/Vx.h",
                                    set[i]),
                         0);
        /* functions called by `eval` may be in another file */
        ck_assert_int_eq(shell_says("sed '/^void Vx___024root___eval(/,$d' $D/x/Vx_1.cpp | grep -cxE 'void "
                                    "Vx___024root___eval_(ico|nba)\\(.*\\);'"),
                         0);
        ck_assert_str_eq(shell_output, "2\n");
    }
}

/* A dialect that is a mixture, or has other loops or triggers; statements in the place of a call; a lambda that writes
 * a register. */
TEST(what_is_not_known_is_named_and_stays_as_it_is)
{
    static const struct {
        const char *dialect, *sed, *says;
    } other[] = {
        {"5.032", "s/auto& vlSelfRef = .*/auto\\& self = *vlSelf;/", "beginning of functions: not known"},
        {"5.032", "s/thisOr/setOr/", "eval_phase__act: not known: VlTriggerVec __VpreTriggered;"},
        {"5.032", "s/Triggered.set(/Triggered.put(/", "eval_triggers__ico: not known: vlSelf->__VicoTriggered.put(0U"},
        {"5.006", "s/^void Vx___024root___eval(/void Vx___024root___evaluate(/", "function eval: not known"},
        {"5.006", "s/while (__VnbaContinue)/for (;__VnbaContinue;)/", "eval: not known"},
        {"5.006", "s/VL_IN8(clk,0,0)/VL_IN8(clk[2],0,0)/", "port: not known: VL_IN8(clk[2],0,0);"}};
    for (size_t i = 0; i < COUNT(other); i++) {
        printed(other[i].dialect, other[i].sed);
        ck_assert_int_eq(
            shell_says("rm -rf $D/as_it_was $D/said; cp -r $D/x $D/as_it_was; for n in 1 2; do PASSES_SAID=$D/said "
                       "VERILATOR_IS=5.999 " PYTHON "scripts/passes.py x $D/x evaluate 2>&1 || exit; done"),
            0);
        ck_output_has("evaluate: not with Verilator 5.999 (x: ");
        ck_output_has(other[i].says);
        ck_output_has("; runs without, slower\n");
        ck_assert_ptr_eq(strchr(shell_output, '\n')[1] ? shell_output : NULL, NULL); /* one line for both */
        ck_assert_int_eq(shell_says("diff -r $D/x $D/as_it_was"), 0);
    }
    printed("5.032", "s/^  *__Vfunc_x__DOT__f__1__Vfuncout = /vlSelfRef.x__DOT__w[1U] = /");
    ck_assert_int_eq(shell_says(PYTHON "scripts/printed.py x $D/x | grep -c '\\[&\\]'"), 0);
    ck_assert_int_eq(shell_says("PASSES_SAID= " PYTHON "scripts/passes.py x $D/x rest 2>&1"), 0);
    ck_output_has("(x: function Vx_part___nba_sequent__TOP__x__DOT__p__0: not known)");
}

/* Nothing is deleted in a model that makes no objects of classes, and nobody else says anything in a model of one
 * thread. */
TEST(an_evaluation_ends_with_what_the_model_has)
{
    static const char *const ends[] = {"deleteAll", "endOfEval"};
    static const struct {
        const char *made;
        int left[2];
    } models[] = {{"", {0, 0}},
                  {"/VlDeleter/a // VL_NEW(Vx_object, vlSymsp->__Vm_deleter)", {1, 0}},
                  {"s/.*deleteAll.*/    Verilated::mtaskId(0);\\n&/", {0, 0}},
                  {"s/.*deleteAll.*/    Verilated::mtaskId(2);\\n&/", {0, 1}}};
    for (int i = 0; i < COUNT(models); i++) {
        printed("5.032", models[i].made);
        ck_assert_int_eq(shell_says(PYTHON "scripts/passes.py x $D/x evaluate 2>&1"), 0);
        for (int k = 0; k < COUNT(ends); k++)
            ck_assert_int_eq(!shell_says("grep -q %s $D/x/Vx.cpp && grep -q __Vico_known $D/x/Vx.h", ends[k]),
                             models[i].left[k]);
    }
}

/* eval_nba is put into the file of the last function of its class that it calls, with what is declared in front of it,
 * if that file includes the same; so a compiler can put short functions into it. */
TEST(eval_nba_is_beside_what_it_calls)
{
    static const char *const includes[] = {"Vx.h", "Vx_part.h"};
    for (int i = 0; i < COUNT(includes); i++) {
        printed("5.032", "s/^void.*eval_nba(/void Vx_declared(int a);\\nvoid Vx_too(Vx* p);\\n\\n&/");
        ck_assert_int_eq(
            shell_says(
                "cd $D/x && { echo '#include \"%s\"'; echo; sed -n '/^VL_INLINE_OPT.*nba_sequent/,/^}/p' Vx_1.cpp; } "
                ">Vx_2.cpp && sed -i '/^VL_INLINE_OPT.*nba_sequent/,/^}/d; 1i #include \"Vx.h\"' Vx_1.cpp",
                includes[i]),
            0);
        ck_assert_int_eq(shell_says(PYTHON "scripts/passes.py x $D/x evaluate 2>&1"), 0);
        ck_assert_str_eq(shell_output, "");
        ck_shell_says(0, "3\n", "cat $D/x/Vx_%d.cpp | grep -c 'void .*eval_nba(.*{\\|Vx_declared(\\|Vx_too('",
                      i ? 1 : 2);
        ck_shell_says(0, "3\n", "cat $D/x/Vx_[12].cpp | grep -c 'void .*eval_nba(.*{\\|Vx_declared(\\|Vx_too('");
        ck_shell_says(0, "11\n", "cat $D/x/Vx_[12].cpp | grep -c '^}'"); /* nothing is lost */
    }
}

/* Variables that each part of statements writes and finds, as `rest` sees them, a line for each part. */
#define PARTS                                                                                                          \
    "cd scripts && " PYTHON "-c 'import printed, rest; m = printed.Model(\"x\", \"'$D'/x\"); "                         \
    "print(*(f\"{sorted(p.writes)} {sorted(p.finds)}\" for p in "                                                      \
    "rest.Function(m.functions[\"nba_sequent__TOP__0\"]).parts), sep=\"\\n\")'"

/* A lambda that writes a register: `rest` reads its statements, and those of a condition, and keeps it. Models with
 * waves note activity. */
TEST(a_lambda_is_read_where_it_stands)
{
    printed("5.032", "/Vx_part_/d; /VL_ZERO_W/d; s/^  *__Vfunc_x__DOT__f__1__Vfuncout = /vlSelfRef.x__DOT__w[1U] = /; "
                     "s/if (vlSelfRef.run_clk)/if (([\\&]() { vlSelfRef.x__DOT__a = 1U; }(), vlSelfRef.run_clk))/");
    ck_assert_int_eq(shell_says(PYTHON "scripts/passes.py x $D/x rest 2>&1"), 0);
    ck_assert_str_eq(shell_output, "");
    ck_shell_says(0, "['vlSelf->x__DOT__a', 'vlSelf->x__DOT__memory', 'vlSelf->x__DOT__w'] [", PARTS);
    ck_assert_ptr_eq(strchr(shell_output, '\n')[1] ? shell_output : NULL, NULL); /* one part */
}

/* A shift of more than 64 bits is a call. */
TEST(a_wide_shift_is_read_as_a_call, .to = COUNT(dialects))
{
    static const char *const self[] = {"->", "Ref."};
    char sed[200];
    snprintf(sed, sizeof sed,
             "/Vx_part_/d; s/VL_ZERO_W(100, .*/VL_SHIFTL_WWI(100,100,32, vlSelf%sx__DOT__out, vlSelf%swide, 0xaU);/",
             self[_i], self[_i]);
    printed(dialects[_i], sed);
    ck_shell_says(0, "'vlSelf->x__DOT__out', 'vlSelf->x__DOT__w'] [", PARTS); /* among its outputs */
    ck_assert_int_eq(shell_says(PYTHON "scripts/passes.py x $D/x rest 2>&1"), 0);
    ck_assert_str_eq(shell_output, "");
}
