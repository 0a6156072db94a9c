// Byte alignment of one link: finds the start of packet at any byte offset and delivers words that start with it.
//
// The transceiver puts the bytes of the wire into 32-bit words at an arbitrary offset, which changes whenever clock
// correction removes or inserts one K28.5 byte. So the offset is found again at every SOP: K27.7 and the data bytes 5A
// A5 5A, all in the code table, starting at byte 0, 1, 2 or 3 of a word. It is kept until the next SOP; corrections
// fall between frames only, where only idle is shifted. A K27.7 with other bytes after it is just a K character.
//
//      byte offset 2, say:   rx_data      K28.5 K28.5 FB 5A | A5 5A h0 h1 | h2 h3 ...
//                            word         (idle)            | FB 5A A5 5A | h0 h1 h2 h3
//
// Latency: the first byte of a word is on rx_data in clock n, the word is out in clock n+2, for all four offsets.
//
// `word_valid` is low while the transceiver reports loss of sync or a broken elastic buffer: no data in such clocks.
// A K flag on a character that is not in the table is no K character (UG024: K and data show raw bits then).
`default_nettype none
module link_rx_align (
    input  wire        clk,
    input  wire        rst,

    // transceiver
    input  wire [31:0] rx_data,
    input  wire [3:0]  rx_k,
    input  wire [3:0]  rx_notintable, // per byte: no character of the code
    input  wire [3:0]  rx_disperr,    // per byte: wrong running disparity
    input  wire        rx_loss_of_sync, // level
    input  wire        rx_buf_error,  // receive buffer overflow or underflow

    // aligned words
    output reg  [31:0] word,
    output reg         word_valid,
    output reg         word_sop,      // this word is FB 5A A5 5A
    output reg         word_fault,    // a word of remote fault, see link_gt_tx; with word_k
    output reg         word_k,        // a K character is in it (a SOP counts)
    output reg         word_error,    // a code or disparity error is in it
    output reg         word_lost      // synchronisation is lost
);
    reg  [31:0] last_data;
    reg  [3:0]  last_k;
    reg  [3:0]  last_error;
    reg  [3:0]  last_notintable;
    reg         last_usable;
    reg  [1:0]  offset_last;

    // All logic on the pins is in this one block: nothing has to be evaluated when they change between two edges.
    always @(posedge clk) begin : alignment
        // bytes with their flags, oldest first: four of the previous clock, three of this one
        reg  [55:0] data;
        reg  [6:0]  notintable;
        reg  [6:0]  k;
        reg  [6:0]  error;
        reg  [3:0]  sop_at;          // [o]: a SOP starts at byte o of the previous clock's word
        reg         usable;
        reg         found;
        reg  [1:0]  offset;
        reg  [31:0] chosen;
        reg  [3:0]  chosen_k;
        reg  [3:0]  chosen_error;
        integer     o;
        data       = {last_data, rx_data[31:8]};
        notintable = {last_notintable, rx_notintable[3:1]};
        k          = {last_k, rx_k[3:1] & ~rx_notintable[3:1]};
        error      = {last_error, rx_notintable[3:1] | rx_disperr[3:1]};
        usable     = !rx_loss_of_sync && !rx_buf_error;
        sop_at     = 4'b0000;
        for (o = 0; o < 4; o = o + 1)
            if (k[6-o])
                sop_at[o] = (data[55-8*o -: 32] == 32'hFB5A_A55A) && (k[5-o -: 3] == 3'b000)
                            && (notintable[6-o -: 4] == 4'b0000);
        found      = last_usable && usable && (|sop_at);
        offset     = found ? {sop_at[3] | sop_at[2], sop_at[3] | sop_at[1]} : offset_last;
        case (offset)
            2'd0:    {chosen, chosen_k, chosen_error} = {data[55:24], k[6:3], error[6:3]};
            2'd1:    {chosen, chosen_k, chosen_error} = {data[47:16], k[5:2], error[5:2]};
            2'd2:    {chosen, chosen_k, chosen_error} = {data[39:8], k[4:1], error[4:1]};
            default: {chosen, chosen_k, chosen_error} = {data[31:0], k[3:0], error[3:0]};
        endcase

        if (rst) begin
            last_data       <= 32'd0;
            last_k          <= 4'd0;
            last_error      <= 4'd0;
            last_notintable <= 4'd0;
            last_usable     <= 1'b0;
            offset_last     <= 2'd0;
            word            <= 32'd0;
            word_valid      <= 1'b0;
            word_sop        <= 1'b0;
            word_fault      <= 1'b0;
            word_k          <= 1'b0;
            word_error      <= 1'b0;
            word_lost       <= 1'b1;
        end else begin
            last_data       <= rx_data;
            last_k          <= rx_k & ~rx_notintable;
            last_error      <= rx_notintable | rx_disperr;
            last_notintable <= rx_notintable;
            last_usable     <= usable;
            offset_last     <= offset;
            word            <= chosen;
            word_valid      <= last_usable && usable;
            word_sop        <= found;
            // of the twelve K characters K28.1 is the only one that begins with 001
            word_fault      <= last_usable && usable && ((chosen & 32'hE0E0_E0E0) == 32'h2020_2020) && (&chosen_k)
                               && !(|chosen_error);
            word_k          <= |chosen_k;
            word_error      <= |chosen_error;
            word_lost       <= rx_loss_of_sync;
        end
    end

    wire probe_busy = word_valid && !word_k;
endmodule
`default_nettype wire
