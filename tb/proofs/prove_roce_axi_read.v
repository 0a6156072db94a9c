// Proof of roce_axi_read with a buffer of four words: `bad` is never high, whatever pieces are asked for and whenever
// memory answers.
//
//   room        no beat of memory finds the buffer full: one that did would overwrite another, and what comes out was
//               out of order
//   order       the words of aligned pieces are the beats of memory, in their order, none lost and none twice
//   ends        each piece ends with its last word
//
// Assumed: memory gives no beat that was not asked for. Beats are numbered modulo 16, more than can be on the chip;
// pieces have 1..4 words.
`default_nettype none
module prove_roce_axi_read (
    input  wire       clk,
    input  wire       any_command,
    input  wire [1:0] any_place,      // within 32 bytes
    input  wire [1:0] any_words,      // less one
    input  wire       any_arready,
    input  wire       any_beat,
    input  wire       any_out_ready,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire        cmd_ready, arvalid, rready, out_valid, out_last, unused_error, unused_busy;
    wire [31:0] araddr;
    wire [7:0]  arlen;
    wire [63:0] out_data;
    reg  [3:0]  asked, given, taken;  // beats, words; modulo 16
    wire        asks   = arvalid && any_arready && running;
    wire        beat   = any_beat && asked != given && running;
    wire        word   = out_valid && any_out_ready && running;
    wire        accept = any_command && cmd_ready && running;
    wire [2:0]  words  = {1'b0, any_words} + 3'd1;

    roce_axi_read #(.BYTES(8), .OUTSTANDING(2), .LOG2_WORDS(2)) reader (
        .clk (clk), .rst (rst), .cmd_valid (any_command && running), .cmd_ready (cmd_ready),
        .cmd_addr ({27'd0, any_place, 3'd0}), .cmd_length ({7'd0, words, 3'd0}), .arvalid (arvalid),
        .arready (any_arready), .araddr (araddr), .arlen (arlen), .rvalid (beat), .rready (rready),
        .rdata ({60'd0, given}), .rresp (2'd0), .out_valid (out_valid), .out_ready (any_out_ready),
        .out_data (out_data), .out_last (out_last), .out_error (unused_error), .busy (unused_busy)
    );

    // pieces that have not come whole: words of the first, the second and the third, all the block can have
    reg  [2:0] first, second, third, fourth;
    wire [2:0] rest  = word ? first - 3'd1 : first;
    wire       over  = word && first == 3'd1;

    always @(posedge clk)
        if (rst) begin
            asked  <= 4'd0;
            given  <= 4'd0;
            taken  <= 4'd0;
            first  <= 3'd0;
            second <= 3'd0;
            third  <= 3'd0;
            fourth <= 3'd0;
        end else begin
            if (asks) asked <= asked + arlen[3:0] + 4'd1;
            if (beat) given <= given + 4'd1;
            if (word) taken <= taken + 4'd1;
            if (over) begin
                {first, second, third, fourth} <= {second, third, fourth, 3'd0};
                if (accept) begin
                    if (second == 3'd0)      first  <= words;
                    else if (third == 3'd0)  second <= words;
                    else if (fourth == 3'd0) third  <= words;
                    else                     fourth <= words;
                end
            end else begin
                first <= rest;
                if (accept) begin
                    if (first == 3'd0)       first  <= words;
                    else if (second == 3'd0) second <= words;
                    else if (third == 3'd0)  third  <= words;
                    else                     fourth <= words;
                end
            end
        end

    assign bad = running && ((word && (out_data[3:0] != taken || first == 3'd0 || out_last != (first == 3'd1)))
                             || (beat && !rready)
                             || (asks && {araddr[3], 1'b0} + {1'b0, arlen[0]} > 2'd2)
                             || (asks && arlen > 8'd1));
endmodule
`default_nettype wire
