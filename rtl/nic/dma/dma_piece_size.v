// Sizes that follow from two settings: how long a packet may be, and how much of a transfer is read at once.
//
// A packet may be `limit` words long: the payload limit, but never more than the longest read, since a packet must not
// be divided between reads. A transfer that is longer than the longest read is read in pieces of `whole` words: the
// largest multiple of `limit` that one read may ask for, so that pieces end where packets end.
//
// `whole` is found by repeated addition of `limit`: at most LONGEST clocks after a change, in which `settled` is low.
`default_nettype none
module dma_piece_size #(
    // most words of a piece, 64..512
    parameter PIECE_WORDS = 512
) (
    input  wire       clk,
    input  wire       rst,
    input  wire [9:0] cfg_payload_limit,   // 1..512
    input  wire [9:0] cfg_max_read_words,  // 64..512
    output wire [9:0] longest,             // most words of a read
    output wire [9:0] limit,               // longest payload of a packet [words]
    output wire [9:0] whole,               // most words of a piece of a longer transfer
    output wire       settled              // the three belong together and to the settings
);
    localparam [9:0] MOST = PIECE_WORDS[9:0];

    initial
        if (PIECE_WORDS < 64 || PIECE_WORDS > 512) begin
            $display("%m: PIECE_WORDS must be 64..512, is %0d", PIECE_WORDS);
            $finish;
        end

    reg  [9:0] read_now;
    reg  [9:0] limit_now;
    reg  [9:0] sum;
    wire [9:0] read_set  = (cfg_max_read_words > MOST) ? MOST : cfg_max_read_words;
    wire [9:0] limit_set = (cfg_payload_limit > read_set) ? read_set : cfg_payload_limit;
    wire       changed   = (read_set != read_now) || (limit_set != limit_now);
    wire [10:0] more     = {1'b0, sum} + {1'b0, limit_now};
    wire       fits      = (more <= {1'b0, read_now});

    assign longest = read_now;
    assign limit   = limit_now;
    assign whole   = sum;
    assign settled = !changed && !fits;

    always @(posedge clk)
        if (rst) begin
            read_now  <= MOST;
            limit_now <= MOST;
            sum       <= 10'd0;
        end else if (changed) begin
            read_now  <= read_set;
            limit_now <= limit_set;
            sum       <= 10'd0;
        end else if (fits)
            sum       <= more[9:0];

    // ---- measuring
    wire probe_busy  = !settled;
    wire probe_start = changed;
    wire probe_done  = settled;
endmodule
`default_nettype wire
