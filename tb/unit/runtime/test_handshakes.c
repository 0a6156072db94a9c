/* Modules without probes: handshakes recognised by the names of ports (scripts/handshakes.py), with counts worked out
 * by hand.
 */
#include "full_models.h"
#include "shell.h"
#include "simulation.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "sim/core/kernel/cycles.h"
#include "streams.h"

TEST_CASE("handshakes", .teardown = shell_clean);

/* Inputs of a clock, from left to right: a, b_taken, divide, count, go. */
static const char *const clocks[] = {"10110", "10110", "10111", "00100", "01010", "00000", "00000", "01000"};

struct script {
    streams *m;
    size_t at;
};

static void drive(void *self)
{
    struct script *p = self;
    const char *in = p->at < COUNT(clocks) ? clocks[p->at] : "00000";
    *p->m->a = in[0] == '1';
    *p->m->b_taken = in[1] == '1';
    *p->m->divide = in[2] == '1';
    *p->m->count = in[3] == '1';
    *p->m->go = in[4] == '1';
    p->at++;
}

static sim_cycles_row row_of(const sim_cycles *c, const char *path, uint64_t busy, uint64_t stalled)
{
    sim_cycles_row r;
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++) {
        if (strcmp(r.path, path)) continue;
        ck_assert_uint_eq(r.clocks, COUNT(clocks));
        ck_assert_uint_eq(r.busy, busy);
        ck_assert_uint_eq(r.stalled, stalled);
        return r;
    }
    ck_abort_msg("no row for %s", path);
}

/* stage: clock 0 a word goes in; 1 2 it waits, and one before it; 3 it waits; 4 it leaves; 7 nothing to take.
 * divider: offered in 0 1 2 and taken in 2; offered in 3. counter: counts at the ends of 0 1 2 and 4, so its output
 * differs in 1 2 3 and 5. machine: go in clock 2; WORK in 3, LAST in 4. streams: a_taken, b, divided, counted, at
 * change. */
TEST(modules_without_probes_are_counted_by_their_handshakes_or_their_outputs)
{
    sim *s = quiet_sim(0);
    sim_clock *k = make_clock(s, "k", 10000, 0);
    streams *m = streams_new(s, "dut");
    sim_model_clock(m->model, k, m->clk);
    clear_inputs(m->model);
    *m->rst = 1;
    sim_cycles *c = sim_cycles_new(s);
    ck_assert_int_eq(sim_cycles_add(c, m->model), 5);
    sim_run(s, 50000);
    *m->rst = 0;
    struct script p = {m, 0};
    drive(&p);
    sim_clock_attach(k, NULL, drive, &p);
    sim_cycles_start(c);
    sim_run(s, 50000 + COUNT(clocks) * 10000);
    sim_cycles_stop(c);

    sim_cycles_row r = row_of(c, "streams.stage", 2, 3);
    ck_assert_str_eq(r.by, "handshakes of s_axis, m_axis");
    ck_assert_str_eq(r.module, "stream_stage");
    ck_assert_str_eq(r.reason[0].name, "m_axis");
    ck_assert_uint_eq(r.operations, 1);
    ck_assert_ptr_null(r.latency);
    r = row_of(c, "streams.divider", 4, 0);
    ck_assert_str_eq(r.by, "handshakes of in");
    ck_assert_uint_eq(r.operations, 1);
    r = row_of(c, "streams.counter", 4, 0);
    ck_assert_str_eq(r.by, "changes of its outputs, without a handshake");
    ck_assert_int_eq(r.has_operations, 0);
    r = row_of(c, "streams.machine", 2, 0);
    ck_assert_str_eq(r.by, "tb/unit/runtime/streams.probes");
    ck_assert_uint_eq(r.operations, 1);
    ck_assert_uint_eq(r.latency->max, 2);
    ck_assert_uint_eq(r.level->sum, 3);
    ck_assert_str_eq(r.machine->states, "REST WORK LAST");
    ck_assert_uint_eq(r.machine->clocks[1], 1);
    row_of(c, "streams", 5, 0);
    sim_cycles_free(c);
}

#define PROBES                                                                                                         \
    "b=$PWD/scripts; p=${PYTHON:-python3}; cd $D && $b/report.sh m.design -Mdir x --default-language 1800-2017 "       \
    "-Wno-lint "                                                                                                       \
    "--top-module m m.v >/dev/null && $p $b/bindings.py --probes m m m.design . m.probes && cat m_probes.v"

