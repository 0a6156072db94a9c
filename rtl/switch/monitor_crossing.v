// Takes the monitor's accesses into another clock and brings their answers back, one at a time.
//
// `a_access` is high for a clock; address and data are held until `a_done`. The same access appears at b. Each
// direction is a sync_word with a bit that changes with every access: about 40 clocks per access.
`default_nettype none
module monitor_crossing (
    input  wire        a_clk,
    input  wire        a_rst,
    input  wire        a_access,
    input  wire        a_we,
    input  wire [14:2] a_addr,
    input  wire [31:0] a_wdata,
    output wire        a_done,
    output wire [31:0] a_rdata,      // 0 except in the clock of `a_done`

    input  wire        b_clk,
    input  wire        b_rst,
    output wire        b_access,
    output wire        b_we,
    output wire [14:2] b_addr,
    output wire [31:0] b_wdata,
    input  wire        b_done,
    input  wire [31:0] b_rdata
);
    reg         asked;               // changes with every access
    reg         a_answered;          // the last answer received
    wire        a_update;
    wire [32:0] a_answer;
    reg         b_seen;              // the last access received
    wire        b_update;
    wire        b_asked;
    reg  [32:0] b_answer;
    wire        request_taken, answer_taken, a_wake, b_wake;

    sync_word #(.WIDTH(47)) way_there (
        .src_clk (a_clk), .src_rst (a_rst), .src_data ({asked, a_we, a_addr, a_wdata}), .src_taken (request_taken),
        .dst_clk (b_clk), .dst_run_clk (b_clk), .dst_wake (b_wake), .dst_rst (b_rst),
        .dst_data ({b_asked, b_we, b_addr, b_wdata}), .dst_update (b_update)
    );
    sync_word #(.WIDTH(33)) way_back (
        .src_clk (b_clk), .src_rst (b_rst), .src_data (b_answer), .src_taken (answer_taken),
        .dst_clk (a_clk), .dst_run_clk (a_clk), .dst_wake (a_wake), .dst_rst (a_rst),
        .dst_data (a_answer), .dst_update (a_update)
    );

    assign b_access = b_update && b_asked != b_seen;
    assign a_done   = a_update && a_answer[32] != a_answered;
    assign a_rdata  = a_answer[31:0] & {32{a_done}};

    always @(posedge a_clk)
        if (a_rst) begin
            asked      <= 1'b0;
            a_answered <= 1'b0;
        end else begin
            if (a_access) asked <= !asked;
            if (a_done)   a_answered <= a_answer[32];
        end

    always @(posedge b_clk)
        if (b_rst) begin
            b_seen   <= 1'b0;
            b_answer <= 33'd0;
        end else begin
            if (b_access) b_seen <= b_asked;
            if (b_done)   b_answer <= {b_seen, b_rdata};
        end

    wire unused = &{1'b0, request_taken, answer_taken, a_wake, b_wake};
endmodule
`default_nettype wire
