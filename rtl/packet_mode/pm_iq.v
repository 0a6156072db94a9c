// The bufferless crossbar that S3 compares with (S3 V, VI-A): VOQs at the inputs, cells, and a matcher that pairs
// inputs with outputs while the cell before moves. A pair stays until its packet's last cell. Same pins as pm_switch
// where they apply.
//
//   first word of a packet at t, first clock of a cell  requested in that cell, matched in the cell's last clock, t + 7
//   first word on its way                t + 8, the first clock of the next cell; on the line out at t + 10
//
// A packet that arrives within a cell is requested in the next one. A decision takes a cell, the time of the cell
// before (S3 table I), so SCHEDULING_CLOCKS has no other value here, and any other is refused.
`default_nettype none
`include "slots.vh"
module pm_iq #(
    parameter PORTS       = 16,       // 2..16
    parameter CELL_WORDS  = 8,        // 3..64
    parameter MOST_WORDS  = 1024,     // longest packet, 2..4096
    parameter SCHEDULING_CLOCKS = CELL_WORDS, // no other value
    parameter VOQ_WORDS   = 8192,     // `line_full` from here on
    parameter VOQ_BLOCKS  = 4096,     // memory of an ingress card, blocks of 64 words
    parameter VOQ_PACKETS = 16384,    // packets in a VOQ
    // computed, not to be set
    parameter PW          = $clog2(PORTS)
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [PORTS-1:0]       line_valid,
    input  wire [PORTS-1:0]       line_first,
    input  wire [PORTS*PW-1:0]    line_output,
    input  wire [PORTS*13-1:0]    line_words,
    input  wire [PORTS*64-1:0]    line_word,
    output wire [PORTS*PORTS-1:0] line_full,
    input  wire                   line_held,      // 1: packets count when they are released
    input  wire [PORTS-1:0]       line_release,
    input  wire [PORTS*PW-1:0]    release_output,
    output reg  [PORTS-1:0]       out_valid,
    output reg  [PORTS-1:0]       out_first,
    output reg  [PORTS-1:0]       out_last,
    output reg  [PORTS*PW-1:0]    out_input,
    output reg  [PORTS*64-1:0]    out_word,
    output wire [PORTS-1:0]       link_valid,
    output wire [PORTS*64-1:0]    link_word,
    output wire [PORTS-1:0]       error_line,
    output reg  [PORTS-1:0]       error_words,    // two inputs send to this output
    output wire [PORTS-1:0]       event_pair,     // per input: a pair is made
    output reg  [PORTS-1:0]       event_ended,    // per input: the cell before was the last of its packet and no other
    output reg  [PORTS-1:0]       event_lone      // per input: ... and its pair is made again at once (S3 V)
);
    localparam BITS = $clog2(CELL_WORDS);
    localparam [31:0] LAST_WORD = CELL_WORDS - 1;
    // Most words that a source that obeys line_full brings into a VOQ, as in pm_switch, without the one being sent.
    localparam MOST_PACKETS = VOQ_WORDS + 3;
    localparam MOST_BLOCKS  = PORTS * ((MOST_PACKETS + 2 * MOST_WORDS + 62) / 64 + 1);

    initial
        if (SCHEDULING_CLOCKS != CELL_WORDS) begin
            $display("%m: SCHEDULING_CLOCKS must be CELL_WORDS = %0d (cells are matched while the ", CELL_WORDS,
                     "cell before moves), is %0d", SCHEDULING_CLOCKS);
            $finish;
        end else if (VOQ_PACKETS <= MOST_PACKETS) begin
            $display("%m: VOQ_PACKETS must be more than VOQ_WORDS + 3 = %0d, is %0d", MOST_PACKETS, VOQ_PACKETS);
            $finish;
        end else if (VOQ_BLOCKS < MOST_BLOCKS) begin
            $display("%m: VOQ_BLOCKS must be %0d at least, for %0d VOQs of VOQ_WORDS and two longest packets each, ",
                     MOST_BLOCKS, PORTS, "is %0d", VOQ_BLOCKS);
            $finish;
        end

    reg  [BITS-1:0]        place;                 // of this clock in its cell
    wire                   step = (place == LAST_WORD[BITS-1:0]);
    wire                   snap = (place == {{BITS-1{1'b0}}, 1'b1});
    wire [PORTS*PORTS-1:0] waits;
    reg  [PORTS*PORTS-1:0] asked;                 // requests at the start of the cell
    wire [PORTS-1:0]       busy;                  // inputs whose packet goes on
    reg  [PORTS-1:0]       taken;                 // outputs that go on with it
    reg  [PORTS*PORTS-1:0] request;
    wire [PORTS-1:0]       matched;
    wire [PORTS*PW-1:0]    matched_output;
    reg  [PORTS-1:0]       starts;
    reg  [PORTS-1:0]       continues;
    reg  [PORTS-1:0]       sending;               // inputs that have a cell
    wire [PORTS-1:0]       ended     = step ? sending & ~busy : {PORTS{1'b0}};
    wire                   one_ended = ended != {PORTS{1'b0}} && (ended & (ended - 1'b1)) == {PORTS{1'b0}};
    reg  [PORTS*PW-1:0]    to;
    wire [PORTS-1:0]       link_first;
    wire [PORTS-1:0]       link_last;
    wire [PORTS*PW-1:0]    link_output;
    integer                i;

    always @* begin
        i       = 0;
        taken   = {PORTS{1'b0}};
        request = {PORTS*PORTS{1'b0}};
        if (step) begin
            for (i = 0; i < PORTS; i = i + 1) if (busy[i]) taken[to[PW*i +: PW]] = 1'b1;
            for (i = 0; i < PORTS; i = i + 1)
                if (!busy[i]) request[PORTS*i +: PORTS] = asked[PORTS*i +: PORTS] & ~taken;
        end
    end

    `PM_MATCHER #(.PORTS(PORTS)) matcher (
        .clk (clk), .rst (rst), .step (step), .request (request), .matched (matched), .matched_output (matched_output)
    );

    assign event_pair = matched;

    always @(posedge clk)
        if (rst) begin
            place       <= {BITS{1'b0}};
            starts      <= {PORTS{1'b0}};
            continues   <= {PORTS{1'b0}};
            sending     <= {PORTS{1'b0}};
            event_ended <= {PORTS{1'b0}};
            event_lone  <= {PORTS{1'b0}};
        end else begin
            place       <= step ? {BITS{1'b0}} : place + 1'b1;
            starts      <= matched;
            continues   <= step ? busy : {PORTS{1'b0}};
            if (step) sending <= matched | busy;
            event_ended <= one_ended ? ended : {PORTS{1'b0}};
            event_lone  <= {PORTS{1'b0}};
            if (one_ended)
                for (i = 0; i < PORTS; i = i + 1)
                    event_lone[i] <= ended[i] && matched[i] && matched_output[PW*i +: PW] == to[PW*i +: PW];
        end
    always @(posedge clk) begin
        if (snap) asked <= waits;
        for (i = 0; i < PORTS; i = i + 1) if (matched[i]) to[PW*i +: PW] <= matched_output[PW*i +: PW];
    end

    // the crossbar
    reg [PORTS-1:0] driven;
    reg [PORTS-1:0] twice;
    always @* begin
        driven = {PORTS{1'b0}};
        twice  = {PORTS{1'b0}};
        for (i = 0; i < PORTS; i = i + 1)
            if (link_valid[i]) begin
                if (driven[link_output[PW*i +: PW]]) twice[link_output[PW*i +: PW]] = 1'b1;
                driven[link_output[PW*i +: PW]] = 1'b1;
            end
    end
    always @(posedge clk) begin
        out_valid   <= rst ? {PORTS{1'b0}} : driven;
        error_words <= rst ? {PORTS{1'b0}} : twice;
        for (i = 0; i < PORTS; i = i + 1)
            if (link_valid[i]) begin
                out_first[link_output[PW*i +: PW]]           <= link_first[i];
                out_last[link_output[PW*i +: PW]]            <= link_last[i];
                out_input[PW*link_output[PW*i +: PW] +: PW]  <= i[PW-1:0];
                out_word[64*link_output[PW*i +: PW] +: 64]   <= link_word[64*i +: 64];
            end
    end

    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : port
            pm_iq_card #(
                .PORTS(PORTS), .CELL_WORDS(CELL_WORDS), .MOST_WORDS(MOST_WORDS), .VOQ_WORDS(VOQ_WORDS),
                .VOQ_BLOCKS(VOQ_BLOCKS), .VOQ_PACKETS(VOQ_PACKETS)
            ) card (
                .clk (clk), .rst (rst), .line_valid (line_valid[g]), .line_first (line_first[g]),
                .line_output (line_output[PW*g +: PW]), .line_words (line_words[13*g +: 13]),
                .line_word (line_word[64*g +: 64]), .line_full (line_full[PORTS*g +: PORTS]), .line_held (line_held),
                .line_release (line_release[g]), .release_output (release_output[PW*g +: PW]),
                .request (waits[PORTS*g +: PORTS]), .busy (busy[g]), .starts (starts[g]),
                .starts_output (to[PW*g +: PW]), .continues (continues[g]), .link_valid (link_valid[g]),
                .link_first (link_first[g]), .link_last (link_last[g]), .link_output (link_output[PW*g +: PW]),
                .link_word (link_word[64*g +: 64]), .error_line (error_line[g])
            );
        end
    endgenerate
endmodule
`default_nettype wire