static const struct {
    const char *ports, *said;
} names[] = {
    {"input clk, S_AXI_AWVALID, output S_AXI_AWREADY, input S_AXI_BREADY, output S_AXI_BVALID",
     "- handshakes of s_axi_aw, s_axi_b\n"},
    {"input clk_i, valid_i, output ready_o, output valid_o, input ready_i", "- handshakes of in, out\n"},
    {"input i_clk, i_valid, output o_ready, output o_valid, input i_ready", "- handshakes of in, out\n"},
    {"input clk, we, re, output full, empty", "- handshakes of we, re\n"},
    {"input clk, push_i, pop_i, output full_o, empty_o", "- handshakes of push, pop\n"},
    {"input clk, fifo_wr_en, fifo_rd_en, output fifo_wr_full, fifo_rd_empty",
     "- handshakes of fifo_wr_en, fifo_rd_en\n"},
    {"input clk, output x_write, input x_full_n, input y_empty_n, output y_read", "|(\\x_write  & \\x_full_n )"},
    {"input clk, input [3:0] req_i, output [3:0] gnt_o", "- handshakes of req\n"},
    {"input clk, i_wb_cyc, i_wb_stb, output o_wb_ack, o_wb_stall",
     "|(\\i_wb_cyc  & \\i_wb_stb  & ~\\o_wb_stall  | (\\o_wb_ack ))"},
    {"input clk, output o_ibus_cyc, input i_ibus_ack", ".probe_stall_ibus(|(\\o_ibus_cyc  & ~"},
    {"input wclk, rclk, winc, rinc, output wfull, rempty", "// by m w handshakes of winc\n"},
    {"input wclk, rclk, winc, rinc, output wfull, rempty", "// by m r handshakes of rinc\n"},
    {"input clk, in_valid, out_ready, output invalid", "- changes of its outputs, without a handshake\n"},
    {"input clk, input struct packed {logic a; logic [1:0] b;} [1:0] x_valid, output [5:0] x_ready",
     "- handshakes of x\n"},
    {"input clk, output [1:0] x_valid, input x_ready", "- changes of its outputs, without a handshake\n"},
};

TEST(names_of_ports_say_what_a_module_does, .to = COUNT(names))
{
    shell_put("m.probes", "");
    const char *two = strstr(names[_i].ports, "rclk");
    const char *clock = strstr(names[_i].ports, "i_clk")   ? "i_clk"
                        : strstr(names[_i].ports, "clk_i") ? "clk_i"
                        : two                              ? "wclk"
                                                           : "clk";
    char text[600];
    snprintf(text, sizeof text, "module m (%s);\n    reg r, q;\n    always @(posedge %s) r <= !r;\n%sendmodule\n",
             names[_i].ports, clock, two ? "    always @(posedge rclk) q <= !q;\n" : "");
    shell_put("m.v", text);
    ck_shell_says(0, names[_i].said, PROBES);
}

/* Where names do not say it: b_rdy and b_vld belong to the registers of clk_y, in a module below. */
TEST(a_channel_runs_on_the_clock_of_its_registers)
{
    shell_put("m.probes", "");
    shell_put("m.v",
              "module m (input clk_x, clk_y, a_vld, b_rdy, output a_rdy, b_vld);\n    reg x;\n    assign a_rdy = !x;\n"
              "    always @(posedge clk_x) x <= a_vld;\n    wire inner;\n    assign b_vld = inner;\n"
              "    n below (.c(clk_y), .go(b_rdy), .there(inner));\nendmodule\n"
              "module n (input c, go, output reg there);\n    always @(posedge c) there <= go;\nendmodule\n");
    ck_shell_says(0, "// by m x handshakes of a\n// by m y handshakes of b\n", PROBES);
}

static const struct {
    const char *line, *said;
} wrong[] = {
    {"m busy", "m.probes:1: expected MODULE PROBE [@CLOCK] = EXPRESSION"},
    {"n probe_busy = a", "m.probes:1: there is no module n in it; expected one of m\n"},
    {"m probe_buzy = a", "m.probes:1: probe_buzy: expected probe_busy, "},
    {"m probe_busy = a", "m.probes:1: which clock of m?; expected @x or @y\n"},
    {"m probe_busy @z = a", "m.probes:1: @z: m has no such clock; expected @x or @y\n"},
};

TEST(a_line_that_names_nothing_is_refused, .to = COUNT(wrong))
{
    shell_put("m.v", "module m (input x, y, a, output reg b, c);\n    always @(posedge x) b <= a;\n    always "
                     "@(posedge y) c <= a;\nendmodule\n");
    shell_put("m.probes", wrong[_i].line);
    ck_shell_fails(wrong[_i].said, PROBES);
}
