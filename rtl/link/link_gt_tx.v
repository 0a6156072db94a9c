// Transceiver side of the transmitter, one link: turns words into characters and registers them.
//
// SOP word = K27.7 then data 5A A5 5A; idle = four K28.5. One clock from `sop` / `idle` / `data` to the port.
`default_nettype none
module link_gt_tx (
    input  wire        clk,
    input  wire        rst,
    input  wire        idle,       // idle word
    input  wire        sop,        // start of packet
    input  wire [31:0] data,       // if neither
    output reg  [31:0] tx_data,
    output reg  [3:0]  tx_k
);
    localparam [31:0] IDLE_WORD = 32'hBCBC_BCBC;
    localparam [31:0] SOP_WORD  = 32'hFB5A_A55A;

    always @(posedge clk)
        if (rst) begin
            tx_data <= IDLE_WORD;
            tx_k    <= 4'b1111;
        end else begin
            tx_data <= idle ? IDLE_WORD : sop ? SOP_WORD : data;
            tx_k    <= idle ? 4'b1111 : sop ? 4'b1000 : 4'b0000;
        end

    wire probe_busy = (tx_k != 4'b1111);
endmodule
`default_nettype wire
