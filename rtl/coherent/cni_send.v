// A send queue of the coherent NI: reads slots of a ring in coherent memory, checks their descriptors, collects the
// payload of one packet in a buffer and offers it to cni_out. cni.md has the layout of slots and the three modes.
//
//   * cachable: virtual polling. The first line of the next slot is read by Read, so that the NI shares it; then only
//     `seen` (another agent takes it for writing) leads to the next Read, cfg_delay clocks later. From the Read on the
//     interconnect that gave the line, no store is missed: `seen` is caught from rd_ordered on. In these clocks the
//     other lines of the slot are read ahead, as many as the last message had: they are complete before the first line
//     is written (cni.md).
//   * doorbell: the first line is read, by ReadOnce, when cfg_doorbell differs from the count of slots consumed.
//   * uncached: stores fill the buffer; that of the upper half of word 0 starts it. No memory is read.
//
//     OFF -- mode --> START --> NEXT --> LINE <--> DATA --> CHECK --> PACKET --> DONE --> NEXT
//                       |                 ^         |         |         ^ |
//                     STOPPED             +> WAIT <-/       DONE        | LINE ..  next packet of a long transfer
//
// The other lines of a slot, and data of RDMA, are read by ReadOnce: their owner keeps them as they are. A packet is
// offered when its last word is in the buffer, so cni_out never waits for memory.
//
// The buffer (cni_buffer) has 64 words. Line l of a packet (0, 1, ..) is stored at word 4 l modulo 64, but only its
// words of the packet, 62 at most, so the 17 lines of an unaligned packet do not overwrite each other.
//
// Latency, clocks: line's last word to the packet at pk_valid 2 (payload in one line), rd_ordered excluded.
//
// MODE 0 and `flush` stop it: a read on the interconnect ends, a packet that moves ends, one that waits is withdrawn.
// After `flush` it stays off until MODE has been 0.
`default_nettype none
module cni_send #(
    // destinations, 2..16
    parameter LANES = 8
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        flush,          // level: software reset
    output wire        idle,           // nothing is under way

    // set-up
    input  wire [1:0]  cfg_mode,       // 0 off, 1 cachable, 2 doorbell, 3 uncached
    input  wire [3:0]  cfg_log2_slot,  // bytes, 6..9
    input  wire [3:0]  cfg_log2_slots, // 1..12
    input  wire [27:6] cfg_base,
    input  wire [7:0]  cfg_delay,
    input  wire [15:0] cfg_doorbell,
    input  wire [5:0]  cfg_limit,      // longest payload of a packet, 1..62
    input  wire        cfg_groups,     // descriptors have a group in [47:42]
    input  wire        release_slot,   // one clock: a held slot may go
    output reg  [15:0] consumed,
    output wire        buffer_full,    // mode uncached: not sent yet
    output wire        held,
    output wire        stopped,        // the ring was refused

    // lines of the interconnect
    output wire        rd_valid,       // held until rd_ordered
    output wire        rd_share,       // Read, and hold the line; else ReadOnce
    output wire [27:5] rd_line,
    input  wire        rd_ordered,     // one clock: the request has its place in the order; its words follow
    input  wire        rd_data_valid,  // a word on fill_data: words 0, 1, 2, 3
    input  wire        rd_data_last,
    output reg         watching,       // a store to watch_line is to be reported
    output wire [27:5] watch_line,
    input  wire        seen,           // one clock: somebody has taken watch_line for writing, or updated it

    // stores to the send buffer, their word on fill_data twice
    input  wire        st_valid,
    input  wire [5:0]  st_word,        // 0..63
    input  wire        st_high,        // bits [63:32]

    // buffer (cni_buffer): a word of a line, or half a word of a store, is to be written
    input  wire [63:0] fill_data,
    output wire        fills,
    output wire        stores,
    output wire [5:0]  fill_place,     // of a word of a line

    // packets, see cni_out
    output wire        pk_valid,
    output wire [$clog2(LANES)-1:0] pk_flow,
    output wire [5:0]  pk_words,
    output wire [31:0] pk_address,
    output wire [2:0]  pk_flags,
    output wire [5:0]  pk_group,
    output wire        pk_last,
    output wire        pk_asks,        // an operation that is answered by a REPLY
    input  wire        pk_moving,
    input  wire        pk_taken,
    output wire [1:0]  pk_offset,      // place in the buffer of its first word

    // results
    output reg         report,         // one clock: a quarter of the ring has been consumed
    output reg         ev_skipped,
    output reg         ev_ring_refused,
    output reg         ev_buffer_busy
);
    localparam LOG2_LANES = $clog2(LANES);
    localparam [3:0] OFF     = 4'd0,
                     START   = 4'd1,   // is the ring legal?
                     NEXT    = 4'd2,   // a slot is due
                     LINE    = 4'd3,   // a read at the interconnect
                     DATA    = 4'd4,   // its words
                     WAIT    = 4'd5,   // for a store to the line held
                     CHECK   = 4'd6,   // descriptor, release
                     PACKET  = 4'd7,   // offered to cni_out
                     DONE    = 4'd8,
                     STOPPED = 4'd9;
    localparam [1:0] CACHABLE = 2'd1, UNCACHED = 2'd3;
    localparam [31:0] LANES_32 = LANES;

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d", LANES);
            $finish;
        end

    reg  [3:0]  fsm;
    reg         armed;                 // MODE has been 0 since reset or flush
    wire        off = (cfg_mode == 2'd0) || flush;

    // ---- ring, at a multiple of its size
    wire [11:0] last_index = ~(12'hFFF << cfg_log2_slots);
    wire [11:0] index      = consumed[11:0] & last_index;
    wire        phase      = !consumed[cfg_log2_slots];   // 1 in the first lap
    wire [11:0] quarter    = {2'b00, last_index[11:2]};   // slots from a report to the next one, less one
    wire [1:0]  slot_shift = cfg_log2_slot[1:0] - 2'd2;
    wire [27:6] slot       = cfg_base | {7'd0, {3'd0, index} << slot_shift};
    wire [27:6] ring_last  = {7'd0, {3'd0, last_index} << slot_shift};
    wire [27:6] ring_low   = {19'd0, ~(3'b111 << slot_shift)};           // within a slot
    wire        ring_legal = (cfg_log2_slot >= 4'd6) && (cfg_log2_slot <= 4'd9) && (cfg_log2_slots != 4'd0)
                             && (cfg_log2_slots <= 4'd12) && ((cfg_base & ring_last) == 22'd0)
                             && ((cfg_base & ring_low) == 22'd0);

    // ---- descriptor
    reg  [63:0] descriptor;
    reg  [63:0] second;                // word 1: source address
    wire        operation  = descriptor[63];
    wire        in_slot    = descriptor[51];
    wire        wants_hold = descriptor[50];
    wire [9:0]  length     = descriptor[41:32];
    wire [6:0]  most_words = (cfg_mode == UNCACHED) ? 7'd62 : {7'd8 << slot_shift} - 7'd1;
    wire [10:0] page_end   = {2'd0, second[11:3]} + {1'b0, length};          // only the last 4 KB can be left
    wire        legal = ({25'd0, descriptor[58:52]} < LANES_32) && (descriptor[49:48] == 2'd0)
                        && (cfg_groups || descriptor[47:42] == 6'd0) && (length != 10'd0)
                        && (descriptor[0] == operation) && (operation ? length <= 10'd62 && !descriptor[62]
                                                                      : descriptor[2:1] == 2'd0)
                        && (in_slot ? length <= {3'd0, most_words} && length <= 10'd62
                                    : (length <= 10'd512) && cfg_mode != UNCACHED && (second[63:28] == 36'd0)
                                      && (second[2:0] == 3'd0) && !(&second[27:12] && page_end > 11'd512));
    reg  [3:0]  releases;              // not used yet
    wire        may_go     = !wants_hold || (releases != 4'd0);
    wire        goes       = (fsm == CHECK) && legal && may_go && !off;

    // ---- packet: `left` words from word address `source` on, to `target`
    reg  [9:0]  left;
    reg  [27:3] source;
    reg  [31:3] target;
    reg         first_line;            // the line read is the first one of a slot
    reg         ahead;                 // ... is read ahead
    reg         fetched;               // lines 1..guess have been read ahead, since `seen`
    reg  [3:0]  guess;
    reg  [1:0]  offset;                // place in the buffer of the packet's first word
    reg  [4:0]  line;                  // of the packet
    wire [6:0]  end_place  = {5'd0, offset} + {1'b0, pk_words};          // behind the last word
    wire [6:0]  last_place = end_place - 7'd1;
    wire [4:0]  last_line  = last_place[6:2];
    wire [24:0] line_in_all = {2'd0, source[27:5]} + {20'd0, line};
    reg  [1:0]  beat;
    wire [6:0]  place      = {line, beat};
    wire        of_packet  = first_line || ahead || (place >= {5'd0, offset} && place < end_place);

    assign rd_valid   = (fsm == LINE);
    assign rd_share   = first_line && (cfg_mode == CACHABLE);
    assign rd_line    = first_line ? {slot, 1'b0} : line_in_all[22:0];
    assign watch_line = {slot, 1'b0};

    // ---- buffer
    reg         filled;                // mode uncached: the buffer has a packet
    wire        by_store   = (cfg_mode == UNCACHED);
    wire        word_0     = (st_word == 6'd0);
    wire        first_beat = (fsm == DATA) && rd_data_valid && first_line && (beat == 2'd0);

    assign stores      = st_valid && by_store && !filled;
    assign fills       = (fsm == DATA) && rd_data_valid && of_packet;
    assign fill_place  = place[5:0];
    assign pk_offset   = offset;
    assign pk_valid    = (fsm == PACKET);
    assign pk_flow     = descriptor[52 +: LOG2_LANES];
    assign pk_address  = {target, descriptor[2:0]};
    assign pk_last     = in_slot || (left <= {4'd0, cfg_limit});
    assign pk_words    = pk_last ? left[5:0] : cfg_limit;
    assign pk_flags    = {descriptor[62], descriptor[61], descriptor[60]} & {3{pk_last}};
    assign pk_group    = descriptor[47:42];
    assign pk_asks     = operation && (descriptor[19:18] == 2'b01) && (descriptor[17:16] != 2'b00);
    assign buffer_full = filled;
    assign held        = (fsm == CHECK) && legal && wants_hold;
    assign stopped     = (fsm == STOPPED);
    assign idle        = (fsm == OFF) || (fsm == STOPPED);

    // ---- a store to the line held
    reg         was_seen;
    reg  [7:0]  delay;

    wire        reads_ahead = !fetched && (guess != 4'd0);
    wire [3:0]  here        = fetched ? guess : 4'd0;  // lines of the slot in the buffer, besides the first one
    wire        quit = off && !(fsm == PACKET && pk_moving);

    always @(posedge clk)
        if (rst) begin
            fsm             <= OFF;
            armed           <= 1'b1;
            watching        <= 1'b0;
            was_seen        <= 1'b0;
            filled          <= 1'b0;
            fetched         <= 1'b0;
            releases        <= 4'd0;
            consumed        <= 16'd0;
            report          <= 1'b0;
            ev_skipped      <= 1'b0;
            ev_ring_refused <= 1'b0;
            ev_buffer_busy  <= 1'b0;
        end else begin
            report          <= 1'b0;
            ev_skipped      <= 1'b0;
            ev_ring_refused <= 1'b0;
            ev_buffer_busy  <= st_valid && by_store && filled;

            if (flush)                 armed <= 1'b0;
            else if (cfg_mode == 2'd0) armed <= 1'b1;

            if (off)                                                   releases <= 4'd0;
            else if (goes && wants_hold)                               releases <= releases - {3'd0, !release_slot};
            else if (release_slot && releases != 4'hF)                 releases <= releases + 4'd1;

            if (off || (fsm == DONE))                       filled <= 1'b0;
            else if (stores && st_high && word_0)  filled <= 1'b1;

            if (rd_ordered && rd_share)                         was_seen <= 1'b0;
            else if (seen && watching)                          was_seen <= 1'b1;

            if ((seen && watching) || fsm == NEXT)              fetched <= 1'b0;
            else if (fsm == DATA && rd_data_valid && rd_data_last && ahead && line[3:0] == guess) fetched <= 1'b1;

            if (rd_ordered && rd_share)                         watching <= 1'b1;
            else if (quit || fsm == CHECK)                      watching <= 1'b0;

            case (fsm)
                OFF: if (!off && armed) fsm <= START;
                START: begin
                    consumed <= 16'd0;
                    if (ring_legal || cfg_mode == UNCACHED) fsm <= NEXT;
                    else begin
                        fsm             <= STOPPED;
                        ev_ring_refused <= 1'b1;
                    end
                end
                NEXT:
                    if (quit) fsm <= OFF;
                    else if (cfg_mode == UNCACHED) begin
                        if (filled) fsm <= CHECK;
                    end else if (cfg_mode == CACHABLE || consumed != cfg_doorbell) fsm <= LINE;
                LINE: if (rd_ordered) fsm <= DATA;
                DATA: if (rd_data_valid && rd_data_last) begin
                    if (quit) fsm <= OFF;
                    else if (first_line) fsm <= (cfg_mode == CACHABLE && descriptor[59] != phase) ? WAIT : CHECK;
                    else if (ahead) fsm <= (line[3:0] == guess) ? WAIT : LINE;
                    else fsm <= (line == last_line) ? PACKET : LINE;
                end
                WAIT:
                    if (quit) fsm <= OFF;
                    else if (was_seen && (reads_ahead || delay == 8'd0)) fsm <= LINE;
                CHECK:
                    if (quit) fsm <= OFF;
                    else if (!legal) begin
                        fsm        <= DONE;
                        ev_skipped <= 1'b1;
                    end else if (may_go)
                        fsm <= (in_slot && (cfg_mode == UNCACHED || length[5:2] <= here)) ? PACKET : LINE;
                PACKET:
                    if (quit)         fsm <= OFF;
                    else if (pk_taken) fsm <= pk_last ? DONE : LINE;
                DONE: begin
                    consumed <= consumed + 16'd1;
                    report   <= (cfg_mode != UNCACHED) && ((index & quarter) == quarter);
                    fsm      <= quit ? OFF : NEXT;
                end
                default: if (off) fsm <= OFF;
            endcase
        end

    always @(posedge clk) begin
        if (!was_seen || (seen && watching)) delay <= cfg_delay;
        else if (delay != 8'd0)              delay <= delay - 8'd1;

        if ((stores && word_0 && st_high) || first_beat)  descriptor[63:32] <= fill_data[63:32];
        if ((stores && word_0 && !st_high) || first_beat) descriptor[31:0]  <= fill_data[31:0];
        if (fsm == DATA && rd_data_valid && first_line && beat == 2'd1) second <= fill_data;

        if (fsm == LINE)                        beat <= 2'd0;
        else if (rd_data_valid && fsm == DATA)  beat <= beat + 2'd1;

        if (fsm == START)                                                guess <= 4'd0;
        else if (goes)                                                   guess <= in_slot ? length[5:2] : 4'd0;

        if (fsm == NEXT || fsm == WAIT) begin
            first_line <= (fsm == NEXT) || !reads_ahead;
            ahead      <= (fsm == WAIT) && reads_ahead;
            line       <= {4'd0, (fsm == WAIT) && reads_ahead};
            source     <= {slot, 3'd0};
        end else if (fsm == CHECK) begin
            first_line <= 1'b0;
            left       <= length;
            source     <= in_slot ? {slot, 3'd0} : second[27:3];
            offset     <= in_slot ? 2'd1 : second[4:3];
            target     <= descriptor[31:3];
            line       <= in_slot ? {1'b0, here} + 5'd1 : 5'd0;
        end else if (fsm == PACKET && pk_taken) begin
            left       <= left - {4'd0, pk_words};
            source     <= source + {19'd0, pk_words};
            offset     <= offset + pk_words[1:0];
            target     <= target + {23'd0, pk_words};
            line       <= 5'd0;
        end else if (fsm == DATA && rd_data_valid && rd_data_last && !first_line)
            line <= line + 5'd1;
    end

    wire unused = &{1'b0, last_place[1:0], line_in_all[24:23], descriptor[57:56]};

    // ---- measuring
    wire probe_busy           = !idle && fsm != WAIT;
    wire probe_stall_bus      = (fsm == LINE) || (fsm == DATA);
    wire probe_stall_credit   = (fsm == PACKET) && !pk_moving;
    wire probe_stall_held     = held;
    wire probe_start          = (fsm == CHECK);
    wire probe_done           = (fsm == DONE);
    wire [3:0] probe_state    = fsm;
endmodule
`default_nettype wire
