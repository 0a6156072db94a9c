// A sequence of the initiator: next address and remaining 64-bit words.
//
// `step` subtracts one data phase. A 32-bit target may leave a word half done: then `odd` is set, the address has bit 2
// set and the byte count is 4 less than 8 x words. `finished` shows in the cycle of the last step, so that a new
// sequence can be loaded in it.
`default_nettype none
module pcix_sequence (
    input  wire        clk,
    input  wire        rst,
    input  wire        load,
    input  wire [63:3] load_address,
    input  wire [9:0]  load_words,
    input  wire        step,                   // a data phase has moved data
    input  wire        wide,                   // the data phase was 64 bits
    input  wire        abandon,                // drop the remainder
    output reg  [63:3] address,                // of the next data phase; its bit 2 is `odd`
    output reg  [9:0]  words,                  // remaining, a half one included
    output reg         odd,                    // the next data phase is the upper half of its word
    output wire        pending,
    output wire        word_done,
    output wire        finished                // in the clock of the last step
);
    assign pending   = (words != 10'd0);
    assign word_done = step && (wide || odd);
    assign finished  = word_done && (words == 10'd1);

    always @(posedge clk)
        if (rst) begin
            address <= 61'd0;
            words   <= 10'd0;
            odd     <= 1'b0;
        end else if (load) begin
            address <= load_address;
            words   <= load_words;
            odd     <= 1'b0;
        end else if (abandon)
            words <= 10'd0;
        else if (word_done) begin
            address <= address + 61'd1;
            words   <= words - 10'd1;
            odd     <= 1'b0;
        end else if (step)
            odd <= 1'b1;

    wire probe_busy      = pending;
    wire probe_stall_bus = pending && !step;
    wire probe_start     = load;
    wire probe_done      = finished || (abandon && pending);
endmodule
`default_nettype wire
