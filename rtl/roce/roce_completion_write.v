// Writes single 32-bit words by AXI4, in order, with ID 0: completion entries and doorbells. Each is a burst of a beat.
//
// A command is taken when both of its channels are free, so at best every second clock. Up to 32 are outstanding; the
// answers arrive in order, each with its `cmd_tag`.
`default_nettype none
module roce_completion_write #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8,
    // bits of a tag, >= 1
    parameter TAG = 8
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               cmd_valid,
    output wire               cmd_ready,
    input  wire [31:0]        cmd_addr,      // a multiple of 4
    input  wire [31:0]        cmd_data,
    input  wire [TAG-1:0]     cmd_tag,
    output wire               busy,          // a write is outstanding
    input  wire               hold,          // no answer in this clock
    output wire               done_valid,    // one clock each
    output wire               done_error,    // SLVERR or DECERR
    output wire [TAG-1:0]     done_tag,

    output reg                awvalid,
    input  wire               awready,
    output reg  [31:0]        awaddr,
    output wire [7:0]         awlen,
    output reg                wvalid,
    input  wire               wready,
    output wire [8*BYTES-1:0] wdata,
    output reg  [BYTES-1:0]   wstrb,
    output wire               wlast,
    input  wire               bvalid,
    output wire               bready,
    input  wire [1:0]         bresp
);
    localparam LB = $clog2(BYTES);

    reg  [31:0]      word;
    wire             full, any, overflow, underflow;
    wire [5:0]       count;
    wire             take  = cmd_valid && cmd_ready;
    wire [BYTES-1:0] lanes = {{BYTES-4{1'b0}}, 4'hf};
    wire [LB-1:0]    byte0 = {cmd_addr[LB-1:2], 2'b00};

    assign cmd_ready  = !full && !awvalid && !wvalid;
    assign awlen      = 8'd0;
    assign wlast      = 1'b1;
    assign wdata      = {BYTES/4{word}};
    assign busy       = awvalid || wvalid || any;
    assign bready     = !hold;
    assign done_valid = bvalid && bready && any;
    assign done_error = bresp[1];

    fifo_sync #(.WIDTH(TAG), .LOG2_DEPTH(5)) tags (
        .clk (clk), .rst (rst), .wr_valid (take), .wr_data (cmd_tag), .full (full), .rd_data (done_tag),
        .rd_valid (any), .rd_pop (done_valid), .count (count), .overflow (overflow), .underflow (underflow)
    );

    always @(posedge clk) begin
        if (take) begin
            awaddr <= {cmd_addr[31:LB], {LB{1'b0}}};
            word   <= cmd_data;
            wstrb  <= lanes << byte0;
        end
        if (rst) begin
            awvalid <= 1'b0;
            wvalid  <= 1'b0;
        end else begin
            awvalid <= take || (awvalid && !awready);
            wvalid  <= take || (wvalid && !wready);
        end
    end

    wire unused = &{1'b0, bresp[0], cmd_addr[1:0], count, overflow, underflow};

    // ---- measuring
    wire probe_busy = busy;
endmodule
`default_nettype wire
