// Merges three streams of whole frames: ACKs before all else, data and other frames alternately.
//
// A frame that has begun, or has been shown to the MAC, stays until its end. No clock is lost between frames, and words
// pass without delay. `data_shown` and `ack_shown`: the MAC sees one of these now, so it will be sent to its end.
`default_nettype none
module roce_tx_mac #(
    // bytes per word, a power of two, 8..64
    parameter BYTES = 8
) (
    input  wire                     clk,
    input  wire                     rst,
    // frames; `bytes` of their last words, 0 = all
    input  wire                     ack_valid,
    output wire                     ack_ready,
    output wire                     ack_shown,
    input  wire [8*BYTES-1:0]       ack_data,
    input  wire                     ack_last,
    input  wire [$clog2(BYTES)-1:0] ack_bytes,
    input  wire                     data_valid,
    output wire                     data_ready,
    output wire                     data_shown,
    input  wire [8*BYTES-1:0]       data_data,
    input  wire                     data_last,
    input  wire [$clog2(BYTES)-1:0] data_bytes,
    input  wire                     other_valid,
    output wire                     other_ready,
    input  wire [8*BYTES-1:0]       other_data,
    input  wire                     other_last,
    input  wire [$clog2(BYTES)-1:0] other_bytes,
    // to the MAC
    output wire                     tx_tvalid,
    input  wire                     tx_tready,
    output reg  [8*BYTES-1:0]       tx_tdata,
    output reg  [BYTES-1:0]         tx_tkeep,
    output reg                      tx_tlast
);
    localparam LB = $clog2(BYTES);
    localparam [1:0] ACK = 2'd0, DATA = 2'd1, OTHER = 2'd2;

    reg           locked;        // to `holder`, whose frame is shown
    reg  [1:0]    holder;
    reg           data_was_last; // of data and other
    reg  [1:0]    chosen;
    reg  [LB-1:0] bytes;
    integer       i;

    always @* begin
        chosen = ACK;
        if (locked)
            chosen = holder;
        else if (!ack_valid)
            chosen = (data_valid && (!other_valid || !data_was_last)) ? DATA : OTHER;
        case (chosen)
            ACK:     {bytes, tx_tlast, tx_tdata} = {ack_bytes, ack_last, ack_data};
            DATA:    {bytes, tx_tlast, tx_tdata} = {data_bytes, data_last, data_data};
            default: {bytes, tx_tlast, tx_tdata} = {other_bytes, other_last, other_data};
        endcase
        for (i = 0; i < BYTES; i = i + 1)
            tx_tkeep[i] = !tx_tlast || bytes == {LB{1'b0}} || i[LB-1:0] < bytes;
    end
    assign tx_tvalid   = (chosen == ACK) ? ack_valid : (chosen == DATA) ? data_valid : other_valid;
    assign ack_shown   = ack_valid && chosen == ACK;
    assign data_shown  = data_valid && chosen == DATA;
    assign ack_ready   = tx_tready && chosen == ACK;
    assign data_ready  = tx_tready && chosen == DATA;
    assign other_ready = tx_tready && chosen == OTHER;

    always @(posedge clk)
        if (rst) begin
            locked        <= 1'b0;
            data_was_last <= 1'b0;
        end else begin
            locked <= tx_tvalid && !(tx_tready && tx_tlast);
            if (tx_tvalid && chosen != ACK) data_was_last <= chosen == DATA;
        end
    always @(posedge clk)
        holder <= chosen;

    // ---- measuring
    wire probe_busy      = tx_tvalid;
    wire probe_stall_mac = tx_tvalid && !tx_tready;
    wire probe_done      = tx_tvalid && tx_tready && tx_tlast;
endmodule
`default_nettype wire
