// Transceiver side of the transmitter, one link: turns words into characters and registers them.
//
// SOP word = K27.7 then data 5A A5 5A; idle = four K28.5. One clock from `sop` / `idle` / `data` to the port.
//
// With `fault` two of four idle words are words of remote fault, four K28.1: nothing is heard here, so what the far end sends is lost
// (link_sync; the name is that of IEEE 802.3, clause 46). Two in a row, since one of them stands whole in a word of the receiver then, at
// whatever byte its words begin; and idle words between, for the far end's clock correction. They go on while all else rests, so this clock
// never does.
`default_nettype none
module link_gt_tx (
    input  wire        clk,
    input  wire        rst,
    input  wire        fault,      // level: the far end is told that nothing is heard
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
