/* bindings.py: what a module becomes in C, and what it refuses. */
#include "shell.h"
#include "test.h"

TEST_CASE("bindings", .teardown = shell_clean);

/* Makes the binding of m.v and shows it. */
#define BIND                                                                                                           \
    "b=$PWD/scripts; p=${PYTHON:-python3}; f=\"--default-language 1364-2005 -Wno-fatal --top-module m -y . m.v\"; cd " \
    "$D && "                                                                                                           \
    "$b/report.sh m.design -Mdir x $b/probes.vlt $f >/dev/null && ${VERILATOR:-verilator} --cc --prefix Vm -Mdir cpp " \
    "$f "                                                                                                              \
    ">/dev/null && $p $b/bindings.py m m m.design . && cat m.h m_glue.cpp m.ports"

TEST(a_binding_has_the_type_that_holds_each_port)
{
    shell_put("m.v", "module m (input a, input [7:0] b, input [8:1] c, input [0:8] d, output [31:0] e, output [32:0] "
                     "f, input [64:0] g);\n"
                     "    assign e = {24'd0, b ^ c}; assign f = {32'd0, a & d[0] & g[0]};\nendmodule\n");
    ck_shell_says(0, "    uint8_t *a; ", BIND);
    ck_output_has("    uint8_t *b; ");
    ck_output_has("    uint8_t *c; ");
    ck_output_has("    uint16_t *d; ");
    ck_output_has("    const uint32_t *e; ");
    ck_output_has("    const uint64_t *f; ");
    ck_output_has("    uint32_t *g; ");
    ck_output_has("65 bits, 3 words");
}

TEST(a_binding_splits_an_inout_port)
{
    shell_put("m.v", "module m (input a, inout b, input b_i);\n    assign b = a & b_i ? 1'b0 : 1'bz;\nendmodule\n");
    ck_shell_says(0, "    output wire \\b ,\n    input wire \\b_i_ ,\n    input wire \\b_ie ,\n    input wire \\b_i \n",
                  BIND "; $p $b/bindings.py --split m m m.design . && cat m_pins.v");
}

TEST(a_binding_renames_what_means_something_in_c)
{
    shell_put("m.v", "module m (input new, input class, input class_, input \\a.b , output model);\n"
                     "    assign model = new ^ class ^ class_ ^ \\a.b ;\nendmodule\n");
    ck_shell_says(0, "    uint8_t *new_;                           /* input, 1 bit; new in Verilog */\n", BIND);
    ck_output_has("    uint8_t *class__; ");
    ck_output_has("    uint8_t *class_; ");
    ck_output_has("    uint8_t *a_b; ");
    ck_output_has("    {\"new\", 1, 0, offsetof(m, new_)},\n");
    ck_output_has("\nmodel model_ output 1 - -\n");
}

/* Which ports act by their edges, and how: the last lines are NAME.ports, and the list of those whose falling edges
 * matter. */
static const struct {
    const char *body, *ports, *falling;
} edges[] = {
    {"always @(posedge c) q <= a;", "c c input 1 - clock\nr r input 1 - -\n", "\"\",\n"},
    {"always @(negedge c) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"always @(posedge c or negedge r) if (!r) q <= 0; else q <= a;", "c c input 1 - clock\nr r input 1 - reset_low\n",
     "\"r\",\n"},
    {"always @(posedge c or posedge r) if (r) q <= 0; else q <= a;", "c c input 1 - clock\nr r input 1 - reset_high\n",
     "\"\",\n"},
    {"wire n = ~c; always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"wire n = ~r; always @(posedge c or posedge n) if (n) q <= 0; else q <= a;", "r r input 1 - reset_low\n",
     "\"r\",\n"},
    {"wire g = c & r; always @(posedge g) q <= a;", "c c input 1 - -\nr r input 1 - -\n", "\"c r\",\n"},
    {"reg g; always @* begin g = c; if (r) g = 0; end always @(posedge g) q <= a;", "c c input 1 - -\n", "\"c r\",\n"},
    {"wire n; inv i (.i(c), .o(n)); always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"c\",\n"},
    {"wire n; inv i (.i(~c), .o(n)); always @(posedge n) q <= a;", "c c input 1 - clock\n", "\"\",\n"},
    {"ff i (.k(~c), .d(a), .o(q));", "c c input 1 - clock\n", "\"c\",\n"},
};

