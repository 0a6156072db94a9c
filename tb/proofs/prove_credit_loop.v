// Proof of both loops of credits, sender and receiver together: in runs of some clocks after reset `bad` is not high,
// whatever is sent, lost, stored and forwarded. No counter wraps in them.
//
//   SIDE 0   NIC to switch: link_credit_rx, credit_scheduler (two virtual channels, of which number 0 is followed)
//   SIDE 1   switch to NIC: link_credit_rx, link_rx_store and link_credit_tx
//
//   safe      a packet that arrives finds room: its units and those in the buffer are the capacity at most
//   accepted  no credit is rejected but damaged ones
//   agree     the receiver has counted what has arrived or was lost, less what was lost since the last check record
//             that arrived: behind a record both sides agree
//   rest      when nothing is on the way, in the buffer, or lost since the last record, and no credit has been lost
//             since the last one left, all credit is back, except for the 31 units at most that a credit omits
//
// Each way a line between them delivers in order, after any time, at most PLACES at once. Packets, records and credit
// words are lost at will, or credit words damaged. `hold` is free: the sender ignores credits at will until it has
// accepted one.
//
// Assumed: both start together; good headers are 4 clocks apart, credit words 2, departures of a channel 2. No record
// starts before the sender's memories are cleared. A lost body is padded (link_rx_store). MEMORIES=seen.
`default_nettype none
module prove_credit_loop #(
    parameter SIDE   = 0,
    parameter PLACES = 2
) (
    input  wire        clk,
    input  wire [11:0] any_capacity,         // in the first clock
    input  wire        any_direct,           // in the first clock
    input  wire [9:0]  any_length,
    input  wire        any_lane,
    input  wire [5:0]  any_sends,            // packet, its take, record, credit word, hold, refresh
    input  wire [4:0]  any_arrives,          // at the receiver, lost there, at the sender, lost there, damaged there
    input  wire [1:0]  any_departs,
    input  wire [19:0] any_units,            // of these
    input  wire [2:0]  any_body,             // word, end, abort
    input  wire [9:0]  any_most,
    input  wire [10:0] any_read,             // words that leave the NIC's buffer
    output wire        bad
);
    localparam FLOWS = (SIDE == 0) ? 2 : 1;
    localparam DEPTH = 1023;                 // of the NIC's buffer [words]
    localparam [11:0] MOST = (SIDE == 0) ? 12'd1022 : 2 * DEPTH;
    reg        running;                      // 0 in the first clock
    initial    running = 1'b0;
    reg [11:0] capacity;
    reg        direct;
    always @(posedge clk) begin
        running <= 1'b1;
        if (!running)
            {capacity, direct} <= {any_capacity > MOST ? MOST : {any_capacity[11:1], 1'b0}, any_direct || SIDE != 0};
    end

    // ---- the lines: oldest first; a packet or a record, {record, channel, units}; credit words
    reg  [14*PLACES-1:0] out;
    reg  [11:0]          come;               // units that have arrived, or were lost
    reg  [32*PLACES-1:0] back;
    reg  [2:0]           out_many, back_many;
    reg  [1:0]           since;              // clocks since a header came, 3 at most
    reg                  credit_before;

    // ---- the sender
    (* hierconn *) wire [1:0]  \sender.cleared ;
    (* hierconn *) wire [10:0] \sender.transmitted[0] ;
    (* hierconn *) wire [1:0]  \store.state ;
    (* hierconn *) wire [10:0] \store.reserved ;
    (* hierconn *) wire [9:0]  \store.words_left ;
    wire        in_body = SIDE != 0 && \store.state == 2'd1;
    wire        cleared = (SIDE == 0) ? \sender.cleared == 2'd2 : \sender.cleared [0];
    wire [11:0] sent    = cleared ? {\sender.transmitted[0] , 1'b0} : 12'd0;
    wire        lane    = any_lane && !direct;
    wire        granted;
    wire [11:0] sent_units;
    wire        record  = running && any_sends[2] && cleared && out_many != PLACES;
    wire        take    = running && any_sends[0] && granted && !record && out_many != PLACES && any_length != 10'd0;
    wire        leaves  = running && any_arrives[0] && out_many != 3'd0 && since == 2'd3 && !in_body;
    wire        returns = running && any_arrives[2] && back_many != 3'd0 && !credit_before;
    wire        rejected;
    wire [6:0]  rejected_lane;
    link_credit_rx #(.FLOWS(FLOWS)) sender (
        .clk (clk), .rst (!running), .cfg_direct (direct), .cfg_flow_enable ({FLOWS{1'b1}}), .cfg_capacity (capacity),
        .ask_flow ({6'd0, lane}), .ask_length (any_length), .ask_granted (granted), .take (take),
        .credit_valid (returns && !any_arrives[3]), .credit_bad (any_arrives[4]), .credit_word (back[31:0]),
        .record_take (record), .record_lane (lane), .record_units (sent_units), .hold (any_sends[4]), .view_flow (7'd0),
        .ev_rejected (rejected), .accepted_lane (rejected_lane)
    );

    // ---- the receiver
    wire        comes   = leaves && !any_arrives[1];
    wire [13:0] first   = out[13:0];
    wire [1:0]  is_record = {2{comes && first[13]}}, is_packet = {2{comes && !first[13]}};
    wire [1:0]  request;
    wire [31:0] word_0, word_1;
    wire [31:0] word    = (SIDE == 0) ? word_0 : word_1;
    wire        gives   = running && any_sends[3] && request[SIDE] && back_many != PLACES;
    reg  [1:0]  departed_before;
    reg  [11:0] held;                        // units in the buffer of the switch
    wire [9:0]  leave_0 = {any_units[9:1], 1'b0};
    wire [1:0]  departs = {any_departs[1], any_departs[0] && leave_0 != 10'd0 && {2'd0, leave_0} <= held}
                          & ~departed_before & {2{running}};
    credit_scheduler #(.OUTPUTS(2)) scheduler (
        .clk (clk), .rst (!running), .departed (departs), .departed_units ({any_units[19:10], leave_0}),
        .stored (is_packet[0]), .stored_output (first[12]), .stored_units (first[9:0]), .record (is_record[0]),
        .record_output (first[12]), .record_units (first[11:0]), .refresh (any_sends[5]), .request (request[0]),
        .word (word_0), .take (gives && SIDE == 0)
    );

    reg         last_came;                   // of the body: its CRC is due
    reg  [10:0] here;                        // words in the NIC's buffer
    wire        body     = in_body && any_body[0] && !last_came;
    wire        body_end = in_body && any_body[1] && last_came;
    wire [10:0] reads    = (any_read < here) ? any_read : here;
    wire        wr_valid, repaired;
    wire [11:0] received, forwarded;
    wire [9:0]  length   = (first[11:0] - 12'd4) >> 1;
    link_rx_store #(.DEPTH(DEPTH)) store (
        .clk (clk), .rst (!running), .cfg_max_words (any_most), .header_good (is_packet[1]),
        .record_good (is_record[1]), .header (is_record[1] ? {52'd0, first[11:0]} : {22'd0, length, 32'd0}),
        .header_next (1'b1), .body_word (body), .body_data (64'd0), .body_last (\store.words_left == 10'd1),
        .body_end (body_end), .body_bad (1'b0), .body_abort (in_body && any_body[2] && !body_end), .trouble (1'b0),
        .suspects (16'd0), .wr_valid (wr_valid), .wr_count (here), .received (received), .forwarded (forwarded),
        .forwarded_repaired (repaired)
    );
    link_credit_tx #(.LANES(1)) credit_tx (
        .clk (clk), .rst (!running), .refresh_now (any_sends[5]), .forwarded (forwarded), .repaired (repaired),
        .request (request[1]), .word (word_1), .take (gives && SIDE != 0)
    );

    (* hierconn *) wire [11:0] \scheduler.received_memory[0] , \scheduler.lane_of[0].inverted ;
    (* hierconn *) wire [1:0]  \scheduler.known , \scheduler.choice.modified ;
    wire [11:0] got   = (SIDE == 0) ? \scheduler.received_memory[0] & {12{\scheduler.known [0]}} : received;

    // ---- what is known without them: packets lost since the last record that arrived; whether a credit was lost or
    // not used since the last one left
    (* hierconn *) wire        \sender.checking , \sender.code_error , \sender.credit_use ;
    (* hierconn *) wire [15:0] \sender.credit ;
    reg  [11:0] lost;
    reg         was_damaged;
    reg         credit_lost;
    wire        mine_hi  = word[29:23] == 7'd0, mine_lo = word[13:7] == 7'd0;
    wire        old_mine = back[29:23] == 7'd0 || back[13:7] == 7'd0;
    wire        checked  = \sender.checking && \sender.credit [13:7] == 7'd0;
    wire [13:0] pushed   = {record, lane, record ? sent_units : {1'b0, any_length, 1'b0} + 12'd4};
    integer     i;
    always @(posedge clk)
        if (!running) begin
            {out_many, back_many, since, credit_before, departed_before, held, last_came, here, lost, was_damaged,
             credit_lost}
                <= {6'd0, 2'd3, 1'b0, 2'd0, 12'd0, 1'b0, 11'd0, 12'd0, 1'b0, 1'b0};
            {out, come} <= {14*PLACES+12{1'b0}};
            back <= {32*PLACES{1'b0}};
        end else begin
            out_many        <= out_many + {2'd0, take || record} - {2'd0, leaves};
            back_many       <= back_many + {2'd0, gives} - {2'd0, returns};
            if (leaves)  out  <= out >> 14;
            if (leaves && first[13:12] == 2'd0) come <= come + first[11:0];
            if (returns) back <= back >> 32;
            for (i = 0; i < PLACES; i = i + 1) begin
                if ((take || record) && i == out_many - {2'd0, leaves}) out[14*i +: 14] <= pushed;
                if (gives && i == back_many - {2'd0, returns}) back[32*i +: 32] <= word;
            end
            since           <= comes ? 2'd0 : since + {1'b0, since != 2'd3};
            credit_before   <= returns;
            departed_before <= departs;
            if (SIDE == 0)
                held        <= held + (is_packet[0] && !first[12] ? first[11:0] : 12'd0) - (departs[0] ? {2'd0, leave_0}
                        : 12'd0);
            here            <= here + {10'd0, wr_valid} - reads;
            last_came       <= in_body && !(body_end || any_body[2])
                               && (last_came || (body && \store.words_left == 10'd1));
            if (leaves && !first[12])
                lost        <= first[13] ? (comes ? 12'd0 : lost) : comes ? lost : lost + first[11:0];
            was_damaged     <= \sender.code_error ;
            credit_lost     <= (returns && any_arrives[3] && old_mine) || (checked && !\sender.credit_use )
                               || (credit_lost && !(gives && (mine_hi || mine_lo)));
        end

    // ---- inside
    (* hierconn *) wire [7:0]  \sender.last[0] ;
    (* hierconn *) wire        \scheduler.choice.place_full_0 ;
    (* hierconn *) wire        \scheduler.choice.place_lane_0 , \scheduler.choice.place_lane_1 ;
    (* hierconn *) wire [6:0]  \credit_tx.sent ;
    (* hierconn *) wire        \credit_tx.forced ;
    wire        seen  = cleared && \sender.last[0] [7];
    wire [11:0] known = (SIDE == 0) ? ~\scheduler.lane_of[0].inverted : forwarded;  // forwarded, as in credits
    wire [11:0] stays = (SIDE == 0) ? held : {here + \store.reserved , 1'b0};         // what is in the buffer
    wire [11:0] after = got - stays;                                                           // forwarded
    wire        place_0 = \scheduler.choice.place_full_0 && !\scheduler.choice.place_lane_0 ;
    wire        place_1 = \scheduler.choice.place_full_0 && !\scheduler.choice.place_lane_1 ;

    wire quiet  = seen && out_many == 3'd0 && lost == 12'd0 && back_many == 3'd0 && !\sender.checking && stays == 12'd0
                  && after == known && !credit_lost
                  && (SIDE == 0 ? !\scheduler.choice.modified [0] && !place_0 && !place_1
                                                : !\credit_tx.forced && \credit_tx.sent == known[11:5]);
    wire claims = !(leaves && first[13:12] == 2'd0 && {1'b0, stays} + {1'b0, first[11:0]} > {1'b0, capacity})
                  && !(rejected && !was_damaged && rejected_lane == 7'd0) && lost == come - got
                  && (!quiet || \sender.last[0] [6:0] == sent[11:5]);

    assign bad = running && !claims;
endmodule
`default_nettype wire
