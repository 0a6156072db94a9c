// What is under way somewhere else, oldest first: reads asked for, packets handed on, writes not yet answered. A queue of 2**LOG2_DEPTH
// entries, each of a QP, of which one thing more than of a FIFO is wanted: when a QP starts anew, what is under way for its former life
// must not touch the new one. `forget` marks those entries; they stay in their places, because their answers still come.
//
//   push      at the end; the entry's place is push_slot. `push_answered`: nothing is waited for
//   answer    the entry at answer_slot has its answer, with or without an error; at the oldest one it may come in the clock of `pop`
//   pop       the oldest one leaves
//
// `look_found`: an entry of that QP with that data, or with any data, is in the queue; combinational, only with LOOK > 0.
//
// What stands at the head comes from LUT memory; flip-flops have only what is compared for all entries at once.
`default_nettype none
module roce_outstanding_ring #(
    // bits of data of an entry, >= 1
    parameter WIDTH = 8,
    // log2 of the entries, 2..6
    parameter LOG2_DEPTH = 4,
    // bits of data that look_found compares, 0..WIDTH: the lowest ones; 0: it does not work
    parameter LOOK = 0,
    // 1: look_found sees forgotten entries, too
    parameter LOOK_ALL = 0
) (
    input  wire                  clk,
    input  wire                  rst,
    output wire                  full,
    input  wire                  push,
    input  wire [6:0]            push_qp,
    input  wire [WIDTH-1:0]      push_data,
    input  wire                  push_answered,
    output wire [LOG2_DEPTH-1:0] push_slot,
    input  wire                  answer,
    input  wire [LOG2_DEPTH-1:0] answer_slot,
    input  wire                  answer_error,
    output wire                  head_valid,     // there is an oldest entry
    output wire                  head_answered,  // ... with its answer
    output wire                  head_error,
    output wire                  head_alive,     // ... not forgotten
    output wire [6:0]            head_qp,
    output wire [WIDTH-1:0]      head_data,
    input  wire                  pop,
    input  wire                  forget,         // one clock
    input  wire [6:0]            forget_qp,
    input  wire [6:0]            look_qp,
    input  wire [WIDTH-1:0]      look_data,
    input  wire                  look_any,       // whatever its data
    output wire                  look_found,
    output wire                  forget_found,   // an entry of forget_qp is in the queue, forgotten or not; combinational
    output reg                   overflow        // one clock: an entry is lost
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    localparam [LOG2_DEPTH:0]   ONE     = {{LOG2_DEPTH{1'b0}}, 1'b1};
    localparam [LOG2_DEPTH-1:0] STEP    = ONE[LOG2_DEPTH-1:0];
    localparam [DEPTH-1:0]      ONE_HOT = {{DEPTH-1{1'b0}}, 1'b1};

    initial
        if (WIDTH < 1 || LOG2_DEPTH < 2 || LOG2_DEPTH > 6 || LOOK < 0 || LOOK > WIDTH) begin
            $display("%m: WIDTH must be at least 1, LOG2_DEPTH 2..6, LOOK 0..WIDTH, they are %0d, %0d, %0d", WIDTH, LOG2_DEPTH, LOOK);
            $finish;
        end

    (* ram_style = "distributed" *) reg [WIDTH+6:0] memory [0:DEPTH-1];
    reg [7*DEPTH-1:0]     qps;
    reg [DEPTH-1:0]       used, alive, answered, errors;
    reg [LOG2_DEPTH-1:0]  wr_pointer, rd_pointer;
    reg [LOG2_DEPTH:0]    count;
    wire [DEPTH-1:0]      looks;

    wire accept = push && !full;
    wire take   = pop && head_valid;

    assign full          = count[LOG2_DEPTH];
    assign push_slot     = wr_pointer;
    assign head_valid    = (count != {LOG2_DEPTH+1{1'b0}});
    assign head_answered = head_valid && answered[rd_pointer];
    assign head_error    = errors[rd_pointer];
    assign head_alive    = alive[rd_pointer];
    assign {head_qp, head_data} = memory[rd_pointer];
    assign look_found    = |looks;
    wire [DEPTH-1:0]      same;
    assign forget_found  = |(used & same);

    wire [DEPTH-1:0] push_at   = accept ? ONE_HOT << wr_pointer : {DEPTH{1'b0}};
    wire [DEPTH-1:0] pop_at    = take ? ONE_HOT << rd_pointer : {DEPTH{1'b0}};
    wire [DEPTH-1:0] answer_at = answer ? ONE_HOT << answer_slot : {DEPTH{1'b0}};
    wire [DEPTH-1:0] forget_at;

    genvar g;
    generate
        for (g = 0; g < DEPTH; g = g + 1) begin : entry
            assign same[g]      = qps[g*7 +: 7] == forget_qp;
            assign forget_at[g] = forget && same[g];

            always @(posedge clk)
                if (push_at[g]) qps[g*7 +: 7] <= push_qp;

            if (LOOK != 0) begin : compared
                reg [LOOK-1:0] word;
                always @(posedge clk)
                    if (push_at[g]) word <= push_data[LOOK-1:0];
                assign looks[g] = used[g] && (LOOK_ALL != 0 || alive[g]) && (qps[g*7 +: 7] == look_qp) &&
                                  (look_any || word == look_data[LOOK-1:0]);
            end else begin : not_compared
                assign looks[g] = 1'b0;
            end
        end
    endgenerate

    always @(posedge clk)
        if (accept) memory[wr_pointer] <= {push_qp, push_data};

    always @(posedge clk)
        if (rst) begin
            used       <= {DEPTH{1'b0}};
            alive      <= {DEPTH{1'b0}};
            answered   <= {DEPTH{1'b0}};
            errors     <= {DEPTH{1'b0}};
            wr_pointer <= {LOG2_DEPTH{1'b0}};
            rd_pointer <= {LOG2_DEPTH{1'b0}};
            count      <= {LOG2_DEPTH+1{1'b0}};
            overflow   <= 1'b0;
        end else begin
            used     <= (used | push_at) & ~pop_at;
            alive    <= (alive & ~forget_at) | push_at;
            answered <= (answered & ~push_at) | (push_answered ? push_at : {DEPTH{1'b0}}) | answer_at;
            errors   <= (errors & ~push_at) | (answer_error ? answer_at : {DEPTH{1'b0}});
            if (accept) wr_pointer <= wr_pointer + STEP;
            if (take)   rd_pointer <= rd_pointer + STEP;
            if (accept && !take) count <= count + ONE;
            if (take && !accept) count <= count - ONE;
            overflow <= push && full;
        end

    wire unused = &{1'b0, look_qp, look_data, look_any, used};

    // ---- measuring
    wire                probe_busy  = head_valid;
    wire [LOG2_DEPTH:0] probe_level = count;
endmodule
`default_nettype wire
