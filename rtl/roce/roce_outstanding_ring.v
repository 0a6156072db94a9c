// List of operations in progress elsewhere, oldest first: packets handed to TX, data on their way to memory. A queue of
// 2**LOG2_DEPTH entries, each of a QP. Unlike in a FIFO its entries can be searched, and a QP's entries can be dropped
// on a go-back. A dropped entry keeps its place, because its answer still arrives.
//
//   push      at the end; the entry's place is push_slot
//   answer    the oldest entry without an answer, at answer_slot, has it, with or without an error; without such an
//             entry it is dropped
//   pop       the oldest one leaves, if it has its answer
//
// `look_found`: an entry of that QP with that data, or with any data, is queued; combinational, only with LOOK > 0.
//
// Answers arrive in order, so a pointer shows which entries have one. The head is read from LUT memory; flip-flops hold
// only what is compared for all entries at once. Unconnected ports cost nothing: without `forget` and with LOOK_ALL no
// entry has an `alive`.
`default_nettype none
module roce_outstanding_ring #(
    // bits of data of an entry, >= 1
    parameter WIDTH = 8,
    // log2 of the entries, 2..6
    parameter LOG2_DEPTH = 4,
    // bits of data that look_found compares, 0..WIDTH: the lowest ones; 0: it is disabled
    parameter LOOK = 0,
    // 1: look_found sees dropped entries, too
    parameter LOOK_ALL = 0
) (
    input  wire                  clk,
    input  wire                  rst,
    output wire                  full,
    input  wire                  push,
    input  wire [6:0]            push_qp,
    input  wire [WIDTH-1:0]      push_data,
    output wire [LOG2_DEPTH-1:0] push_slot,
    input  wire                  answer,
    input  wire                  answer_error,
    output wire [LOG2_DEPTH-1:0] answer_slot,
    output wire                  head_valid,     // there is an oldest entry
    output wire                  head_answered,  // ... with its answer
    output wire                  head_error,
    output wire                  head_alive,     // ... not dropped
    output wire [6:0]            head_qp,
    output wire [WIDTH-1:0]      head_data,
    input  wire                  pop,
    input  wire                  forget,         // one clock
    input  wire [6:0]            forget_qp,
    input  wire [6:0]            look_qp,
    input  wire [WIDTH-1:0]      look_data,
    input  wire                  look_any,       // whatever its data
    output wire                  look_found,
    output reg                   lost            // one clock: an entry found no space, or an answer no entry
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    localparam [LOG2_DEPTH:0]   ONE     = {{LOG2_DEPTH{1'b0}}, 1'b1};
    localparam [DEPTH-1:0]      ONE_HOT = {{DEPTH-1{1'b0}}, 1'b1};

    initial
        if (WIDTH < 1 || LOG2_DEPTH < 2 || LOG2_DEPTH > 6 || LOOK < 0 || LOOK > WIDTH) begin
            $display("%m: WIDTH must be at least 1, LOG2_DEPTH 2..6, LOOK 0..WIDTH, they are %0d, %0d, %0d", WIDTH,
                     LOG2_DEPTH, LOOK);
            $finish;
        end

    (* ram_style = "distributed" *) reg [WIDTH+6:0] memory [0:DEPTH-1];
    reg [7*DEPTH-1:0]     qps;
    (* ram_style = "distributed" *) reg             errors [0:DEPTH-1];
    reg [DEPTH-1:0]       used, alive;
    reg [LOG2_DEPTH:0]    wr_pointer, answer_pointer, rd_pointer;    // newest + 1; oldest without an answer; oldest
    wire [DEPTH-1:0]      looks, forget_at;
    wire [LOG2_DEPTH:0]   count = wr_pointer - rd_pointer;

    wire accept = push && !full;
    wire take   = pop && head_answered;
    wire came   = answer && answer_pointer != wr_pointer;

    assign full          = count[LOG2_DEPTH];
    assign push_slot     = wr_pointer[LOG2_DEPTH-1:0];
    assign answer_slot   = answer_pointer[LOG2_DEPTH-1:0];
    wire [LOG2_DEPTH-1:0] head = rd_pointer[LOG2_DEPTH-1:0];
    assign head_valid    = wr_pointer != rd_pointer;
    assign head_answered = answer_pointer != rd_pointer;
    assign head_error    = errors[head];
    assign head_alive    = alive[head];
    assign {head_qp, head_data} = memory[head];
    assign look_found    = |looks;

    wire [DEPTH-1:0] push_at = accept ? ONE_HOT << push_slot : {DEPTH{1'b0}};
    wire [DEPTH-1:0] pop_at  = take ? ONE_HOT << head : {DEPTH{1'b0}};

    genvar g;
    generate
        for (g = 0; g < DEPTH; g = g + 1) begin : entry
            assign forget_at[g] = forget && qps[g*7 +: 7] == forget_qp;

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

    always @(posedge clk) begin
        if (accept) memory[push_slot] <= {push_qp, push_data};
        if (came)   errors[answer_slot] <= answer_error;
    end

    always @(posedge clk)
        if (rst) begin
            used           <= {DEPTH{1'b0}};
            alive          <= {DEPTH{1'b0}};
            wr_pointer     <= {LOG2_DEPTH+1{1'b0}};
            answer_pointer <= {LOG2_DEPTH+1{1'b0}};
            rd_pointer     <= {LOG2_DEPTH+1{1'b0}};
            lost           <= 1'b0;
        end else begin
            used     <= (used | push_at) & ~pop_at;
            alive    <= (alive & ~forget_at) | push_at;
            if (accept) wr_pointer     <= wr_pointer + ONE;
            if (came)   answer_pointer <= answer_pointer + ONE;
            if (take)   rd_pointer     <= rd_pointer + ONE;
            lost     <= (push && full) || (answer && !came);
        end

    wire unused = &{1'b0, look_qp, look_data, look_any, used};

    // ---- measuring
    wire                probe_busy  = head_valid;
    wire [LOG2_DEPTH:0] probe_level = count;
endmodule
`default_nettype wire
