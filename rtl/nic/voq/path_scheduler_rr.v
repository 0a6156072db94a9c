// Path scheduler, round robin over packets: an alternative to path_scheduler.v, which has the contract. Per destination
// the path behind the one of the last packet goes next, or the first one behind it that is eligible. Alternating long
// and short packets then always take different paths and load them unevenly.
`default_nettype none
module path_scheduler_rr #(
    // paths, 1..4
    parameter PATHS = 4,
    // log2 of the lanes, 1..4
    parameter LOG2_LANES = 3
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [LOG2_LANES-1:0] lane,
    input  wire [PATHS-1:0]      eligible,
    input  wire [PATHS-1:0]      in_use,
    input  wire                  take,
    input  wire [9:0]            take_words,
    output wire                  any,
    output wire [PATHS-1:0]      grant,
    output wire [1:0]            index
);
    localparam LANES = 1 << LOG2_LANES;

    initial
        if (PATHS < 1 || PATHS > 4 || LOG2_LANES < 1 || LOG2_LANES > 4) begin
            $display("%m: PATHS must be 1..4, is %0d; LOG2_LANES 1..4, is %0d", PATHS, LOG2_LANES);
            $finish;
        end

    (* ram_style = "distributed" *) reg [1:0] next [0:LANES-1];   // the path that comes first
    reg  [LANES-1:0] started;
    wire [1:0]       turn  = next[lane] & {2{started[lane]}};
    wire [3:0]       open  = {{4-PATHS{1'b0}}, eligible};
    wire [3:0]       above = open & (4'hf << turn);
    wire [3:0]       among = (above != 4'd0) ? above : open;
    wire [3:0]       first = among & (~among + 4'd1);

    assign any   = |eligible;
    assign grant = first[PATHS-1:0];
    assign index = {first[3] || first[2], first[3] || first[1]};

    always @(posedge clk)
        if (take) next[lane] <= index + 2'd1;

    always @(posedge clk)
        if (rst)       started <= {LANES{1'b0}};
        else if (take) started <= started | ({{LANES-1{1'b0}}, 1'b1} << lane);

    wire unused = &{1'b0, in_use, take_words, first};

    // ---- measuring
    wire probe_busy  = |eligible;
    wire probe_start = take;
    wire probe_done  = take;
endmodule
`default_nettype wire
