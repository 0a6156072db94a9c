// Deskew of links bundled by byte (S1 3.1.6, S2 2.4): delivers the aligned words of all links, with words sent together
// in the same clock.
//
// One FIFO of 16 words per link, written in every clock, read `wait` clocks later; the waits are such that the SOPs of
// all links leave in the same clock.
//
//     link 0    ... SOP  a0   b0   c0   ...              skew 2: link 0 waits two clocks more than link 1
//     link 1    ... ...  ...  SOP  a1   b1   c1
//     word                                    SOP  a01  b01  c01
//
// Start: when all links have carried nothing but idle for QUIET clocks, their next SOPs belong together. They must
// arrive within SKEW + 1 clocks, or it is an error and the start begins again. (Skew is counted at the outputs of the
// transceivers. Their elastic buffers add up to one word to the skew of the cables.) The idle time always comes: an end
// that is not understood gives no credit, so the other side stops. `waits` shows how many clocks each SOP was ahead of
// the last one until the next start: 15 where that one has not arrived by then.
//
// Then the waits are kept, and updated at every SOP: each transceiver corrects its clock by itself, so that between two
// frames its words move by up to one place against those of link 0. At the time of a SOP of link 0 the others may have
// theirs a clock earlier or later. As SOPs are at least three clocks apart on the wire (link_tx_bundle), it is
// unambiguous to which frame one belongs. If one is missing, only its frame is lost: the waits stay.
//
// A FIFO is empty when its transceiver gives no data in a clock (loss of sync, broken elastic buffer), and full when
// its wait leaves the range of 1..14. Then the frame ends (`word_valid` falls; no word is ever repeated) and the start
// begins again. So it does after 8 bad frames in a row, or after one when no good one has been received since the
// start. The frame decoder reports header CRCs as `good` and `bad`.
//
// Latency: the last of the SOPs is on lane_* in clock n, word_sop is up in n + 4. Never gated, like link_rx_align.
`default_nettype none
module link_deskew #(
    // links, 2 or 4
    parameter LINKS = 2,
    // skew that must be corrected [words], 1..8
    parameter SKEW = 8,
    // clocks of idle before a start, 16..255
    parameter QUIET = 64
) (
    input  wire                clk,
    input  wire                rst,

    // of each link, see link_rx_align
    input  wire [32*LINKS-1:0] lane_word,
    input  wire [LINKS-1:0]    lane_valid,
    input  wire [LINKS-1:0]    lane_sop,
    input  wire [LINKS-1:0]    lane_k,
    input  wire [LINKS-1:0]    lane_error,

    // results of header CRCs: pulses
    input  wire                good,
    input  wire                bad,

    // words of the bundle; the bytes in the order of the frame, the first one in the highest bits
    output reg  [32*LINKS-1:0] word,
    output reg                 word_valid,   // low: the links are not aligned with each other, or one has no data
    output reg                 word_sop,     // a SOP on all of them
    output reg                 word_k,       // a K character on any of them
    output reg                 word_error,   // a code or disparity error on any of them

    output reg                 aligned,      // the waits are known
    output wire [4*LINKS-1:0]  waits,        // of each link [clocks]; they differ by the skew, 15 at most
    output reg                 ev_deskew     // pulse: the links were not aligned with each other, see above
);
    localparam [3:0] BASE     = 4'd3;        // wait of the slowest link at the start: margin for its moves
    localparam [3:0] LONGEST  = 4'd14;
    localparam [3:0] WINDOW   = SKEW + 1;
    localparam [7:0] QUIET_CLOCKS = QUIET;

    initial
        if ((LINKS != 2 && LINKS != 4) || SKEW < 1 || SKEW > 8 || QUIET < 16 || QUIET > 255) begin
            $display("%m: LINKS must be 2 or 4, is %0d; SKEW 1..8, is %0d; QUIET 16..255, is %0d", LINKS, SKEW, QUIET);
            $finish;
        end

    reg  [3:0]       place;                  // where this clock's words go in all FIFOs
    reg  [7:0]       quiet;                  // clocks of idle on all links, saturating
    reg              starting;               // the first SOP of a start has arrived
    reg  [3:0]       since;                  // clocks since then
    reg              proven;                 // a frame has been good since the start
    reg  [2:0]       failures;               // bad frames since then

    wire [LINKS-1:0] seen;                   // starting: its SOP has arrived, this clock included
    wire [LINKS-1:0] fits;                   // it has a SOP when link 0 has one, within a clock
    wire             sop_0;                  // the word leaving link 0 is a SOP
    wire [LINKS-1:0] k_out, error_out, too_far;
    wire [32*LINKS-1:0] lanes_out;

    wire all_idle = (&(lane_valid & lane_k)) && (lane_sop == {LINKS{1'b0}}) && (lane_error == {LINKS{1'b0}});
    wire quiet_enough = (quiet == QUIET_CLOCKS);
    wire start_ends   = (starting || quiet_enough) && (&seen);
    wire start_now    = !aligned && start_ends && since <= WINDOW;
    wire start_fails  = starting && !start_now && (start_ends || (&since));
    wire sop_now      = aligned && (&fits);
    wire missed       = aligned && sop_0 && !(&fits);
    wire empty        = (lane_valid != {LINKS{1'b1}});
    wire misaligned   = aligned && ((sop_now && (|too_far)) || ((missed || bad) && (!proven || (&failures))));

    always @(posedge clk)
        if (rst) begin
            place     <= 4'd0;
            quiet     <= 8'd0;
            starting  <= 1'b0;
            since     <= 4'd0;
            aligned   <= 1'b0;
            proven    <= 1'b0;
            failures  <= 3'd0;
            ev_deskew <= 1'b0;
        end else begin
            place <= place + 4'd1;
            if (!all_idle)          quiet <= 8'd0;
            else if (!quiet_enough) quiet <= quiet + 8'd1;

            if (empty || start_now || start_fails)                       starting <= 1'b0;
            else if (!aligned && quiet_enough && lane_sop != {LINKS{1'b0}}) starting <= 1'b1;
            since <= starting ? since + 4'd1 : 4'd1;

            if (empty || misaligned) aligned <= 1'b0;
            else if (start_now)      aligned <= 1'b1;
            if (!aligned)         proven <= 1'b0;
            else if (good)        proven <= 1'b1;
            if (!aligned || good)      failures <= 3'd0;
            else if (missed || bad)    failures <= failures + 3'd1;
            ev_deskew <= start_fails || misaligned || (aligned && empty);
        end

    genvar l, j;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : lane
            (* ram_style = "distributed" *) reg [33:0] words [0:15];
            reg  [15:1] sops;                // [n]: its word of n clocks ago was a SOP
            reg  [3:0]  age;                 // starting: clocks since its SOP
            reg         came;
            reg  [3:0]  delay;

            wire [15:0] history = {sops, lane_sop[l]};
            wire [3:0]  read_at = place - delay;
            wire [33:0] read    = words[read_at];
            wire        at      = history[delay];
            wire        later   = history[delay - 4'd1];
            wire        earlier = history[delay + 4'd1];

            always @(posedge clk)
                words[place] <= {lane_k[l], lane_error[l], lane_word[32*l +: 32]};

            always @(posedge clk)
                if (rst) begin
                    sops  <= 15'd0;
                    age   <= 4'd0;
                    came  <= 1'b0;
                    delay <= BASE;
                end else begin
                    sops <= history[14:0];
                    age  <= came ? age + 4'd1 : 4'd1;
                    if (!(starting || quiet_enough) || start_now || start_fails || empty) came <= 1'b0;
                    else if (lane_sop[l])                                                   came <= 1'b1;
                    if (start_now || start_fails)          delay <= (BASE & {4{start_now}}) + (age & {4{came}});
                    else if (sop_now && l != 0 && !at)     delay <= earlier ? delay + 4'd1 : delay - 4'd1;
                end

            assign seen[l]      = came || lane_sop[l];
            assign fits[l]      = at || (l != 0 && (later || earlier));
            if (l == 0) begin : first
                assign sop_0 = at;
            end
            assign too_far[l]   = !at && (earlier ? delay == LONGEST : delay == 4'd1);
            assign k_out[l]     = read[33];
            assign error_out[l] = read[32];
            assign waits[4*l +: 4] = delay;
            // byte i of a word of the bundle was byte i / LINKS of link i mod LINKS
            for (j = 0; j < 4; j = j + 1) begin : spread
                assign lanes_out[8*(4*LINKS - 1 - LINKS*j - l) +: 8] = read[31-8*j -: 8];
            end
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            word       <= {32*LINKS{1'b0}};
            word_valid <= 1'b0;
            word_sop   <= 1'b0;
            word_k     <= 1'b0;
            word_error <= 1'b0;
        end else begin
            word       <= lanes_out;
            word_valid <= aligned && !empty && !misaligned;
            word_sop   <= sop_now && !empty && !misaligned;
            word_k     <= (|k_out) || sop_now;
            word_error <= |error_out;
        end

    // ---- measuring
    wire probe_busy        = word_valid && !word_k;
    wire probe_stall_start = !aligned;
endmodule
`default_nettype wire
