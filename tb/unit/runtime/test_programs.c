/* The scripts that find programs and models, and prepare the models; each fed the fault it must catch. Everything
 * happens in a folder below /tmp. */
#include "shell.h"
#include "test.h"

#include <string.h>

TEST_CASE("programs", .teardown = shell_clean);

/* ---- programs.py ---- */

#define PROGRAMS "s=$PWD/scripts/tool.py; cd $D && ${PYTHON:-python3} -S $s programs"

TEST(programs_follow_their_include_lines)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb/unit $D/sim/model/host $D/sim/core/kernel $D/sw/tools"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/unit/models", "# comment\nfifo_9 fifo WIDTH=9 DEPTH=2\n");
    shell_put("tb/unit/test_a.c", "#include \"help.h\"\n#include \"sim/model/host/host.h\"\n");
    shell_put("tb/unit/help.h", "#include \"fifo_9.h\"\n");
    shell_put("tb/unit/help.c", "");
    shell_put("sim/model/host/host.h", "");
    shell_put("sim/model/host/host.c", "#include \"sim.h\"\n");
    shell_put("sim/core/kernel/sim.h", "");
    shell_put("sim/core/kernel/sim.c", "");
    shell_put("sw/tools/tool.c", "");
    ck_shell_says(0, "TESTS := tb/unit/test_a\n", PROGRAMS);
    ck_output_has("TOOL_PROGRAMS := tool\n");
    ck_output_has("MODEL_FOLDERS := build/models/fifo_9\n");
    ck_output_has("MODEL := fifo_9 fifo rtl/fifo.v WIDTH=9 DEPTH=2\n");
    char *rule = strstr(shell_output, "$(BUILT)/tb/unit/test_a:");
    ck_assert_ptr_nonnull(rule);
    *strchr(rule, '\n') = '\0';
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/obj/tb/unit/help.o"));
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/lib/sim/model/host.a"));
    ck_assert_ptr_nonnull(strstr(rule, "$(BUILT)/lib/sim/core.a"));
    ck_assert_ptr_nonnull(strstr(rule, "build/models/fifo_9/libfifo_9.a"));
    char *full = strstr(strchr(rule, '\0') + 1, "$(BUILT)/full/tb/unit/test_a:");
    ck_assert_ptr_nonnull(full);
    ck_assert_ptr_nonnull(strstr(full, "build/models/fifo_9/full/libfifo_9.a\n"));
}

TEST(a_test_may_ask_for_full_models_and_for_another_program)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb $D/sim/core $D/sim/bin"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/full_models.h", "");
    shell_put("tb/test_a.c", "#include \"fifo.h\"\n#include \"full_models.h\"\nRUNS(\"full/b\");\n");
    shell_put("sim/bin/b.c", "#include \"fifo.h\"\n");
    ck_shell_says(
        0, "$(BUILT)/tb/test_a: $(BUILT)/obj/tb/test_a.o $(BUILT)/lib/sim/core.a build/models/fifo/full/libfifo.a\n",
        PROGRAMS);
    ck_output_has("$(BUILT)/tb/test_a $(BUILT)/full/tb/test_a: | $(BUILT)/full/b\n");
    ck_output_has("$(BUILT)/b: $(BUILT)/obj/sim/bin/b.o $(BUILT)/lib/sim/core.a build/models/fifo/libfifo.a\n");
    ck_output_has(
        "$(BUILT)/full/b: $(BUILT)/obj/sim/bin/b.o $(BUILT)/lib/sim/core.a build/models/fifo/full/libfifo.a\n");
}

/* ---- initial_values.py ---- */

TEST(a_model_draws_the_initial_values_of_another_build)
{
    const char *head = "VL_ATTR_COLD void Vm___024root___ctor_var_reset(Vm___024root* vlSelf) {\n    // Body\n",
               *tail = "}\nint after;\n";
    char text[1024];
    snprintf(text, sizeof text,
             "%s    vlSelf->a = VL_RAND_RESET_I(8);\n    vlSelf->gone\n        = VL_RAND_RESET_Q(40);\n"
             "    VL_RAND_RESET_W(68, vlSelf->wide);\n    for (int __Vi0 = 0; __Vi0 < 4; ++__Vi0) {\n"
             "        vlSelf->memory[__Vi0] = VL_RAND_RESET_I(3);\n    }\n    vlSelf->temporary = 0;\n    vlSelf->b = "
             "VL_RAND_RESET_I(1);\n%s",
             head, tail);
    shell_put("full.cpp", text);
    snprintf(text, sizeof text,
             "%s    vlSelf->b = VL_RAND_RESET_I(1);\n    vlSelf->own = VL_RAND_RESET_I(1);\n    vlSelf->a = "
             "VL_RAND_RESET_I(8);\n%s",
             head, tail);
    shell_put("fast.cpp", text);
    snprintf(
        text, sizeof text,
        "%svlSelf->a = VL_RAND_RESET_I(8);\nVL_RAND_RESET_Q(40);\nfor (int i = 0; i < 3; ++i) VL_RAND_RESET_I(32);\n"
        "for (int __Vi0 = 0; __Vi0 < 4; ++__Vi0) { VL_RAND_RESET_I(3); }\n\nvlSelf->b = "
        "VL_RAND_RESET_I(1);\nvlSelf->own = 0;\n%s",
        head, tail);
    ck_assert_int_eq(
        shell_says("${PYTHON:-python3} -S scripts/tool.py initial_values $D/full.cpp $D/fast.cpp && cat $D/fast.cpp"),
        0);
    ck_assert_str_eq(shell_output, text);
}

/* Faults that are planted in a module: an edit that the module has outgrown stops the build. */
TEST(a_planted_fault_that_changes_nothing_is_refused)
{
    static const char good[] =
        "of dma_arbiter.v\nturn arb_started\n1 only reads | s/arb_pick_write = /&!FAULT \\&\\& /\n"
        "2 counts on | s/if (rst)/if (rst \\&\\& !FAULT)/\n";
    char text[400];
    shell_put("bad.planted", good);
    ck_assert_int_eq(
        shell_says("scripts/plant.sh $D/bad.planted $D/bad.v && verilator --lint-only -y tb/contract $D/bad.v"), 0);
    snprintf(text, sizeof text, "%s3 gone | s/no such line/x/\n", good);
    shell_put("bad.planted", text);
    ck_shell_says(1, "bad.planted: 3 gone : its edit changes nothing in rtl/nic/dma/dma_arbiter.v: s/no such line/x/\n",
                  "scripts/plant.sh $D/bad.planted $D/worse.v");
    ck_assert_int_eq(shell_says("ls $D/worse.v*"), 2);
    shell_put("bad.planted", "of no_such.v\n");
    ck_shell_says(1, "bad.planted: expected a line 'of MODULE.v' that names a file below rtl/\n",
                  "scripts/plant.sh $D/bad.planted $D/worse.v");
}

TEST(a_wrong_line_of_models_is_refused_with_its_place)
{
    ck_assert_int_eq(shell_says("mkdir -p $D/rtl $D/tb"), 0);
    shell_put("rtl/fifo.v", "");
    shell_put("tb/models", "fifo_9\n");
    ck_shell_fails("tb/models: fifo_9: expected NAME MODULE", PROGRAMS);
    shell_put("tb/models", "fifo_9 fito WIDTH=9\n");
    ck_shell_fails("there is no module file fito.v", PROGRAMS);
    shell_put("tb/models", "fifo fifo WIDTH=9\n");
    ck_shell_fails("this name is taken", PROGRAMS);
}
