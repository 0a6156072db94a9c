// Makes the words of one direction of a link entries for trace_memory: two words of a frame each, without the SOP.
//
//     SOP   w0  w1   w2  w3   w4  idle
//             entry 0  entry 1  entry 2         with entry 0: `first`; with entry 2: `last`, `half`
//
// An entry waits for what follows its words, so that `last` is with it. Words outside of frames make entries, too.
`default_nettype none
module trace_words (
    input  wire        clk,
    input  wire        rst,
    input  wire        word_valid,   // a word that is no SOP and not idle
    input  wire        word_sop,
    input  wire        word_end,     // an idle word, or no synchronisation
    input  wire        word_error,   // with word_valid: it came with a code error
    input  wire [31:0] word_data,
    output wire        open,         // level: words of a frame wait here
    output wire        valid,
    output wire [67:0] entry         // [67] a code error, [66] half: [31:0] are 0, [65] last, [64] first
);
    reg         first;
    reg         error;
    reg  [1:0]  count;
    reg  [63:0] pair;
    wire        ends = word_sop || word_end;

    assign open  = (count != 2'd0);
    assign valid = open && (ends || (word_valid && count[1]));
    assign entry = {error, count[0], ends, first, pair};

    always @(posedge clk)
        if (rst) begin
            count <= 2'd0;
            first <= 1'b0;
            error <= 1'b0;
        end else begin
            if (ends)            count <= 2'd0;
            else if (word_valid) count <= (count == 2'd1) ? 2'd2 : 2'd1;
            first <= word_sop || (first && !valid);
            error <= (word_valid && word_error) || (error && !valid);
        end

    always @(posedge clk)
        if (word_valid) pair <= (count == 2'd1) ? {pair[63:32], word_data} : {word_data, 32'd0};

    // ---- measuring
    wire probe_busy = valid;
endmodule
`default_nettype wire
