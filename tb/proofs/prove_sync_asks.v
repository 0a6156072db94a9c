// Proof of sync_asks: `bad` is never high, whoever asks and whatever is answered.
//
//   four      at most four operations by one queue wait for their answers, and the count is theirs
//   record    the record of an operation is not overwritten before it is taken
//
// Assumed: a queue that is full does not ask; only what has been asked is closed.
`default_nettype none
module prove_sync_asks #(
    parameter NODES = 8
) (
    input  wire        clk,
    input  wire        any_forget,
    input  wire        any_ask,
    input  wire [3:0]  any_queue,
    input  wire [14:0] any_operand,
    input  wire        any_taken,
    input  wire        any_close,
    input  wire [3:0]  any_close_queue,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    localparam [3:0] FOLLOWED = 4'd5;
    wire [NODES-1:0]   full;
    wire [NODES*4-1:0] counts;
    wire               record_valid;
    reg  [2:0]         open;
    wire               exists = any_queue < NODES;
    wire [15:0]        fulls  = {{16-NODES{1'b1}}, full};
    wire               ask    = any_ask && running && exists && !fulls[any_queue] && !any_forget;
    wire               close  = any_close && running && (any_close_queue != FOLLOWED || open != 3'd0);
    always @(posedge clk)
        if (!running || any_forget) open <= 3'd0;
        else                        open <= open + {2'd0, ask && any_queue == FOLLOWED}
                                            - {2'd0, close && any_close_queue == FOLLOWED};

    sync_asks #(.NODES(NODES)) asks (
        .clk (clk), .rst (!running), .forget (any_forget), .ask_valid (ask), .ask_queue (any_queue),
        .ask_operand (any_operand), .full (full), .record_valid (record_valid), .record_taken (any_taken),
        .close_valid (close), .close_queue (any_close_queue), .counts (counts)
    );

    assign bad = running && (open > 3'd4 || counts[4*FOLLOWED +: 4] != {1'b0, open} || (ask && record_valid));
endmodule
`default_nettype wire
