/* timing.py: paths of a small chip, against sums by hand of the delays in its head; limits; what it refuses. Without
 * OpenSTA, which is optional for tests, only that it is missing. */
#include "shell.h"
#include "test.h"

#define TIMING "${PYTHON:-python3} -S scripts/tool.py timing "
#define CHIP TIMING "$D/t.json t $D/t.sdc"

/* Two LUTs between registers: 0.40 + 0.45 + 0.32 + 0.45 + 0.32 + 0.45 + 0.30 = 2.69 ns. A LUT and a chain of two:
 * 0.40 + 0.50 (two loads) + 0.32 + 0.50 (into the chain) + 0.04 + 0.75 (out of it) + 0.45 + 0.30 = 3.26 ns. */
static void set_up(void)
{
    shell_folder();
    shell_put("t.v", "module t(input clk, input other, input a, output q, output r, output s);\n"
                     "    wire x, y, z, c0, c1, u, l, v, w;\n"
                     "    FDRE first (.C(clk), .CE(1'b1), .R(1'b0), .D(a), .Q(x));\n"
                     "    LUT1 one (.I0(x), .O(y)); LUT1 two (.I0(y), .O(z));\n"
                     "    FDRE last (.C(clk), .CE(1'b1), .R(1'b0), .D(z), .Q(q));\n"
                     "    LUT1 half (.I0(x), .O(l));\n"
                     "    MUXCY low (.CI(1'b0), .DI(1'b0), .S(l), .O(c0));\n"
                     "    MUXCY high (.CI(c0), .DI(1'b0), .S(1'b0), .O(c1));\n"
                     "    XORCY sum (.CI(c1), .LI(1'b0), .O(u));\n"
                     "    FDRE total (.C(clk), .CE(1'b1), .R(1'b0), .D(u), .Q(r));\n"
                     "    FDRE there (.C(other), .CE(1'b1), .R(1'b0), .D(q), .Q(w));\n"
                     "    FDRE then (.C(other), .CE(1'b1), .R(1'b0), .D(w), .Q(s));\n"
                     "endmodule\n");
    shell_put("t.sdc", "create_clock -name clk -period 10 [get_ports clk]\n"
                       "create_clock -name other -period 5 [get_ports other]\n"
                       "set_clock_groups -asynchronous -group clk -group other\n");
    ck_assert_int_eq(shell_says("${YOSYS:-yosys} -q -p \"read_verilog -lib +/xilinx/cells_sim.v; read_verilog $D/t.v; "
                                "hierarchy -check -top t; proc; write_json $D/t.json\""),
                     0);
}

static int is_missing(void) { return shell_says("command -v ${STA:-sta}") != 0; }

TEST_CASE("timing", .setup = set_up, .teardown = shell_clean);

TEST(paths_are_the_sums_of_their_delays)
{
    if (is_missing()) return;
    ck_shell_says(0, "t, clk: period 10.0 ns; longest path 3.26 ns, ", CHIP);
    ck_output_has(" cells: x/Q to r/D\n");
    ck_output_has("t, other: period 5.0 ns; longest path 1.15 ns, "); /* not from q: another clock */
    ck_output_has(" cells: w/Q to s/D\n");
    ck_shell_says(0, "2.74", "jq '.clk.paths[1].ns' $D/t.timing.json"); /* two loads, as the longest */
}

TEST(a_path_beyond_its_limit_is_an_error)
{
    if (is_missing()) return;
    ck_shell_says(0, "longest path 3.26 ns", "LIMITS='clk=3.27 other=2' " CHIP);
    ck_shell_says(1, "timing: t: clk: 3.26 ns, at most 3.25 expected\n", "LIMITS='clk=3.25 other=2' " CHIP);
    ck_shell_says(1, "timing: LIMITS: net: expected clocks of ", "LIMITS=net=5 " CHIP);
    ck_output_has(": clk, other\n");
}

TEST(what_cannot_be_measured_is_refused)
{
    ck_shell_says(1, "timing: OpenSTA is missing; Debian: apt-get install opensta\n", "STA=none-such " CHIP);
    if (is_missing()) return;
    ck_shell_says(1, "/u.json: expected Yosys' JSON with a module t\n", TIMING "$D/u.json t $D/t.sdc");
    ck_shell_says(1, "timing: OpenSTA found no path of each clock",
                  "echo 'create_clock -name idle -period 5 [get_ports a]' >>$D/t.sdc; " CHIP);
}
