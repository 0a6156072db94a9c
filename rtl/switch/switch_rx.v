// Receiving half of a switch port: parses the frames of a NIC and writes the packets into the crosspoints of its row.
//
//     SOP  [credit word]  [header hi, header lo, header CRC  [payload hi, lo ...  body CRC]]
//
//     word          ... hi lo crc p0 p1 ... pn bc         aligned words, see link_rx_align
//     tail, ahead        hi lo lo p0 p1 ...               two words wait here: `ahead` is the older one
//     wr_data                     hi lo p0 ... pn bc      from the clock after the header CRC, which is dropped
//
// The packet is unchanged but for the flow ID, which named the output and now names the sender, `source`; the body CRC
// is end to end and is not checked. Bad frames (design.md 3):
//   * a packet of illegal length, for a missing output, or with less free space than its units is dropped whole, before
//     its first word, and counted. So is any packet while `enable` is low (counted with those without an output). The
//     next packet stored for the same output carries `wr_poisoned`: a gap in the sequence numbers of 9 bits does not
//     reveal every number of lost packets.
//   * once the first word is written the length is binding: if a K character, loss of sync or 16 clocks without data
//     comes early, zeros fill it up, one per clock, and the last word carries `wr_poisoned`, so that the transmitter
//     sends a wrong body CRC.
//   * a header that arrives while zeros are still being written is dropped.
//   * after a bad header CRC, a malformed frame or the end of a packet everything up to the next K is discarded.
//
// The credit scheduler keeps the accounts: `stored` reports a packet, `record` a check record (header of length 0);
// `occupied`, its answer in the same clock, is the units in the crosspoint of `header_output`. Packets that have begun
// to leave do not count, though their last words are still stored: words leave as fast as others can arrive.
//
// With `stamp` (S2 5.3) the third word of the payload of a packet whose header has bit [55] becomes the time of its SOP
// on the pins; without, that bit becomes 0, so the transmitter does not change the packet. The NIC has sent 0 there:
// the transmitter corrects the CRC.
//
// A credit word waits for the end of its frame, the next K, as in link_rx_frame: a code error anywhere in the frame,
// that K included, discards it.
//
// Latency: header CRC on `word` in clock n, first word at wr_data in n + 1.
`default_nettype none
`include "slots.vh"
module switch_rx #(
    // outputs of the switch, 2..16
    parameter OUTPUTS = 8,
    // units that a crosspoint takes
    parameter CROSSPOINT_UNITS = 512,
    // longest payload [64-bit words], 1..64
    parameter MAX_WORDS = 62,
    // 1: with time stamps; 0: without
    parameter STAMPS = 1
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       enable,         // 0: every packet is dropped
    input  wire [6:0]                 source,         // node behind this port
    input  wire                       stamp,          // level: packets that carry time stamps get this one
    input  wire [31:0]                now,            // the time for it

    // aligned words
    input  wire [31:0]                word,
    input  wire                       word_valid,
    input  wire                       word_sop,
    input  wire                       word_k,
    input  wire                       word_error,
    input  wire                       word_lost,

    // crosspoints of the row
    output wire [OUTPUTS-1:0]         wr_valid,       // see crosspoint
    output wire                       wr_start,
    output wire                       wr_end,
    output wire                       wr_poisoned,
    output wire [31:0]                wr_data,

    // credit scheduler
    output wire                       stored,         // one clock: a packet goes into a crosspoint
    output wire                       record,         // one clock: a good check record
    output wire [$clog2(OUTPUTS)-1:0] header_output,
    output wire [9:0]                 header_units,   // of the packet
    output wire [11:0]                record_units,   // what the sender has transmitted on that virtual channel
    input  wire [9:0]                 occupied,       // units in the crosspoint of header_output

    output wire                       busy,           // in a frame, or writing

    // credit words from the NIC, see link_credit_rx
    output reg                        credit_valid,
    output reg                        credit_bad,
    output reg  [31:0]                credit_word,

    // events
    output reg                        ev_packet,      // stored
    output reg                        ev_padded,      // a packet ended early and was filled up with zeros
    output reg                        ev_header_crc,
    output reg                        ev_alignment,
    output reg                        ev_drop_length, // a length that is not 1..MAX_WORDS
    output reg                        ev_drop_flow,   // for an output that does not exist
    output reg                        ev_drop_space,  // not enough space
    output reg                        ev_record,
    output reg                        ev_record_unknown, // for an output that does not exist
    output reg                        ev_code         // a word with a code error inside of a frame
);
    localparam LOG2_OUTPUTS = $clog2(OUTPUTS);
    localparam [2:0] HUNT       = 3'd0;   // outside of frames, or discarding up to the next K
    localparam [2:0] FIRST      = 3'd1;   // first word after the SOP
    localparam [2:0] SECOND     = 3'd2;   // after a credit word: header or end of frame
    localparam [2:0] HEADER_LO  = 3'd3;
    localparam [2:0] HEADER_CRC = 3'd4;
    localparam [2:0] BODY       = 3'd5;

    localparam [3:0]  SILENCE   = 4'd15;  // clocks without data that are tolerated
    localparam LENGTH_BITS      = (MAX_WORDS > 63) ? 7 : 6;
    localparam [9:0]  LONGEST   = MAX_WORDS[9:0];
    localparam [7:0]  KNOWN     = OUTPUTS[7:0];
    localparam [10:0] CAPACITY  = CROSSPOINT_UNITS;

    initial
        if (OUTPUTS < 2 || OUTPUTS > 16 || MAX_WORDS < 1 || MAX_WORDS > 64
            || CROSSPOINT_UNITS < 2 * MAX_WORDS + 4 || CROSSPOINT_UNITS > 512) begin
            $display("%m: OUTPUTS must be 2..16, is %0d; MAX_WORDS 1..64, is %0d; CROSSPOINT_UNITS %0d..512, is %0d",
                     OUTPUTS, MAX_WORDS, 2 * MAX_WORDS + 4, CROSSPOINT_UNITS);
            $finish;
        end

    // ---- frames
    reg  [2:0] state;
    reg        excused;        // HUNT: the words here have been counted already
    reg  [3:0] silence;

    wire data      = word_valid && !word_k;
    wire broken    = word_lost || (!word_valid && (silence == SILENCE));   // ends a frame without a K
    wire ended     = (word_valid && word_k) || broken;
    wire in_frame  = (state != HUNT);
    wire malformed = (state == SECOND) && data && word[31];                // a second credit word
    wire stray     = (state == HUNT) && data && !excused;
    wire early     = ended && in_frame && (state != SECOND);

    // ---- the two words that wait
    reg  [31:0] tail;
    reg  [31:0] ahead;
    reg  [LENGTH_BITS:0] left; // words of the packet to be written, those two included
    reg         first;         // the next one is its first
    reg         padding;       // the packet has ended too early
    reg         lost;          // the header was not received because of padding

    wire writing   = (left != 0);
    assign busy    = in_frame || writing;
    wire body_here = (left > 2);                // the packet still waits for words, or zeros
    wire breaks    = ended && (state == BODY);
    wire pad       = (padding || breaks) && body_here;
    wire flush     = writing && !body_here;
    wire shift     = (data && (state != HEADER_CRC)) || pad || flush;
    wire write     = writing && shift;
    wire header_hi = data && ((state == FIRST) || (state == SECOND)) && !word[31];

    // ---- header: in `ahead` and `tail` while its CRC is on `word`
    wire [15:0] header_crc;
    wire [15:0] unused_crc_next;
    `SWITCH_HEADER_CRC header_check (
        .clk (clk), .clear (word_valid && word_sop), .step (header_hi || ((state == HEADER_LO) && data)), .data (word),
        .due (1'b0), .crc_next (unused_crc_next), .crc (header_crc)
    );
    wire        checked  = (state == HEADER_CRC) && data;
    wire        right    = (word == {16'd0, header_crc});
    wire [9:0]  length   = ahead[9:0];
    wire        empty    = (length == 10'd0);
    wire        too_long = (length > LONGEST);
    wire        known    = ({1'b0, ahead[30:24]} < KNOWN);
    wire        unknown  = !known || !enable;
    wire        no_room  = lost || ({1'b0, occupied} + {1'b0, header_units} > CAPACITY);
    wire        good     = checked && right;
    wire        packet   = good && !lost && !empty;
    wire        check    = good && !lost && empty;

    assign header_output = ahead[24 +: LOG2_OUTPUTS];
    assign header_units  = {length[8:0], 1'b0} + 10'd4;
    assign record_units  = tail[11:0];
    assign stored        = packet && !too_long && !unknown && !no_room;
    assign record        = check && known;

    reg  [OUTPUTS-1:0] row;    // crosspoint of the packet, one-hot
    reg  [OUTPUTS-1:0] dropped;   // packets for this output have been dropped since one was stored
    reg                reports;   // the packet is corrupted to report them
    wire [OUTPUTS-1:0] asked = {{OUTPUTS-1{1'b0}}, 1'b1} << header_output;
    assign wr_valid    = row & {OUTPUTS{write}};
    assign wr_start    = first;
    assign wr_end      = (left == 1);
    assign wr_poisoned = padding || reports;
    wire        stamped;       // the packet carries time stamps
    wire        stamp_here;    // this word becomes this one:
    wire [31:0] arrival;
    assign wr_data    = stamp_here ? arrival
                                   : {ahead[31] && !first, first ? source : ahead[30:24],
                                      ahead[23] && (!first || stamped), ahead[22:0]};

    // ---- time stamps: the word is the fifth one of the packet
    generate
        if (STAMPS != 0) begin : stamps
            reg [31:0] sop_time;
            reg [4:0]  place;      // [n]: word n of a packet with time stamps comes next
            reg        carries;

            assign stamped    = carries;
            assign arrival    = sop_time;
            assign stamp_here = place[4];

            always @(posedge clk) begin
                if (word_sop && stamp) sop_time <= now;
                if (stored) begin
                    carries <= stamp && ahead[23] && (length > 10'd2);
                    place   <= {4'd0, stamp && ahead[23] && (length > 10'd2)};
                end else if (write)
                    place   <= {place[3:0], 1'b0};
            end
        end else begin : no_stamps
            wire unused = &{1'b0, stamp, now};
            assign stamped    = 1'b0;
            assign arrival    = 32'd0;
            assign stamp_here = 1'b0;
        end
    endgenerate

    always @(posedge clk) begin
        if (shift) begin
            ahead <= tail;
            tail  <= pad ? 32'd0 : word;
        end
        if (header_hi)
            lost <= pad;
        else if (shift && !data && in_frame)
            lost <= 1'b1;
    end

    always @(posedge clk)
        if (rst) begin
            left    <= 0;
            first   <= 1'b0;
            padding <= 1'b0;
            row     <= {OUTPUTS{1'b0}};
            dropped <= {OUTPUTS{1'b0}};
            reports <= 1'b0;
        end else begin
            if (stored) begin
                left    <= {length[LENGTH_BITS-1:0], 1'b0} + {{LENGTH_BITS-1{1'b0}}, 2'd3};
                first   <= 1'b1;
                padding <= 1'b0;
                row     <= asked;
                dropped <= dropped & ~asked;
                reports <= |(dropped & asked);
            end else begin
                if (packet && known)
                    dropped <= dropped | asked;
                if (write) begin
                    left  <= left - 1'b1;
                    first <= 1'b0;
                end
                if (breaks)
                    padding <= 1'b1;
            end
        end

    always @(posedge clk)
        if (rst) begin
            state   <= HUNT;
            excused <= 1'b1;
            silence <= 4'd0;
        end else begin
            silence <= word_valid ? 4'd0 : (silence == SILENCE) ? SILENCE : silence + 4'd1;
            if (word_valid && word_k)
                excused <= early && !word_sop;
            else if (broken || stray || malformed || (checked && !stored && !check))
                excused <= 1'b1;

            if (broken)
                state <= HUNT;
            else if (word_sop)
                state <= FIRST;
            else if (word_valid && word_k)
                state <= HUNT;
            else if (word_valid)
                case (state)
                    FIRST:      state <= word[31] ? SECOND : HEADER_LO;
                    SECOND:     state <= word[31] ? HUNT : HEADER_LO;
                    HEADER_LO:  state <= HEADER_CRC;
                    HEADER_CRC: state <= stored ? BODY : HUNT;
                    BODY:       state <= (left == 3) ? HUNT : BODY;
                    default:    state <= HUNT;
                endcase
        end

    // ---- credit words
    reg  credit_held;    // credit_word waits for the end of its frame
    reg  frame_error;
    always @(posedge clk)
        if (rst) begin
            credit_held  <= 1'b0;
            credit_valid <= 1'b0;
            credit_bad   <= 1'b0;
            credit_word  <= 32'd0;
            frame_error  <= 1'b0;
        end else begin
            frame_error  <= (word_valid && word_sop) ? word_error : frame_error || word_error || !word_valid;
            credit_valid <= credit_held && ended;
            credit_bad   <= frame_error || word_error || broken;
            if ((state == FIRST) && data && word[31]) begin
                credit_held <= 1'b1;
                credit_word <= word;
            end else if (ended)
                credit_held <= 1'b0;
        end

    // ---- events
    always @(posedge clk) begin
        ev_packet         <= stored && !rst;
        ev_padded         <= breaks && !rst;
        ev_header_crc     <= checked && !right && !rst;
        ev_alignment      <= (malformed || stray || early) && !rst;
        ev_drop_length    <= packet && too_long && !rst;
        ev_drop_flow      <= packet && !too_long && unknown && !rst;
        ev_drop_space     <= good && (lost || (packet && !too_long && !unknown && no_room)) && !rst;
        ev_record         <= record && !rst;
        ev_record_unknown <= check && !known && !rst;
        ev_code           <= word_error && word_valid && in_frame && !rst;
    end

    // ---- measuring
    wire       probe_busy        = busy;
    wire       probe_stall_words = body_here && !shift;
    wire       probe_start       = stored;
    wire       probe_done        = wr_end && write;
    wire [2:0] probe_state       = state;
endmodule
`default_nettype wire
