// Parses the received frames: credit word, header, header CRC, body, body CRC. It decides where a frame ends;
// link_rx_store decides whether its packet is stored.
//
//     SOP  [credit word]  [header hi, header lo, header CRC  [payload hi, lo ...  body CRC]]
//
// Rules for bad packets (design.md 3):
//   * The length in a header whose CRC is right is binding: exactly that many `body_word`s are announced, or, if a K
//     character, loss of sync or 16 clocks without data occur early, `body_abort` ends them and the store pads.
//   * After a bad header CRC, a malformed frame or the end of a packet everything up to the next K is discarded; with
//     CRCS = 0 so is the body of a packet that is not stored.
//   * A new SOP always starts a new frame, whatever the state.
// A header with length 0 is a check record; it has no body.
//
// A credit word waits for the end of its frame, the next K character: only then it is known that no code error was in
// the frame. A single broken bit may show only later as a disparity error, at the latest in the K28.5 or K27.7 behind
// the frame, so that word counts as well. A frame that holds only a credit word is checked one clock after it.
//
// All outputs but credit_* are valid in the same clock as their word. `ev_alignment` counts incidents, not words: a
// frame that ends early or lasts too long, and words without any SOP in front, each once.
//
// With CRCS = 0 the body CRC is not checked here: in the clock of `body_end` it is body_data[31:0]. link_rx_store
// counts the words still to arrive, and the header CRC takes the words as they arrive, in the module of the switch,
// which has fewer LUTs.
`default_nettype none
`include "slots.vh"
module link_rx_frame #(
    // 0: the body CRC is not checked here; one of several links by packet
    parameter CRCS = 1
) (
    input  wire        clk,
    input  wire        rst,

    // aligned words, see link_rx_align
    input  wire [31:0] word,
    input  wire        word_valid,
    input  wire        word_sop,
    input  wire        word_k,
    input  wire        word_error,
    input  wire        word_lost,

    // packets
    output wire        header_good,    // pulse: `header` had a right CRC, its length is not 0
    output reg  [63:0] header,         // until the next header
    output wire        header_next,    // pulse: body_data is what `header` will be
    output wire        body_word,      // pulse: a payload word
    output wire [63:0] body_data,
    output wire        body_last,      // it is the last one
    output wire        body_end,       // pulse: the body CRC has arrived
    output wire        body_bad,       // ... and it is wrong; CRCS = 0: 0
    output wire        body_abort,     // pulse: the packet ended too early
    input  wire        stored,         // CRCS = 0, with header_good: the packet is
    input  wire        last_is_due,    // CRCS = 0: the next payload word is the last one

    // check records (pulse; the record is `header`)
    output wire        record_good,

    // credit words
    output reg         credit_valid,   // pulse: the frame of `credit_word` has ended
    output reg         credit_bad,     // ... and a code error was in it
    output reg  [31:0] credit_word,

    // events and status
    output wire        ev_cycle,       // level: SOP or a word of a frame
    output wire        ev_header_crc,
    output wire        ev_alignment,
    output wire [2:0]  fsm_state
);
    localparam [2:0] HUNT       = 3'd0;   // outside of frames, or discarding up to the next K
    localparam [2:0] FIRST      = 3'd1;   // first word after the SOP
    localparam [2:0] SECOND     = 3'd2;   // after a credit word: header or end of frame
    localparam [2:0] HEADER_LO  = 3'd3;
    localparam [2:0] HEADER_CRC = 3'd4;
    localparam [2:0] BODY_HI    = 3'd5;
    localparam [2:0] BODY_LO    = 3'd6;
    localparam [2:0] BODY_CRC   = 3'd7;

    localparam [3:0] SILENCE = 4'd15;     // clocks without data that are tolerated

    reg [2:0]  state;
    reg        excused;        // HUNT: the words here have been counted already
    reg [31:0] first_half;
    reg [3:0]  silence;
    reg        credit_held;    // credit_word waits for the end of its frame
    reg        frame_error;

    wire in_frame = (state != HUNT);
    wire data     = word_valid && !word_k;
    wire timeout  = !word_valid && (silence == SILENCE);
    wire broken   = word_lost || timeout;              // ends a frame without a K
    wire ended    = (word_valid && word_k) || broken;

    assign fsm_state   = state;
    assign ev_cycle    = word_sop || (in_frame && data);
    assign body_data   = {first_half, word};
    assign body_word   = (state == BODY_LO) && data;
    assign header_next = (state == HEADER_LO) && data;

    // CRCs, and the number of words
    wire        empty = (header[41:32] == 10'd0);
    wire        header_right;
    wire        goes_on;                // with a right header: a body follows
    wire [15:0] header_crc;
    generate
        if (CRCS != 0) begin : checked
            reg  [9:0]  words_left;     // payload words still to arrive
            wire [31:0] body_crc;
            `NIC_HEADER_CRC header_check (
                .clk (clk), .rst (rst), .first (1'b1), .step ((state == HEADER_LO) && data), .data ({first_half, word}),
                .crc (header_crc)
            );
            `NIC_BODY_CRC body_check (
                .clk (clk), .rst (rst), .first (words_left == header[41:32]), .step (body_word),
                .data ({first_half, word}), .crc (body_crc)
            );

            always @(posedge clk)
                if (rst)
                    words_left <= 10'd0;
                else if (data && state == HEADER_CRC)
                    words_left <= header[41:32];
                else if (body_word)
                    words_left <= words_left - 10'd1;

            assign body_last = (words_left == 10'd1);
            assign body_bad  = (word != body_crc);
            assign goes_on   = !empty;
            wire unused = &{1'b0, stored, last_is_due};
        end else begin : kept
            wire        header_word = ((state == FIRST || state == SECOND) && !word[31]) || (state == HEADER_LO);
            wire [15:0] unused_header_crc;
            `SWITCH_HEADER_CRC header_check (
                .clk (clk), .clear (word_valid && word_k), .step (header_word && data), .data (word), .due (1'b0),
                .crc_next (unused_header_crc), .crc (header_crc)
            );
            assign body_last = last_is_due;
            assign body_bad  = 1'b0;
            assign goes_on   = stored;
            wire unused = &{1'b0, unused_header_crc};
        end
    endgenerate
    wire header_checked = (state == HEADER_CRC) && data;

    assign header_right  = (word == {16'd0, header_crc});
    assign header_good   = header_checked && header_right && !empty;
    assign record_good   = header_checked && header_right && empty;
    assign ev_header_crc = header_checked && !header_right;
    assign body_end      = (state == BODY_CRC) && data;
    assign body_abort    = ended && ((state == BODY_HI) || (state == BODY_LO) || (state == BODY_CRC));

    wire malformed = (state == SECOND) && data && word[31];            // a second credit word
    wire dropped   = header_good && !goes_on;
    wire stray     = (state == HUNT) && data && !excused;
    wire early     = ended && in_frame && (state != SECOND);
    assign ev_alignment = malformed || stray || early;

    always @(posedge clk)
        if (rst) begin
            state       <= HUNT;
            excused     <= 1'b1;
            first_half  <= 32'd0;
            header      <= 64'd0;
            silence     <= 4'd0;
        end else begin
            silence <= word_valid ? 4'd0 : (silence == SILENCE) ? SILENCE : silence + 4'd1;
            if (word_valid && word_k)
                excused <= in_frame && !word_sop && early;
            else if (broken)
                excused <= 1'b1;
            else if (stray || malformed || ev_header_crc || dropped)
                excused <= 1'b1;

            if (broken)
                state <= HUNT;
            else if (word_sop)
                state <= FIRST;
            else if (word_valid && word_k)
                state <= HUNT;
            else if (word_valid) begin
                case (state)
                    FIRST:      state <= word[31] ? SECOND : HEADER_LO;
                    SECOND:     state <= word[31] ? HUNT : HEADER_LO;
                    HEADER_LO:  state <= HEADER_CRC;
                    HEADER_CRC: state <= (header_right && goes_on) ? BODY_HI : HUNT;
                    BODY_HI:    state <= BODY_LO;
                    BODY_LO:    state <= body_last ? BODY_CRC : BODY_HI;
                    default:    state <= HUNT;
                endcase
                if (header_next)
                    header <= {first_half, word};
                first_half <= word;
            end
        end

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
            if (state == FIRST && data && word[31]) begin
                credit_held <= 1'b1;
                credit_word <= word;
            end else if (ended)
                credit_held <= 1'b0;
        end

    wire       probe_busy        = in_frame;
    wire       probe_stall_words = in_frame && !word_valid;
    wire       probe_start       = header_good;
    wire       probe_done        = body_end || body_abort;
    wire [2:0] probe_state       = state;
endmodule
`default_nettype wire
