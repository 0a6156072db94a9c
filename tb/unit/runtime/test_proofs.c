/* make prove: the quick third of the proofs of this tree, and what it says of proofs of a block that counts to 5. */
#include "shell.h"
#include "test.h"

#define PROVE "env PYTHONDONTWRITEBYTECODE=1 ${PYTHON:-python3} -S scripts/tool.py prove "

TEST_CASE("proofs", .teardown = shell_clean, .timeout = 900);

TEST(the_quick_third_is_as_it_must_be) { ck_shell_says(0, ", each as it must be\n", "QUICK=1 " PROVE); }

TEST(a_proof_of_no_such_name_starts_no_other)
{
    ck_shell_says(2, "prove: expected names of tb/proofs/proofs, or how some begin: none no-*\n",
                  PROVE "locks none 'no-*'");
}

/* What must be, and what is said. */
static const struct {
    const char *line, *said;
    int code;
} of_count[] = {
    {"holds right prove_count", "right                  holds", 0},
    {"fails right prove_count", "   WRONG: expected that it fails, see build/prove/right.log", 1},
    {"fails jumps prove_count | count.v | s/n + 3'd1/n + 3'd3/", "jumps                  fails in clock ", 0},
    {"holds jumps prove_count | count.v | s/n + 3'd1/n + 3'd3/", "   WRONG: expected that it holds", 1},
    {"sees  five  prove_count | n == 3'd5", "five                   seen in clock ", 0},
    {"sees  six   prove_count | n == 3'd6", "six                    not decided in 1 s", 1},
    {"fails same  prove_count | count.v | s/gone/away/", "prove: same: its edit changes nothing in rtl/count.v", 1},
    {"holds hard  prove_factors", "hard                   not decided in 1 s", 1},
    {"holds wrong prove_wrong", "ERROR: ", 1},
};

TEST(a_verdict_is_what_the_gates_do, .to = COUNT(of_count))
{
    shell_says("mkdir -p $D/rtl $D/tb/proofs && ln -s $PWD/scripts $D/scripts");
    shell_put("rtl/count.v",
              "module count (input wire clk, input wire go, output reg [2:0] n);\n    initial n = 3'd0;\n"
              "    always @(posedge clk) if (go) n <= n == 3'd5 ? 3'd0 : n + 3'd1;\nendmodule\n");
    shell_put("tb/proofs/prove_count.v",
              "module prove_count (input wire clk, input wire go, output wire bad);\n    wire [2:0] n;\n"
              "    count block (.clk (clk), .go (go), .n (n));\n    assign bad = n > 3'd5;\nendmodule\n");
    /* 2**61 - 1 is a prime */
    shell_put("tb/proofs/prove_factors.v",
              "module prove_factors (input wire clk, input wire [31:0] a, input wire [31:0] b, output reg bad);\n"
              "    initial bad = 1'b0;\n"
              "    always @(posedge clk) bad <= a > 1 && b > 1 && {32'd0, a} * b == 64'd2305843009213693951;\n"
              "endmodule\n");
    shell_put("tb/proofs/prove_wrong.v", "module prove_wrong (output wire bad;\nendmodule\n");
    shell_put("tb/proofs/proofs", of_count[_i].line);
    ck_shell_says(of_count[_i].code, of_count[_i].said, "cd $D && LIMIT=1 " PROVE "2>&1");
}

TEST(what_is_stopped_says_how_far_it_came)
{
    ck_shell_says(130, "prove: stopped; ", "timeout --preserve-status -s TERM 2 " PROVE " 2>&1");
}