TEST(a_binding_knows_clocks_and_resets, .to = COUNT(edges))
{
    char text[512];
    snprintf(text, sizeof text, "module m (input c, input r, input a, output %sq);\n    %s\nendmodule\n",
             strstr(edges[_i].body, "ff i") ? "" : "reg ", edges[_i].body);
    shell_put("m.v", text);
    shell_put("inv.v", "module inv (input i, output o);\n    assign o = !i;\nendmodule\n");
    shell_put("ff.v", "module ff (input k, input d, output reg o);\n    always @(posedge k) o <= d;\nendmodule\n");
    ck_shell_says(0, edges[_i].ports, BIND);
    char want[32];
    snprintf(want, sizeof want, "ports[0] - 1, %s", edges[_i].falling);
    ck_output_has(want);
}

static const char *const probe = "module p (input clk, input a, output reg b);\n    wire probe_busy = a;\n"
                                 "    always @(posedge clk) b <= a;\nendmodule\n";

TEST(a_probe_on_a_gated_clock_is_refused_by_name)
{
    shell_put("p.v", probe);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    wire gated = clk & gate;\n"
                     "    p inner (.clk(gated), .a(a), .b(b));\nendmodule\n");
    ck_shell_fails("m.inner (p) declares probe_busy", BIND);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    p inner (.clk(clk & gate), .a(a), "
                     ".b(b));\nendmodule\n");
    ck_assert_int_ne(shell_says(BIND), 0);
    shell_put("m.v", "module m (input clk, input gate, input a, output b);\n    p inner (.clk(clk), .a(a & gate), "
                     ".b(b));\nendmodule\n");
    ck_shell_says(0, "{\"m.inner\", \"m.inner\", \"p\", \"\", \"clk\", \"\", signals_0, 1}", BIND);
}

TEST(each_turn_of_a_generate_loop_has_its_own_clock)
{
    shell_put("p.v", probe);
    shell_put(
        "m.v",
        "module m (input clk_a, input clk_b, input [1:0] a, output [1:0] b);\n    genvar i;\n    generate\n"
        "        for (i = 0; i < 2; i = i + 1) begin : turn\n            wire clk;\n"
        "            if (i == 0) begin : on_a\n                assign clk = clk_a;\n            end else begin : on_b\n"
        "                assign clk = clk_b;\n            end\n"
        "            p inner (.clk(clk), .a(a[i]), .b(b[i]));\n        end\n    endgenerate\nendmodule\n");
    ck_shell_says(0, "{\"m.turn[0].inner\", \"m.turn[0].inner\", \"p\", \"\", \"clk_a\", \"\", signals_0, 1}", BIND);
    ck_output_has("{\"m.turn[1].inner\", \"m.turn[1].inner\", \"p\", \"\", \"clk_b\", \"\", signals_0, 1}");
}

TEST(each_side_of_a_module_between_two_clocks_has_its_own_probes)
{
    shell_put("m.v", "module m (input wr_clk, input rd_clk, input a, output reg b);\n"
                     "    wire wr_probe_busy = a;\n    wire wr_probe_stall_full = b;\n    wire rd_probe_busy = b;\n"
                     "    wire [1:0] rd_probe_level = {a, b};\n"
                     "    always @(posedge wr_clk) b <= a;\nendmodule\n");
    ck_shell_says(0, "{\"m\", \"m\", \"m\", \"rd\", \"rd_clk\", \"\", signals_0, 2}", BIND);
    ck_output_has("{\"m\", \"m\", \"m\", \"wr\", \"wr_clk\", \"\", signals_1, 2}");
    ck_output_has("{\"wr_probe_stall_full\", SIM_PROBE_STALL, \"full\", \"\"}");
    ck_output_has("{\"rd_probe_level\", SIM_PROBE_LEVEL, \"\", \"\"}");
}

static const struct {
    const char *declared, *said;
} wrong_probes[] = {
    {"probe_sall = a",
     "m.probe_sall: expected probe_busy, _stall, _stall_REASON, _start, _done, _level, _state or _state_NAME"},
    {"probe_stall = a", "m (m) declares probe_stall, but no probe_busy"},
    {"wr_probe_busy = a", "declares wr_probe_busy, but its port `wr_clk` cannot be followed to a port of m"}};

TEST(a_probe_that_would_not_be_counted_is_refused, .to = COUNT(wrong_probes))
{
    char text[300];
    snprintf(
        text, sizeof text,
        "module m (input clk, input a, output reg b);\n    wire %s;\n    always @(posedge clk) b <= a;\nendmodule\n",
        wrong_probes[_i].declared);
    shell_put("m.v", text);
    ck_shell_fails(wrong_probes[_i].said, BIND);
}

TEST(a_probe_wider_than_a_bit_is_refused)
{
    shell_put("m.v", "module m (input clk, input [1:0] a, output reg b);\n    wire [1:0] probe_busy = a;\n    always "
                     "@(posedge clk) b <= a[0];\n"
                     "endmodule\n");
    ck_shell_fails("m.probe_busy must be one bit wide", BIND);
}
