// Proof that a crosspoint holds what its input lets in: switch_rx and credit_scheduler of an input, the crosspoint for
// its first output, and switch_tx of that output. `bad` is never high, whatever words come, whatever is chosen, when
// credit is there and packets are drained:
//
//   room      a word is written only while the crosspoint is not full
//   records   good headers, check records among them, are 4 clocks apart
//   packets   at most CROSSPOINT_UNITS / 6 packets wait (with 512: 85, which packet_counts, forwarding_timer count)
//
// Reason: packets that wait have a unit more than words. The words of one that leaves count no more when its credit is
// back; by then two of them have left, and they leave as fast as others come.
//
// Assumed: one clock (with two, places that fall free are seen 1 to 2 clocks later, and credit comes back as much
// later; a full crosspoint of 512 units holds 4 packets at least, so 3 more words are free); departures of another
// output are 2 clocks apart; a word is not both valid and lost (link_rx_align). Headers are good at will: an edit of
// switch_rx keeps their CRC out. `lemmas` is what makes a step enough; MEMORIES=seen, because they read the packets in
// the crosspoint.
`default_nettype none
module prove_crosspoint #(
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire        clk,
    input  wire [31:0] any_word,
    input  wire [4:0]  any_kind,
    input  wire [1:0]  any_chosen,
    input  wire [8:0]  any_level,
    input  wire [1:0]  any_other,          // the crosspoint of the other input
    input  wire [5:0]  any_other_length,
    output wire        bad
);
    localparam UNITS = 16;                 // of the crosspoint: 15 words
    localparam [2:0] READY = 3'd0, CREDIT = 3'd1, HEADER_HI = 3'd2, HEADER_LO = 3'd3, HEADER_CRC = 3'd4, BODY = 3'd5,
                     BODY_CRC = 3'd6, DISCARD = 3'd7;       // of switch_tx
    reg running, before;                   // 0 in the first two clocks
    initial {running, before} = 2'd0;
    always @(posedge clk) {running, before} <= {before, 1'b1};

    // ---- the input
    wire [1:0]  wr_valid;
    wire        wr_start, wr_end, wr_poisoned, stored, record, header_output;
    wire [31:0] wr_data;
    wire [9:0]  header_units, occupied;
    wire [11:0] record_units;
    switch_rx #(.OUTPUTS(2), .CROSSPOINT_UNITS(UNITS), .MAX_WORDS(2), .STAMPS(0)) rx (
        .clk (clk), .rst (!running), .enable (any_level[0]), .source (7'd0), .stamp (1'b0), .now (32'd0),
        .word (any_word), .word_valid (any_kind[0]), .word_sop (any_kind[2:0] == 3'd7), .word_k (any_kind[2]),
        .word_error (any_kind[3]), .word_lost (any_kind[4] && !any_kind[0]), .wr_valid (wr_valid), .wr_start (wr_start),
        .wr_end (wr_end), .wr_poisoned (wr_poisoned), .wr_data (wr_data), .stored (stored), .record (record),
        .header_output (header_output), .header_units (header_units), .record_units (record_units), .occupied (occupied)
    );
    wire       returned;
    reg        was_returned, was_other;
    wire       returned_other = any_level[1] && !was_other;
    wire [7:0] units;
    credit_scheduler #(.OUTPUTS(2)) credits (
        .clk (clk), .rst (!running), .departed ({returned_other, returned}),
        .departed_units ({4'd0, any_other_length, 2'b00, units}), .stored (stored), .stored_output (header_output),
        .stored_units (header_units), .record (record), .record_output (header_output), .record_units (record_units),
        .occupied (occupied), .refresh (1'b0), .take (1'b0)
    );

    // ---- the crosspoint, and the output
    wire [1:0]  rd_valid, rd_end, rd_pop, departed;
    wire [31:0] rd_data;
    wire [7:0]  departed_units;
    wire        taken;
    crosspoint #(.LOG2_WORDS(4), .SAME_CLOCK(1)) buffer (
        .wr_clk (clk), .wr_rst (!running), .wr_valid (wr_valid[0]), .wr_start (wr_start), .wr_end (wr_end),
        .wr_poisoned (wr_poisoned), .wr_data (wr_data), .rd_clk (clk), .rd_rst (!running), .rd_valid (rd_valid[0]),
        .rd_end (rd_end[0]), .rd_data (rd_data), .rd_pop (rd_pop[0])
    );
    assign rd_valid[1] = any_other[0] && running;
    assign rd_end[1]   = any_other[0] && any_other[1];
    switch_tx #(.INPUTS(2), .MAX_WORDS(2), .STAMPS(0)) tx (
        .clk (clk), .rst (!running), .packets_may_start (any_level[2]), .down (any_level[3]),
        .window_start (any_level[4]), .window_late (any_level[5]), .now (32'd0), .chosen (any_chosen[0]),
        .chosen_onehot ({any_chosen[1], !any_chosen[1]}), .taken (taken), .rd_valid (rd_valid), .rd_end (rd_end),
        .rd_poisoned (2'd0), .rd_data ({26'd0, any_other_length & {6{rd_valid[1]}}, rd_data}),
        .rd_pop (rd_pop), .departed (departed), .departed_units (departed_units), .granted (any_level[6]),
        .credit_request (any_level[7]), .credit_word (32'd0), .record_request (any_level[8]), .record_units (12'd0),
        .word_sent (32'd0)
    );
    sync_held #(.WIDTH(8), .SAME_CLOCK(1)) departure (
        .src_clk (clk), .src_rst (!running), .src_pulse (departed[0]), .src_data (departed_units), .dst_clk (clk),
        .dst_rst (!running), .dst_pulse (returned), .dst_data (units)
    );

    // ---- inside
    (* hierconn *) wire [2:0] \rx.state , \tx.state ;
    (* hierconn *) wire [6:0] \rx.left , \tx.left ;
    (* hierconn *) wire [1:0] \rx.row , \tx.current , \credits.known ;
    (* hierconn *) wire \rx.first , \rx.padding , \rx.lost , \tx.with_packet , \tx.poisoned , \tx.over ,
                        \credits.repair ;
    (* hierconn *) wire \credits.repair_lane , \buffer.full ;
    (* hierconn *) wire [31:0] \rx.ahead ;
    (* hierconn *) wire [11:0] \credits.received_memory[0] , \credits.lane_of[0].inverted , \credits.repair_units ;
    (* hierconn *) wire [3:0] \buffer.wr_pointer , \buffer.rd_pointer ;
    (* hierconn *) wire [33:0] \buffer.head ;
    (* hierconn *) wire [33:0] \buffer.memory[0] , \buffer.memory[1] , \buffer.memory[2] , \buffer.memory[3] ;
    (* hierconn *) wire [33:0] \buffer.memory[4] , \buffer.memory[5] , \buffer.memory[6] , \buffer.memory[7] ;
    (* hierconn *) wire [33:0] \buffer.memory[8] , \buffer.memory[9] , \buffer.memory[10] , \buffer.memory[11] ;
    (* hierconn *) wire [33:0] \buffer.memory[12] , \buffer.memory[13] , \buffer.memory[14] , \buffer.memory[15] ;
    wire [111:0] memory = {                // end mark, length
        \buffer.memory[15] [32], \buffer.memory[15] [5:0], \buffer.memory[14] [32], \buffer.memory[14] [5:0],
        \buffer.memory[13] [32], \buffer.memory[13] [5:0], \buffer.memory[12] [32], \buffer.memory[12] [5:0],
        \buffer.memory[11] [32], \buffer.memory[11] [5:0], \buffer.memory[10] [32], \buffer.memory[10] [5:0],
        \buffer.memory[9] [32], \buffer.memory[9] [5:0], \buffer.memory[8] [32], \buffer.memory[8] [5:0],
        \buffer.memory[7] [32], \buffer.memory[7] [5:0], \buffer.memory[6] [32], \buffer.memory[6] [5:0],
        \buffer.memory[5] [32], \buffer.memory[5] [5:0], \buffer.memory[4] [32], \buffer.memory[4] [5:0],
        \buffer.memory[3] [32], \buffer.memory[3] [5:0], \buffer.memory[2] [32], \buffer.memory[2] [5:0],
        \buffer.memory[1] [32], \buffer.memory[1] [5:0], \buffer.memory[0] [32], \buffer.memory[0] [5:0]};
    wire [3:0]   here   = \buffer.wr_pointer - \buffer.rd_pointer ;         // words in the crosspoint
    wire [6:0]   front  = memory[7*\buffer.rd_pointer +: 7];
    wire [6:0]   left   = \rx.row [0] ? \rx.left : 7'd0;                    // words to be written yet
    wire         whole  = \rx.first && left != 7'd0;                        // ... of a packet that has not begun
    wire         pops   = rd_pop[0] && rd_valid[0];
    wire         takes  = taken && !any_chosen[1];
    wire         stores = stored && !header_output;

    // ---- of the packet that leaves: words that are still to leave, that have left; of packets stored since its credit
    // is back: their words, and those written; is the packet that is being written one of them
    reg  [3:0]   rest, gone;
    reg  [5:0]   fresh, written;
    reg          is_fresh, wrote;
    reg  [1:0]   since;                                                     // clocks since a good header, 3 at most
    wire         good = stored || record;
    wire         owed = departed[0] || returned;                            // its credit is not back
    always @(posedge clk)
        if (!running) {since, rest, gone, fresh, written, is_fresh, wrote, was_returned, was_other} <= {2'd3, 24'd0};
        else begin
            since        <= good ? 2'd0 : since == 2'd3 ? 2'd3 : since + 2'd1;
            was_returned <= returned;
            was_other    <= returned_other;
            wrote        <= wr_valid[0];
            if (takes) {rest, gone} <= {rd_data[1:0], 1'b1} + 8'd2 << 4;
            else if (pops) {rest, gone} <= {rest - 4'd1, gone + 4'd1};
            if (takes) {fresh, written, is_fresh} <= 13'd0;
            else begin
                if (stores) begin
                    is_fresh <= !owed;
                    if (!owed) fresh <= fresh + header_units[5:0] - 6'd1;
                end
                if (wr_valid[0] && is_fresh) written <= written + 6'd1;
            end
        end

    // ---- the packets in the crosspoint that wait: units, packets; `behind`: words of the last one that are not here
    reg  [5:0]  waits;
    reg  [3:0]  packets;
    reg  [6:0]  behind;
    reg         marks;
    reg  [6:0]  one;
    integer     k;
    always @* begin
        waits   = whole ? left[5:0] + 6'd1 : 6'd0;
        packets = {3'd0, whole};
        behind  = {3'd0, rest};
        marks   = 1'b1;
        one     = 7'd0;
        for (k = 0; k < 16; k = k + 1)
            if (k < here) begin
                one = memory[7*((\buffer.rd_pointer + k[3:0]) & 4'd15) +: 7];
                marks = marks && one[6] == (behind == 7'd1);
                if (behind == 7'd0) begin
                    marks   = marks && (one[5:0] == 6'd1 || one[5:0] == 6'd2);
                    behind  = {4'd0, one[1:0], 1'b0} + 7'd2;
                    waits   = waits + {3'd0, one[1:0], 1'b0} + 6'd4;
                    packets = packets + 4'd1;
                end else behind = behind - 7'd1;
            end
    end

    // ---- lemmas
    wire [5:0]  words    = waits - {2'd0, packets};                         // of those that wait
    wire [5:0]  leaving  = {2'd0, rest} + {2'd0, gone} + 6'd1;              // units of the packet that leaves
    wire        leaves   = rest != 4'd0;
    wire [11:0] account  = (\credits.received_memory[0] & {12{\credits.known [0]}}) + \credits.lane_of[0].inverted
                           + 12'd1 - (\credits.repair && !\credits.repair_lane ? \credits.repair_units : 12'd0);
    wire [5:0]  counted  = waits + (owed ? departed_units[5:0] : 6'd0);
    wire        in_rx    = (\rx.state != 3'd5 || (\rx.left >= 7'd3 && !\rx.padding ))
                           && (\rx.state == 3'd5 || \rx.left <= 7'd2 || \rx.padding )
                           && (\rx.state != 3'd3 || \rx.lost || \rx.left <= 7'd1)
                           && (\rx.state != 3'd4 || \rx.lost || \rx.left == 7'd0) && \rx.left <= 7'd7
                           && (since == 2'd3 || \rx.state == 3'd5 || \rx.state <= {1'b0, since} + {2'd0, since[1]})
                           && (!\rx.first || \rx.left == 7'd0 || ((\rx.ahead [5:0] == 6'd1 || \rx.ahead [5:0] == 6'd2)
                                                                  && \rx.left == {4'd0, \rx.ahead [1:0], 1'b0} + 7'd3));
    wire        in_memory = marks && (whole ? behind == 7'd0 : behind == left)
                           && (rd_valid[0] ? here != 4'd0 && {rd_end[0], rd_data[5:0]} == front
                                           : \buffer.head == 34'd0 && (here == 4'd0 || (here == 4'd1 && wrote)));
    wire        in_account = account == {6'd0, counted} && counted <= UNITS
                             && {2'd0, packets} + {1'b0, packets, 1'b0} <= {1'b0, waits[5:1]}
                           && (!\credits.repair || \rx.state == 3'd0
                               || (\rx.state == 3'd1 && (\credits.repair_lane ? was_other : was_returned)))
                           && !(departed[0] && returned) && !(returned && was_returned)
                           && !(|departed && \tx.state == READY)
                           && (!owed || (leaves && departed_units == {2'd0, leaving} && gone <= {3'd0, returned}));
    wire        early    = \tx.state == CREDIT || \tx.state == HEADER_HI ;
    wire        in_start = gone == 4'd0 && rd_valid[0] && {2'd0, leaving} == {1'b0, rd_data[5:0], 1'b0} + 8'd4
                           && (departed[0] || (returned && \tx.state == HEADER_HI ));
    wire        in_frame = (leaving == 6'd6 || leaving == 6'd8) && !\tx.over
                           && (\tx.with_packet || \tx.state == DISCARD ) && (!early || in_start)
                           && (\tx.state != HEADER_LO || (gone == 4'd1 && {3'd0, rest} == \tx.left + 7'd1
                                                          && fresh == 6'd0))
                           && (\tx.state != HEADER_CRC || (!owed && {3'd0, rest} == \tx.left + {6'd0, \tx.poisoned }
                                                           && written == 6'd0
                               && {2'd0, gone} == 6'd2 - {5'd0, \tx.poisoned } && (!\tx.poisoned || here <= 4'd2)))
                           && (\tx.state != BODY || (!owed && {3'd0, rest} >= \tx.left && \tx.left >= 7'd2
                                                     && gone >= 4'd2))
                           && (\tx.state != BODY_CRC || (!owed && \tx.left == 7'd1 && gone >= 4'd2))
                           && (\tx.state != DISCARD || gone >= {3'd0, !departed[0]})
                           && (owed || early || \tx.state == HEADER_LO || gone >= 4'd2 || here <= 4'd3);
    wire        in_tx    = leaves == (\tx.current [0] && \tx.state != READY) && \tx.current != 2'd3
                           && (!departed[0] || (leaves && gone == 4'd0 && rd_valid[0])) && (!leaves || in_frame);
    wire        in_fresh = (left == 7'd0 ? fresh == written : is_fresh && fresh == written + left[5:0]) && gone >= 4'd2
                           && (written == 6'd0 ? !wrote : {2'd0, gone} > written);
    wire        in_time  = !leaves || ((!owed || fresh == 6'd0) && words - fresh + leaving <= UNITS && fresh <= words
                                       && (fresh == 6'd0 ? !is_fresh && written == 6'd0 : in_fresh));
    wire        in_reset = running ? before : !before
                           || (\buffer.wr_pointer == 4'd0 && \buffer.rd_pointer == 4'd0 && !rd_valid[0]);
    wire        lemmas   = in_reset && (!running || (in_rx && in_memory && in_account && in_tx && in_time));
    assign bad = (running && ((wr_valid[0] && \buffer.full ) || (good && since != 2'd3)
                             || {2'd0, packets} + {1'b0, packets, 1'b0} > UNITS / 2)) || (LEMMAS != 0 && !lemmas);
endmodule
`default_nettype wire
