// Transceiver side of the transmitter, one link: turns words into characters and registers them.
//
// SOP word = K27.7 then data 5A A5 5A; idle = four K28.5. One clock from `sop` / `idle` / `data` to the port.
//
// With `fault` two of four idle words are words of remote fault, four K28.1: this end receives nothing, so packets of
// the link partner are lost (link_sync; the name is that of IEEE 802.3, clause 46). Two in a row, so that one of them
// fills a whole word of the receiver at any byte offset; idle words between, for the partner's clock correction. They
// go on while all else is gated, so this clock never stops.
`default_nettype none
module link_gt_tx (
    input  wire        clk,
    input  wire        rst,
    input  wire        fault,      // level: notify the link partner that nothing is received
    input  wire        idle,       // idle word
    input  wire        sop,        // start of packet
    input  wire [31:0] data,       // if neither
    output reg  [31:0] tx_data,
    output reg  [3:0]  tx_k
);
    localparam [31:0] IDLE_WORD  = 32'hBCBC_BCBC;
    localparam [31:0] FAULT_WORD = 32'h3C3C_3C3C;
    localparam [31:0] SOP_WORD   = 32'hFB5A_A55A;

    reg [1:0] turn;

    always @(posedge clk)
        if (rst) begin
            tx_data <= IDLE_WORD;
            tx_k    <= 4'b1111;
            turn    <= 2'd0;
        end else begin
            turn    <= turn + {1'b0, fault};
            tx_data <= !idle ? (sop ? SOP_WORD : data) : (fault && turn[1]) ? FAULT_WORD : IDLE_WORD;
            tx_k    <= idle ? 4'b1111 : sop ? 4'b1000 : 4'b0000;
        end

    wire probe_busy = (tx_k != 4'b1111);
endmodule
`default_nettype wire
