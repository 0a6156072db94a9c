// A chip behind a MAC that sends every good frame back: the least that sim/model/ethernet/ethernet_mac.h takes.
//
// Frames are kept whole before they are sent, so that the sender never runs dry within one. A frame with tuser in its
// last word is dropped. It does not look whether it has room: 1024 words are more than its test has on the way.
`default_nettype none

module ethernet_loop #(
    // bytes per clock: 8 or 64
    parameter BYTES = 8
) (
    input  wire               clk,
    input  wire               rst,
    // from the MAC
    input  wire [8*BYTES-1:0] rx_tdata,
    input  wire [BYTES-1:0]   rx_tkeep,
    input  wire               rx_tlast,
    input  wire               rx_tuser,
    input  wire               rx_tvalid,
    // to the MAC
    output wire [8*BYTES-1:0] tx_tdata,
    output wire [BYTES-1:0]   tx_tkeep,
    output wire               tx_tlast,
    output wire               tx_tvalid,
    input  wire               tx_tready
);
    reg [9*BYTES:0] words [0:1023];
    reg [9:0]       write_at, frame_at, read_at;

    always @(posedge clk) begin
        if (rx_tvalid) words[write_at] <= {rx_tlast, rx_tkeep, rx_tdata};
        if (rst) begin
            write_at <= 10'd0;
            frame_at <= 10'd0;
            read_at  <= 10'd0;
        end else begin
            if (rx_tvalid && rx_tlast && rx_tuser) write_at <= frame_at;
            else if (rx_tvalid) write_at <= write_at + 10'd1;
            if (rx_tvalid && rx_tlast && !rx_tuser) frame_at <= write_at + 10'd1;
            if (tx_tvalid && tx_tready) read_at <= read_at + 10'd1;
        end
    end

    assign tx_tvalid = read_at != frame_at;
    assign {tx_tlast, tx_tkeep, tx_tdata} = words[read_at];
endmodule
`default_nettype wire
